/* A packet asks for its next link when it comes to a node: all eligible links are open to it, however long
 * their queues; the load that a pick may see is their length. */
#include "support/packet_stepper.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

typedef struct packet {
    bough_flow flow; /* its address: where this phase leads */
    uint64_t node;
    uint32_t address, port, next;
    bool last_phase, held; /* held: in a synchronous second phase, until the first has ended */
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
    uint32_t *moving, *load;
    uint64_t *eligible, now, queued;
} stepper;

static void append(stepper *s, uint32_t id) {
    packet *p = &s->packet[id];
    bough_route route;
    bough_route_at(s->routing, p->node, &p->flow, &route);
    bough_choice choice = {s->key, route.group, s->now, p->port, 0, 0, s->eligible, s->load};
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(s->net, link)) continue;
        s->load[choice.count] = s->length[link];
        s->eligible[choice.count++] = link;
    }
    if (choice.count == 0) abort();
    choice.served = s->served[route.group]++;
    uint64_t link = s->eligible[bough_select_free(s->routing, &choice)];
    p->next = NOBODY;
    *(s->first[link] == NOBODY ? &s->first[link] : &s->packet[s->last[link]].next) = id;
    s->last[link] = id;
    s->queued++;
    if (++s->length[link] > s->r->queue_max) s->r->queue_max = s->length[link];
}

/* A packet has come to a node, or is born there. */
static void place(stepper *s, uint32_t id) {
    packet *p = &s->packet[id];
    packet_fate *fate = &s->r->fate[id];
    bool there = p->node == (p->last_phase ? bough_address_node(s->net, p->flow.address)
                                           : bough_turn_node(s->net, p->flow.source, p->flow.address));
    if (there && !p->last_phase) {
        p->last_phase = true;
        p->flow.address = p->address;
        p->held = s->routing->synchronous;
        if (!p->held) place(s, id);
    } else if (there) {
        fate->arrived = true;
        fate->delivered = s->r->steps = s->now;
        if (s->source->delivered) s->source->delivered(s->source, id, s->now);
    } else {
        append(s, id);
    }
}

static void release_held(stepper *s) {
    for (uint32_t id = 0; id < s->r->count; id++) {
        if (!s->packet[id].held) continue;
        s->packet[id].held = false;
        place(s, id);
    }
}

static void enter(stepper *s, const bough_message *m) {
    s->r->fate[s->r->count++] = (packet_fate){.offered = m->time, .source = m->source, .address = m->address};
    packet *p = &s->packet[m->id];
    *p = (packet){.flow = {m->source, m->address, m->id}, .node = m->source, .address = m->address};
    uint64_t via = bough_via(s->routing, s->key, &p->flow);
    p->last_phase = via == BOUGH_NONE;
    if (!p->last_phase) p->flow.address = via;
    p->flow.key = bough_flow_key(s->routing, s->key, m->id);
    place(s, m->id);
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
    if (count) qsort(s->moving, count, sizeof *s->moving, by_id);
    return count;
}

static void step(stepper *s) {
    uint32_t count = send_heads(s);
    s->now++;
    for (uint64_t g = 0; g < s->net->groups; g++) s->served[g] = 0;
    for (uint32_t i = 0; i < count; i++) place(s, s->moving[i]);
}

void packet_step(const bough_routing *routing, bough_source *source, uint32_t packets, uint64_t steps,
                 bough_key key, packet_result *r) {
    const bough_net *net = routing->net;
    stepper s = {.net = net, .routing = routing, .key = key, .source = source, .r = r};
    *r = (packet_result){.fate = calloc(packets + 1, sizeof *r->fate)};
    s.packet = calloc(packets + 1, sizeof *s.packet);
    s.moving = calloc(packets + 1, sizeof *s.moving);
    s.first = calloc(net->links, 3 * sizeof *s.first);
    s.last = s.first + net->links, s.length = s.last + net->links;
    s.served = calloc(net->groups + net->group_max, sizeof *s.served);
    s.load = s.served + net->groups;
    s.eligible = calloc(net->group_max, sizeof *s.eligible);
    if (!r->fate || !s.packet || !s.moving || !s.first || !s.served || !s.eligible) abort();
    for (uint64_t l = 0; l < net->links; l++) s.first[l] = NOBODY;
    for (;;) {
        for (bough_message m; r->count < packets && source->pop(source, s.now, &m, 1);) enter(&s, &m);
        if (!s.queued) release_held(&s);
        if (s.now == steps || (!s.queued && source->next_time(source) == BOUGH_NONE)) break;
        step(&s);
    }
    free(s.packet);
    free(s.moving);
    free(s.first);
    free(s.served);
    free(s.eligible);
}
