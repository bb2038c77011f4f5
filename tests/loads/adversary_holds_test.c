/* What must hold of the worst permutation of larger networks: whatever the threads, against bounds, on the
 * hypercube. */
#include "loads/worst/adversary_internal.h"
#include "support/all_permutations.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "support/worst_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

/* ---- what holds of larger networks ---- */

/* Whatever threads, and however few pairs are held at a time. */
static void threads_and_batches_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *network, *kind;
    } point[] = {{"xgft:down=4x4x2,up=1x3x2", "dmodk"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash"},
                 {"fattree:n=64", "smodk"},
                 {"xgft:down=3x3x2,up=1x2x3", "random"},
                 {"fattree:n=32", "valiant"}};
    for (size_t i = 0; i < COUNT(point); i++) {
        bough_routing *routing = routing_make(net_make(point[i].network), point[i].kind);
        bough_adversary_result one = worst_find_with(routing, 1);
        worst_check(routing, &one);
        uint64_t n = routing->net->endpoints;
        for (unsigned threads = 2; threads <= 64; threads *= 2) {
            bough_adversary_result many = worst_find_with(routing, threads);
            assert_true(many.load == one.load && many.link == one.link && many.counted == one.counted);
            assert_true(many.counted_link == one.counted_link && many.open == one.open);
            assert_memory_equal(many.destination, one.destination, n * sizeof *one.destination);
            if (one.counted_destination)
                assert_memory_equal(many.counted_destination, one.counted_destination,
                                    n * sizeof *one.counted_destination);
            bough_adversary_fini(&many);
        }
        for (uint64_t held = 1; held < (1 << 20) && !one.any; held *= 97) {
            bough_adversary_options o = {0};
            adversary_job job = {routing, &o, 1, one.expected, held, 0};
            adversary_link_bounds counts;
            adversary_matching worst = {.link = BOUGH_NONE}, counted = {.link = BOUGH_NONE};
            bough_error error;
            assert_int_equal(adversary_bound_links(&job, &counts, &error), BOUGH_OK);
            assert_int_equal(adversary_search(&job, &counts, &worst, &counted, &error), BOUGH_OK);
            assert_true(worst.load == one.load && worst.link == one.link && worst.flows == one.flows);
            for (uint64_t f = 0; f < worst.flows; f++)
                assert_int_equal(one.destination[worst.source[f]], worst.destination[f]);
            if (!one.expected) assert_true(counted.link == one.counted_link && counted.flows == one.counted);
            adversary_link_bounds_fini(&counts);
            adversary_matching_fini(&worst);
            adversary_matching_fini(&counted);
        }
        bough_adversary_fini(&one);
        routing_free(routing);
    }
}

/* The bound that rules links out is one: for every link at least what the given permutations put there. */
static void counting_bounds_all_loads(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "hash", "random"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_routing *routing = routing_make(net_make("xgft:down=2x2x2,up=1x2x2"), kinds[i]);
        bough_adversary_options o = {0};
        adversary_job job = {routing, &o, 1, !bough_routing_deterministic(routing), ADVERSARY_HELD, 0};
        adversary_link_bounds counts;
        bough_error error;
        double *worst = calloc(routing->net->links, sizeof *worst);
        worst_loads(routing, worst);
        assert_int_equal(adversary_bound_links(&job, &counts, &error), BOUGH_OK);
        assert_int_equal(counts.routed, 56);
        for (uint64_t l = 0; l < routing->net->links; l++)
            assert_true(counts.bound[l] >= worst[l] - 1e-12 && (counts.pairs[l] > 0) == (worst[l] > 0));
        adversary_link_bounds_fini(&counts);
        free(worst);
        routing_free(routing);
    }
}

static void completing_avoids_fixed_points(void **state) {
    (void)state;
    enum { N = 5, NO = -1 };
    static const struct {
        int given[N];
        uint32_t want[N];
    } known[] = {
        {{1, 2, 3, 4, NO}, {1, 2, 3, 4, 0}},    {{NO, NO, NO, NO, NO}, {1, 0, 3, 4, 2}},
        {{NO, 0, NO, 2, NO}, {1, 0, 4, 2, 3}},  {{2, NO, 0, NO, NO}, {2, 3, 0, 4, 1}},
        {{NO, NO, 4, NO, NO}, {1, 0, 4, 2, 3}}, {{3, NO, NO, 0, NO}, {3, 2, 4, 0, 1}},
        {{1, 0, NO, 4, 3}, {1, 0, 2, 4, 3}}, /* nobody is left to change with */
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        uint32_t d[N];
        bough_error error;
        for (int e = 0; e < N; e++)
            d[e] = known[i].given[e] < 0 ? MATCHING_NONE : (uint32_t)known[i].given[e];
        assert_int_equal(adversary_complete(d, N, &error), BOUGH_OK);
        for (int e = 0; e < N; e++)
            if (d[e] != known[i].want[e])
                fail_msg("case %zu: %d to %u, not %u", i, e, d[e], known[i].want[e]);
    }
}

/* ---- Theorem 1 ---- */

static void bound_by_hand(void **state) {
    (void)state;
    assert_int_equal(bough_adversary_bound(0, 1, 1), 0);
    assert_int_equal(bough_adversary_bound(1, 4, 0), 0);
    assert_int_equal(bough_adversary_bound(2, 1, 2), 1);
    /* k = 4: ceil(1024 / 49) - 1 = 20 links or more for each of 1024 destinations, shared by 6144 links: 4 */
    assert_int_equal(bough_adversary_bound(1024, 16, 6144), 4);
    /* a ring: k = 10: ceil(440 / 19) - 1 = 23, half of it is 12; k = 11: ceil(440 / 21) - 1 = 20, half is 10
     */
    assert_int_equal(bough_adversary_bound(440, 2, 880), 10);
    for (unsigned d = 2; d <= 40; d++) {
        double n = ldexp(1, (int)d);
        uint64_t bound = bough_adversary_bound(UINT64_C(1) << d, d, (uint64_t)d << d);
        assert_true((double)bound >= floor(sqrt(n) / d) && (double)bound >= sqrt(n / d / d / d));
        assert_true(bound <= UINT64_C(1) << (d - 1) / 2); /* what bit fixing comes to */
    }
}

/* ---- the hypercube ---- */

/* A link that fixes bit k is used by 2^k sources for 2^(d-1-k) destinations, all with all. */
static void cubes(void **state) {
    (void)state;
    for (unsigned d = 2; d <= 9; d++) {
        bough_net *net;
        bough_error error;
        assert_int_equal(cube_create(d, &net, &error), BOUGH_OK);
        bough_routing *routing = routing_make(net, "random"), *valiant = routing_make(net, "valiant");
        bough_adversary_result r = worst_find_with(routing, 2), v = worst_find_with(valiant, 2);
        assert_true(r.load == ldexp(1, (int)(d - 1) / 2));
        assert_true((double)r.counted == r.load && r.open == 0);
        worst_check(routing, &r);
        assert_same(v.load, 1); /* 1/2 on average over each phase, on every link alike */
        assert_true(v.any && v.link == 0);
        static const char *const traffic[] = {"transpose", "bitrev"};
        bough_point point = {net, routing, NULL};
        bough_rows own = rows_of(&point, "adversary");
        for (int t = 0; t < 2; t++) {
            bough_traffic *pattern;
            assert_int_equal(bough_traffic_create(net, traffic[t], &pattern, &error), BOUGH_OK);
            bough_point with = {net, routing, pattern};
            bough_rows rows = rows_of(&with, "linkload");
            double load = row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX);
            assert_true(load == (double)bough_bitfix_load(d) && load <= r.load);
            assert_near(row_value(&own, t ? BOUGH_METRIC_LOAD_BITREV : BOUGH_METRIC_LOAD_TRANSPOSE, NO_INDEX),
                        load, 0);
            bough_rows_fini(&rows);
            bough_traffic_destroy(pattern);
        }
        bough_rows_fini(&own);
        bough_adversary_fini(&r);
        bough_adversary_fini(&v);
        bough_routing_destroy(valiant);
        routing_free(routing);
    }
    assert_int_equal(bough_bitfix_load(0), 0);
    assert_int_equal(bough_bitfix_load(1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_batches_change_nothing),
        cmocka_unit_test(counting_bounds_all_loads),
        cmocka_unit_test(completing_avoids_fixed_points),
        cmocka_unit_test(bound_by_hand),
        cmocka_unit_test(cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
