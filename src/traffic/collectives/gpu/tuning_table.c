#include "traffic/collectives/gpu/tuning_table.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"

#include <string.h>

enum { COLLECTIVE, NODES_FROM, NODES_TO, BYTES_TO, ALGORITHM, PROTOCOL, CHANNELS, COLUMNS };
static const char *const column_name[COLUMNS] = {"collective", "nodes_from", "nodes_to", "bytes_to",
                                                 "algorithm",  "protocol",   "channels"};

typedef struct reader {
    collective_tuning *tuning;
    size_t capacity;
    const char *file;
    uint64_t line;
    int column[COLUMNS]; /* of a position */
    size_t columns;
    const char *cell[COLUMNS]; /* "": no such column */
    bough_error *error;
} reader;

static bough_status read_header(reader *r, char *const *name, size_t count) {
    unsigned seen = 0;
    for (size_t i = 0; i < count; i++) {
        int c = 0;
        while (c < COLUMNS && strcmp(name[i], column_name[c]) != 0) c++;
        if (c == COLUMNS || seen & 1U << c) {
            char hint[BOUGH_HINT_MAX];
            return FAIL_HERE(
                "%s column '%.60s'%s; columns are collective, nodes_from, nodes_to, bytes_to, algorithm, "
                "protocol, channels",
                c < COLUMNS ? "duplicate" : "unknown", name[i],
                c < COLUMNS ? "" : bough_hint(hint, name[i], column_name, COLUMNS));
        }
        seen |= 1U << c;
        r->column[i] = c;
    }
    if ((seen & (1U << COLLECTIVE | 1U << ALGORITHM | 1U << PROTOCOL)) !=
        (1U << COLLECTIVE | 1U << ALGORITHM | 1U << PROTOCOL))
        return FAIL_HERE("the first line must name the columns collective, algorithm and protocol");
    r->columns = count;
    return BOUGH_OK;
}

/* The index of a cell among names. */
static bough_status find_name(reader *r, int column, const char *const *names, size_t count,
                              unsigned *index) {
    char hint[BOUGH_HINT_MAX];
    for (*index = 0; *index < count; ++*index)
        if (strcmp(r->cell[column], names[*index]) == 0) return BOUGH_OK;
    return FAIL_HERE("no %s '%.60s'%s", column_name[column], r->cell[column],
                     bough_hint(hint, r->cell[column], names, count));
}

static bough_status read_number(reader *r, int column, uint64_t most, uint64_t *value) {
    if (!*r->cell[column]) return BOUGH_OK;
    bough_status status =
        bough_parse_between(r->cell[column], column_name[column], (bough_bounds){1, most}, value, r->error);
    return status ? AT_LINE(status) : BOUGH_OK;
}

/* "64KiB": as in specs. */
static bough_status read_bytes(reader *r, uint64_t *value) {
    static const bough_param param[] = {{"bytes_to", "", BOUGH_BYTES, NULL, 0, 0x1p60}, BOUGH_PARAMS_END};
    bough_spec spec = {.name = (char *)"tuning", .count = 1};
    bough_args args;
    if (!*r->cell[BYTES_TO]) return BOUGH_OK;
    spec.arg[0].value = (char *)r->cell[BYTES_TO];
    bough_status status = bough_args_bind(&spec, param, "table", &args, r->error);
    if (status) return AT_LINE(status);
    *value = (uint64_t)args.value[0].integer;
    bough_args_fini(&args);
    return BOUGH_OK;
}

static bool fits(nccl_collective c, nccl_algorithm a) {
    if (c == NCCL_ALLTOALL) return a == NCCL_PXN || a == NCCL_DIRECT;
    if (c == NCCL_ALLREDUCE) return a < NCCL_PXN;
    return a == NCCL_RING;
}

static bough_status read_row(reader *r, char *const *cell, size_t count) {
    if (count != r->columns)
        return FAIL_HERE("%zu cells, but the first line names %zu columns", count, r->columns);
    for (int c = 0; c < COLUMNS; c++) r->cell[c] = "";
    for (size_t i = 0; i < count; i++) r->cell[r->column[i]] = cell[i];
    unsigned which = 0, algorithm = 0, protocol = 0;
    uint64_t from = 1, to = UINT32_MAX, bytes = UINT64_MAX, channels = 0;
    bough_status status = find_name(r, COLLECTIVE, nccl_collective_name, NCCL_COLLECTIVES, &which);
    TRY(find_name(r, ALGORITHM, nccl_algorithm_name, NCCL_ALGORITHMS, &algorithm));
    TRY(find_name(r, PROTOCOL, nccl_protocol_name, COLLECTIVE_SIMPLE + 1, &protocol));
    TRY(read_number(r, NODES_FROM, UINT32_MAX, &from));
    TRY(read_number(r, NODES_TO, UINT32_MAX, &to));
    TRY(read_number(r, CHANNELS, COLLECTIVE_CHANNELS_MAX, &channels));
    TRY(read_bytes(r, &bytes));
    if (!status && from > to) return FAIL_HERE("nodes_from is larger than nodes_to");
    if (!status && !fits((nccl_collective)which, (nccl_algorithm)algorithm))
        return FAIL_HERE("%s has no algorithm %s; see `bough list %s`", r->cell[COLLECTIVE],
                         r->cell[ALGORITHM], r->cell[COLLECTIVE]);
    TRY(bough_grow(&r->tuning->rule, &r->capacity, r->tuning->rules + 1, sizeof(nccl_rule), r->error));
    if (!status)
        r->tuning->rule[r->tuning->rules++] =
            (nccl_rule){(nccl_collective)which,
                        (uint32_t)from,
                        (uint32_t)to,
                        bytes,
                        {(nccl_algorithm)algorithm, (collective_protocol)protocol, (uint32_t)channels}};
    return status;
}

bough_status tuning_table_read(const bough_input *input, collective_tuning *tuning, bough_error *error) {
    reader r = {.tuning = tuning, .error = error};
    csv_reader csv = {.error = error};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < input->count && !status; i++) {
        const bough_input_piece *piece = &input->piece[i];
        r.columns = 0;
        csv_open(&csv, piece->name, piece->data, piece->size);
        while (!status && !(status = csv_row(&csv)) && csv.cells) {
            r.file = csv.file;
            r.line = csv.line;
            status = r.columns ? read_row(&r, csv.cell, csv.cells) : read_header(&r, csv.cell, csv.cells);
        }
    }
    csv_close(&csv);
    if (!status && tuning->rules == 0)
        status =
            bough_fail(error, BOUGH_INVALID, input->count ? input->piece[0].name : NULL,
                       "no choices; a table begins with the line collective,nodes_from,nodes_to,bytes_to,"
                       "algorithm,protocol,channels");
    return status;
}
