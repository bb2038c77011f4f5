/* `check` on trees that spread evenly counts messages across channels: by hand, and as when it follows every
 * path of every pair, which it does on the same network without that capability. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/check/check_routing.h"
#include "support/points.h"
#include "support/specs.h"

#include <math.h>
#include <stdlib.h>

static arena memory; /* of results */

static bough_check_result check(const bough_net *net, uint64_t permutations) {
    bough_routing *routing = routing_make(net, "random");
    bough_check_options options = {.memory = &memory, .seed = 3, .permutations = permutations, .threads = 1};
    bough_check_result result;
    bough_findings findings = {0};
    bough_error error;
    if (bough_check_routing(routing, &options, &result, &findings, &error))
        fail_msg("%s: %s", net->spec, error.reason);
    assert_true(result.expected);
    bough_findings_fini(&findings);
    bough_routing_destroy(routing);
    return result;
}

static void near(double have, double want) {
    if (isnan(want))
        assert_true(isnan(have));
    else
        assert_near(have, want, 1e-12 * fabs(want));
}

static void same_stats(const bough_stats *have, const bough_stats *want) {
    assert_int_equal(have->count, want->count);
    near(have->mean, want->mean);
    near(have->max, want->max);
}

static void agrees(const char *spec, const char *physical) {
    bough_net *net = net_make(spec);
    bough_physical *setting = NULL;
    bough_error error;
    if (physical) {
        if (bough_physical_create(physical, &setting, &error)) fail_msg("%s", error.reason);
        bough_net_set_physical(net, setting);
    }
    bough_net plain = *net;
    plain.capabilities &= ~(unsigned)BOUGH_HAS_EVEN;
    bough_check_result have = check(net, 7), want = check(&plain, 7);
    assert_int_equal(have.routed, want.routed);
    assert_memory_equal(have.hops, want.hops, sizeof want.hops);
    assert_int_equal(have.unused_links, want.unused_links);
    assert_int_equal(have.alltoall_link, want.alltoall_link);
    assert_int_equal(have.alltoall_limit, want.alltoall_limit);
    assert_int_equal(have.shift_worst_k, want.shift_worst_k);
    near(have.shift_mean, want.shift_mean);
    near(have.shift_time, want.shift_time);
    near(have.shift_share_min, want.shift_share_min);
    near(have.alltoall_score, want.alltoall_score);
    same_stats(&have.random, &want.random);
    near(have.random_share, want.random_share);
    for (uint64_t l = 0; l < net->links; l++) near(have.load[l], want.load[l]);
    for (uint64_t k = 1; k < net->endpoints; k++) near(have.shift[k], want.shift[k]);
    arena_fini(&memory);
    bough_net_destroy(net);
    bough_physical_destroy(setting);
}

static void test_agrees_with_every_path(void **state) {
    (void)state;
    agrees("fattree:n=32", NULL);
    agrees("kary:k=3,levels=3", NULL);
    agrees("xgft:down=4x6x3,up=2x3x2,links=1x2x3", NULL);
    agrees("xgft:down=1x4,up=1x2", NULL);
    agrees("clos:radix=8,hosts=100", NULL); /* ports without endpoints */
    agrees("bft:n=64", NULL);
    agrees("pruned:n=64", NULL); /* channels of different capacity */
}

static void test_rates(void **state) {
    (void)state;
    agrees("xgft:down=4x4,up=1x2", "default:rate=100Gb/s,host_rate=25Gb/s");
    agrees("xgft:down=4x4,up=1x2", "default:rate=100Gb/s,host_rate=400Gb/s");
}

/* Four endpoints on each of two leaf switches with two links up. Shift 1: one message leaves each leaf, half
 * on each link. Shift 4: all four, two on each link. */
static void test_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x2,up=1x2");
    bough_check_result r = check(net, 0);
    static const double load[] = {0, 1, 1, 1.5, 2, 1.5, 1, 1}; /* shifts 1 and 2: the endpoints' own links */
    for (int k = 1; k < 8; k++) near(r.shift[k], load[k]);
    assert_int_equal(r.hops[1], 24);
    assert_int_equal(r.hops[3], 32);
    near(r.alltoall_max, 8); /* 4 x 4 pairs over two links */
    arena_fini(&memory);
    bough_net_destroy(net);
}

/* Of 2^16 endpoints every pair has up to 1024 paths. */
static void test_a_large_tree(void **state) {
    (void)state;
    bough_net *net = net_make("clos:radix=64,hosts=65536");
    bough_check_result r = check(net, 1);
    near(r.alltoall_max, 65535);
    near(r.shift_max, 1);
    near(r.shift_mean, 1);
    arena_fini(&memory);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_agrees_with_every_path),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_a_large_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
