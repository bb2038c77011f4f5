#include "formats/fabrics/infiniband/db_sections.h"

#include "base/text/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

static bool same_word(bough_slice a, bough_slice b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The rest of a line that is a mark and a name: START_NODES. */
static bool read_mark(const scanner *scan, const char *mark, bough_slice *name) {
    scanner s = *scan;
    if (!scan_text(&s, mark) || !scan_word(&s, name) || !scan_done(&s)) return false;
    return !memchr(name->text, ',', name->length);
}

bool db_sections_start(const scanner *scan) {
    bough_slice name;
    return read_mark(scan, "START_", &name);
}

static bough_status wrong_mark(const scanner *scan, const db_section *open) {
    const char *name = bough_shown(open->name, (char[48]){0}, 48);
    return scan_fail(scan, "the section %s, which starts on line %" PRIu32 ", has no end; expected END_%s",
                     name, open->start.line, name);
}

bough_status db_sections_find(scanner *scan, db_sections *sections) {
    db_section *open = NULL;
    while (scan_line(scan)) {
        bough_slice name;
        if (open && read_mark(scan, "END_", &name)) {
            if (!same_word(name, open->name)) return wrong_mark(scan, open);
            open = NULL;
        } else if (read_mark(scan, "START_", &name)) {
            if (open) return wrong_mark(scan, open);
            bough_status status = arena_grow(&sections->memory, &sections->item, sections->count + 1,
                                             sizeof *sections->item, scan->error);
            if (status) return status;
            open = &sections->item[sections->count++];
            *open = (db_section){name, *scan};
        }
    }
    return open ? wrong_mark(scan, open) : BOUGH_OK;
}

/* ---- cells ---- */

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

/* The end of a quoted cell: a quote behind which a comma or the end of the line follows. NULL: none. */
static const char *closing_quote(const char *at, const char *stop) {
    for (; at < stop; at++) {
        if (*at != '"') continue;
        const char *next = at + 1;
        while (next < stop && blank(*next)) next++;
        if (next == stop || *next == ',') return at;
    }
    return NULL;
}

/* The next cell of a row; *at becomes NULL behind the last one. false: no closing quote. */
static bool next_cell(const char **at, const char *stop, bough_slice *cell) {
    const char *start = *at;
    while (start < stop && blank(*start)) start++;
    const char *quote = start < stop && *start == '"' ? closing_quote(start + 1, stop) : NULL;
    if (!quote && start < stop && *start == '"') return false;
    const char *from = quote ? quote : start, *comma = from;
    while (comma < stop && *comma != ',') comma++;
    const char *end = quote ? quote : comma;
    if (quote) start++;
    while (!quote && end > start && blank(end[-1])) end--;
    *cell = (bough_slice){start, (size_t)(end - start)};
    *at = comma < stop ? comma + 1 : NULL;
    return true;
}

/* names: "LinkWidthActv|LinkWidth" */
static bool has_name(bough_slice cell, const char *names) {
    for (size_t length; *names; names += length + (names[length] == '|')) {
        length = strcspn(names, "|");
        if (cell.length == length && strncasecmp(cell.text, names, length) == 0) return true;
    }
    return false;
}

/* The name that messages use. */
static bough_slice name_of(const db_columns *columns, size_t column) {
    return (bough_slice){columns->name[column], strcspn(columns->name[column], "|")};
}

/* ---- tables ---- */

static bough_status check_columns(db_table *t) {
    for (size_t c = 0; c < t->columns->required; c++)
        if (t->place[c] == SIZE_MAX)
            return scan_fail(&t->scan, "the section %s has no column %s among the %zu that this line names",
                             bough_shown(t->section, (char[48]){0}, 48), SHOWN(name_of(t->columns, c)),
                             t->cells);
    return BOUGH_OK;
}

/* Moves to the next line with text; false at the end of the section. */
static bool next_line(db_table *t) {
    bough_slice name;
    while (scan_line(&t->scan)) {
        if (read_mark(&t->scan, "END_", &name)) return false;
        scanner s = t->scan;
        if (!scan_done(&s)) return true;
    }
    return false;
}

bough_status db_table_open(const db_section *section, const db_columns *columns, db_table *t) {
    bough_slice cell;
    *t = (db_table){.scan = section->start, .section = section->name, .columns = columns};
    for (size_t c = 0; c < columns->count; c++) t->place[c] = SIZE_MAX;
    if (!next_line(t)) return scan_fail(&t->scan, "expected the names of columns in this section");
    t->header = t->scan.line;
    for (const char *at = t->scan.at; at && next_cell(&at, t->scan.stop, &cell); t->cells++)
        for (size_t c = 0; c < columns->count; c++)
            if (t->place[c] == SIZE_MAX && has_name(cell, columns->name[c])) t->place[c] = t->cells;
    return check_columns(t);
}

bough_status db_table_next(db_table *t, bool *more) {
    size_t cells = 0;
    bough_slice cell = {0};
    *more = next_line(t);
    if (!*more) return BOUGH_OK;
    memset(t->cell, 0, sizeof t->cell);
    for (const char *at = t->scan.at; at; cells++) {
        if (!next_cell(&at, t->scan.stop, &cell))
            return scan_fail(&t->scan, "missing closing quote in cell %zu", cells + 1);
        for (size_t c = 0; c < t->columns->count; c++)
            if (t->place[c] == cells && !bough_slice_is(cell, "N/A")) t->cell[c] = cell;
    }
    if (cells == t->cells || (cells == t->cells + 1 && !cell.length)) return BOUGH_OK;
    return scan_fail(&t->scan, "has %zu cells, but the section %s has %zu columns (line %" PRIu32 ")", cells,
                     bough_shown(t->section, (char[48]){0}, 48), t->cells, t->header);
}

static bough_status wrong_cell(const db_table *t, size_t column, const char *expected) {
    return scan_fail(&t->scan, "%s is \"%s\"; expected %s", SHOWN(name_of(t->columns, column)),
                     SHOWN(t->cell[column]), expected);
}

bough_status db_table_need(const db_table *t, size_t columns) {
    for (size_t c = 0; c < columns; c++)
        if (!t->cell[c].length) return scan_fail(&t->scan, "%s is empty", SHOWN(name_of(t->columns, c)));
    return BOUGH_OK;
}

bough_status db_table_number(const db_table *t, size_t column, uint64_t most, uint64_t *value) {
    char expected[64];
    uint64_t number;
    if (!t->cell[column].length) return BOUGH_OK;
    scanner s = scan_part(&t->scan, t->cell[column]);
    if (scan_number(&s, &number) && scan_done(&s) && number <= most) return *value = number, BOUGH_OK;
    snprintf(expected, sizeof expected, "a whole number of at most %" PRIu64, most);
    return wrong_cell(t, column, expected);
}

bough_status db_table_guid(const db_table *t, size_t column, uint64_t *value) {
    uint64_t guid;
    if (!t->cell[column].length) return BOUGH_OK;
    scanner s = scan_part(&t->scan, t->cell[column]);
    scan_text(&s, "0x");
    if (scan_hex(&s, &guid) && scan_done(&s)) return *value = guid, BOUGH_OK;
    return wrong_cell(t, column, "a GUID, as in 0x0002c90300000001");
}
