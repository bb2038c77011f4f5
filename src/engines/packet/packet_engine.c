/* The engine of `packet`: one step after the other, as defined in packet.h, with a cost proportional to the
 * number of moving packets.
 *
 * After a link, a packet asks the network for its position and its next links, in one call if the network
 * supports that. Packets are examined some places ahead of joining queues, so that the queues are
 * prefetched. */
#include "engines/packet/packet_state.h"

#include "engines/packet/packet_queues.h"

#define AHEAD 32 /* packets examined before the first of them joins a queue */
#define FAR   12 /* prefetch distance of queues */

/* A packet that arrives at a node, and its candidate links. */
typedef struct arrival {
    uint32_t slot, port;
    uint64_t node; /* BOUGH_NONE: the route is known */
    bough_route route;
} arrival;

/* ---- errors ---- */

static void no_route(engine *e, const bough_flow *flow, uint64_t at) {
    if (!e->status) e->status = bough_route_missing(e->net, flow, at, e->error);
}

static void too_long(engine *e) {
    if (!e->status)
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a path of more than %u links", e->limit);
}

/* ---- at the end of a phase ---- */

static void end_phase(engine *e, unsigned which, uint32_t delay) {
    packet_phase *phase = &e->figures.phase[which];
    phase->packets++;
    phase->delay += delay;
    if (delay > phase->delay_max) phase->delay_max = delay;
    phase->end = e->base.now;
}

static void deliver_message(engine *e, sim_delivery message) {
    if (!GROW(e, out, e->outs + 1)) return;
    e->out[e->outs++] = message;
    e->base.arrived++;
    if (e->source->delivered) e->source->delivered(e->source, message.id, e->base.now);
}

/* The full time of a moment in the last 2^32 steps, from its lower half. */
static uint64_t whole_time(const engine *e, uint32_t time) {
    return e->base.now - ((uint32_t)e->base.now - time);
}

static void deliver_part(engine *e, const packet_record *c, uint32_t hops) {
    large_message *m = &e->large[c->message];
    if (hops > m->hops) m->hops = hops;
    if (--m->left) return;
    uint64_t now = e->base.now, entered = m->entered == BOUGH_NONE ? now : m->entered;
    deliver_message(e, (sim_delivery){m->offered, entered, now, m->id, c->source, c->address, m->hops});
    e->free_large[e->free_larges++] = c->message;
}

static void deliver(engine *e, uint32_t slot) {
    packet *p = &e->packet[slot];
    packet_record *c = &e->record[slot];
    uint32_t now = (uint32_t)e->base.now, first = p->second ? c->delay : now - c->offered - p->hops,
             second = p->second ? now - c->since - (p->hops - c->first_hops) : 0;
    end_phase(e, p->second, p->second ? second : first);
    e->figures.packets++;
    e->figures.delay += (uint64_t)first + second;
    if ((uint64_t)first + second > e->figures.delay_max) e->figures.delay_max = (uint64_t)first + second;
    if (e->o.trace) {
        e->length[slot][0] = p->second ? c->first_hops : p->hops;
        e->length[slot][1] = p->hops;
        e->late[slot][0] = first;
        e->late[slot][1] = second;
    }
    p->aim = NONE;
    e->live--;
    if (c->part) {
        deliver_part(e, c, p->hops);
        return;
    }
    uint64_t entered = p->hops ? whole_time(e, c->entered) : e->base.now;
    deliver_message(e, (sim_delivery){whole_time(e, c->offered), entered, e->base.now, c->message, c->source,
                                      c->address, p->hops});
}

/* A packet is at the end of its phase. True: it continues at once. */
static bool arrive(engine *e, uint32_t slot) {
    packet *p = &e->packet[slot];
    packet_record *c = &e->record[slot];
    if (p->second || !e->two) {
        deliver(e, slot);
        return false;
    }
    c->first_hops = p->hops;
    c->delay = (uint32_t)e->base.now - c->offered - p->hops;
    c->since = (uint32_t)e->base.now;
    end_phase(e, 0, c->delay);
    p->second = 1;
    p->aim = c->address;
    if (e->routing->synchronous) slots_add(&e->held, slot);
    return !e->routing->synchronous;
}

/* ---- at a node ---- */

/* Fills to->route; false if the packet stops here. */
static bool find_route(engine *e, arrival *to, uint64_t node) {
    const packet *p = &e->packet[to->slot];
    while (node == packet_target(e, to->slot))
        if (!arrive(e, to->slot)) return false;
    bough_flow flow = packet_flow_to(e, to->slot, p->aim);
    bough_route_at(e->routing, node, &flow, &to->route);
    if (to->route.count == 0) no_route(e, &flow, node);
    if (p->hops >= e->limit) too_long(e);
    return !e->status;
}

/* At the end of the link that a packet crossed. */
static void route_after_link(engine *e, arrival *to) {
    const packet *p = &e->packet[to->slot];
    if (!e->quick || p->hops >= e->limit) {
        bough_link_end end = e->ops->link_end(e->net, p->spot);
        to->port = end.port;
        to->node = end.node;
        return;
    }
    bough_step step;
    e->ops->step(e->net, p->spot, p->aim, &step);
    to->port = step.port;
    to->node = step.node;
    if (step.node == packet_target(e, to->slot)) return;
    to->node = BOUGH_NONE;
    to->route = step.route;
}

/* What follows the routes of some packets: they join queues; the same, where they start their second phase;
 * other threads may join them to queues, which are not prefetched then. */
typedef enum afterwards { JOIN, JOIN_RELEASED, LIST } afterwards;

/* The next links of at most AHEAD packets. Returns how many go on. First come those that need no record, so
 * that the records of the others are prefetched. */
__attribute__((always_inline)) static inline uint32_t
route_ahead(engine *e, const uint32_t *slot, uint32_t count, arrival *some, const afterwards then) {
    const bool released = then == JOIN_RELEASED;
    uint32_t going = 0;
    for (uint32_t i = 0; i < count; i++) {
        arrival *c = &some[i];
        *c = (arrival){.slot = slot[i], .port = BOUGH_SOURCE_PORT}; /* unless it came by a link */
        if (e->packet[slot[i]].hops == 0)
            c->node = e->record[slot[i]].source;
        else
            route_after_link(e, c);
        if (c->node != BOUGH_NONE || released)
            __builtin_prefetch(&e->record[slot[i]], 1);
        else if (then != LIST)
            __builtin_prefetch(&e->queue[bough_route_link(&c->route, 0)], 1);
    }
    for (uint32_t i = 0; i < count && !e->status; i++) {
        arrival *c = &some[i];
        if (released) e->record[c->slot].since = (uint32_t)e->base.now;
        if (c->node != BOUGH_NONE) {
            if (!find_route(e, c, c->node)) continue;
            if (then != LIST) __builtin_prefetch(&e->queue[bough_route_link(&c->route, 0)], 1);
        }
        if (going != i) some[going] = *c;
        going++;
    }
    return e->status ? 0 : going;
}

/* Not inlined, as it would take registers of `join`. */
__attribute__((noinline)) static void no_live_link(engine *e, const arrival *c) {
    bough_flow flow = packet_flow_to(e, c->slot, e->packet[c->slot].aim);
    no_route(e, &flow, e->ops->group_node(e->net, c->route.group));
}

__attribute__((always_inline)) static inline void push(engine *e, uint32_t slot, uint32_t link) {
    if (e->kind) e->waiting[e->kind[link]]++;
    e->queued++;
    uint32_t length = queue_push(e, link, slot);
    if (length == 1) e->active[e->active_count++] = link;
    if (length > e->figures.queue_max) e->figures.queue_max = length;
}

static void join(engine *e, const arrival *c) {
    queue_request request = {&c->route, c->port, e->base.now};
    uint32_t link = queue_select(e, &request, queue_length);
    if (link == NONE)
        no_live_link(e, c);
    else
        push(e, c->slot, link);
}

/* Joins a queue that has room; false if there is none. */
static bool join_with_room(engine *e, const arrival *c) {
    const bough_route *r = &c->route;
    bough_choice choice = {e->key, r->group, e->base.now, c->port, 0, 0, e->eligible, e->load};
    uint32_t alive = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t link = bough_route_link(r, i);
        if (!bough_link_alive(e->net, link)) continue;
        uint32_t length = queue_length(e, link);
        alive++;
        if (e->o.buffer && length >= e->o.buffer) continue;
        e->load[choice.count] = length;
        e->eligible[choice.count++] = link;
    }
    if (!alive) no_live_link(e, c);
    if (!choice.count) return false;
    if (e->served) {
        choice.served = e->served[r->group]++;
        if (choice.served == 0) e->touched[e->touched_count++] = (uint32_t)r->group;
    }
    push(e, c->slot, (uint32_t)e->eligible[bough_select_free(e->routing, &choice)]);
    e->joins++;
    return true;
}

/* Without room a packet stays where it is: at the end of a link, or at a node. */
static void join_or_stay(engine *e, const arrival *c, bool on_link) {
    uint64_t node = on_link ? 0 : e->ops->group_node(e->net, c->route.group);
    bool waits = !on_link && e->entrance && e->entrance[node].first != NONE;
    if ((!waits && join_with_room(e, c)) || e->status) return;
    if (!on_link) {
        packet_wait_at(e, c->slot, node);
        return;
    }
    e->way[e->packet[c->slot].spot] |= WAY_CLOSED;
    slots_add(&e->stopped, c->slot);
}

/* The first packet that waits at a node; true if it joins a queue. */
static bool enter_first(engine *e, uint64_t node) {
    node_queue *q = &e->entrance[node];
    arrival c = {.slot = q->first, .port = BOUGH_SOURCE_PORT};
    const packet *p = &e->packet[c.slot];
    uint32_t next = p->next;
    bough_flow flow = packet_flow_to(e, c.slot, p->aim);
    if (p->hops) c.port = e->ops->link_end(e->net, p->spot).port;
    bough_route_at(e->routing, node, &flow, &c.route);
    if (!join_with_room(e, &c)) return false;
    q->first = next;
    e->at_entrance--;
    return true;
}

static void enter_waiting(engine *e) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->crowded_count; i++) {
        uint32_t node = e->crowded[i];
        while (e->entrance[node].first != NONE && enter_first(e, node)) continue;
        if (e->entrance[node].first != NONE) e->crowded[kept++] = node;
    }
    e->crowded_count = kept;
}

/* ---- a step ---- */

/* The packets of a set join queues or are finished, in order of their numbers. released: they start their
 * second phase. */
static inline void place_set(engine *e, slots *set, bool released, const bool limited) {
    uint32_t slot[AHEAD];
    uint64_t from = 0;
    arrival some[AHEAD];
    while (set->count && !e->status) {
        uint32_t got = slots_take(set, &from, slot, AHEAD),
                 count = route_ahead(e, slot, got, some, released ? JOIN_RELEASED : JOIN);
        for (uint32_t i = 0; i < count && !e->status; i++)
            if (limited)
                join_or_stay(e, &some[i], !released);
            else
                join(e, &some[i]);
    }
}

static void place_all(engine *e, slots *set, bool released) {
    if (e->limited)
        place_set(e, set, released, true);
    else
        place_set(e, set, released, false);
}

static packet_joining joining_of(engine *e, const arrival *c) {
    queue_request request = {&c->route, c->port, e->base.now};
    uint32_t link = queue_select(e, &request, queue_length);
    if (link == NONE) no_live_link(e, c);
    return (packet_joining){c->slot, link};
}

uint32_t packet_route_some(engine *e, const uint32_t *slot, uint32_t count, packet_joining *joining) {
    arrival some[AHEAD];
    uint32_t all = 0;
    for (uint32_t from = 0; from < count && !e->status; from += AHEAD) {
        uint32_t going = route_ahead(e, slot + from, count - from < AHEAD ? count - from : AHEAD, some, LIST);
        for (uint32_t i = 0; i < going; i++) joining[all++] = joining_of(e, &some[i]);
    }
    return e->status ? 0 : all;
}

void packet_join_all(engine *e, const packet_joining *joining, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (i + FAR < count) __builtin_prefetch(&e->queue[joining[i + FAR].link], 1);
        push(e, joining[i].slot, joining[i].link);
    }
}

static void leave_source(engine *e, uint32_t slot) {
    packet_record *c = &e->record[slot];
    uint32_t now = (uint32_t)e->base.now;
    c->entered = now;
    if (!c->part) {
        e->entered++;
        e->entry_waited += now - c->offered;
        return;
    }
    large_message *m = &e->large[c->message];
    if (m->entered != BOUGH_NONE) return;
    m->entered = e->base.now;
    e->entered++;
    e->entry_waited += m->entered - m->offered;
}

__attribute__((always_inline)) static inline void send_from(engine *e, uint32_t link) {
    uint32_t slot = queue_pop(e, link, e->base.now);
    packet *p = &e->packet[slot];
    if (p->hops == 0) leave_source(e, slot);
    if (e->o.trace) e->route[(uint64_t)slot * e->limit + p->hops] = link;
    e->figures.phase[p->second].crossings++;
    packet_count(e, link, p->second);
    if (e->kind) e->waiting[e->kind[link]]--, e->grants[e->kind[link]]++;
    p->spot = link;
    p->hops++;
    p->to_go--;
    slots_add(&e->moving, slot);
}

/* count: links that sent. */
static void end_sending(engine *e, uint64_t count) {
    if (count) e->sent_until = e->base.now + 1;
    e->queued -= count;
    e->base.moves += count;
    if (!e->kind) e->grants[0] += count, e->waiting[0] = e->queued;
    for (unsigned k = 0; k < e->kinds; k++) e->waited[k] += e->waiting[k];
}

uint64_t packet_send_active(engine *e) {
    uint64_t count = e->active_count, kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i + 2 * FAR < count) __builtin_prefetch(&e->queue[e->active[i + 2 * FAR]], 1);
        if (i + FAR < count) {
            uint32_t later = e->active[i + FAR];
            __builtin_prefetch(&e->packet[e->queue[later]], 1);
            __builtin_prefetch(&e->crossed[later], 1);
        }
        uint32_t link = e->active[i];
        send_from(e, link);
        if (e->queue[link] != NONE) e->active[kept++] = link;
    }
    e->active_count = (uint32_t)kept;
    return count;
}

/* Every non-empty queue sends one packet. */
static void send_all(engine *e) {
    uint64_t count;
    if (!packet_parts_send(e, &count)) {
        packet_gather_active(e);
        count = packet_send_active(e);
    }
    end_sending(e, count);
}

/* The same for the links that may send. */
static void send_some(engine *e) {
    uint64_t count = 0, kept = 0;
    packet_choose_ways(e);
    for (uint64_t i = 0; i < e->active_count; i++) {
        uint32_t link = e->active[i];
        uint64_t twin = e->o.half ? e->ops->link_twin(e->net, link) : BOUGH_NONE;
        if (e->way[link] & WAY_GOES) {
            send_from(e, link);
            count++;
            e->way[link] |= WAY_LAST;
            if (twin != BOUGH_NONE) e->way[twin] &= (uint8_t)~WAY_LAST;
        }
        if (e->queue[link] != NONE) e->active[kept++] = link;
    }
    e->active_count = (uint32_t)kept;
    end_sending(e, count);
}

/* ---- creation of packets ---- */

/* Number of links from a node to a target on the way to an address, along the first live link of every
 * route. */
static uint32_t links_to(engine *e, uint32_t slot, uint64_t *node, uint64_t address, uint64_t target) {
    bough_flow flow = packet_flow_to(e, slot, address);
    uint32_t links = 0;
    for (; *node != target && !e->status; links++) {
        bough_route route;
        uint32_t i = 0;
        bough_route_at(e->routing, *node, &flow, &route);
        while (i < route.count && !bough_link_alive(e->net, bough_route_link(&route, i))) i++;
        if (i == route.count) no_route(e, &flow, *node);
        if (links == e->limit) too_long(e);
        if (!e->status) *node = e->ops->link_end(e->net, bough_route_link(&route, i)).node;
    }
    return links;
}

/* The first route of a new packet; false if it stops at its source. */
static bool start_packet(engine *e, arrival *c) {
    const uint32_t slot = c->slot;
    const packet_record *r = &e->record[slot];
    packet *p = &e->packet[slot];
    bough_flow flow = {r->source, r->address, e->created - (e->used - slot)};
    uint64_t via = bough_via(e->routing, e->key, &flow), node = r->source;
    if (via != BOUGH_NONE) p->aim = (uint32_t)via;
    p->second = e->two && via == BOUGH_NONE;
    if (e->o.queue == PACKET_FARTHEST) {
        if (via != BOUGH_NONE) p->to_go = (uint16_t)links_to(e, slot, &node, via, packet_target(e, slot));
        p->to_go = (uint16_t)(p->to_go +
                              links_to(e, slot, &node, r->address, bough_address_node(e->net, r->address)));
        if (e->status) return false;
    }
    return find_route(e, c, r->source);
}

uint32_t packet_start_some(engine *e, uint32_t first, uint32_t count, packet_joining *joining) {
    uint32_t going = 0;
    for (uint32_t i = 0; i < count && !e->status; i++) {
        arrival c = {.slot = first + i, .port = BOUGH_SOURCE_PORT};
        if (start_packet(e, &c)) joining[going++] = joining_of(e, &c);
    }
    return e->status ? 0 : going;
}

static void start_born(engine *e) {
    if (!packet_parts_start(e))
        for (uint32_t slot = e->used - e->born; slot < e->used && !e->status; slot++) {
            arrival c = {.slot = slot, .port = BOUGH_SOURCE_PORT};
            if (!start_packet(e, &c)) continue;
            if (e->limited)
                join_or_stay(e, &c, false);
            else
                join(e, &c);
        }
    e->born = 0;
}

static void create_packet(engine *e, const bough_message *m, uint32_t message, bool part) {
    uint32_t slot = packet_new(e);
    if (slot == NONE) return;
    e->packet[slot].aim = m->address;
    e->record[slot] = (packet_record){.source = m->source,
                                      .address = m->address,
                                      .message = message,
                                      .offered = (uint32_t)m->time,
                                      .since = (uint32_t)m->time,
                                      .part = part};
    e->born++;
    /* threads start many at a time, if no message waits for a delivery */
    if (!e->parts || e->source->delivered) start_born(e);
}

static void enter(engine *e, const bough_message *m) {
    uint64_t size = m->size ? m->size : 1;
    uint32_t message = m->id;
    if (sim_drop_unrouted(&e->base, e->routing, m)) return;
    e->base.offered++;
    if (size >= NONE) {
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a message of 2^32 packets or more");
        return;
    }
    if (size > 1) {
        message = packet_new_large(e);
        if (message == NONE) return;
        e->large[message] = (large_message){m->time, BOUGH_NONE, m->id, (uint32_t)size, 0};
    }
    for (uint64_t i = 0; i < size && !e->status; i++) create_packet(e, m, message, size > 1);
}

static void take_messages(engine *e) {
    bough_message some[64];
    uint32_t got;
    do {
        got = e->source->pop(e->source, e->base.now, some, 64);
        for (uint32_t i = 0; i < got && !e->status; i++) enter(e, &some[i]);
    } while (got && !e->status);
    if (e->born) start_born(e);
    e->next_offer = e->source->next_time(e->source);
}

/* ---- running ---- */

/* Nothing is on a link, in a queue or without room. */
static bool is_still(const engine *e) {
    return !e->moving.count && !e->queued && !e->stopped.count && !e->at_entrance;
}

static void place_held(engine *e) {
    if (!packet_parts_release(e)) place_all(e, &e->held, true);
}

/* The second phase begins where all packets wait for it. */
static void release_held(engine *e) {
    while (e->held.count && is_still(e) && !e->status) {
        place_held(e);
        /* it may wait for packets that were delivered without moving */
        if (e->source->delivered) take_messages(e);
    }
}

static void step(engine *e) {
    if (e->limited) packet_reopen(e);
    if (!packet_parts_place(e)) {
        packet_gather_moving(e);
        place_all(e, &e->moving, false);
    }
    if (e->at_entrance) enter_waiting(e);
    if (e->status) return;
    if (e->next_offer <= e->base.now || e->source->delivered) take_messages(e);
    release_held(e);
    for (uint32_t i = 0; i < e->touched_count; i++) e->served[e->touched[i]] = 0;
    e->touched_count = 0;
    if (e->status) return;
    if (e->limited)
        send_some(e);
    else
        send_all(e);
}

/* A number that grows with every change. */
static uint64_t changes(const engine *e) {
    return e->base.moves + e->created + e->joins + e->figures.packets + e->figures.phase[0].packets;
}

bough_status packet_advance(sim_engine *base, sim_advance *part, bough_error *error) {
    engine *e = (engine *)base;
    const uint64_t until = part->until, want = part->want;
    e->error = error;
    e->outs = 0;
    while (e->base.now < until && e->outs < want && !e->status) {
        bool still = e->jammed || is_still(e);
        if (still && e->next_offer == BOUGH_NONE) break;
        if (still && e->next_offer > e->base.now) {
            e->base.now = e->next_offer < until ? e->next_offer : until;
            if (e->base.now == until) break;
        }
        uint64_t before = changes(e);
        step(e);
        e->jammed = e->limited && changes(e) == before && !is_still(e);
        e->base.now++;
    }
    part->deliveries = e->out;
    part->count = e->outs;
    return e->status;
}
