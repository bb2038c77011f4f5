/* In one cycle the tail of one worm can make room for the head of another, whose tail makes room for a third.
 * So a group is served after the groups whose worms may still leave its links (depth first); worms that would
 * all have to move at once, in a ring, do not. Then no order matters, wherever routes have no cycles. */
#include "support/worm_stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOBODY UINT32_MAX

typedef struct worm {
    bough_flow flow;
    bough_route route; /* where its head waits */
    bough_link_end at;
    uint64_t rank, path[64]; /* rank: order among those that come in one cycle */
    uint32_t step, length;   /* channels the head has crossed, then cycles; length: 0 until it is in */
    bool waits;
} worm;

typedef struct stepper {
    const bough_routing *routing;
    const bough_net *net;
    bough_key key;
    worm_result *r;
    worm *worm;
    uint32_t *coming, *queue, *order, coming_count, queue_count; /* queue: of all groups, joined by coming */
    uint32_t *holder, *used, *load; /* per link: the worm whose flit its buffer holds; heads that took it */
    uint64_t *served, *free, now;   /* per group: 2 now + 1 while it is served, 2 now + 2 after */
} stepper;

/* The head asks where to go next; it joins the queue there in the next cycle. */
static void arrive(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    uint32_t i = s->coming_count++;
    bough_route_at(s->routing, w->at.node, &w->flow, &w->route);
    bough_route_draw(s->routing, s->key, w->flow.key, w->at.node, &w->route);
    if (w->route.count == 0) abort();
    w->rank = w->route.group << 32 | w->at.port;
    for (; i > 0 && s->worm[s->coming[i - 1]].rank > w->rank; i--) s->coming[i] = s->coming[i - 1];
    s->coming[i] = id;
}

/* One step of the whole worm: flit j crosses channel step - j of its path, the foremost first. */
static void advance(stepper *s, uint32_t id) {
    worm *w = &s->worm[id];
    uint64_t step = ++w->step, in = w->length && step > w->length ? step - w->length - 1 : 0;
    for (uint64_t j = in; j < s->r->fate[id].flits && j < step; j++) {
        if (step - j > 1) s->holder[w->path[step - j - 2]] = NOBODY;
        if (w->length && step - j > w->length) continue;         /* the sink takes it */
        if (s->holder[w->path[step - j - 1]] != NOBODY) abort(); /* one flit a buffer */
        s->holder[w->path[step - j - 1]] = id;
        s->r->crossings++;
    }
}

static void grant(stepper *s, uint32_t id, uint64_t link) {
    worm *w = &s->worm[id];
    if (w->step == sizeof w->path / sizeof *w->path) abort();
    w->path[w->step] = link;
    s->used[link]++;
    advance(s, id);
    w->waits = false;
    w->at = s->net->ops->link_end(s->net, link);
    s->r->fate[id].hops = w->step;
    if (w->at.node == bough_address_node(s->net, w->flow.address))
        w->length = w->step;
    else
        arrive(s, id);
}

static void serve(stepper *s, uint64_t group) {
    bough_range links = s->net->ops->group_links(s->net, group);
    if (s->served[group] > 2 * s->now) return;
    s->served[group] = 2 * s->now + 1;
    for (uint64_t l = links.first; l < links.first + links.count; l++)
        if (s->holder[l] != NOBODY && s->worm[s->holder[l]].waits)
            serve(s, s->worm[s->holder[l]].route.group);
    s->served[group] = 2 * s->now + 2;
    for (uint32_t q = 0, granted = 0; q < s->queue_count; q++) {
        const worm *w = &s->worm[s->queue[q]];
        bough_choice choice = {s->key, group, s->now, w->at.port, granted, 0, s->free, s->load};
        for (uint32_t i = 0; w->waits && w->route.group == group && i < w->route.count; i++) {
            uint64_t link = bough_route_link(&w->route, i);
            if (s->holder[link] != NOBODY || !bough_link_alive(s->net, link)) continue;
            s->load[choice.count] = s->used[link];
            s->free[choice.count++] = link;
        }
        if (choice.count == 0) continue;
        grant(s, s->queue[q], s->free[bough_select_free(s->routing, &choice)]);
        granted++;
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
        bough_arbitration_order(s->key, group, s->now, count, s->order);
        for (uint32_t k = 0; k < count; k++) s->queue[kept++] = s->coming[i + s->order[k]];
    }
    for (uint32_t q = 0; q < kept; q++) s->worm[s->queue[q]].waits = true;
    s->queue_count = kept;
    s->coming_count = 0;
}

/* Worms whose head is in go on whatever happens. */
static void drain(stepper *s, bough_source *source, uint32_t id) {
    worm_fate *fate = &s->r->fate[id];
    if (!s->worm[id].length || fate->arrived) return;
    advance(s, id);
    fate->arrived = s->worm[id].step == s->worm[id].length + fate->flits;
    fate->delivered = s->now;
    if (fate->arrived && source->delivered) source->delivered(source, id, s->now);
}

void worm_step(const bough_routing *routing, bough_source *source, uint64_t flits, uint32_t messages,
               uint64_t cycles, bough_key key, worm_result *r) {
    const bough_net *net = routing->net;
    stepper s = {.routing = routing, .net = net, .key = key, .r = r};
    *r = (worm_result){.fate = calloc(messages + 1, sizeof *r->fate)};
    s.worm = calloc(messages + 1, sizeof *s.worm);
    s.coming = calloc(messages + 1, 3 * sizeof *s.coming);
    s.queue = s.coming + messages, s.order = s.queue + messages;
    s.holder = calloc(2 * net->links + net->group_max, sizeof *s.holder);
    s.used = s.holder + net->links, s.load = s.used + net->links;
    s.served = calloc(net->groups + net->group_max, sizeof *s.served);
    s.free = s.served + net->groups;
    if (!r->fate || !s.worm || !s.coming || !s.holder || !s.served) abort();
    for (uint64_t l = 0; l < net->links; l++) s.holder[l] = NOBODY;
    for (uint32_t first = 0; s.now < cycles; s.now++) {
        for (uint32_t id = first; id < r->count; id++) drain(&s, source, id);
        while (first < r->count && r->fate[first].arrived) first++;
        if (first == r->count && source->next_time(source) == BOUGH_NONE) break;
        for (bough_message m; r->count < messages && source->pop(source, s.now, &m, 1); r->count++) {
            r->fate[m.id] = (worm_fate){m.time, 0, m.size * flits, m.source, m.address};
            s.worm[m.id] = (worm){.flow = {m.source, m.address, m.id}, .at = {m.source, BOUGH_SOURCE_PORT}};
            arrive(&s, m.id);
        }
        queue_up(&s);
        for (uint32_t q = 0; q < s.queue_count; q++) serve(&s, s.worm[s.queue[q]].route.group);
    }
    r->cycles = s.now;
    free(s.worm);
    free(s.coming);
    free(s.holder);
    free(s.served);
}

double worm_step_latency(const bough_point *point) {
    enum { MESSAGES = 12000, WARM = 2000 };
    const bough_stream_law *law = point->traffic->law;
    double cycles = MESSAGES / (law->rate * (double)point->net->endpoints), sum = 0;
    bough_source *source;
    bough_error error;
    worm_result r;
    if (bough_traffic_open(point->traffic, bough_key_make(1, 0), NULL, &source, &error))
        fail_msg("%s", error.reason);
    worm_step(point->routing, source, 1, MESSAGES, (uint64_t)(1.2 * cycles), bough_key_make(1, 0), &r);
    source->close(source);
    for (uint32_t m = WARM; m < MESSAGES; m++) {
        assert_true(m < r.count && r.fate[m].arrived);
        sum += (double)(r.fate[m].delivered - r.fate[m].offered);
    }
    free(r.fate);
    return sum / (MESSAGES - WARM);
}
