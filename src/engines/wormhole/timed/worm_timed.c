#include "engines/wormhole/timed/worm_timed.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/timed/worm_timed_state.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MAX    (UINT64_C(1) << 62) /* ps: 53 days */
#define MESSAGE_MAX (UINT64_C(1) << 60) /* ps */

/* ---- an instant ---- */

static int by_id(const void *a, const void *b) {
    const sim_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void deliver(engine *e, uint32_t id) {
    worm *w = &e->worm[id];
    if (!GROW(e, out, e->outs + 1)) return;
    e->out[e->outs++] =
        (sim_delivery){w->offered, w->entered, e->base.now, w->id, w->source, w->address, w->steps};
    e->base.arrived++;
    worm_timed_leave(e, w);
    e->free_row[e->free_rows++] = w->row;
    w->state = TIMED_UNUSED;
    w->next = e->free_worm;
    e->free_worm = id;
}

/* Heads that have reached the end of a link, and messages that have arrived. */
static void due(engine *e) {
    uint32_t first_out = e->outs;
    while (e->events.count && e->events.entry[0].key <= e->base.now) {
        uint32_t id = heap_pop(&e->events).item;
        if (e->worm[id].state == TIMED_ENDING)
            deliver(e, id);
        else
            worm_timed_join(e, id);
    }
    while (e->wakes.count && e->wakes.entry[0].key <= e->base.now)
        worm_timed_mark(e, heap_pop(&e->wakes).item);
    if (e->outs > first_out) qsort(e->out + first_out, e->outs - first_out, sizeof *e->out, by_id);
    for (uint32_t i = first_out; i < e->outs && e->source->delivered; i++)
        e->source->delivered(e->source, e->out[i].id, e->base.now);
}

static uint32_t new_worm(engine *e) {
    uint32_t id = e->free_worm;
    if (id != NONE) {
        e->free_worm = e->worm[id].next;
        return id;
    }
    bool room = GROW(e, worm, e->worms + 1) && GROW(e, event, e->worms + 1) &&
                GROW(e, event_at, e->worms + 1) && GROW(e, moved, e->worms + 2);
    e->events.entry = e->event;
    e->events.at = e->event_at;
    if (!room) return NONE;
    e->event_at[e->worms] = HEAP_OUT;
    return e->worms++;
}

static void enter(engine *e, const bough_message *m) {
    if (sim_drop_unrouted(&e->base, e->routing, m)) return;
    uint64_t flits = bough_mul(m->size ? m->size : 1, e->o.flits);
    if (worm_wire_time(bough_mul(flits, e->o.flit), e->slowest) > MESSAGE_MAX || m->time > TIME_MAX) {
        e->status =
            bough_fail(e->error, BOUGH_FAILED, NULL, "a message takes more than 13 days, or starts after 53");
        return;
    }
    uint32_t id = new_worm(e);
    if (id == NONE) return;
    e->worm[id] = (worm){.offered = m->time,
                         .id = m->id,
                         .source = m->source,
                         .address = m->address,
                         .target = (uint32_t)bough_address_node(e->net, m->address),
                         .flits = flits,
                         .row = NONE,
                         .links = NONE,
                         .heads = NONE};
    e->base.offered++;
    worm_timed_aim(e, &e->worm[id], m->source);
    if (!e->status) worm_timed_join(e, id);
}

static void instant(engine *e) {
    bough_message batch[64];
    uint32_t got, outs = e->outs;
    due(e);
    if (e->next_offer <= e->base.now || e->outs > outs) {
        do {
            got = e->source->pop(e->source, e->base.now, batch, 64);
            for (uint32_t i = 0; i < got && !e->status; i++) enter(e, &batch[i]);
        } while (got == 64 && !e->status);
        e->next_offer = e->source->next_time(e->source);
    }
    for (uint32_t i = 0; i < e->dirty_count && !e->status; i++) worm_timed_serve(e, e->dirty[i]);
    for (uint32_t i = 0; i < e->dirty_count; i++) e->port[e->dirty[i]].flags = 0;
    for (uint32_t i = 0; i < e->opened_count; i++) e->port[e->opened[i]].flags = 0;
    e->dirty_count = e->opened_count = 0;
}

static uint64_t next_instant(const engine *e) {
    uint64_t next = e->next_offer;
    if (e->events.count && e->events.entry[0].key < next) next = e->events.entry[0].key;
    if (e->wakes.count && e->wakes.entry[0].key < next) next = e->wakes.entry[0].key;
    return next > e->base.now ? next : e->base.now;
}

static bough_status advance(sim_engine *base, sim_advance *part, bough_error *error) {
    engine *e = (engine *)base;
    const uint64_t until = part->until, want = part->want;
    e->error = error;
    e->outs = 0;
    while (e->base.now < until && e->outs < want && !e->status) {
        uint64_t next = next_instant(e);
        if (next == BOUGH_NONE) break;
        e->base.now = next < until ? next : until;
        if (next >= until) break;
        instant(e);
        e->base.now++;
    }
    part->deliveries = e->out;
    part->count = e->outs;
    return e->status;
}

/* ---- the tally ---- */

/* The part of `held` that lies ahead of the current instant: negative while free_at is unknown. */
static uint64_t held_ahead(const engine *e, const port *p) {
    if (p->free_at == NEVER) return -e->base.now;
    return p->free_at > e->base.now ? p->free_at - e->base.now : 0;
}

static void reset(sim_engine *base) {
    engine *e = (engine *)base;
    e->reset_at = e->base.now;
    e->entered = e->entry_waited = 0;
    memset(e->grants, 0, sizeof e->grants);
    memset(e->waited, 0, sizeof e->waited);
    for (uint64_t l = 0; l < e->net->links; l++) e->port[l].held = held_ahead(e, &e->port[l]);
}

static void count(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    *t = (sim_tally){
        .cycles = e->base.now - e->reset_at, .entered = e->entered, .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    for (uint64_t l = 0; l < e->net->links; l++) {
        const port *p = &e->port[l];
        sim_tally_link(t, l, p->kind, p->held - held_ahead(e, p));
    }
}

/* ---- deadlock ---- */

/* True if a link that w may take is free, will be, or awaits a worm that can move. */
static bool can_take(const engine *e, const worm *w, const uint8_t *waits) {
    for (uint32_t i = 0; i < w->count; i++) {
        const port *p = &e->port[w->list ? w->list[i] : w->eligible + i];
        if (p->free_at != NEVER || !waits[p->awaited]) return true;
    }
    return false;
}

/* Unmarks the waiting worms that can move; returns their number. */
static uint64_t release_movable(const engine *e, uint8_t *waits) {
    uint64_t released = 0;
    for (uint32_t id = 0; id < e->worms; id++) {
        const worm *w = &e->worm[id];
        if (!waits[id]) continue;
        bool moves = w->state == TIMED_BEHIND ? !waits[w->behind] : can_take(e, w, waits);
        waits[id] = !moves;
        released += moves;
    }
    return released;
}

static bough_status stuck(sim_engine *base, uint64_t *count, uint64_t *link, bough_error *error) {
    const engine *e = (const engine *)base;
    uint8_t *waits;
    bough_status status = bough_alloc(&waits, (uint64_t)e->worms + 1, 1, error);
    if (status) return status;
    *count = 0;
    for (uint32_t id = 0; id < e->worms; id++) {
        waits[id] = e->worm[id].state == TIMED_QUEUED || e->worm[id].state == TIMED_BEHIND;
        *count += waits[id];
    }
    for (uint64_t released; (released = release_movable(e, waits));) *count -= released;
    for (uint32_t id = 0; id < e->worms; id++) {
        const worm *w = &e->worm[id];
        if (!waits[id] || w->state != TIMED_QUEUED) continue;
        *link = w->list ? w->list[0] : w->eligible;
        break;
    }
    free(waits);
    return BOUGH_OK;
}

/* ---- memory ---- */

uint64_t worm_timed_bytes(const bough_net *net, unsigned hops, uint64_t messages) {
    uint64_t path = bough_mul((uint64_t)hops + 1, sizeof(timed_hop));
    uint64_t link = sizeof(port) + sizeof(heap_entry) + 4 + 4 /* dirty groups */;
    uint64_t message = bough_add(path, sizeof(worm) + sizeof(heap_entry) + 12);
    return bough_add(bough_mul(net->links, link), bough_mul(messages, message));
}

static void destroy(sim_engine *base) {
    engine *e = (engine *)base;
    FREE_ALL(e->port, e->worm, e->hop, e->wakes.entry, e->wakes.at, e->event, e->event_at, e->used,
             e->free_row, e->dirty, e->opened, e->stack, e->order, e->member, e->moved, e->out, e->free,
             e->load);
    free(e);
}

static void start(sim_engine *base, bough_key key, bough_source *source) {
    engine *e = (engine *)base;
    e->key = key;
    e->source = source;
    e->worms = e->rows = e->free_rows = e->dirty_count = e->opened_count = e->outs = 0;
    e->free_worm = NONE;
    e->wakes.count = e->events.count = 0;
    e->base.now = e->base.offered = e->base.arrived = e->base.moves = e->base.unrouted = 0;
    e->next_offer = source->next_time(source);
    e->status = BOUGH_OK;
    if (e->used) memset(e->used, 0, e->net->links * sizeof *e->used);
    for (uint64_t l = 0; l < e->net->links; l++) {
        port *p = &e->port[l];
        p->free_at = p->taken = 0;
        p->last = p->awaited = p->next = p->head = p->tail = p->fresh = NONE;
        p->flags = 0;
        e->wakes.at[l] = HEAP_OUT;
    }
    reset(base);
}

/* A link that carries a flit in each cycle. */
static void set_port_in_cycles(engine *e, uint64_t link) {
    port *p = &e->port[link];
    p->rate = p->flit = 1;
    p->whole = true;
    p->storage = e->o.buffer;
    p->kind = (uint8_t)sim_kind(e->net, link);
    e->slowest = 1;
}

static void set_port(engine *e, uint64_t link, const worm_wire *wire) {
    port *p = &e->port[link];
    p->rate = wire->rate;
    p->flit = worm_wire_time(e->o.flit, wire->rate);
    p->whole =
        (unsigned __int128)p->flit * wire->rate == (unsigned __int128)e->o.flit * 8 * UINT64_C(1000000000000);
    p->delay = wire->delay;
    p->onward = wire->onward;
    p->storage = bough_add(e->o.buffer, worm_wire_flits(wire, e->o.flit));
    p->kind = (uint8_t)sim_kind(e->net, link);
    if (wire->rate < e->slowest) e->slowest = wire->rate;
}

static const sim_engine_ops ops = {destroy, start, advance, stuck, reset, count};

bough_status worm_timed_make(const bough_routing *routing, const worm_options *o, unsigned hops,
                             sim_engine **out, bough_error *error) {
    const bough_net *net = routing->net;
    engine *e;
    *out = NULL;
    if (net->links >= NONE || net->nodes >= NONE || 2 * net->levels + 2 > SIM_KINDS)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s: worms support at most 2^32 links and %d levels",
                          net->spec, SIM_KINDS / 2 - 1);
    bough_status status = bough_alloc(&e, 1, sizeof *e, error);
    if (status) return status;
    *out = &e->base;
    e->base.ops = &ops;
    e->routing = routing;
    e->net = net;
    e->ops = net->ops;
    e->o = *o;
    e->stride = hops + 1;
    e->slowest = UINT64_MAX;
    status = bough_alloc(&e->port, net->links, sizeof *e->port, error);
    TRY(bough_alloc(&e->wakes.entry, net->links, sizeof *e->wakes.entry, error));
    TRY(bough_alloc(&e->wakes.at, net->links, sizeof *e->wakes.at, error));
    TRY(bough_alloc(&e->free, net->group_max, sizeof *e->free, error));
    TRY(bough_alloc(&e->load, net->group_max, sizeof *e->load, error));
    if (!status && routing->kind->wants_load)
        status = bough_alloc(&e->used, net->links, sizeof *e->used, error);
    for (uint64_t g = 0; g < net->groups && !status; g++) {
        bough_range links = net->ops->group_links(net, g);
        for (uint64_t i = 0; i < links.count; i++) {
            e->port[links.first + i].offset = (uint32_t)i;
            if (o->wires)
                set_port(e, links.first + i, &o->wires[links.first + i]);
            else
                set_port_in_cycles(e, links.first + i);
            const uint64_t storage = e->port[links.first + i].storage;
            if (storage > e->largest_storage) e->largest_storage = storage;
        }
    }
    e->o.wires = NULL;
    return status;
}
