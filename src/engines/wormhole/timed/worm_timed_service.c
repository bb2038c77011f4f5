/* Queues of groups, and grants. */
#include "engines/wormhole/timed/worm_timed_state.h"

void worm_timed_wake(timed *e, uint32_t first, uint64_t time) {
    uint32_t place = e->wakes.at[first];
    if (place == HEAP_OUT || time < e->wakes.entry[place].key) heap_put(&e->wakes, first, time, 0);
}

void worm_timed_mark(timed *e, uint32_t first) {
    timed_port *g = &e->port[first];
    if (g->flags & SERVED) { /* only on rings */
        worm_timed_wake(e, first, e->base.now + 1);
    } else if (!(g->flags & DIRTY) && GROW(e, dirty, e->dirty_count + 1)) {
        g->flags |= DIRTY;
        e->dirty[e->dirty_count++] = first;
    }
}

static void no_route(timed *e, const timed_worm *w, uint64_t node) {
    char from[96], to[96], at[96];
    e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "no route from %s to %s at %s",
                           bough_node_name(e->net, w->source, from, sizeof from),
                           bough_node_name(e->net, w->target, to, sizeof to),
                           bough_node_name(e->net, node, at, sizeof at));
}

void worm_timed_aim(timed *e, timed_worm *w, uint64_t node) {
    bough_flow flow = {w->source, w->address, w->id};
    bough_route r;
    bough_route_at(e->routing, node, &flow, &r);
    bough_route_draw(e->routing, e->key, w->id, node, &r);
    if (r.count == 0) {
        no_route(e, w, node);
        return;
    }
    w->first = (uint32_t)e->ops->group_links(e->net, r.group).first;
    w->list = r.list;
    w->eligible = (uint32_t)r.first;
    w->count = (uint32_t)r.count;
}

void worm_timed_join(timed *e, uint32_t id) {
    timed_worm *w = &e->worm[id];
    timed_port *g = &e->port[w->first];
    w->asked = e->base.now;
    w->state = TIMED_QUEUED;
    w->next = g->fresh;
    g->fresh = id;
    worm_timed_mark(e, w->first);
}

static uint32_t port_of(const timed_worm *w) {
    return w->steps ? w->input : BOUGH_SOURCE_PORT;
}

static bool comes_before(const timed_worm *a, const timed_worm *b) {
    return port_of(a) < port_of(b) || (port_of(a) == port_of(b) && a->id < b->id);
}

/* Stores the arrivals of this instant in e->member by (port, id). */
static void sort_arrivals(timed *e, const timed_port *g, uint32_t count) {
    uint32_t *sorted = e->member;
    for (uint32_t id = g->fresh, i = count; id != NONE; id = e->worm[id].next) sorted[--i] = id;
    for (uint32_t i = 1; i < count; i++) { /* nearly sorted already */
        uint32_t id = sorted[i], j = i;
        for (; j > 0 && !comes_before(&e->worm[sorted[j - 1]], &e->worm[id]); j--) sorted[j] = sorted[j - 1];
        sorted[j] = id;
    }
}

/* Appends the arrivals of this instant to the queue in keyed random order. */
static void queue_up(timed *e, timed_port *g) {
    uint32_t first = g->fresh, count = 0;
    for (uint32_t id = first; id != NONE; id = e->worm[id].next) count++;
    if (!GROW(e, member, count) || !GROW(e, order, count)) return;
    sort_arrivals(e, g, count);
    uint64_t group = e->ops->link_group(e->net, e->worm[first].first);
    bough_arbitration_order(e->key, group, e->base.now, count, e->order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = e->member[e->order[i]];
        e->worm[id].next = NONE;
        if (g->head == NONE)
            g->head = id;
        else
            e->worm[g->tail].next = id;
        g->tail = id;
    }
    g->fresh = NONE;
}

/* Stores the free links that w may take in e->free; returns their number. */
static uint32_t free_links(timed *e, const timed_worm *w) {
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
static uint32_t select_link(timed *e, const timed_worm *w, uint32_t count, uint32_t served) {
    if (count == 1) return (uint32_t)e->free[0];
    bough_choice choice = {
        e->key, e->ops->link_group(e->net, w->first), e->base.now, port_of(w), served, count, e->free,
        e->load};
    return (uint32_t)e->free[bough_select_free(e->routing, &choice)];
}

static bool in_group(const timed *e, uint32_t first, uint64_t link) {
    return link == first || (link < e->net->links && e->port[link].offset == link - first);
}

/* Number of links that are free now; *soonest: when the next of the others is. */
static uint32_t count_free(const timed *e, uint32_t first, uint64_t *soonest) {
    uint32_t open = 0;
    *soonest = NEVER;
    for (uint64_t l = first; in_group(e, first, l); l++) {
        uint64_t at = e->port[l].free_at;
        if (at <= e->base.now)
            open++;
        else if (at < *soonest)
            *soonest = at;
    }
    return open;
}

/* Grants free links to waiting worms. */
static void serve(timed *e, uint32_t first) {
    timed_port *g = &e->port[first];
    uint64_t soonest;
    if (g->fresh != NONE) queue_up(e, g);
    uint32_t open = count_free(e, first, &soonest), served = 0, last = NONE;
    for (uint32_t id = g->head, next; id != NONE && open && !e->status; id = next) {
        const timed_worm *w = &e->worm[id];
        uint32_t count = free_links(e, w);
        next = w->next;
        if (count == 0) {
            last = id;
            continue;
        }
        uint32_t link = select_link(e, w, count, served);
        *(last == NONE ? &g->head : &e->worm[last].next) = next;
        if (g->tail == id) g->tail = last;
        worm_timed_step(e, id, link);
        served++;
        open--;
    }
    if (g->head == NONE) return;
    count_free(e, first, &soonest);
    if (soonest != NEVER) worm_timed_wake(e, first, soonest);
}

/* The group whose waiting worm, by moving at this instant, would free the link at this instant; NONE: none.
 */
static uint32_t waits_for(const timed *e, uint32_t link) {
    const timed_port *p = &e->port[link];
    if (p->free_at != NEVER || p->awaited == NONE || p->at_once > e->base.now) return NONE;
    const timed_worm *w = &e->worm[p->awaited];
    return w->state == TIMED_QUEUED ? w->first : NONE;
}

void worm_timed_serve(timed *e, uint32_t first) {
    uint32_t depth = 0;
    if (!GROW(e, stack, 1)) return;
    e->stack[depth++] = first;
    while (depth && !e->status) {
        uint32_t at = e->stack[depth - 1];
        timed_port *g = &e->port[at];
        if (g->flags & OPEN) {
            depth--;
            if (!(g->flags & SERVED)) {
                g->flags |= SERVED;
                serve(e, at);
            }
            continue;
        }
        g->flags |= OPEN;
        if (!GROW(e, opened, e->opened_count + 1)) return;
        e->opened[e->opened_count++] = at;
        for (uint64_t l = at; in_group(e, at, l); l++) {
            uint32_t before = waits_for(e, (uint32_t)l);
            if (before == NONE || (e->port[before].flags & OPEN)) continue;
            if (!GROW(e, stack, depth + 1)) return;
            e->stack[depth++] = before;
        }
    }
}
