/* Queues of groups, and grants. */
#include "engines/wormhole/timed/worm_timed_state.h"
#include "engines/wormhole/worm_queues.h"

void worm_timed_wake(engine *e, uint32_t first, uint64_t time) {
    uint32_t place = e->wakes.at[first];
    if (place == HEAP_OUT || time < e->wakes.entry[place].key) heap_put(&e->wakes, first, time, 0);
}

void worm_timed_mark(engine *e, uint32_t first) {
    port *g = &e->port[first];
    if (g->flags & SERVED) { /* only on rings */
        worm_timed_wake(e, first, e->base.now + 1);
    } else if (!(g->flags & DIRTY) && GROW(e, dirty, e->dirty_count + 1)) {
        g->flags |= DIRTY;
        e->dirty[e->dirty_count++] = first;
    }
}

void worm_timed_aim(engine *e, worm *w, uint64_t node) {
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

void worm_timed_join(engine *e, uint32_t id) {
    worm *w = &e->worm[id];
    port *g = &e->port[w->first];
    w->asked = e->base.now;
    w->state = TIMED_QUEUED;
    w->next = g->fresh;
    g->fresh = id;
    worm_timed_mark(e, w->first);
}

static void take_link(engine *e, uint32_t id, uint32_t link) {
    worm_timed_step(e, id, link);
}

static void serve(engine *e, uint32_t first) {
    port *g = &e->port[first];
    uint64_t soonest;
    if (g->fresh != NONE) queue_up(e, g);
    grant_links(e, g, count_free(e, first, &soonest));
    if (g->head == NONE) return;
    count_free(e, first, &soonest);
    if (soonest != NEVER) worm_timed_wake(e, first, soonest);
}

static uint32_t waits_for(const engine *e, uint32_t link) {
    const port *p = &e->port[link];
    if (p->free_at != NEVER || p->awaited == NONE || p->at_once > e->base.now) return NONE;
    const worm *w = &e->worm[p->awaited];
    return w->state == TIMED_QUEUED ? w->first : NONE;
}

void worm_timed_serve(engine *e, uint32_t first) {
    serve_in_order(e, first);
}
