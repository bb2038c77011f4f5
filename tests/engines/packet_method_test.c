/* The method `packet`: what it refuses, its rows, figures of an independent program, and verify=1, which must
 * find what is false as well as what is true. The engine itself is tested in packet_test.c. */
#include "engines/packet/packet_verify.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE     BOUGH_NO_ROW_INDEX
#define M(name)  BOUGH_METRIC_##name

/* ---- bad input ---- */

static void misfits_are_refused(void **state) {
    (void)state;
    static const refused_run wrong[] = {
        {"cube:n=16", "bitfix", "randperm", "packet:queue=lilo", BOUGH_INVALID, "lilo"},
        {"cube:n=16", "bitfix", "randperm", "packet:ques=fifo", BOUGH_INVALID, "did you mean 'queue'"},
        {"cube:n=16", "valiant", "poisson:load=0.1", "packet", BOUGH_UNSUPPORTED, "use phase2=async"},
        {"cube:n=16", "bitfix", "poisson:load=0.1", "packet:sets=1", BOUGH_UNSUPPORTED, "need a batch"},
        {"cube:n=16", "bitfix", "poisson:load=0.1", "packet:verify=1", BOUGH_UNSUPPORTED, "need a batch"},
        {"cube:n=16", "bitfix", "randperm", "packet:find=saturation", BOUGH_UNSUPPORTED, "needs a stream"},
        {"cube:n=16", "bitfix", "randperm", "packet:messages=100", BOUGH_INVALID, "apply to streams"},
        {"cube:n=16", "valiant", "randperm", "worm:vcs=2", BOUGH_UNSUPPORTED, "use phase2=async"},
        {"cube:n=16", "valiant:phase2=async", "randperm", "worm", BOUGH_UNSUPPORTED, "use vcs=2 or more"},
    };
    runs_refused(wrong, COUNT(wrong));
}

static const char *const square[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4",
                                     "S1:1 H1:1", "S2:1 H2:1", "S1:2 S2:2", NULL};

/* A table that knows no way is named before the run, with the pair; ranks belong to a network's own routes.
 */
static void tables_that_do_not_reach_are_named(void **state) {
    (void)state;
    static const char *const short_of[] = {"S1 3>1 4>2", "S2 4>1", NULL};
    static const char *const whole[] = {"S1 3>1 4>2", "S2 4>1 3>2", NULL};
    bough_routing *r = fabric_routing(square, short_of);
    bough_traffic *t;
    assert_int_equal(bough_traffic_create(r->net, "shift:k=1", &t, NULL), BOUGH_OK);
    bough_point p = {r->net, r, t};
    run_refused(&p, "packet", BOUGH_INVALID, "no route from H2 to H1 (at S2)");
    point_free(&p);
    r = fabric_routing(square, whole);
    assert_int_equal(bough_traffic_create(r->net, "shift:k=1", &t, NULL), BOUGH_OK);
    p = (bough_point){r->net, r, t};
    run_refused(&p, "packet:orders=1", BOUGH_UNSUPPORTED, "needs routes that ascend in the group order");
    bough_rows rows = rows_of(&p, "packet:verify=1");
    assert_true(row_value(&rows, M(STEPS), NONE) == 3);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* What a table says of pairs that send nothing is of no interest: none to H1, or a loop to H2. */
static void pairs_that_send_nothing_need_no_route(void **state) {
    (void)state;
    static const char *const short_of[] = {"S1 3>1 4>2", "S2 4>1", NULL};
    static const char *const looping[] = {"S1 3>1 4>2", "S2 4>2 3>2", NULL};
    static const struct {
        const char *const *table;
        const char *messages, *matrix, *reason; /* NULL: answered, in 3 steps */
    } cases[] = {
        {short_of, "0,1\n0,0\n", "0 5\n0 0\n", NULL},
        {short_of, "0,1\n1,0\n", "0 5\n7 0\n", "no route from H2 to H1 (at S2)"},
        {looping, "1,0\n1,1\n", "0 0\n7 0\n", NULL},
        {looping, "1,0\n0,1\n", "0 5\n7 0\n", "a loop from H1 to H2 (at S2)"},
    };
    static const char *const methods[] = {"packet", "worm:deadlock=detect"};
    for (size_t i = 0; i < 4 * COUNT(cases); i++) {
        bool batch = i % 4 < 2;
        char text[64];
        snprintf(text, sizeof text, "source,destination\n%s", cases[i / 4].messages);
        char *spec = batch ? spec_of("messages", temporary_file("pairs.csv", text, 0))
                           : spec_of("matrix", temporary_file("pairs.matrix", cases[i / 4].matrix, 0));
        bough_routing *r = fabric_routing(square, cases[i / 4].table);
        bough_point p = {r->net, r, traffic_make(r->net, spec)};
        if (cases[i / 4].reason) {
            run_refused(&p, methods[i % 2], BOUGH_INVALID, cases[i / 4].reason);
        } else {
            bough_rows rows = rows_of(&p, methods[i % 2]);
            assert_int_equal(rows.outcome, BOUGH_RUN_OK);
            if (batch && i % 2 == 0) assert_true(row_value(&rows, M(STEPS), NONE) == 3);
            bough_rows_fini(&rows);
        }
        point_free(&p);
        free(spec);
    }
}

static void a_failure_names_the_pair(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=8", "bitfix", "bitcomp");
    bough_run *run = run_make(&p, "packet");
    uint64_t dead[1] = {UINT64_C(1) << (4 * 3 + 1)}; /* of node 4, bit 1 */
    bough_rows rows = {0};
    bough_error error = {0};
    void *space = NULL;
    ((bough_net *)p.net)->dead = dead;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &rows, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "no route from v000 to v111 (at v100)"));
    bough_run_free_workspace(run, space);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    ((bough_net *)p.net)->dead = NULL;
    point_free(&p);
}

/* ---- rows ---- */

static void expect(const bough_rows *rows, bough_metric_id metric, int64_t index, double want) {
    double have = row_value(rows, metric, index);
    if (fabs(have - want) > 1e-12) fail_msg("%s: %g, not %g", bough_metrics[metric].name, have, want);
}

/* Bit reversal on 8 nodes: 1 and 4, 3 and 6 change places: 1 -> 5 -> 4, 3 -> 7 -> 6, 4 -> 0 -> 1, 6 -> 2 ->
 * 3, nobody in anybody's way. */
static void rows_by_hand(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=8", "bitfix", "bitrev");
    bough_run *run = run_make(&p, "packet:sets=1,orders=1,verify=1");
    bough_rows rows = run_once(run, 0);
    assert_true(bough_run_exact(run));
    assert_int_equal(rows.row[0].metric, M(STEPS));
    expect(&rows, M(STEPS), NONE, 2);
    expect(&rows, M(LATENCY), NONE, 2);
    expect(&rows, M(MESSAGES), NONE, 4);
    expect(&rows, M(DISTANCE), NONE, 2);
    expect(&rows, M(LINK_USE_MAX), NONE, 0.5); /* one packet in two steps */
    expect(&rows, M(DELAY), NONE, 0);
    expect(&rows, M(DELAY_MAX), NONE, 0);
    expect(&rows, M(QUEUE_MAX), NONE, 1);
    expect(&rows, M(LINK_LOAD_MAX), NONE, 1);
    expect(&rows, M(CONGESTION), NONE, 8.0 / 24);
    expect(&rows, M(RANK_CONGESTION), 1000, 0.5);
    expect(&rows, M(RANK_CONGESTION), 1001, 0);
    expect(&rows, M(RANK_CONGESTION), 1002, 0.5);
    expect(&rows, M(SHARERS), 1, 0);
    expect(&rows, M(SHARERS_MAX), 1, 0);
    expect(&rows, M(CHECKED), 3, 0);
    expect(&rows, M(CHECKED), 4, 4);
    assert_false(row_given(&rows, M(PHASE_STEPS), 1) || row_given(&rows, M(CYCLES), NONE) ||
                 row_given(&rows, M(CHECKED), 2) || row_given(&rows, M(CHECKED), 5));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

/* Everybody to node 0 of 8: half of all come by the link from 1 to 0, where a packet waits at every step. */
static void one_link_for_many(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=8", "bitfix", "incast");
    bough_rows rows = rows_of(&p, "packet:sets=1,verify=1");
    expect(&rows, M(STEPS), NONE, 4);
    expect(&rows, M(LINK_LOAD_MAX), NONE, 4);
    expect(&rows, M(SHARERS_MAX), 1, 3);
    expect(&rows, M(DELAY_MAX), NONE, 1);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* What differs from trial to trial although the traffic does not. */
static void exact_is_what_draws_nothing(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *traffic, *method;
        bool exact;
    } runs[] = {{"cube:n=16", "bitfix", "bitrev", "packet", true},
                {"cube:n=16", "random", "bitrev", "packet:queue=lifo", true},
                {"cube:n=16", "bitfix", "bitrev", "packet:queue=random", false},
                {"cube:n=16", "bitfix", "randperm", "packet", false},
                {"cube:n=16", "valiant", "bitrev", "packet", false},
                {"fattree:n=16", "dmodk", "bitrev", "packet", true},
                {"fattree:n=16", "random", "bitrev", "packet", false},
                {"fattree:n=16", "dmodk", "poisson:load=0.1,pattern=bitrev", "packet", false},
                {"fattree:n=16", "dmodk", "bernoulli:rate=0.5,pattern=shift:1", "worm", false},
                {"fattree:n=16", "dmodk", "poisson:load=0.1,pattern=bitrev", "linkload", true}};
    for (size_t i = 0; i < COUNT(runs); i++) {
        bough_point p = point_make(runs[i].net, runs[i].routing, runs[i].traffic);
        bough_run *run = run_make(&p, runs[i].method);
        assert_int_equal(bough_run_exact(run), runs[i].exact);
        bough_run_destroy(run);
        point_free(&p);
    }
}

/* Messages of several packets, two from one endpoint, one to itself: 0 sends two of size 3 to 1, on one link.
 */
static void files_of_messages(void **state) {
    (void)state;
    const char *path =
        temporary_file("relation.csv", "source,destination,size\n0,1,3\n0,1,3\n2,2,1\n3,2,1\n", 0);
    char *spec = spec_of("messages", path);
    bough_point p = point_make("cube:n=4", "bitfix", spec);
    bough_rows rows = rows_of(&p, "packet:verify=1");
    expect(&rows, M(STEPS), NONE, 6);
    expect(&rows, M(MESSAGES), NONE, 3); /* what is there already is no message */
    expect(&rows, M(LATENCY), NONE, (3 + 6 + 1) / 3.0);
    expect(&rows, M(DELAY), NONE, 15 / 7.0);
    expect(&rows, M(LINK_LOAD_MAX), NONE, 6);
    expect(&rows, M(CHECKED), 3, 15);
    bough_rows_fini(&rows);
    point_free(&p);
    free(spec);
}

static void a_run_that_is_cut_off_says_so(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=256", "bitfix", "bitrev");
    bough_rows rows = rows_of(&p, "packet:limit=6,verify=1,sets=1");
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    assert_true(row_value(&rows, M(UNDELIVERED), NONE) > 0);
    assert_false(row_given(&rows, M(SHARERS), 1));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* ---- streams ---- */

/* Two nodes, one link each way: Poisson arrivals in a slot, one served in each, so the mean wait is
 * r / (2 (1 - r)). Seven fixed seeds; 99.9 %. */
static void one_link_is_a_queue(void **state) {
    (void)state;
    static const double load[] = {0.3, 0.6, 0.8};
    for (size_t i = 0; i < COUNT(load); i++) {
        char traffic[64];
        snprintf(traffic, sizeof traffic, "poisson:load=%g,flits=1", load[i]);
        bough_point p = point_make("cube:n=2", "bitfix", traffic);
        bough_run *run = run_make(&p, "packet:messages=20000");
        bough_stats latency = run_trials(run, 3, 7, M(LATENCY)),
                    accepted = run_trials(run, 3, 7, M(ACCEPTED));
        double want = 1 + load[i] / (2 * (1 - load[i]));
        print_message("cube:n=2 at %g: latency %.4f +- %.4f, queueing theory %.4f\n", load[i], latency.mean,
                      bough_stats_ci95(&latency), want);
        assert_near(latency.mean, want, 2.43 * bough_stats_ci95(&latency)); /* t of 6 degrees */
        assert_near(accepted.mean, load[i], 0.03);
        bough_run_destroy(run);
        point_free(&p);
    }
}

/* Uniform traffic crosses a cube's link n / (2 (n - 1)) times a message and node: it saturates at 2 (n - 1) /
 * n; by way of another node at twice as many crossings, 1 each. */
static void cubes_saturate_where_links_are_full(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        double want;
    } runs[] = {{"bitfix", 1.875}, {"valiant:phase2=async", 1}};
    for (size_t i = 0; i < COUNT(runs); i++) {
        bough_point p = point_make("cube:n=16", runs[i].routing, "poisson:load=0.1,flits=1");
        bough_rows rows = rows_of(&p, "packet:find=saturation,messages=60000");
        double have = row_value(&rows, M(SATURATION), NONE);
        print_message("cube:n=16, %s: saturation %.4f, links are full at %.4f\n", runs[i].routing, have,
                      runs[i].want);
        assert_near(have, 0.96 * runs[i].want, 0.05); /* growth is seen a little early */
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

static void overload_is_said(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=16", "random", "poisson:load=1.2,flits=4");
    bough_rows rows = rows_of(&p, "packet:messages=5000,levels=1,hot=2");
    assert_int_equal(rows.outcome, BOUGH_RUN_SATURATED);
    assert_true(row_given(&rows, M(BACKLOG_GROWTH), NONE) && !row_given(&rows, M(LATENCY), NONE));
    assert_true(row_given(&rows, M(WAIT_UP), 0) && row_given(&rows, M(QUEUE_MAX), NONE));
    bough_rows_fini(&rows);
    point_free(&p);
    p = point_make("fattree:n=16", "random", "poisson:load=0.2,flits=4");
    rows = rows_of(&p, "packet:messages=5000");
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    assert_near(row_value(&rows, M(OFFERED), NONE), row_value(&rows, M(ACCEPTED), NONE), 0.02);
    assert_true(row_value(&rows, M(LATENCY), NONE) > 4 + 3); /* four packets, links of a path */
    assert_false(row_given(&rows, M(STEPS), NONE) || row_given(&rows, M(CONGESTION), NONE));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* ---- figures of an independent program ---- */

/* Random permutations: 60 fixed seeds; the means may differ by 3.29 standard deviations of their difference
 * (99.9 %). All of it verified. */
static void random_permutations_take_so_many_steps(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *method;
        double steps, half_width;
        uint64_t trials;
    } want[] = {{"cube:n=2^8", "bitfix", "packet:verify=1", 7.90, 0.12, 100},
                {"cube:n=2^8", "valiant:phase2=sync", "packet:verify=1", 16.58, 0.28, 100},
                {"cube:n=2^8", "valiant:phase2=async", "packet:verify=1", 13.94, 0.18, 100},
                {"cube:n=2^12", "bitfix", "packet", 11.92, 0.13, 50},
                {"cube:n=2^12", "valiant:phase2=sync", "packet", 24.92, 0.16, 50},
                {"cube:n=2^12", "valiant:phase2=async", "packet", 21.04, 0.25, 50}};
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_point p = point_make(want[i].net, want[i].routing, "randperm");
        bough_run *run = run_make(&p, want[i].method);
        bough_stats s = run_trials(run, 5, want[i].trials, M(STEPS));
        double ci = bough_stats_ci95(&s);
        print_message("%s, %s: %.3f +- %.3f steps (page %.2f +- %.2f)\n", want[i].net, want[i].routing,
                      s.mean, ci, want[i].steps, want[i].half_width);
        assert_near(s.mean, want[i].steps, 3.29 / 1.96 * hypot(ci, want[i].half_width));
        bough_run_destroy(run);
        point_free(&p);
    }
}

/* ---- verify=1 ---- */

static void everything_is_checked_where_it_holds(void **state) {
    (void)state;
    static const char *const queue[] = {"fifo", "lifo", "farthest", "random"};
    static const char *const routing[] = {"bitfix", "valiant:phase2=sync", "valiant:phase2=async"};
    static const char *const traffic[] = {"randperm", "bitrev", "transpose", "uniform", "alltoall"};
    for (size_t i = 0; i < 4 * 3 * 5; i++) {
        char method[64];
        bough_point p =
            point_make(i % 2 ? "cube:n=32" : "cube:n=16,order=1x3x0x2", routing[i / 4 % 3], traffic[i / 12]);
        snprintf(method, sizeof method, "packet:queue=%s,verify=1", queue[i % 4]);
        bough_rows rows = rows_of(&p, method);
        bool direct = i / 4 % 3 == 0, async = i / 4 % 3 == 2, permutation = i / 12 < 3;
        assert_string_equal(rows.note, "");
        assert_true(row_given(&rows, M(CHECKED), 3));
        assert_int_equal(row_given(&rows, M(CHECKED), 4), !async);
        assert_int_equal(row_given(&rows, M(CHECKED), 5), !direct);
        assert_int_equal(row_given(&rows, M(CHECKED), 2), !direct && !async && permutation);
        assert_int_equal(row_given(&rows, M(OVER_4D), NONE), !direct && !async && permutation);
        if (!async)
            assert_true(row_value(&rows, M(CHECKED), 4) ==
                        row_value(&rows, M(MESSAGES), NONE) * (direct ? 1 : 2));
        bough_rows_fini(&rows);
        point_free(&p);
    }
}

/* Random picks of a tree bring routes together again: no error, but Lemma 4 is not what was checked. */
static void other_networks_say_what_was_not_checked(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=64", "random", "randperm");
    bough_rows rows = rows_of(&p, "packet:verify=1");
    assert_non_null(strstr(rows.note, "routes separate and meet again (packets "));
    assert_false(row_given(&rows, M(CHECKED), 4));
    bough_rows_fini(&rows);
    point_free(&p);
    p = point_make("fattree:n=64", "dmodk", "randperm"); /* here they do not */
    rows = rows_of(&p, "packet:verify=1");
    assert_string_equal(rows.note, "");
    assert_true(row_value(&rows, M(CHECKED), 4) == row_value(&rows, M(MESSAGES), NONE));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Two bits change places on the way to odd addresses: who leaves there comes back. */
static bough_net_ops turned;
static const bough_net *even, *odd;
static void route_by_parity(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const bough_net *way = address & 1 ? odd : even;
    (void)net;
    way->ops->route(way, node, address, route);
}

static bough_status trial_of(const bough_point *p, const char *method, bough_rows *rows, bough_error *error) {
    bough_run *run = run_make(p, method);
    void *space = NULL;
    bough_status status = bough_run_trial(run, bough_key_make(1, 0), &space, rows, error);
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    return status;
}

static void a_false_lemma_3_is_found(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=64", "bitfix", "alltoall");
    bough_rows rows = {0};
    bough_error error = {0};
    bough_net *net = (bough_net *)p.net;
    const bough_net_ops *was = net->ops;
    even = net_make("cube:n=64");
    odd = net_make("cube:n=64,order=5x3x4x2x1x0");
    turned = *was;
    turned.route = route_by_parity;
    turned.step = NULL;
    net->ops = &turned;
    assert_int_equal(trial_of(&p, "packet:verify=1", &rows, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "Lemma 3 is false: the routes of packets "));
    assert_non_null(strstr(error.reason, "meet again on link "));
    assert_int_equal(trial_of(&p, "packet", &rows, &error), BOUGH_OK);
    net->ops = was;
    bough_net_destroy((bough_net *)even);
    bough_net_destroy((bough_net *)odd);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* An intermediate node that is not random. */
static uint64_t via_opposite(const bough_routing *r, bough_key key, const bough_flow *flow) {
    (void)key;
    return r->net->endpoints - 1 - flow->source;
}
static uint64_t via_zero(const bough_routing *r, bough_key key, const bough_flow *flow) {
    (void)r, (void)key, (void)flow;
    return 0;
}
static bough_status be_synchronous(bough_args *args, bough_routing *r, bough_error *error) {
    (void)args, (void)error;
    r->synchronous = true;
    return BOUGH_OK;
}
static const bough_param no_params[] = {BOUGH_PARAMS_END};
static const bough_routing_kind
    opposite = {.name = "opposite", .params = no_params, .open = be_synchronous, .via = via_opposite},
    zero = {.name = "zero", .params = no_params, .open = be_synchronous, .via = via_zero};

static bough_point by_way_of(const bough_routing_kind *kind) {
    bough_point p = point_make("cube:n=64", NULL, "randperm");
    bough_spec spec = {0};
    bough_routing *r;
    assert_int_equal(bough_routing_make(p.net, kind, &spec, &r, NULL), BOUGH_OK);
    p.routing = r;
    return p;
}

static void a_false_congestion_is_found(void **state) {
    (void)state;
    bough_point p = by_way_of(&opposite);
    bough_rows rows = {0};
    bough_error error = {0};
    assert_int_equal(trial_of(&p, "packet:verify=1", &rows, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "the mean congestion is wrong: 6"));
    assert_non_null(strstr(error.reason, "cross dimension 5 (link 5 belongs to it) in phase 1"));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* All by way of node 0: half of them over its link of bit 0, and back over that of bit 5: 32 steps and more,
 * which is above 4d = 24. That is no error. */
static void phases_beyond_4d_are_counted(void **state) {
    (void)state;
    bough_point p = by_way_of(&zero);
    bough_rows rows = {0};
    bough_error error = {0};
    if (trial_of(&p, "packet:verify=1", &rows, &error)) fail_msg("%s", error.reason);
    assert_true(row_value(&rows, M(OVER_4D), NONE) == 2);
    assert_true(row_value(&rows, M(CHECKED), 2) == 2);
    assert_true(row_value(&rows, M(PHASE_STEPS), 1) >= 31 && row_value(&rows, M(PHASE_STEPS), 2) >= 31);
    assert_non_null(strstr(rows.note, "phase 2 took 3"));
    assert_non_null(
        strstr(rows.note, "more than 4d = 24, which Theorem 2 gives a probability of at most 1/n^2"));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Meetings as they would be if packet 1 were delayed too long. */
static void a_false_lemma_4_is_found(void **state) {
    (void)state;
    bough_point p = point_make("cube:n=8", "bitfix", "bitrev");
    bough_run *run = run_make(&p, "packet:verify=1");
    static const uint32_t route[2][2] = {{0, 0}, {14, 7}}, delay[2][2] = {{0, 0}, {3, 0}};
    static const uint16_t length[2][2] = {{0, 0}, {2, 2}};
    packet_routes routes = {.trace = {2, 24, 2, &route[0][0], length, delay}};
    bough_rows rows = {0};
    bough_error error = {0};
    assert_int_equal(packet_meet(&routes.trace, 0, &routes.meetings[0], NULL), BOUGH_OK);
    assert_int_equal(packet_verify(run, NULL, &routes, &rows, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "Lemma 4 is false: packet 1, from link 14, v100/3 -> v000/3, on, is "
                                         "delayed by 3 steps in phase 1, and |S| is 0"));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(tables_that_do_not_reach_are_named),
        cmocka_unit_test(a_failure_names_the_pair),
        cmocka_unit_test(pairs_that_send_nothing_need_no_route),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(one_link_for_many),
        cmocka_unit_test(exact_is_what_draws_nothing),
        cmocka_unit_test(files_of_messages),
        cmocka_unit_test(a_run_that_is_cut_off_says_so),
        cmocka_unit_test(one_link_is_a_queue),
        cmocka_unit_test(cubes_saturate_where_links_are_full),
        cmocka_unit_test(overload_is_said),
        cmocka_unit_test(random_permutations_take_so_many_steps),
        cmocka_unit_test(everything_is_checked_where_it_holds),
        cmocka_unit_test(other_networks_say_what_was_not_checked),
        cmocka_unit_test(a_false_lemma_3_is_found),
        cmocka_unit_test(a_false_congestion_is_found),
        cmocka_unit_test(phases_beyond_4d_are_counted),
        cmocka_unit_test(a_false_lemma_4_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
