/* Collectives of GPU libraries in `flow`, with hosts that cost nothing, against closed forms: on one switch,
 * on compute nodes with NICs as rails, and with the protocols of NCCL. */
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FREE_HOSTS ",o=0ns,g=0ns"

/* 1000 bytes take 80 ns at 100 Gb/s. */
static const double US_PER_BYTE = 80e-6;

static double value_of(const char *net, const char *traffic, const char *method, bough_metric_id metric) {
    char spec[256];
    snprintf(spec, sizeof spec, "%s%s", traffic, FREE_HOSTS);
    bough_point p = point_make(net, "dmodk", spec);
    bough_rows rows = rows_of(&p, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return value;
}

static double microseconds(const char *net, const char *traffic, const char *method) {
    return 1e6 * value_of(net, traffic, method, BOUGH_METRIC_COMPLETION_TIME);
}

static void takes(const char *net, const char *traffic, const char *method, double us) {
    double have = microseconds(net, traffic, method);
    if (!(have > us * (1 - 1e-9) - 1e-6 && have < us * (1 + 1e-9) + 1e-6))
        fail_msg("%s %s: %.9g us, not %.9g", net, traffic, have, us);
}

/* n ranks, each on its own node. A block is 3000 bytes. */
static void rings_on_one_switch(void **state) {
    (void)state;
    static const unsigned ranks[] = {2, 3, 5, 8, 12};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        unsigned n = ranks[i], size = 3000 * n;
        char net[64], t[128];
        double d = 0.2, one = 3000 * US_PER_BYTE + d, third = 1000 * US_PER_BYTE + d;
        snprintf(net, sizeof net, "xgft:down=%u,up=1", n);
#define TAKES(name, want)                                                                                    \
    do {                                                                                                     \
        snprintf(t, sizeof t, name ",size=%u", size);                                                        \
        takes(net, t, "flow:delay=100ns", want);                                                             \
    } while (0)
        TAKES("allreduce:nccl-ring", 2 * (n - 1) * one);
        TAKES("allreduce:nccl-ring,rounds=2", 4 * (n - 1) * one);
        TAKES("allreduce:nccl-ring,chunk=1000", 2 * (n - 1) * 3 * third);
        TAKES("allgather:nccl-ring", (n - 1) * one);
        TAKES("reducescatter:nccl-ring", (n - 1) * one);
        TAKES("alltoall:nccl-direct", (n - 1) * (one - d) + d); /* all at once */
        TAKES("alltoall:pxn", (n - 1) * one);                   /* nothing to forward */
        TAKES("broadcast:nccl-ring,chunk=1000", (3 * n + n - 2) * third);
#undef TAKES
    }
}

/* Latency of a ring with one rank a node, after 8.4 us: 14 us a step less the path of 0.2 us, which it
 * includes. LL has twice the bytes. */
static void protocols_have_the_bytes_and_latencies_of_nccl(void **state) {
    (void)state;
    static const char net[] = "xgft:down=4,up=1", flow[] = "flow:delay=100ns";
    double three = 3000 * US_PER_BYTE;
    takes(net, "allreduce:nccl-ring,size=12000,protocol=simple", flow, 8.4 + 6 * (14 + three));
    takes(net, "allreduce:nccl-ring,size=12000,protocol=ll", flow, 6.6 + 6 * (5 + 2 * three));
    takes(net, "allreduce:nccl-ring,size=12000,protocol=ll128", flow, 14 + 6 * (8.5 + three * 128 / 120));
    /* sends to all others overlap */
    takes(net, "alltoall:nccl-direct,size=12000,protocol=simple", flow, 8.4 + 14 + 3 * three);
    /* two nodes: up and down one edge of each tree */
    takes("xgft:down=2,up=1", "allreduce:nccl-tree,size=12000,protocol=ll", flow,
          6.8 + 2 * (5 + 2 * 6000 * US_PER_BYTE));
}

/* More members than a rank sends to at a time. */
static void many_members(void **state) {
    (void)state;
    double us = microseconds("xgft:down=200,up=1", "alltoall:nccl-direct,size=200000", "flow:delay=100ns"),
           least = 199 * 1000 * US_PER_BYTE + 0.2;
    if (us < least * (1 - 1e-9) || us > least + 0.4) fail_msg("%g us, not %g", us, least);
}

/* In a tree the pieces of both halves share links at inner nodes: 2 m / 2 in each direction, so that a large
 * vector takes about 2 m, as a ring; with P pieces the depth adds less than 2 lg n / P. */
static void trees_have_the_bandwidth_of_rings(void **state) {
    (void)state;
    double m = 64e6 * US_PER_BYTE;
    for (unsigned n = 4; n <= 16; n *= 2) {
        char net[64];
        snprintf(net, sizeof net, "xgft:down=%u,up=1", n);
        double tree = microseconds(net, "allreduce:nccl-tree,size=64MB,chunk=256KB", "flow:delay=0ns");
        double ring = microseconds(net, "allreduce:nccl-ring,size=64MB", "flow:delay=0ns");
        assert_close(ring, 2 * m * (n - 1) / n, 1e-9);
        if (tree < 2 * m * (n - 1) / n || tree > 2 * m * 1.25) fail_msg("%u: %g us, ring %g", n, tree, ring);
    }
}

/* 8 nodes of 8: all rails carry the same, so that 8 of them are 8 times as fast as one. */
static void rails_multiply_bandwidth(void **state) {
    (void)state;
    static const char *const algorithms[] = {"nccl-ring", "nccl-tree", "hierarchical", "nvls-tree"};
    for (int i = 0; i < 4; i++) {
        char one[128], eight[128];
        snprintf(one, sizeof one, "allreduce:%s,ranks=64,gpus=8,size=256MB", algorithms[i]);
        snprintf(eight, sizeof eight, "%s,rails=8", one);
        double slow = microseconds("xgft:down=64,up=1", one, "flow:delay=100ns");
        double fast = microseconds("xgft:down=64,up=1", eight, "flow:delay=100ns");
        if (slow / fast < 5.5 || slow / fast > 8.5) fail_msg("%s: %g and %g us", algorithms[i], slow, fast);
        if (i == 0 && slow / fast < 7.2) fail_msg("ring: %g and %g us", slow, fast);
    }
}

/* Fewer, larger pieces: at most as much slower as is stated, hops / pieces, and never by more than 10 % in a
 * ring. */
static void joined_chunks_cost_little(void **state) {
    (void)state;
    static const char net[] = "xgft:down=16,up=1", flow[] = "flow:delay=0ns";
    double fine = microseconds(net, "allreduce:nccl-tree,size=64MB,chunk=125KB", flow); /* 256 pieces */
    for (unsigned pieces = 8; pieces <= 128; pieces *= 2) {
        char t[128];
        snprintf(t, sizeof t, "allreduce:nccl-tree,size=64MB,chunk=%uKB", 32000 / pieces);
        double coarse = microseconds(net, t, flow);
        if (coarse > fine * (1 + 8.0 / pieces) || coarse < fine * 0.99)
            fail_msg("%u pieces: %g, not %g us", pieces, coarse, fine);
    }
    double ring = microseconds(net, "allreduce:nccl-ring,size=64MB,chunk=1MB", "flow:delay=500ns");
    double whole = microseconds(net, "allreduce:nccl-ring,size=64MB,chunk=4MB", "flow:delay=500ns");
    assert_true(whole > ring * 0.9 && whole < ring * 1.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_on_one_switch),
        cmocka_unit_test(protocols_have_the_bytes_and_latencies_of_nccl),
        cmocka_unit_test(many_members),
        cmocka_unit_test(trees_have_the_bandwidth_of_rings),
        cmocka_unit_test(rails_multiply_bandwidth),
        cmocka_unit_test(joined_chunks_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
