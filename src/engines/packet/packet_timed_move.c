/* Packets at nodes: creation, routes, queues, delivery. */
#include "base/memory/memory.h"
#include "engines/packet/packet_timed_state.h"
#include "method/engine.h"

#include "engines/packet/packet_queues.h"

/* ---- errors ---- */

static void no_route(engine *e, const bough_flow *flow, uint64_t at) {
    char from[96], to[96], where[96];
    if (e->status) return;
    e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "no route from %s to %s (at %s)",
                           bough_node_name(e->net, flow->source, from, sizeof from),
                           bough_node_name(e->net, bough_address_node(e->net, flow->address), to, sizeof to),
                           bough_node_name(e->net, at, where, sizeof where));
}

static void too_long(engine *e) {
    if (!e->status)
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a path of more than %u links", e->limit);
}

/* ---- paths ---- */

/* The first live link of a route at a node; NONE, with an error, if there is none. */
static uint32_t first_link(engine *e, const bough_flow *flow, uint64_t node) {
    bough_route route;
    bough_route_at(e->routing, node, flow, &route);
    for (uint32_t i = 0; i < route.count; i++)
        if (bough_link_alive(e->net, bough_route_link(&route, i)))
            return (uint32_t)bough_route_link(&route, i);
    no_route(e, flow, node);
    return NONE;
}

/* Follows a flow from a node over first live links, and stores them unless path is NULL. Returns the number
 * of links. */
static uint32_t follow(engine *e, const bough_flow *flow, uint64_t *node, uint32_t *path) {
    uint64_t target = bough_address_node(e->net, flow->address);
    uint32_t links = 0;
    for (; *node != target && !e->status; links++) {
        uint32_t link = links < e->limit ? first_link(e, flow, *node) : NONE;
        if (links == e->limit) too_long(e);
        if (e->status) return links;
        if (path) path[links] = link;
        *node = e->net->ops->link_end(e->net, link).node;
    }
    return links;
}

/* ---- queues ---- */

static uint32_t load_of(const engine *e, uint64_t link) {
    return queue_length(e, link) + (e->link[link].sending != NONE);
}

static void join(engine *e, uint32_t slot, uint32_t link) {
    timed_link *l = &e->link[link];
    packet *p = &e->packet[slot];
    if (l->queue == NONE && l->sending == NONE) e->ready[e->ready_count++] = link;
    uint32_t length = queue_push(e, link, slot);
    if (p->count > 1) e->packet[l->queue].spot = length += p->count - 1;
    if (!p->hops) return;
    p->waited -= e->now;
    length += l->sending != NONE;
    if (length > e->t.queue_max) e->t.queue_max = length;
}

/* The packet or run that a link sends next; not for random queues. */
static uint32_t queue_front(const engine *e, uint32_t link) {
    uint32_t root = e->link[link].queue;
    return e->o.queue == PACKET_FIFO ? e->packet[root].next : root;
}

/* Separates the packet that a run sends next. */
static uint32_t take_from_run(engine *e, uint32_t link, uint32_t front) {
    uint32_t slot = timed_new_packet(e);
    if (slot == NONE) return NONE;
    packet *run = &e->packet[front], *p = &e->packet[slot];
    run->count--;
    *p = *run;
    p->count = 1;
    if (e->o.queue == PACKET_LIFO)
        p->index += run->count;
    else
        run->index++;
    e->packet[e->link[link].queue].spot--;
    return slot;
}

uint32_t timed_take(engine *e, uint32_t link) {
    uint32_t front = e->o.queue == PACKET_RANDOM ? NONE : queue_front(e, link);
    if (front != NONE && e->packet[front].count > 1) return take_from_run(e, link, front);
    return queue_pop(e, link, e->now);
}

/* ---- at a node ---- */

static uint64_t target_of(const engine *e, uint32_t address) {
    return bough_address_node(e->net, address);
}

bool timed_ends_there(const engine *e, uint32_t slot) {
    const packet *p = &e->packet[slot];
    const flight *f = &e->flight[p->message];
    if (e->fixed) return p->hops == f->hops;
    uint64_t node = e->net->ops->link_end(e->net, p->spot).node;
    return node == target_of(e, p->aim) && (p->second || !e->two || node == target_of(e, f->address));
}

/* A packet is at a node and has not reached its destination. */
static void route(engine *e, uint32_t slot, bough_link_end at) {
    packet *p = &e->packet[slot];
    const flight *f = &e->flight[p->message];
    bough_route route;
    if (!p->second && e->two && at.node == target_of(e, p->aim)) {
        p->second = 1;
        p->aim = f->address;
    }
    bough_flow flow = {f->source, p->aim, f->id};
    bough_route_at(e->routing, at.node, &flow, &route);
    queue_request request = {&route, at.port, e->now};
    uint32_t link = route.count ? queue_select(e, &request, load_of) : NONE;
    if (link == NONE) no_route(e, &flow, at.node);
    if (p->hops >= e->limit) too_long(e);
    if (!e->status) join(e, slot, link);
}

void timed_forward(engine *e, uint32_t slot) {
    const packet *p = &e->packet[slot];
    if (e->fixed)
        join(e, slot, e->path[(uint64_t)p->message * e->limit + p->hops]);
    else
        route(e, slot, e->net->ops->link_end(e->net, p->spot));
}

static void finish_message(engine *e, uint32_t slot) {
    flight *f = &e->flight[slot];
    if (!GROW(e, time, e->t.arrived + 1)) return;
    e->time[e->t.arrived++] = e->now - f->start;
    e->t.end = e->now;
    e->t.bits += 8 * (double)f->bytes;
    e->t.hops += f->hops;
    e->t.senders += !e->sends[f->source];
    e->sends[f->source] = 1;
    f->next_free = e->free_flight;
    e->free_flight = slot;
    if (!e->source->delivered) return;
    e->source->delivered(e->source, f->id, e->now);
    e->next_offer = e->now; /* it may have more messages */
}

void timed_deliver(engine *e, uint32_t slot) {
    packet *p = &e->packet[slot];
    flight *f = &e->flight[p->message];
    e->t.packets++;
    e->t.wait += p->waited;
    if (p->waited > e->t.wait_max) e->t.wait_max = p->waited;
    if (p->hops > f->hops) f->hops = p->hops;
    p->next = e->free_packet;
    e->free_packet = slot;
    if (--f->left == 0) finish_message(e, p->message);
}

/* ---- new messages ---- */

/* Creates a packet, or a run. NONE on error. */
static uint32_t create(engine *e, uint32_t message, uint32_t index, uint32_t count) {
    uint32_t slot = timed_new_packet(e);
    if (slot == NONE) return NONE;
    const flight *f = &e->flight[message];
    e->packet[slot] = (packet){.next = NONE,
                               .spot = NONE,
                               .message = message,
                               .index = index,
                               .count = count,
                               .aim = f->address,
                               .second = true};
    return slot;
}

/* A message whose packets select their links on their way. */
static void spread(engine *e, uint32_t message) {
    const flight f = e->flight[message];
    for (uint32_t i = 0; i < f.packets && !e->status; i++) {
        uint32_t slot = create(e, message, i, 1);
        if (slot == NONE) return;
        packet *p = &e->packet[slot];
        bough_flow flow = {f.source, f.address, f.first + i};
        uint64_t via = bough_via(e->routing, e->key, &flow), node = f.source;
        flow.key = f.id;
        p->second = via == BOUGH_NONE;
        if (via != BOUGH_NONE) p->aim = (uint32_t)via;
        if (e->o.queue == PACKET_FARTHEST) {
            bough_flow first = {f.source, p->aim, f.id};
            uint32_t links = follow(e, &first, &node, NULL);
            p->to_go = (links + follow(e, &flow, &node, NULL)) & 0x7fff;
        }
        uint64_t end = target_of(e, f.address);
        if (f.source == end && (p->second || target_of(e, p->aim) == end))
            timed_deliver(e, slot);
        else if (!e->status)
            route(e, slot, (bough_link_end){f.source, BOUGH_SOURCE_PORT});
    }
}

/* A message with a fixed path. */
static void send_along_path(engine *e, uint32_t message) {
    flight *f = &e->flight[message];
    bough_flow flow = {f->source, f->address, f->id};
    uint64_t node = f->source;
    uint32_t *path = &e->path[(uint64_t)message * e->limit];
    uint32_t run = e->o.queue == PACKET_RANDOM ? 1 : f->packets, packets = f->packets;
    f->hops = follow(e, &flow, &node, path);
    for (uint32_t i = 0; i < packets && !e->status; i += run) {
        uint32_t slot = create(e, message, i, run);
        if (slot == NONE) return;
        e->packet[slot].to_go = f->hops & 0x7fff;
        join(e, slot, path[0]);
    }
}

static void start_message(engine *e, const bough_message *m) {
    uint64_t packets = m->size > e->o.packet ? (m->size - 1) / e->o.packet + 1 : 1;
    if (packets >= NONE) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a message of 2^32 packets or more");
        return;
    }
    uint32_t slot = timed_new_flight(e);
    if (slot == NONE) return;
    e->flight[slot] = (flight){.start = m->time < e->now ? m->time : e->now,
                               .bytes = m->size,
                               .first = e->created,
                               .id = m->id,
                               .source = m->source,
                               .address = m->address,
                               .packets = (uint32_t)packets,
                               .left = (uint32_t)packets};
    e->created += packets;
    if (m->source == target_of(e, m->address) && !e->two)
        finish_message(e, slot);
    else if (e->fixed)
        send_along_path(e, slot);
    else
        spread(e, slot);
}

void timed_take_messages(engine *e) {
    bough_message some[64];
    uint32_t got;
    do {
        got = e->source->pop(e->source, e->now, some, 64);
        for (uint32_t i = 0; i < got && !e->status; i++) start_message(e, &some[i]);
    } while (got && !e->status);
    e->next_offer = e->source->next_time(e->source);
}
