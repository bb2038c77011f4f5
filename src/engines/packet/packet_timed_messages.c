/* Messages of the timed engine: their paths and packets, and what the record of a trial says of them. */
#include "engines/packet/packet_timed_state.h"
#include "traffic/timeline/timeline.h"

/* ---- errors ---- */

void timed_no_route(engine *e, const bough_flow *flow, uint64_t at) {
    if (!e->status) e->status = bough_route_missing(e->net, flow, at, e->error);
}

void timed_too_long(engine *e) {
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
    timed_no_route(e, flow, node);
    return NONE;
}

/* Follows a flow from a node to a target on the way to its address, over first live links, and stores them
 * unless path is NULL. Returns the number of links. */
static uint32_t follow(engine *e, const bough_flow *flow, uint64_t target, uint64_t *node, uint32_t *path) {
    uint32_t links = 0;
    for (; *node != target && !e->status; links++) {
        uint32_t link = links < e->limit ? first_link(e, flow, *node) : NONE;
        if (links == e->limit) timed_too_long(e);
        if (e->status) return links;
        if (path) path[links] = link;
        *node = e->net->ops->link_end(e->net, link).node;
    }
    return links;
}

/* ---- new messages ---- */

/* Creates a packet, or a run. NONE on error. */
static uint32_t create(engine *e, uint32_t message, uint32_t index, uint32_t count) {
    uint32_t slot = timed_new_packet(e);
    if (slot == NONE) return NONE;
    const flight *f = &e->flight[message];
    e->packet[slot] = (packet){.number = f->first + index,
                               .next = NONE,
                               .spot = NONE,
                               .message = message,
                               .count = count,
                               .aim = f->address,
                               .last = index + count == f->packets,
                               .second = true};
    return slot;
}

/* Draws the via of a packet, and counts its links if the discipline needs that. */
static void aim(engine *e, uint32_t slot) {
    packet *p = &e->packet[slot];
    const flight *f = &e->flight[p->message];
    bough_flow own = {f->source, f->address, p->number};
    uint64_t via = bough_via(e->routing, e->key, &own), node = f->source;
    p->second = via == BOUGH_NONE;
    if (via != BOUGH_NONE) p->aim = (uint32_t)via;
    if (e->o.queue != PACKET_FARTHEST) return;
    uint64_t key = bough_flow_key(e->routing, e->key, f->id);
    const bough_flow first = {f->source, p->aim, key}, then = {f->source, f->address, key};
    uint32_t links =
        via == BOUGH_NONE ? 0 : follow(e, &first, bough_turn_node(e->net, f->source, via), &node, NULL);
    p->to_go = (links + follow(e, &then, f->target, &node, NULL)) & 0x7fff;
}

/* True if all packets of a message take the same first link. */
static bool has_one_start(const engine *e, const flight *f) {
    const bough_flow flow = {f->source, f->address, bough_flow_key(e->routing, e->key, f->id)};
    bough_route route;
    if (e->two || f->source == f->target) return false;
    bough_route_at(e->routing, f->source, &flow, &route);
    return route.count == 1;
}

/* ---- the record of a trial: a message alone ---- */

/* The ends of packets on the links of a path so far. */
typedef struct alone {
    uint64_t first, last; /* of the first full packet, of the last one */
    uint64_t slowest;     /* rate */
    uint64_t links;
    uint64_t before; /* the last link so far */
} alone;

/* The last packet follows the full ones, which follow each other at the pace of the slowest link. */
static void add_link(const engine *e, const flight *f, uint32_t link, alone *a) {
    const timed_link *l = &e->link[link];
    uint64_t full = e->o.packet + e->header, rest = f->packets - 1,
             tail = f->bytes - rest * e->o.packet + e->header,
             onward = a->links ? bough_net_hop_delay(e->net, a->before, false) : 0;
    a->links++;
    a->before = link;
    if (l->rate < a->slowest) a->slowest = l->rate;
    a->first += onward + l->full.whole;
    uint64_t before = rest ? a->first + timed_span_of((rest - 1) * full, a->slowest).whole : 0;
    a->last += onward;
    if (before > a->last) a->last = before;
    a->last += timed_span_of(tail, l->rate).whole;
}

/* Follows a flow to a target on the way to its address, over first live links. */
static void add_flow(engine *e, const flight *f, const bough_flow *flow, uint64_t target, alone *a) {
    uint64_t node = flow->source;
    while (node != target && !e->status) {
        uint32_t link = a->links < e->limit ? first_link(e, flow, node) : NONE;
        if (link == NONE) return; /* the message itself fails there */
        add_link(e, f, link, a);
        node = e->net->ops->link_end(e->net, link).node;
    }
}

/* If the run is recorded. aim, turn: the address towards which the first packet of the message goes first,
 * and where it turns to its own. */
static void see_message(engine *e, uint32_t message, uint32_t aim, uint64_t turn) {
    const flight *f = &e->flight[message];
    uint64_t key = bough_flow_key(e->routing, e->key, f->id);
    alone a = {.slowest = UINT64_MAX};
    const bough_flow first = {f->source, aim, key};
    add_flow(e, f, &first, turn, &a);
    const bough_flow second = {turn, f->address, key};
    add_flow(e, f, &second, f->target, &a);
    timeline_alone(e->seen, f->id, a.links ? a.last + bough_net_hop_delay(e->net, a.before, true) : 0);
}

/* ---- messages ---- */

/* A message whose packets select their links on their way. */
static void spread(engine *e, uint32_t message) {
    const flight f = e->flight[message];
    uint32_t run = e->o.queue != PACKET_RANDOM && has_one_start(e, &f) ? f.packets : 1;
    for (uint32_t i = 0; i < f.packets && !e->status; i += run) {
        uint32_t slot = create(e, message, i, run);
        if (slot == NONE) return;
        aim(e, slot);
        const packet *p = &e->packet[slot];
        const uint64_t turn = p->second ? f.target : bough_turn_node(e->net, f.source, p->aim);
        if (i == 0 && e->seen) see_message(e, message, p->aim, turn);
        bool there = f.source == f.target && turn == f.target;
        if (there)
            timed_deliver(e, slot);
        else if (!e->status)
            timed_route(e, slot, (bough_link_end){f.source, BOUGH_SOURCE_PORT});
    }
}

/* A message with a fixed path. */
static void send_along_path(engine *e, uint32_t message) {
    flight *f = &e->flight[message];
    bough_flow flow = {f->source, f->address, bough_flow_key(e->routing, e->key, f->id)};
    uint64_t node = f->source;
    uint32_t *path = &e->path[(uint64_t)message * e->limit];
    uint32_t run = e->o.queue == PACKET_RANDOM ? 1 : f->packets, packets = f->packets;
    f->hops = follow(e, &flow, f->target, &node, path);
    for (uint32_t i = 0; i < packets && !e->status; i += run) {
        uint32_t slot = create(e, message, i, run);
        if (slot == NONE) return;
        e->packet[slot].to_go = f->hops & 0x7fff;
        timed_join(e, slot, path[0]);
    }
}

static void start_message(engine *e, const bough_message *m) {
    if (sim_is_unrouted(e->routing, m)) {
        if (!e->t.unrouted++) e->t.lost = *m;
        if (!e->base.unrouted++) e->base.unrouted_first = *m;
        return;
    }
    const uint64_t bytes = bough_mul(m->size, e->o.unit);
    uint64_t packets = bytes > e->o.packet ? (bytes - 1) / e->o.packet + 1 : 1;
    if (packets >= NONE) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a message of 2^32 packets or more");
        return;
    }
    uint32_t slot = timed_new_flight(e);
    if (slot == NONE) return;
    e->flight[slot] = (flight){.start = m->time < e->now ? m->time : e->now,
                               .bytes = bytes,
                               .first = e->created,
                               .id = m->id,
                               .source = m->source,
                               .address = m->address,
                               .target = (uint32_t)bough_address_node(e->net, m->address),
                               .packets = (uint32_t)packets,
                               .left = (uint32_t)packets};
    e->created += packets;
    e->base.offered++;
    if (e->seen && e->fixed) see_message(e, slot, m->address, e->flight[slot].target);
    if (m->source == e->flight[slot].target && !e->two)
        timed_finish_message(e, slot);
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

/* ---- the record of a trial: packets ---- */

static uint64_t bytes_of(const engine *e, const packet *p) {
    const flight *f = &e->flight[p->message];
    return e->header + (p->last ? f->bytes - (f->packets - 1) * e->o.packet : e->o.packet);
}

/* A link sends a packet from now on. */
void timed_see_packet(engine *e, uint32_t link, uint32_t slot, uint64_t lasts) {
    timeline_carry(e->seen, link, e->now, e->now + lasts, 8 * (double)bytes_of(e, &e->packet[slot]));
}

/* A packet leaves the queue of a link. At the source the packets of a message wait for each other, so only
 * the first counts. */
void timed_see_wait(engine *e, uint32_t link, uint32_t slot) {
    const packet *p = &e->packet[slot];
    const flight *f = &e->flight[p->message];
    if (p->hops)
        timeline_lose(e->seen, f->id, link, e->now - e->joined[slot]);
    else if (p->number == f->first)
        timeline_lose(e->seen, f->id, link, e->now - f->start);
}
