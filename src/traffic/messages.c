/* messages:FILE.csv - columns time,source,destination,size in any order, named in the first line; `source` and
 * `destination` are endpoint numbers or names; time defaults to 0 and size to 1. Lines starting with # are comments.
 * Messages that all start at time 0 are a batch, others a stream in order of time. */
#include "base/input.h"
#include "base/memory.h"
#include "traffic/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bough_param params[] = {
    {"file", "CSV with the columns source, destination and, if wished, time and size", BOUGH_TEXT, NULL, 0, 0,
     .echo = true},
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
    const bough_net *net;
    const char *file;
    int column[16]; /* which of the columns stands at a position */
    int columns;
    unsigned line;
    char place[320];
    bough_error *error;
} reader;

static const char *place(reader *r) {
    snprintf(r->place, sizeof r->place, "%.280s:%u", r->file, r->line);
    return r->place;
}

/* Cuts the next field out of *line; trims blanks. Returns false at the end of the line. */
static bool next_field(const char **line, const char *end, char *field, size_t size) {
    if (*line > end) return false;
    const char *stop = *line;
    while (stop < end && *stop != ',') stop++;
    const char *a = *line, *b = stop;
    while (a < b && (*a == ' ' || *a == '\t')) a++;
    while (b > a && (b[-1] == ' ' || b[-1] == '\t')) b--;
    size_t length = (size_t)(b - a) < size - 1 ? (size_t)(b - a) : size - 1;
    memcpy(field, a, length);
    field[length] = 0;
    *line = stop + 1;
    return true;
}

static bough_status read_header(reader *r, const char *line, const char *end) {
    char field[64];
    bool seen[COLUMNS] = {false};
    while (next_field(&line, end, field, sizeof field)) {
        int c = 0;
        while (c < COLUMNS && strcmp(field, column_name[c]) != 0) c++;
        if (c == COLUMNS || r->columns == 16)
            return bough_fail(r->error, BOUGH_INVALID, place(r),
                              "'%s' is no column; the first line names time, source, destination, size", field);
        r->column[r->columns++] = c;
        seen[c] = true;
    }
    if (!seen[SOURCE] || !seen[DESTINATION])
        return bough_fail(r->error, BOUGH_INVALID, place(r), "the columns source and destination are needed");
    return BOUGH_OK;
}

static bough_status read_endpoint(reader *r, const char *field, const char *what, uint64_t *endpoint) {
    char *stop;
    *endpoint = strtoull(field, &stop, 10);
    if (*field >= '0' && *field <= '9' && !*stop) {
        if (*endpoint < r->net->endpoints) return BOUGH_OK;
        return bough_fail(r->error, BOUGH_INVALID, place(r), "%s %s is out of range; there are %" PRIu64 " endpoints",
                          what, field, r->net->endpoints);
    }
    char name[128];
    for (*endpoint = 0; *endpoint < r->net->endpoints && r->net->fabric; ++*endpoint)
        if (strcmp(bough_node_name(r->net, *endpoint, name, sizeof name), field) == 0) return BOUGH_OK;
    return bough_fail(r->error, BOUGH_INVALID, place(r), "%s '%s' is no endpoint number%s", what, field,
                      r->net->fabric ? " or name" : "");
}

static bough_status read_message(reader *r, const char *line, const char *end, list *l) {
    char field[128];
    uint64_t value[COLUMNS] = {0, 0, 0, 1};
    int at = 0;
    bough_status status = BOUGH_OK;
    while (next_field(&line, end, field, sizeof field)) {
        if (at == r->columns) return bough_fail(r->error, BOUGH_INVALID, place(r), "more fields than columns");
        int c = r->column[at++];
        if (c == SOURCE || c == DESTINATION) {
            status = read_endpoint(r, field, column_name[c], &value[c]);
        } else {
            int64_t number;
            status = bough_parse_int(field, column_name[c], &number, r->error);
            if (!status && number < (c == SIZE))
                status = bough_fail(r->error, BOUGH_INVALID, NULL, "%s %s is too small", column_name[c], field);
            if (status && r->error) snprintf(r->error->place, sizeof r->error->place, "%.255s", place(r));
            value[c] = (uint64_t)number;
        }
        if (status) return status;
    }
    if (at != r->columns)
        return bough_fail(r->error, BOUGH_INVALID, place(r), "%d fields, the first line names %d columns", at, r->columns);
    if (value[SOURCE] == value[DESTINATION]) return BOUGH_OK; /* a fixed point: no message */
    status = bough_grow(&l->source, &l->source_capacity, l->count + 1, sizeof *l->source, r->error);
    if (!status) status = bough_grow(&l->address, &l->address_capacity, l->count + 1, sizeof *l->address, r->error);
    if (!status) status = bough_grow(&l->size, &l->size_capacity, l->count + 1, sizeof *l->size, r->error);
    if (!status) status = bough_grow(&l->time, &l->time_capacity, l->count + 1, sizeof *l->time, r->error);
    if (status) return status;
    l->timed |= value[TIME] > 0;
    l->time[l->count] = value[TIME];
    l->source[l->count] = (uint32_t)value[SOURCE];
    l->address[l->count] = (uint32_t)bough_endpoint_address(r->net, value[DESTINATION]);
    l->size[l->count++] = value[SIZE];
    return BOUGH_OK;
}

static void messages_fini(bough_traffic *t) {
    list *l = t->data;
    if (!l) return;
    free(l->source);
    free(l->address);
    free(l->size);
    free(l->time);
    free(l);
}

/* A message's place in the file breaks ties of time. */
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
    if (!status) status = bough_alloc(&sorted.source, l->count, sizeof *sorted.source, error);
    if (!status) status = bough_alloc(&sorted.address, l->count, sizeof *sorted.address, error);
    if (!status) status = bough_alloc(&sorted.size, l->count, sizeof *sorted.size, error);
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
    free(sorted.source);
    free(sorted.address);
    free(sorted.size);
    free(order);
    return status;
}

static bough_status messages_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_input input;
    bough_status status = bough_input_read(args->value[0].text, &input, error);
    if (status) return status;
    list *l;
    status = bough_alloc(&l, 1, sizeof *l, error);
    t->data = l;
    for (size_t i = 0; i < input.count && !status; i++) {
        reader r = {.net = net, .file = input.piece[i].name, .error = error};
        const char *cursor = input.piece[i].data, *end = cursor + input.piece[i].size, *line;
        size_t length;
        while (!status && (line = bough_next_line(&cursor, end, &length))) {
            r.line++;
            if (length == 0 || *line == '#') continue;
            status = r.columns ? read_message(&r, line, line + length, l) : read_header(&r, line, line + length);
        }
        if (!status && !r.columns) status = bough_fail(error, BOUGH_INVALID, place(&r), "the file names no columns");
    }
    bough_input_fini(&input);
    if (!status && l->timed) status = sort_by_time(l, error);
    if (!status) {
        t->messages = l->count;
        t->shape = l->timed ? BOUGH_STREAM : BOUGH_BATCH;
    }
    if (!status && l->count > UINT32_MAX) status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than 2^32 messages");
    return status;
}

static bough_status messages_open(const bough_traffic *t, bough_key key, bough_source **out, bough_error *error) {
    const list *l = t->data;
    uint32_t *source = NULL, *address = NULL;
    uint64_t *size = NULL, *time = NULL;
    (void)key;
    bough_status status = bough_alloc(&source, l->count, sizeof *source, error);
    if (!status) status = bough_alloc(&address, l->count, sizeof *address, error);
    if (!status) status = bough_alloc(&size, l->count, sizeof *size, error);
    if (!status && l->timed) status = bough_alloc(&time, l->count, sizeof *time, error);
    if (status) {
        free(source);
        free(address);
        free(size);
        return status;
    }
    if (l->count) {
        memcpy(source, l->source, l->count * sizeof *source);
        memcpy(address, l->address, l->count * sizeof *address);
        memcpy(size, l->size, l->count * sizeof *size);
    }
    if (time) memcpy(time, l->time, l->count * sizeof *time);
    status = batch_source(source, address, size, l->count, out, error);
    if (status)
        free(time);
    else
        batch_source_times(*out, time);
    return status;
}

const bough_traffic_kind bough_traffic_messages = {
    .name = "messages",
    .summary = "the messages of a CSV file",
    .source = "",
    .params = params,
    .shape = BOUGH_BATCH,
    .bind = messages_bind,
    .open = messages_open,
    .fini = messages_fini,
};
