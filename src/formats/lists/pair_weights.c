#include "formats/lists/pair_weights.h"

#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <math.h>

enum { SOURCE, DESTINATION, WEIGHT, COLUMNS };
static const char *const column_name[COLUMNS] = {"source", "destination", "weight"};

enum { WORD = 64, NODES_MAX = 1 << 28 };

typedef struct reader {
    scanner in; /* of a matrix without names */
    csv_reader csv;
    bough_name_map map; /* in the memory of the weights */
    uint32_t columns;   /* of a matrix */
    pair_weights *w;
} reader;

static bough_status add_pair(const scanner *at, pair_weights *w, pair_weight pair) {
    if (pair.weight == 0 || pair.source == pair.destination) return BOUGH_OK;
    bough_status status = arena_grow(&w->memory, &w->pair, w->pairs + 1, sizeof *w->pair, at->error);
    if (!status) w->pair[w->pairs++] = pair;
    return status;
}

static bough_status read_weight(const scanner *at, const char *text, double *weight) {
    bough_status status = bough_parse_real(text, "weight", weight, at->error);
    if (status) return scan_at(at, status);
    if (*weight >= 0 && !isinf(*weight)) return BOUGH_OK;
    return scan_fail(at, "weight %.40s must be a finite number, 0 or more", text);
}

/* ---- a matrix without names ---- */

static bough_status read_line(reader *r) {
    char word[WORD];
    const uint32_t row = r->w->nodes;
    uint32_t column = 0;
    bough_status status = BOUGH_OK;
    if (scan_starts(&r->in, "#")) return BOUGH_OK;
    while (!status && scan_next(&r->in, " \t\r,", word, WORD)) {
        pair_weight pair = {row, column++, 0};
        if (column > NODES_MAX) return FAIL_HERE("more than 2^28 columns");
        status = read_weight(&r->in, word, &pair.weight);
        TRY(add_pair(&r->in, r->w, pair));
    }
    if (status || column == 0) return status;
    if (row == 0) r->columns = column;
    if (column != r->columns)
        return FAIL_HERE("%" PRIu32 " %s, but the first line has %" PRIu32, column,
                         column == 1 ? "entry" : "entries", r->columns);
    if (row == column) return FAIL_HERE("more lines than the %" PRIu32 " columns", column);
    r->w->nodes++;
    return BOUGH_OK;
}

static bough_status read_matrix(reader *r) {
    bough_status status = BOUGH_OK;
    while (!status && scan_line(&r->in)) status = read_line(r);
    if (status || r->w->nodes == r->columns) return status;
    return FAIL_HERE("%" PRIu32 " line%s of %" PRIu32 " entries; the matrix must be square", r->w->nodes,
                     bough_s(r->w->nodes), r->columns);
}

/* ---- with names ---- */

/* Finds or adds a node. */
static bough_status find_node(reader *r, size_t cell, uint32_t *node) {
    pair_weights *w = r->w;
    const scanner *at = &r->csv.in;
    const char *name = r->csv.cell[cell];
    const size_t length = strlen(name);
    if (length == 0) return scan_fail(at, "field %zu is empty; expected the name of a node", cell + 1);
    *node = bough_name_map_get(&r->map, name, length);
    if (*node != UINT32_MAX) return BOUGH_OK;
    if (w->nodes == NODES_MAX) return scan_fail(at, "more than 2^28 nodes");
    bough_status status =
        arena_grow(&w->memory, &w->name, (uint64_t)w->nodes + 1, sizeof *w->name, at->error);
    TRY(arena_grow(&w->memory, &w->line, (uint64_t)w->nodes + 1, sizeof *w->line, at->error));
    if (status) return status;
    status = arena_copy(&w->memory, &w->name[w->nodes], name, at->error);
    TRY(bough_name_map_add(&r->map, w->name[w->nodes], length, w->nodes, at->error));
    w->line[w->nodes] = at->line;
    *node = w->nodes++;
    return status;
}

static bough_status check_fields(const csv_reader *csv, size_t columns) {
    if (csv->cells == columns) return BOUGH_OK;
    return scan_fail(&csv->in, "%zu field%s, but the first line has %zu column%s", csv->cells,
                     bough_s(csv->cells), columns, bough_s(columns));
}

static bough_status read_pair(reader *r) {
    csv_reader *csv = &r->csv;
    pair_weight pair = {0};
    bough_status status = check_fields(csv, csv->columns);
    for (size_t i = 0; i < csv->cells && !status; i++) {
        const unsigned char c = csv->name[i];
        if (c == WEIGHT)
            status = read_weight(&csv->in, csv->cell[i], &pair.weight);
        else
            status = find_node(r, i, c == SOURCE ? &pair.source : &pair.destination);
    }
    return status ? status : add_pair(&csv->in, r->w, pair);
}

/* The first line of a matrix: a corner, and the names of the columns, which become the first nodes. */
static bough_status read_corner(reader *r) {
    const csv_reader *csv = &r->csv;
    bough_status status = BOUGH_OK;
    r->columns = (uint32_t)csv->cells - 1;
    for (size_t i = 1; i < csv->cells && !status; i++) {
        uint32_t node;
        status = find_node(r, i, &node);
        if (!status && node != i - 1) return scan_fail(&csv->in, "column %s is given twice", csv->cell[i]);
    }
    return status;
}

static bough_status read_row(reader *r) {
    csv_reader *csv = &r->csv;
    pair_weight pair = {0};
    bough_status status = check_fields(csv, (size_t)r->columns + 1);
    TRY(find_node(r, 0, &pair.source));
    for (uint32_t i = 0; i < r->columns && !status; i++) {
        pair.destination = i;
        status = read_weight(&csv->in, csv->cell[i + 1], &pair.weight);
        TRY(add_pair(&csv->in, r->w, pair));
    }
    return status;
}

/* A first line that begins with a column of a list, or has no more cells than one, is that of a list. */
static bough_status read_header(reader *r) {
    csv_reader *csv = &r->csv;
    bool again, list = false;
    for (size_t i = 0; i < csv->cells; i++)
        for (int c = 0; c < COLUMNS; c++) list |= strcmp(csv->cell[i], column_name[c]) == 0;
    if (!list && csv->cells > 1) return read_corner(r);
    const size_t odd = csv_header(csv, column_name, COLUMNS, &again);
    if (odd < csv->cells)
        return again ? scan_fail(&csv->in, "column %s is given twice", csv->cell[odd])
                     : scan_fail(&csv->in,
                                 "unknown column '%.60s'; expected source, destination, weight, or N lines "
                                 "of N numbers",
                                 csv->cell[odd]);
    if (csv->cells == COLUMNS) return BOUGH_OK;
    return scan_fail(&csv->in, "the columns source, destination and weight are required");
}

static bough_status read_named(reader *r, const bough_input_piece *piece) {
    csv_reader *csv = &r->csv;
    bough_status status = BOUGH_OK;
    csv_open(csv, piece->name, piece->data, piece->size);
    status = csv_row(csv);
    if (csv->cells) TRY(read_header(r));
    while (!status && !(status = csv_row(csv)) && csv->cells)
        status = csv->columns ? read_pair(r) : read_row(r);
    csv_close(csv);
    return status;
}

/* ---- either ---- */

/* A matrix without names begins with a number. */
static bool begins_with_number(scanner s) {
    char word[WORD];
    double value;
    while (scan_line(&s)) {
        if (scan_starts(&s, "#")) continue;
        if (scan_starts(&s, ",")) return false;
        if (scan_next(&s, " \t\r,", word, WORD)) return !bough_parse_real(word, "", &value, NULL);
    }
    return false;
}

bough_status pair_weights_read(const bough_input *input, pair_weights *w, bough_error *error) {
    reader reads = {.w = w, .csv.in.error = error, .map.memory = &w->memory}, *r = &reads;
    bough_status status = bough_input_single(input, "matrix or list of weights", error);
    if (status) return status;
    const bough_input_piece *piece = &input->piece[0];
    r->in = scan_piece(piece, error);
    if (memchr(piece->data, 0, piece->size)) return FAIL_HERE("contains a NUL byte; expected a text file");
    scanner look = r->in;
    if (scan_line(&look) && begins_with_number(r->in))
        status = read_matrix(r);
    else if (look.line)
        status = read_named(r, piece);
    if (status || w->pairs) return status;
    return FAIL_HERE("no pair has a weight; expected N lines of N numbers, or CSV with the columns source, "
                     "destination, weight");
}
