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
    uint32_t step, length; /* channels the head has crossed, then cycles since; how many there are, once it is known */
    uint32_t port, next;
} worm;

typedef struct stepper {
    const bough_routing *routing;
    const bough_net *net;
    bough_key key;
    worm_result *r;
    worm *worm;
    uint32_t *alive, alive_count, *arriving, arriving_count, *order; /* arriving: they join queues in the next cycle */
    uint32_t *holder, *used; /* per link: the worm whose flit its buffer holds; how many heads took it */
    uint32_t *first, *last;  /* per group: its queue */
    uint64_t *served;        /* per group: 2 now + 1 while it is served, 2 now + 2 after */
    uint64_t *free, now;
    uint32_t *load;
    bool moved;
} stepper;

static void arrive(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    bool wrong = w->step && !(s->net->ops->node_roles(s->net, w->node) & BOUGH_SWITCH); /* an adapter passes nothing on */
    bough_route_at(s->routing, w->node, &w->flow, &w->route);
    s->r->fate[id].lost = wrong || w->route.count == 0;
    if (s->r->fate[id].lost) return;
    uint32_t i = s->arriving_count++; /* by (group, input port, id) */
    for (; i > 0; i--) {
        const worm *v = &s->worm[s->arriving[i - 1]];
        if (v->route.group < w->route.group) break;
        if (v->route.group == w->route.group && (v->port < w->port || (v->port == w->port && s->arriving[i - 1] < id))) break;
        s->arriving[i] = s->arriving[i - 1];
    }
    s->arriving[i] = id;
}

/* One step of the whole worm, flit after flit: flit j crosses channel step - j of its path. */
static void advance(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    uint64_t step = ++w->step, flits = s->r->fate[id].flits;
    s->moved = true;
    for (uint64_t j = w->length && step > w->length ? step - w->length - 1 : 0; j < flits && j < step; j++) {
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
    s->used[link]++;
    advance(s, id);
    w->node = end.node;
    w->port = end.port;
    s->r->fate[id].hops = w->step;
    if (end.node == bough_address_node(s->net, w->flow.address)) w->length = w->step;
    else arrive(s, id);
}

static void serve(stepper *s, uint64_t group) {
    if (s->served[group] > 2 * s->now || s->first[group] == NOBODY) return;
    bough_range links = s->net->ops->group_links(s->net, group);
    s->served[group] = 2 * s->now + 1;
    for (uint64_t l = links.first; l < links.first + links.count; l++)
        if (s->holder[l] != NOBODY && !s->worm[s->holder[l]].length) serve(s, s->worm[s->holder[l]].route.group);
    s->served[group] = 2 * s->now + 2;
    uint32_t granted = 0, before = NOBODY;
    for (uint32_t id = s->first[group], next; id != NOBODY; id = next) {
        const worm *w = &s->worm[id];
        bough_choice choice = {s->key, group, s->now, w->port, granted, 0, s->free, s->load};
        next = w->next;
        for (uint32_t i = 0; i < w->route.count; i++) {
            uint64_t link = bough_route_link(&w->route, i);
            if (s->holder[link] != NOBODY || !bough_link_alive(s->net, link)) continue;
            s->load[choice.count] = s->used[link];
            s->free[choice.count++] = link;
        }
        if (choice.count == 0) {
            before = id;
            continue;
        }
        *(before == NOBODY ? &s->first[group] : &s->worm[before].next) = next;
        if (s->last[group] == id) s->last[group] = before;
        grant(s, id, s->free[bough_pick_free(s->routing, &choice)]);
        granted++;
    }
}

static void join_queues(stepper *s) {
    for (uint32_t i = 0, count; i < s->arriving_count; i += count) {
        uint64_t group = s->worm[s->arriving[i]].route.group;
        for (count = 1; i + count < s->arriving_count; count++)
            if (s->worm[s->arriving[i + count]].route.group != group) break;
        bough_serve_order(s->key, group, s->now, count, s->order);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t id = s->arriving[i + s->order[k]];
            s->worm[id].next = NOBODY;
            *(s->first[group] == NOBODY ? &s->first[group] : &s->worm[s->last[group]].next) = id;
            s->last[group] = id;
        }
    }
    s->arriving_count = 0;
}

/* Worms whose head is in move on whatever happens. */
static void drain(stepper *s, bough_source *source) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->alive_count; i++) {
        uint32_t id = s->alive[i];
        worm_fate *fate = &s->r->fate[id];
        if (s->worm[id].length) advance(s, id);
        fate->arrived = s->worm[id].length && s->worm[id].step == s->worm[id].length + fate->flits;
        fate->delivered = s->now;
        if (fate->arrived && source->delivered) source->delivered(source, id, s->now);
        if (!fate->arrived && !fate->lost) s->alive[kept++] = id;
    }
    s->alive_count = kept;
}

static void enter(stepper *s, const bough_message *m, uint64_t flits) {
    assert(m->id == s->r->count);
    s->r->fate[m->id] = (worm_fate){.offered = m->time, .flits = m->size * flits, .source = m->source, .address = m->address};
    s->worm[m->id] = (worm){.flow = {m->source, m->address, m->id}, .node = m->source};
    s->alive[s->alive_count++] = s->r->count++;
    arrive(s, m->id);
}

void worm_step(const bough_routing *routing, bough_source *source, uint64_t flits, uint32_t messages, uint64_t cycles,
               bough_key key, worm_result *r) {
    const bough_net *net = routing->net;
    bough_message message;
    stepper s = {.net = net, .routing = routing, .key = key, .r = r};
    *r = (worm_result){.fate = calloc(messages + 1, sizeof *r->fate)};
    const struct {
        void *slot;
        uint64_t count, size;
    } want[] = {{&s.worm, messages, sizeof *s.worm}, {&s.alive, messages, 4}, {&s.arriving, messages, 4},
                {&s.order, messages, 4}, {&s.holder, net->links, 4}, {&s.used, net->links, 4}, {&s.first, net->groups, 4},
                {&s.last, net->groups, 4}, {&s.served, net->groups, 8}, {&s.free, net->group_max, 8}, {&s.load, net->group_max, 4}};
    enum { ARRAYS = sizeof want / sizeof *want };
    for (int i = 0; i < ARRAYS; i++)
        if (!(*(void **)want[i].slot = calloc(want[i].count + 1, want[i].size))) abort();
    for (uint64_t l = 0; l < net->links; l++) s.holder[l] = NOBODY;
    for (uint64_t g = 0; g < net->groups; g++) s.first[g] = NOBODY;
    for (; s.now < cycles && !r->stuck; s.now++) {
        s.moved = false;
        drain(&s, source);
        if (s.alive_count == 0 && source->next_time(source) == BOUGH_NONE) break;
        while (r->count < messages && source->pop(source, s.now, &message, 1)) enter(&s, &message, flits);
        join_queues(&s);
        for (uint32_t i = 0; i < s.alive_count; i++)
            if (!s.worm[s.alive[i]].length) serve(&s, s.worm[s.alive[i]].route.group);
        r->stuck = !s.moved && s.alive_count && source->next_time(source) == BOUGH_NONE;
    }
    r->cycles = s.now;
    for (int i = 0; i < ARRAYS; i++) free(*(void **)want[i].slot);
}

void worm_fini(worm_result *r) {
    free(r->fate);
    *r = (worm_result){0};
}
