#include "sim/worm_events.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NEVER  UINT64_MAX
#define NOBODY UINT32_MAX

/* A link and, at the first link of a group, the group: half a cache line. */
typedef struct port {
    uint64_t free_at;    /* from this cycle on the next head can take it; NEVER: not known yet */
    uint32_t holder;     /* who took it last */
    uint32_t held;       /* cycles it was held, modulo 2^32 */
    uint32_t head, tail; /* who waits at the group */
    uint32_t fresh;      /* who came to it in this cycle, last first */
    uint16_t offset;     /* of the link in its group */
    uint8_t kind;
    uint8_t flags;
} port;
enum { DIRTY = 1, OPEN = 2, SERVED = 4 };

typedef struct worm {
    uint64_t offered;
    const uint32_t *list;     /* eligible links; NULL: eligible .. eligible + count - 1 */
    uint32_t eligible, first; /* first: the first link of the group where it waits */
    uint32_t next, id, source, address, target, flits;
    uint32_t row;   /* of path; NOBODY until it enters */
    uint32_t asked; /* since when it waits where it is, modulo 2^32 */
    uint16_t count, input;
    uint16_t step; /* links its head has crossed */
    bool whole;    /* every link of the group is eligible */
} worm;

/* What happens later: a group is looked at, or a source is told that a worm is in. */
typedef struct event {
    uint64_t time;
    uint32_t next, what;
    bool delivery;
} event;

typedef struct events {
    worm_engine base;
    const bough_routing *routing;
    const bough_net *net;
    const bough_net_ops *ops;
    worm_options o;
    uint32_t stride;
    uint64_t links, nodes;
    port *port;
    worm *worm;
    uint32_t *path; /* [row][0]: cycles from the offer to the first link; [row][k]: link k, counted from 1 */
    uint64_t *crossed; /* [row][k]: when the head crossed it; only for buffers of more than a flit */
    event *event;
    uint32_t *bucket, *used /* NULL: no pick wants it */, *free_row, *coming, *going, *dirty, *opened, *stack,
        *order, *member;
    worm_delivery *out;
    uint64_t *free; /* scratch of a group: free eligible links */
    uint32_t *load;
    size_t worm_capacity, path_capacity, crossed_capacity, event_capacity, free_row_capacity, coming_capacity,
        going_capacity, dirty_capacity, opened_capacity, stack_capacity, order_capacity, member_capacity,
        out_capacity;
    uint32_t worms, rows, free_rows, events, free_worm, free_event, bucket_mask;
    uint32_t comings, dirties, openeds, outs;
    uint64_t pending; /* events */
    bough_key key;
    bough_source *source;
    uint64_t birth;     /* of the next message */
    uint64_t last_free; /* when the last link is free that is known to be */
    bool quick;         /* the network steps, and the routing leaves its routes as they are */
    bool cascades;      /* a head's step can free a link in the same cycle */
    uint64_t reset_at;
    uint64_t grants[WORM_KINDS], waited[WORM_KINDS], entered, entry_waited;
    bough_status status; /* the first failure within a cycle */
    bough_error *error;
} events;

#define GROW(e, array, need)                                                                                 \
    ((uint64_t)(need) <= (e)->array##_capacity ||                                                            \
     !((e)->status = bough_grow(&(e)->array, &(e)->array##_capacity, need, sizeof *(e)->array, (e)->error)))

/* ---- the calendar ---- */

static void schedule(events *e, uint64_t time, uint32_t what, bool delivery) {
    uint32_t slot = e->free_event;
    if (slot != NOBODY) {
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

static void mark(events *e, uint32_t first) {
    port *g = &e->port[first];
    if (g->flags & SERVED) { /* only on rings: in the next cycle */
        schedule(e, e->base.now + 1, first, false);
    } else if (!(g->flags & DIRTY) && GROW(e, dirty, e->dirties + 1)) {
        g->flags |= DIRTY;
        e->dirty[e->dirties++] = first;
    }
}

/* ---- worms ---- */

static uint32_t new_worm(events *e) {
    uint32_t id = e->free_worm;
    if (id != NOBODY) {
        e->free_worm = e->worm[id].next;
        return id;
    }
    bool room = GROW(e, worm, e->worms + 1) && GROW(e, coming, e->worms + 1) && GROW(e, going, e->worms + 1);
    return room ? e->worms++ : NOBODY;
}

static void free_worm(events *e, uint32_t id) {
    e->worm[id].next = e->free_worm;
    e->free_worm = id;
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

static void set_aim(events *e, worm *w, uint64_t node, const bough_route *r, uint64_t first, uint64_t size) {
    if (r->count == 0) {
        no_route(e, w, node);
        return;
    }
    w->first = (uint32_t)first;
    w->list = r->list;
    w->eligible = (uint32_t)r->first;
    w->count = (uint16_t)r->count;
    w->whole = r->count == size && !r->list;
    __builtin_prefetch(&e->port[first], 1);
}

/* Where the head, which is at node, asks next. */
static void aim(events *e, worm *w, uint64_t node) {
    bough_flow flow = {w->source, w->address, w->id};
    bough_route r;
    bough_range links = {0, 0};
    bough_route_at(e->routing, node, &flow, &r);
    if (r.count) links = e->ops->group_links(e->net, r.group);
    set_aim(e, w, node, &r, links.first, links.count);
}

/* The head has crossed a link. False: it is at its address. */
static bool go_on(events *e, worm *w, uint32_t link) {
    if (e->quick) {
        bough_step step;
        e->ops->step(e->net, link, w->address, &step);
        w->input = (uint16_t)step.port;
        if (step.node == w->target) return false;
        set_aim(e, w, step.node, &step.route, step.first, step.size);
    } else {
        bough_link_end end = e->ops->link_end(e->net, link);
        w->input = (uint16_t)end.port;
        if (end.node == w->target) return false;
        aim(e, w, end.node);
    }
    return true;
}

/* It asks from now on. */
static void join(events *e, uint32_t id) {
    worm *w = &e->worm[id];
    port *g = &e->port[w->first];
    w->asked = (uint32_t)e->base.now;
    w->next = g->fresh;
    g->fresh = id;
    mark(e, w->first);
}

/* ---- links become free ---- */

static void set_free(events *e, uint32_t link, uint64_t at) {
    port *p = &e->port[link];
    uint32_t first = link - p->offset;
    const port *g = &e->port[first];
    p->free_at = at;
    p->held += (uint32_t)at;
    if (at > e->last_free) e->last_free = at;
    if (g->head == NOBODY && g->fresh == NOBODY) return;
    if (at > e->base.now)
        schedule(e, at, first, false);
    else
        mark(e, first);
}

static uint32_t reach(const events *e, const worm *w) {
    return 1 + (w->flits - 1) / e->o.buffer;
}

/* free(k) for link k = 1 .. step of the path, known up to when the head crossed `known`. */
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

/* The head has just crossed its last link: when the others are free is known. */
static void finish(events *e, const worm *w) {
    uint32_t d = w->step, r = reach(e, w);
    const uint32_t *path = e->path + (uint64_t)w->row * e->stride;
    for (uint32_t k = d > r ? d - r + 1 : 1; k <= d; k++)
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now + k + w->flits - d : leaves(e, w, k, d + 1));
}

static void deliver(events *e, uint32_t id, uint64_t arrived) {
    const worm *w = &e->worm[id];
    if (GROW(e, out, e->outs + 1))
        e->out[e->outs++] = (worm_delivery){w->offered, w->offered + e->path[(uint64_t)w->row * e->stride],
                                            arrived,    w->id,
                                            w->source,  w->address,
                                            w->step};
    e->base.arrived++;
    e->free_row[e->free_rows++] = w->row;
    free_worm(e, id);
}

/* ---- service ---- */

static void take(events *e, uint32_t id, uint32_t link) {
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
    uint32_t r = reach(e, w);
    if (w->step > r) {
        uint32_t k = w->step - r;
        set_free(e, path[k], e->o.buffer == 1 ? e->base.now : leaves(e, w, k, w->step));
    }
    if (go_on(e, w, link)) {
        e->coming[e->comings++] = id;
        return;
    }
    finish(e, w);
    if (e->source->delivered)
        schedule(e, e->base.now + w->flits, id, true);
    else
        deliver(e, id, e->base.now + w->flits);
}

static uint32_t port_of(const worm *w) {
    return w->step ? w->input : BOUGH_SOURCE_PORT;
}

/* Those that came in this cycle join the queue in keyed random order. */
static void queue_up(events *e, port *g) {
    uint32_t count = 0;
    if (e->worm[g->fresh].next == NOBODY) {
        if (!GROW(e, member, 1)) return;
        e->member[count++] = g->fresh;
    } else {
        uint32_t all = 0;
        for (uint32_t id = g->fresh; id != NOBODY; id = e->worm[id].next) all++;
        if (!GROW(e, member, 2 * (uint64_t)all) || !GROW(e, order, all)) return;
        uint32_t *sorted = e->member + all;
        for (uint32_t id = g->fresh, i = all; id != NOBODY; id = e->worm[id].next) sorted[--i] = id;
        for (uint32_t i = 1; i < all; i++) { /* by (port, id); nearly in order already */
            uint32_t id = sorted[i], j = i;
            for (; j > 0; j--) {
                const worm *a = &e->worm[sorted[j - 1]], *b = &e->worm[id];
                if (port_of(a) < port_of(b) || (port_of(a) == port_of(b) && a->id < b->id)) break;
                sorted[j] = sorted[j - 1];
            }
            sorted[j] = id;
        }
        bough_serve_order(e->key, e->ops->link_group(e->net, e->worm[sorted[0]].first), e->base.now, all,
                          e->order);
        for (; count < all; count++) e->member[count] = sorted[e->order[count]];
    }
    g->fresh = NOBODY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = e->member[i];
        e->worm[id].next = NOBODY;
        if (g->head == NOBODY)
            g->head = id;
        else
            e->worm[g->tail].next = id;
        g->tail = id;
    }
}

/* The free links that w may take into e->free; returns how many. */
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

/* One of the count free links in e->free. */
static uint32_t pick(events *e, const worm *w, uint32_t count, uint32_t served) {
    if (count == 1) return (uint32_t)e->free[0];
    bough_choice choice = {
        e->key, e->ops->link_group(e->net, w->first), e->base.now, port_of(w), served, count, e->free,
        e->load};
    return (uint32_t)e->free[bough_pick_free(e->routing, &choice)];
}

/* The usual case: one head, nobody waits, the group is its own. */
static void serve_one(events *e, port *g, uint32_t id) {
    const worm *w = &e->worm[id];
    uint64_t now = e->base.now, a = e->port[w->eligible].free_at, b = NEVER;
    if (w->count == 2) b = e->port[w->eligible + 1].free_at;
    g->fresh = NOBODY;
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
        link = pick(e, w, 2, 0);
    }
    take(e, id, link);
}

static void serve(events *e, uint32_t first) {
    port *g = &e->port[first];
    bool waited = g->head != NOBODY;
    uint32_t id1 = g->fresh;
    if (!waited && id1 != NOBODY && e->worm[id1].next == NOBODY && e->worm[id1].whole &&
        e->worm[id1].count <= 2) {
        serve_one(e, g, id1);
        return;
    }
    uint32_t open = 0, served = 0, last = NOBODY;
    uint64_t soonest = NEVER;
    if (g->fresh != NOBODY) queue_up(e, g);
    for (uint64_t l = first; l == first || (l < e->links && e->port[l].offset == l - first); l++) {
        if (e->port[l].free_at <= e->base.now)
            open++;
        else if (e->port[l].free_at < soonest)
            soonest = e->port[l].free_at;
    }
    bool wake = !waited || open; /* else somebody has seen to it */
    for (uint32_t id = g->head, next; id != NOBODY && open && !e->status; id = next) {
        const worm *w = &e->worm[id];
        uint32_t count = free_links(e, w);
        next = w->next;
        if (count == 0) {
            last = id;
            continue;
        }
        uint32_t link = pick(e, w, count, served);
        *(last == NOBODY ? &g->head : &e->worm[last].next) = next;
        if (g->tail == id) g->tail = last;
        take(e, id, link);
        served++;
        open--;
    }
    if (wake && g->head != NOBODY && soonest != NEVER) schedule(e, soonest, first, false);
}

/* The group whose waiter, moving in this cycle, would free the link in it; NOBODY: none. */
static uint32_t waits_for(const events *e, uint32_t link) {
    const port *p = &e->port[link];
    if (p->free_at != NEVER || p->holder == NOBODY) return NOBODY;
    const worm *w = &e->worm[p->holder];
    uint32_t r = reach(e, w);
    if (w->step < r || (int32_t)(w->asked - (uint32_t)e->base.now) > 0 || (w->flits - 1) % e->o.buffer)
        return NOBODY;
    return e->path[(uint64_t)w->row * e->stride + w->step + 1 - r] == link ? w->first : NOBODY;
}

/* Serves a group after those whose waiters may still leave its links. */
static void settle(events *e, uint32_t first) {
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
        if (!GROW(e, opened, e->openeds + 1)) return;
        e->opened[e->openeds++] = at;
        for (uint64_t l = at; l == at || (l < e->links && e->port[l].offset == l - at); l++) {
            uint32_t before = waits_for(e, (uint32_t)l);
            if (before == NOBODY || (e->port[before].flags & OPEN)) continue;
            if (!GROW(e, stack, depth + 1)) return;
            e->stack[depth++] = before;
        }
    }
}

/* ---- a cycle ---- */

static int by_id(const void *a, const void *b) {
    const worm_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* What is due: groups to look at, sources to tell. */
static void due(events *e) {
    uint32_t *link = &e->bucket[e->base.now & e->bucket_mask], first_out = e->outs;
    while (*link != NOBODY) {
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
            deliver(e, now.what, e->base.now);
        else
            mark(e, now.what);
    }
    if (e->outs == first_out || !e->source->delivered) return;
    qsort(e->out + first_out, e->outs - first_out, sizeof *e->out, by_id);
    for (uint32_t i = first_out; i < e->outs; i++) e->source->delivered(e->source, e->out[i].id, e->base.now);
}

static void enter(events *e, const bough_message *m) {
    uint32_t id = new_worm(e);
    if (id == NOBODY) return;
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
                .row = NOBODY};
    e->base.offered++;
    if (reach(e, w) < e->stride && (flits - 1) % e->o.buffer == 0) e->cascades = true;
    aim(e, w, w->source);
    if (!e->status) join(e, id);
}

static void cycle(events *e) {
    bough_message batch[64];
    uint32_t got, *was = e->coming, came = e->comings;
    due(e);
    e->coming = e->going;
    e->going = was;
    e->comings = 0;
    for (uint32_t i = 0; i < came; i++) join(e, was[i]);
    if (e->birth <= e->base.now || e->source->delivered) {
        do {
            got = e->source->pop(e->source, e->base.now, batch, 64);
            for (uint32_t i = 0; i < got && !e->status; i++) enter(e, &batch[i]);
        } while (got == 64 && !e->status);
        e->birth = e->source->next_time(e->source);
    }
    for (uint32_t i = 0; i < e->dirties && !e->status; i++) {
        if (e->cascades) {
            settle(e, e->dirty[i]);
        } else {
            e->port[e->dirty[i]].flags &= (uint8_t)~DIRTY;
            serve(e, e->dirty[i]);
        }
    }
    for (uint32_t i = 0; i < e->dirties && e->cascades; i++) e->port[e->dirty[i]].flags = 0;
    for (uint32_t i = 0; i < e->openeds; i++) e->port[e->opened[i]].flags = 0;
    e->dirties = e->openeds = 0;
}

/* The next cycle in which something happens, at most until. */
static uint64_t next_cycle(events *e, uint64_t until) {
    uint64_t next = e->birth;
    if (e->comings || next <= e->base.now) return e->base.now;
    if (next > until) next = until;
    if (e->pending == 0) return next;
    for (uint64_t c = e->base.now; c < next && c <= e->base.now + e->bucket_mask; c++)
        if (e->bucket[c & e->bucket_mask] != NOBODY) return c;
    return next < e->base.now + e->bucket_mask ? next : e->base.now + e->bucket_mask;
}

static bough_status advance(worm_engine *engine, uint64_t until, uint64_t want, const worm_delivery **out,
                            uint64_t *count, bough_error *error) {
    events *e = (events *)engine;
    e->error = error;
    e->outs = 0;
    while (e->base.now < until && e->outs < want && !e->status) {
        if (!e->comings && !e->pending && e->birth == BOUGH_NONE) { /* all but the last tails */
            uint64_t end = e->last_free < until ? e->last_free : until;
            if (end > e->base.now) e->base.now = end;
            break;
        }
        e->base.now = next_cycle(e, until);
        if (e->base.now == until) break;
        cycle(e);
        e->base.now++;
    }
    *out = e->out;
    *count = e->outs;
    return e->status;
}

/* ---- the tally ---- */

static void reset(worm_engine *engine) {
    events *e = (events *)engine;
    e->reset_at = e->base.now;
    e->entered = e->entry_waited = 0;
    memset(e->grants, 0, sizeof e->grants);
    memset(e->waited, 0, sizeof e->waited);
    for (uint64_t l = 0; l < e->links; l++) {
        port *p = &e->port[l];
        p->held = p->free_at == NEVER        ? -(uint32_t)e->base.now
                  : p->free_at > e->base.now ? (uint32_t)(p->free_at - e->base.now)
                                             : 0;
    }
}

static void count(const worm_engine *engine, worm_tally *t) {
    const events *e = (const events *)engine;
    *t = (worm_tally){
        .cycles = e->base.now - e->reset_at, .entered = e->entered, .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    for (uint64_t l = 0; l < e->links; l++) {
        const port *p = &e->port[l];
        uint32_t held = p->held;
        if (p->free_at == NEVER)
            held += (uint32_t)e->base.now;
        else if (p->free_at > e->base.now)
            held -= (uint32_t)(p->free_at - e->base.now);
        worm_tally_link(t, l, p->kind, held);
    }
}

/* ---- deadlock ---- */

/* A link that w may take is free, will be, or is held by one who moves on. */
static bool can_move(const events *e, const worm *w, const uint8_t *waits) {
    for (uint32_t i = 0; i < w->count; i++) {
        const port *p = &e->port[w->list ? w->list[i] : w->eligible + i];
        if (p->free_at != NEVER || !waits[p->holder]) return true;
    }
    return false;
}

static bough_status stuck(worm_engine *engine, uint64_t *count, uint64_t *link, uint64_t limit,
                          bough_error *error) {
    const events *e = (const events *)engine;
    uint8_t *waits;
    uint64_t left = 0, before = UINT64_MAX;
    bough_status status = bough_alloc(&waits, (uint64_t)e->worms + 1, 1, error);
    if (status) return status;
    for (uint64_t l = 0; l < e->links; l++)
        for (uint32_t id = e->port[l].head; id != NOBODY; id = e->worm[id].next) waits[id] = 1, left++;
    while (left < before) {
        before = left;
        for (uint64_t l = 0; l < e->links; l++)
            for (uint32_t id = e->port[l].head; id != NOBODY; id = e->worm[id].next)
                if (waits[id] && can_move(e, &e->worm[id], waits)) waits[id] = 0, left--;
    }
    *count = left;
    for (uint64_t l = 0, said = 0; l < e->links && said < limit && said < left; l++)
        for (uint32_t id = e->port[l].head; id != NOBODY && said < limit; id = e->worm[id].next)
            if (waits[id]) link[said++] = e->worm[id].list ? e->worm[id].list[0] : e->worm[id].eligible;
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

static void destroy(worm_engine *engine) {
    events *e = (events *)engine;
    void *all[] = {e->port,  e->worm,     e->path,   e->crossed, e->event, e->bucket,
                   e->used,  e->free_row, e->coming, e->going,   e->dirty, e->opened,
                   e->stack, e->order,    e->member, e->out,     e->free,  e->load};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(e);
}

static void start(worm_engine *engine, bough_key key, bough_source *source) {
    events *e = (events *)engine;
    e->key = key;
    e->source = source;
    e->worms = e->rows = e->free_rows = e->events = 0;
    e->free_worm = e->free_event = NOBODY;
    e->comings = e->dirties = e->openeds = e->outs = 0;
    e->pending = e->base.now = e->base.offered = e->base.arrived = e->base.moves = 0;
    e->cascades = false;
    e->birth = source->next_time(source);
    e->last_free = 0;
    e->status = BOUGH_OK;
    memset(e->bucket, 0xff, ((size_t)e->bucket_mask + 1) * sizeof *e->bucket);
    if (e->used) memset(e->used, 0, e->links * sizeof *e->used);
    for (uint64_t l = 0; l < e->links; l++) {
        port *p = &e->port[l];
        p->free_at = 0;
        p->holder = p->head = p->tail = p->fresh = NOBODY;
        p->flags = 0;
    }
    reset(engine);
}

static const worm_engine_ops ops = {destroy, start, advance, stuck, reset, count};

bough_status worm_events_make(const bough_routing *routing, const worm_options *o, unsigned hops,
                              worm_engine **out, bough_error *error) {
    const bough_net *net = routing->net;
    events *e;
    *out = NULL;
    if (net->links >= NOBODY || net->nodes >= NOBODY || net->group_max > UINT16_MAX || hops > UINT16_MAX ||
        2 * net->levels + 2 > WORM_KINDS)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s: worms take at most 2^32 links, 2^16 of a group, and %d levels", net->spec,
                          WORM_KINDS / 2 - 1);
    bough_status status = bough_alloc(&e, 1, sizeof *e, error);
    if (status) return status;
    *out = &e->base;
    e->base.ops = &ops;
    e->routing = routing;
    e->net = net;
    e->ops = net->ops;
    e->o = *o;
    e->quick = net->ops->step && !routing->kind->route && !net->dead;
    e->stride = hops + 1;
    e->links = net->links;
    e->bucket_mask = (uint32_t)bucket_count(o->flits) - 1;
    status = bough_alloc(&e->port, net->links, sizeof *e->port, error);
    if (!status) status = bough_alloc(&e->bucket, (uint64_t)e->bucket_mask + 1, sizeof *e->bucket, error);
    if (!status) status = bough_alloc(&e->free, net->group_max, sizeof *e->free, error);
    if (!status) status = bough_alloc(&e->load, net->group_max, sizeof *e->load, error);
    if (!status && routing->kind->wants_load)
        status = bough_alloc(&e->used, net->links, sizeof *e->used, error);
    for (uint64_t g = 0; g < net->groups && !status; g++) {
        bough_range links = net->ops->group_links(net, g);
        for (uint64_t i = 0; i < links.count; i++) {
            port *p = &e->port[links.first + i];
            p->offset = (uint16_t)i;
            p->kind = (uint8_t)worm_kind(net, links.first + i);
        }
    }
    return status;
}
