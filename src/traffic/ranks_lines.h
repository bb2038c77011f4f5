/* The lines in which operations wait for a CPU, in order of sequence numbers. */
#ifndef BOUGH_TRAFFIC_RANKS_LINES_H
#define BOUGH_TRAFFIC_RANKS_LINES_H

#include "traffic/ranks_state.h"

/* ---- memory ---- */

/* Most of the time goes into waiting for memory: what will be looked at is asked for some events before. */
static inline void fetch_op(const rank_engine *m, uint32_t o) {
    if (o == NOBODY) return;
    __builtin_prefetch(&m->s->op[o]);
    __builtin_prefetch(&m->op[o], 1);
    __builtin_prefetch(&m->s->then[o]);
}

/* The receive that a message will find. */
static inline void fetch_receive(const rank_engine *m, uint32_t message) {
    uint32_t c = m->match->channel[message];
    if (c == MATCH_NONE || m->channel[c].head == NOBODY) return;
    uint32_t recv = m->channel[c].head & ~RECEIVES;
    __builtin_prefetch(&m->op[recv], 1);
    __builtin_prefetch(&m->s->then[recv]);
}

/* ---- lines ---- */

static inline uint32_t meld(operation *op, uint32_t a, uint32_t b) {
    uint32_t root = NOBODY, *place = &root;
    while (a != NOBODY && b != NOBODY) {
        if (op[b].sequence < op[a].sequence) {
            uint32_t c = a;
            a = b;
            b = c;
        }
        uint32_t right = op[a].link[1];
        *place = a;
        op[a].link[1] = op[a].link[0];
        place = &op[a].link[0];
        a = right;
    }
    *place = a != NOBODY ? a : b;
    return root;
}

static inline void line_join(rank_engine *m, waiters *l, uint32_t o) {
    m->op[o].link[0] = m->op[o].link[1] = NOBODY;
    if (l->head == NOBODY) {
        l->head = l->tail = o;
    } else if (m->op[l->tail].sequence < m->op[o].sequence) {
        m->op[l->tail].link[0] = o;
        l->tail = o;
    } else {
        l->heap = meld(m->op, l->heap, o);
    }
}

static inline uint32_t line_first(const rank_engine *m, const waiters *l) {
    if (l->heap == NOBODY) return l->head;
    if (l->head == NOBODY) return l->heap;
    return m->op[l->heap].sequence < m->op[l->head].sequence ? l->heap : l->head;
}

static inline uint32_t line_leave(rank_engine *m, waiters *l) {
    uint32_t o = line_first(m, l);
    if (o == l->head)
        fetch_op(m, l->head = m->op[o].link[0]);
    else
        l->heap = meld(m->op, m->op[o].link[0], m->op[o].link[1]);
    return o;
}

#endif
