/* Half duplex and finite buffers: see packet.h. */
#include "base/status/try.h"
#include "engines/packet/packet_state.h"

#include "engines/packet/packet_queues.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

uint64_t packet_limits_bytes(const bough_net *net, const packet_options *o) {
    uint64_t per_node = sizeof(node_queue) + sizeof(uint32_t);
    uint64_t bytes = o->half || o->buffer ? net->links : 0;
    return o->buffer ? bough_add(bytes, bough_mul(net->nodes, per_node)) : bytes;
}

bough_status packet_limits_make(engine *e, bough_error *error) {
    bough_status status = bough_alloc(&e->way, e->links, 1, error);
    if (!e->o.buffer) return status;
    TRY(bough_alloc(&e->entrance, e->net->nodes, sizeof *e->entrance, error));
    TRY(bough_alloc(&e->crowded, e->net->nodes, sizeof *e->crowded, error));
    return status;
}

void packet_limits_free(engine *e) {
    FREE_ALL(e->way, e->entrance, e->crowded, e->stopped.word, e->stopped.used);
}

void packet_limits_start(engine *e) {
    memset(e->way, 0, e->links);
    if (e->entrance) memset(e->entrance, 0xff, e->net->nodes * sizeof *e->entrance);
    if (e->stopped.word) {
        memset(e->stopped.word, 0, e->stopped.word_capacity * sizeof *e->stopped.word);
        memset(e->stopped.used, 0, e->stopped.used_capacity * sizeof *e->stopped.used);
    }
    e->stopped.count = e->at_entrance = e->joins = 0;
    e->crowded_count = 0;
}

void packet_limits_move(engine *e) {
    for (uint32_t i = 0; i < e->crowded_count; i++) {
        node_queue *q = &e->entrance[e->crowded[i]];
        *q = (node_queue){e->map[q->first], e->map[q->last]};
    }
}

/* ---- a step ---- */

void packet_reopen(engine *e) {
    uint32_t some[64], got;
    uint64_t from = 0;
    while ((got = slots_take(&e->stopped, &from, some, 64)))
        for (uint32_t i = 0; i < got; i++) {
            e->way[e->packet[some[i]].spot] &= (uint8_t)~WAY_CLOSED;
            slots_add(&e->moving, some[i]);
        }
}

void packet_wait_at(engine *e, uint32_t slot, uint64_t node) {
    node_queue *q = &e->entrance[node];
    e->packet[slot].next = NONE;
    e->at_entrance++;
    if (q->first == NONE) {
        q->first = slot;
        e->crowded[e->crowded_count++] = (uint32_t)node;
    } else {
        e->packet[q->last].next = slot;
    }
    q->last = slot;
}

static bool can_send(const engine *e, uint64_t link) {
    return e->queue[link] != NONE && !(e->way[link] & WAY_CLOSED);
}

/* True for one direction of a cable in which both can send. */
static bool is_next(const engine *e, uint64_t link, uint64_t twin) {
    uint64_t cable = link < twin ? link : twin;
    if ((e->way[link] ^ e->way[twin]) & WAY_LAST) return e->way[twin] & WAY_LAST;
    return bough_bit(e->key, BOUGH_DRAW_DUPLEX, cable, 0) == (link != cable);
}

static bool goes(const engine *e, uint64_t link) {
    if (!can_send(e, link)) return false;
    uint64_t twin = e->o.half ? e->ops->link_twin(e->net, link) : BOUGH_NONE;
    return twin == BOUGH_NONE || !can_send(e, twin) || is_next(e, link, twin);
}

void packet_choose_ways(engine *e) {
    for (uint64_t i = 0; i < e->active_count; i++) {
        uint8_t *way = &e->way[e->active[i]];
        *way &= (uint8_t)~WAY_GOES;
        if (goes(e, e->active[i])) *way |= WAY_GOES;
    }
}

/* ---- deadlock ---- */

typedef struct knot {
    engine *e;
    uint32_t *slot, count; /* packets that cannot move, as far as is known; at the ends of links, then all */
    uint64_t messages;
    uint8_t *seen; /* per large message */
    uint32_t *stack;
} knot;

static void find_way_on(const engine *e, uint32_t slot, bough_route *route) {
    const packet *p = &e->packet[slot];
    bough_flow flow = packet_flow_to(e, slot, p->aim);
    uint64_t node = p->hops ? e->ops->link_end(e->net, p->spot).node : e->record[slot].source;
    bough_route_at(e->routing, node, &flow, route);
}

static bool can_move(const engine *e, uint32_t slot) {
    bough_route route;
    find_way_on(e, slot, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(e->net, link)) continue;
        if (queue_length(e, link) < e->o.buffer || e->way[link] & WAY_DRAINS) return true;
    }
    return false;
}

/* The packets at the ends of links that never move again; their links do not drain. */
static void find_knot(knot *k) {
    engine *e = k->e;
    uint32_t left = 0;
    for (uint64_t w = 0; w < e->stopped.word_capacity; w++)
        for (uint64_t bits = e->stopped.word[w]; bits; bits &= bits - 1)
            k->slot[left++] = (uint32_t)(w << 6 | (uint64_t)__builtin_ctzll(bits));
    for (uint64_t l = 0; l < e->links; l++)
        e->way[l] = (uint8_t)((e->way[l] & ~WAY_DRAINS) | (e->way[l] & WAY_CLOSED ? 0 : WAY_DRAINS));
    k->count = left + 1;
    while (left < k->count) {
        k->count = left;
        left = 0;
        for (uint32_t i = 0; i < k->count; i++)
            if (can_move(e, k->slot[i]))
                e->way[e->packet[k->slot[i]].spot] |= WAY_DRAINS;
            else
                k->slot[left++] = k->slot[i];
    }
}

static void count_packet(knot *k, uint32_t slot) {
    const packet_record *c = &k->e->record[slot];
    if (c->part && k->seen[c->message]) return;
    if (c->part) k->seen[c->message] = 1;
    k->messages++;
}

/* A queue is linked by next, and as a tree by other: packet_queues.h. */
static void count_queue(knot *k, uint64_t link) {
    const engine *e = k->e;
    uint32_t length = queue_length(e, link), slot = e->queue[link], depth = 0;
    for (uint32_t i = 0; i < length && !e->other; i++, slot = e->packet[slot].next) count_packet(k, slot);
    if (!e->other) return;
    k->stack[depth++] = slot;
    while (depth) {
        slot = k->stack[--depth];
        count_packet(k, slot);
        if (e->packet[slot].next != NONE) k->stack[depth++] = e->packet[slot].next;
        if (e->other[slot] != NONE) k->stack[depth++] = e->other[slot];
    }
}

static void count_held(knot *k) {
    const slots *held = &k->e->held;
    for (uint64_t w = 0; w < held->word_capacity; w++)
        for (uint64_t bits = held->word[w]; bits; bits &= bits - 1)
            count_packet(k, (uint32_t)(w << 6 | (uint64_t)__builtin_ctzll(bits)));
}

static void count_knot(knot *k) {
    const engine *e = k->e;
    for (uint32_t i = 0; i < k->count; i++) count_packet(k, k->slot[i]);
    for (uint32_t i = 0; i < e->active_count; i++)
        if (!(e->way[e->active[i]] & WAY_DRAINS)) count_queue(k, e->active[i]);
    for (uint32_t i = 0; i < e->crowded_count; i++) {
        uint32_t slot = e->entrance[e->crowded[i]].first;
        if (can_move(e, slot)) continue;
        for (; slot != NONE; slot = e->packet[slot].next) count_packet(k, slot);
    }
    count_held(k); /* they wait for all others */
}

bough_status packet_stuck(sim_engine *base, uint64_t *count, uint64_t *link, bough_error *error) {
    engine *e = (engine *)base;
    knot k = {.e = e};
    *count = 0;
    if (!e->stopped.count) return BOUGH_OK;
    bough_status status = bough_alloc(&k.slot, e->stopped.count, sizeof *k.slot, error);
    TRY(bough_alloc(&k.seen, (uint64_t)e->larges + 1, 1, error));
    TRY(bough_alloc(&k.stack, (uint64_t)e->used + 1, sizeof *k.stack, error));
    if (!status) find_knot(&k);
    if (!status && k.count) {
        bough_route route;
        find_way_on(e, k.slot[0], &route);
        *link = bough_route_link(&route, 0);
        count_knot(&k);
        *count = k.messages;
    }
    FREE_ALL(k.slot, k.seen, k.stack);
    return status;
}
