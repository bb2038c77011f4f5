/* Bit fixing in an order of dimensions drawn for each message: bitfix:order=random, valiant:order=random. */
#include "loads/pair_survey.h"
#include "network/faults/faults.h"
#include "support/points.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE     BOUGH_NO_ROW_INDEX
#define M(name)  BOUGH_METRIC_##name

static void other_networks_are_refused(void **state) {
    (void)state;
    bough_routing *r;
    bough_error error;
    bough_net *tree = net_make("fattree:n=8"), *cube = net_make("cube:n=8"), *faulty;
    assert_int_equal(bough_routing_create(tree, "valiant:order=random", &r, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "order=random needs a hypercube without faults"));
    assert_int_equal(bough_routing_create(cube, "bitfix:order=any", &r, &error), BOUGH_INVALID);
    assert_int_equal(bough_net_with_faults(cube, "links:count=1,mode=masked", &faulty, &error), BOUGH_OK);
    assert_int_equal(bough_routing_create(faulty, "bitfix:order=random", &r, &error), BOUGH_UNSUPPORTED);
    bough_net_destroy(faulty);
    bough_net_destroy(cube);
    bough_net_destroy(tree);
    bough_point p = point_make("cube:n=16", "bitfix:order=random", "randperm");
    static const char *const methods[] = {"circuit", "worm:vcs=2", "linkload", "adversary"};
    for (size_t i = 0; i < COUNT(methods); i++)
        run_refused(&p, methods[i], BOUGH_UNSUPPORTED, "does not support a path drawn for each message");
    run_refused(&p, "packet:orders=1", BOUGH_UNSUPPORTED, "needs routes that ascend in the group order");
    point_free(&p);
}

/* All paths have as many links as bits differ, each in another dimension. */
static void paths_are_minimal(void **state) {
    (void)state;
    bough_routing *r = routing_make(net_make("cube:n=32"), "bitfix:order=random");
    unsigned longest;
    assert_int_equal(bough_routing_survey(r, &longest, NULL), BOUGH_OK);
    assert_int_equal(longest, 5);
    assert_false(bough_routing_deterministic(r));
    for (uint64_t s = 0; s < 32; s++)
        for (uint64_t d = 0; d < 32; d++)
            for (uint64_t k = 0; k < 8 && s != d; k++) {
                uint64_t path[5];
                bough_flow flow = {s, d, bough_flow_key(r, bough_key_make(1, k), s)};
                assert_int_equal(bough_path(r, &flow, path, 5), __builtin_popcountll(s ^ d));
            }
    routing_free(r);
}

/* From 0 to 7 on the cube of 8: each of the 6 orders in a sixth of 6000 draws, within 5 standard deviations;
 * orders of two phases of a message are independent. */
static void orders_are_equally_likely(void **state) {
    (void)state;
    bough_routing *r = routing_make(net_make("cube:n=8"), "valiant:order=random");
    uint32_t count[8][8] = {{0}}, same = 0;
    for (uint64_t k = 0; k < 6000; k++) {
        uint64_t there[3], back[3], key = bough_flow_key(r, bough_key_make(k, 0), 5);
        bough_flow flow = {0, 7, key}, second = {7, 0, key};
        assert_int_equal(bough_path(r, &flow, there, 3), 3);
        assert_int_equal(bough_path(r, &second, back, 3), 3);
        count[there[0] % 3][there[1] % 3]++;
        same += there[0] % 3 == back[0] % 3;
    }
    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++)
            if (a != b) assert_in_range(count[a][b], 855, 1145);
    assert_in_range(same, 1817, 2183);
    routing_free(r);
}

/* Bit reversal has a link with sqrt(n)/2 packets under any fixed order; under a random one few meet. The mean
 * congestion of every dimension holds in any order; Lemma 3 does not, and the run reports that. */
static void bit_reversal_is_no_longer_slow(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=4096", "bitfix:order=random", "bitrev");
    bough_run *run = run_make(&p, "packet:verify=1");
    assert_false(bough_run_exact(run));
    bough_rows rows = run_once(run, 0), other = run_once(run, 1);
    assert_true(row_value(&rows, M(STEPS), NONE) < 25); /* 38 in order */
    assert_true(row_value(&rows, M(LATENCY), NONE) != row_value(&other, M(LATENCY), NONE));
    assert_non_null(strstr(rows.note, "routes separate and meet again"));
    bough_rows_fini(&rows);
    bough_rows_fini(&other);
    bough_run_destroy(run);
    point_free(&p);
    p = point_make("cube:n=1024", "valiant:order=random", "randperm");
    rows = rows_of(&p, "packet:verify=1");
    assert_true(row_given(&rows, M(CHECKED), 5));
    assert_false(row_given(&rows, M(CHECKED), 2)); /* proved for a fixed order */
    bough_rows_fini(&rows);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_networks_are_refused),
        cmocka_unit_test(paths_are_minimal),
        cmocka_unit_test(orders_are_equally_likely),
        cmocka_unit_test(bit_reversal_is_no_longer_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
