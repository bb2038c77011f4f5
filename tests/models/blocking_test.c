/* The unqueued blocking analysis: by hand where a stage is all there is, and beside the simulation where
 * stages follow each other, on networks of every kind. */
#include "models/blocking/blocking.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static double success(const char *network, const char *traffic) {
    bough_point point = point_make(network, "free", traffic);
    bough_rows rows = rows_of(&point, "blocking");
    double value = row_value(&rows, BOUGH_METRIC_FIRST_SUCCESS, NONE);
    bough_rows_fini(&rows);
    point_free(&point);
    return value;
}

/* ---- bad input ---- */

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("transit:n=64", "free", "shift:k=1");
    run_refused(&point, "blocking", BOUGH_UNSUPPORTED,
                "traffic with one distribution for all endpoints (uniform, local)");
    point_free(&point);
    point = point_make("transit:n=64", "free", "hotspot");
    run_refused(&point, "blocking", BOUGH_UNSUPPORTED, "one distribution for all endpoints");
    point_free(&point);
    point = point_make("fattree:n=64", "dmodk", "uniform");
    run_refused(&point, "blocking", BOUGH_UNSUPPORTED, "takes any free link of a group");
    point_free(&point);
    point = point_make("fattree:n=64", "hash", "uniform");
    run_refused(&point, "blocking", BOUGH_UNSUPPORTED, "takes any free link of a group");
    point_free(&point);
    point = point_make("transit:n=64", "free", "poisson:load=0.1");
    run_refused(&point, "blocking", BOUGH_UNSUPPORTED, "does not accept a stream");
    point_free(&point);
    point = point_make("transit:n=64", "free", "uniform");
    run_refused(&point, "blocking:level=1", BOUGH_INVALID, "did you mean 'levels'");
    point_free(&point);
}

static void a_cube_has_no_stages(void **state) {
    (void)state;
    bough_net *net;
    assert_int_equal(cube_create(4, &net, NULL), BOUGH_OK);
    bough_routing *routing = routing_make(net, "free");
    bough_traffic *traffic;
    assert_int_equal(bough_traffic_create(net, "uniform", &traffic, NULL), BOUGH_OK);
    bough_point point = {net, routing, traffic};
    bough_run *run;
    bough_error error;
    assert_int_equal(bough_run_create("blocking", &point, &run, &error), BOUGH_UNSUPPORTED);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* ---- one stage, by hand ---- */

static double choose(int n, int k) {
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/* A message that meets Y ~ Binomial(n, q) others at d links. */
static double passes(int n, double q, double d) {
    double sum = 0;
    for (int y = 0; y <= n; y++) sum += choose(n, y) * pow(q, y) * pow(1 - q, n - y) * fmin(1, d / (y + 1));
    return sum;
}

/* One switch of k hosts: k - 2 others can send to the host that a message goes to. */
static void a_star_is_exact(void **state) {
    (void)state;
    assert_near(success("xgft:down=5,up=1", "uniform"), passes(3, 1.0 / 4, 1), 1e-12);
    assert_near(success("xgft:down=9,up=1", "uniform"), passes(7, 1.0 / 8, 1), 1e-12);
    assert_near(success("xgft:down=9,up=1", "local:p=0.3"), passes(7, 0.3 / 8, 1), 1e-9);
    assert_near(success("xgft:down=2,up=1", "uniform"), 1, 1e-12);
    /* two links to every host: two messages pass */
    assert_near(success("xgft:down=5,up=1,links=2", "uniform"), passes(3, 1.0 / 4, 2), 1e-12);
    assert_near(success("xgft:down=5,up=1,links=2", "local:p=0.6"), passes(3, 0.6 / 4, 2), 1e-9);
    /* each of two wires busy with p, one of the same processor's beside it: of 2 (k - 2) others as many as
     * come */
    assert_near(success("xgft:down=5,up=1,links=2", "local:p=0.6,inject=line"), passes(7, 0.6 / 4, 2), 1e-9);
    /* RN1 routers: the same with their dilation */
    assert_near(success("transit:flat=4", "uniform"), passes(2, 1.0 / 3, 2), 1e-12);
}

/* The first router of UT64x2: four processors, not eight wires. Requests for one of the
 * directions are Binomial(4, p / 3); the message's own is there, so three others. */
static void the_first_up_router_sees_processors(void **state) {
    (void)state;
    static const double load[] = {0.2, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        char traffic[32];
        snprintf(traffic, sizeof traffic, "local:p=%g", load[i]);
        bough_point point = point_make("transit:n=64", "free", traffic);
        bough_rows rows = rows_of(&point, "blocking:stages=1");
        assert_near(row_value(&rows, BOUGH_METRIC_STAGE_SUCCESS, 1), passes(3, load[i] / 3, 2), 1e-9);
        assert_near(row_value(&rows, BOUGH_METRIC_STAGE_SUCCESS, 0), 1, 1e-12);
        bough_rows_fini(&rows);
        snprintf(traffic, sizeof traffic, "local:p=%g,inject=line", load[i]);
        point_free(&point);
        point = point_make("transit:n=64", "free", traffic);
        rows = rows_of(&point, "blocking:stages=1");
        assert_near(row_value(&rows, BOUGH_METRIC_STAGE_SUCCESS, 1), passes(7, load[i] / 3, 2), 1e-9);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* ---- what is found ---- */

static void stages_are_found(void **state) {
    (void)state;
    bough_point point = point_make("transit:n=4096", "free", "local:p=1");
    blocking_net b;
    bough_error error;
    assert_int_equal(blocking_find_stages(&point, &b, &error), BOUGH_OK);
    /* processors; up: three crossovers and on, three crossovers; six down layers */
    assert_int_equal(b.classes, 1 + 4 + 3 + 6);
    assert_int_equal(b.paths, 6);
    uint64_t groups = 0;
    for (uint32_t c = 0; c < b.classes; c++) {
        groups += b.class[c].groups;
        assert_true(c == 0 || b.class[c].rank >= b.class[c - 1].rank);
        assert_int_equal(b.class[c].links, b.class[c].rank == 8 ? 1 : 2);
    }
    assert_true(groups == point.net->groups);
    for (uint32_t i = 0; i < b.paths; i++) {
        unsigned stage = b.path[i].level > 3 ? 2 : 1;
        assert_int_equal(b.path[i].length, 1 + stage + b.path[i].level);
        assert_near(b.path[i].share, 1, 1e-12);
    }
    /* eight inputs each, four of halves; from above the root's top has none, and crossovers do not turn back
     */
    bool turns = false;
    for (uint32_t i = 0; i < b.kinds; i++) {
        uint32_t inputs = 0, rank = b.class[b.kind[i].class].rank, want = rank == 8 ? 4 : rank == 3 ? 4 : 8;
        for (uint32_t k = 0; k < b.kind[i].bundles; k++) {
            const blocking_bundle *in = &b.kind[i].bundle[k];
            inputs += in->count * in->links;
            turns |= in->choices == 3;
        }
        bool mixed = rank == 3 || rank == 4 || rank == 6 || rank == 7; /* layers 3 and 2 */
        if (mixed ? inputs > want || (inputs == 0 && rank != 3) : inputs != want)
            fail_msg("kind %u of rank %u has %u inputs", i, rank, inputs);
    }
    assert_true(turns);
    blocking_fini(&b);
    point_free(&point);
}

/* UT64x2, level 3: behind the top router the other wire of a direction leads to another router of layer 2,
 * whose message is for the same four processors with 1/4, there in the same half with 1/2, for the same one
 * with 1/4. */
static void twins_meet_again(void **state) {
    (void)state;
    bough_point point = point_make("transit:n=64", "free", "local:p=1");
    blocking_net b;
    assert_int_equal(blocking_find_stages(&point, &b, NULL), BOUGH_OK);
    const blocking_path *p = &b.path[b.paths - 1];
    assert_true(p->level == 3 && p->length == 5); /* processor, up, layers 3, 2, 1 */
    assert_near(p->meets[2 * 5 + 4], 1 / 32.0, 0.016);
    assert_near(p->meets[2 * 5 + 3], 0, 0);
    /* from layer 2: the other half, so not at all */
    assert_near(p->meets[3 * 5 + 4], 0, 0);
    blocking_fini(&b);
    point_free(&point);
}

/* ---- beside the simulation ---- */

/* Trees of two-way cables, whose up links never block: the model is an approximation there, within what is
 * said. */
static void other_networks_agree(void **state) {
    (void)state;
    static const struct {
        const char *network, *traffic;
        unsigned trials;
        double within;
    } cases[] = {
        {"transit:flat=64", "uniform", 400, 0.002},
        {"transit:flat=192,leafmode=dual", "local:p=0.5", 200, 0.002},
        {"fattree:n=256", "local:p=0.5", 200, 0.006},
        {"bft:n=256", "local:p=0.3", 200, 0.006},
        {"kary:k=4,levels=3", "uniform", 400, 0.025},
        {"kary:k=8,levels=2", "local:p=0.5", 400, 0.01},
        {"xgft:down=8x8,up=1x4,links=1x2", "local:p=0.5", 400, 0.01},
        {"clos:radix=16,hosts=128", "local:p=0.7", 200, 0.015},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_point point = point_make(cases[i].network, "free", cases[i].traffic);
        bough_run *run = run_make(&point, "circuit:mode=attempt");
        bough_stats asked = run_trials(run, 2, cases[i].trials, BOUGH_METRIC_MESSAGES), share = {0};
        for (unsigned t = 0; t < cases[i].trials; t++) {
            bough_rows rows = run_once(run, t);
            bough_stats_add_weighted(&share, row_value(&rows, BOUGH_METRIC_FIRST_SUCCESS, NONE),
                                     row_value(&rows, BOUGH_METRIC_MESSAGES, NONE));
            bough_rows_fini(&rows);
        }
        double model = success(cases[i].network, cases[i].traffic), ci = bough_stats_ci95(&share);
        assert_true(asked.mean > 0);
        if (fabs(model - share.mean) > cases[i].within + 1.7 * ci)
            fail_msg("%s %s: model %.5f, simulated %.5f +- %.5f", cases[i].network, cases[i].traffic, model,
                     share.mean, ci);
        bough_run_destroy(run);
        point_free(&point);
    }
}

/* No load, no blocking; more load, more of it. */
static void blocking_grows_with_load(void **state) {
    (void)state;
    double last = 1.0000001;
    for (int i = 0; i <= 10; i++) {
        char traffic[32];
        snprintf(traffic, sizeof traffic, "local:p=%g", i / 10.0);
        double have = success("transit:leaf=12", traffic);
        assert_true(have < last && have > 0.8);
        if (i == 0) assert_near(have, 1, 1e-12);
        last = have;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_cube_has_no_stages),
        cmocka_unit_test(a_star_is_exact),
        cmocka_unit_test(the_first_up_router_sees_processors),
        cmocka_unit_test(stages_are_found),
        cmocka_unit_test(twins_meet_again),
        cmocka_unit_test(other_networks_agree),
        cmocka_unit_test(blocking_grows_with_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
