#include "base/text/csv_line.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

const char *csv_next(const char **at, const char *end, csv_cell *cell) {
    const char *p = *at;
    while (p < end && is_blank(*p)) p++;
    *cell = (csv_cell){.text = p, .quoted = p < end && *p == '"'};
    if (cell->quoted) {
        cell->text = ++p;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) p += 1 + (*p == '"');
        if (p == end) return "missing closing quote";
        cell->length = (size_t)(p++ - cell->text);
        while (p < end && is_blank(*p)) p++;
        if (p < end && *p != ',') return "expected a comma after the quoted cell";
    } else {
        while (p < end && *p != ',') p++;
        cell->length = (size_t)(p - cell->text);
        while (cell->length && is_blank(cell->text[cell->length - 1])) cell->length--;
    }
    *at = p < end ? p + 1 : NULL;
    return NULL;
}

size_t csv_copy(const csv_cell *cell, char *to, size_t size) {
    size_t length = 0;
    for (const char *p = cell->text, *end = p + cell->length; p < end; p++, length++) {
        if (length + 1 < size) to[length] = *p;
        if (cell->quoted && *p == '"') p++;
    }
    to[length < size ? length : size - 1] = 0;
    return length;
}

bough_status csv_cut(const char *line, const char *end, csv_cells *cells, bough_error *error) {
    csv_cell found;
    for (cells->count = 0; line; cells->count++) {
        if (cells->count == cells->most)
            return bough_fail(error, BOUGH_INVALID, NULL, "more than %d columns", cells->most);
        const char *wrong = csv_next(&line, end, &found);
        if (wrong) return bough_fail(error, BOUGH_INVALID, NULL, "column %d: %s", cells->count + 1, wrong);
        csv_copy(&found, cells->text + (size_t)cells->count * cells->size, cells->size);
    }
    return BOUGH_OK;
}
