#include "engines/wormhole/worm_events_state.h"
#include "engines/wormhole/worm_queues.h"

/* ---- the calendar ---- */

static void schedule(engine *e, uint64_t time, uint32_t what, bool delivery) {
    uint32_t slot = e->free_event;
    if (slot != NONE) {
        e->free_event = e->event[slot].next;
    } else {
        if (!GROW(e, event, e->events + 1)) return;
        slot = e->events++;
    }
    uint32_t *bucket = &e->bucket[time & e->bucket_mask];
    e->event[slot] = (event){time, *bucket, what, delivery};
    *bucket = slot;
    e->pending++;
}

void events_mark(engine *e, uint32_t first) {
    port *g = &e->port[first];
    if (g->flags & SERVED) { /* only on rings: in the next cycle */
        schedule(e, e->base.now + 1, first, false);
    } else if (!(g->flags & DIRTY) && GROW(e, dirty, e->dirty_count + 1)) {
        g->flags |= DIRTY;
        e->dirty[e->dirty_count++] = first;
    }
}

/* ---- worms ---- */

uint32_t events_new_worm(engine *e) {
    uint32_t id = e->free_worm;
    if (id != NONE) {
        e->free_worm = e->worm[id].next;
        return id;
    }
    bool room = GROW(e, worm, e->worms + 1) && GROW(e, coming, e->worms + 1) && GROW(e, going, e->worms + 1);
    return room ? e->worms++ : NONE;
}

static bool new_row(engine *e, worm *w) {
    if (e->free_rows) {
        w->row = e->free_row[--e->free_rows];
        return true;
    }
    uint64_t cells = ((uint64_t)e->rows + 1) * e->stride;
    if (!GROW(e, path, cells) || !GROW(e, free_row, e->rows + 1)) return false;
    if (e->o.buffer > 1 && !GROW(e, crossed, cells)) return false;
    w->row = e->rows++;
    return true;
}

/* links: those of the route's group. */
static void set_group(engine *e, worm *w, uint64_t node, const bough_route *r, bough_range links) {
    if (r->count == 0) {
        no_route(e, w, node);
        return;
    }
    w->first = (uint32_t)links.first;
    w->list = r->list;
    w->eligible = (uint32_t)r->first;
    w->count = (uint16_t)r->count;
    w->whole = r->count == links.count && !r->list;
    __builtin_prefetch(&e->port[links.first], 1);
}

void events_aim(engine *e, worm *w, uint64_t node) {
    bough_flow flow = {w->source, w->address, w->id};
    bough_route r;
    bough_range links = {0, 0};
    bough_route_at(e->routing, node, &flow, &r);
    bough_route_draw(e->routing, e->key, w->id, node, &r);
    if (r.count) links = e->ops->group_links(e->net, r.group);
    set_group(e, w, node, &r, links);
}

/* The head has crossed a link. False: it is at its address. */
static bool go_on(engine *e, worm *w, uint32_t link) {
    if (e->quick) {
        bough_step step;
        e->ops->step(e->net, link, w->address, &step);
        w->input = (uint16_t)step.port;
        if (step.node == w->target) return false;
        set_group(e, w, step.node, &step.route, (bough_range){step.first, step.size});
    } else {
        bough_link_end end = e->ops->link_end(e->net, link);
        w->input = (uint16_t)end.port;
        if (end.node == w->target) return false;
        events_aim(e, w, end.node);
    }
    return true;
}

void events_join(engine *e, uint32_t id) {
    worm *w = &e->worm[id];
    port *g = &e->port[w->first];
    w->asked = (uint32_t)e->base.now;
    w->next = g->fresh;
    g->fresh = id;
    events_mark(e, w->first);
}

/* ---- links become free ---- */

static void set_free(engine *e, uint32_t link, uint64_t at) {
    port *p = &e->port[link];
    uint32_t first = link - p->offset;
    const port *g = &e->port[first];
    p->free_at = at;
    p->held += (uint32_t)at;
    if (at > e->last_free) e->last_free = at;
    if (g->head == NONE && g->fresh == NONE) return;
    if (at > e->base.now)
        schedule(e, at, first, false);
    else
        events_mark(e, first);
}

uint32_t events_reach(const engine *e, const worm *w) {
    return 1 + (w->flits - 1) / e->o.buffer;
}

/* free(k) for link k = 1 .. step of the path, computed from crossings up to that of link `known`. */
static uint64_t leaves(const engine *e, const worm *w, uint32_t k, uint32_t known) {
    const uint64_t *crossed = e->crossed + (uint64_t)w->row * e->stride;
    uint64_t latest = 0;
    for (uint32_t m = 0; k + 1 + m <= known; m++) {
        uint64_t lag = (uint64_t)m * e->o.buffer,
                 a = k + 1 + m > w->steps ? e->base.now + 1 : crossed[k + 1 + m];
        if (lag > w->flits - 1) break;
        if (a + w->flits - 1 - lag > latest) latest = a + w->flits - 1 - lag;
    }
    return latest;
}

/* The head has just crossed its last link, which determines when the others become free. */
static void finish(engine *e, const worm *w) {
    uint32_t d = w->steps, r = events_reach(e, w);
    const uint32_t *path = e->path + (uint64_t)w->row * e->stride;
    for (uint32_t k = d > r ? d - r + 1 : 1; k <= d; k++)
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now + k + w->flits - d : leaves(e, w, k, d + 1));
}

void events_deliver(engine *e, uint32_t id, uint64_t arrived) {
    const worm *w = &e->worm[id];
    if (GROW(e, out, e->outs + 1))
        e->out[e->outs++] = (sim_delivery){w->offered, w->offered + e->path[(uint64_t)w->row * e->stride],
                                           arrived,    w->id,
                                           w->source,  w->address,
                                           w->steps};
    e->base.arrived++;
    e->free_row[e->free_rows++] = w->row;
    e->worm[id].next = e->free_worm;
    e->free_worm = id;
}

/* ---- service ---- */

static void take_link(engine *e, uint32_t id, uint32_t link) {
    worm *w = &e->worm[id];
    port *p = &e->port[link];
    if (w->steps == 0) {
        if (!new_row(e, w)) return;
        e->entered++;
        e->entry_waited += e->base.now - w->offered;
        e->path[(uint64_t)w->row * e->stride] = (uint32_t)(e->base.now - w->offered);
    } else if (w->steps + 1u == e->stride) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a path of more than %u links", e->stride - 1);
        return;
    }
    w->steps++;
    uint32_t *path = e->path + (uint64_t)w->row * e->stride;
    path[w->steps] = link;
    if (e->o.buffer > 1) e->crossed[(uint64_t)w->row * e->stride + w->steps] = e->base.now;
    e->base.moves++;
    e->grants[p->kind]++;
    e->waited[p->kind] += (uint32_t)e->base.now - w->asked;
    p->free_at = NEVER;
    p->holder = id;
    p->held -= (uint32_t)e->base.now;
    if (e->used) e->used[link]++;
    uint32_t r = events_reach(e, w);
    if (w->steps > r) {
        uint32_t k = w->steps - r;
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now : leaves(e, w, k, w->steps));
    }
    if (go_on(e, w, link)) {
        e->coming[e->coming_count++] = id;
        return;
    }
    finish(e, w);
    if (e->source->delivered)
        schedule(e, e->base.now + w->flits, id, true);
    else
        events_deliver(e, id, e->base.now + w->flits);
}

/* The usual case: one head, no queue, all links of the group eligible. */
static void serve_one(engine *e, port *g, uint32_t id) {
    const worm *w = &e->worm[id];
    uint64_t now = e->base.now, a = e->port[w->eligible].free_at, b = NEVER;
    if (w->count == 2) b = e->port[w->eligible + 1].free_at;
    g->fresh = NONE;
    if (a > now && b > now) {
        uint64_t soonest = a < b ? a : b;
        g->head = g->tail = id;
        if (soonest != NEVER) schedule(e, soonest, w->first, false);
        return;
    }
    uint32_t link = w->eligible + (a > now);
    if (a <= now && b <= now) {
        e->free[0] = w->eligible;
        e->free[1] = w->eligible + 1;
        if (e->used) e->load[0] = e->used[w->eligible], e->load[1] = e->used[w->eligible + 1];
        link = select_link(e, w, 2, 0);
    }
    take_link(e, id, link);
}

static void serve(engine *e, uint32_t first) {
    port *g = &e->port[first];
    const bool waited = g->head != NONE;
    const uint32_t id = g->fresh;
    uint64_t soonest;
    if (!waited && id != NONE && e->worm[id].next == NONE && e->worm[id].whole && e->worm[id].count <= 2) {
        serve_one(e, g, id);
        return;
    }
    if (id != NONE) queue_up(e, g);
    const uint32_t open = count_free(e, first, &soonest);
    grant_links(e, g, open);
    if (waited && !open) return; /* a wake-up is scheduled already */
    if (g->head != NONE && soonest != NEVER) schedule(e, soonest, first, false);
}

static uint32_t waits_for(const engine *e, uint32_t link) {
    const port *p = &e->port[link];
    if (p->free_at != NEVER || p->holder == NONE) return NONE;
    const worm *w = &e->worm[p->holder];
    uint32_t r = events_reach(e, w);
    if (w->steps < r || (int32_t)(w->asked - (uint32_t)e->base.now) > 0 || (w->flits - 1) % e->o.buffer)
        return NONE;
    return e->path[(uint64_t)w->row * e->stride + w->steps + 1 - r] == link ? w->first : NONE;
}

void events_serve(engine *e, uint32_t first) {
    if (e->cascades) {
        serve_in_order(e, first);
        return;
    }
    e->port[first].flags &= (uint8_t)~DIRTY;
    serve(e, first);
}
