/* queueing on hypercubes, meshes and tori, where every path is fixed: Eqs. 2 to 11 of greenberg1997 written
 * out for them, and a flit-by-flit simulation. */
#include "support/closed_form.h"
#include "support/dimension_order.h"
#include "support/law.h"
#include "support/points.h"
#include "support/worm_stepper.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

/* ---- bad input ---- */

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = law_point("mesh:dims=4x4", "free", 0.001, 16, "uniform");
    run_refused(&point, "queueing:variant=dally", BOUGH_INVALID, "published|uncorrected|conditional|finite");
    point_free(&point);
    point = point_make("torus:dims=5x5", "free", "poisson:load=0.01,flits=16");
    run_refused(&point, "worm", BOUGH_UNSUPPORTED, "can deadlock: v0.0/1 -> v1.0/2 waits for v1.0/1 ->");
    run_refused(&point, "worm:vcs=2", BOUGH_UNSUPPORTED, "can deadlock"); /* a head takes any free channel */
    point_free(&point);
}

/* ---- by hand ---- */

static double latency_of(const char *network, load l) {
    char method[80];
    snprintf(method, sizeof method, "queueing:variant=%s", l.corrected ? "published" : "uncorrected");
    return law_answer(network, l.rate0, (uint64_t)l.s, method, BOUGH_METRIC_LATENCY);
}

/* Nothing waits: D + F - 1, with D from the definition of the network. */
static void without_load_a_worm_passes_at_once(void **state) {
    (void)state;
    static const struct {
        const char *network;
        double distance;
    } known[] = {
        {"cube:n=16", 4 * 8.0 / 15},
        {"mesh:dims=2", 1},
        {"mesh:dims=4", 5.0 / 3},                       /* (k + 1) / 3 */
        {"mesh:dims=4x4", 2 * 5.0 / 4 * 16 / 15},       /* (k^2 - 1) / 3k a dimension */
        {"torus:dims=5", 1.5},                          /* 1, 2, 2, 1 */
        {"torus:dims=4x4", 2 * 1.0 * 16 / 15},          /* 0, 1, 2, 1 */
        {"torus:dims=4x4,oneway=1", 2 * 1.5 * 16 / 15}, /* 0, 1, 2, 3 */
        {"torus:dims=5x3,classes=2", (1.2 + 2.0 / 3) * 15 / 14},
    };
    for (size_t i = 0; i < COUNT(known); i++)
        for (unsigned corrected = 0; corrected < 2; corrected++)
            assert_close(latency_of(known[i].network, (load){32, 0, corrected}), known[i].distance + 32 - 1,
                         1e-13);
}

/* mesh:dims=3: link 0 -> 1 carries the pairs 01 and 02, half of which go on over 1 -> 2, whose other half
 * starts at node 1. */
static void three_nodes_in_a_row(void **state) {
    (void)state;
    double s = 16, rate = 0.01, w1 = mg1_wait(rate, s, s);
    double x0 = s + 0.5 * 0.5 * w1, first = x0 + mg1_wait(rate, x0, s), second = s + w1;
    /* pairs 01, 02 start at link 0 -> 1, pair 12 at 1 -> 2 */
    double want = (2 * first + second) / 3 + 4.0 / 3 - 1;
    assert_close(latency_of("mesh:dims=3", (load){s, rate, true}), want, 1e-13);
    assert_close(line_latency(3, (load){s, rate, true}), want, 1e-13);
    /* uncorrected: the head from 0 -> 1 waits for its own link's messages too */
    x0 = s + 0.5 * w1;
    want = (2 * (x0 + mg1_wait(rate, x0, s)) + second) / 3 + 4.0 / 3 - 1;
    assert_close(latency_of("mesh:dims=3", (load){s, rate, false}), want, 1e-13);
    assert_close(line_latency(3, (load){s, rate, false}), want, 1e-13);
}

/* Three nodes on a ring of one direction: a link carries one message that begins there (offsets 1 and 2) for
 * every half that goes on. */
static void three_nodes_on_a_ring(void **state) {
    (void)state;
    double s = 16, rate = 0.01, x = s;
    for (int i = 0; i < 1000; i++) x = 2.0 / 3 * s + 1.0 / 3 * (x + 2.0 / 3 * mg1_wait(1.5 * rate, x, s));
    double want = x + mg1_wait(1.5 * rate, x, s) + 1.5 - 1;
    assert_close(latency_of("torus:dims=3,oneway=1", (load){s, rate, true}), want, 1e-12);
    assert_close(oneway_torus_latency(3, 1, (load){s, rate, true}), want, 1e-12);
}

/* ---- the recursions ---- */

/* The model at shares of the rate at which the first link would be full without waits. */
static void same(const char *network, double (*oracle)(unsigned, unsigned, load), unsigned a, unsigned b,
                 double full) {
    unsigned finite = 0;
    for (unsigned corrected = 0; corrected < 2; corrected++)
        for (double share = 0.02; share < 1; share += 0.07) {
            load l = {24, share * full / 24, corrected};
            double want = oracle(a, b, l);
            if (!isfinite(want)) {
                bough_point point = law_point(network, "free", l.rate0, 24, "uniform");
                bough_rows rows = rows_of(&point, corrected ? "queueing" : "queueing:variant=uncorrected");
                assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
                bough_rows_fini(&rows);
                point_free(&point);
                continue;
            }
            finite++;
            double have = latency_of(network, l);
            if (!(fabs(have / want - 1) < 1e-10))
                fail_msg("%s at %g: %.12g, the recursion %.12g", network, share, have, want);
        }
    assert_true(finite >= 4);
}

static double cube(unsigned d, unsigned unused, load l) {
    (void)unused;
    return hypercube_latency(d, l);
}

static double line(unsigned k, unsigned unused, load l) {
    (void)unused;
    return line_latency(k, l);
}

static void the_recursion_of_the_hypercube(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 8; d++) {
        char spec[40];
        double n = pow(2, d);
        snprintf(spec, sizeof spec, "cube:n=2^%u,order=right", d);
        same(spec, cube, d, 0, 2 * (n - 1) / n);
    }
    same("cube:n=64,order=2x0x5x1x4x3", cube, 6, 0, 2 * 63.0 / 64); /* in any order */
    same("mesh:dims=2x2x2x2x2", cube, 5, 0, 2 * 31.0 / 32);
}

static void the_recursion_of_the_oneway_torus(void **state) {
    (void)state;
    static const unsigned known[][2] = {{2, 1}, {3, 1}, {7, 1}, {2, 4}, {3, 3}, {4, 2}, {8, 2}, {5, 3}};
    for (size_t i = 0; i < COUNT(known); i++) {
        unsigned k = known[i][0], n = known[i][1];
        char spec[60] = "torus:dims=";
        for (unsigned d = 0; d < n; d++)
            snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%u", d ? "x" : "", k);
        strcat(spec, ",oneway=1");
        double nodes = pow(k, n);
        same(spec, oneway_torus_latency, k, n, 2 / (k - 1.0) * (nodes - 1) / nodes);
    }
}

static void the_recursion_of_a_line(void **state) {
    (void)state;
    for (unsigned k = 2; k <= 12; k++) {
        char spec[40];
        snprintf(spec, sizeof spec, "mesh:dims=%u", k);
        same(spec, line, k, 0, (k - 1.0) / (k / 2 * (k - k / 2)));
    }
}

/* One server: Eq. 10 is exact, so there is nothing for `conditional` to change. */
static void conditional_is_published_where_paths_are_fixed(void **state) {
    (void)state;
    static const char *const networks[] = {"cube:n=64", "mesh:dims=5x4", "torus:dims=6x3,classes=2",
                                           "torus:dims=4x4,oneway=1"};
    for (size_t i = 0; i < COUNT(networks); i++)
        assert_close(law_answer(networks[i], 0.005, 20, "queueing:variant=conditional", BOUGH_METRIC_LATENCY),
                     law_answer(networks[i], 0.005, 20, "queueing", BOUGH_METRIC_LATENCY), 1e-13);
}

/* ---- against simulation ---- */

static void against_the_worm_stepper(void **state) {
    (void)state;
    static const struct {
        const char *network, *traffic;
    } known[] = {
        {"cube:n=32", "poisson:load=0.35,flits=16"},
        {"mesh:dims=4x4", "poisson:load=0.2,flits=16"},
        {"mesh:dims=3x3x3", "poisson:load=0.2,flits=16"},
        {"torus:dims=5x5,classes=2", "poisson:load=0.2,flits=16"},
        {"torus:dims=4x4,oneway=1,classes=2", "poisson:load=0.1,flits=16"},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_point point = point_make(known[i].network, "free", known[i].traffic);
        bough_rows rows = rows_of(&point, "queueing");
        double model = row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX),
               simulated = worm_step_latency(&point);
        if (fabs(model / simulated - 1) > 0.025)
            fail_msg("%s %s: queueing says %g, the stepper %g", known[i].network, known[i].traffic, model,
                     simulated);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(without_load_a_worm_passes_at_once),
        cmocka_unit_test(three_nodes_in_a_row),
        cmocka_unit_test(three_nodes_on_a_ring),
        cmocka_unit_test(the_recursion_of_the_hypercube),
        cmocka_unit_test(the_recursion_of_the_oneway_torus),
        cmocka_unit_test(the_recursion_of_a_line),
        cmocka_unit_test(conditional_is_published_where_paths_are_fixed),
        cmocka_unit_test(against_the_worm_stepper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
