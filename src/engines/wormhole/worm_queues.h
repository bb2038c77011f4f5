/* The queues of groups: in which order heads wait for its links, and which link a head takes.
 *
 * For both event engines: worm_events_state.h or worm_timed_state.h is included before and defines engine,
 * worm and port; the file that includes this one defines take_link(e, id, link)  the head starts on a link
 *   serve(e, first)         grants free links of a group to waiting worms
 *   waits_for(e, link)      the group whose waiting worm, by moving now, would free the link now; NONE: none
 */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_QUEUES_H
#define BOUGH_ENGINES_WORMHOLE_WORM_QUEUES_H

static void take_link(engine *e, uint32_t id, uint32_t link);
static void serve(engine *e, uint32_t first);
static uint32_t waits_for(const engine *e, uint32_t link);

static void no_route(engine *e, const worm *w, uint64_t node) {
    char from[96], to[96], at[96];
    e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "no route from %s to %s at %s",
                           bough_node_name(e->net, w->source, from, sizeof from),
                           bough_node_name(e->net, w->target, to, sizeof to),
                           bough_node_name(e->net, node, at, sizeof at));
}

/* ---- the order of heads ---- */

static uint32_t port_of(const worm *w) {
    return w->steps ? w->input : BOUGH_SOURCE_PORT;
}

static bool comes_before(const worm *a, const worm *b) {
    return port_of(a) < port_of(b) || (port_of(a) == port_of(b) && a->id < b->id);
}

/* Stores the heads that have just come, of which there are several, in e->member by (port, id). */
static void sort_arrivals(engine *e, const port *g, uint32_t count) {
    uint32_t *sorted = e->member;
    for (uint32_t id = g->fresh, i = count; id != NONE; id = e->worm[id].next) sorted[--i] = id;
    for (uint32_t i = 1; i < count; i++) { /* nearly sorted already */
        uint32_t id = sorted[i], j = i;
        for (; j > 0 && !comes_before(&e->worm[sorted[j - 1]], &e->worm[id]); j--) sorted[j] = sorted[j - 1];
        sorted[j] = id;
    }
}

static void append_to_queue(engine *e, port *g, uint32_t id) {
    e->worm[id].next = NONE;
    if (g->head == NONE)
        g->head = id;
    else
        e->worm[g->tail].next = id;
    g->tail = id;
}

/* Appends the heads that have just come to the queue, in keyed random order. */
static void queue_up(engine *e, port *g) {
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

/* ---- links ---- */

static bool in_group(const engine *e, uint32_t first, uint64_t link) {
    return link == first || (link < e->net->links && e->port[link].offset == link - first);
}

/* Number of links of a group that are free now; *soonest: when the next of the others is. */
static uint32_t count_free(const engine *e, uint32_t first, uint64_t *soonest) {
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

/* Stores the free links that w may take in e->free; returns their number. */
static uint32_t free_links(engine *e, const worm *w) {
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
static uint32_t select_link(engine *e, const worm *w, uint32_t count, uint32_t served) {
    if (count == 1) return (uint32_t)e->free[0];
    bough_choice choice = {
        e->key, e->ops->link_group(e->net, w->first), e->base.now, port_of(w), served, count, e->free,
        e->load};
    return (uint32_t)e->free[bough_select_free(e->routing, &choice)];
}

/* Grants links to waiting worms in the order of the queue. open: links that are free. */
static void grant_links(engine *e, port *g, uint32_t open) {
    uint32_t served = 0, last = NONE;
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
        take_link(e, id, link);
        served++;
        open--;
    }
}

/* Serves a group after those whose waiting worms may still free its links. */
static void serve_in_order(engine *e, uint32_t first) {
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

#endif
