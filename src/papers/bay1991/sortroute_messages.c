/* The message set: reads, sorts, checks the limits of the model, divides into the batches of step 2. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "papers/bay1991/sortroute_state.h"

#include <inttypes.h>
#include <string.h>

bough_status sortroute_set_make(message_set *s, uint64_t capacity, bough_error *error) {
    uint32_t **const array[] = {&s->from, &s->to, &s->source, &s->target, &s->number, &s->by_source};
    bough_status status = BOUGH_OK;
    s->capacity = capacity;
    for (size_t i = 0; i < sizeof array / sizeof *array && !status; i++)
        status = bough_alloc(array[i], capacity, sizeof **array[i], error);
    TRY(bough_alloc(&s->peak, capacity, sizeof *s->peak, error));
    TRY(bough_alloc(&s->batch, capacity, sizeof *s->batch, error));
    return status;
}

void sortroute_set_fini(message_set *s) {
    FREE_ALL(s->from, s->to, s->source, s->target, s->number, s->by_source, s->peak, s->batch);
    *s = (message_set){0};
}

static bough_status body_too_long(const sortroute *r, const bough_message *m) {
    uint64_t bits = bough_mul(r->options.body, m->size), lg = r->shape.lg_n;
    return bough_fail(r->error, BOUGH_INVALID, NULL,
                      "sortroute: message %" PRIu32 " from %" PRIu32 " to %" PRIu32 " has a body of %" PRIu64
                      " bits (size %" PRIu64 " x body=%" PRIu64
                      "); bodies have O(lg n) bits, here %d lg n = %" PRIu64 " at most",
                      m->id, m->source, m->address, bits, m->size, r->options.body, SORTROUTE_BODY_MAX,
                      SORTROUTE_BODY_MAX * lg);
}

static bough_status read_all(sortroute *r, bough_source *source) {
    message_set *s = &r->set;
    bough_message some[256];
    uint32_t got;
    while ((got = source->pop(source, 0, some, 256)))
        for (uint32_t i = 0; i < got; i++, s->count++) {
            if (s->count == s->capacity)
                return bough_fail(r->error, BOUGH_FAILED, NULL,
                                  "sortroute: %s has more than the %" PRIu64 " messages that it declares",
                                  r->run->point.traffic->spec, s->capacity);
            if (bough_mul(r->options.body, some[i].size) > SORTROUTE_BODY_MAX * r->shape.lg_n)
                return body_too_long(r, &some[i]);
            if (some[i].size > s->size) s->size = some[i].size;
            s->from[s->count] = some[i].source;
            s->to[s->count] = some[i].address;
        }
    return BOUGH_OK;
}

/* Converts the counts of each value to the start of its places; returns the maximum count. */
static uint64_t count_places(const uint32_t *value, uint64_t count, uint32_t *first, uint64_t values) {
    uint64_t most = 0, sum = 0;
    memset(first, 0, values * sizeof *first);
    for (uint64_t i = 0; i < count; i++) first[value[i]]++;
    for (uint64_t v = 0; v < values; v++) {
        uint64_t here = first[v];
        if (here > most) most = here;
        first[v] = (uint32_t)sum;
        sum += here;
    }
    return most;
}

static bough_status check_degree(const sortroute *r, uint64_t out, uint64_t in) {
    uint64_t most = out > in ? out : in;
    if (most <= r->options.degree) return BOUGH_OK;
    return bough_fail(r->error, BOUGH_INVALID, NULL,
                      "sortroute needs message sets of constant degree: a terminal %s %" PRIu64
                      " messages of %s, the limit is %" PRIu64 " (degree=)",
                      out > in ? "sends" : "receives", most, r->run->point.traffic->spec, r->options.degree);
}

/* By source, then by destination, both stable: ids are in order of (destination, source, number). */
static bough_status put_in_order(sortroute *r) {
    message_set *s = &r->set;
    uint32_t *first = r->scratch, *order = r->store;
    uint64_t out = count_places(s->from, s->count, first, r->shape.n);
    for (uint64_t i = 0; i < s->count; i++) order[first[s->from[i]]++] = (uint32_t)i;
    uint64_t in = count_places(s->to, s->count, first, r->shape.n);
    bough_status status = check_degree(r, out, in);
    if (status) return status;
    s->degree = out > in ? out : in;
    for (uint64_t k = 0; k < s->count; k++) {
        uint32_t number = order[k], id = first[s->to[number]]++;
        s->by_source[k] = id;
        s->number[id] = number;
        s->source[id] = s->from[number];
        s->target[id] = s->to[number];
    }
    return BOUGH_OK;
}

/* Step 2: peaks from the leading bits of source and destination; numbers per peak level in order of
 * sources. */
static void number_by_source(sortroute *r) {
    message_set *s = &r->set;
    uint32_t next[SORTING_LEVELS] = {0};
    s->crossing = 0;
    for (uint64_t k = 0; k < s->count; k++) {
        uint32_t id = s->by_source[k];
        uint64_t apart = sorting_subtree(&r->shape, 0, s->source[id] ^ s->target[id]);
        s->peak[id] = (uint8_t)(apart ? 64 - __builtin_clzll(apart) : 0);
        s->batch[id] = 0;
        if (!apart) continue;
        s->crossing++;
        s->batch[id] = (uint8_t)next[s->peak[id]];
        if (++next[s->peak[id]] == r->batches) next[s->peak[id]] = 0;
    }
}

bough_status sortroute_load(sortroute *r, bough_key key) {
    bough_source *source;
    bough_status status = bough_traffic_open(r->run->point.traffic, key, NULL, &source, r->error);
    if (status) return status;
    r->set.count = 0;
    r->set.size = 1;
    status = read_all(r, source);
    source->close(source);
    TRY(put_in_order(r));
    if (!status) number_by_source(r);
    return status;
}

double sortroute_load_factor(sortroute *r) {
    const message_set *s = &r->set;
    double factor = 0;
    for (unsigned t = 0; t < r->shape.height; t++) {
        uint32_t *crossing = r->scratch;
        double wires = (double)sortroute_capacity(r, t);
        memset(crossing, 0, sortroute_nodes(r, t) * sizeof *crossing);
        for (uint64_t id = 0; id < s->count; id++) {
            if (s->peak[id] <= t) continue;
            crossing[sorting_subtree(&r->shape, t, s->source[id])]++;
            crossing[sorting_subtree(&r->shape, t, s->target[id])]++;
        }
        for (uint64_t v = 0; v < sortroute_nodes(r, t); v++)
            if (crossing[v] / wires > factor) factor = crossing[v] / wires;
    }
    return factor;
}
