/* Allgather: every member ends with the blocks of all. Reducescatter: every member ends with the sum of one
 * block. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

/* Member v has blocks v .. v + have - 1 (cyclic) and receives the same number from v + have. */
static void bruck(collective *c) {
    uint64_t n = c->n;
    for (uint64_t have = 1; have < n && !c->status; have *= 2) {
        uint64_t count = have < n - have ? have : n - have;
        for (uint64_t v = 0; v < n; v++) {
            uint64_t from = (v + have) % n, end = v + count;
            collective_exchange(
                c, (uint32_t)v,
                (collective_transfer){(uint32_t)((v + n - have) % n),
                                      collective_circle(c->size, n, v, count)},
                (collective_transfer){(uint32_t)from, collective_circle(c->size, n, from, count)}, false);
            collective_carries(c, v, (end < n ? end : n) - v, false);
            if (end > n) collective_carries(c, 0, end - n, false);
        }
        collective_step(c);
    }
}

/* ---- direct: all at once ---- */

static uint64_t of_sender(const collective *c, uint64_t from, uint64_t to) {
    (void)c, (void)to;
    return from;
}

static uint64_t of_receiver(const collective *c, uint64_t from, uint64_t to) {
    (void)c, (void)from;
    return to;
}

void collective_direct_allgather(collective *c) {
    collective_at_once(c, of_sender, false);
}

void collective_direct_reducescatter(collective *c) {
    collective_at_once(c, of_receiver, true);
}

/* ---- powers of two with folding: w represents the blocks start(w) .. start(w + 1) - 1 ---- */

static uint64_t start(collective_fold f, uint32_t w) {
    return w < f.rest ? 2 * (uint64_t)w : w + f.rest;
}

static uint64_t bytes_of(const collective *c, collective_fold f, uint32_t w, uint32_t count) {
    return collective_bytes(c->size, c->n, start(f, w), start(f, w + count) - start(f, w));
}

static void carries(const collective *c, collective_fold f, uint32_t w, uint32_t count, bool reduced) {
    collective_carries(c, start(f, w), start(f, w + count) - start(f, w), reduced);
}

static void doubling(collective *c) {
    collective_fold f = collective_folded(c->n);
    uint64_t n = c->n;
    for (uint32_t v = 0; v < 2 * f.rest; v++) { /* block of the even member to the odd one */
        uint64_t own = collective_bytes(c->size, n, v & ~1U, 1);
        bool sends = v % 2 == 0;
        collective_exchange(c, v, (collective_transfer){sends ? v + 1 : COLLECTIVE_NOBODY, own},
                            (collective_transfer){sends ? COLLECTIVE_NOBODY : v - 1, own}, false);
        if (sends) collective_carries(c, v, 1, false);
    }
    collective_step(c);
    for (uint32_t bit = 1; bit < f.power && !c->status; bit *= 2) {
        for (uint32_t w = 0; w < f.power; w++) {
            uint32_t mine = w & ~(bit - 1), other = collective_unfold(f, w ^ bit);
            collective_exchange(c, collective_unfold(f, w),
                                (collective_transfer){other, bytes_of(c, f, mine, bit)},
                                (collective_transfer){other, bytes_of(c, f, mine ^ bit, bit)}, false);
            carries(c, f, mine, bit, false);
        }
        collective_step(c);
    }
    for (uint32_t v = 0; v < 2 * f.rest; v++) { /* all other blocks to the even member */
        uint64_t rest = c->size - collective_bytes(c->size, n, v & ~1U, 1);
        bool sends = v % 2 == 1;
        collective_exchange(c, v, (collective_transfer){sends ? v - 1 : COLLECTIVE_NOBODY, rest},
                            (collective_transfer){sends ? COLLECTIVE_NOBODY : v + 1, rest}, false);
        if (!sends) continue;
        collective_carries(c, 0, v - 1, false);
        collective_carries(c, v, n - v, false);
    }
    collective_step(c);
}

static void halving(collective *c) {
    collective_fold f = collective_folded(c->n);
    for (uint32_t v = 0; v < 2 * f.rest; v++) { /* vector of the even member to the odd one */
        bool sends = v % 2 == 0;
        collective_exchange(c, v, (collective_transfer){sends ? v + 1 : COLLECTIVE_NOBODY, c->size},
                            (collective_transfer){sends ? COLLECTIVE_NOBODY : v - 1, c->size}, true);
        if (sends) collective_carries(c, 0, c->n, true);
    }
    collective_step(c);
    for (uint32_t bit = f.power / 2; bit && !c->status; bit /= 2) {
        for (uint32_t w = 0; w < f.power; w++) {
            uint32_t mine = w & ~(bit - 1), other = collective_unfold(f, w ^ bit);
            collective_exchange(c, collective_unfold(f, w),
                                (collective_transfer){other, bytes_of(c, f, mine ^ bit, bit)},
                                (collective_transfer){other, bytes_of(c, f, mine, bit)}, true);
            carries(c, f, mine ^ bit, bit, true);
        }
        collective_step(c);
    }
    for (uint32_t v = 0; v < 2 * f.rest; v++) { /* its block to the even member */
        uint64_t own = collective_bytes(c->size, c->n, v & ~1U, 1);
        bool sends = v % 2 == 1;
        collective_exchange(c, v, (collective_transfer){sends ? v - 1 : COLLECTIVE_NOBODY, own},
                            (collective_transfer){sends ? COLLECTIVE_NOBODY : v + 1, own}, false);
        if (sends) collective_carries(c, v - 1, 1, false);
    }
    collective_step(c);
}

static double bus(uint32_t n) {
    return (n - 1.0) / n;
}

static const collective_algorithm gathers[] = {
    {"ring", "n - 1 steps of one block to the next member", "Thakur, Rabenseifner, Gropp 2005, section 4.1",
     collective_ring_allgather, collective_n_blocks, .exchanges = true},
    {"doubling", "ceil(lg n) steps, doubling the number of blocks",
     "Thakur, Rabenseifner, Gropp 2005, section 4.1", doubling, collective_n_blocks, .exchanges = true},
    {"bruck", "ceil(lg n) steps for any n, doubling the distance", "Bruck et al. 1997", bruck,
     collective_n_blocks, .exchanges = true},
    {"direct", "all blocks at once, each to all", "Thakur, Rabenseifner, Gropp 2005, section 4.6",
     collective_direct_allgather, collective_n_blocks},
    {"rails", "rings along the rails of nodes, then a ring within each node", "Cho et al. 2019",
     collective_rails_allgather, collective_n_blocks, .exchanges = true},
    {"nccl", "nccl-ring, with the protocol and channels that NCCL chooses by size", GPU_SOURCE,
     gpu_chosen_allgather, gpu_chosen_allgather_items},
    {"nccl-ring", "a ring for each channel, through all ranks of a node and out by the channel's NIC",
     GPU_SOURCE, gpu_ring_allgather, gpu_ring_gather_items},
    {"msccl", "the steps of an MSCCL file, whose data flow is checked", "Cowan et al. 2023", gpu_msccl,
     gpu_msccl_items, .program = true},
    {0},
};
const collective_kind collective_allgather = {"allgather", "the blocks of all to all", gathers, bus};

static const collective_algorithm scatters[] = {
    {"ring", "n - 1 steps of one block to the next member", "Patarasuk, Yuan 2009",
     collective_ring_reducescatter, collective_n_blocks, .exchanges = true},
    {"halving", "ceil(lg n) steps, halving the number of blocks",
     "Thakur, Rabenseifner, Gropp 2005, section 4.2", halving, collective_n_blocks, .exchanges = true},
    {"direct", "all blocks at once, each to the member that adds it",
     "Thakur, Rabenseifner, Gropp 2005, section 4.6", collective_direct_reducescatter, collective_n_blocks},
    {"rails", "a ring within each node, then rings along the rails of nodes", "Cho et al. 2019",
     collective_rails_reducescatter, collective_n_blocks, .exchanges = true},
    {"nccl", "nccl-ring, with the protocol and channels that NCCL chooses by size", GPU_SOURCE,
     gpu_chosen_reducescatter, gpu_chosen_reducescatter_items},
    {"nccl-ring", "a ring for each channel, through all ranks of a node and out by the channel's NIC",
     GPU_SOURCE, gpu_ring_reducescatter, gpu_ring_gather_items},
    {"msccl", "the steps of an MSCCL file, whose data flow is checked", "Cowan et al. 2023", gpu_msccl,
     gpu_msccl_items, .program = true},
    {0},
};
const collective_kind collective_reducescatter = {"reducescatter", "the sum of one block to each", scatters,
                                                  bus};
