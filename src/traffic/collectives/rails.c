/* Rings within nodes and rings along rails: member g of node k exchanges data with members g of the other
 * nodes, and with the other members of its node. All NICs of a node are used, and a message between nodes
 * stays on its rail. Without nodes, or where the members of a group are spread unevenly over them, this is
 * one ring. */
#include "traffic/collectives/collective.h"

/* Member k each + g is member g of node k. */
typedef struct grid {
    uint64_t nodes, each;
} grid;

static uint32_t node_of(const collective *c, uint64_t member) {
    return collective_seat_of(c, collective_rank(c, (uint32_t)member)).node;
}

static grid grid_of(const collective *c) {
    uint64_t n = c->n, each = 0;
    while (each < n && node_of(c, each) == node_of(c, 0)) each++;
    bool even = n % each == 0;
    for (uint64_t v = 0; v < n && even; v++)
        even = node_of(c, v) == node_of(c, v / each * each) &&
               (v < each || v % each || node_of(c, v) != node_of(c, v - each));
    return even ? (grid){n / each, each} : (grid){n, 1};
}

/* One direction of a step: the member at the other end, and the blocks that go there. */
typedef struct way {
    uint64_t peer;
    uint64_t first, count, stride; /* blocks */
} way;

static uint64_t bytes_of(const collective *c, way w) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < w.count; i++)
        bytes += collective_bytes(c->size, c->n, w.first + i * w.stride, 1);
    return bytes;
}

static void exchange(collective *c, uint64_t v, way out, way in, bool reduce) {
    collective_exchange(c, (uint32_t)v, (collective_transfer){(uint32_t)out.peer, bytes_of(c, out)},
                        (collective_transfer){(uint32_t)in.peer, bytes_of(c, in)}, reduce);
    for (uint64_t i = 0; i < out.count; i++) collective_carries(c, out.first + i * out.stride, 1, reduce);
}

/* Along every rail: blocks of the rail's members. back: of the block that is sent in the first step. */
static void along_rails(collective *c, grid m, uint64_t back, bool reduce) {
    uint64_t n = m.nodes;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < c->n; v++) {
            uint64_t k = v / m.each, g = v % m.each, sent = (k + 2 * n - back - s) % n;
            uint64_t got = (k + 2 * n - 1 - back - s) % n;
            exchange(c, v, (way){(k + 1) % n * m.each + g, sent * m.each + g, 1, 1},
                     (way){(k + n - 1) % n * m.each + g, got * m.each + g, 1, 1}, reduce);
        }
        collective_step(c);
    }
}

/* Within every node: the blocks of a rail together. */
static void within_nodes(collective *c, grid m, uint64_t back, bool reduce) {
    uint64_t n = m.each;
    for (uint64_t s = 0; s + 1 < n && !c->status; s++) {
        for (uint64_t v = 0; v < c->n; v++) {
            uint64_t first = v / n * n, g = v % n, sent = (g + 2 * n - back - s) % n;
            uint64_t got = (g + 2 * n - 1 - back - s) % n;
            exchange(c, v, (way){first + (g + 1) % n, sent, m.nodes, n},
                     (way){first + (g + n - 1) % n, got, m.nodes, n}, reduce);
        }
        collective_step(c);
    }
}

void collective_rails_allgather(collective *c) {
    if (c->n < 2) return;
    grid m = grid_of(c);
    along_rails(c, m, 0, false);
    within_nodes(c, m, 0, false);
}

void collective_rails_reducescatter(collective *c) {
    if (c->n < 2) return;
    grid m = grid_of(c);
    within_nodes(c, m, 1, true);
    along_rails(c, m, 1, true);
}

void collective_rails_allreduce(collective *c) {
    collective_rails_reducescatter(c);
    collective_rails_allgather(c);
}
