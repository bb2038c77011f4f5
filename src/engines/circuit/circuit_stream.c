#include "engines/circuit/circuit_stream.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/circuit_state.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN_AT_ONCE = 256 };

/* The messages of one endpoint that are offered and not delivered, a list by `next`; the first is being sent.
 */
typedef struct endpoint {
    uint32_t first, last;
    uint64_t ready; /* the cycle in which it may start its next message */
} endpoint;

typedef struct circuit_stream {
    sim_engine base;
    engine e;
    circuit_result r;
    bough_source *source;
    endpoint *endpoint;
    uint64_t *offered; /* [slot] */
    uint32_t *follow;  /* [slot]: next message of its endpoint, or next unused slot */
    uint32_t *payload; /* [slot]: flits behind the head, if they differ */
    bool differ;
    sim_delivery *delivery;
    uint64_t count; /* deliveries of this call */
    uint64_t reset, attempts, first;
    uint64_t delivered, lost, given_up; /* since the reset; lost: including those given up */
    uint32_t unused, slots;
    size_t offered_capacity, follow_capacity, payload_capacity, id_capacity, goal_capacity, path_capacity,
        delivery_capacity;
} circuit_stream;

static void destroy(sim_engine *base) {
    circuit_stream *s = (circuit_stream *)base;
    circuit_generic_free(s->e.w);
    FREE_ALL(s->endpoint, s->offered, s->follow, s->payload, s->delivery, s);
}

static void reset(sim_engine *base) {
    circuit_stream *s = (circuit_stream *)base;
    circuit_generic *w = s->e.w;
    for (uint64_t l = 0; l < w->links; l++) w->use[l] = (link_use){0, s->base.now};
    s->reset = s->base.now;
    s->attempts = s->first = s->r.attempts_most = 0;
    s->delivered = s->lost = s->given_up = 0;
    s->r.per_attempt = NULL;
}

static void start(sim_engine *base, bough_key key, bough_source *source) {
    circuit_stream *s = (circuit_stream *)base;
    engine *e = &s->e;
    circuit_generic *w = e->w;
    s->base = (sim_engine){.ops = base->ops};
    s->r = (circuit_result){0};
    s->source = source;
    s->slots = 0;
    s->unused = NO_MESSAGE;
    *e = (engine){.w = w,
                  .k = w->worker[0],
                  .run = e->run,
                  .net = e->net,
                  .routing = e->routing,
                  .o = e->o,
                  .r = &s->r,
                  .key = key,
                  .hops_max = e->hops_max,
                  .stream = s,
                  .requests = UINT32_MAX};
    circuit_clear_calendars(w);
    memset(w->group, 0xff, w->groups * sizeof *w->group);
    memset(w->link, 0, w->links * sizeof *w->link);
    if (w->used) memset(w->used, 0, w->links * sizeof *w->used);
    for (uint64_t i = 0; i < e->net->endpoints; i++) s->endpoint[i] = (endpoint){NO_MESSAGE, NO_MESSAGE, 0};
    reset(base);
}

/* ---- messages ---- */

static bough_status new_slot(circuit_stream *s, uint32_t *slot) {
    circuit_generic *w = s->e.w;
    bough_error *error = s->e.error;
    *slot = s->unused;
    if (*slot != NO_MESSAGE) {
        s->unused = s->follow[*slot];
        return BOUGH_OK;
    }
    uint64_t need = (uint64_t)s->slots + 1, hops = s->e.hops_max;
    bough_status status = bough_grow(&w->message, &w->message_capacity, need, sizeof *w->message, error);
    TRY(bough_grow(&w->id, &s->id_capacity, need, sizeof *w->id, error));
    TRY(bough_grow(&s->offered, &s->offered_capacity, need, sizeof *s->offered, error));
    TRY(bough_grow(&s->follow, &s->follow_capacity, need, sizeof *s->follow, error));
    if (s->differ) TRY(bough_grow(&s->payload, &s->payload_capacity, need, sizeof *s->payload, error));
    if (s->e.routing->kind->via) TRY(bough_grow(&w->goal, &s->goal_capacity, need, sizeof *w->goal, error));
    if (s->e.o->same_path) TRY(bough_grow(&w->path, &s->path_capacity, need * hops, sizeof *w->path, error));
    if (!status) *slot = s->slots++;
    return status;
}

static bough_status offer(circuit_stream *s, const bough_message *m) {
    engine *e = &s->e;
    uint32_t slot;
    if (sim_drop_unrouted(&s->base, e->routing, m)) {
        s->lost++;
        return BOUGH_OK;
    }
    bough_status status = new_slot(s, &slot);
    if (status) return status;
    e->w->message[slot] = (message_state){.source = m->source,
                                          .address = m->address,
                                          .target = (uint32_t)bough_address_node(e->net, m->address)};
    e->w->id[slot] = m->id;
    if (e->w->goal) e->w->goal[slot] = NO_GOAL;
    if (e->w->path) memset(e->w->path + (uint64_t)slot * e->hops_max, 0xff, e->hops_max * sizeof *e->w->path);
    s->offered[slot] = m->time;
    if (s->differ) s->payload[slot] = (uint32_t)(m->size - 1);
    s->follow[slot] = NO_MESSAGE;
    s->base.offered++;
    endpoint *from = &s->endpoint[m->source];
    bool idle = from->first == NO_MESSAGE;
    if (idle)
        from->first = slot;
    else
        s->follow[from->last] = slot;
    from->last = slot;
    return idle ? circuit_start(e, slot, from->ready > e->now ? from->ready : e->now) : BOUGH_OK;
}

static bough_status take_offered(circuit_stream *s) {
    bough_message batch[TAKEN_AT_ONCE];
    bough_status status = BOUGH_OK;
    uint32_t got;
    while (!status && (got = s->source->pop(s->source, s->e.now, batch, TAKEN_AT_ONCE)))
        for (uint32_t i = 0; i < got && !status; i++) status = offer(s, &batch[i]);
    return status;
}

uint64_t circuit_stream_payload(const engine *e, uint32_t m) {
    return e->stream->differ ? e->stream->payload[m] : e->o->payload;
}

/* The endpoint of message m, which it has sent or given up, starts its next one. */
static bough_status start_next(circuit_stream *s, uint32_t m, uint64_t notified) {
    endpoint *from = &s->endpoint[s->e.w->message[m].source];
    from->ready = notified + 1;
    from->first = s->follow[m];
    s->follow[m] = s->unused;
    s->unused = m;
    return from->first == NO_MESSAGE ? BOUGH_OK : circuit_start(&s->e, from->first, from->ready);
}

/* A message without a route counts as if its source had dropped it. */
bough_status circuit_stream_lose(engine *e, uint32_t m, bool unrouted, uint64_t notified) {
    circuit_stream *s = e->stream;
    const message_state *q = &e->w->message[m];
    s->base.offered--;
    s->lost++;
    if (!unrouted) s->given_up++;
    if (unrouted && !s->base.unrouted++)
        s->base.unrouted_first =
            (bough_message){.source = q->source, .address = q->address, .id = e->w->id[m]};
    return start_next(s, m, notified);
}

bough_status circuit_stream_arrive(engine *e, uint32_t m, uint64_t tail, uint64_t notified) {
    circuit_stream *s = e->stream;
    const message_state *q = &e->w->message[m];
    uint64_t routers = q->hops - !bough_is_switch(e->net, q->source);
    bough_status status =
        bough_grow(&s->delivery, &s->delivery_capacity, s->count + 1, sizeof *s->delivery, e->error);
    if (status) return status;
    uint64_t wires = circuit_path_wires(e, e->w->link[q->last].previous);
    s->delivery[s->count++] = (sim_delivery){.offered = s->offered[m],
                                             .entered = e->now - e->o->forward * (routers - 1) - wires,
                                             .arrived = tail,
                                             .id = e->w->id[m],
                                             .source = q->source,
                                             .address = q->address,
                                             .hops = q->hops};
    s->base.arrived++;
    s->attempts += q->tries;
    s->first += q->tries == 1;
    s->delivered++;
    if (s->source->delivered) s->source->delivered(s->source, e->w->id[m], tail);
    return start_next(s, m, notified);
}

/* ---- the run ---- */

static bough_status advance(sim_engine *base, sim_advance *part, bough_error *error) {
    circuit_stream *s = (circuit_stream *)base;
    engine *e = &s->e;
    bough_status status = BOUGH_OK;
    e->error = error;
    s->count = 0;
    while (!status && e->now < part->until && s->count < part->want) {
        if (!e->pending) {
            uint64_t next = s->source->next_time(s->source);
            if (next == BOUGH_NONE) break;
            if (next > e->now) e->now = next < part->until ? next : part->until;
            if (e->now == part->until) break;
        }
        status = take_offered(s);
        TRY(circuit_serve_cycle(e));
        e->now++;
    }
    s->base.now = e->now;
    part->deliveries = s->delivery;
    part->count = s->count;
    return status;
}

static void tally(const sim_engine *base, sim_tally *t) {
    const circuit_stream *s = (const circuit_stream *)base;
    *t = (sim_tally){.cycles = base->now - s->reset};
    for (uint64_t l = 0; l < s->e.w->links; l++) {
        const link_use *use = &s->e.w->use[l];
        bool held = s->e.w->link[l].free_at == TAKEN;
        sim_tally_link(t, l, sim_kind(s->e.net, l), use->held + (held ? base->now - use->since : 0));
    }
}

void circuit_stream_counts(const sim_engine *base, circuit_counts *counts) {
    const circuit_stream *s = (const circuit_stream *)base;
    *counts = (circuit_counts){.attempts = s->attempts,
                               .first = s->first,
                               .delivered = s->delivered,
                               .lost = s->lost,
                               .given_up = s->given_up,
                               .per_attempt = s->r.per_attempt,
                               .attempts_most = s->r.attempts_most};
}

bough_status circuit_stream_make(const bough_run *run, const circuit_options *options, sim_engine **out,
                                 bough_error *error) {
    static const sim_engine_ops ops = {destroy, start, advance, NULL, reset, tally};
    circuit_stream *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    *out = &s->base;
    s->base.ops = &ops;
    s->differ = run->point.traffic->law && run->point.traffic->law->lengths;
    s->e = (engine){.run = run,
                    .net = run->point.net,
                    .routing = run->point.routing,
                    .o = options,
                    .hops_max = circuit_hops(run->point.net, run->point.routing),
                    .error = error};
    status = circuit_make_workspace(&s->e);
    TRY(bough_alloc(&s->endpoint, s->e.net->endpoints, sizeof *s->endpoint, error));
    if (!status) status = bough_alloc(&s->e.w->use, s->e.net->links, sizeof *s->e.w->use, error);
    return status;
}
