/* The method `flow`: what it refuses, times known by hand, rows, schedules. */
#include "engines/flow/flow_events.h"
#include "network/faults/faults.h"

#include "support/fabrics.h"
#include "support/faulty_nets.h"
#include "support/law.h"
#include "support/listed.h"
#include "support/places.h"
#include "support/points.h"
#include "support/rings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define US       UINT64_C(1000000) /* ps */

/* ---- bad input ---- */

static void test_refused(void **state) {
    (void)state;
    bough_point p = point_make("kary:k=2,levels=2", "dmodk", "shift");
    static const struct {
        const char *method, *text;
    } wrong[] = {
        {"flow:size=0", "size=0 is out of range; size must lie between 1 and 1024PiB"},
        {"flow:size=2^61", "size=2^61 is out of range"},
        {"flow:size=-1MB", "out of range"},
        {"flow:rate=0b/s", "rate=0b/s is out of range; rate must lie between 1Mb/s and 100Tb/s"},
        {"flow:rate=101Tb/s", "out of range"},
        {"flow:rate=100", "is not a rate with its unit"},
        {"flow:host_rate=0b/s", "host_rate=0b/s is out of range"},
        {"flow:delay=100", "is not a time with its unit"},
        {"flow:delay=2s", "delay=2s is out of range"},
        {"flow:hot=9", "hot=9 is out of range"},
        {"flow:bandwidth=1Gb/s", "no parameter 'bandwidth'"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) run_refused(&p, wrong[i].method, BOUGH_INVALID, wrong[i].text);
    point_free(&p);
    p = law_point("kary:k=2,levels=2", "dmodk", 0.1, 32, "uniform");
    run_refused(&p, "flow", BOUGH_UNSUPPORTED, "is endless");
    point_free(&p);
}

/* Messages from a CSV: lines under "time,source,destination,size". */
static bough_point csv_point(const char *network, const char *routing, const char *lines) {
    char text[1024];
    snprintf(text, sizeof text, "time,source,destination,size\n%s", lines);
    char *spec = spec_of("messages", temporary_file("flow.csv", text, 0));
    bough_point p = point_make(network, routing, spec);
    free(spec);
    return p;
}

static void trial_fails(const bough_point *p, const char *method, const char *text) {
    bough_run *run = run_make(p, method);
    bough_rows rows = {0};
    bough_error error = {0};
    void *space = NULL;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &rows, &error), BOUGH_FAILED);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
    bough_run_free_workspace(run, space);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
}

static void test_too_large(void **state) {
    (void)state;
    bough_point p = csv_point("kary:k=2,levels=2", "dmodk", "0,0,1,1\n5,1,2,2^40\n");
    trial_fails(&p, "flow:size=2^30", "message 1 from h1 to h2 has more than 2^60 bytes");
    trial_fails(&p, "flow:size=2^24", "message 1 from h1 to h2 has more than 2^60 bytes");
    trial_fails(&p, "flow:size=2^20,rate=1Mb/s", "message 1 from h1 to h2 would take more than 53 days");
    point_free(&p);
    p = csv_point("kary:k=2,levels=2", "dmodk", "5000000000000000000,1,2,1\n");
    trial_fails(&p, "flow", "a message starts after more than 53 days");
    point_free(&p);
    p = csv_point("kary:k=2,levels=2", "dmodk", "4611686018427387904,1,2,1\n");
    trial_fails(&p, "flow:size=1,delay=0ps", "would take more than 53 days");
    point_free(&p);
    p = csv_point("xgft:down=2x2x2,up=1x200x200", "random", "0,0,7,1\n");
    trial_fails(&p, "flow:spray=1", "message 0 from h0 to h7 is divided over more than 65535 links; spray=0");
    point_free(&p);
}

static const char *const pair_lines[] = {"S1 lid 1",  "H1 lid 11", "H2 lid 12",
                                         "H1:1 S1:1", "H2:1 S1:2", NULL};

static void test_rates_of_a_fabric(void **state) {
    (void)state;
    bough_routing *r = fabric_routing(pair_lines, (const char *const[]){"S1 11>1 12>2", NULL});
    bough_point p = {r->net, r, NULL};
    bough_traffic *t;
    bough_error error;
    assert_int_equal(bough_traffic_create(r->net, "shift", &t, &error), BOUGH_OK);
    p.traffic = t;
    bough_run *run = run_make(&p, "flow:delay=0ps,size=1MB"); /* 4xQDR: 32 Gb/s of data */
    assert_string_equal(run->spec, "flow:size=1MB,delay=0ps");
    bough_rows rows = run_once(run, 0);
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 8e6 / 32e9, 1e-12);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    rows = rows_of(&p, "flow:delay=0ps,rate=10Gb/s"); /* in its place */
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 8e6 / 10e9, 1e-12);
    bough_rows_fini(&rows);
    bough_net *net = (bough_net *)r->net;
    net->capabilities &= ~(unsigned)BOUGH_HAS_RATES;
    rows = rows_of(&p, "flow:delay=0ps"); /* the network still knows some */
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 8e6 / 32e9, 1e-12);
    bough_rows_fini(&rows);
    bough_traffic_destroy(t);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Above 6 Tb/s the engine counts in larger units: times stay inverse to the rate, alone and shared, on one
 * path and on all. */
static void test_fast_links(void **state) {
    (void)state;
    static const char *const lines[] = {"0,0,7,1\n", "0,0,7,6\n0,1,7,3\n0,2,7,2\n0,3,6,5\n"};
    static const char *const spray[] = {"0", "1"};
    for (size_t i = 0; i < 4; i++) {
        bough_point p = csv_point("kary:k=2,levels=3", "random", lines[i / 2]);
        double time[2];
        for (size_t fast = 0; fast < 2; fast++) {
            char method[96];
            snprintf(method, sizeof method, "flow:size=9GB,delay=0ps,rate=%s,spray=%s",
                     fast ? "48Tb/s" : "6Tb/s", spray[i % 2]);
            bough_rows rows = rows_of(&p, method);
            time[fast] = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
            bough_rows_fini(&rows);
        }
        if (i < 2) assert_close(time[0], 9e9 * 8 / 6e12, 1e-9);
        assert_close(time[1] * 8, time[0], 1e-9);
        point_free(&p);
    }
}

static void test_no_route(void **state) {
    (void)state;
    bough_routing *r = fabric_routing(pair_lines, (const char *const[]){"S1 11>1", NULL});
    bough_point p = {r->net, r, NULL};
    bough_traffic *t;
    bough_error error;
    assert_int_equal(bough_traffic_create(r->net, "shift", &t, &error), BOUGH_OK);
    p.traffic = t;
    bough_rows rows = rows_of(&p, "flow:delay=0ps");
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    assert_string_equal(rows.note, "1 message has no route; the first: H1 to H2 (no next link at S1); the "
                                   "times are of the 1 that arrived, and the whole has none");
    assert_false(row_given(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX));
    assert_int_equal(row_value(&rows, BOUGH_METRIC_UNROUTED, BOUGH_NO_ROW_INDEX), 1);
    assert_int_equal(row_value(&rows, BOUGH_METRIC_MESSAGES, BOUGH_NO_ROW_INDEX), 1);
    bough_rows_fini(&rows);
    bough_traffic_destroy(t);
    bough_net *net = (bough_net *)r->net;
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* ---- by hand ---- */

/* 100 Gb/s, so that 1000 bytes take 80 ns. */
static const flow_options plain = {.unit = 1000, .rate = UINT64_C(100000000000)};

static void arrivals(const bough_routing *routing, const flow_options *o, listed *l, const uint64_t *want) {
    flow_engine *e;
    bough_error error;
    if (flow_make(routing, o, 0, &e, &error)) fail_msg("%s", error.reason);
    if (flow_run(e, &(flow_input){&l->base, bough_key_make(1, 0)}, &error)) fail_msg("%s", error.reason);
    assert_false(l->trouble);
    for (uint32_t i = 0; i < l->count; i++)
        if (l->told[i] != want[i] + 1)
            fail_msg("message %u arrived at %" PRIu64 " ps, not %" PRIu64, i, l->told[i] - 1, want[i]);
    flow_destroy(e);
}

static void put(listed *l, uint32_t i, uint64_t time, uint32_t from, uint32_t to, uint64_t size) {
    l->message[i] = (bough_message){time, size, from, to, i};
}

/* Two into one; the second comes when half of the first has left. */
static void test_two_flows_one_link(void **state) {
    (void)state;
    place p = place_make("xgft:down=4,up=1", "dmodk");
    listed l = listed_make(2);
    put(&l, 0, 0, 0, 3, 1000);
    put(&l, 1, 40 * US, 1, 3, 1000);
    arrivals(p.routing, &plain, &l, (const uint64_t[]){120 * US, 160 * US});
    listed_again(&l);
    put(&l, 1, 40 * US, 1, 2, 1000); /* elsewhere: no matter */
    arrivals(p.routing, &plain, &l, (const uint64_t[]){80 * US, 120 * US});
    listed_again(&l);
    put(&l, 1, 0, 0, 0, 1000); /* to itself: at once */
    arrivals(p.routing, &plain, &l, (const uint64_t[]){80 * US, 0});
    listed_fini(&l);
    place_free(&p);
}

/* A third of 100 Gb/s is no whole number of bits, and 10 bytes of it take 2400 ps all the same. */
static void test_thirds(void **state) {
    (void)state;
    place p = place_make("xgft:down=4,up=1", "dmodk");
    flow_options o = plain;
    o.unit = 10;
    listed l = listed_make(3);
    for (uint32_t i = 0; i < 3; i++) put(&l, i, 0, i, 3, 1);
    arrivals(p.routing, &o, &l, (const uint64_t[]){2400, 2400, 2400});
    listed_fini(&l);
    place_free(&p);
}

/* To the nearest ps: a byte at 3 Gb/s takes 2666.67 ps, two at a time 5333.33 ps. */
static void test_rounding(void **state) {
    (void)state;
    place p = place_make("xgft:down=4,up=1", "dmodk");
    flow_options o = {.unit = 1, .rate = UINT64_C(3000000000)};
    listed l = listed_make(3);
    put(&l, 0, 0, 0, 3, 1);
    put(&l, 1, 5000, 1, 3, 1);
    put(&l, 2, 5000, 2, 3, 1);
    arrivals(p.routing, &o, &l, (const uint64_t[]){2667, 10333, 10333});
    listed_fini(&l);
    place_free(&p);
}

static void test_delay_and_size_0(void **state) {
    (void)state;
    place p = place_make("kary:k=2,levels=2", "dmodk");
    flow_options o = plain;
    o.delay = 300;
    listed l = listed_make(3);
    put(&l, 0, 0, 0, 1, 1);
    put(&l, 1, 7, 2, 3, 0);
    put(&l, 2, 100000, 0, 3, 1);
    arrivals(p.routing, &o, &l, (const uint64_t[]){80600, 607, 100000 + 81200});
    listed_fini(&l);
    place_free(&p);
}

/* Around a ring of switches, clockwise: one flow over three cables, one over each. All start together: the
 * cables are halved; then the short ones of 1/2, 1 and 2 MB end at 80, 160 and 240 us, the long one of 4 MB
 * has 80 of 320 us left. */
static void test_parking_lot(void **state) {
    (void)state;
    bough_routing *r = ring_routing(5, 2);
    listed l = listed_make(4);
    put(&l, 0, 0, 0, 6, 4000);
    put(&l, 1, 0, 1, 3, 500);
    put(&l, 2, 0, 2, 4, 1000);
    put(&l, 3, 0, 5, 7, 1500);
    arrivals(r, &plain, &l, (const uint64_t[]){440 * US, 80 * US, 160 * US, 240 * US});
    listed_fini(&l);
    bough_net *net = (bough_net *)r->net;
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Three switches in a ring, each host two cables on: every cable has two flows. */
static void test_triangle(void **state) {
    (void)state;
    bough_routing *r = ring_routing(3, 1);
    listed l = listed_make(3);
    for (uint32_t i = 0; i < 3; i++) put(&l, i, 0, i, (i + 2) % 3, 1000 + 500 * i);
    /* 160 us: 0 is in; 2 goes on alone on its first cable, but shares the other with 1 until 240 us */
    arrivals(r, &plain, &l, (const uint64_t[]){160 * US, 240 * US, 280 * US});
    listed_fini(&l);
    bough_net *net = (bough_net *)r->net;
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* A tapered tree: 4 hosts a leaf, one cable up. */
static void test_taper(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=4x4,up=1x1", "dmodk", "shift:k=4");
    bough_rows rows = rows_of(&p, "flow:delay=0ps,hot=2,levels=1");
    static const struct {
        bough_metric_id metric;
        double value;
    } want[] = {
        {BOUGH_METRIC_COMPLETION_TIME, 320e-6},
        {BOUGH_METRIC_FCT, 320e-6},
        {BOUGH_METRIC_FCT_P50, 320e-6},
        {BOUGH_METRIC_FCT_P99, 320e-6},
        {BOUGH_METRIC_FCT_MAX, 320e-6},
        {BOUGH_METRIC_THROUGHPUT, 400},
        {BOUGH_METRIC_THROUGHPUT_ENDPOINT, 25},
        {BOUGH_METRIC_IDEAL_SHARE, 0.25},
        {BOUGH_METRIC_LINK_USE_MAX, 1},
        {BOUGH_METRIC_MESSAGES, 16},
        {BOUGH_METRIC_DISTANCE, 4},
    };
    for (size_t i = 0; i < COUNT(want); i++)
        assert_close(row_value(&rows, want[i].metric, BOUGH_NO_ROW_INDEX), want[i].value, 1e-12);
    assert_string_equal(rows.note, "links: 16 s1.0/5 -> s2.0/1, 17 s1.1/5 -> s2.0/2");
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_UP, 0), 0.25, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_UP, 1), 1, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_DOWN, 1), 1, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_HOT, 16), 1, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_HOT, 17), 1, 1e-12);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "flow:delay=0ps,host_rate=25Gb/s,ideal=0"); /* then nothing is lost */
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 320e-6, 1e-12);
    assert_false(row_given(&rows, BOUGH_METRIC_IDEAL_SHARE, BOUGH_NO_ROW_INDEX));
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Flows that start one after the other, each up where there are fewest. */
static void test_least(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=4x4,up=1x4", "least", "shift:k=4");
    bough_rows rows = rows_of(&p, "flow:delay=0ps");
    assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_MAX, BOUGH_NO_ROW_INDEX), 1, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_FCT_P50, BOUGH_NO_ROW_INDEX), 80e-6, 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Dead links carry nothing; where no other is left, the message is without a route. */
static void test_dead_links(void **state) {
    (void)state;
    static const char *const routings[] = {"random", "least", "first", "hash", "dmodk"};
    static const uint64_t one[] = {UINT64_C(1) << 17, 0},
                          all[] = {UINT64_C(15) << 16, 0}; /* leaf 0 goes up by 16..19 */
    for (size_t i = 0; i < COUNT(routings); i++) {
        bough_net *whole, *net;
        flow_engine *e;
        bough_source *source;
        bough_routing *routing;
        bough_traffic *traffic;
        bough_error error;
        assert_int_equal(bough_net_create("xgft:down=4x4,up=1x4", &whole, &error), BOUGH_OK);
        for (int cut = 0; cut < 2; cut++) {
            net = net_without(whole, (fault_bits){.dead = cut ? all : one});
            assert_int_equal(bough_routing_create(net, routings[i], &routing, &error), BOUGH_OK);
            assert_int_equal(bough_traffic_create(net, "shift:k=4", &traffic, &error), BOUGH_OK);
            assert_int_equal(flow_make(routing, &plain, 0, &e, &error), BOUGH_OK);
            assert_int_equal(bough_traffic_open(traffic, bough_key_make(1, 0), NULL, &source, &error),
                             BOUGH_OK);
            assert_int_equal(flow_run(e, &(flow_input){source, bough_key_make(1, 0)}, &error), BOUGH_OK);
            const flow_totals *t = flow_result(e);
            assert_int_equal(t->unrouted, cut ? 4 : 0);
            assert_int_equal(t->arrived, cut ? 12 : 16);
            assert_true(flow_carried(e, 17) == 0);
            assert_true(cut || flow_carried(e, 16) + flow_carried(e, 18) + flow_carried(e, 19) == 4 * 8e3);
            if (cut) {
                assert_int_equal(t->lost.id, 0);
                assert_int_equal(t->lost_end, FLOW_NO_ROUTE);
                assert_int_equal(t->lost_at, 16); /* the leaf */
            }
            source->close(source);
            flow_destroy(e);
            bough_traffic_destroy(traffic);
            bough_routing_destroy(routing);
            bough_net_destroy(net);
        }
        bough_net_destroy(whole);
    }
}

static void test_valiant_is_one_path(void **state) {
    (void)state;
    bough_point p = point_make("kary:k=4,levels=2", "valiant", "shift:k=1");
    bough_rows rows = rows_of(&p, "flow");
    assert_int_equal(row_value(&rows, BOUGH_METRIC_MESSAGES, BOUGH_NO_ROW_INDEX), 16);
    assert_true(row_value(&rows, BOUGH_METRIC_DISTANCE, BOUGH_NO_ROW_INDEX) > 4);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* ---- schedules ---- */

/* A chain: each message starts when the one before is in, so a ring of n steps takes n times as long. */
static void test_chain(void **state) {
    (void)state;
    place p = place_make("kary:k=4,levels=2", "dmodk");
    flow_options o = plain;
    uint64_t want[32];
    listed l = listed_make(32);
    o.delay = 1000;
    l.chained = true;
    l.ready = 1;
    for (uint32_t i = 0; i < 32; i++) {
        put(&l, i, 0, i % 16, (i + 5) % 16, 1);
        want[i] = 84000 * (uint64_t)(i + 1);
    }
    arrivals(p.routing, &o, &l, want);
    listed_fini(&l);
    place_free(&p);
}

/* Many at a time through few places: a schedule that outlives its first messages. */
static void test_waves(void **state) {
    (void)state;
    enum { WAVES = 50, HOSTS = 16 };
    place p = place_make("kary:k=4,levels=2", "dmodk");
    uint64_t want[WAVES * HOSTS];
    listed l = listed_make(WAVES * HOSTS);
    for (uint32_t w = 0; w < WAVES; w++)
        for (uint32_t h = 0; h < HOSTS; h++) {
            uint32_t i = w * HOSTS + h;
            put(&l, i, w * 100 * US, h, (h + 1 + w % (HOSTS - 1)) % HOSTS, 1000);
            want[i] = w * 100 * US + 80 * US; /* D-mod-K: one flow a link on every shift */
        }
    arrivals(p.routing, &plain, &l, want);
    listed_fini(&l);
    place_free(&p);
}

/* ---- what holds for all ---- */

/* Trials in any order, in a new workspace or a used one. */
static void test_trials_are_independent(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=4x4x2,up=1x2x2", "random", "randperm");
    bough_run *run = run_make(&p, "flow:hot=4,levels=1");
    void *space = NULL;
    bough_rows used = {0};
    bough_error error;
    for (uint64_t trial = 5; trial > 0; trial--) {
        assert_int_equal(bough_run_trial(run, bough_key_make(1, trial), &space, &used, &error), BOUGH_OK);
        bough_rows fresh = run_once(run, trial);
        assert_int_equal(used.count, fresh.count);
        for (size_t i = 0; i < used.count; i++) {
            assert_int_equal(used.row[i].metric, fresh.row[i].metric);
            assert_int_equal(used.row[i].index, fresh.row[i].index);
            assert_true(used.row[i].value == fresh.row[i].value);
        }
        bough_rows_fini(&fresh);
    }
    bough_rows_fini(&used);
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    point_free(&p);
}

/* Equal messages, all at once, over links of one rate: every flow gets at least a share of the fullest link,
 * and that link is at work to the end, so the last one ends when linkload says. */
static void test_static_load(void **state) {
    (void)state;
    static const char *const nets[] = {"kary:k=4,levels=3", "xgft:down=8x4,up=1x2",
                                       "xgft:down=4x4x2,up=1x2x1,links=1x1x2", "fattree:n=64", "bft:n=64"};
    static const char *const routings[] = {"dmodk", "hash"};
    for (size_t i = 0; i < COUNT(nets); i++)
        for (size_t k = 0; k < COUNT(routings); k++) {
            bough_point p = point_make(nets[i], routings[k], "randperm");
            bough_run *flow = run_make(&p, "flow:delay=0ps,ideal=0"),
                      *load = run_make(&p, "linkload:engine=generic");
            for (uint64_t trial = 0; trial < 10; trial++) {
                bough_rows a = run_once(flow, trial), b = run_once(load, trial);
                double most = row_value(&b, BOUGH_METRIC_LINK_LOAD_MAX, BOUGH_NO_ROW_INDEX);
                assert_close(row_value(&a, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 80e-6 * most,
                             1e-12);
                bough_rows_fini(&a);
                bough_rows_fini(&b);
            }
            bough_run_destroy(flow);
            bough_run_destroy(load);
            point_free(&p);
        }
}

/* One trial says all where neither messages nor paths are drawn. */
static void test_exact(void **state) {
    (void)state;
    static const struct {
        const char *routing, *traffic;
        bool exact;
    } is[] = {{"dmodk", "alltoall", true},
              {"hash", "shift", true},
              {"random", "shift", false},
              {"valiant", "shift", false},
              {"dmodk", "randperm", false}};
    for (size_t i = 0; i < COUNT(is); i++) {
        bough_point p = point_make("kary:k=2,levels=3", is[i].routing, is[i].traffic);
        bough_run *run = run_make(&p, "flow");
        assert_int_equal(bough_run_exact(run), is[i].exact);
        bough_run_destroy(run);
        point_free(&p);
    }
}

/* Every shift, and all of them at once, run at full speed under D-mod-K on a full tree. */
static void test_shifts_are_ideal(void **state) {
    (void)state;
    for (unsigned k = 1; k < 27; k++) {
        char shift[32];
        snprintf(shift, sizeof shift, "shift:k=%u", k);
        bough_point p = point_make("kary:k=3,levels=3", "dmodk", shift);
        bough_rows rows = rows_of(&p, "flow:delay=0ps");
        assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 80e-6, 1e-12);
        assert_close(row_value(&rows, BOUGH_METRIC_IDEAL_SHARE, BOUGH_NO_ROW_INDEX), 1, 1e-12);
        bough_rows_fini(&rows);
        point_free(&p);
    }
    bough_point p = point_make("kary:k=3,levels=3", "dmodk", "alltoall");
    bough_rows rows = rows_of(&p, "flow:delay=0ps");
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 26 * 80e-6, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_IDEAL_SHARE, BOUGH_NO_ROW_INDEX), 1, 1e-12);
    bough_rows_fini(&rows);
    point_free(&p);
}

typedef struct told {
    atomic_bool stop;
    unsigned times;
} told;

static void stop_when_told_again(void *context, double share) {
    told *t = context;
    (void)share;
    if (++t->times == 2) atomic_store(&t->stop, true);
}

/* Half of an all-to-all is 1 byte each, half 2: few instants, each with all flows. It stops after the second.
 */
static void test_few_heavy_instants_stop(void **state) {
    (void)state;
    enum { N = 256 };
    static char text[2 * N * N];
    char *end = text;
    for (unsigned i = 0; i < N * N; i++) {
        *end++ = (char)(i / N == i % N ? '0' : '1' + (i / N + i) % 2);
        *end++ = i % N + 1 < N ? ' ' : '\n';
    }
    char *spec = spec_of("matrix", temporary_file("heavy.mat", text, sizeof text));
    bough_point p = point_make("xgft:down=256,up=1", "dmodk", spec);
    bough_run *run = run_make(&p, "flow:ideal=0");
    told t = {.times = 0};
    void *workspace = NULL;
    bough_rows rows = {0};
    run->stop = &t.stop;
    run->progress = stop_when_told_again;
    run->progress_context = &t;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, NULL), BOUGH_INTERRUPTED);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
    free(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_rates_of_a_fabric),
        cmocka_unit_test(test_fast_links),
        cmocka_unit_test(test_no_route),
        cmocka_unit_test(test_two_flows_one_link),
        cmocka_unit_test(test_thirds),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_delay_and_size_0),
        cmocka_unit_test(test_parking_lot),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_taper),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_dead_links),
        cmocka_unit_test(test_valiant_is_one_path),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_trials_are_independent),
        cmocka_unit_test(test_static_load),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_shifts_are_ideal),
        cmocka_unit_test(test_few_heavy_instants_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
