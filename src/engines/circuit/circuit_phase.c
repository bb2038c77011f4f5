/* One phase of a cycle: the heads whose turn it is request links, group by group.
 *
 * The requests are sorted by shards, ranges of groups, so that the accesses to groups and links are close to
 * each other, and shards can be served on different threads. The order in which groups are served does not
 * matter but for results that depend on the order of deliveries within a cycle (streams, latencies): these
 * are served in the order of the calendar. Every loop prefetches what it needs some steps later. */
#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/circuit_state.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_A_SHARD = 64, /* requests on average, at least */
    FEW = 2048,      /* requests that one thread serves */
    AHEAD = 8,       /* requests */
    LANES = 8,       /* circuits that are released at a time */
    IN_A_STEP = 256  /* released circuits */
};

/* The current phase. */
typedef struct phase {
    uint64_t slips, messages, ranges;
    uint64_t requests;
    uint64_t group_first;
    unsigned shift; /* shard: (group - group_first) >> shift */
    uint64_t shards;
} phase;

/* ---- steps on several threads ---- */

static void begin_parts(engine *e) {
    for (unsigned i = 0; i < e->w->workers; i++) {
        circuit_worker *k = e->w->worker[i];
        k->result = (circuit_result){.rounds = e->r->rounds};
        k->part = *e;
        k->part.k = k;
        k->part.r = &k->result;
        k->part.error = &k->error;
        k->part.latest = k->part.success = k->part.freed = k->part.waiting = 0;
        k->part.pending = k->part.round_delivered = k->part.done = k->part.given_up = 0;
        k->status = BOUGH_OK;
    }
}

static void raise_to(uint64_t *most, uint64_t value) {
    if (value > *most) *most = value;
}

static void add_part(engine *e, const engine *part) {
    circuit_result *to = e->r;
    const circuit_result *r = part->r;
    raise_to(&e->latest, part->latest);
    raise_to(&e->success, part->success);
    raise_to(&e->freed, part->freed);
    raise_to(&to->arrived, r->arrived);
    raise_to(&to->cycles, r->cycles);
    e->pending += part->pending;
    e->waiting += part->waiting;
    e->round_delivered += part->round_delivered;
    e->done += part->done;
    e->given_up += part->given_up;
    to->first += r->first;
    to->attempts += r->attempts;
    to->unrouted += r->unrouted;
    to->given_up += r->given_up;
    to->arrivals += r->arrivals;
    for (unsigned i = 0; i < 4; i++) to->scenario[i] += r->scenario[i];
}

static bough_status end_parts(engine *e) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < e->w->workers; i++) {
        const circuit_worker *k = e->w->worker[i];
        add_part(e, &k->part);
        if (!k->status || status) continue;
        status = k->status;
        if (e->error) *e->error = k->error;
    }
    return status;
}

typedef struct shared_step {
    engine *e;
    circuit_step step;
    void *context;
    uint64_t count;
    circuit_claim *part; /* [workers] */
} shared_step;

/* A worker takes the steps of its own part first, so that it finds what it wrote in the loop before in its
 * cache, then those that others have left. As many claims are made as there are steps, so each finds one. */
static uint64_t claim_step(const shared_step *s, unsigned worker) {
    const unsigned parts = team_size(s->e->team);
    for (unsigned k = 0; k < parts; k++) {
        const unsigned p = (worker + k) % parts;
        const uint64_t end = team_part(s->count, parts, (uint64_t)p + 1);
        if (atomic_load_explicit(&s->part[p].next, memory_order_relaxed) >= end) continue;
        const uint64_t i = atomic_fetch_add_explicit(&s->part[p].next, 1, memory_order_relaxed);
        if (i < end) return i;
    }
    return s->count;
}

static void run_step(void *context, unsigned worker, uint64_t claim) {
    const shared_step *s = context;
    circuit_worker *k = s->e->w->worker[worker];
    const uint64_t i = claim_step(s, worker);
    (void)claim;
    if (!k->status) k->status = s->step(&k->part, s->context, i);
}

bough_status circuit_each(engine *e, uint64_t count, circuit_step step, void *context) {
    bough_status status = BOUGH_OK;
    if (!e->team || count < 2) {
        for (uint64_t i = 0; i < count && !status; i++) status = step(e, context, i);
        return status;
    }
    const unsigned parts = team_size(e->team);
    shared_step s = {e, step, context, count, e->w->claim};
    for (unsigned p = 0; p < parts; p++) atomic_store(&s.part[p].next, team_part(count, parts, p));
    begin_parts(e);
    team_each(e->team, count, run_step, &s);
    return end_parts(e);
}

/* ---- requests ---- */

/* The lists of all calendars. */
static bough_status take_messages(engine *e, unsigned number, calendar_slip **list, phase *p) {
    circuit_generic *w = e->w;
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < w->workers; i++)
        for (const calendar_slip *s = list[i] = calendar_take(&w->worker[i]->calendar, e->now, number);
             s && !status; s = s->next) {
            status = bough_grow(&w->slip, &w->slip_capacity, p->slips + 1, sizeof *w->slip, e->error);
            TRY(bough_grow(&w->slip_first, &w->first_capacity, p->slips + 1, sizeof *w->slip_first,
                           e->error));
            if (status) break;
            w->slip[p->slips] = s;
            w->slip_first[p->slips++] = p->messages;
            p->messages += s->count;
        }
    return status;
}

/* The request of message m. Its route is empty if it has none here. */
static inline void make_request(const engine *e, uint32_t m, request *r) {
    const message_state *s = &e->w->message[m];
    bough_flow flow = {s->source, s->address, circuit_id(e, m)};
    r->message = m;
    r->port = s->last == NO_LINK ? BOUGH_SOURCE_PORT : e->net->ops->link_end(e->net, s->last).port;
    bool lost = s->last != NO_LINK && bough_link_lost(e->net, s->last);
    bool adapter = s->node < e->net->endpoints && s->last != NO_LINK && !bough_is_switch(e->net, s->node);
    if (lost || (adapter && !e->w->goal))
        r->route.count = 0; /* or a table led it to a wrong adapter */
    else
        bough_route_at(e->routing, s->node, &flow, &r->route);
    if (r->route.count > 1) bough_route_draw(e->routing, e->key, circuit_draw(e, m), s->node, &r->route);
}

static bough_status request_all(engine *e, const calendar_slip *slip, request_range *range) {
    for (uint32_t i = slip->count; i-- > 0;) {
        if (i >= AHEAD) __builtin_prefetch(&e->w->message[slip->message[i - AHEAD]]);
        request *r = &e->w->request[range->first + range->count];
        make_request(e, slip->message[i], r);
        if (r->route.count == 0) {
            bough_status status = circuit_refuse(e, r);
            if (status) return status;
            continue;
        }
        range->count++;
        if (r->route.group < range->group_first) range->group_first = r->route.group;
        if (r->route.group > range->group_last) range->group_last = r->route.group;
    }
    return BOUGH_OK;
}

static bough_status request_range_step(engine *e, void *context, uint64_t i) {
    const phase *p = context;
    uint64_t slip = team_part(p->slips, p->ranges, i), end = team_part(p->slips, p->ranges, i + 1);
    request_range *range = &e->w->range[i];
    bough_status status = BOUGH_OK;
    *range = (request_range){.first = e->w->slip_first[slip], .group_first = UINT64_MAX};
    for (; slip < end && !status; slip++) status = request_all(e, e->w->slip[slip], range);
    return status;
}

/* ---- shards ---- */

static uint64_t shard_of(const phase *p, const request *q) {
    return (q->route.group - p->group_first) >> p->shift;
}

static bough_status tally_step(engine *e, void *context, uint64_t i) {
    const phase *p = context;
    const request_range *range = &e->w->range[i];
    uint32_t *tally = e->w->tally + i * p->shards;
    memset(tally, 0, p->shards * sizeof *tally);
    for (uint64_t q = range->first; q < range->first + range->count; q++)
        tally[shard_of(p, &e->w->request[q])]++;
    return BOUGH_OK;
}

static bough_status scatter_step(engine *e, void *context, uint64_t i) {
    const phase *p = context;
    const request_range *range = &e->w->range[i];
    uint32_t *tally = e->w->tally + i * p->shards;
    for (uint64_t q = range->first; q < range->first + range->count; q++)
        e->w->sorted[tally[shard_of(p, &e->w->request[q])]++] = (uint32_t)q;
    return BOUGH_OK;
}

/* One shard, in the order of the calendar. */
static void keep_order(engine *e, phase *p) {
    uint32_t count = 0;
    for (uint64_t i = 0; i < p->ranges; i++)
        for (uint64_t q = 0; q < e->w->range[i].count; q++)
            e->w->sorted[count++] = (uint32_t)(e->w->range[i].first + q);
    p->shards = 1;
    e->w->shard[0] = 0;
    e->w->shard[1] = count;
}

/* Sizes of the shards, by the groups that there are. */
static void choose_shards(const engine *e, phase *p) {
    uint64_t first = UINT64_MAX, last = 0, wanted = 1;
    p->requests = 0;
    for (uint64_t i = 0; i < p->ranges; i++) {
        const request_range *range = &e->w->range[i];
        p->requests += range->count;
        if (range->group_first < first) first = range->group_first;
        if (range->group_last > last) last = range->group_last;
    }
    while (wanted < CIRCUIT_SHARDS && wanted * 2 * IN_A_SHARD <= p->requests) wanted *= 2;
    p->group_first = first;
    for (p->shift = 0; p->requests && (last - first) >> p->shift >= wanted; p->shift++) {
    }
    p->shards = p->requests ? ((last - first) >> p->shift) + 1 : 1;
}

static bough_status sort_requests(engine *e, phase *p) {
    circuit_generic *w = e->w;
    bough_status status =
        bough_grow(&w->tally, &w->tally_capacity, p->ranges * p->shards, sizeof *w->tally, e->error);
    TRY(circuit_each(e, p->ranges, tally_step, p));
    if (status) return status;
    uint32_t place = 0;
    for (uint64_t shard = 0; shard < p->shards; shard++) {
        w->shard[shard] = place;
        for (uint64_t i = 0; i < p->ranges; i++) {
            uint32_t *tally = &w->tally[i * p->shards + shard], count = *tally;
            *tally = place;
            place += count;
        }
    }
    w->shard[p->shards] = place;
    return circuit_each(e, p->ranges, scatter_step, p);
}

/* ---- groups ---- */

/* Inserts a request into the list of its group, which is sorted by (input port, message). */
static inline void enter_group(engine *e, uint32_t q, uint64_t *touched) {
    circuit_generic *w = e->w;
    request *r = &w->request[q];
    uint32_t *slot = &w->group[r->route.group];
    if (*slot == NO_MESSAGE) e->k->touched[(*touched)++] = (uint32_t)r->route.group;
    while (*slot != NO_MESSAGE &&
           (w->request[*slot].port < r->port ||
            (w->request[*slot].port == r->port && w->request[*slot].message < r->message)))
        slot = &w->request[*slot].next;
    r->next = *slot;
    *slot = q;
}

static inline void prefetch_links(const circuit_generic *w, const request *q) {
    __builtin_prefetch(&w->message[q->message], 1);
    __builtin_prefetch(&w->link[bough_route_link(&q->route, 0)], 1);
}

static bough_status serve_shard(engine *e, void *context, uint64_t shard) {
    circuit_generic *w = e->w;
    circuit_worker *k = e->k;
    const uint32_t *q = w->sorted + w->shard[shard], count = w->shard[shard + 1] - w->shard[shard];
    uint64_t touched = 0;
    bough_status status = bough_grow(&k->touched, &k->touched_capacity, count, sizeof *k->touched, e->error);
    (void)context;
    if (status) return status;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 2 * AHEAD < count) __builtin_prefetch(&w->request[q[i + 2 * AHEAD]], 1);
        if (i + AHEAD < count) __builtin_prefetch(&w->group[w->request[q[i + AHEAD]].route.group], 1);
        enter_group(e, q[i], &touched);
    }
    for (uint64_t i = 0; i < touched && !status; i++) {
        if (i + AHEAD < touched) prefetch_links(w, &w->request[w->group[k->touched[i + AHEAD]]]);
        status = circuit_serve_group(e, k->touched[i]);
    }
    return status;
}

/* ---- releases ---- */

/* Circuits of one worker whose links are freed. */
typedef struct releases {
    const circuit_release *circuit;
    uint64_t count;
    bool now; /* the round has ended: all at once */
} releases;

/* Frees one link of a circuit; returns the one before it. */
static inline uint32_t free_link(engine *e, circuit_release *c, const bool now) {
    link_state *link = &e->w->link[c->last];
    if (now) {
        link->free_at = 0;
        return link->previous;
    }
    c->first += (uint32_t)circuit_wire(e, c->last);
    link->free_at = c->first;
    if (e->w->use) e->w->use[c->last].held += c->first - e->w->use[c->last].since;
    if (c->first > e->freed) e->freed = c->first;
    c->first += (uint32_t)e->o->back;
    return link->previous;
}

/* Follows several circuits at a time, since each link must be read to find the next. */
static void release_some(engine *e, const releases *r) {
    circuit_release lane[LANES];
    uint64_t next = 0;
    unsigned lanes = 0;
    while (lanes < LANES && next < r->count) lane[lanes++] = r->circuit[next++];
    while (lanes > 0)
        for (unsigned i = 0; i < lanes;) {
            lane[i].last = free_link(e, &lane[i], r->now);
            if (lane[i].last == NO_LINK) lane[i] = next < r->count ? r->circuit[next++] : lane[--lanes];
            if (i < lanes) __builtin_prefetch(&e->w->link[lane[i].last], 1);
            i++;
        }
}

typedef struct release_job {
    bool now;
} release_job;

/* Step i of the lists of all workers together. */
static bough_status release_step(engine *e, void *context, uint64_t i) {
    const release_job *job = context;
    const circuit_generic *w = e->w;
    for (unsigned n = 0; n < w->workers; n++) {
        const circuit_worker *k = w->worker[n];
        uint64_t steps = (k->released_count + IN_A_STEP - 1) / IN_A_STEP, first = i * IN_A_STEP;
        if (i >= steps) {
            i -= steps;
            continue;
        }
        uint64_t rest = k->released_count - first;
        releases some = {k->released + first, rest < IN_A_STEP ? rest : IN_A_STEP, job->now};
        release_some(e, &some);
        return BOUGH_OK;
    }
    return BOUGH_OK;
}

static bough_status release_all(engine *e, bool now) {
    release_job job = {now};
    uint64_t steps = 0;
    for (unsigned n = 0; n < e->w->workers; n++)
        steps += (e->w->worker[n]->released_count + IN_A_STEP - 1) / IN_A_STEP;
    bough_status status = circuit_each(e, steps, release_step, &job);
    for (unsigned n = 0; n < e->w->workers; n++) e->w->worker[n]->released_count = 0;
    return status;
}

bough_status circuit_free_delivered(engine *e) {
    const circuit_generic *w = e->w;
    bough_status status = BOUGH_OK;
    for (unsigned n = 0; n < w->workers && !status; n++) {
        circuit_worker *k = w->worker[n];
        uint64_t count = k->delivered_count;
        status = bough_grow(&k->released, &k->released_capacity, count, sizeof *k->released, e->error);
        for (uint64_t i = 0; i < count && !status; i++) {
            if (i + AHEAD < count) __builtin_prefetch(&w->message[k->delivered[i + AHEAD]]);
            uint32_t last = w->message[k->delivered[i]].last;
            if (last != NO_LINK) k->released[k->released_count++] = (circuit_release){last, 0};
        }
        k->delivered_count = 0;
    }
    return status ? status : release_all(e, true);
}

/* ---- the phase ---- */

/* The array need not keep its contents. */
static bough_status make_room(void *array, size_t *capacity, uint64_t need, size_t size, bough_error *error) {
    void *old;
    if (need <= *capacity) return BOUGH_OK;
    memcpy(&old, array, sizeof old);
    free(old);
    *capacity = 0;
    bough_status status = large_alloc(array, need + need / 4, size, error);
    if (!status) *capacity = need + need / 4;
    return status;
}

static bough_status serve_requests(engine *e, phase *p) {
    circuit_generic *w = e->w;
    bool ordered = e->stream || e->o->latency;
    bough_status status =
        make_room(&w->request, &w->request_capacity, p->messages, sizeof *w->request, e->error);
    TRY(make_room(&w->sorted, &w->sorted_capacity, p->messages, sizeof *w->sorted, e->error));
    p->ranges = e->team ? (uint64_t)CIRCUIT_RANGES * w->workers : 1;
    if (p->ranges > p->slips) p->ranges = p->slips;
    TRY(circuit_each(e, p->ranges, request_range_step, p));
    if (status) return status;
    choose_shards(e, p);
    if (ordered || p->shards == 1)
        keep_order(e, p);
    else
        status = sort_requests(e, p);
    TRY(circuit_each(e, p->shards, serve_shard, p));
    TRY(release_all(e, false));
    return status;
}

static bough_status serve_phase(engine *e, unsigned number, calendar_slip **list) {
    phase p = {0};
    thread_team *team = e->team;
    bough_status status = take_messages(e, number, list, &p);
    e->pending -= p.messages;
    if (p.messages < FEW) e->team = NULL;
    if (!status && p.messages) status = serve_requests(e, &p);
    e->team = team;
    for (unsigned i = 0; i < e->w->workers; i++) calendar_return(&e->w->worker[i]->calendar, list[i]);
    return status;
}

bough_status circuit_serve_cycle(engine *e) {
    bough_status status = BOUGH_OK;
    e->waiting = 0;
    for (unsigned i = 0; i < e->w->workers && !status; i++)
        status = calendar_turn(&e->w->worker[i]->calendar, e->now, e->error);
    TRY(serve_phase(e, 0, e->w->list));
    TRY(serve_phase(e, 1, e->w->list));
    return status;
}
