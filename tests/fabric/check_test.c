/* bough_check_routing and bough_check_wiring: bad input, fabrics small enough to do by hand, odd fabrics. */
#include "base/text/text.h"
#include "support/checked.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- bad input ---- */

static void refused(const char *network, const char *routing, bough_status status, const char *reason) {
    bough_net *net = net_make(network);
    bough_routing *r = routing_make(net, routing);
    bough_check_options o = {.memory = &memory, .threads = 1};
    bough_check_result result;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_check_routing(r, &o, &result, &findings, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_null(result.load);
    assert_int_equal(findings.count, 0);
    routing_free(r);
}

static void what_has_no_fixed_shares_is_refused(void **state) {
    (void)state;
    refused("fattree:n=8", "least", BOUGH_UNSUPPORTED, "no simulation time");
    refused("fattree:n=8", "first", BOUGH_UNSUPPORTED, "no simulation time");
    refused("fattree:n=8", "valiant", BOUGH_UNSUPPORTED, "random nodes");
}

static void all_pairs_of_a_giant_are_refused_at_once(void **state) {
    (void)state;
    refused("fattree:n=2^40", "random", BOUGH_TOO_LARGE, "at most 65536");
    refused("kary:k=2,levels=17", "dmodk", BOUGH_TOO_LARGE, "131072 endpoints");
}

static void it_can_be_stopped(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=2,levels=14"); /* hours */
    bough_routing *routing = routing_make(net, "hash");
    atomic_bool stop = true;
    bough_check_options o = {.memory = &memory, .threads = 2, .stop = &stop};
    bough_check_result result;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_check_routing(routing, &o, &result, &findings, &error), BOUGH_INTERRUPTED);
    assert_null(result.load);
    assert_null(result.shift);
    routing_free(routing);
}

typedef struct told {
    double first, last;
    unsigned calls;
} told;

static void note_share(void *context, double share) {
    told *t = context;
    if (!t->calls++) t->first = share;
    assert_true(share > t->last && share <= 1);
    t->last = share;
}

/* Long before the first of 32 parts is done, and also while random permutations are drawn. */
static void progress_is_fine(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("kary:k=8,levels=2"), "hash");
    told t = {0};
    bough_check_options o = {
        .memory = &memory, .threads = 1, .permutations = 64, .progress = note_share, .progress_context = &t};
    bough_check_result result;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_check_routing(routing, &o, &result, &findings, &error), BOUGH_OK);
    assert_true(t.first < 0.01); /* 64 of 64 x 63 + 64 x 64 flows */
    assert_int_equal(t.calls, 63 + 64);
    assert_same(t.last, 1);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    routing_free(routing);
}

/* ---- by hand ---- */

/* Two leaves with two hosts each, one spine, one cable to it from each leaf. */
static const char *const narrow[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "H1 lid 11", "H2 lid 12",
                                     "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
                                     "H4:1 S2:2", "S1:3 S3:1", "S2:3 S3:2", NULL};
#define NARROW_S1 "S1 11>1 12>2 13>3 14>3"
#define NARROW_S2 "S2 11>3 12>3 13>1 14>2"
#define NARROW_S3 "S3 11>1 12>1 13>2 14>2"
static const char *const narrow_tables[] = {NARROW_S1, NARROW_S2, NARROW_S3, NULL};

static void two_leaves_and_a_spine(void **state) {
    (void)state;
    bough_routing *routing = fabric_routing(narrow, narrow_tables);
    const bough_net *net = routing->net;
    checked c = checked_make(routing, 0, 1);
    assert_int_equal(c.r.endpoints, 4);
    assert_int_equal(c.r.pairs, 12);
    assert_int_equal(c.r.routed, 12);
    assert_int_equal(c.r.hops[1], 4);
    assert_int_equal(c.r.hops[3], 8);
    assert_false(c.r.expected);
    /* all-to-all: 2 x 2 flows up each uplink and down again; an own link carries 3 */
    assert_same(c.r.alltoall_max, 4);
    assert_same(c.r.alltoall_share, 0.75);
    assert_same(c.r.load[bough_net_link_at(net, 4, 3)], 4);
    assert_same(c.r.load[bough_net_link_at(net, 4, 1)], 3);
    assert_same(c.r.load[bough_net_link_at(net, 0, 1)], 3);
    /* shift 1: H2 to H3 and H4 to H1 cross; shift 2: everyone does */
    assert_same(c.r.shift[1], 1);
    assert_same(c.r.shift[2], 2);
    assert_same(c.r.shift[3], 1);
    assert_same(c.r.shift_max, 2);
    assert_int_equal(c.r.shift_worst_k, 2);
    assert_same(c.r.shift_mean, 4.0 / 3);
    assert_same(c.r.shift_share_mean, 3.0 / (1 + 2 + 1)); /* the time of the ideal over the mean time */
    assert_same(c.r.shift_share_min, 0.5);
    assert_int_equal(c.r.unused_links, 0);
    assert_int_equal(c.r.random.count, 0);
    assert_int_equal(c.findings.count, 0);
    checked_free(&c);
    routing_free(routing);
}

static void rates_count(void **state) {
    (void)state;
    /* As narrow, but H1 at 8 Gb/s (4xSDR), H2 .. H4 at 16 (DDR), uplinks at 32 (QDR). */
    static const char *const lines[] = {"S1 lid 1",        "S2 lid 2",
                                        "S3 lid 3",        "H1 lid 11",
                                        "H2 lid 12",       "H3 lid 13",
                                        "H4 lid 14",       "H1:1 S1:1 4xSDR",
                                        "H2:1 S1:2 4xDDR", "H3:1 S2:1 4xDDR",
                                        "H4:1 S2:2 4xDDR", "S1:3 S3:1",
                                        "S2:3 S3:2",       NULL};
    bough_routing *routing = fabric_routing(lines, narrow_tables);
    checked c = checked_make(routing, 40, 1);
    assert_same(c.r.alltoall_max, 4);
    /* The ideal is DDR, the commonest rate: 3 flows at 16 Gb/s. 3 at 8 Gb/s take twice as long, 4 at 32 less.
     * With DDR for H1 too nothing but the hosts limits. */
    assert_same(c.r.alltoall_share, 0.5);
    assert_same(c.r.alltoall_score, 0.5);
    assert_same(c.r.alltoall_repaired, 1);
    assert_int_equal(c.r.alltoall_link, bough_net_link_at(routing->net, 4, 3));
    assert_int_equal(c.r.alltoall_limit, bough_net_link_at(routing->net, 0, 1));
    assert_same(c.r.shift_max, 2);
    assert_same(c.r.shift_share_min, 0.5);
    assert_same(c.r.shift_time, 2);
    double sum = 0;
    int count = 0; /* 2, or 1 where H1 sends to itself; 0: nothing is sent */
    for (int i = 0; i < 40; i++) sum += c.r.random_time[i], count += c.r.random_time[i] > 0;
    assert_same(c.r.random_share, count / sum);
    assert_true(c.r.random_share > 0.5 && c.r.random_share < 1);
    checked_free(&c);
    routing_free(routing);
}

static void without_rates_there_are_no_shares(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *routing = routing_make(net, "dmodk");
    checked c = checked_make(routing, 5, 1);
    assert_true(isnan(c.r.alltoall_share) && isnan(c.r.shift_share_mean) && isnan(c.r.shift_share_min));
    assert_int_equal(c.r.random.count, 5);
    assert_true(isnan(c.r.random_share));
    assert_same(c.r.alltoall_score, 1); /* as if all were equally fast */
    assert_same(c.r.shift_score, 1);
    checked_free(&c);
    routing_free(routing);
}

static void one_endpoint_has_nothing_to_route(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("kary:k=1,levels=1"), NULL);
    checked c = checked_make(routing, 3, 2);
    assert_int_equal(c.r.pairs, 0);
    assert_int_equal(c.r.routed, 0);
    assert_same(c.r.shift_mean, 0);
    assert_int_equal(c.r.shift_worst_k, 0);
    assert_true(isnan(c.r.shift_share_min));
    assert_int_equal(c.r.unused_links, 2);
    checked_free(&c);
    routing_free(routing);
}

/* Every permutation on one switch gives each link one flow. */
static void random_permutations_on_one_switch(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("kary:k=20,levels=1"), NULL);
    checked c = checked_make(routing, 30, 1);
    assert_int_equal(c.r.random.count, 30);
    assert_same(c.r.random.min, 1);
    assert_same(c.r.random.max, 1);
    assert_same(c.r.alltoall_max, 19);
    assert_same(c.r.shift_max, 1);
    checked_free(&c);
    routing_free(routing);
}

/* A random pick halves flows; the first of equally full shifts is named although 1/3 + 1/3 + 1/3 need not
 * be 1. */
static void a_random_pick_gives_shares(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("xgft:down=3x3,up=1x3"), "random");
    checked c = checked_make(routing, 0, 1);
    assert_true(c.r.expected);
    assert_same(c.r.alltoall_max, 8);
    for (int k = 1; k < 9; k++) assert_same(c.r.shift[k], 1);
    assert_int_equal(c.r.shift_worst_k, 1);
    checked_free(&c);
    routing_free(routing);
    routing = routing_make(net_make("xgft:down=4x2,up=1x2"), "random"); /* tapered 2:1 */
    c = checked_make(routing, 0, 1);
    assert_same(c.r.alltoall_max, 8); /* 4 x 4 flows over two links, and over an own link 7 */
    assert_same(c.r.shift[4], 2);
    assert_same(c.r.shift[1], 1);
    assert_int_equal(c.r.shift_worst_k, 4);
    checked_free(&c);
    routing_free(routing);
}

/* ---- odd fabrics ---- */

static checked check_tables(const char *const *fabric, const char *const *tables) {
    bough_routing *routing = fabric_routing(fabric, tables);
    checked c = checked_make(routing, 3, 1);
    routing_free(routing);
    return c;
}

static void says(const checked *c, const char *kind, size_t count, const char *text) {
    assert_int_equal(count_findings(&c->findings, kind), count);
    const bough_finding *f = find_finding(&c->findings, kind);
    if (count && !strstr(f->text, text)) fail_msg("'%s' does not say '%s'", f->text, text);
}

static void a_loop_loads_nothing(void **state) {
    (void)state;
    static const char *const tables[] = {NARROW_S1, NARROW_S2, "S3 11>1 12>1 13>1 14>2",
                                         NULL}; /* 13 goes back to S1 */
    checked c = check_tables(narrow, tables);
    assert_int_equal(c.r.routed, 10);
    assert_int_equal(c.r.loops, 2);                         /* H1 and H2 to H3 */
    says(&c, "loop", 1 + 1, "2 of 12 pairs run in a loop"); /* and an example for the place */
    says(&c, "no-route", 0, "");
    assert_same(c.r.alltoall_max, 4); /* from S2 up, as before */
    checked_free(&c);
}

static void a_ring_of_dependencies_is_an_error_of_tables(void **state) {
    (void)state;
    static const char *const ring[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "H1 lid 11", "H2 lid 12",
                                       "H3 lid 13", "H1:1 S1:1", "H2:1 S2:1", "H3:1 S3:1", "S1:2 S2:3",
                                       "S2:2 S3:3", "S3:2 S1:3", NULL};
    static const char *const clockwise[] = {"S1 11>1 12>2 13>2", "S2 11>2 12>1 13>2", "S3 11>2 12>2 13>1",
                                            NULL};
    static const char *const direct[] = {"S1 11>1 12>2 13>3", "S2 11>3 12>1 13>2", "S3 11>2 12>3 13>1", NULL};
    checked c = check_tables(ring, clockwise);
    assert_int_equal(c.r.routed, 6);
    says(&c, "deadlock", 1,
         "a ring of 3 links, unless virtual lanes keep them apart: S1/2 -> S2/3 waits for ");
    assert_int_equal(find_finding(&c.findings, "deadlock")->severity, BOUGH_ERROR);
    assert_string_equal(find_finding(&c.findings, "deadlock")->where, "S1/2 -> S2/3");
    checked_free(&c);
    c = check_tables(ring, direct);
    says(&c, "deadlock", 0, "");
    checked_free(&c);
}

/* Minimal ways round a ring of five wait for each other; nobody's tables do so yet. */
static void a_ring_of_another_routing_is_a_warning(void **state) {
    (void)state;
    static const char *const ring[] = {
        "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",  "H1 lid 11", "H2 lid 12",
        "H3 lid 13", "H4 lid 14", "H5 lid 15", "H1:1 S1:1", "H2:1 S2:1", "H3:1 S3:1", "H4:1 S4:1",
        "H5:1 S5:1", "S1:2 S2:3", "S2:2 S3:3", "S3:2 S4:3", "S4:2 S5:3", "S5:2 S1:3", NULL};
    bough_routing *routing = routing_make(fabric_net(ring, NULL), "random");
    checked c = checked_make(routing, 0, 1);
    says(&c, "deadlock", 1, "a ring of 5 links");
    assert_int_equal(find_finding(&c.findings, "deadlock")->severity, BOUGH_WARN);
    checked_free(&c);
    routing_free(routing);
}

static void a_wrong_adapter(void **state) {
    (void)state;
    static const char *const tables[] = {"S1 11>1 12>1 13>3 14>3", NARROW_S2, NARROW_S3,
                                         NULL}; /* H2's LID to H1 */
    checked c = check_tables(narrow, tables);
    assert_int_equal(c.r.routed, 9);
    assert_int_equal(c.r.wrong_adapter, 3); /* everyone to H2, H1 too: its switch sends it back */
    says(&c, "wrong-adapter", 2, "3 of 12 pairs end at another adapter");
    checked_free(&c);
}

static void a_missing_table(void **state) {
    (void)state;
    static const char *const tables[] = {NARROW_S1, NARROW_S2, NULL};
    checked c = check_tables(narrow, tables);
    assert_int_equal(c.r.routed, 4);
    assert_int_equal(c.r.no_entry, 8);
    says(&c, "no-route", 1 + 1, "8 of 12 pairs have no route");
    assert_int_equal(c.r.hops[1], 4);
    assert_same(c.r.alltoall_max, 1);
    assert_same(c.r.alltoall_share, 1); /* of what does arrive */
    assert_int_equal(c.r.unused_links, 4);
    says(&c, "unused-links", 1 + 4, "4 of 12 directed links");
    checked_free(&c);
}

/* Examples of each kind are shown, however many there are of another. */
static void every_kind_has_its_examples(void **state) {
    (void)state;
    static const char *const tables[] = {"S1 11>1 12>1 14>3", NARROW_S2, "S3 11>1 12>1 13>2 14>1", NULL};
    checked c = check_tables(narrow, tables);
    assert_int_equal(c.r.no_entry, 2);      /* H1, H2 to H3 */
    assert_int_equal(c.r.wrong_adapter, 3); /* all to H2 */
    assert_int_equal(c.r.loops, 2);         /* H1, H2 to H4 */
    says(&c, "no-route", 2, "2 of 12");
    says(&c, "wrong-adapter", 2, "3 of 12");
    says(&c, "loop", 2, "2 of 12");
    checked_free(&c);
}

/* H3 answers to LIDs 16 .. 19; the tables of S1 know only the first. */
static void all_lids_of_a_port_count(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H3 lid 16 lmc 2",
                                        "H1:1 S1:1", "H3:1 S2:1", "S1:3 S2:3", NULL};
    static const char *const known[] = {"S1 11>1 16>3 17>3 18>3 19>3", "S2 11>3 16>1 17>1 18>1 19>1", NULL};
    static const char *const cut[] = {"S1 11>1 16>3", "S2 11>3 16>1 17>1 18>1 19>1", NULL};
    checked c = check_tables(lines, known);
    assert_int_equal(c.r.pairs, 2);
    assert_int_equal(c.r.routed, 2);
    assert_same(c.r.alltoall_max, 1); /* the first LID carries the flow */
    checked_free(&c);
    c = check_tables(lines, cut);
    assert_int_equal(c.r.routed, 1);
    assert_int_equal(c.r.no_entry, 1);
    says(&c, "no-route", 2, "1 of 2");
    assert_non_null(strstr(c.findings.item[1].text, "LID 17"));
    checked_free(&c);
}

/* Two islands: nothing crosses, nothing is loaded, and the share is that of what can be done. */
static void islands(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12",
                                        "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2",
                                        "H3:1 S2:1", "H4:1 S2:2", NULL};
    bough_routing *routing = routing_make(fabric_net(lines, NULL), "random");
    checked c = checked_make(routing, 0, 1);
    assert_int_equal(c.r.routed, 4);
    assert_int_equal(c.r.no_entry, 8);
    assert_same(c.r.alltoall_max, 1);
    assert_same(c.r.alltoall_share, 1);
    assert_same(c.r.shift[2], 0);
    assert_same(c.r.shift_share_min, 1);
    checked_free(&c);
    routing_free(routing);
}

/* ---- the wiring ---- */

static bough_findings wiring_of(const bough_net *net) {
    bough_findings findings = {0};
    bough_error error;
    if (bough_check_wiring(net, &findings, &error)) fail_msg("%s", error.reason);
    return findings;
}

static void wiring_says(const char *const *lines, const char *kind, bough_severity severity,
                        const char *where, const char *text) {
    bough_net *net = fabric_net(lines, NULL);
    bough_findings findings = wiring_of(net);
    const bough_finding *f = find_finding(&findings, kind);
    if (!f) fail_msg("no finding %s", kind);
    assert_int_equal(f->severity, severity);
    assert_string_equal(f->where, where);
    if (!strstr(f->text, text)) fail_msg("'%s' does not say '%s'", f->text, text);
    bough_findings_fini(&findings);
    bough_net_destroy(net);
}

static void regular_wiring_is_nothing_to_speak_of(void **state) {
    (void)state;
    static const char *const specs[] = {"fattree:n=16", "kary:k=3,levels=3",
                                        "xgft:down=4x4x4,up=1x2x4,links=1x2x1",
                                        "xgft:down=4x6,up=1x4,links=1x3", "clos:radix=8,hosts=64,taper=3"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_findings findings = wiring_of(net);
        if (findings.count) fail_msg("%s: %s", specs[i], findings.item[0].text);
        bough_net_destroy(net);
    }
}

/* Far more cables than others are told like a few more. */
static void seventy_cables_where_others_have_one(void **state) {
    (void)state;
    bough_text text = {0};
    bough_fabric fabric;
    bough_net *net;
    bough_error error;
    bough_text_put(&text, "node,port,node,port,rate\n");
    for (unsigned l = 0; l < 3; l++)
        bough_text_printf(&text, "h%u,1,leaf%u,1,100Gb/s\nleaf%u,2,top,%u,100Gb/s\n", l, l, l, 1 + l);
    for (unsigned c = 0; c < 69; c++) bough_text_printf(&text, "leaf2,%u,top,%u,100Gb/s\n", 3 + c, 4 + c);
    assert_int_equal(bough_fabric_parse("made", text.data, text.length, &fabric, &error), BOUGH_OK);
    assert_int_equal(bough_net_from_fabric(&fabric, NULL, "ibnet:file=made", &net, &error), BOUGH_OK);
    bough_findings findings = wiring_of(net);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.item[0].where, "leaf2 - top");
    assert_string_equal(findings.item[0].text,
                        "70 cables between these switches, other pairs like them have 1");
    bough_net_destroy(net);
    bough_findings_fini(&findings);
    bough_fabric_fini(&fabric);
    bough_text_fini(&text);
}

/* What is a finding of the file is no finding of the wiring. */
static void a_cable_to_itself_is_said_once(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "H1 lid 2",  "H2 lid 3", "H1:1 S1:1",
                                        "H2:1 S1:2", "S1:7 S1:8", NULL};
    bough_net *net = fabric_net(lines, NULL);
    bough_findings findings = wiring_of(net);
    assert_null(find_finding(&findings, "not-a-tree"));
    bough_findings_fini(&findings);
    bough_net_destroy(net);
}

/* Three leaves S1 .. S3, two spines S8 and S9, two cables each. */
#define TREE                                                                                                 \
    "S1 lid 1", "S2 lid 2", "S3 lid 3", "S8 lid 8", "S9 lid 9", "H1 lid 11", "H2 lid 12", "H3 lid 13",       \
        "H1:1 S1:1", "H2:1 S2:1", "H3:1 S3:1", "S1:5 S8:1", "S1:6 S8:2", "S2:5 S8:3", "S2:6 S8:4",           \
        "S3:5 S8:5", "S3:6 S8:6", "S1:7 S9:1", "S1:8 S9:2", "S2:7 S9:3", "S2:8 S9:4"

static void wiring_oddities(void **state) {
    (void)state;
    static const char *const cut[] = {TREE, "S3:7 S9:5", NULL};
    static const char *const lost[] = {TREE, NULL};
    static const char *const joined[] = {TREE, "S3:7 S9:5", "S3:8 S9:6", "S1:20 S2:20", NULL};
    static const char *const high[] = {TREE, "S3:7 S9:5", "S3:8 S9:6", "H9 lid 19", "H9:1 S9:30", NULL};
    static const char *const slow[] = {TREE, "S3:7 S9:5", "S3:8 S9:6 4xSDR", NULL};
    wiring_says(cut, "missing-cable", BOUGH_WARN, "S3/8 - S9/6",
                "1 cable between these switches, other pairs like them have 2; the ports are free, and");
    wiring_says(lost, "missing-cable", BOUGH_WARN, "S3 - S9",
                "no cable between these switches, other pairs like them have 2");
    wiring_says(joined, "not-a-tree", BOUGH_WARN, "S1/20 -> S2/20", "1 cable joins switches of one level");
    wiring_says(high, "endpoints-above-leaves", BOUGH_WARN, "S9",
                "has 1 endpoint, and is of level 2 of the tree");
    wiring_says(slow, "mixed-rates", BOUGH_INFO, "made", "from 8 to 32 Gb/s");
    wiring_says(slow, "slow-cable", BOUGH_WARN, "S3/8 -> S9/6",
                "runs at 8 Gb/s, most cables of its level at 32 Gb/s");
}

static void unknown_rates_are_said(void **state) {
    (void)state;
    char *path = data_path("fabrics/monch.orcs.dot");
    if (!path) skip();
    char *spec = spec_of("ibnet", path);
    bough_net *net = net_make(spec);
    bough_findings findings = wiring_of(net);
    const bough_finding *f = find_finding(&findings, "unknown-rates");
    assert_non_null(f);
    assert_non_null(strstr(f->text, "806 of 806 cables"));
    bough_findings_fini(&findings);
    bough_net_destroy(net);
    free(spec);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_fixed_shares_is_refused),
        cmocka_unit_test(all_pairs_of_a_giant_are_refused_at_once),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(two_leaves_and_a_spine),
        cmocka_unit_test(progress_is_fine),
        cmocka_unit_test(rates_count),
        cmocka_unit_test(without_rates_there_are_no_shares),
        cmocka_unit_test(one_endpoint_has_nothing_to_route),
        cmocka_unit_test(random_permutations_on_one_switch),
        cmocka_unit_test(a_random_pick_gives_shares),
        cmocka_unit_test(a_loop_loads_nothing),
        cmocka_unit_test(a_ring_of_dependencies_is_an_error_of_tables),
        cmocka_unit_test(a_ring_of_another_routing_is_a_warning),
        cmocka_unit_test(a_wrong_adapter),
        cmocka_unit_test(a_missing_table),
        cmocka_unit_test(every_kind_has_its_examples),
        cmocka_unit_test(all_lids_of_a_port_count),
        cmocka_unit_test(islands),
        cmocka_unit_test(regular_wiring_is_nothing_to_speak_of),
        cmocka_unit_test(seventy_cables_where_others_have_one),
        cmocka_unit_test(a_cable_to_itself_is_said_once),
        cmocka_unit_test(wiring_oddities),
        cmocka_unit_test(unknown_rates_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
