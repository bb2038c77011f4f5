#include "base/text/csv_reader.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p)) p++;
    return p;
}

/* Moves *at to the comma or the line end behind the cell, or to the end of the text. */
static const char *find_cell(const char **at, const char *end, csv_cell *cell) {
    const char *p = skip_blanks(*at, end);
    *cell = (csv_cell){.text = p, .quoted = p < end && *p == '"'};
    if (cell->quoted) {
        cell->text = ++p;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) p += 1 + (*p == '"');
        if (p == end) return "missing closing quote";
        cell->length = (size_t)(p++ - cell->text);
        p = skip_blanks(p, end);
        if (p < end && *p != ',' &&
            *p != '\n') /* the quote that ends a cell of several lines may begin another */
            return memchr(cell->text, '\n', cell->length) ? "missing closing quote"
                                                          : "expected a comma after the quoted cell";
    } else {
        while (p < end && *p != ',' && *p != '\n') p++;
        cell->length = (size_t)(p - cell->text);
        while (cell->length && is_blank(cell->text[cell->length - 1])) cell->length--;
    }
    *at = p;
    return NULL;
}

const char *csv_next(const char **at, const char *end, csv_cell *cell) {
    const char *wrong = find_cell(at, end, cell);
    if (!wrong) *at = *at < end ? *at + 1 : NULL;
    return wrong;
}

csv_cell csv_trimmed(csv_cell cell) {
    while (cell.length && is_blank(cell.text[cell.length - 1])) cell.length--;
    return cell;
}

bool csv_is(const csv_cell *cell, const char *word) {
    return strlen(word) == cell->length && strncasecmp(cell->text, word, cell->length) == 0;
}

/* Returns the end of the copy, behind its NUL. */
static char *copy(const csv_cell *cell, char *to) {
    if (!cell->quoted) {
        memcpy(to, cell->text, cell->length);
        to += cell->length;
    } else {
        for (const char *p = cell->text, *end = p + cell->length; p < end; p += 1 + (*p == '"')) *to++ = *p;
    }
    *to = 0;
    return to + 1;
}

void csv_open(csv_reader *r, const char *file, const char *data, size_t size) {
    r->in = (scanner){.file = file, .cursor = data, .end = data + size, .error = r->in.error};
    r->next = 1;
    r->cells = r->columns = 0;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) r->in.cursor += 3; /* as spreadsheets write it */
}

void csv_move(csv_reader *r, const char *at, uint32_t line) {
    r->in.cursor = at;
    r->next = line;
}

void csv_close(csv_reader *r) {
    FREE_ALL(r->cell, r->found, r->scratch);
    *r = (csv_reader){.in = r->in};
    r->in.cursor = r->in.end;
}

/* Finds the cells of the row at the cursor, and moves behind it. */
static bough_status find_row(csv_reader *r) {
    const char *at = r->in.cursor;
    for (r->cells = 0;; at++) {
        bough_status status =
            bough_grow(&r->found, &r->found_capacity, r->cells + 1, sizeof *r->found, r->in.error);
        if (status) return status;
        const char *wrong = find_cell(&at, r->in.end, &r->found[r->cells++]);
        if (wrong) return FAIL_HERE("column %zu: %s", r->cells, wrong);
        if (at == r->in.end || *at == '\n') break;
    }
    r->in.at = r->in.cursor;
    r->in.stop = at;
    r->next += at < r->in.end;
    for (size_t i = 0; i < r->cells; i++) { /* of cells of several lines */
        const csv_cell *c = &r->found[i];
        for (size_t k = 0; c->quoted && k < c->length; k++) r->next += c->text[k] == '\n';
    }
    r->in.cursor = at < r->in.end ? at + 1 : at;
    if (r->in.stop > r->in.at && r->in.stop[-1] == '\r') r->in.stop--;
    return memchr(r->in.at, 0, (size_t)(r->in.stop - r->in.at))
               ? FAIL_HERE("contains a NUL byte; expected a text file")
               : BOUGH_OK;
}

static bough_status copy_cells(csv_reader *r) {
    bough_status status = bough_grow(&r->cell, &r->cell_capacity, r->cells, sizeof *r->cell, r->in.error);
    TRY(bough_grow(&r->scratch, &r->room, (size_t)(r->in.stop - r->in.at) + r->cells + 1, 1, r->in.error));
    if (status) return status;
    char *out = r->scratch;
    for (size_t i = 0; i < r->cells; i++) {
        r->cell[i] = out;
        out = copy(&r->found[i], out);
    }
    return BOUGH_OK;
}

bough_status csv_row(csv_reader *r) {
    for (;;) {
        const char *start = skip_blanks(r->in.cursor, r->in.end);
        r->cells = 0;
        if (start == r->in.end) return BOUGH_OK;
        r->in.line = r->next;
        if (*start != '#' && *start != '\n') break;
        const char *stop = memchr(start, '\n', (size_t)(r->in.end - start));
        r->in.cursor = stop ? stop + 1 : r->in.end;
        r->next++;
    }
    bough_status status = find_row(r);
    TRY(copy_cells(r));
    for (size_t i = 0; i < r->columns && i < r->cells && !status; i++) r->named[r->name[i]] = r->cell[i];
    return status;
}

size_t csv_header(csv_reader *r, const char *const *name, size_t names, bool *again) {
    for (size_t c = 0; c < CSV_NAMES; c++) r->named[c] = NULL;
    for (size_t i = 0; i < r->cells; i++) {
        size_t c = 0;
        while (c < names && strcmp(r->cell[i], name[c]) != 0) c++;
        *again = c < names && r->named[c];
        if (c == names || *again) return i;
        r->name[i] = (unsigned char)c;
        r->named[c] = r->cell[i];
    }
    for (size_t c = 0; c < CSV_NAMES; c++)
        if (!r->named[c]) r->named[c] = "";
    r->columns = r->cells;
    return r->cells;
}

bool csv_has(const csv_reader *r, size_t name) {
    bool has = false;
    for (size_t i = 0; i < r->columns; i++) has = has || r->name[i] == name;
    return has;
}
