/* queueing: what it refuses, waits by hand, and what must hold; its agreements are in queueing_agree_test.c.
 */
#include "support/closed_form.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/law.h"
#include "support/points.h"

#include "models/queueing/queueing.h"

#include <inttypes.h>
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
    bough_point point = point_make("bft:n=16", "free", "uniform");
    run_refused(&point, "queueing", BOUGH_UNSUPPORTED,
                "method queueing needs traffic with a rate (poisson, bernoulli); uniform:m=16 has none");
    bough_traffic_destroy((bough_traffic *)point.traffic);
    point.traffic = lawless_make(point.net);
    run_refused(&point, "queueing", BOUGH_UNSUPPORTED, "has none");
    bough_traffic_destroy((bough_traffic *)point.traffic);
    point.traffic = NULL;
    run_refused(&point, "queueing", BOUGH_UNSUPPORTED, "needs traffic");
    point_free(&point);
    point = law_point("bft:n=16", "first", 0.01, 16, "uniform");
    run_refused(&point, "queueing", BOUGH_UNSUPPORTED, "queueing has no simulation time");
    run_refused(&point, "queueing:variant=improved", BOUGH_INVALID,
                "published|uncorrected|conditional|finite");
    point_free(&point);
    point = law_point("fattree:n=16", "valiant", 0.01, 16, "uniform");
    run_refused(&point, "queueing", BOUGH_UNSUPPORTED, "intermediate node");
    point_free(&point);
    point = law_point("bft:n=16", "free", 0.01, 0, "uniform");
    run_refused(&point, "queueing", BOUGH_INVALID, "at least 1 flit");
    point_free(&point);
    point = law_point("kary:k=2,levels=20", "free", 0.01, 1, "uniform");
    run_refused(&point, "queueing:engine=generic", BOUGH_TOO_LARGE, "queueing, link by link,");
    point_free(&point);
    point = law_point("kary:k=2,levels=31", "free", 0.01, 1, "uniform");
    run_refused(&point, "queueing:engine=generic", BOUGH_TOO_LARGE, "2^32 links");
    point_free(&point);
}

static void trial_fails(const bough_point *point, const char *method, bough_status status, const char *text) {
    bough_run *run = run_make(point, method);
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    bough_status have = bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error);
    if (have != status || !strstr(error.reason, text))
        fail_msg("%s: status %d, '%s' does not say '%s'", method, have, error.reason, text);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
}

/* Rows as those of an overload: no latency, and the full link named. */
static void overload(const bough_point *point, const char *method, const char *link) {
    bough_rows rows = rows_of(point, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
    assert_true(isnan(row_value(&rows, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX)));
    if (!strstr(rows.note, link)) fail_msg("'%s' does not say '%s'", rows.note, link);
    bough_rows_fini(&rows);
}

static void more_than_a_link_carries_is_overload(void **state) {
    (void)state;
    bough_point point = law_point("bft:n=16", "free", 0.05, 32, "uniform");
    overload(&point, "queueing", "1.6 flits/cycle/endpoint exceed the capacity of ");
    overload(&point, "queueing:engine=generic", "1.6 flits/cycle/endpoint exceed the capacity of ");
    point_free(&point);
    point = law_point("xgft:down=4x4,up=2x2", "free", 0.05, 32, "uniform"); /* two links an endpoint */
    bough_rows rows = rows_of(&point, "queueing");
    bough_rows_fini(&rows);
    point_free(&point);
    point = law_point("bft:n=16", "free", 0.05, 16, "nobody");
    trial_fails(&point, "queueing", BOUGH_INVALID, "no endpoint sends");
    point_free(&point);
}

static const char *const ring[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 5",
                                   "H2 lid 6",  "H3 lid 7",  "H4 lid 8",  "S1:1 S2:2", "S2:1 S3:2",
                                   "S3:1 S4:2", "S4:1 S1:2", "H1:1 S1:3", "H2:1 S2:3", "H3:1 S3:3",
                                   "H4:1 S4:3", NULL};

static bough_point fabric_point(const char *const *tables, double rate, uint64_t flits, const char *to) {
    bough_routing *routing = fabric_routing(ring, tables);
    return (bough_point){routing->net, routing, law_make(routing->net, rate, flits, to)};
}

static void a_pair_without_a_route_is_named(void **state) {
    (void)state;
    static const struct {
        const char *tables[5], *text;
    } known[] = {
        {{"S1 5>3 6>1 7>1 8>1", "S2 5>1 6>3 7>1 8>1", "S3 5>1 6>1 7>3", "S4 5>1 6>1 7>1 8>3"},
         "from H1 to H4 under lft:"}, /* the first one that meets S3 */
        {{"S1 5>3 6>1 7>1 8>1", "S2 5>2 6>3 7>1 8>1", "S3 5>2 6>2 7>3 8>2", "S4 5>1 6>1 7>1 8>3"},
         "from H1 to H4 under lft:"},
        {{"S1 5>3 6>1 7>1 8>1", "S2 5>1 6>3 7>1 8>3", "S3 5>1 6>1 7>3 8>1", "S4 5>1 6>1 7>1 8>3"},
         "H2 is a wrong adapter"},
    };
    static const char *const why[] = {"S3 has no route", "a loop", "from H1 to H4"};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_point point = fabric_point(known[i].tables, 0.001, 16, "uniform");
        trial_fails(&point, "queueing", BOUGH_INVALID, known[i].text);
        trial_fails(&point, "queueing:find=saturation", BOUGH_INVALID, why[i]);
        point_free(&point);
    }
}

/* ---- by hand ---- */

/* Eq. 5, for messages of one length. */
static double eq5(double flits, double service) {
    return (1 - flits / service) * (1 - flits / service);
}

static void waits_of_many_servers(void **state) {
    (void)state;
    static const double s = 10;
    for (double x = 10; x < 40; x += 7)
        for (double a = 0.05; a < 1; a += 0.1) {
            assert_close(queueing_wait(a / x, x, 1, eq5(s, x)), mg1_wait(a / x, x, s), 1e-13);
            assert_close(queueing_wait(2 * a / x, x, 2, eq5(s, x)), mg2_wait(2 * a / x, x, s), 1e-13);
        }
    /* three servers, a = 2: all busy with probability 4/9 */
    assert_close(queueing_wait(0.2, 10, 3, 0), 0.5 * 4.0 / 9 * 10, 1e-13);
    assert_true(isinf(queueing_wait(0.3, 10, 3, 0)));
    assert_true(isinf(queueing_wait(0.31, 10, 3, 0)));
    assert_true(isinf(queueing_wait(0.1, INFINITY, 3, 1)));
    assert_near(queueing_wait(0, 10, 3, 0), 0, 0);
    /* so many servers that nobody waits, at half their use */
    assert_true(queueing_wait(5000, 1, 10000, 0) < 1e-100);
}

/* One switch, n endpoints: Eqs. 16, 17, 11 (the share of one input in an exit is 1 / (n - 1)), 24. */
static void one_switch(void **state) {
    (void)state;
    double s = 20, rate = 0.02, n = 5;
    double exit = mg1_wait(rate, s, s), in = s + (1 - 1 / (n - 1)) * exit, source = mg1_wait(rate, in, s);
    double bare = s + exit, bare_source = mg1_wait(rate, bare, s);
    static const char *const path[] = {"", ",engine=generic"};
    for (size_t i = 0; i < COUNT(path); i++) {
        char method[80];
        bough_point point = law_point("kary:k=5,levels=1", "free", rate, 20, "uniform");
        snprintf(method, sizeof method, "queueing:levels=1%s", path[i]);
        bough_rows rows = rows_of(&point, method);
        assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), in + source + 1, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_SOURCE_WAIT, NO_INDEX), source, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_WAIT_UP, 0), source, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_WAIT_DOWN, 0), 0.75 * exit, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_UP, 0), in, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_DOWN, 0), s, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_UP, 0), rate * in, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_MAX, NO_INDEX), rate * in, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_DISTANCE, NO_INDEX), 2, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_OFFERED, NO_INDEX), 0.4, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_ACCEPTED, NO_INDEX), 0.4, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_OFFERED_MESSAGES, NO_INDEX), rate, 1e-13);
        assert_close(row_value(&rows, BOUGH_METRIC_ACCEPTED_MESSAGES, NO_INDEX), rate, 1e-13);
        assert_int_equal(rows.outcome, BOUGH_RUN_OK);
        bough_rows_fini(&rows);
        snprintf(method, sizeof method, "queueing:variant=uncorrected%s", path[i]);
        rows = rows_of(&point, method);
        assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), bare + bare_source + 1, 1e-13);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* kary:k=3,levels=2: the up group of a leaf has 3 links and 3 inputs with a third of its traffic each. Two
 * others can never fill it: by Eq. 10 and by what it stands for nobody waits. Down to a leaf the share of one
 * of the spine's inputs is 1/2. */
static void three_inputs_never_fill_three_links(void **state) {
    (void)state;
    double s = 16, rate = 0.02, exit = mg1_wait(rate, s, s);
    double cross = rate * 6 / 8; /* on a link between switches */
    double down = s + (1 - cross / rate / 3) * exit, wait = mg1_wait(cross, down, s);
    double up = down + 0.5 * wait;
    double in = 0.75 * up + 0.25 * (s + (1 - 0.125) * exit); /* 2 of 8 stay: an exit gets 1/8 of each */
    static const char *const methods[] = {"queueing:turns=exact", "queueing:turns=exact,variant=conditional",
                                          "queueing:turns=exact,engine=generic",
                                          "queueing:variant=conditional,engine=generic"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        bough_point point = law_point("kary:k=3,levels=2", "free", rate, 16, "uniform");
        bough_rows rows = rows_of(&point, methods[i]);
        double latency = row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX);
        assert_close(latency, mg1_wait(rate, in, s) + in + 2 * 0.25 + 4 * 0.75 - 1, 1e-13);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* m draws from n inputs alike meet m different ones, none of them the asking one, with probability
 * (n - 1)! / (n - 1 - m)! / n^m. bft: 4 inputs, 2 links: 3/8, and 1/2 by Eq. 10. */
static void conditional_blocking(void **state) {
    (void)state;
    static const struct {
        const char *network;
        double published, conditional;
    } known[] = {{"bft:n=16", 0.5, 3.0 / 8},
                 {"kary:k=2,levels=2", 0, 0},
                 {"xgft:down=8x4,up=1x3", 1 - 3.0 / 8, 7.0 * 6 * 5 / 512},
                 {"xgft:down=8x4,up=1x1,links=1x4", 0.5, 7.0 * 6 * 5 * 4 / 4096}};
    static const char *const variant[] = {"published", "conditional"}, *const path[] = {"auto", "generic"};
    for (size_t i = 0; i < COUNT(known); i++)
        for (size_t p = 0; p < 2; p++) {
            double wait[2];
            for (size_t v = 0; v < 2; v++) {
                char method[80];
                snprintf(method, sizeof method, "queueing:levels=1,turns=exact,variant=%s,engine=%s",
                         variant[v], path[p]);
                bough_point point = law_point(known[i].network, "free", 0.001, 16, "uniform");
                bough_rows rows = rows_of(&point, method), bare;
                snprintf(method, sizeof method, "queueing:levels=1,turns=exact,variant=%s,engine=%s",
                         "uncorrected", path[p]);
                bare = rows_of(&point, method);
                /* the service times above differ between variants: take out the waits at those */
                double x = row_value(&rows, BOUGH_METRIC_SERVICE_UP, 1);
                double rate = row_value(&rows, BOUGH_METRIC_LINK_USE_UP, 1) / x;
                bough_range links = point.net->ops->group_links(
                    point.net, point.net->ops->node_group(
                                   point.net, point.net->endpoints,
                                   point.net->ops->node_group_count(point.net, point.net->endpoints) - 1));
                uint32_t m = (uint32_t)links.count;
                wait[v] =
                    row_value(&rows, BOUGH_METRIC_WAIT_UP, 1) / queueing_wait(m * rate, x, m, eq5(16, x));
                x = row_value(&bare, BOUGH_METRIC_SERVICE_UP, 1);
                assert_close(row_value(&bare, BOUGH_METRIC_WAIT_UP, 1),
                             queueing_wait(m * rate, x, m, eq5(16, x)), 1e-9);
                bough_rows_fini(&rows);
                bough_rows_fini(&bare);
                point_free(&point);
            }
            assert_near(wait[0], known[i].published, 1e-9);
            assert_near(wait[1], known[i].conditional, 1e-9);
        }
}

/* One switch, 4 endpoints, all services F: queueing_finite.c by hand. An exit's 3 inputs are there with
 * probability q each; a third of those that waited at home come on the heels of one to the same exit. */
static void finite_inputs_at_one_switch(void **state) {
    (void)state;
    double s = 20, rate = 0.02, wait = 0, in = s, any = 0, heels = 0, square = 0;
    for (int i = 0; i < 500; i++) {
        double q = rate / 3 * (s + wait), one = 2 * q * (1 - q), two = q * q, late = rate * in;
        any = one * s / 2 + two * 3 * s / 2;
        heels = one * s + two * 2 * s;
        wait = (1 - late / 3) * any + late / 3 * heels;
        double calm2 = s * s + 2 * s * any + one * s * s / 3 + two * 7 * s * s / 3;
        double heel2 = s * s + 2 * s * heels + one * s * s + two * 4 * s * s;
        in = s + (1 - late) * any + late * (2 * any + heels) / 3;
        square = (1 - late) * calm2 + late * (2 * calm2 + heel2) / 3;
    }
    double source = rate * square / 2 / (1 - rate * in);
    static const char *const methods[] = {"queueing:variant=finite,levels=1",
                                          "queueing:variant=finite,levels=1,engine=generic"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        bough_point point = law_point("kary:k=4,levels=1", "free", rate, 20, "uniform");
        bough_rows rows = rows_of(&point, methods[i]);
        assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_UP, 0), in, 1e-10);
        assert_close(row_value(&rows, BOUGH_METRIC_WAIT_DOWN, 0), wait, 1e-10);
        assert_close(row_value(&rows, BOUGH_METRIC_SOURCE_WAIT, NO_INDEX), source, 1e-10);
        assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), in + source + 1, 1e-10);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* Nodes of a hypercube send and pass on: of the messages at a link out of a node some start there, and of
 * those that come over a link some end. cube:2, bit 1 first: link b1 carries 2/3 of its node's messages, half
 * of which (1/3) go on over b0 of its other end; b0 carries these and 1/3 of that node's own. */
static void a_hypercube(void **state) {
    (void)state;
    double s = 8, rate = 0.05, low = 2 * rate / 3, high = 2 * rate / 3;
    double w0 = mg1_wait(low, s, s), x1 = s + 0.5 * (1 - 0.5) * w0, w_high = mg1_wait(high, x1, s);
    double latency = 2.0 / 3 * (x1 + w_high) + 1.0 / 3 * (s + w0) + 4.0 / 3 - 1;
    bough_net *net;
    bough_error error;
    assert_int_equal(cube_create(2, &net, &error), BOUGH_OK);
    bough_point point = law_point_over(net, "free", rate, 8, "uniform");
    bough_rows rows = rows_of(&point, "queueing:levels=1");
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), latency, 1e-13);
    assert_close(row_value(&rows, BOUGH_METRIC_DISTANCE, NO_INDEX), 4.0 / 3, 1e-13);
    assert_false(row_given(&rows, BOUGH_METRIC_WAIT_UP, 0)); /* nothing is above anything */
    bough_rows_fini(&rows);
    rows = rows_of(&point, "queueing:find=saturation");
    assert_true(row_given(&rows, BOUGH_METRIC_LIMIT_ACROSS, 0));
    bough_rows_fini(&rows);
    trial_fails(&point, "queueing:variant=finite", BOUGH_UNSUPPORTED, "endpoints that only send and receive");
    point_free(&point);
}

/* All messages run round one way: ring links depend on ring links. Of those on one half end at its end. */
static void a_ring_is_solved_by_its_fixed_point(void **state) {
    (void)state;
    static const char *const clockwise[] = {"S1 5>3 6>1 7>1 8>1", "S2 5>1 6>3 7>1 8>1", "S3 5>1 6>1 7>3 8>1",
                                            "S4 5>1 6>1 7>1 8>3", NULL};
    double s = 16;
    for (double rate = 0.001; rate < 0.012; rate += 0.002) {
        double x = s;
        for (int i = 0; i < 3000; i++) x = s + 0.5 * mg1_wait(2 * rate, x, s);
        double in = x + 0.5 * mg1_wait(2 * rate, x, s), latency = in + mg1_wait(rate, in, s) + 4 - 1;
        bough_point point = fabric_point(clockwise, rate, 16, "uniform");
        bough_rows rows = rows_of(&point, "queueing");
        assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), latency, 1e-10);
        bough_rows_fini(&rows);
        point_free(&point);
    }
    bough_point point = fabric_point(clockwise, 0.03, 16, "uniform");
    bough_rows rows = rows_of(&point, "queueing");
    assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
    bough_rows_fini(&rows);
    /* x = s + W(2 r, x) / 2 has no solution beyond the fold, which is before the ring is in full use */
    rows = rows_of(&point, "queueing:find=saturation");
    double most = row_value(&rows, BOUGH_METRIC_SATURATION_MESSAGES, NO_INDEX), low = 0, high = 1 / s;
    for (int k = 0; k < 60; k++) {
        double rate = (low + high) / 2, best = INFINITY;
        for (double x = s; 2 * rate * x < 1; x += s / 1e4)
            best = fmin(best, s + 0.5 * mg1_wait(2 * rate, x, s) - x);
        *(best <= 0 ? &low : &high) = rate;
    }
    assert_close(most, low, 1e-6);
    bough_rows_fini(&rows);
    point_free(&point);
}

/* dmodk: waits at single links; endpoint 0 of a switch with two spines sends to its own link up. */
static void fixed_paths_wait_at_single_links(void **state) {
    (void)state;
    /* 0 -> 1 at one leaf, 1 -> 2 and 3 -> 0 across, 2 -> 3: nobody shares a link, nobody waits but at home */
    bough_point point = law_point("kary:k=2,levels=2", "dmodk", 0.02, 16, "next");
    bough_rows rows = rows_of(&point, "queueing");
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), mg1_wait(0.02, 16, 16) + 16 + 3 - 1,
                 1e-13);
    bough_rows_fini(&rows);
    point_free(&point);
    /* messages over two links alike, drawn blindly (random) or among the free ones (free) */
    double wait[2];
    static const char *const routings[] = {"free", "random"};
    for (size_t i = 0; i < 2; i++) {
        point = law_point("xgft:down=8x4,up=1x2", routings[i], 0.004, 16, "uniform");
        rows = rows_of(&point, "queueing:variant=uncorrected,levels=1,turns=exact,engine=generic");
        double x = row_value(&rows, BOUGH_METRIC_SERVICE_UP, 1);
        double rate = row_value(&rows, BOUGH_METRIC_LINK_USE_UP, 1) / x;
        wait[i] = row_value(&rows, BOUGH_METRIC_WAIT_UP, 1);
        assert_close(wait[i], i ? mg1_wait(rate, x, 16) : mg2_wait(2 * rate, x, 16), 1e-11);
        bough_rows_fini(&rows);
        point_free(&point);
    }
    assert_true(wait[1] > 2 * wait[0]);
}

/* Three hosts with two LIDs each at one switch are as good as kary:k=3,levels=1. */
static void addresses_are_no_endpoints(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "H1 lid 2 lmc 1", "H2 lid 4 lmc 1", "H3 lid 6 lmc 1",
                                        "H1:1 S1:1", "H2:1 S1:2",      "H3:1 S1:3",      NULL};
    bough_point point = law_point_over(fabric_net(lines, NULL), "free", 0.02, 16, "uniform");
    bough_rows rows = rows_of(&point, "queueing");
    assert_true(point.net->addresses == 6);
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX),
                 law_answer("kary:k=3,levels=1", 0.02, 16, "queueing", BOUGH_METRIC_LATENCY), 1e-13);
    bough_rows_fini(&rows);
    point_free(&point);
}

/* Incast: n - 1 inputs share one exit, which is all there is to wait for. */
static void incast_fills_the_last_link(void **state) {
    (void)state;
    double s = 16, rate = 0.003, n = 16, exit = mg1_wait(15 * rate, s, s), in = s + 14.0 / 15 * exit;
    bough_point point = law_point("kary:k=16,levels=1", "free", rate, 16, "first");
    bough_rows rows = rows_of(&point, "queueing:levels=1");
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), in + mg1_wait(rate, in, s) + 1, 1e-13);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_MAX, NO_INDEX), (n - 1) * rate * s, 1e-13);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_DOWN, 0), (n - 1) / n * rate * s, 1e-13);
    bough_rows_fini(&rows);
    point_free(&point);
    point = law_point("kary:k=16,levels=1", "free", 0.01, 16, "first");
    rows = rows_of(&point, "queueing:levels=1");
    assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
    assert_true(isnan(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX)));
    assert_close(row_value(&rows, BOUGH_METRIC_LIMIT_DOWN, 0), 15 * 0.01 * 16, 1e-13);
    assert_close(row_value(&rows, BOUGH_METRIC_OFFERED, NO_INDEX), 0.16, 1e-13);
    assert_false(row_given(&rows, BOUGH_METRIC_ACCEPTED, NO_INDEX));
    assert_false(row_given(&rows, BOUGH_METRIC_WAIT_DOWN, 0));
    bough_rows_fini(&rows);
    point_free(&point);
}

/* Half of the endpoints send nothing: rates are those of the ones that send. */
static void silent_endpoints(void **state) {
    (void)state;
    double s = 16, rate = 0.01, exit = mg1_wait(rate, s, s), in = s + (1 - 1.0 / 7) * exit;
    bough_point point = law_point("kary:k=16,levels=1", "free", rate, 16, "half");
    bough_rows rows = rows_of(&point, "queueing");
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), in + mg1_wait(rate, in, s) + 1, 1e-13);
    assert_close(row_value(&rows, BOUGH_METRIC_OFFERED, NO_INDEX), rate * s, 1e-13);
    bough_rows_fini(&rows);
    point_free(&point);
}

/* ---- what must hold ---- */

static void at_the_saturation_it_stands_and_beyond_not(void **state) {
    (void)state;
    static const char *const nets[] = {"bft:n=256", "kary:k=3,levels=3", "xgft:down=4x4,up=1x2",
                                       "xgft:down=4x4,up=2x3"};
    static const char *const variants[] = {"published", "uncorrected", "conditional", "finite"};
    for (size_t i = 0; i < COUNT(nets); i++)
        for (size_t v = 0; v < COUNT(variants); v++) {
            char method[80];
            snprintf(method, sizeof method, "queueing:variant=%s,find=saturation", variants[v]);
            double most = law_answer(nets[i], 0, 32, method, BOUGH_METRIC_SATURATION_MESSAGES);
            double flits = law_answer(nets[i], 0.01, 32, method, BOUGH_METRIC_SATURATION);
            assert_close(flits, 32 * most, 1e-13);
            bool finite = v == 3;
            double off = finite ? 2e-3 : 1e-11;
            for (int above = 0; above < 2; above++) {
                bough_point point =
                    law_point(nets[i], "free", most * (above ? 1 + off : 1 - off), 32, "uniform");
                snprintf(method, sizeof method, "queueing:variant=%s", variants[v]);
                bough_rows rows = rows_of(&point, method);
                double latency = row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX);
                assert_int_equal(rows.outcome, above ? BOUGH_RUN_SATURATED : BOUGH_RUN_OK);
                assert_true(above ? isnan(latency) : latency > (finite ? 200 : 1e9));
                if (above && !finite) assert_true(row_value(&rows, BOUGH_METRIC_LIMIT_UP, 0) >= 1);
                bough_rows_fini(&rows);
                point_free(&point);
            }
        }
}

static void waits_grow_with_the_rate_and_corrections_lower_them(void **state) {
    (void)state;
    static const char *const nets[] = {"bft:n=64", "kary:k=4,levels=2", "fattree:n=32"};
    for (size_t i = 0; i < COUNT(nets); i++) {
        double before = 0;
        for (double rate = 0; rate < 0.0025; rate += 0.0005) {
            double published = law_answer(nets[i], rate, 32, "queueing", BOUGH_METRIC_LATENCY);
            double bare = law_answer(nets[i], rate, 32, "queueing:variant=uncorrected", BOUGH_METRIC_LATENCY);
            double conditional =
                law_answer(nets[i], rate, 32, "queueing:variant=conditional", BOUGH_METRIC_LATENCY);
            assert_true(published > before);
            assert_true(rate == 0 ? bare == published : bare > published);
            assert_true(conditional <= published * (1 + 1e-14));
            before = published;
        }
    }
}

static void only_drawn_patterns_need_trials(void **state) {
    (void)state;
    bough_point point = law_point("bft:n=16", "free", 0.001, 16, "uniform");
    bough_run *run = run_make(&point, "queueing");
    assert_true(bough_run_exact(run));
    bough_run_destroy(run);
    point_free(&point);
    point = law_point("kary:k=2,levels=4", "dmodk", 0.001, 16, "drawn");
    run = run_make(&point, "queueing");
    assert_false(bough_run_exact(run));
    double distance[2] = {INFINITY, 0};
    for (uint64_t trial = 0; trial < 20; trial++) {
        bough_rows rows = run_once(run, trial);
        double d = row_value(&rows, BOUGH_METRIC_DISTANCE, NO_INDEX);
        distance[0] = fmin(distance[0], d);
        distance[1] = fmax(distance[1], d);
        bough_rows_fini(&rows);
    }
    assert_true(distance[0] < distance[1]);
    bough_run_destroy(run);
    point_free(&point);
}

/* A real fabric with its own tables: every rate adds up, and the crude bounds hold. */
static void a_fabric_with_its_tables(void **state) {
    (void)state;
    char *ports = data_path("fabrics/avakas.ports"), *table = data_path("fabrics/avakas.ibroute.gz");
    if (!ports || !table) skip();
    char *network = spec_of("ibnet", ports), *routing = spec_of("lft", table);
    bough_point point = law_point(network, routing, 0.003, 32, "uniform");
    bough_rows rows = rows_of(&point, "queueing:levels=1");
    /* `bough check`: 4660 pairs over one switch, 74020 over three */
    double distance = (4660 * 2 + 74020 * 4) / 78680.0;
    assert_close(row_value(&rows, BOUGH_METRIC_DISTANCE, NO_INDEX), distance, 1e-12);
    assert_true(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX) > 31 + distance);
    double use = row_value(&rows, BOUGH_METRIC_LINK_USE_MAX, NO_INDEX);
    /* the fullest link carries 332 of 78680 flows (alltoall_max), each 1/280 of a source's */
    assert_true(use >= 332 / 280.0 * 0.003 * 32 && use < 1);
    bough_rows_fini(&rows);
    rows = rows_of(&point, "queueing:find=saturation");
    assert_true(row_value(&rows, BOUGH_METRIC_SATURATION, NO_INDEX) < 280 / 332.0);
    bough_rows_fini(&rows);
    point_free(&point);
    free(network);
    free(routing);
    free(ports);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(more_than_a_link_carries_is_overload),
        cmocka_unit_test(a_pair_without_a_route_is_named),
        cmocka_unit_test(waits_of_many_servers),
        cmocka_unit_test(one_switch),
        cmocka_unit_test(three_inputs_never_fill_three_links),
        cmocka_unit_test(conditional_blocking),
        cmocka_unit_test(finite_inputs_at_one_switch),
        cmocka_unit_test(a_hypercube),
        cmocka_unit_test(a_ring_is_solved_by_its_fixed_point),
        cmocka_unit_test(fixed_paths_wait_at_single_links),
        cmocka_unit_test(addresses_are_no_endpoints),
        cmocka_unit_test(incast_fills_the_last_link),
        cmocka_unit_test(silent_endpoints),
        cmocka_unit_test(at_the_saturation_it_stands_and_beyond_not),
        cmocka_unit_test(waits_grow_with_the_rate_and_corrections_lower_them),
        cmocka_unit_test(only_drawn_patterns_need_trials),
        cmocka_unit_test(a_fabric_with_its_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
