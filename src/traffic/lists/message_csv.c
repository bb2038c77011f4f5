/* messages:FILE.csv: columns time,source,destination,size in any order, named in the first line. `source` and
 * `destination` are endpoint numbers or names; time, in cycles, defaults to 0, size to 1. Lines that start
 * with # are comments. If all messages start at time 0 they are a batch, otherwise a stream in order of time.
 */
#include "traffic/lists/message_csv.h"

#include "base/files/embedded_files.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "formats/lists/flow_list.h"
#include "traffic/endpoint_names.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P_FILE };

static const bough_param params[] = {
    [P_FILE] = {"file", "CSV with the columns source, destination and optionally time and size", BOUGH_TEXT,
                NULL, 0, 0, .echo = true},
    BOUGH_PARAMS_END,
};

typedef struct list {
    uint32_t *source, *address;
    uint64_t *size, *time;
    size_t count, source_capacity, address_capacity, size_capacity, time_capacity;
    bool timed;
} list;

enum { TIME, SOURCE, DESTINATION, SIZE, COLUMNS };
static const char *const column_name[COLUMNS] = {"time", "source", "destination", "size"};

typedef struct reader {
    endpoints all;
    csv_reader csv;
    bool sizes;
} reader;

static bough_status read_header(reader *reads) {
    csv_reader *r = &reads->csv;
    bool again;
    const size_t odd = csv_header(r, column_name, COLUMNS, &again);
    if (odd < r->cells)
        return again ? FAIL_HERE("column %s is given twice", r->cell[odd])
                     : FAIL_HERE("unknown column '%.60s'; expected time, source, destination, size",
                                 r->cell[odd]);
    reads->sizes |= csv_has(r, SIZE);
    return csv_has(r, SOURCE) && csv_has(r, DESTINATION)
               ? BOUGH_OK
               : FAIL_HERE("the columns source and destination are required");
}

static bough_status read_number(const csv_reader *r, const char *field, int column, uint64_t *value) {
    int64_t number = 0;
    bough_status status = bough_parse_int(field, column_name[column], &number, r->in.error);
    if (status) return AT_LINE(status);
    if (number < 0) return FAIL_HERE("%s %s is below 0", column_name[column], field);
    *value = (uint64_t)number;
    return BOUGH_OK;
}

static bough_status read_message(reader *reads, list *l) {
    const csv_reader *r = &reads->csv;
    uint64_t value[COLUMNS] = {0, 0, 0, 1};
    bough_status status = BOUGH_OK;
    if (r->cells > r->columns) return FAIL_HERE("more fields than columns");
    if (r->cells < r->columns)
        return FAIL_HERE("%zu field%s, but the first line has %zu column%s", r->cells, bough_s(r->cells),
                         r->columns, bough_s(r->columns));
    for (size_t i = 0; i < r->cells && !status; i++) {
        const unsigned char c = r->name[i];
        if (c == SOURCE || c == DESTINATION)
            status = AT_LINE(endpoints_find(&reads->all, r->cell[i], column_name[c], &value[c], r->in.error));
        else
            status = read_number(r, r->cell[i], c, &value[c]);
    }
    if (status || value[SOURCE] == value[DESTINATION]) return status; /* a fixed point is not a message */
    status = bough_grow(&l->source, &l->source_capacity, l->count + 1, sizeof *l->source, r->in.error);
    TRY(bough_grow(&l->address, &l->address_capacity, l->count + 1, sizeof *l->address, r->in.error));
    TRY(bough_grow(&l->size, &l->size_capacity, l->count + 1, sizeof *l->size, r->in.error));
    TRY(bough_grow(&l->time, &l->time_capacity, l->count + 1, sizeof *l->time, r->in.error));
    if (status) return status;
    l->timed |= value[TIME] > 0;
    l->time[l->count] = value[TIME];
    l->source[l->count] = (uint32_t)value[SOURCE];
    l->address[l->count] = (uint32_t)bough_endpoint_address(reads->all.net, value[DESTINATION]);
    l->size[l->count++] = value[SIZE];
    return BOUGH_OK;
}

static void messages_fini(bough_traffic *t) {
    list *l = t->data;
    if (!l) return;
    FREE_ALL(l->source, l->address, l->size, l->time, l);
}

/* Ties of time are broken by the position in the file. */
typedef struct keyed {
    uint64_t time;
    size_t index;
} keyed;

static int by_time(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bough_status sort_by_time(list *l, bough_error *error) {
    keyed *order;
    list sorted = {0};
    bough_status status = bough_alloc(&order, l->count, sizeof *order, error);
    TRY(bough_alloc(&sorted.source, l->count, sizeof *sorted.source, error));
    TRY(bough_alloc(&sorted.address, l->count, sizeof *sorted.address, error));
    TRY(bough_alloc(&sorted.size, l->count, sizeof *sorted.size, error));
    if (!status) {
        for (size_t i = 0; i < l->count; i++) order[i] = (keyed){l->time[i], i};
        qsort(order, l->count, sizeof *order, by_time);
        for (size_t i = 0; i < l->count; i++) {
            sorted.source[i] = l->source[order[i].index];
            sorted.address[i] = l->address[order[i].index];
            sorted.size[i] = l->size[order[i].index];
            l->time[i] = order[i].time;
        }
        memcpy(l->source, sorted.source, l->count * sizeof *l->source);
        memcpy(l->address, sorted.address, l->count * sizeof *l->address);
        memcpy(l->size, sorted.size, l->count * sizeof *l->size);
    }
    FREE_ALL(sorted.source, sorted.address, sorted.size, order);
    return status;
}

static bough_status read_piece(reader *reads, const bough_input_piece *piece, list *l) {
    csv_reader *r = &reads->csv;
    bough_status status = BOUGH_OK;
    csv_open(r, piece->name, piece->data, piece->size);
    while (!status && !(status = csv_row(r)) && r->cells)
        status = r->columns ? read_message(reads, l) : read_header(reads);
    if (!status && !r->columns)
        status = FAIL_HERE("missing column names; the first line should be source,destination");
    return status;
}

bough_status messages_read(const bough_input *input, const bough_net *net, bough_traffic *t,
                           bough_error *error) {
    list *l;
    reader r = {.all.net = net, .csv.in.error = error};
    bough_status status = bough_alloc(&l, 1, sizeof *l, error);
    t->data = l;
    for (size_t i = 0; i < input->count && !status; i++) status = read_piece(&r, &input->piece[i], l);
    endpoints_fini(&r.all);
    csv_close(&r.csv);
    if (!status && l->count > UINT32_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than 2^32 messages");
    if (!status && l->timed) status = sort_by_time(l, error);
    if (status) return status;
    t->messages = l->count;
    t->source_bytes = bough_mul(l->count, sizeof *l->size + (l->timed ? sizeof *l->time : 0));
    t->bytes = bough_input_bytes(input) + l->source_capacity * sizeof *l->source +
               l->address_capacity * sizeof *l->address + l->size_capacity * sizeof *l->size +
               l->time_capacity * sizeof *l->time;
    for (size_t i = 1; i < l->count; i++) t->sized |= l->size[i] != l->size[0];
    t->units = r.sizes;
    t->shape = l->timed ? BOUGH_STREAM : BOUGH_BATCH;
    return BOUGH_OK;
}

bough_status messages_take(const unsized_messages *given, const bough_net *net, bough_traffic *t,
                           bough_error *error) {
    list *l;
    bough_status status = bough_alloc(&l, 1, sizeof *l, error);
    t->data = l;
    TRY(bough_alloc(&l->source, given->count, sizeof *l->source, error));
    TRY(bough_alloc(&l->address, given->count, sizeof *l->address, error));
    TRY(bough_alloc(&l->size, given->count, sizeof *l->size, error));
    for (size_t i = 0; i < given->count && !status; i++) {
        uint64_t from = given->source[i], to = given->destination[i];
        status = endpoint_pair_check(t, i, from, to, error);
        if (status) return status;
        l->source[i] = (uint32_t)from;
        l->address[i] = (uint32_t)bough_endpoint_address(net, to);
        l->size[i] = 1;
    }
    if (status) return status;
    t->messages = l->count = given->count;
    t->source_bytes = bough_mul(l->count, sizeof *l->size);
    t->bytes = bough_mul(l->count, sizeof *l->size + 2 * sizeof *l->source);
    return BOUGH_OK;
}

static bough_status messages_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                  bough_error *error) {
    bough_input input;
    bough_status status = bough_input_read_or_embedded(args->value[P_FILE].text, &input, error);
    if (status) return status;
    terminal_clean_all(&input);
    status =
        flow_list_is_ns3(&input)
            ? bough_fail(error, BOUGH_INVALID, args->value[P_FILE].text,
                         "has no names of columns, but a number, as flows of HPCC do; flows:%s reads these",
                         args->value[P_FILE].text)
            : messages_read(&input, net, t, error);
    t->input_hash = input.hash;
    bough_input_fini(&input);
    return status;
}

static bough_status messages_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                  bough_source **out, bough_error *error) {
    const list *l = t->data;
    const double ticks = clock && clock->cycle > 0 ? clock->cycle : 1;
    bough_batch b;
    uint64_t *size = NULL, *time = NULL;
    (void)key;
    bough_status status = batch_alloc(l->count, &b, error);
    TRY(batch_source(&b, out, error));
    if (status) return status;
    status = bough_alloc(&size, l->count, sizeof *size, error);
    if (l->timed) TRY(bough_alloc(&time, l->count, sizeof *time, error));
    batch_source_set(*out, size, time);
    if (status) {
        (*out)->close(*out);
        return status;
    }
    if (l->count) {
        memcpy(b.source, l->source, l->count * sizeof *b.source);
        memcpy(b.address, l->address, l->count * sizeof *b.address);
        memcpy(size, l->size, l->count * sizeof *size);
    }
    for (size_t i = 0; time && i < l->count; i++)
        time[i] = ticks == 1 ? l->time[i] : (uint64_t)ceil((double)l->time[i] * ticks);
    return BOUGH_OK;
}

const bough_traffic_kind bough_traffic_messages = {
    .name = "messages",
    .summary = "messages of a CSV file",
    .source = "",
    .params = params,
    .shape = BOUGH_BATCH,
    .bind = messages_bind,
    .open = messages_open,
    .fini = messages_fini,
};
