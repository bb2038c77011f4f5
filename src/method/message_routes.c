#include "method/message_routes.h"
#include "base/compare.h"
#include "loads/pair_survey.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

/* Pairs in the format of bough_routing_survey_pairs. */
typedef struct pairs {
    const bough_net *net;
    uint64_t *pair;
    size_t count, capacity;
    bough_status status;
    bough_error *error;
} pairs;

static void add(pairs *p, uint64_t source, uint64_t address) {
    if (!p->status) p->status = bough_grow(&p->pair, &p->capacity, p->count + 1, sizeof *p->pair, p->error);
    if (!p->status) p->pair[p->count++] = address << 32 | source;
}

static void add_sent(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    pairs *p = context;
    (void)bytes;
    add(p, from, bough_endpoint_address(p->net, to));
}

static void collect(const bough_traffic *traffic, pairs *p) {
    bough_batch batch;
    if (traffic->shape == BOUGH_SCHEDULE) {
        traffic->each(traffic, add_sent, p);
        return;
    }
    p->status = bough_batch_read(traffic, bough_key_make(0, 0), &batch, p->error);
    for (uint64_t i = 0; i < batch.count && !p->status; i++) add(p, batch.source[i], batch.address[i]);
    bough_batch_fini(&batch);
}

/* If all pairs have routes, the first survey is enough. Otherwise only the pairs that send are surveyed. */
bough_status survey_message_routes(const bough_point *point, unsigned *longest, bough_error *error) {
    const bough_traffic *t = point->traffic;
    pairs p = {.net = point->net, .error = error};
    bough_status status = point->net->aggregation ? BOUGH_INVALID /* reached by their neighbours only */
                                                  : bough_routing_survey(point->routing, longest, error);
    if (status != BOUGH_INVALID || point->routing->kind->via || t->kind->random || t->shape == BOUGH_STREAM)
        return status;
    collect(t, &p);
    status = p.status;
    if (p.count) qsort(p.pair, p.count, sizeof *p.pair, bough_compare_u64);
    TRY(bough_routing_survey_pairs(point->routing, p.pair, p.count, longest, error));
    free(p.pair);
    return status;
}
