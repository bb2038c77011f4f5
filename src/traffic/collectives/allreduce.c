/* Allreduce: every member ends with the sum of all vectors. If the number of members is not a power of two,
 * the first 2 r (r: members beyond the power) are folded in pairs: the even member sends its vector to the
 * odd one first, and receives the sum from it last. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

/* Sends the vectors of even members to odd ones, or sums back. */
static void fold(collective *c, collective_fold f, uint64_t blocks, bool back) {
    for (uint32_t v = 0; v < 2 * f.rest && !c->status; v++) {
        bool sends = (v % 2 == 1) == back;
        uint32_t other = v ^ 1;
        collective_exchange(c, v, (collective_transfer){sends ? other : COLLECTIVE_NOBODY, c->size},
                            (collective_transfer){sends ? COLLECTIVE_NOBODY : other, c->size}, !back);
        if (sends) collective_carries(c, 0, blocks, !back);
    }
    collective_step(c);
}

static void ring(collective *c) {
    collective_ring_reducescatter(c);
    collective_ring_allgather(c);
}

static void doubling(collective *c) {
    collective_fold f = collective_folded(c->n);
    fold(c, f, 1, false);
    for (uint32_t bit = 1; bit < f.power && !c->status; bit *= 2) {
        for (uint32_t w = 0; w < f.power; w++) {
            uint32_t other = collective_unfold(f, w ^ bit);
            collective_exchange(c, collective_unfold(f, w), (collective_transfer){other, c->size},
                                (collective_transfer){other, c->size}, true);
            collective_carries(c, 0, 1, true);
        }
        collective_step(c);
    }
    fold(c, f, 1, true);
}

/* One step between each w and the member at distance `bit`. Halving: w keeps the half of its blocks that
 * contains its own. Doubling: w has `bit` blocks and receives those of the other. */
static void trade(collective *c, collective_fold f, uint32_t bit, bool halving) {
    for (uint32_t w = 0; w < f.power && !c->status; w++) {
        uint32_t mine = w & ~(bit - 1), theirs = mine ^ bit, out = halving ? theirs : mine;
        uint32_t other = collective_unfold(f, w ^ bit);
        collective_exchange(
            c, collective_unfold(f, w),
            (collective_transfer){other, collective_bytes(c->size, f.power, out, bit)},
            (collective_transfer){other, collective_bytes(c->size, f.power, halving ? mine : theirs, bit)},
            halving);
        collective_carries(c, out, bit, halving);
    }
    collective_step(c);
}

static void rabenseifner(collective *c) {
    collective_fold f = collective_folded(c->n);
    fold(c, f, f.power, false);
    for (uint32_t bit = f.power / 2; bit; bit /= 2) trade(c, f, bit, true);
    for (uint32_t bit = 1; bit < f.power; bit *= 2) trade(c, f, bit, false);
    fold(c, f, f.power, true);
}

static void tree(collective *c) {
    collective_tree_reduce(c);
    collective_tree_broadcast(c);
}

static void direct(collective *c) {
    collective_direct_reducescatter(c);
    collective_direct_allgather(c);
}

static double bus(uint32_t n) {
    return 2.0 * (n - 1) / n;
}

static const collective_algorithm algorithms[] = {
    {"ring", "2 (n - 1) steps of one block to the next member", "Patarasuk, Yuan 2009", ring,
     collective_n_blocks, .exchanges = true},
    {"doubling", "ceil(lg n) steps of the whole vector, doubling the distance",
     "Thakur, Rabenseifner, Gropp 2005, section 4.5", doubling, collective_one_block, .exchanges = true},
    {"rabenseifner", "recursive halving, then doubling: 2 ceil(lg n) steps", "Rabenseifner 2004",
     rabenseifner, collective_power_blocks, .exchanges = true},
    {"tree", "up a binomial tree, then down", "Thakur, Rabenseifner, Gropp 2005", tree, collective_one_block,
     .exchanges = true},
    {"direct", "each block at once to the member that adds it, then each sum at once to all",
     "Thakur, Rabenseifner, Gropp 2005, section 4.6", direct, collective_n_blocks},
    {"rails", "rings within nodes and along rails: reducescatter, then allgather", "Cho et al. 2019",
     collective_rails_allreduce, collective_n_blocks, .exchanges = true},
    {"nccl", "as NCCL chooses by size: one of the following", GPU_SOURCE, gpu_chosen_allreduce,
     gpu_chosen_allreduce_items},
    {"nccl-ring", "a ring for each channel, through all ranks of a node and out by the channel's NIC",
     GPU_SOURCE, gpu_ring_allreduce, gpu_ring_items},
    {"nccl-tree", "two binary trees over nodes for each channel, chains within nodes", GPU_SOURCE,
     gpu_tree_allreduce, gpu_tree_items},
    {"hierarchical", "reducescatter in the node, a ring for each rail between nodes, allgather in the node",
     GPU_SOURCE, gpu_hierarchical_allreduce, gpu_hierarchical_items},
    {"nvls-tree", "the same with two binary trees for each rail", GPU_SOURCE, gpu_nvls_tree_allreduce,
     gpu_nvls_tree_items},
    {"sharp", "the same with a tree of switches that add for each rail (sharp= of the physical setting)",
     "Graham et al. 2016", gpu_sharp_allreduce, gpu_sharp_items, .adders = true},
    {"msccl", "the steps of an MSCCL file, whose data flow is checked", "Cowan et al. 2023", gpu_msccl,
     gpu_msccl_items, .program = true},
    {0},
};
const collective_kind collective_allreduce = {"allreduce", "the sum of all vectors to all", algorithms, bus};
