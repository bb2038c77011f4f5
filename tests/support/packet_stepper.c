/* A packet asks for its next link when it comes to a node: all eligible links are open to it, however long their queues;
 * the load that a pick may see is their length. */
#include "support/packet_stepper.h"

#include <assert.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

typedef struct packet {
    bough_flow flow;
    uint64_t node;
    uint32_t port, next;
} packet;

typedef struct stepper {
    const bough_net *net;
    const bough_routing *routing;
    bough_key key;
    bough_source *source;
    packet_result *r;
    packet *packet;
    uint32_t *first, *last, *length; /* per link: its queue */
    uint32_t *served;                /* per group, this step */
    uint32_t *moving, *load, capacity;
    uint64_t *eligible, now, queued;
} stepper;

static void *make(void *old, size_t count, size_t size) {
    void *p = old ? realloc(old, count * size) : calloc(count + 1, size);
    if (!p) abort();
    return p;
}

static void append(stepper *s, uint32_t id) {
    packet *p = &s->packet[id];
    bough_route route;
    bough_route_at(s->routing, p->node, &p->flow, &route);
    bough_choice choice = {s->key, route.group, s->now, p->port, 0, 0, s->eligible, s->load};
    bool wrong = s->r->fate[id].hops && !(s->net->ops->node_roles(s->net, p->node) & BOUGH_SWITCH);
    for (uint32_t i = 0; i < route.count && !wrong; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(s->net, link)) continue;
        s->load[choice.count] = s->length[link];
        s->eligible[choice.count++] = link;
    }
    s->r->fate[id].lost = choice.count == 0;
    if (choice.count == 0) return;
    choice.served = s->served[route.group]++;
    uint64_t link = s->eligible[bough_pick_free(s->routing, &choice)];
    p->next = NOBODY;
    *(s->first[link] == NOBODY ? &s->first[link] : &s->packet[s->last[link]].next) = id;
    s->last[link] = id;
    s->queued++;
    if (++s->length[link] > s->r->queue_max) s->r->queue_max = s->length[link];
}

static void enter(stepper *s, const bough_message *m) {
    if (s->r->count == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->packet = make(s->packet, s->capacity, sizeof *s->packet);
        s->moving = make(s->moving, s->capacity, sizeof *s->moving);
        s->r->fate = make(s->r->fate, s->capacity, sizeof *s->r->fate);
    }
    assert(m->id == s->r->count);
    s->r->fate[s->r->count++] = (packet_fate){.offered = m->time, .source = m->source, .address = m->address};
    s->packet[m->id] = (packet){.flow = {m->source, m->address, m->id}, .node = m->source};
    append(s, m->id);
}

static int by_id(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Every queue sends its head; returns how many move. */
static uint32_t send_heads(stepper *s) {
    uint32_t count = 0;
    for (uint64_t l = 0; l < s->net->links; l++) {
        if (s->first[l] == NOBODY) continue;
        uint32_t id = s->moving[count++] = s->first[l];
        bough_link_end end = s->net->ops->link_end(s->net, l);
        s->first[l] = s->packet[id].next;
        s->length[l]--;
        s->packet[id].node = end.node;
        s->packet[id].port = end.port;
        s->r->fate[id].hops++;
    }
    s->queued -= count;
    s->r->crossings += count;
    qsort(s->moving, count, sizeof *s->moving, by_id);
    return count;
}

static void step(stepper *s) {
    uint32_t count = send_heads(s);
    s->now++;
    for (uint64_t g = 0; g < s->net->groups; g++) s->served[g] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = s->moving[i];
        packet_fate *fate = &s->r->fate[id];
        if (s->packet[id].node != bough_address_node(s->net, s->packet[id].flow.address)) {
            append(s, id);
            continue;
        }
        fate->arrived = true;
        fate->delivered = s->r->steps = s->now;
        if (s->source->delivered) s->source->delivered(s->source, id, s->now);
    }
}

void packet_step(const bough_routing *routing, bough_source *source, uint64_t steps, bough_key key, packet_result *r) {
    const bough_net *net = routing->net;
    bough_message message;
    *r = (packet_result){0};
    stepper s = {.net = net, .routing = routing, .key = key, .source = source, .r = r};
    s.first = make(NULL, net->links, sizeof *s.first);
    s.last = make(NULL, net->links, sizeof *s.last);
    s.length = make(NULL, net->links, sizeof *s.length);
    s.served = make(NULL, net->groups, sizeof *s.served);
    s.eligible = make(NULL, net->group_max, sizeof *s.eligible);
    s.load = make(NULL, net->group_max, sizeof *s.load);
    for (uint64_t l = 0; l < net->links; l++) s.first[l] = NOBODY;
    for (;;) {
        while (source->pop(source, s.now, &message, 1)) enter(&s, &message);
        if (s.now == steps || (!s.queued && source->next_time(source) == BOUGH_NONE)) break;
        step(&s);
    }
    void *all[] = {s.packet, s.first, s.last, s.length, s.served, s.moving, s.load, s.eligible};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

void packet_fini(packet_result *r) {
    free(r->fate);
    *r = (packet_result){0};
}
