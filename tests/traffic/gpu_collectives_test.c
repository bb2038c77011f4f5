/* Collectives of GPU libraries: every rank ends with what is promised, for any number of ranks, ranks of a
 * node, NICs and channels; and the messages are those that the algorithm is known for. */
#include "support/collective_oracle.h"
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const collective_kind *const kinds[] = {&collective_allreduce, &collective_allgather,
                                               &collective_reducescatter, &collective_broadcast,
                                               &collective_alltoall};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void hold(const collective_case *k, uint32_t orders) {
    const char *trouble = collective_case_run(k, orders);
    if (trouble)
        fail_msg(
            "%s:algo=%s over %u ranks, %u a node, %u NICs, %u channels, %llu bytes in chunks of %llu: %s",
            k->kind->name, k->algorithm->name, k->n, k->gpu.gpus, k->gpu.nics, k->gpu.channels,
            (unsigned long long)k->size, (unsigned long long)k->gpu.chunk, trouble);
}

static bool of_gpus(const collective_algorithm *a) {
    return strcmp(a->source, GPU_SOURCE) == 0 || a->adders;
}

static void each(void (*visit)(const collective_kind *kind, const collective_algorithm *a)) {
    for (int i = 0; i < KINDS; i++)
        for (const collective_algorithm *a = kinds[i]->algorithm; a->name; a++)
            if (of_gpus(a)) visit(kinds[i], a);
}

/* Every number of ranks with several numbers of ranks on a node: 1 to 8. */
static void any_nodes(const collective_kind *kind, const collective_algorithm *a) {
    for (uint32_t n = 1; n <= 33; n++)
        for (uint32_t g = 0; g < 3; g++) {
            uint32_t gpus = g ? 1 + (n + 3 * g) % 8 : 8, nics = n % 2 ? gpus : gpus % 2 ? 1 : gpus / 2;
            collective_case k = {kind, a, n, n, NULL, 0, g ? 1000 : 7, 64, 0, 1, {gpus, nics, 0, 300, 0}};
            hold(&k, 1);
        }
}

/* The last node is not full unless the numbers divide. */
static void every_rank_ends_with_what_is_promised(void **state) {
    (void)state;
    each(any_nodes);
}

static void any_options(const collective_kind *kind, const collective_algorithm *a) {
    static const uint64_t chunk[] = {0, 100, 150};
    for (uint32_t n = 2; n <= 14; n += 4)
        for (uint32_t nics = 1; nics <= 4; nics *= 2)
            for (uint32_t channels = 0; channels <= 5; channels++)
                for (int protocol = COLLECTIVE_PLAIN; protocol <= COLLECTIVE_SIMPLE; protocol++) {
                    collective_gpu gpu = {4, nics, channels, chunk[channels % 3],
                                          (collective_protocol)protocol};
                    hold(&(collective_case){kind, a, n, n, NULL, 0, 1999, 64, 1000 * (nics == 2), 1, gpu}, 1);
                }
}

static void channels_chunks_and_protocols_change_nothing(void **state) {
    (void)state;
    each(any_options);
}

/* Groups with different numbers of members on nodes, in any order. */
static void any_group(const collective_kind *kind, const collective_algorithm *a) {
    static const uint32_t rank[] = {11, 3, 8, 1, 12, 0, 17, 9, 10};
    if (a->adders) return; /* not for groups */
    for (uint32_t n = 1; n <= 9; n++)
        for (uint32_t gpus = 1; gpus <= 8; gpus *= 2)
            hold(&(collective_case){kind, a, n, 18, rank, 0, 300, 30, 1000, 1, {gpus, gpus, 0, 9, 0}}, 2);
}

static void members_may_be_any_ranks(void **state) {
    (void)state;
    each(any_group);
}

static void any_rank_may_be_the_root(void **state) {
    (void)state;
    const collective_algorithm *a = collective_find(&collective_broadcast, "nccl-ring");
    for (uint32_t n = 2; n <= 9; n++)
        for (uint32_t root = 1; root < n; root++)
            hold(
                &(collective_case){
                    &collective_broadcast, a, n, n, NULL, root, 1000, 300, 0, 1, {4, 4, 0, 300, 0}},
                2);
}

static void rounds(const collective_kind *kind, const collective_algorithm *a) {
    if (kind != &collective_broadcast && kind != &collective_allgather && kind != &collective_alltoall)
        return;
    for (uint32_t n = 2; n <= 9; n++)
        hold(&(collective_case){kind, a, n, n, NULL, 0, 100, 30, 0, 3, {4, 2, 0, 20, 0}}, 2);
}

static void rounds_do_not_mix(void **state) {
    (void)state;
    each(rounds);
}

/* ---- trees ---- */

/* Every node has one parent but the root and at most two children; the inner nodes of a tree are leaves of
 * the other. */
static void two_trees_share_no_inner_node(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= 70; n++) {
        uint32_t children[2][70] = {{0}}, roots = 0;
        for (unsigned t = 0; t < 2; t++)
            for (uint32_t k = 0; k < n; k++) {
                bool lower;
                uint32_t up = pipeline_tree_parent(k, n, t, &lower), deep = 0;
                for (uint32_t at = k; at != COLLECTIVE_NOBODY; deep++) {
                    bool any;
                    at = pipeline_tree_parent(at, n, t, &any);
                    assert_true(deep <= n);
                }
                assert_true(deep <= pipeline_tree_depth(n) + 2);
                if (up == COLLECTIVE_NOBODY)
                    roots++;
                else
                    children[t][up]++;
            }
        assert_int_equal(roots, 2);
        uint32_t both = 0;
        for (uint32_t k = 0; k < n; k++) {
            assert_true(children[0][k] <= 2 && children[1][k] <= 2);
            both += children[0][k] && children[1][k];
        }
        /* shifted by one, an odd number of nodes has one at the seam */
        assert_true(both <= n % 2);
    }
}

/* ---- loads ---- */

typedef struct loads {
    uint64_t sent[64], received[64]; /* by rank, to and from other nodes */
    uint64_t crossing;               /* between different positions on nodes */
} loads;

static loads loads_of(const char *kind, const char *algorithm, collective_gpu gpu, uint32_t n) {
    loads l = {{0}, {0}, 0};
    collective_case k = {.n = n, .ranks = n, .size = 64 * 240, .gpu = gpu};
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->name, kind) == 0) k.kind = kinds[i];
    k.algorithm = collective_find(k.kind, algorithm);
    bough_schedule *s = collective_case_make(&k);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            if (op->kind != BOUGH_OP_SEND || op->peer / gpu.gpus == r / gpu.gpus) continue;
            l.sent[r] += op->size;
            l.received[op->peer] += op->size;
            if (op->peer % gpu.gpus != r % gpu.gpus) l.crossing += op->size;
        }
    bough_schedule_destroy(s);
    return l;
}

static void all_send(const loads *l, uint32_t n, uint64_t bytes) {
    for (uint32_t r = 0; r < n; r++)
        if (l->sent[r] != bytes || l->received[r] != bytes)
            fail_msg("rank %u sends %llu and receives %llu, not %llu", r, (unsigned long long)l->sent[r],
                     (unsigned long long)l->received[r], (unsigned long long)bytes);
}

/* 4 nodes of 4 with as many NICs: rings share the load between NICs and stay on rails; with one channel one
 * NIC of each node carries all. */
static void rings_use_all_nics(void **state) {
    (void)state;
    enum { SIZE = 64 * 240 };
    collective_gpu gpu = {.gpus = 4, .nics = 4};
    loads l = loads_of("allreduce", "nccl-ring", gpu, 16);
    all_send(&l, 16, 2 * 15 * SIZE / 16 / 4);
    assert_int_equal(l.crossing, 0);
    gpu.channels = 1;
    l = loads_of("allreduce", "nccl-ring", gpu, 16);
    assert_int_equal(l.sent[0] + l.sent[1] + l.sent[2] + l.sent[3], 2 * 15 * SIZE / 16);
    assert_int_equal(l.sent[2], 0);
}

static void hierarchies_stay_on_rails(void **state) {
    (void)state;
    enum { SIZE = 64 * 240 };
    loads l = loads_of("allreduce", "hierarchical", (collective_gpu){.gpus = 4, .nics = 4}, 16);
    all_send(&l, 16, 2 * 3 * SIZE / 4 / 4);
    assert_int_equal(l.crossing, 0);
    l = loads_of("alltoall", "pxn", (collective_gpu){.gpus = 4, .nics = 4}, 16);
    all_send(&l, 16, 12 * SIZE / 16);
    assert_int_equal(l.crossing, 0);
    l = loads_of("alltoall", "nccl-direct", (collective_gpu){.gpus = 4, .nics = 4}, 16);
    assert_int_equal(l.crossing, 16 * 9 * SIZE / 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_ends_with_what_is_promised),
        cmocka_unit_test(channels_chunks_and_protocols_change_nothing),
        cmocka_unit_test(members_may_be_any_ranks),
        cmocka_unit_test(any_rank_may_be_the_root),
        cmocka_unit_test(rounds_do_not_mix),
        cmocka_unit_test(two_trees_share_no_inner_node),
        cmocka_unit_test(rings_use_all_nics),
        cmocka_unit_test(hierarchies_stay_on_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
