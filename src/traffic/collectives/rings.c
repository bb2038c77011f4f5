/* Algorithms in which every member sends to the next: n - 1 steps of a block each, at full bandwidth. */
#include "traffic/collectives/collective.h"

/* In step s member v adds to block v - 2 - s what came for it from behind; in the last step that is its own.
 */
void collective_ring_reducescatter(collective *c) {
    uint64_t n = c->n;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t out = (v + 2 * n - 1 - s) % n, in = (v + 2 * n - 2 - s) % n;
            collective_exchange(c, (uint32_t)v, (uint32_t)((v + 1) % n), collective_bytes(c->size, n, out, 1),
                                (uint32_t)((v + n - 1) % n), collective_bytes(c->size, n, in, 1), true);
            collective_carries(c, out, 1, true);
        }
        collective_step(c);
    }
}

/* Member v begins with block v, and hands on what came last. */
void collective_ring_allgather(collective *c) {
    uint64_t n = c->n;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t out = (v + n - s) % n, in = (v + n - 1 - s) % n;
            collective_exchange(c, (uint32_t)v, (uint32_t)((v + 1) % n), collective_bytes(c->size, n, out, 1),
                                (uint32_t)((v + n - 1) % n), collective_bytes(c->size, n, in, 1), false);
            collective_carries(c, out, 1, false);
        }
        collective_step(c);
    }
}
