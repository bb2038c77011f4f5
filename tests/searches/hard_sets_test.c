/* The search for hard message sets: what is refused, that it finds the worst where that is known, that its
 * witness has the value reported, and that its changes keep to the degree. */
#include "searches/hard_sets/message_set.h"
#include "support/own_directory.h"
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_is_refused(void **state) {
    (void)state;
    bough_point p = point_make("pruned:n=64", "free", NULL);
    run_refused(&p, "hardest", BOUGH_INVALID, "method");
    run_refused(&p, "hardest:method=sidetrak", BOUGH_INVALID, "sidetrak");
    run_refused(&p, "hardest:method=sidetrack,metric=pases", BOUGH_INVALID, "pases");
    run_refused(&p, "hardest:method=sidetrack,per=lambda", BOUGH_INVALID, "lambda");
    run_refused(&p, "hardest:method=sortroute", BOUGH_UNSUPPORTED, "sorting fat-tree");
    run_refused(&p, "hardest:method=sidetrack,out=/nowhere/at/all.csv", BOUGH_INVALID, "/nowhere");
    trial_refused(&p, "hardest:method=sidetrack,metric=latency", BOUGH_INVALID, "does not report latency");
    point_free(&p);
}

static double hardest(const char *network, const char *method) {
    bough_point p = point_make(network, "free", NULL);
    bough_rows rows = rows_of(&p, method);
    double value = row_value(&rows, BOUGH_METRIC_HARDEST, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return value;
}

/* lg n messages, one at each height, need lg n passes, while their load is one message on an endpoint's two
 * links. The largest load of a permutation on a cube is known by the exact method. */
static void finds_the_worst(void **state) {
    (void)state;
    const char *passes = "hardest:method=sidetrack,metric=passes,per=load_factor,sets=100";
    assert_true(hardest("pruned:n=64", passes) == 2 * 6);
    assert_true(hardest("pruned:n=256", passes) == 2 * 8);
    bough_point p = point_make("cube:n=64", "free", NULL);
    bough_rows rows = rows_of(&p, "adversary");
    double worst = row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    double found = hardest("cube:n=64", "hardest:method=linkload,metric=link_load_max,sets=3000");
    if (found > worst || found < worst) fail_msg("%g, the worst is %g", found, worst);
}

static void witness_has_the_value(void **state) {
    (void)state;
    double found = hardest(
        "pruned:n=64", "hardest:method=sidetrack,metric=bit_steps,per=eta,sets=200,degree=2,out=hard.csv");
    bough_point p = point_make("pruned:n=64", "free", "messages:hard.csv");
    bough_rows rows = rows_of(&p, "sidetrack");
    double steps = row_value(&rows, BOUGH_METRIC_BIT_STEPS, BOUGH_NO_ROW_INDEX);
    double eta = row_value(&rows, BOUGH_METRIC_ETA, BOUGH_NO_ROW_INDEX);
    assert_true(row_value(&rows, BOUGH_METRIC_DEGREE, BOUGH_NO_ROW_INDEX) <= 2);
    assert_close(steps / eta, found, 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* The counts of a set are those of its messages, none goes to its own source, and no degree is exceeded. */
static void check_set(const message_set *s) {
    uint32_t sends[40] = {0}, receives[40] = {0};
    assert_true(s->count <= s->endpoints * s->degree);
    for (uint64_t i = 0; i < s->count; i++) {
        assert_true(s->source[i] < s->endpoints && s->destination[i] < s->endpoints);
        assert_true(s->source[i] != s->destination[i]);
        sends[s->source[i]]++;
        receives[s->destination[i]]++;
    }
    for (uint64_t e = 0; e < s->endpoints; e++) {
        assert_int_equal(s->sends[e], sends[e]);
        assert_int_equal(s->receives[e], receives[e]);
        assert_true(sends[e] <= s->degree && receives[e] <= s->degree);
    }
}

static void changes_keep_the_degree(void **state) {
    (void)state;
    static const char *const network[] = {"pruned:n=16", "kary:k=7,levels=1", "kary:k=2,levels=5",
                                          "kary:k=2,levels=1"};
    for (unsigned n = 0; n < 4; n++)
        for (uint64_t degree = 1; degree < 4; degree++) {
            bough_point p = point_make(network[n], "free", NULL);
            bough_stream draw = bough_stream_make(bough_key_make(1, n), BOUGH_DRAW_TEST, degree, 0);
            bough_error error = {0};
            message_set set;
            set_start start = {.key = bough_key_make(1, 0)};
            assert_int_equal(message_set_make(p.net->endpoints, degree, &set, &error), BOUGH_OK);
            for (; message_set_start(p.net, &start, &set); start.number++) {
                check_set(&set);
                for (unsigned i = 0; i < 100; i++) {
                    message_set_change(&set, &draw);
                    check_set(&set);
                }
            }
            message_set_fini(&set);
            point_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused), cmocka_unit_test(finds_the_worst),
        cmocka_unit_test_setup_teardown(witness_has_the_value, own_directory_enter, own_directory_leave),
        cmocka_unit_test(changes_keep_the_degree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
