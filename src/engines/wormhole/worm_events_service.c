#include "engines/wormhole/worm_events_state.h"

/* ---- the calendar ---- */

static void schedule(events *e, uint64_t time, uint32_t what, bool delivery) {
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

void events_mark(events *e, uint32_t first) {
    port *g = &e->port[first];
    if (g->flags & SERVED) { /* only on rings: in the next cycle */
        schedule(e, e->base.now + 1, first, false);
    } else if (!(g->flags & DIRTY) && GROW(e, dirty, e->dirty_count + 1)) {
        g->flags |= DIRTY;
        e->dirty[e->dirty_count++] = first;
    }
}

/* ---- worms ---- */

uint32_t events_new_worm(events *e) {
    uint32_t id = e->free_worm;
    if (id != NONE) {
        e->free_worm = e->worm[id].next;
        return id;
    }
    bool room = GROW(e, worm, e->worms + 1) && GROW(e, coming, e->worms + 1) && GROW(e, going, e->worms + 1);
    return room ? e->worms++ : NONE;
}

static bool new_row(events *e, worm *w) {
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

static void no_route(events *e, const worm *w, uint64_t node) {
    char from[96], to[96], at[96];
    e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "no route from %s to %s at %s",
                           bough_node_name(e->net, w->source, from, sizeof from),
                           bough_node_name(e->net, w->target, to, sizeof to),
                           bough_node_name(e->net, node, at, sizeof at));
}

/* links: those of the route's group. */
static void set_group(events *e, worm *w, uint64_t node, const bough_route *r, bough_range links) {
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

void events_aim(events *e, worm *w, uint64_t node) {
    bough_flow flow = {w->source, w->address, w->id};
    bough_route r;
    bough_range links = {0, 0};
    bough_route_at(e->routing, node, &flow, &r);
    bough_route_draw(e->routing, e->key, w->id, node, &r);
    if (r.count) links = e->ops->group_links(e->net, r.group);
    set_group(e, w, node, &r, links);
}

/* The head has crossed a link. False: it is at its address. */
static bool go_on(events *e, worm *w, uint32_t link) {
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

void events_join(events *e, uint32_t id) {
    worm *w = &e->worm[id];
    port *g = &e->port[w->first];
    w->asked = (uint32_t)e->base.now;
    w->next = g->fresh;
    g->fresh = id;
    events_mark(e, w->first);
}

/* ---- links become free ---- */

static void set_free(events *e, uint32_t link, uint64_t at) {
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

uint32_t events_reach(const events *e, const worm *w) {
    return 1 + (w->flits - 1) / e->o.buffer;
}

/* free(k) for link k = 1 .. step of the path, computed from crossings up to that of link `known`. */
static uint64_t leaves(const events *e, const worm *w, uint32_t k, uint32_t known) {
    const uint64_t *crossed = e->crossed + (uint64_t)w->row * e->stride;
    uint64_t latest = 0;
    for (uint32_t m = 0; k + 1 + m <= known; m++) {
        uint64_t lag = (uint64_t)m * e->o.buffer,
                 a = k + 1 + m > w->step ? e->base.now + 1 : crossed[k + 1 + m];
        if (lag > w->flits - 1) break;
        if (a + w->flits - 1 - lag > latest) latest = a + w->flits - 1 - lag;
    }
    return latest;
}

/* The head has just crossed its last link, which determines when the others become free. */
static void finish(events *e, const worm *w) {
    uint32_t d = w->step, r = events_reach(e, w);
    const uint32_t *path = e->path + (uint64_t)w->row * e->stride;
    for (uint32_t k = d > r ? d - r + 1 : 1; k <= d; k++)
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now + k + w->flits - d : leaves(e, w, k, d + 1));
}

void events_deliver(events *e, uint32_t id, uint64_t arrived) {
    const worm *w = &e->worm[id];
    if (GROW(e, out, e->outs + 1))
        e->out[e->outs++] = (sim_delivery){w->offered, w->offered + e->path[(uint64_t)w->row * e->stride],
                                           arrived,    w->id,
                                           w->source,  w->address,
                                           w->step};
    e->base.arrived++;
    e->free_row[e->free_rows++] = w->row;
    e->worm[id].next = e->free_worm;
    e->free_worm = id;
}

/* ---- service ---- */

static void cross(events *e, uint32_t id, uint32_t link) {
    worm *w = &e->worm[id];
    port *p = &e->port[link];
    if (w->step == 0) {
        if (!new_row(e, w)) return;
        e->entered++;
        e->entry_waited += e->base.now - w->offered;
        e->path[(uint64_t)w->row * e->stride] = (uint32_t)(e->base.now - w->offered);
    } else if (w->step + 1u == e->stride) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a path of more than %u links", e->stride - 1);
        return;
    }
    w->step++;
    uint32_t *path = e->path + (uint64_t)w->row * e->stride;
    path[w->step] = link;
    if (e->o.buffer > 1) e->crossed[(uint64_t)w->row * e->stride + w->step] = e->base.now;
    e->base.moves++;
    e->grants[p->kind]++;
    e->waited[p->kind] += (uint32_t)e->base.now - w->asked;
    p->free_at = NEVER;
    p->holder = id;
    p->held -= (uint32_t)e->base.now;
    if (e->used) e->used[link]++;
    uint32_t r = events_reach(e, w);
    if (w->step > r) {
        uint32_t k = w->step - r;
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now : leaves(e, w, k, w->step));
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

static uint32_t port_of(const worm *w) {
    return w->step ? w->input : BOUGH_SOURCE_PORT;
}

static bool comes_before(const worm *a, const worm *b) {
    return port_of(a) < port_of(b) || (port_of(a) == port_of(b) && a->id < b->id);
}

/* Stores the arrivals of this cycle, of which there are several, in e->member by (port, id). */
static void sort_arrivals(events *e, const port *g, uint32_t count) {
    uint32_t *sorted = e->member;
    for (uint32_t id = g->fresh, i = count; id != NONE; id = e->worm[id].next) sorted[--i] = id;
    for (uint32_t i = 1; i < count; i++) { /* nearly sorted already */
        uint32_t id = sorted[i], j = i;
        for (; j > 0 && !comes_before(&e->worm[sorted[j - 1]], &e->worm[id]); j--) sorted[j] = sorted[j - 1];
        sorted[j] = id;
    }
}

static void append_to_queue(events *e, port *g, uint32_t id) {
    e->worm[id].next = NONE;
    if (g->head == NONE)
        g->head = id;
    else
        e->worm[g->tail].next = id;
    g->tail = id;
}

/* Appends the arrivals of this cycle to the queue in keyed random order. */
static void queue_up(events *e, port *g) {
    uint32_t first = g->fresh, count = 0;
    if (e->worm[first].next == NONE) {
        append_to_queue(e, g, first);
    } else {
        for (uint32_t id = first; id != NONE; id = e->worm[id].next) count++;
        if (!GROW(e, member, count) || !GROW(e, order, count)) return;
        sort_arrivals(e, g, count);
        uint64_t group = e->ops->link_group(e->net, e->worm[first].first);
        bough_arbitration_order(e->key, group, e->base.now, count, e->order);
        for (uint32_t i = 0; i < count; i++) append_to_queue(e, g, e->member[e->order[i]]);
    }
    g->fresh = NONE;
}

/* Stores the free links that w may take in e->free; returns their number. */
static uint32_t free_links(events *e, const worm *w) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t link = w->list ? w->list[i] : w->eligible + i;
        if (e->port[link].free_at > e->base.now) continue;
        if (e->used) e->load[count] = e->used[link];
        e->free[count++] = link;
    }
    return count;
}

/* Selects one of the count free links in e->free. */
static uint32_t select_link(events *e, const worm *w, uint32_t count, uint32_t served) {
    if (count == 1) return (uint32_t)e->free[0];
    bough_choice choice = {
        e->key, e->ops->link_group(e->net, w->first), e->base.now, port_of(w), served, count, e->free,
        e->load};
    return (uint32_t)e->free[bough_select_free(e->routing, &choice)];
}

/* The usual case: one head, no queue, all links of the group eligible. */
static void serve_one(events *e, port *g, uint32_t id) {
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
    cross(e, id, link);
}

void events_serve(events *e, uint32_t first) {
    port *g = &e->port[first];
    bool waited = g->head != NONE;
    uint32_t id1 = g->fresh;
    if (!waited && id1 != NONE && e->worm[id1].next == NONE && e->worm[id1].whole &&
        e->worm[id1].count <= 2) {
        serve_one(e, g, id1);
        return;
    }
    uint32_t open = 0, served = 0, last = NONE;
    uint64_t soonest = NEVER;
    if (g->fresh != NONE) queue_up(e, g);
    for (uint64_t l = first; l == first || (l < e->links && e->port[l].offset == l - first); l++) {
        if (e->port[l].free_at <= e->base.now)
            open++;
        else if (e->port[l].free_at < soonest)
            soonest = e->port[l].free_at;
    }
    bool wake = !waited || open; /* otherwise a wake-up is scheduled already */
    for (uint32_t id = g->head, next; id != NONE && open && !e->status; id = next) {
        const worm *w = &e->worm[id];
        uint32_t count = free_links(e, w);
        next = w->next;
        if (count == 0) {
            last = id;
            continue;
        }
        uint32_t link = select_link(e, w, count, served);
        *(last == NONE ? &g->head : &e->worm[last].next) = next;
        if (g->tail == id) g->tail = last;
        cross(e, id, link);
        served++;
        open--;
    }
    if (wake && g->head != NONE && soonest != NEVER) schedule(e, soonest, first, false);
}

/* The group whose waiting worm, by moving in this cycle, would free the link in this cycle; NONE: none. */
static uint32_t waits_for(const events *e, uint32_t link) {
    const port *p = &e->port[link];
    if (p->free_at != NEVER || p->holder == NONE) return NONE;
    const worm *w = &e->worm[p->holder];
    uint32_t r = events_reach(e, w);
    if (w->step < r || (int32_t)(w->asked - (uint32_t)e->base.now) > 0 || (w->flits - 1) % e->o.buffer)
        return NONE;
    return e->path[(uint64_t)w->row * e->stride + w->step + 1 - r] == link ? w->first : NONE;
}

/* Serves a group after those whose waiting worms may still release its links. */
void events_serve_in_order(events *e, uint32_t first) {
    uint32_t depth = 0;
    if (!GROW(e, stack, 1)) return;
    e->stack[depth++] = first;
    while (depth && !e->status) {
        uint32_t at = e->stack[depth - 1];
        port *g = &e->port[at];
        if (g->flags & OPEN) {
            depth--;
            if (!(g->flags & SERVED)) {
                g->flags |= SERVED;
                events_serve(e, at);
            }
            continue;
        }
        g->flags |= OPEN;
        if (!GROW(e, opened, e->opened_count + 1)) return;
        e->opened[e->opened_count++] = at;
        for (uint64_t l = at; l == at || (l < e->links && e->port[l].offset == l - at); l++) {
            uint32_t before = waits_for(e, (uint32_t)l);
            if (before == NONE || (e->port[before].flags & OPEN)) continue;
            if (!GROW(e, stack, depth + 1)) return;
            e->stack[depth++] = before;
        }
    }
}
