/* Single failures: bad input, cases by hand, then agreement with an oracle that computes everything anew. */
#include "fabric/failures/failures.h"
#include "network/faults/faults.h"

#include "support/fabrics.h"
#include "support/failure_oracle.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of all lists and curves */

static int free_memory(void **state) {
    (void)state;
    arena_fini(&memory);
    return 0;
}

static const bough_failures_options one = {.threads = 1, .memory = &memory};

static bough_failures *prepare(const bough_routing *routing) {
    bough_failures *f;
    bough_error error;
    if (bough_failures_create(routing, &one, &f, &error)) fail_msg("%s: %s", routing->spec, error.reason);
    return f;
}

static bough_failure_list each(bough_failures *f, const char *spec, unsigned threads) {
    bough_failure_list list;
    bough_error error;
    bough_failures_options o = {.threads = threads, .memory = &memory};
    if (bough_failures_each(f, spec, &o, &list, &error)) fail_msg("%s: %s", spec, error.reason);
    return list;
}

/* ---- bad input ---- */

static void refused(const char *network, const char *routing, bough_status status, const char *reason) {
    bough_net *net = net_make(network);
    bough_routing *r = routing_make(net, routing);
    bough_failures *f;
    bough_error error;
    assert_int_equal(bough_failures_create(r, &one, &f, &error), status);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_null(f);
    routing_free(r);
}

static void routings_without_tables_are_refused(void **state) {
    (void)state;
    refused("xgft:down=2x2,up=1x2", "hash", BOUGH_UNSUPPORTED, "an entry for each switch and address");
    refused("xgft:down=2x2,up=1x2", "smodk", BOUGH_UNSUPPORTED, "dmodk");
    refused("xgft:down=2x2,up=1x2", "least", BOUGH_UNSUPPORTED, "has none");
    refused("xgft:down=2x2,up=1x2", "valiant", BOUGH_UNSUPPORTED, "has none");
    refused("kary:k=2,levels=17", "dmodk", BOUGH_TOO_LARGE, "at most 65535");
    refused("kary:k=2,levels=15", "dmodk", BOUGH_TOO_LARGE, "the check of failures"); /* 162 GiB */
}

static void refused_spec(bough_failures *f, const char *spec, const char *reason) {
    bough_failure_list list;
    bough_error error;
    assert_int_equal(bough_failures_each(f, spec, &one, &list, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_null(list.item);
}

static void refused_curve(bough_failures *f, const char *spec, double share, const char *reason) {
    bough_degradation curve;
    bough_error error;
    assert_int_equal(
        bough_failures_degrade(f, &(bough_degradation_ask){spec, &share, 1, 2}, &one, &curve, &error),
        BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_null(curve.step);
}

static void wrong_specs_are_refused(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x2");
    bough_routing *r = routing_make(net, "dmodk");
    bough_failures *f = prepare(r);
    refused_spec(f, "each", "what");
    refused_spec(f, "each:host", "what=host");
    refused_spec(f, "each:cable,of=root", "of=root");
    refused_spec(f, "each:cable,levle=1", "did you mean 'level'");
    refused_spec(f, "each:cable,level=7", "has no such cable");
    refused_spec(f, "each:switch,level=1,of=spine", "has no such switch");
    refused_curve(f, "links:share=1%", 0.1, "takes no other share");
    refused_curve(f, "links:count=1", 0.1, "takes no other count");
    refused_curve(f, "links+chips", 0.1, "one kind of fault");
    refused_curve(f, "lniks", 0.1, "did you mean 'links'");
    refused_curve(f, "links:key=-1", 0.1, "out of range");
    refused_curve(f, "links", 1, "removes all");
    assert_true(bough_failures_is_each("each:cable"));
    assert_true(bough_failures_is_each("each"));
    assert_false(bough_failures_is_each("eacher:cable"));
    bough_failures_destroy(f);
    bough_failures_destroy(NULL);
    routing_free(r);
}

static void it_can_be_stopped(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x2");
    bough_routing *r = routing_make(net, "dmodk");
    bough_failures *f = prepare(r), *none;
    bough_failure_list list;
    bough_degradation curve;
    bough_error error;
    atomic_bool stop = true;
    double share = 0.1;
    bough_failures_options o = {.threads = 2, .stop = &stop, .memory = &memory};
    assert_int_equal(bough_failures_create(r, &o, &none, &error), BOUGH_INTERRUPTED);
    assert_int_equal(bough_failures_each(f, "each:cable", &o, &list, &error), BOUGH_INTERRUPTED);
    assert_int_equal(
        bough_failures_degrade(f, &(bough_degradation_ask){"links", &share, 1, 9}, &o, &curve, &error),
        BOUGH_INTERRUPTED);
    bough_failures_destroy(f);
    routing_free(r);
}

/* ---- by hand ---- */

/* Two leaves with two hosts each and two spines; the second spine carries H1 and H3 only. */
static const char *const pair_of_spines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                             "H2 lid 12", "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2",
                                             "H3:1 S2:1", "H4:1 S2:2", "S1:3 S3:1", "S2:3 S3:2", "S1:4 S4:1",
                                             "S2:4 S4:2", NULL};
static const char *const spine_tables[] = {"S1 11>1 12>2 13>4 14>3", "S2 11>4 12>3 13>1 14>2",
                                           "S3 11>1 12>1 13>2 14>2", "S4 11>1 12>1 13>2 14>2", NULL};

static void a_spine_takes_over(void **state) {
    (void)state;
    bough_routing *r = fabric_routing(pair_of_spines, spine_tables);
    bough_failures *f = prepare(r);
    const bough_failure_load *whole = bough_failures_whole(f);
    assert_false(bough_failures_made(f));
    assert_int_equal(whole->pairs, 12);
    assert_int_equal(whole->alltoall_max, 3); /* own links; 2 flows to each of two hosts' uplinks */
    assert_same(whole->alltoall_mean, 2);     /* 8 flows over 2 of 8 links each */
    assert_int_equal(whole->shift_max, 1);
    assert_same(whole->shift_mean, 1);
    /* One cable: 2 flows up and 2 down; then the other spine has 4 each way. */
    bough_failure_list list = each(f, "each:cable", 1);
    assert_string_equal(list.what, "cable");
    assert_int_equal(list.count, 4);
    assert_int_equal(list.idle, 0);
    assert_int_equal(list.harmless, 0);
    assert_int_equal(list.item[0].alike, 4);
    for (size_t i = 0; i < 4; i++) {
        const bough_failure *x = &list.item[i];
        assert_int_equal(x->node, BOUGH_NONE);
        assert_int_equal(x->lost, 4);
        assert_int_equal(x->cut, 0);
        assert_int_equal(x->gone, 0);
        assert_int_equal(x->as_is.pairs, 8);
        assert_int_equal(x->as_is.alltoall_max, 3); /* H1 still hears from everybody */
        assert_int_equal(x->rerouted.pairs, 12);
        assert_int_equal(x->rerouted.alltoall_max, 4);
        assert_same(x->rerouted.slowdown, 4 / 3.0); /* the whole fabric takes what hosts' links take: 3 */
        assert_true(whole->hosts_limit && !x->rerouted.hosts_limit);
        assert_int_equal(x->rerouted.shift_max, 2);
        assert_same(x->rerouted.shift_mean, (1 + 2 + 1) / 3.0);
        assert_same(x->rerouted.alltoall_mean, 16 / 6.0);
    }
    /* A leaf: all pairs of its two hosts. */
    list = each(f, "each:switch", 1);
    assert_int_equal(list.count, 4);
    const bough_failure *leaf = &list.item[0], *spine = &list.item[2];
    assert_int_equal(leaf->cut, 10); /* hosts that go with their leaf are worse than a slow fabric */
    assert_int_equal(leaf->alike, 2);
    assert_true(isnan(leaf->rerouted.slowdown) && isnan(leaf->as_is.slowdown)); /* less is sent */
    assert_null(bough_failure_fastest(&list));
    assert_int_equal(spine->cut, 0);
    assert_same(spine->rerouted.slowdown, 4 / 3.0);
    list = each(f, "each:switch,of=leaf", 1);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.item[0].lost, 10);
    assert_int_equal(list.item[0].cut, 10);
    assert_int_equal(list.item[0].own, 10);
    assert_int_equal(list.item[0].gone, 2);
    assert_int_equal(list.item[0].rerouted.pairs, 2);
    /* A host's cable. */
    list = each(f, "each:cable,level=0", 1);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.item[3].cut, 6);
    assert_int_equal(list.item[3].gone, 1);
    bough_failures_destroy(f);
    routing_free(r);
}

static void an_unused_cable_is_harmless(void **state) {
    (void)state;
    static const char *const all_on_one[] = {"S1 11>1 12>2 13>3 14>3", "S2 11>3 12>3 13>1 14>2",
                                             "S3 11>1 12>1 13>2 14>2", NULL};
    bough_routing *r = fabric_routing(pair_of_spines, all_on_one);
    bough_failures *f = prepare(r);
    bough_failure_list list = each(f, "each:cable", 1);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.idle, 2);
    assert_int_equal(list.harmless, 4); /* the other two have all load moved to the idle spine: as full */
    assert_int_equal(list.item[0].lost, 8);
    assert_int_equal(list.item[3].lost, 0);
    bough_failures_destroy(f);
    routing_free(r);
}

static void a_single_cable_cuts(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12",
                                        "H1:1 S1:1", "H2:1 S2:1", "S1:3 S2:3", NULL};
    static const char *const tables[] = {"S1 11>1 12>3", "S2 11>3 12>1", NULL};
    bough_routing *r = fabric_routing(lines, tables);
    bough_failures *f = prepare(r);
    bough_failure_list list = each(f, "each:cable", 1);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.item[0].cut, 2);
    assert_int_equal(list.item[0].own, 0);
    assert_int_equal(list.item[0].gone, 2);
    bough_failures_destroy(f);
    routing_free(r);
}

/* ---- agreement ---- */

static void same_load(const bough_failure_load *a, const bough_failure_load *b, const char *what) {
    bool equal = a->pairs == b->pairs && a->alltoall_max == b->alltoall_max && a->shift_max == b->shift_max &&
                 a->hosts_limit == b->hosts_limit && fabs(a->alltoall_mean - b->alltoall_mean) < 1e-9 &&
                 (isnan(a->slowdown) ? isnan(b->slowdown) : fabs(a->slowdown - b->slowdown) < 1e-9) &&
                 fabs(a->shift_mean - b->shift_mean) < 1e-9;
    if (!equal)
        fail_msg("%s: pairs %lu %lu, all-to-all %lu %lu, mean %g %g, slowdown %g %g, shift %lu %lu, %g %g",
                 what, (unsigned long)a->pairs, (unsigned long)b->pairs, (unsigned long)a->alltoall_max,
                 (unsigned long)b->alltoall_max, a->alltoall_mean, b->alltoall_mean, a->slowdown, b->slowdown,
                 (unsigned long)a->shift_max, (unsigned long)b->shift_max, a->shift_mean, b->shift_mean);
}

static void same(const bough_failure *have, const bough_failure *want, const char *what) {
    if (have->lost != want->lost || have->cut != want->cut || have->gone != want->gone)
        fail_msg("%s: lost %lu %lu, cut %lu %lu, gone %lu %lu", what, (unsigned long)have->lost,
                 (unsigned long)want->lost, (unsigned long)have->cut, (unsigned long)want->cut,
                 (unsigned long)have->gone, (unsigned long)want->gone);
    same_load(&have->as_is, &want->as_is, what);
    same_load(&have->rerouted, &want->rerouted, what);
}

/* The links that die with what a failure names. */
static void kill_links(const bough_net *net, const bough_failure *r, uint64_t *dead) {
    memset(dead, 0, (net->links + 63) / 64 * sizeof *dead);
    for (uint64_t l = 0; l < net->links; l++) {
        bool dies = l == r->link ||
                    (r->link != BOUGH_NONE && net->ops->link_twin && net->ops->link_twin(net, r->link) == l);
        dies |= bough_link_start(net, l) == r->node || net->ops->link_end(net, l).node == r->node;
        if (dies) dead[l / 64] |= UINT64_C(1) << l % 64;
    }
}

/* The routing on the network without the part, which is named. All links have one rate. */
static void expect_anew(const bough_routing *routing, const bough_failure *r, const bough_failure_load *whole,
                        bough_failure *want) {
    char name[300], spec[400];
    bough_net *left;
    bough_error error;
    if (r->link == BOUGH_NONE)
        bough_node_name(routing->net, r->node, name, sizeof name);
    else
        bough_link_name(routing->net, r->link, name, sizeof name);
    char *end = strchr(name, ' '); /* one end names a cable */
    if (end) *end = 0;
    snprintf(spec, sizeof spec, "name:name=%s,mode=rerouted", name);
    if (bough_net_with_faults(routing->net, spec, &left, &error)) fail_msg("%s: %s", spec, error.reason);
    bough_routing *anew = routing_make(left, routing->spec);
    const uint64_t before = want->as_is.pairs + want->lost;
    want->rerouted = failure_oracle_whole(anew, false);
    want->cut = before - want->rerouted.pairs;
    want->rerouted.slowdown = want->rerouted.pairs < whole->pairs
                                  ? NAN
                                  : (double)want->rerouted.alltoall_max / (double)whole->alltoall_max;
    routing_free(anew);
}

/* Every step-th failure of the list. */
static void agree(const bough_routing *routing, const char *spec, size_t step) {
    const bough_net *net = routing->net;
    bough_failures *f = prepare(routing);
    bool made = bough_failures_made(f);
    bough_failure_load whole = failure_oracle_whole(routing, made);
    bough_failure_list list = each(f, spec, 2);
    uint64_t *dead = calloc((net->links + 63) / 64, sizeof *dead);
    same_load(bough_failures_whole(f), &whole, "whole");
    for (size_t i = 0; i < list.count; i += step) {
        char what[400], name[300];
        bough_failure alone, *have = &list.item[i];
        bough_error error;
        snprintf(what, sizeof what, "%s under %s without %s", net->spec, routing->spec,
                 have->link == BOUGH_NONE ? bough_node_name(net, have->node, name, sizeof name)
                                          : bough_link_name(net, have->link, name, sizeof name));
        kill_links(net, have, dead);
        bough_failure want = failure_oracle(routing, made, dead);
        if (have->anew) expect_anew(routing, have, &whole, &want);
        same(have, &want, what);
        assert_int_equal(bough_failures_dead(f, dead, &alone, &error), BOUGH_OK);
        assert_int_equal(alone.anew, have->anew);
        same(&alone, &want, what);
    }
    free(dead);
    bough_failures_destroy(f);
}

static void agree_on(const char *network, const char *routing, size_t step) {
    bough_net *net = net_make(network);
    bough_routing *r = routing_make(net, routing);
    agree(r, "each:cable", step);
    agree(r, "each:switch", step);
    agree(r, "each:cable,level=0", 2 * step);
    routing_free(r);
}

static void trees_agree(void **state) {
    (void)state;
    agree_on("xgft:down=2x2,up=1x2", "dmodk", 1);
    agree_on("xgft:down=3x2x2,up=1x2x2", "dmodk", 3);
    agree_on("xgft:down=4x4,up=2x2,links=1x2", "dmodk", 3); /* endpoints with two links */
    agree_on("xgft:down=3x3,up=1x2", "random", 1);          /* tables of its own */
    agree_on("xgft:down=2x2x2,up=1x2x2", "random", 3);
    agree_on("xgft:down=3x4,up=1x3", "updn", 1); /* computed anew */
    agree_on("xgft:down=2x2x2,up=1x2x2", "minhop", 1);
}

static void hypercubes_agree(void **state) {
    (void)state;
    bough_net *net = net_make("cube:n=16");
    bough_routing *r = routing_make(net, "bitfix");
    agree(r, "each:cable", 1);
    agree(r, "each:switch", 1);
    routing_free(r);
}

static void fabrics_agree(void **state) {
    (void)state;
    bough_routing *r = fabric_routing(pair_of_spines, spine_tables);
    agree(r, "each:cable", 1);
    agree(r, "each:switch", 1);
    routing_free(r);
    /* Missing entries, and one that runs in a ring. */
    static const char *const broken[] = {"S1 11>1 12>2 13>4 14>3", "S2 11>4 13>1 14>2",
                                         "S3 11>1 12>1 13>1 14>2", "S4 11>1 12>1 13>2 14>2", NULL};
    r = fabric_routing(pair_of_spines, broken);
    agree(r, "each:cable", 1);
    agree(r, "each:switch", 1);
    routing_free(r);
}

/* Two addresses for each host; the second ones go other ways, which do not count. */
static void the_first_address_counts(void **state) {
    (void)state;
    static const char *const lines[] = {
        "S1 lid 1",        "S2 lid 2",        "S3 lid 3",  "S4 lid 4",  "H1 lid 16 lmc 1",
        "H2 lid 18 lmc 1", "H3 lid 20 lmc 1", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
        "S1:3 S3:1",       "S2:3 S3:2",       "S1:4 S4:1", "S2:4 S4:2", NULL};
    static const char *const tables[] = {
        "S1 16>1 17>1 18>2 19>2 20>3 21>4", "S2 16>3 17>4 18>3 19>4 20>1 21>1",
        "S3 16>1 17>1 18>1 19>1 20>2 21>2", "S4 16>1 17>1 18>1 19>1 20>2 21>2", NULL};
    bough_routing *r = fabric_routing(lines, tables);
    bough_failures *f = prepare(r);
    bough_failure_list list = each(f, "each:cable", 1);
    assert_int_equal(bough_failures_whole(f)->pairs, 6);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.idle, 2); /* those of S4 */
    assert_int_equal(list.item[0].lost, 4);
    bough_failures_destroy(f);
    agree(r, "each:cable", 1);
    agree(r, "each:switch", 1);
    routing_free(r);
}

static void the_example_agrees(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"),
         *lft = data_path("example:cluster.ftree.lfts.gz");
    char *spec = spec_of("ibnet", path), *tables = spec_of("lft", lft);
    bough_net *net = net_make(spec);
    bough_routing *r = routing_make(net, tables);
    agree(r, "each:cable", 7);
    agree(r, "each:switch", 3);
    bough_routing_destroy(r);
    r = routing_make(net, NULL);
    agree(r, "each:cable", 20);
    agree(r, "each:switch", 5);
    routing_free(r);
    free(path);
    free(lft);
    free(spec);
    free(tables);
}

/* On top of faults that are there already. */
static void what_is_dead_stays_dead(void **state) {
    (void)state;
    bough_net *whole = net_make("xgft:down=3x3,up=1x3"), *net;
    bough_error error;
    assert_int_equal(bough_net_with_faults(whole, "cables:count=2,mode=rerouted", &net, &error), BOUGH_OK);
    bough_routing *r = routing_make(net, "random");
    bough_failures *f = prepare(r);
    bough_failure_list list = each(f, "each:cable", 1);
    assert_int_equal(list.count, 7);
    bough_failures_destroy(f);
    agree(r, "each:cable", 1);
    agree(r, "each:switch", 1);
    routing_free(r);
    bough_net_destroy(whole);
}

static void threads_change_nothing(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x4,up=1x3");
    bough_routing *r = routing_make(net, "random");
    bough_error error;
    bough_failures *f, *g = prepare(r);
    bough_failures_options many = {.threads = 3, .memory = &memory};
    assert_int_equal(bough_failures_create(r, &many, &f, &error), BOUGH_OK);
    bough_failure_list a = each(f, "each:cable", 3), b = each(g, "each:cable", 1);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.item, b.item, a.count * sizeof *a.item);
    double share[] = {0, 0.1, 0.3};
    bough_degradation x, y;
    assert_int_equal(
        bough_failures_degrade(f, &(bough_degradation_ask){"cables", share, 3, 5}, &many, &x, &error),
        BOUGH_OK);
    assert_int_equal(
        bough_failures_degrade(g, &(bough_degradation_ask){"cables", share, 3, 5}, &one, &y, &error),
        BOUGH_OK);
    assert_memory_equal(x.step, y.step, 3 * sizeof *x.step);
    bough_failures_destroy(f);
    bough_failures_destroy(g);
    routing_free(r);
}

/* ---- the curve ---- */

static void the_curve_is_of_the_draws_of_faults(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x4,up=1x3");
    bough_routing *r = routing_make(net, "dmodk");
    bough_failures *f = prepare(r);
    double share[] = {0, 0.25, 0.5};
    bough_degradation curve;
    bough_error error;
    assert_int_equal(bough_failures_degrade(f, &(bough_degradation_ask){"cables:key=7,level=1", share, 3, 4},
                                            &one, &curve, &error),
                     BOUGH_OK);
    assert_int_equal(curve.count, 3);
    assert_same(curve.step[0].as_is.mean, 1);
    assert_same(curve.step[0].rerouted.mean, 1);
    assert_same(curve.step[0].slowdown.mean, 1);
    assert_same(curve.step[0].max.mean, (double)bough_failures_whole(f)->alltoall_max);
    for (size_t i = 1; i < 3; i++) {
        bough_degradation_step *s = &curve.step[i];
        bough_stats as_is = {0}, rerouted = {0}, max = {0};
        for (int key = 7; key < 11; key++) {
            char spec[80];
            bough_net *faulty;
            snprintf(spec, sizeof spec, "cables:share=%g,key=%d,level=1", share[i], key);
            assert_int_equal(bough_net_with_faults(net, spec, &faulty, &error), BOUGH_OK);
            bough_failure want = failure_oracle(r, false, faulty->dead);
            bough_stats_add(&as_is, (double)want.as_is.pairs / 240);
            bough_stats_add(&rerouted, (double)want.rerouted.pairs / 240);
            bough_stats_add(&max, (double)want.rerouted.alltoall_max);
            bough_net_destroy(faulty);
        }
        assert_same(s->as_is.mean, as_is.mean);
        assert_same(s->rerouted.mean, rerouted.mean);
        assert_same(bough_stats_ci95(&s->rerouted), bough_stats_ci95(&rerouted));
        assert_same(s->worst, rerouted.min);
        assert_same(s->max.mean, max.mean);
        assert_true(s->as_is.mean < 1 && s->as_is.mean < curve.step[i - 1].as_is.mean);
        assert_true(s->rerouted.mean >= s->as_is.mean);
    }
    bough_failures_destroy(f);
    routing_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routings_without_tables_are_refused),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(a_spine_takes_over),
        cmocka_unit_test(an_unused_cable_is_harmless),
        cmocka_unit_test(a_single_cable_cuts),
        cmocka_unit_test(trees_agree),
        cmocka_unit_test(hypercubes_agree),
        cmocka_unit_test(fabrics_agree),
        cmocka_unit_test(the_first_address_counts),
        cmocka_unit_test(the_example_agrees),
        cmocka_unit_test(what_is_dead_stays_dead),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_curve_is_of_the_draws_of_faults),
    };
    return cmocka_run_group_tests(tests, NULL, free_memory);
}
