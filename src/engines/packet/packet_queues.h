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
 * The length of a queue is stored in the spot of the packet that the link names.
 *
 * For both engines: packet_state.h or packet_timed_state.h is included before and defines
 *   queue_of(e, link)       the address of the link's word
 *   comes_first(e, a, b)    whether packet a has a smaller number than packet b
 * and an engine with the members packet, other, o.queue, key, routing, net, served, touched, touched_count,
 * eligible and load. */
/* clang-format on */
#ifndef BOUGH_ENGINES_PACKET_PACKET_QUEUES_H
#define BOUGH_ENGINES_PACKET_PACKET_QUEUES_H

static inline uint32_t queue_length(const engine *e, uint64_t link) {
    uint32_t root = *queue_of(e, link);
    return root == NONE ? 0 : e->packet[root].spot;
}

/* ---- farthest ---- */

static inline bool goes_first(const engine *e, uint32_t a, uint32_t b) {
    uint16_t x = e->packet[a].to_go, y = e->packet[b].to_go;
    return x != y ? x > y : comes_first(e, a, b);
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

/* Returns the new length. */
static inline uint32_t queue_push(engine *e, uint32_t link, uint32_t slot) {
    uint32_t root = *queue_of(e, link), length = root == NONE ? 1 : e->packet[root].spot + 1;
    packet *p = &e->packet[slot];
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
    *queue_of(e, link) = root;
    e->packet[root].spot = length;
    return length;
}

/* The queue must not be empty. */
static inline uint32_t queue_pop(engine *e, uint32_t link, uint64_t now) {
    uint32_t root = *queue_of(e, link), length = e->packet[root].spot, taken = root;
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
        uint64_t word = length > 1 ? bough_word(e->key, BOUGH_DRAW_QUEUE, link, now) : 0;
        taken = tree_take(e, &root, length, 1 + (uint32_t)bough_scale(word, length));
        break;
    }
    }
    *queue_of(e, link) = root;
    if (root != NONE) e->packet[root].spot = length - 1;
    return taken;
}

/* ---- selection of a queue ---- */

typedef struct queue_request {
    const bough_route *route;
    uint32_t port; /* by which the packet came */
    uint64_t now;
} queue_request;

/* The link whose queue a packet joins; NONE if no link of its route is alive. length: of a link's queue. */
static inline uint32_t queue_select(engine *e, const queue_request *q,
                                    uint32_t (*length)(const engine *e, uint64_t link)) {
    const bough_route *r = q->route;
    bough_choice choice = {e->key, r->group, q->now, q->port, 0, 0, e->eligible, e->load};
    if (e->served) {
        choice.served = e->served[r->group]++;
        if (choice.served == 0) e->touched[e->touched_count++] = (uint32_t)r->group;
    }
    if (r->count == 1 && !e->net->dead) return (uint32_t)bough_route_link(r, 0);
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t link = bough_route_link(r, i);
        if (!bough_link_alive(e->net, link)) continue;
        if (e->routing->kind->wants_load) e->load[choice.count] = length(e, link);
        e->eligible[choice.count++] = link;
    }
    return choice.count ? (uint32_t)e->eligible[bough_select_free(e->routing, &choice)] : NONE;
}

#endif
