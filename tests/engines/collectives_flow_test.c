/* Collectives in `flow`, with hosts that cost nothing, against their closed forms; alltoall against linkload.
 */
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FREE_HOSTS ",o=0ns,g=0ns,S=0"

/* 1000 bytes take 80 ns at 100 Gb/s. */
static const uint64_t PS_PER_BYTE = 80;

static uint64_t picoseconds(const char *net, const char *traffic, const char *hosts, const char *method) {
    char spec[256];
    snprintf(spec, sizeof spec, "%s%s", traffic, hosts);
    bough_point p = point_make(net, "dmodk", spec);
    bough_rows rows = rows_of(&p, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    uint64_t time =
        (uint64_t)(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX) * 1e12 + 0.5);
    bough_rows_fini(&rows);
    point_free(&p);
    return time;
}

static void takes_with(const char *hosts, const char *net, const char *traffic, const char *method,
                       uint64_t want) {
    uint64_t have = picoseconds(net, traffic, hosts, method);
    if (have != want)
        fail_msg("%s %s: %llu ps, not %llu", net, traffic, (unsigned long long)have,
                 (unsigned long long)want);
}

static void takes(const char *net, const char *traffic, const char *method, uint64_t want) {
    takes_with(FREE_HOSTS, net, traffic, method, want);
}

/* All on one switch: every message has two links, nothing shares any. n divides the size. */
static void on_one_switch(void **state) {
    (void)state;
    static const unsigned ranks[] = {2, 3, 5, 8, 12, 16};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        uint64_t n = ranks[i], block = 3000, size = n * block, power = 1, lg = 0;
        uint64_t d = 2 * 100000; /* two links of 100 ns */
        char net[64], t[128];
        while (2 * power <= n) power *= 2, lg++;
        uint64_t up = lg + (power < n);
        uint64_t one = block * PS_PER_BYTE + d, whole = size * PS_PER_BYTE + d;
        snprintf(net, sizeof net, "xgft:down=%u,up=1", (unsigned)n);
#define TAKES(name, want)                                                                                    \
    do {                                                                                                     \
        snprintf(t, sizeof t, name ",size=%u", (unsigned)size);                                              \
        takes(net, t, "flow:delay=100ns", want);                                                             \
    } while (0)
        TAKES("allreduce:ring", 2 * (n - 1) * one);
        TAKES("allreduce:ring,rounds=3", 6 * (n - 1) * one);
        TAKES("allreduce:direct", 2 * ((n - 1) * block * PS_PER_BYTE + d));
        TAKES("allgather:direct", (n - 1) * block * PS_PER_BYTE + d);
        TAKES("reducescatter:direct,reduce=5ns", (n - 1) * block * (PS_PER_BYTE + 5000) + d);
        TAKES("allgather:ring", (n - 1) * one);
        TAKES("reducescatter:ring", (n - 1) * one);
        TAKES("alltoall:shift", (n - 1) * one);
        takes(net, "barrier:rounds=2", "flow:delay=100ns", 2 * up * d);
        if (power == n) {
            TAKES("allreduce:doubling", lg * whole);
            TAKES("allreduce:rabenseifner", 2 * (n - 1) * block * PS_PER_BYTE + 2 * lg * d);
            TAKES("allgather:doubling", (n - 1) * block * PS_PER_BYTE + lg * d);
            TAKES("reducescatter:halving", (n - 1) * block * PS_PER_BYTE + lg * d);
            TAKES("alltoall:pairwise", (n - 1) * one);
            TAKES("alltoall:bruck", lg * (size / 2 * PS_PER_BYTE + d));
        }
        TAKES("allgather:bruck", (n - 1) * block * PS_PER_BYTE + up * d);
#undef TAKES
    }
}

/* Segments of 3000 bytes and one of 1000 follow each other from rank to rank where a send waits for its
 * receive; where none does they leave together and share the link. */
static void a_chain_is_a_pipeline(void **state) {
    (void)state;
    static const char traffic[] = "broadcast:chain,segment=3000,size=10000", flow[] = "flow:delay=100ns";
    for (unsigned n = 2; n <= 9; n++) {
        char net[64];
        uint64_t d = 2 * 100000, one = 3000 * PS_PER_BYTE + d, last = 1000 * PS_PER_BYTE + d;
        snprintf(net, sizeof net, "xgft:down=%u,up=1", n);
        takes_with(",o=0ns,g=0ns,S=1", net, traffic, flow, (n + 1) * one + last);
        takes(net, traffic, flow, (n - 1) * (10000 * PS_PER_BYTE + d));
    }
}

/* Three ranks: 2 does not wait until 0 has given its vector to 1, so that both messages share the way to 1;
 * then 1 answers both at once, sharing the way from it. */
static void folding_is_not_in_step(void **state) {
    (void)state;
    takes("xgft:down=3,up=1", "allreduce:doubling,size=9000", "flow:delay=100ns", 2 * (2 * 720000 + 200000));
}

static void reductions_cost_time(void **state) {
    (void)state;
    /* 4 ranks of 1000 bytes: 3 steps of 80 + 200 ns and 2 ns a byte, 3 without */
    takes("xgft:down=4,up=1", "allreduce:ring,size=4000,reduce=2000ps", "flow:delay=100ns",
          3 * (80000 + 200000 + 2000 * 1000) + 3 * (80000 + 200000));
}

/* ---- a tree: who is how far ---- */

static uint64_t links_between(uint64_t a, uint64_t b, uint64_t leaf) {
    return a / leaf == b / leaf ? 2 : 4;
}

/* Rank v hands on in step s what it has since its step s - 1; each hop takes its own time. */
static uint64_t ring_end(uint64_t n, uint64_t leaf, uint64_t steps, uint64_t bytes, uint64_t delay) {
    uint64_t now[64] = {0}, next[64], end = 0;
    for (uint64_t s = 0; s < steps; s++) {
        for (uint64_t v = 0; v < n; v++) {
            uint64_t from = (v + n - 1) % n;
            uint64_t there = now[from] + bytes * PS_PER_BYTE + links_between(from, v, leaf) * delay;
            next[v] = there > now[v] ? there : now[v];
        }
        memcpy(now, next, sizeof now);
    }
    for (uint64_t v = 0; v < n; v++) end = now[v] > end ? now[v] : end;
    return end;
}

/* Leaves of 4 with 4 cables up: under D-mod-K neighbours, and partners at powers of two, share no link. */
static void on_a_full_tree(void **state) {
    (void)state;
    static const char net[] = "xgft:down=4x4,up=1x4", flow[] = "flow:delay=1us";
    takes(net, "allreduce:ring,size=160000", flow, ring_end(16, 4, 30, 10000, 1000000));
    takes(net, "allreduce:ring,size=130000,ranks=13", flow, ring_end(13, 4, 24, 10000, 1000000));
    takes(net, "allreduce:doubling,size=160000", flow, 4 * 160000 * PS_PER_BYTE + (2 + 2 + 4 + 4) * 1000000);
    takes(net, "allreduce:rabenseifner,size=160000", flow,
          2 * 150000 * PS_PER_BYTE + 2 * (2 + 2 + 4 + 4) * 1000000);
    takes(net, "alltoall:pairwise,size=160000", flow, 15 * 10000 * PS_PER_BYTE + (3 * 2 + 12 * 4) * 1000000);
}

/* Every round of a shift alltoall puts one message on a link at most: the load that linkload sees, and the
 * time that flow takes with delay 0, in which all ranks stay in step. */
static void shifts_share_no_link(void **state) {
    (void)state;
    takes("xgft:down=4x4,up=1x4", "alltoall:shift,size=160000", "flow:delay=0ns", 15 * 10000 * PS_PER_BYTE);
    for (unsigned k = 1; k < 16; k++) {
        char shift[32];
        snprintf(shift, sizeof shift, "shift:k=%u", k);
        bough_point p = point_make("xgft:down=4x4,up=1x4", "dmodk", shift);
        bough_rows rows = rows_of(&p, "linkload");
        assert_true(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, BOUGH_NO_ROW_INDEX) == 1);
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

/* ---- bandwidths ---- */

static void bandwidths_are_of_the_vector(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=4,up=1", "dmodk", "allreduce:ring,size=4MB,rounds=2" FREE_HOSTS);
    bough_rows rows = rows_of(&p, "flow:delay=0ns");
    /* 2 x 6 steps of 1 MB at 12.5 GB/s: 8 MB in 960 us */
    assert_close(row_value(&rows, BOUGH_METRIC_ALGO_BANDWIDTH, BOUGH_NO_ROW_INDEX), 8e6 / 960e-6 / 1e9,
                 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_BUS_BANDWIDTH, BOUGH_NO_ROW_INDEX), 12.5, 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_one_switch),
        cmocka_unit_test(a_chain_is_a_pipeline),
        cmocka_unit_test(reductions_cost_time),
        cmocka_unit_test(folding_is_not_in_step),
        cmocka_unit_test(on_a_full_tree),
        cmocka_unit_test(shifts_share_no_link),
        cmocka_unit_test(bandwidths_are_of_the_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
