/* In one cycle the tail of one worm can make room for the head of another, whose tail makes room for a third. So a group
 * is served only after the groups whose worms may still leave its links (depth first); worms that would all have to move
 * at once, in a ring, do not. Then the outcome does not depend on any order, wherever routes have no cycles. */
#include "support/worm_stepper.h"

#include <assert.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
#define HOPS   64

typedef struct worm {
    bough_flow flow;
    bough_route route; /* where its head waits */
    uint64_t node, path[HOPS];
    uint32_t port, step, length; /* step: channels the head has crossed, then cycles since; length: 0 until it is in */
    bool waits;
} worm;

typedef struct stepper {
    const bough_routing *routing;
    const bough_net *net;
    bough_key key;
    worm_result *r;
    worm *worm;
    uint32_t *holder, *used; /* per link: the worm whose flit its buffer holds; heads that took it */
    uint32_t *alive, *coming, *queue, *order; /* worms; coming: to stand in the queue of all groups next cycle */
    uint32_t alive_count, coming_count, queue_count, *load;
    uint64_t *served, *free, now; /* served, per group: 2 now + 1 while it is served, 2 now + 2 after */
    bool moved;
} stepper;

static bool before(const stepper *s, uint32_t a, uint32_t b) {
    const worm *v = &s->worm[a], *w = &s->worm[b];
    if (v->route.group != w->route.group) return v->route.group < w->route.group;
    return v->port != w->port ? v->port < w->port : a < b;
}

static void arrive(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    bool wrong = w->step && !(s->net->ops->node_roles(s->net, w->node) & BOUGH_SWITCH); /* no way through adapters */
    bough_route_at(s->routing, w->node, &w->flow, &w->route);
    s->r->fate[id].lost = wrong || w->route.count == 0;
    if (s->r->fate[id].lost) return;
    uint32_t i = s->coming_count++;
    for (; i > 0 && before(s, id, s->coming[i - 1]); i--) s->coming[i] = s->coming[i - 1];
    s->coming[i] = id;
}

/* One step of the whole worm: flit j crosses channel step - j of its path, the foremost first. */
static void advance(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    uint64_t step = ++w->step, in = w->length && step > w->length ? step - w->length - 1 : 0;
    s->moved = true;
    for (uint64_t j = in; j < s->r->fate[id].flits && j < step; j++) {
        if (step - j > 1) s->holder[w->path[step - j - 2]] = NOBODY;
        if (w->length && step - j > w->length) continue; /* the sink takes it */
        assert(s->holder[w->path[step - j - 1]] == NOBODY);
        s->holder[w->path[step - j - 1]] = id;
        s->r->crossings++;
    }
}

static void grant(stepper *s, uint32_t id, uint64_t link) {
    worm *w = &s->worm[id];
    bough_link_end end = s->net->ops->link_end(s->net, link);
    assert(w->step < HOPS);
    w->path[w->step] = link;
    w->waits = false;
    s->used[link]++;
    advance(s, id);
    w->node = end.node;
    w->port = end.port;
    s->r->fate[id].hops = w->step;
    if (end.node == bough_address_node(s->net, w->flow.address))
        w->length = w->step;
    else
        arrive(s, id);
}

static void serve(stepper *s, uint64_t group) {
    bough_range links = s->net->ops->group_links(s->net, group);
    if (s->served[group] > 2 * s->now) return;
    s->served[group] = 2 * s->now + 1;
    for (uint64_t l = links.first; l < links.first + links.count; l++)
        if (s->holder[l] != NOBODY && s->worm[s->holder[l]].waits) serve(s, s->worm[s->holder[l]].route.group);
    s->served[group] = 2 * s->now + 2;
    for (uint32_t q = 0, granted = 0; q < s->queue_count; q++) {
        const worm *w = &s->worm[s->queue[q]];
        if (!w->waits || w->route.group != group) continue;
        bough_choice choice = {s->key, group, s->now, w->port, granted, 0, s->free, s->load};
        for (uint32_t i = 0; i < w->route.count; i++) {
            uint64_t link = bough_route_link(&w->route, i);
            if (s->holder[link] != NOBODY || !bough_link_alive(s->net, link)) continue;
            s->load[choice.count] = s->used[link];
            s->free[choice.count++] = link;
        }
        if (choice.count == 0) continue;
        granted++;
        grant(s, s->queue[q], s->free[bough_pick_free(s->routing, &choice)]);
    }
}

/* Drops those that went on; appends those that came, in keyed random order at each group. */
static void queue_up(stepper *s) {
    uint32_t kept = 0;
    for (uint32_t q = 0; q < s->queue_count; q++)
        if (s->worm[s->queue[q]].waits) s->queue[kept++] = s->queue[q];
    for (uint32_t i = 0, count; i < s->coming_count; i += count) {
        uint64_t group = s->worm[s->coming[i]].route.group;
        for (count = 1; i + count < s->coming_count; count++)
            if (s->worm[s->coming[i + count]].route.group != group) break;
        bough_serve_order(s->key, group, s->now, count, s->order);
        for (uint32_t k = 0; k < count; k++) s->queue[kept++] = s->coming[i + s->order[k]];
    }
    for (uint32_t q = 0; q < kept; q++) s->worm[s->queue[q]].waits = true;
    s->queue_count = kept;
    s->coming_count = 0;
}

/* Worms whose head is in go on whatever happens. */
static void drain(stepper *s, bough_source *source) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->alive_count; i++) {
        uint32_t id = s->alive[i], length = s->worm[id].length;
        worm_fate *fate = &s->r->fate[id];
        if (length) advance(s, id);
        fate->arrived = length && s->worm[id].step == length + fate->flits;
        fate->delivered = s->now;
        if (fate->arrived && source->delivered) source->delivered(source, id, s->now);
        if (!fate->arrived && !fate->lost) s->alive[kept++] = id;
    }
    s->alive_count = kept;
}

static void *zeroed(uint64_t count, size_t size) {
    void *p = calloc(count + 1, size);
    return p ? p : (abort(), NULL);
}

void worm_step(const bough_routing *routing, bough_source *source, uint64_t flits, uint32_t messages, uint64_t cycles,
               bough_key key, worm_result *r) {
    const bough_net *net = routing->net;
    uint32_t *words = zeroed(2 * net->links + 4 * (uint64_t)messages + net->group_max, sizeof *words);
    stepper s = {.routing = routing, .net = net, .key = key, .r = r, .holder = words, .used = words + net->links};
    s.alive = s.used + net->links, s.coming = s.alive + messages, s.queue = s.coming + messages;
    s.order = s.queue + messages, s.load = s.order + messages;
    s.worm = zeroed(messages, sizeof *s.worm);
    s.served = zeroed(net->groups + net->group_max, sizeof *s.served);
    s.free = s.served + net->groups;
    *r = (worm_result){.fate = zeroed(messages, sizeof *r->fate)};
    for (uint64_t l = 0; l < net->links; l++) s.holder[l] = NOBODY;
    for (; s.now < cycles && !r->stuck; s.now++) {
        s.moved = false;
        drain(&s, source);
        if (s.alive_count == 0 && source->next_time(source) == BOUGH_NONE) break;
        for (bough_message m; r->count < messages && source->pop(source, s.now, &m, 1); r->count++) {
            r->fate[m.id] = (worm_fate){
                .offered = m.time, .flits = m.size * flits, .source = m.source, .address = m.address};
            s.worm[m.id] = (worm){.flow = {m.source, m.address, m.id}, .node = m.source};
            s.alive[s.alive_count++] = m.id;
            arrive(&s, m.id);
        }
        queue_up(&s);
        for (uint32_t q = 0; q < s.queue_count; q++) serve(&s, s.worm[s.queue[q]].route.group);
        r->stuck = !s.moved && s.alive_count && source->next_time(source) == BOUGH_NONE;
    }
    r->cycles = s.now;
    free(words);
    free(s.worm);
    free(s.served);
}

void worm_fini(worm_result *r) {
    free(r->fate);
    *r = (worm_result){0};
}
