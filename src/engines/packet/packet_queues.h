/* clang-format off */
/* The queues of links: membership and the packet to send.
 *
 *   fifo      a ring: the link names the last arrival, whose next is the first
 *   lifo      a stack: the link names its top, next is below
 *   farthest  a skew heap (Sleator, Tarjan: "Self-adjusting heaps", 1986): the link names the root, next and
 *             other are its two sides; O(log n) amortised
 *   random    the complete binary tree of positions 1 .. n: the link names 1, next and other of i are 2 i and
 *             2 i + 1; O(log n)
 *
 * The length of a queue is stored in the spot of the packet that the link names. */
/* clang-format on */
#ifndef BOUGH_ENGINES_PACKET_PACKET_QUEUES_H
#define BOUGH_ENGINES_PACKET_PACKET_QUEUES_H

#include "engines/packet/packet_state.h"

static inline uint32_t queue_length(const engine *e, uint64_t link) {
    uint32_t root = e->queue[link];
    return root == NONE ? 0 : e->packet[root].spot;
}

/* ---- farthest ---- */

static inline bool goes_first(const engine *e, uint32_t a, uint32_t b) {
    uint16_t x = e->packet[a].to_go, y = e->packet[b].to_go;
    return x != y ? x > y : a < b;
}

static inline uint32_t heap_merge(engine *e, uint32_t a, uint32_t b) {
    uint32_t root, *to = &root;
    while (a != NONE && b != NONE) {
        if (goes_first(e, b, a)) {
            uint32_t other = a;
            a = b;
            b = other;
        }
        uint32_t right = e->other[a];
        e->other[a] = e->packet[a].next;
        *to = a;
        to = &e->packet[a].next;
        a = right;
    }
    *to = a == NONE ? b : a;
    return root;
}

/* ---- random ---- */

static inline uint32_t *tree_side(engine *e, uint32_t at, uint32_t right) {
    return right ? &e->other[at] : &e->packet[at].next;
}

/* The pointer to position i >= 1: the link's word, or a side of a packet. */
static inline uint32_t *tree_place(engine *e, uint32_t *root, uint32_t i) {
    uint32_t *place = root;
    for (int bit = 30 - __builtin_clz(i); bit >= 0; bit--) place = tree_side(e, *place, i >> bit & 1);
    return place;
}

static inline uint32_t tree_take(engine *e, uint32_t *root, uint32_t length, uint32_t position) {
    uint32_t *last_place = tree_place(e, root, length), last = *last_place;
    *last_place = NONE;
    if (position == length) return last;
    uint32_t *place = tree_place(e, root, position), taken = *place;
    e->packet[last].next = e->packet[taken].next;
    e->other[last] = e->other[taken];
    *place = last;
    return taken;
}

/* ---- all ---- */

static inline void queue_push(engine *e, uint32_t link, uint32_t slot) {
    uint32_t root = e->queue[link], length = root == NONE ? 1 : e->packet[root].spot + 1;
    packet *p = &e->packet[slot];
    if (root == NONE) e->active[e->active_count++] = link;
    switch (e->o.queue) {
    case PACKET_FIFO:
        p->next = slot;
        if (root != NONE) {
            p->next = e->packet[root].next;
            e->packet[root].next = slot;
        }
        root = slot;
        break;
    case PACKET_LIFO:
        p->next = root;
        root = slot;
        break;
    case PACKET_FARTHEST:
        p->next = e->other[slot] = NONE;
        root = heap_merge(e, root, slot);
        break;
    case PACKET_RANDOM:
        p->next = e->other[slot] = NONE;
        *tree_place(e, &root, length) = slot;
        break;
    }
    e->queue[link] = root;
    e->packet[root].spot = length;
    if (length > e->figures.queue_max) e->figures.queue_max = length;
}

/* The queue must not be empty. */
static inline uint32_t queue_pop(engine *e, uint32_t link) {
    uint32_t root = e->queue[link], length = e->packet[root].spot, taken = root;
    switch (e->o.queue) {
    case PACKET_FIFO:
        taken = e->packet[root].next;
        e->packet[root].next = e->packet[taken].next;
        if (length == 1) root = NONE;
        break;
    case PACKET_LIFO:
        root = e->packet[root].next;
        break;
    case PACKET_FARTHEST:
        root = heap_merge(e, e->packet[root].next, e->other[root]);
        break;
    case PACKET_RANDOM: {
        uint64_t word = length > 1 ? bough_word(e->key, BOUGH_DRAW_QUEUE, link, e->base.now) : 0;
        taken = tree_take(e, &root, length, 1 + (uint32_t)bough_scale(word, length));
        break;
    }
    }
    e->queue[link] = root;
    if (root != NONE) e->packet[root].spot = length - 1;
    return taken;
}

#endif
