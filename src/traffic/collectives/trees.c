/* Binomial trees: ceil(lg n) steps from one member to all, and back. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

/* Member v receives from v minus its lowest bit, and sends to v plus every lower bit, largest first. */
void collective_tree_broadcast(collective *c) {
    for (uint32_t v = 0; v < c->n && !c->status; v++) {
        uint64_t bit = 1;
        while (bit < c->n && !(v & bit)) bit *= 2;
        if (v)
            collective_exchange(c, v, COLLECTIVE_NO_TRANSFER,
                                (collective_transfer){(uint32_t)(v - bit), c->size}, false);
        for (bit /= 2; bit; bit /= 2) {
            if (v + bit >= c->n) continue;
            collective_exchange(c, v, (collective_transfer){(uint32_t)(v + bit), c->size},
                                COLLECTIVE_NO_TRANSFER, false);
            collective_carries(c, 0, 1, false);
        }
    }
    collective_step(c);
}

void collective_tree_reduce(collective *c) {
    for (uint32_t v = 0; v < c->n && !c->status; v++) {
        uint64_t bit = 1;
        for (; bit < c->n && !(v & bit); bit *= 2)
            if (v + bit < c->n)
                collective_exchange(c, v, COLLECTIVE_NO_TRANSFER,
                                    (collective_transfer){(uint32_t)(v + bit), c->size}, true);
        if (!v) continue;
        collective_exchange(c, v, (collective_transfer){(uint32_t)(v - bit), c->size}, COLLECTIVE_NO_TRANSFER,
                            false);
        collective_carries(c, 0, 1, true);
    }
    collective_step(c);
}

/* The blocks of the root go down the tree, to every member those of its subtree, then around the ring. */
static void scatter_allgather(collective *c) {
    uint64_t n = c->n;
    for (uint64_t v = 0; v < n && !c->status; v++) {
        uint64_t bit = 1;
        while (bit < n && !(v & bit)) bit *= 2;
        if (v)
            collective_exchange(
                c, (uint32_t)v, COLLECTIVE_NO_TRANSFER,
                (collective_transfer){(uint32_t)(v - bit),
                                      collective_bytes(c->size, n, v, (v + bit < n ? bit : n - v))},
                false);
        for (bit /= 2; bit; bit /= 2) {
            uint64_t to = v + bit, blocks = to + bit < n ? bit : n - to;
            if (to >= n) continue;
            collective_exchange(c, (uint32_t)v,
                                (collective_transfer){(uint32_t)to, collective_bytes(c->size, n, to, blocks)},
                                COLLECTIVE_NO_TRANSFER, false);
            collective_carries(c, to, blocks, false);
        }
    }
    collective_step(c);
    collective_ring_allgather(c);
}

static uint64_t segments(const collective *c) {
    uint64_t count = c->segment ? c->size / c->segment + (c->size % c->segment > 0) : 1;
    return count ? count : 1;
}

/* Full segments, then the remainder, so that the rendezvous threshold applies as intended. */
static uint64_t segment_bytes(const collective *c, uint64_t segment, uint64_t count) {
    return segment + 1 < count ? c->segment : c->size - (count - 1) * c->segment;
}

/* In step t member v sends segment t - v and receives the next one. */
static void chain(collective *c) {
    uint64_t count = segments(c), n = c->n;
    for (uint64_t t = 0; n > 1 && t + 2 < count + n && !c->status; t++) {
        for (uint64_t v = t < count ? 0 : t - count + 1; v < n && v <= t + 1; v++) {
            bool sends = v <= t && v + 1 < n, receives = v > 0 && t + 1 - v < count;
            collective_exchange(c, (uint32_t)v,
                                (collective_transfer){sends ? (uint32_t)v + 1 : COLLECTIVE_NOBODY,
                                                      sends ? segment_bytes(c, t - v, count) : 0},
                                (collective_transfer){receives ? (uint32_t)v - 1 : COLLECTIVE_NOBODY,
                                                      receives ? segment_bytes(c, t + 1 - v, count) : 0},
                                false);
            if (sends) collective_carries(c, t - v, 1, false);
        }
        collective_step(c);
    }
}

static double whole(uint32_t n) {
    (void)n;
    return 1;
}

static const collective_algorithm broadcasts[] = {
    {"binomial", "the whole vector down a binomial tree", "Thakur, Rabenseifner, Gropp 2005, section 4.3",
     collective_tree_broadcast, collective_one_block, .exchanges = true},
    {"scatter", "blocks down a binomial tree, then around a ring",
     "van de Geijn; Thakur, Rabenseifner, Gropp 2005, section 4.3", scatter_allgather, collective_n_blocks,
     .exchanges = true},
    {"chain", "segments from member to member", "", chain, segments, .exchanges = true},
    {"nccl", "nccl-ring, with the protocol and channels that NCCL chooses by size", GPU_SOURCE,
     gpu_chosen_broadcast, gpu_chosen_broadcast_items},
    {"nccl-ring", "chunks along a ring for each channel", GPU_SOURCE, gpu_ring_broadcast,
     gpu_ring_broadcast_items},
    {0},
};
const collective_kind collective_broadcast = {"broadcast", "one vector to all", broadcasts, whole};

static const collective_algorithm reductions[] = {
    {"binomial", "the whole vector up a binomial tree", "Thakur, Rabenseifner, Gropp 2005, section 4.4",
     collective_tree_reduce, collective_one_block, .exchanges = true},
    {0},
};
const collective_kind collective_reduce = {"reduce", "the sum of all vectors to one", reductions, whole};

/* In step k a member has received notice of the 2^k members before it. */
static void dissemination(collective *c) {
    uint64_t n = c->n;
    for (uint64_t far = 1; far < n && !c->status; far *= 2) {
        for (uint64_t v = 0; v < n; v++) {
            collective_exchange(c, (uint32_t)v, (collective_transfer){(uint32_t)((v + far) % n), 0},
                                (collective_transfer){(uint32_t)((v + n - far % n) % n), 0}, false);
            collective_carries(c, 0, 1, true);
        }
        collective_step(c);
    }
}

static const collective_algorithm barriers[] = {
    {"dissemination", "ceil(lg n) rounds, doubling the distance", "Hensgen, Finkel, Manber 1988",
     dissemination, collective_one_block, .exchanges = true},
    {0},
};
const collective_kind collective_barrier = {"barrier", "no member continues before all have arrived",
                                            barriers, whole};
