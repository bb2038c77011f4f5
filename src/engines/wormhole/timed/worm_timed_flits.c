/* Steps of heads, and what is known about the flits that follow: when links become free, when heads reach
 * the ends of links. */
#include "base/memory/memory.h"
#include "engines/wormhole/timed/worm_timed_state.h"
#include "traffic/timeline/timeline.h"

/* Time of a number of flits at the rate of a link. */
static uint64_t time_of_flits(const engine *e, uint64_t flits, uint32_t link) {
    const port *p = &e->port[link];
    if (p->whole) return bough_mul(flits, p->flit);
    return worm_wire_time(bough_mul(flits, e->o.flit), p->rate);
}

/* The hop of a worm that has taken this link. */
static uint32_t hop_on(const engine *e, const worm *w, uint32_t link) {
    const timed_hop *path = worm_timed_path(e, w);
    uint32_t k = w->steps;
    while (k > 0 && path[--k].link != link) continue;
    return k;
}

/* A flit of a worm at the start of a hop of its path. */
typedef struct flit_start {
    uint32_t hop;
    uint64_t flit;
    uint64_t time;  /* out, if known */
    uint64_t ahead; /* out, if not: flits before it that have to take the next link of the head; 0: it starts
                       when the head does */
} flit_start;

/* T(flit, hop). False if it depends on the next step of the head. */
static bool find_start(const engine *e, const worm *w, flit_start *s) {
    const timed_hop *path = worm_timed_path(e, w);
    uint64_t flit = s->flit;
    uint32_t known = w->steps + (w->state == TIMED_ENDING);
    s->time = 0;
    for (uint32_t k = s->hop; k < known; k++) {
        uint64_t time = path[k].start + time_of_flits(e, flit, path[k].pace);
        if (time > s->time) s->time = time;
        if (k == w->steps) return true; /* the sink */
        uint64_t storage = e->port[path[k].link].storage;
        if (flit < storage) return true;
        flit -= storage;
    }
    s->ahead = flit;
    return false;
}

static void set_free(engine *e, uint32_t link, uint64_t at) {
    port *p = &e->port[link];
    uint32_t first = link - p->offset;
    const port *g = &e->port[first];
    p->free_at = at;
    p->held += at;
    if (g->head == NONE && g->fresh == NONE) return;
    if (at > e->base.now)
        worm_timed_wake(e, first, at);
    else
        worm_timed_mark(e, first);
}

/* Adds a link to those that await a worm. */
static void await_worm(engine *e, uint32_t link, uint32_t id) {
    e->port[link].next = e->worm[id].links;
    e->worm[id].links = link;
}

/* Awaits that a flit starts: with each step of the head it comes nearer by the storage of a link at most. */
static void await_flit(engine *e, uint32_t link, uint32_t id, const flit_start *s, uint64_t at_once) {
    port *p = &e->port[link];
    const uint64_t steps = s->ahead / e->largest_storage;
    p->awaited = id;
    p->at_once = s->ahead ? NEVER : at_once;
    p->until = e->worm[id].steps + (uint32_t)(steps < e->stride ? steps : e->stride);
    await_worm(e, link, id);
}

/* The worm of the flit that has to leave before a next one finds room, and that flit; NONE: it has left. */
static uint32_t find_room(const engine *e, uint32_t link, flit_start *s) {
    const port *p = &e->port[link];
    const uint64_t room = e->o.owned ? 1 : p->storage;
    if (p->taken < room) return NONE;
    uint64_t number = p->taken - room;
    for (uint32_t id = p->last; id != NONE;) {
        const worm *w = &e->worm[id];
        uint32_t k = hop_on(e, w, link);
        const timed_hop *hop = worm_timed_path(e, w) + k;
        *s = (flit_start){.hop = k + 1, .flit = number - hop->first};
        if (hop->first <= number) return s->flit < w->flits ? id : NONE;
        id = hop->before;
    }
    return NONE;
}

/* Determines when the next head can start on a link, or what this depends on. */
static void release(engine *e, uint32_t link) {
    const port *p = &e->port[link];
    const worm *w = &e->worm[p->last];
    flit_start tail = {.hop = hop_on(e, w, link), .flit = w->flits - 1}, out = {0};
    if (!find_start(e, w, &tail)) {
        await_flit(e, link, p->last, &tail, NEVER);
        return;
    }
    uint64_t at = tail.time + p->flit, passed = at;
    uint32_t other = find_room(e, link, &out);
    if (other != NONE && !find_start(e, &e->worm[other], &out)) {
        await_flit(e, link, other, &out, at);
        return;
    }
    if (other != NONE && out.time > at) at = out.time;
    if (e->base.seen)
        timeline_carry(e->base.seen, link, worm_timed_path(e, w)[tail.hop].start, passed,
                       8 * (double)e->o.flit * (double)w->flits);
    set_free(e, link, at);
}

/* As in worm_timed.h, on an idle network. */
static uint64_t time_alone(const engine *e, const worm *w) {
    const timed_hop *path = worm_timed_path(e, w);
    uint64_t time = time_of_flits(e, w->flits - 1, path[w->steps].pace);
    for (uint32_t k = 0; k < w->steps; k++) {
        const port *p = &e->port[path[k].link];
        time = bough_add(time, p->flit + p->delay + (k + 1 < w->steps ? p->onward : 0));
    }
    return time;
}

static void reach_sink(engine *e, uint32_t id, uint64_t at) {
    worm *w = &e->worm[id];
    timed_hop *path = worm_timed_path(e, w);
    path[w->steps] = (timed_hop){.start = at, .link = NONE, .pace = path[w->steps - 1].pace};
    w->state = TIMED_ENDING;
    heap_put(&e->events, id, at + time_of_flits(e, w->flits - 1, path[w->steps].pace), 0);
    if (e->base.seen) timeline_alone(e->base.seen, w->id, time_alone(e, w));
    e->moved[e->moved_count++] = id;
}

/* Determines when the head reaches the end of its link. */
static void reach_end(engine *e, uint32_t id) {
    worm *w = &e->worm[id];
    const timed_hop *hop = worm_timed_path(e, w) + w->steps - 1;
    const port *p = &e->port[hop->link];
    uint64_t at = hop->start + p->flit + p->delay + (w->last_link ? 0 : p->onward);
    if (hop->before != NONE) {
        worm *before = &e->worm[hop->before];
        flit_start tail = {.hop = hop_on(e, before, hop->link) + 1, .flit = before->flits - 1};
        if (!find_start(e, before, &tail)) {
            w->state = TIMED_BEHIND;
            w->behind = hop->before;
            w->next = before->heads;
            before->heads = id;
            return;
        }
        if (tail.time + p->flit > at) at = tail.time + p->flit;
    }
    if (w->last_link) {
        reach_sink(e, id, at);
    } else {
        w->state = TIMED_MOVING;
        heap_put(&e->events, id, at, 0);
    }
}

/* A worm has taken a step: examines the links and heads that have awaited it. */
static void examine_awaiting(engine *e, uint32_t id) {
    worm *w = &e->worm[id];
    uint32_t link = w->links, head = w->heads;
    w->links = w->heads = NONE;
    for (uint32_t next; link != NONE; link = next) {
        next = e->port[link].next;
        if (w->state != TIMED_ENDING && w->steps < e->port[link].until) {
            await_worm(e, link, id);
            continue;
        }
        e->port[link].awaited = NONE;
        release(e, link);
    }
    for (uint32_t next; head != NONE; head = next) {
        next = e->worm[head].next;
        reach_end(e, head);
    }
}

/* Where the head is when it has crossed a link. */
static void go_on(engine *e, worm *w, uint32_t link) {
    bough_link_end end = e->ops->link_end(e->net, link);
    w->input = end.port;
    w->last_link = end.node == w->target;
    if (!w->last_link) worm_timed_aim(e, w, end.node);
}

static bool new_row(engine *e, worm *w) {
    if (e->free_rows) {
        w->row = e->free_row[--e->free_rows];
        return true;
    }
    if (!GROW(e, hop, ((uint64_t)e->rows + 1) * e->stride) || !GROW(e, free_row, e->rows + 1)) return false;
    w->row = e->rows++;
    return true;
}

/* Appends the link to the path, and the worm to those on the link. */
static void take(engine *e, uint32_t id, uint32_t link) {
    worm *w = &e->worm[id];
    port *p = &e->port[link];
    timed_hop *hop = worm_timed_path(e, w) + w->steps;
    uint32_t pace = w->steps ? hop[-1].pace : link;
    if (p->rate < e->port[pace].rate) pace = link;
    *hop = (timed_hop){e->base.now, p->taken, link, pace, p->last, NONE};
    if (p->last != NONE) {
        const worm *before = &e->worm[p->last];
        worm_timed_path(e, before)[hop_on(e, before, link)].after = id;
    }
    p->last = id;
    p->taken += w->flits;
    p->free_at = NEVER;
    p->held -= e->base.now;
    w->steps++;
}

void worm_timed_step(engine *e, uint32_t id, uint32_t link) {
    worm *w = &e->worm[id];
    port *p = &e->port[link];
    if (w->steps == 0) {
        if (!new_row(e, w)) return;
        w->entered = e->base.now;
        e->entered++;
        e->entry_waited += e->base.now - w->offered;
    } else if (w->steps + 2 > e->stride) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a path of more than %u links", e->stride - 1);
        return;
    }
    e->base.moves++;
    e->grants[p->kind]++;
    e->waited[p->kind] += e->base.now - w->asked;
    if (e->base.seen) timeline_lose(e->base.seen, w->id, link, e->base.now - w->asked);
    if (e->used) e->used[link]++;
    w->state = TIMED_MOVING;
    take(e, id, link);
    go_on(e, w, link);
    e->moved_count = 0;
    e->moved[e->moved_count++] = id;
    release(e, link);
    reach_end(e, id);
    for (uint32_t i = 0; i < e->moved_count; i++) examine_awaiting(e, e->moved[i]);
}

void worm_timed_leave(engine *e, const worm *w) {
    const timed_hop *path = worm_timed_path(e, w);
    for (uint32_t k = 0; k < w->steps; k++) {
        const timed_hop *hop = &path[k];
        if (hop->after == NONE) {
            e->port[hop->link].last = hop->before;
        } else {
            const worm *after = &e->worm[hop->after];
            worm_timed_path(e, after)[hop_on(e, after, hop->link)].before = hop->before;
        }
        if (hop->before == NONE) continue;
        const worm *before = &e->worm[hop->before];
        worm_timed_path(e, before)[hop_on(e, before, hop->link)].after = hop->after;
    }
}
