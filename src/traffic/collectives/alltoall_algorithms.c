/* Alltoall: every member has a block for every other. Block d of member o is item o n + d. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

static uint64_t block(const collective *c, uint64_t destination) {
    return collective_bytes(c->size, c->n, destination, 1);
}

static uint64_t item_of(const collective *c, uint64_t origin, uint64_t destination) {
    return origin * c->n + destination;
}

static void item(const collective *c, uint64_t origin, uint64_t destination) {
    collective_carries(c, item_of(c, origin, destination), 1, false);
}

static void shift(collective *c) {
    uint64_t n = c->n;
    for (uint64_t k = 1; k < n && !c->status; k++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t to = (v + k) % n, from = (v + n - k) % n;
            collective_exchange(c, (uint32_t)v, (collective_transfer){(uint32_t)to, block(c, to)},
                                (collective_transfer){(uint32_t)from, block(c, v)}, false);
            item(c, v, to);
        }
        collective_step(c);
    }
}

/* Partners in round k: v and v xor k if n is a power of two, else members whose sum is k modulo n. Either way
 * every pair meets once; in the second case v pauses if it would be its own partner. */
static void pairwise(collective *c) {
    uint64_t n = c->n;
    bool power = collective_power(c->n) == n;
    for (uint64_t k = power; k < n && !c->status; k++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t other = power ? v ^ k : (k + n - v) % n;
            if (other == v) continue;
            collective_exchange(c, (uint32_t)v, (collective_transfer){(uint32_t)other, block(c, other)},
                                (collective_transfer){(uint32_t)other, block(c, v)}, false);
            item(c, v, other);
        }
        collective_step(c);
    }
}

/* In the step of bit b all items whose distance (destination - origin) has that bit move by 2^b. Items of
 * distance j at member v have already moved by the lower bits of j, so their destination is v plus the other
 * bits of j. */
static uint64_t bruck_bytes(const collective *c, uint64_t v, uint64_t bit) {
    uint64_t n = c->n, bytes = 0;
    for (uint64_t high = bit; high < n; high += 2 * bit) {
        uint64_t ways = high + bit < n ? bit : n - high;
        bytes += ways * block(c, (v + high) % n);
    }
    return bytes;
}

static void bruck(collective *c) {
    uint64_t n = c->n;
    for (uint64_t bit = 1; bit < n && !c->status; bit *= 2) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t from = (v + n - bit) % n;
            collective_exchange(c, (uint32_t)v,
                                (collective_transfer){(uint32_t)((v + bit) % n), bruck_bytes(c, v, bit)},
                                (collective_transfer){(uint32_t)from, bruck_bytes(c, from, bit)}, false);
            for (uint64_t j = bit; c->watch && j < n; j = (j + 1) | bit) {
                uint64_t origin = (v + n - (j & (bit - 1))) % n;
                item(c, origin, (origin + j) % n);
            }
        }
        collective_step(c);
    }
}

static void linear(collective *c) {
    collective_at_once(c, item_of, false);
}

static uint64_t blocks(const collective *c) {
    return (uint64_t)c->n * c->n;
}

static double bus(uint32_t n) {
    return (n - 1.0) / n;
}

static const collective_algorithm algorithms[] = {
    {"shift", "n - 1 rounds: in round k to the member at distance k", "Zahavi 2012", shift, blocks,
     .exchanges = true},
    {"pairwise", "rounds of pairwise exchanges: v and v xor k, else members whose sum is k",
     "Thakur, Rabenseifner, Gropp 2005, section 4.6", pairwise, blocks, .exchanges = true},
    {"bruck", "ceil(lg n) steps of half of the data", "Bruck et al. 1997", bruck, blocks, .exchanges = true},
    {"linear", "all messages at once", "Thakur, Rabenseifner, Gropp 2005, section 4.6", linear, blocks},
    {"nccl", "pxn between nodes with several NICs, else nccl-direct", GPU_SOURCE, gpu_chosen_alltoall,
     blocks},
    {"nccl-direct", "as shift, with the protocols of NCCL", GPU_SOURCE, gpu_direct_alltoall, blocks},
    {"pxn", "by the rank of the node that is on the rail of the destination", GPU_SOURCE, gpu_pxn_alltoall,
     blocks},
    {"msccl", "the steps of an MSCCL file, whose data flow is checked", "Cowan et al. 2023", gpu_msccl,
     blocks, .program = true},
    {0},
};
const collective_kind collective_alltoall = {"alltoall", "a block from each to each", algorithms, bus};
