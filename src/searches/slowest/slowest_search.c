#include "searches/slowest/slowest.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* ---- the time of a permutation ---- */

struct slowest_clock {
    const bough_routing *routing;
    sim_engine *engine;
    uint64_t *path, *other; /* links of two paths */
    uint32_t endpoints, limit;
};

/* All packets of a permutation at time 0. */
typedef struct listed_source {
    bough_source base;
    const bough_net *net;
    const uint32_t *destination;
    uint32_t next, id; /* endpoint; messages so far */
} listed_source;

static uint64_t next_time(bough_source *base) {
    const listed_source *s = (const listed_source *)base;
    return s->next < s->net->endpoints ? 0 : BOUGH_NONE;
}

static uint32_t pop(bough_source *base, uint64_t now, bough_message *out, uint32_t capacity) {
    listed_source *s = (listed_source *)base;
    uint32_t count = 0;
    (void)now;
    for (; s->next < s->net->endpoints && count < capacity; s->next++) {
        uint32_t to = s->destination[s->next];
        if (to == s->next) continue;
        out[count++] = (bough_message){.size = 1,
                                       .source = s->next,
                                       .address = (uint32_t)bough_endpoint_address(s->net, to),
                                       .id = s->id++};
    }
    return count;
}

bough_status slowest_clock_make(const bough_routing *routing, const packet_options *o, slowest_clock **out,
                                bough_error *error) {
    slowest_clock *c;
    *out = NULL;
    bough_status status = bough_alloc(&c, 1, sizeof *c, error);
    if (status) return status;
    c->routing = routing;
    c->endpoints = (uint32_t)routing->net->endpoints;
    c->limit = o->hops;
    status = packet_make(routing, o, &c->engine, error);
    TRY(bough_alloc(&c->path, o->hops + UINT64_C(1), sizeof *c->path, error));
    TRY(bough_alloc(&c->other, o->hops + UINT64_C(1), sizeof *c->other, error));
    if (status)
        slowest_clock_free(c);
    else
        *out = c;
    return status;
}

void slowest_clock_free(slowest_clock *c) {
    if (!c) return;
    if (c->engine) c->engine->ops->destroy(c->engine);
    FREE_ALL(c->path, c->other, c);
}

static void add_delivery(slowest_time *time, const sim_delivery *d) {
    uint64_t cube = bough_mul(bough_mul(d->arrived, d->arrived), d->arrived);
    time->cubes = bough_add(time->cubes, cube);
    if (d->arrived < time->steps || (d->arrived == time->steps && d->source > time->last)) return;
    time->steps = d->arrived;
    time->last = d->source;
}

bough_status slowest_time_of(slowest_clock *c, const uint32_t *destination, slowest_time *time,
                             bough_error *error) {
    listed_source source = {
        .base = {.next_time = next_time, .pop = pop}, .net = c->routing->net, .destination = destination};
    sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
    *time = (slowest_time){.last = c->endpoints};
    c->engine->ops->start(c->engine, bough_key_make(0, 0), &source.base);
    bough_status status = c->engine->ops->advance(c->engine, &part, error);
    for (uint64_t i = 0; i < part.count && !status; i++) add_delivery(time, &part.deliveries[i]);
    return status;
}

static bool is_at_least(const slowest_time *a, const slowest_time *b) {
    return a->steps != b->steps ? a->steps > b->steps : a->cubes >= b->cubes;
}

/* ---- climbing ---- */

/* The path of a packet; the key of its flow does not matter to most routings. Returns its links. */
static int find_path(const slowest_clock *c, uint32_t source, uint32_t to, uint64_t *path) {
    bough_flow flow = {source, bough_endpoint_address(c->routing->net, to), source};
    return source == to ? 0 : bough_path(c->routing, &flow, path, (int)c->limit);
}

static bool share_a_link(const slowest_clock *c, int links, uint32_t source, uint32_t to) {
    int others = find_path(c, source, to, c->other);
    for (int i = 0; i < others; i++)
        for (int k = 0; k < links; k++)
            if (c->other[i] == c->path[k]) return true;
    return false;
}

typedef struct swap {
    uint32_t a, b; /* sources that exchange their destinations */
} swap;

/* The first of some random swaps that leads a packet over a link of the last packet's path. */
static swap draw_swap(const slowest_clock *c, const slowest_climb *climb, uint64_t number) {
    const uint32_t *to = climb->destination;
    int links =
        climb->time.last < c->endpoints ? find_path(c, climb->time.last, to[climb->time.last], c->path) : 0;
    bough_stream stream = bough_stream_make(climb->key, BOUGH_DRAW_SEARCH, climb->number, number);
    swap s = {0, 0};
    for (unsigned i = 0; i < SLOWEST_DRAWS; i++) {
        s.a = (uint32_t)bough_stream_below(&stream, c->endpoints);
        s.b = (uint32_t)bough_stream_below(&stream, c->endpoints);
        if (s.a == s.b || links <= 0) continue;
        if (share_a_link(c, links, s.a, to[s.b]) || share_a_link(c, links, s.b, to[s.a])) break;
    }
    return s;
}

static void exchange(uint32_t *destination, swap s) {
    uint32_t to = destination[s.a];
    destination[s.a] = destination[s.b];
    destination[s.b] = to;
}

bough_status slowest_climb_from(slowest_clock *c, slowest_climb *climb, bough_error *error) {
    bough_status status = slowest_time_of(c, climb->destination, &climb->time, error);
    for (uint64_t i = 0; i < climb->swaps && !status; i++) {
        swap s = draw_swap(c, climb, i);
        slowest_time time;
        if (bough_run_stopped(climb->run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        exchange(climb->destination, s);
        status = slowest_time_of(c, climb->destination, &time, error);
        if (!status && is_at_least(&time, &climb->time))
            climb->time = time;
        else
            exchange(climb->destination, s);
    }
    return status;
}

/* ---- all permutations ---- */

/* The next one in lexicographic order; false after the last. */
static bool next_permutation(uint32_t *p, uint32_t n) {
    uint32_t i = n, k = n - 1;
    while (i > 1 && p[i - 2] > p[i - 1]) i--;
    if (i < 2) return false;
    while (p[k] < p[i - 2]) k--;
    exchange(p, (swap){i - 2, k});
    for (uint32_t low = i - 1, high = n - 1; low < high; low++, high--) exchange(p, (swap){low, high});
    return true;
}

bough_status slowest_of_all(slowest_clock *c, slowest_climb *best, uint64_t *count, bough_error *error) {
    uint32_t n = c->endpoints, *p;
    bough_status status = bough_alloc(&p, n, sizeof *p, error);
    if (status) return status;
    for (uint32_t e = 0; e < n; e++) p[e] = best->destination[e] = e;
    best->time = (slowest_time){.last = n};
    *count = 0;
    do {
        slowest_time time;
        if (bough_run_stopped(best->run)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        TRY(slowest_time_of(c, p, &time, error));
        ++*count;
        if (status || time.steps <= best->time.steps) continue;
        best->time = time;
        memcpy(best->destination, p, n * sizeof *p);
    } while (!status && next_permutation(p, n));
    free(p);
    return status;
}
