/* Queues of operations that wait for a CPU, in order of sequence numbers. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_CPU_QUEUES_H
#define BOUGH_TRAFFIC_SCHEDULES_CPU_QUEUES_H

#include "base/memory/prefetch.h"
#include "traffic/schedules/ranks_state.h"

/* ---- memory ---- */

/* Most of the time is spent on cache misses, so data is prefetched some events ahead. */

BOUGH_FETCHES void fetch_op(const rank_engine *m, uint32_t o) {
    if (o != NOBODY) __builtin_prefetch(&m->op[o], 1);
}

BOUGH_FETCHES void fetch_channel(const rank_engine *m, uint32_t c) {
    if (c != MATCH_NONE) __builtin_prefetch(&m->channel[c], 1);
}

/* Prefetches the next operations of a rank, which usually proceed in order. (By position, because there may
 * be none.) */
BOUGH_FETCHES void fetch_soon(const rank_engine *m, uint32_t o) {
    enum { SOON = 16 };
    uintptr_t op = (uintptr_t)&m->op[o];
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer must not leave its array */
    __builtin_prefetch((const void *)(op + SOON * sizeof *m->op), 1);
}

/* The receive that a message will match. */
BOUGH_FETCHES void fetch_receive(const rank_engine *m, uint32_t message) {
    uint32_t c = m->op[message].channel;
    if (c != MATCH_NONE && m->channel[c].head != NOBODY) fetch_op(m, m->channel[c].head & ~RECEIVES);
}

/* The destination CPU of a message. */
BOUGH_FETCHES void fetch_named(const rank_engine *m, const operation *op) {
    __builtin_prefetch(cpu_at(m, op->peer * m->cpus + op->cpu), 1);
    fetch_channel(m, op->channel);
}

/* The heads of the queues of a CPU, and the operations behind them. */
BOUGH_FETCHES void fetch_heads(const rank_engine *m, const cpu *p) {
    fetch_op(m, p->io[0].head);
    fetch_op(m, p->io[1].head);
}

BOUGH_FETCHES void fetch_after_heads(const rank_engine *m, const cpu *p) {
    for (unsigned i = 0; i < 2; i++) {
        if (p->io[i].head == NOBODY) continue;
        fetch_op(m, m->op[p->io[i].head].link[0]);
        fetch_channel(m, m->op[p->io[i].head].channel);
    }
}

/* ---- queues ---- */

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

static inline uint32_t line_first(const rank_engine *m, const waiters *l) {
    if (l->heap == NOBODY) return l->head;
    if (l->head == NOBODY) return l->heap;
    return m->op[l->heap].sequence < m->op[l->head].sequence ? l->heap : l->head;
}

/* Returns true if o is now the first. */
static inline bool line_join(rank_engine *m, waiters *l, uint32_t o) {
    m->op[o].link[0] = m->op[o].link[1] = NOBODY;
    if (l->head == NOBODY) {
        l->head = l->tail = o;
    } else if (m->op[l->tail].sequence < m->op[o].sequence) {
        m->op[l->tail].link[0] = o;
        l->tail = o;
        return false;
    } else {
        l->heap = meld(m->op, l->heap, o);
    }
    return line_first(m, l) == o;
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
