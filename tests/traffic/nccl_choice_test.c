/* The choice of algorithm, protocol and channels: tables that are refused, tables that are read, and NCCL's
 * model against sums by hand. */
#include "base/files/input.h"
#include "support/points.h"
#include "traffic/collectives/gpu/tuning_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "collective,nodes_from,nodes_to,bytes_to,algorithm,protocol,channels\n"

static bough_status read(const char *text, collective_tuning *tuning, bough_error *error) {
    bough_input input;
    *tuning = (collective_tuning){.file = "t.csv"};
    assert_int_equal(bough_input_from("t.csv", text, strlen(text), &input, error), BOUGH_OK);
    bough_status status = tuning_table_read(&input, tuning, error);
    bough_input_fini(&input);
    return status;
}

static void refused(const char *text, const char *place, const char *reason) {
    bough_error error = {0};
    collective_tuning tuning;
    bough_status status = read(text, &tuning, &error);
    free(tuning.rule);
    assert_int_equal(status, BOUGH_INVALID);
    assert_string_equal(error.place, place);
    if (!strstr(error.reason, reason)) fail_msg("'%s' lacks '%s'", error.reason, reason);
}

static void wrong_tables_are_refused(void **state) {
    (void)state;
    refused("", "t.csv", "no choices");
    refused(HEAD, "t.csv", "no choices");
    refused("collective,algorithm\n", "t.csv:1", "must name the columns");
    refused("collective,algorithms,protocol\n", "t.csv:1",
            "unknown column 'algorithms' (did you mean 'algorithm'?)");
    refused("collective,collective\n", "t.csv:1", "duplicate column");
    refused(HEAD "allreduce,1,1,64KiB,nccl-ring\n", "t.csv:2", "5 cells");
    refused(HEAD "allreduces,1,1,64KiB,nccl-ring,ll,\n", "t.csv:2", "no collective 'allreduces'");
    refused(HEAD "allreduce,1,1,64KiB,ring,ll,\n", "t.csv:2", "no algorithm 'ring'");
    refused(HEAD "allreduce,1,1,64KiB,nccl-ring,ll256,\n", "t.csv:2", "no protocol 'll256'");
    refused(HEAD "allreduce,2,1,64KiB,nccl-ring,ll,\n", "t.csv:2", "nodes_from is larger");
    refused(HEAD "allreduce,0,1,64KiB,nccl-ring,ll,\n", "t.csv:2", "nodes_from");
    refused(HEAD "allreduce,1,1,64XB,nccl-ring,ll,\n", "t.csv:2", "64XB");
    refused(HEAD "allreduce,1,1,64KiB,nccl-ring,ll,99\n", "t.csv:2", "channels");
    refused(HEAD "allgather,1,1,64KiB,nccl-tree,ll,\n", "t.csv:2", "allgather has no algorithm nccl-tree");
}

static void the_first_line_that_fits_is_used(void **state) {
    (void)state;
    static const char text[] = HEAD "# small\nallreduce,1,1,64KiB,nccl-tree,ll,2\n"
                                    "allreduce,,4,,nccl-ring,ll128,\nallreduce,5,,1GiB,nvls-tree,simple,3\n";
    collective_tuning tuning;
    bough_error error = {0};
    nccl_choice k;
    if (read(text, &tuning, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(tuning.rules, 3);
    assert_int_equal(nccl_choose(&tuning, &(nccl_question){NCCL_ALLREDUCE, 8, 1, 8, 65536}, &k, &error), 0);
    assert_true(k.algorithm == NCCL_TREE && k.protocol == COLLECTIVE_LL && k.channels == 2);
    assert_int_equal(nccl_choose(&tuning, &(nccl_question){NCCL_ALLREDUCE, 8, 1, 8, 65537}, &k, &error), 0);
    assert_true(k.algorithm == NCCL_RING && k.protocol == COLLECTIVE_LL128 && k.channels == 0);
    assert_int_equal(nccl_choose(&tuning, &(nccl_question){NCCL_ALLREDUCE, 40, 5, 8, 8}, &k, &error), 0);
    assert_true(k.algorithm == NCCL_NVLS_TREE && k.channels == 3);
    assert_int_equal(
        nccl_choose(&tuning, &(nccl_question){NCCL_ALLREDUCE, 40, 5, 8, UINT64_C(2) << 30}, &k, &error),
        BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "no line for allreduce of 2147483648 bytes on 5 nodes"));
    free(tuning.rule);
}

/* 8 GPUs: a ring of LL has 6.6 us and 14 steps of 0.6 us; 1 KiB at 141 GB/s of bus bandwidth. 64 of them: a
 * tree of LL 6.8 us, 2 (7 x 0.6 + 3 x 5) us. */
static void times_are_those_of_the_model(void **state) {
    (void)state;
    nccl_question one = {NCCL_ALLREDUCE, 8, 1, 8, 1024}, eight = {NCCL_ALLREDUCE, 64, 8, 8, 0};
    assert_close(nccl_time(NULL, &one, (nccl_choice){NCCL_RING, COLLECTIVE_LL, 0}),
                 15 + 1024 / (141e3 * 8 / 14), 1e-9);
    assert_close(nccl_time(NULL, &eight, (nccl_choice){NCCL_TREE, COLLECTIVE_LL, 0}), 6.8 + 2 * (4.2 + 15),
                 1e-9);
    assert_true(nccl_time(NULL, &one, (nccl_choice){NCCL_NVLS_TREE, COLLECTIVE_LL, 0}) < 0);
    assert_true(nccl_time(NULL, &one, (nccl_choice){NCCL_PXN, COLLECTIVE_LL, 0}) < 0);
}

/* A NIC of 12.5 GB/s has a channel of 12, and trees over two nodes twice the rate; NVLS needs switches that
 * add. */
static void two_nodes_and_old_switches(void **state) {
    (void)state;
    const nccl_choice tree = {NCCL_TREE, COLLECTIVE_SIMPLE, 0}, nvls = {NCCL_NVLS_TREE, COLLECTIVE_SIMPLE, 0};
    collective_tuning slow = {.nic_rate = 100000000000, .gpu_rate = 2400000000000, .no_nvls = true},
                      fast = slow;
    nccl_question two = {NCCL_ALLREDUCE, 16, 2, 4, UINT64_C(8) << 30}, four = two, none = two;
    four.nodes = 4, four.ranks = 32, none.bytes = 0;
    double bytes = 8589934592.0, base = nccl_time(&slow, &none, tree);
    assert_close(nccl_time(&slow, &two, tree) - base, bytes / 1e3 / (0.92 * 96 / 2), 1e-6);
    none = four, none.bytes = 0;
    base = nccl_time(&slow, &none, tree);
    assert_close(nccl_time(&slow, &four, tree) - base, bytes / 1e3 / (0.92 * 48 / 2), 1e-6);
    assert_true(nccl_time(&slow, &two, nvls) < 0);
    fast.no_nvls = false;
    assert_true(nccl_time(&fast, &two, nvls) > 0);
}

/* LL between nodes has the bandwidth of the CPU; a channel of NVLSTree has at most 57.7 GB/s on two
 * nodes, 45.5 on more; NVLS of 8 GPUs loses one channel of 8. */
static void bandwidths_have_limits(void **state) {
    (void)state;
    static const struct {
        uint32_t nodes;
        nccl_choice choice;
        double bus; /* GB/s */
    } table[] = {
        {1, {NCCL_RING, COLLECTIVE_LL, 0}, 141},
        {2, {NCCL_RING, COLLECTIVE_LL, 0}, 39},
        {8, {NCCL_RING, COLLECTIVE_LL, 0}, 20.4},
        {1, {NCCL_NVLS_TREE, COLLECTIVE_SIMPLE, 0}, 450 * 0.85 * 2 * 7 / 8},
        {2, {NCCL_NVLS_TREE, COLLECTIVE_SIMPLE, 0}, 8 * 57.7},
        {8, {NCCL_NVLS_TREE, COLLECTIVE_SIMPLE, 0}, 8 * 45.5},
        {8, {NCCL_RING, COLLECTIVE_SIMPLE, 0}, 8 * 48},
        {8, {NCCL_RING, COLLECTIVE_LL128, 0}, 8 * 36.7},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t ranks = 8 * table[i].nodes;
        nccl_question some = {NCCL_ALLREDUCE, ranks, table[i].nodes, 8, 512}, none = some;
        none.bytes = 0;
        double us = nccl_time(NULL, &some, table[i].choice) - nccl_time(NULL, &none, table[i].choice);
        assert_close(us, 512 / 1e3 / table[i].bus * 2 * (ranks - 1) / ranks, 1e-9);
    }
    nccl_question alone = {NCCL_ALLREDUCE, 8, 8, 1, 512}; /* one GPU a node: NVLS needs two channels */
    assert_true(nccl_time(NULL, &alone, (nccl_choice){NCCL_NVLS_TREE, COLLECTIVE_SIMPLE, 0}) < 0);
}

/* Allreduce of 8 GiB on 512 H100 with 400 Gb/s each: NVLSTree has 8 x 45.5 GB/s and less latency than the
 * ring with 8 x 48; a tree has 8 x 36. */
static void large_vectors_take_nvls_tree(void **state) {
    (void)state;
    bough_error error;
    nccl_choice k;
    nccl_question q = {NCCL_ALLREDUCE, 512, 64, 8, UINT64_C(8) << 30};
    const double ms = 8589.934592, part = 512. / 1022;
    nccl_choose(NULL, &q, &k, &error);
    assert_true(k.algorithm == NCCL_NVLS_TREE && k.protocol == COLLECTIVE_SIMPLE);
    assert_close(nccl_time(NULL, &q, k) / 1e3, 0.0 + (25 + 2 * 6 * 20.9) / 1e3 + ms / (8 * 45.5 * part),
                 1e-9);
    k.algorithm = NCCL_RING;
    assert_close(nccl_time(NULL, &q, k) / 1e3,
                 (8.4 + (1022 - 126) * 3.4 + 126 * 14) * 1.4e-3 + ms / (8 * 48 * part), 1e-9);
    k.algorithm = NCCL_TREE;
    assert_close(nccl_time(NULL, &q, k) / 1e3, (8.4 + 2 * (7 * 4 + 6 * 14)) / 1e3 + ms / (8 * 18), 1e-9);
}

/* PAT has logarithmic latency, for one GPU on each node. */
static void pat_is_preferred(void **state) {
    (void)state;
    bough_error error;
    nccl_choice k;
    nccl_question q = {NCCL_ALLGATHER, 64, 64, 1, 64 * 65536};
    nccl_choose(NULL, &q, &k, &error);
    assert_true(k.algorithm == NCCL_RING && nccl_prefers_pat(NULL, &q, k));
    q.bytes = UINT64_C(16) << 30; /* PAT has 3/4 of the bandwidth */
    nccl_choose(NULL, &q, &k, &error);
    assert_false(nccl_prefers_pat(NULL, &q, k));
    q = (nccl_question){NCCL_ALLGATHER, 64, 8, 8, 64 * 65536};
    nccl_choose(NULL, &q, &k, &error);
    assert_false(nccl_prefers_pat(NULL, &q, k));
    q = (nccl_question){NCCL_ALLREDUCE, 64, 64, 1, 64 * 65536};
    nccl_choose(NULL, &q, &k, &error);
    assert_false(nccl_prefers_pat(NULL, &q, k));
}

/* Small: low latency. Large: full bandwidth. With more nodes trees, as rings have a step for each rank. */
static void small_and_large_differ(void **state) {
    (void)state;
    bough_error error;
    nccl_choice k;
    for (uint32_t nodes = 2; nodes <= 64; nodes *= 2) {
        nccl_question q = {NCCL_ALLREDUCE, 8 * nodes, nodes, 8, 1024};
        nccl_choose(NULL, &q, &k, &error);
        assert_true(k.protocol == COLLECTIVE_LL && k.algorithm == NCCL_TREE);
        q.bytes = UINT64_C(8) << 30;
        nccl_choose(NULL, &q, &k, &error);
        assert_true(k.protocol == COLLECTIVE_SIMPLE && k.channels == 0);
    }
    nccl_choose(NULL, &(nccl_question){NCCL_ALLTOALL, 64, 8, 8, 64 * 16384}, &k, &error);
    assert_true(k.algorithm == NCCL_PXN && k.protocol == COLLECTIVE_LL);
    nccl_choose(NULL, &(nccl_question){NCCL_ALLTOALL, 8, 1, 8, UINT64_C(1) << 30}, &k, &error);
    assert_true(k.algorithm == NCCL_DIRECT && k.protocol == COLLECTIVE_SIMPLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_tables_are_refused),     cmocka_unit_test(the_first_line_that_fits_is_used),
        cmocka_unit_test(times_are_those_of_the_model), cmocka_unit_test(two_nodes_and_old_switches),
        cmocka_unit_test(bandwidths_have_limits),       cmocka_unit_test(pat_is_preferred),
        cmocka_unit_test(small_and_large_differ),       cmocka_unit_test(large_vectors_take_nvls_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
