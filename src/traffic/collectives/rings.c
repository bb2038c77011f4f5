/* Ring algorithms: every member sends one block to the next member, n - 1 times, at full bandwidth. */
#include "traffic/collectives/collective.h"

/* In step s member v adds the received data to block v - 2 - s; in the last step this is its own block. */
void collective_ring_reducescatter(collective *c) {
    uint64_t n = c->n;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t out = (v + 2 * n - 1 - s) % n, in = (v + 2 * n - 2 - s) % n;
            collective_exchange(
                c, (uint32_t)v,
                (collective_transfer){(uint32_t)((v + 1) % n), collective_bytes(c->size, n, out, 1)},
                (collective_transfer){(uint32_t)((v + n - 1) % n), collective_bytes(c->size, n, in, 1)},
                true);
            collective_carries(c, out, 1, true);
        }
        collective_step(c);
    }
}

/* Member v starts with block v and forwards the block received last. */
void collective_ring_allgather(collective *c) {
    uint64_t n = c->n;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t out = (v + n - s) % n, in = (v + n - 1 - s) % n;
            collective_exchange(
                c, (uint32_t)v,
                (collective_transfer){(uint32_t)((v + 1) % n), collective_bytes(c->size, n, out, 1)},
                (collective_transfer){(uint32_t)((v + n - 1) % n), collective_bytes(c->size, n, in, 1)},
                false);
            collective_carries(c, out, 1, false);
        }
        collective_step(c);
    }
}
