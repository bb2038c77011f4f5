/* data:FILE.csv - external numbers as a method, so that tables list them next to the library's own
 * results. */
#include "models/external_table.h"

#include "base/files/embedded_files.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/text.h"
#include "models/model_list.h"
#include "models/nccl_tests_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { P_FILE };

enum { METRIC, VALUE, INDEX, CI95, N, M, NETWORK, TRAFFIC, ROUTING, COLUMNS };
static const char *const column_name[COLUMNS] = {"metric", "value",   "index",   "ci95",   "n",
                                                 "m",      "network", "traffic", "routing"};

/* The origin of a row, to detect duplicates. */
typedef struct origin {
    bough_row row;
    const char *file;
    uint64_t line;
} origin;

typedef struct reader {
    const bough_point *point;
    bough_rows *rows;
    origin *from; /* per row */
    size_t from_capacity;
    csv_reader csv;
    bool match; /* the keys of the current line match the point */
} reader;

/* ---- cells ---- */

static bough_status read_header(csv_reader *r) {
    bool again;
    char hint[BOUGH_HINT_MAX];
    const size_t odd = csv_header(r, column_name, COLUMNS, &again);
    if (odd < r->cells)
        return again
                   ? FAIL_HERE("duplicate column %s", r->cell[odd])
                   : FAIL_HERE("unknown column '%s'%s; columns are metric, value, index, ci95 and the "
                               "keys n, m, network, traffic, routing; the output of nccl-tests is read, too",
                               r->cell[odd], bough_hint(hint, r->cell[odd], column_name, COLUMNS));
    return csv_has(r, METRIC) && csv_has(r, VALUE)
               ? BOUGH_OK
               : FAIL_HERE("the first line must name the columns metric and value");
}

/* ---- matching rows to the point ---- */

/* Numbers: an empty cell matches, and so does the point's own number. have: NULL if the point has none. */
static bough_status match_number(reader *r, int column, const uint64_t *have) {
    const char *cell = r->csv.named[column];
    int64_t value;
    if (!*cell) return BOUGH_OK;
    bough_status status = bough_parse_int(cell, column_name[column], &value, r->csv.in.error);
    if (status) return scan_at(&r->csv.in, status);
    if (!have || value < 0 || (uint64_t)value != *have) r->match = false;
    return BOUGH_OK;
}

/* The i-th of the families, patterns or routings: its name, NULL behind the last; its parameters if it has
 * the requested name (or an alias), else NULL. */
typedef struct kind {
    const char *name;
    const bough_param *params;
} kind;

static kind find_family(const bough_registry *registry, const char *name, size_t i) {
    const bough_family *f = bough_family_at(registry, i);
    return !f ? (kind){0} : (kind){f->name, strcmp(f->name, name) == 0 ? f->params : NULL};
}
static kind find_traffic(const bough_registry *registry, const char *name, size_t i) {
    const bough_traffic_kind *t = bough_traffic_kind_at(registry, i);
    if (!t) return (kind){0};
    bool same = strcmp(t->name, name) == 0;
    for (const char *const *a = t->aliases; a && *a; a++) same |= strcmp(*a, name) == 0;
    return (kind){t->name, same ? t->params : NULL};
}
static kind find_routing(const bough_registry *registry, const char *name, size_t i) {
    const bough_routing_kind *k = bough_routing_kind_at(registry, i);
    return !k ? (kind){0} : (kind){k->name, strcmp(k->name, name) == 0 ? k->params : NULL};
}

/* Overrides the arguments of `have` by those of `cell`, which has the same name. */
static bough_status override(bough_spec *have, bough_spec *cell, const bough_param *params,
                             bough_error *error) {
    for (unsigned i = 0; i < cell->count; i++) {
        const char *key = cell->arg[i].key ? cell->arg[i].key : params->key;
        unsigned k = 0;
        while (k < have->count && have->arg[k].key && key && strcmp(have->arg[k].key, key) != 0) k++;
        if (k == BOUGH_PARAM_MAX) return bough_fail(error, BOUGH_INVALID, NULL, "too many parameters");
        char *value = cell->arg[i].value, *old = k < have->count ? have->arg[k].value : NULL;
        cell->arg[i].value = old; /* each string keeps one owner */
        have->arg[k].value = value;
        if (k < have->count) continue;
        have->arg[k].key = cell->arg[i].key;
        cell->arg[i].key = NULL;
        have->count++;
    }
    return BOUGH_OK;
}

/* A column of specs. */
typedef struct spec_column {
    const char *text; /* of the current line */
    const char *what;
    kind (*find)(const bough_registry *registry, const char *name, size_t i);
    const char *canonical; /* the point's spec; NULL: none */
} spec_column;

/* After the override, the point's spec must format to the same string. */
static bough_status compare_specs(reader *r, const spec_column *c, const kind *k, bough_spec *have,
                                  bough_spec *cell) {
    bough_args args;
    bough_status status = override(have, cell, k->params, r->csv.in.error);
    TRY(bough_args_bind(have, k->params, c->what, &args, r->csv.in.error));
    if (status) return status;
    char *text = bough_args_format(k->name, &args);
    bough_args_fini(&args);
    if (!text) return bough_fail_memory(r->csv.in.error, strlen(c->canonical));
    if (strcmp(text, c->canonical) != 0) r->match = false;
    free(text);
    return BOUGH_OK;
}

static bough_status match_spec(reader *r, const spec_column *c) {
    const char *text = c->text, *canonical = c->canonical;
    if (!*text || (canonical && strcmp(text, canonical) == 0)) return BOUGH_OK;
    bough_spec cell, have = {0};
    bough_status status = bough_spec_parse(text, &cell, r->csv.in.error);
    if (status) return scan_at(&r->csv.in, status);
    const char *names[64];
    size_t count = 0;
    kind k = c->find(r->point->net->registry, cell.name, 0);
    while (k.name && !k.params && count < 64) {
        names[count++] = k.name;
        k = c->find(r->point->net->registry, cell.name, count);
    }
    if (!k.name || !k.params) {
        char hint[BOUGH_HINT_MAX];
        status = scan_fail(&r->csv.in, "no %s '%s'%s", c->what, cell.name,
                           bough_hint(hint, cell.name, names, count));
    } else if (!canonical) {
        r->match = false;
    } else {
        status = bough_spec_parse(canonical, &have, NULL);
        r->match = !status && strcmp(have.name, k.name) == 0;
        if (r->match)
            status = compare_specs(r, c, &k, &have, &cell);
        else if (status != BOUGH_NO_MEMORY)
            status = BOUGH_OK; /* of another kind: a path */
        else
            bough_fail_memory(r->csv.in.error, strlen(canonical));
        if (status) scan_at(&r->csv.in, status);
    }
    bough_spec_fini(&have);
    bough_spec_fini(&cell);
    return status;
}

static bough_status match_point(reader *r) {
    const bough_point *p = r->point;
    const spec_column spec[] = {
        {r->csv.named[NETWORK], "family", find_family, p->net->spec},
        {r->csv.named[TRAFFIC], "traffic", find_traffic, p->traffic ? p->traffic->spec : NULL},
        {r->csv.named[ROUTING], "routing", find_routing, p->routing ? p->routing->spec : NULL},
    };
    r->match = true;
    bough_status status = match_number(r, N, &p->net->endpoints);
    TRY(match_number(r, M, p->traffic ? &p->traffic->messages : NULL));
    for (unsigned i = 0; i < 3; i++) TRY(match_spec(r, &spec[i]));
    return status;
}

/* ---- rows ---- */

static bough_status read_metric(reader *r, bough_metric_id *metric) {
    *metric = bough_metric_find(r->csv.named[METRIC]);
    if (*metric != BOUGH_METRIC_COUNT) return BOUGH_OK;
    const char *names[BOUGH_METRIC_COUNT];
    for (int i = 0; i < BOUGH_METRIC_COUNT; i++) names[i] = bough_metrics[i].name;
    char hint[BOUGH_HINT_MAX];
    return scan_fail(&r->csv.in, "no metric '%s'%s; see `bough list metrics`", r->csv.named[METRIC],
                     bough_hint(hint, r->csv.named[METRIC], names, BOUGH_METRIC_COUNT));
}

static bough_status read_row(reader *r) {
    if (r->csv.cells != r->csv.columns)
        return scan_fail(&r->csv.in, "%zu cell%s, but the first line names %zu column%s", r->csv.cells,
                         bough_s(r->csv.cells), r->csv.columns, bough_s(r->csv.columns));
    bough_row row = {.index = BOUGH_NO_ROW_INDEX};
    bough_status status = read_metric(r, &row.metric);
    if (status) return status;
    status = bough_parse_real(r->csv.named[VALUE], "value", &row.value, r->csv.in.error);
    if (!status && *r->csv.named[INDEX])
        status = bough_parse_int(r->csv.named[INDEX], "index", &row.index, r->csv.in.error);
    if (!status && *r->csv.named[CI95])
        status = bough_parse_real(r->csv.named[CI95], "ci95", &row.ci95, r->csv.in.error);
    if (!status && row.ci95 < 0)
        status = bough_fail(r->csv.in.error, BOUGH_INVALID, NULL, "ci95: %s is negative", r->csv.named[CI95]);
    if (status) return scan_at(&r->csv.in, status);
    status = match_point(r);
    if (status || !r->match) return status;
    status = bough_grow(&r->from, &r->from_capacity, r->rows->count + 1, sizeof *r->from, r->csv.in.error);
    if (status) return status;
    r->from[r->rows->count] = (origin){row, r->csv.in.file, r->csv.in.line};
    return bough_rows_add_row(r->rows, &row, r->csv.in.error);
}

/* Rows that another reader adds have no line. */
static bough_status add_measured(reader *r, const bough_input_piece *piece) {
    size_t first = r->rows->count;
    bough_status status = nccl_tests_read(piece, r->point, r->rows, r->csv.in.error);
    TRY(bough_grow(&r->from, &r->from_capacity, r->rows->count + 1, sizeof *r->from, r->csv.in.error));
    for (size_t i = first; i < r->rows->count && !status; i++)
        r->from[i] = (origin){r->rows->row[i], piece->name, 0};
    return status;
}

static bough_status read_piece(reader *r, const bough_input_piece *piece) {
    csv_reader *csv = &r->csv;
    bough_status status = BOUGH_OK;
    if (nccl_tests_recognise(piece)) return add_measured(r, piece);
    csv_open(csv, piece->name, piece->data, piece->size);
    while (!status && !(status = csv_row(csv)) && csv->cells)
        status = csv->columns ? read_row(r) : read_header(csv);
    if (!status && !csv->columns)
        status = bough_fail(r->csv.in.error, BOUGH_INVALID, piece->name,
                            "the first line must name the columns, for example metric,value,n,m");
    return status;
}

static int by_answer(const void *a, const void *b) {
    const origin *x = a, *y = b;
    if (x->row.metric != y->row.metric) return x->row.metric < y->row.metric ? -1 : 1;
    if (x->row.index != y->row.index) return x->row.index < y->row.index ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Refuses two values for one metric and index, which readers of the results would average. Sorts r->from. */
static bough_status check_unique(reader *r) {
    size_t count = r->rows->count;
    if (count) qsort(r->from, count, sizeof *r->from, by_answer);
    for (size_t i = 1; i < count; i++) {
        const origin *a = &r->from[i - 1], *b = &r->from[i];
        if (a->row.metric != b->row.metric || a->row.index != b->row.index) continue;
        r->csv.in.file = b->file;
        return scan_fail_line(&r->csv.in, (uint32_t)b->line,
                              "%s is given here and at %s:%" PRIu64
                              " for the same point and index; add a key column that distinguishes them",
                              bough_metrics[b->row.metric].name, a->file, a->line);
    }
    return BOUGH_OK;
}

bough_status external_table_read(const bough_input *input, const bough_point *point, bough_rows *rows,
                                 bough_error *error) {
    reader r = {.point = point, .rows = rows, .csv.in.error = error};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < input->count && !status; i++) status = read_piece(&r, &input->piece[i]);
    csv_close(&r.csv);
    TRY(check_unique(&r));
    if (!status && rows->count == 0)
        status = bough_fail(error, BOUGH_INVALID, input->count ? input->piece[0].name : NULL,
                            "no row matches n=%" PRIu64 ", m=%" PRIu64 ", network %s, traffic %s, routing %s",
                            point->net->endpoints, point->traffic ? point->traffic->messages : 0,
                            point->net->spec, point->traffic ? point->traffic->spec : "none",
                            point->routing ? point->routing->spec : "none");
    free(r.from);
    return status;
}

/* ---- the method ---- */

static const bough_param params[] = {
    [P_FILE] = {"file",
                "CSV with the columns metric, value and optionally index, ci95, n, m, network, traffic, "
                "routing; rows "
                "whose keys match the point are the result; or the output of nccl-tests, also as JSON",
                BOUGH_TEXT, NULL, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status open_data(bough_run *run, bough_error *error) {
    bough_input input;
    bough_rows *rows;
    bough_status status = bough_alloc(&rows, 1, sizeof *rows, error);
    if (status) return status;
    run->data = rows;
    status = bough_input_read_or_embedded(run->args.value[P_FILE].text, &input, error);
    if (status) return status;
    run->input_hash = input.hash;
    status = external_table_read(&input, &run->point, rows, error);
    bough_input_fini(&input);
    run->bytes = rows->count * sizeof(bough_row);
    return status;
}

static bough_status trial_data(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                               bough_error *error) {
    (void)key;
    (void)workspace;
    const bough_rows *from = run->data;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < from->count && !status; i++)
        status = bough_rows_add_row(rows, &from->row[i], error);
    return status;
}

static void close_data(bough_run *run) {
    bough_rows *rows = run->data;
    if (!rows) return;
    bough_rows_fini(rows);
    free(rows);
}

const bough_method bough_method_data = {
    .name = "data",
    .summary = "external table: a paper's printed values, a measurement, another simulator's output",
    .source = "",
    .params = params,
    .headline = BOUGH_METRIC_ROUNDS,
    .exact = true,
    .ignores_traffic = true,
    .given = true,
    .open = open_data,
    .trial = trial_data,
    .close = close_data,
};
