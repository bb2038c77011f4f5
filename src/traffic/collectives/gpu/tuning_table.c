#include "traffic/collectives/gpu/tuning_table.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <string.h>

enum { COLLECTIVE, NODES_FROM, NODES_TO, BYTES_TO, ALGORITHM, PROTOCOL, CHANNELS, COLUMNS };
static const char *const column_name[COLUMNS] = {"collective", "nodes_from", "nodes_to", "bytes_to",
                                                 "algorithm",  "protocol",   "channels"};

static bough_status read_header(csv_reader *r) {
    bool again;
    char hint[BOUGH_HINT_MAX] = "";
    const size_t odd = csv_header(r, column_name, COLUMNS, &again);
    if (odd < r->cells)
        return FAIL_HERE(
            "%s column '%.60s'%s; columns are collective, nodes_from, nodes_to, bytes_to, algorithm, "
            "protocol, channels",
            again ? "duplicate" : "unknown", r->cell[odd],
            again ? "" : bough_hint(hint, r->cell[odd], column_name, COLUMNS));
    return csv_has(r, COLLECTIVE) && csv_has(r, ALGORITHM) && csv_has(r, PROTOCOL)
               ? BOUGH_OK
               : FAIL_HERE("the first line must name the columns collective, algorithm and protocol");
}

/* The index of a cell among names. */
static bough_status find_name(const csv_reader *r, int column, const char *const *names, size_t count,
                              unsigned *index) {
    char hint[BOUGH_HINT_MAX];
    for (*index = 0; *index < count; ++*index)
        if (strcmp(r->named[column], names[*index]) == 0) return BOUGH_OK;
    return FAIL_HERE("no %s '%.60s'%s", column_name[column], r->named[column],
                     bough_hint(hint, r->named[column], names, count));
}

static bough_status read_number(const csv_reader *r, int column, uint64_t most, uint64_t *value) {
    if (!*r->named[column]) return BOUGH_OK;
    bough_status status = bough_parse_between(r->named[column], column_name[column], (bough_bounds){1, most},
                                              value, r->in.error);
    return status ? AT_LINE(status) : BOUGH_OK;
}

/* "64KiB": as in specs. */
static bough_status read_bytes(const csv_reader *r, uint64_t *value) {
    static const bough_param param[] = {{"bytes_to", "", BOUGH_BYTES, NULL, 0, 0x1p60}, BOUGH_PARAMS_END};
    bough_spec spec = {.name = (char *)"tuning", .count = 1};
    bough_args args;
    if (!*r->named[BYTES_TO]) return BOUGH_OK;
    spec.arg[0].value = (char *)r->named[BYTES_TO];
    bough_status status = bough_args_bind(&spec, param, "table", &args, r->in.error);
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

static bough_status read_row(const csv_reader *r, collective_tuning *tuning, size_t *capacity) {
    if (r->cells != r->columns)
        return FAIL_HERE("%zu cell%s, but the first line names %zu column%s", r->cells, bough_s(r->cells),
                         r->columns, bough_s(r->columns));
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
        return FAIL_HERE("%s has no algorithm %s; see `bough list %s`", r->named[COLLECTIVE],
                         r->named[ALGORITHM], r->named[COLLECTIVE]);
    TRY(bough_grow(&tuning->rule, capacity, tuning->rules + 1, sizeof(nccl_rule), r->in.error));
    if (!status)
        tuning->rule[tuning->rules++] =
            (nccl_rule){(nccl_collective)which,
                        (uint32_t)from,
                        (uint32_t)to,
                        bytes,
                        {(nccl_algorithm)algorithm, (collective_protocol)protocol, (uint32_t)channels}};
    return status;
}

bough_status tuning_table_read(const bough_input *input, collective_tuning *tuning, bough_error *error) {
    csv_reader csv = {.in.error = error};
    size_t capacity = 0;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < input->count && !status; i++) {
        const bough_input_piece *piece = &input->piece[i];
        csv_open(&csv, piece->name, piece->data, piece->size);
        while (!status && !(status = csv_row(&csv)) && csv.cells)
            status = csv.columns ? read_row(&csv, tuning, &capacity) : read_header(&csv);
    }
    csv_close(&csv);
    if (!status && tuning->rules == 0)
        status =
            bough_fail(error, BOUGH_INVALID, input->count ? input->piece[0].name : NULL,
                       "no choices; a table begins with the line collective,nodes_from,nodes_to,bytes_to,"
                       "algorithm,protocol,channels");
    return status;
}
