#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/worm_events_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- a cycle ---- */

static int by_id(const void *a, const void *b) {
    const sim_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Processes the events that are due: groups to serve, sources to notify. */
static void due(engine *e) {
    uint32_t *link = &e->bucket[e->base.now & e->bucket_mask], first_out = e->outs;
    while (*link != NONE) {
        uint32_t slot = *link;
        event now = e->event[slot];
        if (now.time != e->base.now) {
            link = &e->event[slot].next;
            continue;
        }
        *link = now.next;
        e->event[slot].next = e->free_event;
        e->free_event = slot;
        e->pending--;
        if (now.delivery)
            events_deliver(e, now.what, e->base.now);
        else
            events_mark(e, now.what);
    }
    if (e->outs == first_out || !e->source->delivered) return;
    qsort(e->out + first_out, e->outs - first_out, sizeof *e->out, by_id);
    for (uint32_t i = first_out; i < e->outs; i++) e->source->delivered(e->source, e->out[i].id, e->base.now);
}

static void enter(engine *e, const bough_message *m) {
    if (sim_drop_unrouted(&e->base, e->routing, m)) return;
    uint32_t id = events_new_worm(e);
    if (id == NONE) return;
    worm *w = &e->worm[id];
    uint64_t flits = bough_mul(m->size ? m->size : 1, e->o.flits);
    if (flits > UINT32_MAX / 2) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a message of more than 2^31 flits");
        return;
    }
    *w = (worm){.offered = m->time,
                .id = m->id,
                .source = m->source,
                .address = m->address,
                .target = (uint32_t)bough_address_node(e->net, m->address),
                .flits = (uint32_t)flits,
                .row = NONE};
    e->base.offered++;
    if (events_reach(e, w) < e->stride && (flits - 1) % e->o.buffer == 0) e->cascades = true;
    events_aim(e, w, w->source);
    if (!e->status) events_join(e, id);
}

static void cycle(engine *e) {
    bough_message batch[64];
    uint32_t got, *was = e->coming, came = e->coming_count;
    due(e);
    e->coming = e->going;
    e->going = was;
    e->coming_count = 0;
    for (uint32_t i = 0; i < came; i++) events_join(e, was[i]);
    if (e->next_offer <= e->base.now || e->source->delivered) {
        do {
            got = e->source->pop(e->source, e->base.now, batch, 64);
            for (uint32_t i = 0; i < got && !e->status; i++) enter(e, &batch[i]);
        } while (got == 64 && !e->status);
        e->next_offer = e->source->next_time(e->source);
    }
    for (uint32_t i = 0; i < e->dirty_count && !e->status; i++) events_serve(e, e->dirty[i]);
    for (uint32_t i = 0; i < e->dirty_count && e->cascades; i++) e->port[e->dirty[i]].flags = 0;
    for (uint32_t i = 0; i < e->opened_count; i++) e->port[e->opened[i]].flags = 0;
    e->dirty_count = e->opened_count = 0;
}

/* The next cycle with an event, at most `until`. */
static uint64_t next_cycle(engine *e, uint64_t until) {
    uint64_t next = e->next_offer;
    if (e->coming_count || next <= e->base.now) return e->base.now;
    if (next > until) next = until;
    if (e->pending == 0) return next;
    for (uint64_t c = e->base.now; c < next && c <= e->base.now + e->bucket_mask; c++)
        if (e->bucket[c & e->bucket_mask] != NONE) return c;
    return next < e->base.now + e->bucket_mask ? next : e->base.now + e->bucket_mask;
}

static bough_status advance(sim_engine *base, sim_advance *part, bough_error *error) {
    engine *e = (engine *)base;
    const uint64_t until = part->until, want = part->want;
    e->error = error;
    e->outs = 0;
    while (e->base.now < until && e->outs < want && !e->status) {
        if (!e->coming_count && !e->pending &&
            e->next_offer == BOUGH_NONE) { /* only the last tails are missing */
            uint64_t end = e->last_free < until ? e->last_free : until;
            if (end > e->base.now) e->base.now = end;
            break;
        }
        e->base.now = next_cycle(e, until);
        if (e->base.now == until) break;
        cycle(e);
        e->base.now++;
    }
    part->deliveries = e->out;
    part->count = e->outs;
    return e->status;
}

/* ---- the tally ---- */

/* The part of `held` that lies ahead of the current cycle: negative while free_at is unknown. Modulo 2^32. */
static uint32_t held_ahead(const engine *e, const port *p) {
    if (p->free_at == NEVER) return -(uint32_t)e->base.now;
    return p->free_at > e->base.now ? (uint32_t)(p->free_at - e->base.now) : 0;
}

static void reset(sim_engine *base) {
    engine *e = (engine *)base;
    e->reset_at = e->base.now;
    e->entered = e->entry_waited = 0;
    memset(e->grants, 0, sizeof e->grants);
    memset(e->waited, 0, sizeof e->waited);
    for (uint64_t l = 0; l < e->links; l++) e->port[l].held = held_ahead(e, &e->port[l]);
}

static void count(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    *t = (sim_tally){
        .cycles = e->base.now - e->reset_at, .entered = e->entered, .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    for (uint64_t l = 0; l < e->links; l++) {
        const port *p = &e->port[l];
        sim_tally_link(t, l, p->kind, p->held - held_ahead(e, p));
    }
}

/* ---- deadlock ---- */

/* True if a link that w may take is free, will be, or is held by a worm that can move. */
static bool can_move(const engine *e, const worm *w, const uint8_t *waits) {
    for (uint32_t i = 0; i < w->count; i++) {
        const port *p = &e->port[w->list ? w->list[i] : w->eligible + i];
        if (p->free_at != NEVER || !waits[p->holder]) return true;
    }
    return false;
}

/* Unmarks the waiting worms that can move; returns their number. */
static uint64_t release_movable(const engine *e, uint8_t *waits) {
    uint64_t released = 0;
    for (uint64_t l = 0; l < e->links; l++)
        for (uint32_t id = e->port[l].head; id != NONE; id = e->worm[id].next)
            if (waits[id] && can_move(e, &e->worm[id], waits)) waits[id] = 0, released++;
    return released;
}

static bough_status stuck(sim_engine *base, uint64_t *count, uint64_t *link, bough_error *error) {
    const engine *e = (const engine *)base;
    uint8_t *waits;
    bool found = false;
    bough_status status = bough_alloc(&waits, (uint64_t)e->worms + 1, 1, error);
    if (status) return status;
    *count = 0;
    for (uint64_t l = 0; l < e->links; l++)
        for (uint32_t id = e->port[l].head; id != NONE; id = e->worm[id].next) waits[id] = 1, ++*count;
    for (uint64_t released; (released = release_movable(e, waits));) *count -= released;
    for (uint64_t l = 0; l < e->links && *count && !found; l++)
        for (uint32_t id = e->port[l].head; id != NONE && !found; id = e->worm[id].next) {
            const worm *w = &e->worm[id];
            found = waits[id];
            if (found) *link = w->list ? w->list[0] : w->eligible;
        }
    free(waits);
    return BOUGH_OK;
}

/* ---- memory ---- */

static uint64_t bucket_count(uint64_t flits) {
    uint64_t size = 64;
    while (size < 2 * flits && size < 4096) size *= 2;
    return size;
}

uint64_t worm_events_bytes(const bough_net *net, const worm_options *o, unsigned hops, uint64_t messages) {
    uint64_t row = ((uint64_t)hops + 1) * (o->buffer > 1 ? 12 : 4) + 4;
    uint64_t bytes = bough_mul(net->links, sizeof(port) + 4 /* dirty groups */);
    return bough_add(bytes, bough_mul(messages, sizeof(worm) + 8 + sizeof(event) + row));
}

static void destroy(sim_engine *base) {
    engine *e = (engine *)base;
    FREE_ALL(e->port, e->worm, e->path, e->crossed, e->event, e->bucket, e->used, e->free_row, e->coming,
             e->going, e->dirty, e->opened, e->stack, e->order, e->member, e->out, e->free, e->load);
    free(e);
}

static void start(sim_engine *base, bough_key key, bough_source *source) {
    engine *e = (engine *)base;
    e->key = key;
    e->source = source;
    e->worms = e->rows = e->free_rows = e->events = 0;
    e->free_worm = e->free_event = NONE;
    e->coming_count = e->dirty_count = e->opened_count = e->outs = 0;
    e->pending = e->base.now = e->base.offered = e->base.arrived = e->base.moves = e->base.unrouted = 0;
    e->cascades = false;
    e->next_offer = source->next_time(source);
    e->last_free = 0;
    e->status = BOUGH_OK;
    memset(e->bucket, 0xff, ((size_t)e->bucket_mask + 1) * sizeof *e->bucket);
    if (e->used) memset(e->used, 0, e->links * sizeof *e->used);
    for (uint64_t l = 0; l < e->links; l++) {
        port *p = &e->port[l];
        p->free_at = 0;
        p->holder = p->head = p->tail = p->fresh = NONE;
        p->flags = 0;
    }
    reset(base);
}

static const sim_engine_ops ops = {destroy, start, advance, stuck, reset, count};

bough_status worm_events_make(const bough_routing *routing, const worm_options *o, unsigned hops,
                              sim_engine **out, bough_error *error) {
    const bough_net *net = routing->net;
    engine *e;
    *out = NULL;
    if (net->links >= NONE || net->nodes >= NONE || net->group_max > UINT16_MAX || hops > UINT16_MAX ||
        2 * net->levels + 2 > SIM_KINDS)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s: worms support at most 2^32 links, 2^16 per group, and %d levels", net->spec,
                          SIM_KINDS / 2 - 1);
    bough_status status = bough_alloc(&e, 1, sizeof *e, error);
    if (status) return status;
    *out = &e->base;
    e->base.ops = &ops;
    e->routing = routing;
    e->net = net;
    e->ops = net->ops;
    e->o = *o;
    e->quick = net->ops->step && !routing->kind->route && !routing->kind->blind && !net->dead;
    e->stride = hops + 1;
    e->links = net->links;
    e->bucket_mask = (uint32_t)bucket_count(o->flits) - 1;
    status = bough_alloc(&e->port, net->links, sizeof *e->port, error);
    TRY(bough_alloc(&e->bucket, (uint64_t)e->bucket_mask + 1, sizeof *e->bucket, error));
    TRY(bough_alloc(&e->free, net->group_max, sizeof *e->free, error));
    TRY(bough_alloc(&e->load, net->group_max, sizeof *e->load, error));
    if (!status && routing->kind->wants_load)
        status = bough_alloc(&e->used, net->links, sizeof *e->used, error);
    for (uint64_t g = 0; g < net->groups && !status; g++) {
        bough_range links = net->ops->group_links(net, g);
        for (uint64_t i = 0; i < links.count; i++) {
            port *p = &e->port[links.first + i];
            p->offset = (uint16_t)i;
            p->kind = (uint8_t)sim_kind(net, links.first + i);
        }
    }
    return status;
}
