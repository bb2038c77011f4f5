/* Tuned tables: bad input, cases by hand, then invariants, then agreement with an oracle that tries all
 * tables. */
#include "fabric/tune/bounds/tune_bound.h"
#include "fabric/tune/objectives/tune_model.h"
#include "fabric/tune/tune.h"
#include "fabric/tune/tune_change.h"
#include "fabric/tune/tune_routing.h"
#include "fabric/tune/tune_search.h"
#include "network/faults/faults.h"
#include "routing/deadlock.h"

#include "support/points.h"
#include "support/specs.h"
#include "support/tune_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

static bough_tune_report *tune(const bough_net *net, bough_tune_objective objective) {
    const bough_tune_question q = {.net = net, .objective = objective, .seed = 1, .permutations = 20};
    bough_tune_report *report;
    bough_error error;
    if (bough_tune(&q, &report, &error)) fail_msg("%s: %s", net->spec, error.reason);
    return report;
}

/* ---- bad input ---- */

static void wrong_questions_are_refused(void **state) {
    (void)state;
    bough_tune_objective objective;
    bough_tune_report *report;
    bough_error error;
    assert_int_equal(bough_tune_objective_find("shift", &objective, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "worst-shift"));
    bough_net *net = net_make("cube:n=8");
    const bough_tune_question several = {.net = net, .seed = 1};
    assert_int_equal(bough_tune(&several, &report, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "one cable"));
    assert_null(report);
    bough_net_destroy(net);
    net = net_make("xgft:down=2x2,up=1x2");
    const bough_tune_job endless = {"poisson:load=0.1", 1};
    const bough_tune_question stream = {.net = net, .objective = BOUGH_TUNE_JOBS, .job = &endless, .jobs = 1};
    assert_int_equal(bough_tune(&stream, &report, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "never ends"));
    const char *const random[] = {"random"};
    const bough_tune_question choice = {.net = net, .routing = random, .routings = 1};
    assert_int_equal(bough_tune(&choice, &report, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "no forwarding table"));
    bough_net_destroy(net);
}

/* ---- by hand ---- */

/* Seven flows in portions of 4 over three equal links: one of them has three portions. */
static void portions_are_not_divided(void **state) {
    (void)state;
    const double scale[] = {1, 1, 1, 2};
    const uint32_t arc[] = {0, 1, 2, 3};
    assert_near(tune_portions_least(&(tune_portions){scale, arc, 3, 4}, 28), 12, 0);
    assert_near(tune_portions_least(&(tune_portions){scale, arc, 3, 0}, 28), 28.0 / 3, 1e-12);
    /* the slow link takes one portion of 4 at load 8, the others two each */
    assert_near(tune_portions_least(&(tune_portions){scale, arc, 4, 4}, 28), 8, 0);
    assert_near(tune_portions_least(&(tune_portions){scale, arc, 0, 4}, 28), 0, 0);
}

/* Three leaves of two hosts, two spines. A leaf sends to four hosts in portions of two flows: two portions on
 * each uplink are 4 flows, and so many come back; hosts' links carry 5. */
static void a_full_tree_has_the_bound(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x3,up=1x2");
    bough_tune_report *r = tune(net, BOUGH_TUNE_ALLTOALL);
    assert_near(r->score.value, 5, 0);
    assert_near(r->score.most, 4, 0);
    assert_true(r->optimal && r->bound.kind == BOUGH_TUNE_BOUND_HOSTS);
    bough_tune_report_destroy(r);
    bough_net_destroy(net);
}

static double evaluated(const bough_net *net, double effort) {
    const bough_tune_question q = {.net = net, .seed = 1, .effort = effort};
    bough_tune_report *report;
    bough_error error;
    if (bough_tune(&q, &report, &error)) fail_msg("%s: %s", net->spec, error.reason);
    assert_false(report->optimal);
    double changes = (double)report->evaluated;
    bough_tune_report_destroy(report);
    return changes;
}

/* All parts of the work, also the searches from each start. */
static void a_tenth_of_the_effort_is_a_tenth_of_the_work(void **state) {
    (void)state;
    bough_error error;
    bough_net *whole = net_make("xgft:down=4x5x3,up=1x3x2"), *net;
    assert_int_equal(bough_net_with_faults(whole, "cables:share=30%,key=3", &net, &error), BOUGH_OK);
    const double one = evaluated(net, 1);
    assert_true(evaluated(net, 0.1) < 0.15 * one);
    assert_true(evaluated(net, 0.01) < 0.02 * one);
    bough_net_destroy(net);
    bough_net_destroy(whole);
}

/* Before tables are made. */
static void tables_that_do_not_fit_are_refused(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=1048576");
    const bough_tune_question q = {.net = net, .seed = 1};
    bough_tune_report *report;
    bough_error error;
    assert_int_equal(bough_tune(&q, &report, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "switches times endpoints may be"));
    bough_net_destroy(net);
}

/* ---- invariants ---- */

static const char *const networks[][2] = {
    {"xgft:down=3x4,up=1x2", NULL},
    {"xgft:down=2x3x3,up=1x2x2", NULL},
    {"xgft:down=3x4x2,up=1x3x2", "cables:share=12%,key=3"},
    {"xgft:down=4x5,up=1x2,links=1x2", "cables:share=10%,key=4"},
};
enum { NETWORKS = sizeof networks / sizeof *networks };

typedef struct fixture {
    bough_net *whole, *net;
    tune_graph graph;
    tune_tables tables;
    tune_model *model;
} fixture;

static void open_network(const char *spec, const char *faults, fixture *f) {
    bough_error error;
    *f = (fixture){.whole = net_make(spec)};
    f->net = f->whole;
    if (faults) assert_int_equal(bough_net_with_faults(f->whole, faults, &f->net, &error), BOUGH_OK);
    assert_int_equal(tune_graph_make(&f->graph, f->net, 0, &error), BOUGH_OK);
    assert_int_equal(tune_tables_make(&f->tables, &f->graph, &error), BOUGH_OK);
}

static void open_model(fixture *f, bough_tune_objective objective) {
    bough_error error;
    const tune_rounds_kind kind = {objective, 1, 10};
    bough_status status = BOUGH_OK;
    if (objective == BOUGH_TUNE_ALLTOALL)
        status = tune_model_flows(&f->tables, NULL, tune_alltoall_base(&f->graph), &f->model, &error);
    else if (objective == BOUGH_TUNE_WORST)
        status = tune_model_worst(&f->tables, &f->model, &error);
    else
        status = tune_model_rounds(&f->tables, &kind, &f->model, &error);
    assert_int_equal(status, BOUGH_OK);
}

static void close_network(fixture *f) {
    tune_model_destroy(f->model);
    tune_tables_fini(&f->tables);
    tune_graph_fini(&f->graph);
    if (f->net != f->whole) bough_net_destroy(f->net);
    bough_net_destroy(f->whole);
}

/* ---- cuts ---- */

static unsigned level_of(const tune_graph *g, uint32_t s) {
    return g->net->ops->node_level(g->net, g->net->endpoints + s);
}

/* The switches that hang together with that of a leaf, over switches up to a level; level 0: itself. */
static void flood(const tune_graph *g, uint32_t leaf, unsigned level, bool *in) {
    memset(in, 0, g->switches * sizeof *in);
    in[g->leaf_switch[leaf]] = true;
    for (bool more = level > 0; more;) {
        more = false;
        for (uint32_t a = 0; a < g->arcs; a++) {
            const uint32_t from = g->from[a], to = g->to[a];
            if (!in[from] || in[to] || level_of(g, from) > level || level_of(g, to) > level) continue;
            in[to] = more = true;
        }
    }
}

/* All arcs that leave or enter, ascending. */
static void same_arcs(const tune_graph *g, const tune_cut *cut, const bool *in) {
    uint32_t out = 0, back = 0;
    for (uint32_t a = 0; a < g->arcs; a++) {
        const bool from = in[g->from[a]], to = in[g->to[a]];
        if (from && !to) assert_int_equal(cut->leave[out++], a);
        if (to && !from) assert_int_equal(cut->enter[back++], a);
    }
    assert_int_equal(cut->arcs, out);
    assert_int_equal(cut->arcs, back);
}

static void cuts_have_the_arcs_across(void **state) {
    (void)state;
    for (int n = 0; n < NETWORKS; n++) {
        fixture f;
        tune_cuts cuts = {0};
        open_network(networks[n][0], networks[n][1], &f);
        const tune_graph *g = &f.graph;
        bool *in = calloc(g->switches, sizeof *in);
        assert_int_equal(tune_cuts_make(&cuts, g, NULL), BOUGH_OK);
        assert_true(cuts.layers > 0);
        for (uint32_t layer = 0; layer < cuts.layers; layer++)
            for (uint32_t l = 0; l < g->leaves; l++) {
                const uint32_t i = cuts.of[(uint64_t)layer * g->leaves + l];
                if (i == BOUGH_NO_INDEX) continue;
                flood(g, l, layer, in);
                same_arcs(g, &cuts.cut[i], in);
            }
        free(in);
        tune_cuts_fini(&cuts);
        close_network(&f);
    }
}

/* A random entry with a choice; returns its host, switch, and another choice. */
static uint32_t draw_change(const fixture *f, bough_stream *random, uint32_t *node, uint32_t *arc) {
    for (;;) {
        const uint32_t host = (uint32_t)bough_stream_below(random, f->graph.hosts);
        *node = (uint32_t)bough_stream_below(random, f->graph.switches);
        if (f->graph.leaf_of[host] == BOUGH_NO_INDEX) continue;
        const tune_choices c = tune_choices_at(&f->graph, f->graph.leaf_of[host], *node);
        if (c.count < 2) continue;
        *arc = c.arc[bough_stream_below(random, c.count)];
        if (*arc != *tune_entry(&f->tables, host, *node)) return host;
    }
}

/* The change of the potential, with power 2, is that of the sum of squares; loads that were kept up to date
 * equal those counted anew. */
static void changes_equal_recounts(void **state) {
    (void)state;
    static const bough_tune_objective objectives[] = {
        BOUGH_TUNE_ALLTOALL, BOUGH_TUNE_SHIFTS, BOUGH_TUNE_WORST_SHIFT, BOUGH_TUNE_RANDOM, BOUGH_TUNE_WORST};
    for (int n = 0; n < NETWORKS; n++)
        for (int o = 0; o < 5; o++) {
            fixture f;
            open_network(networks[n][0], networks[n][1], &f);
            open_model(&f, objectives[o]);
            bough_stream random = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
            for (int i = 0; i < 300; i++) {
                bough_tune_score before, after, anew;
                uint32_t node, arc, host = draw_change(&f, &random, &node, &arc);
                f.model->ops->score(f.model, &before);
                const double delta = f.model->ops->delta(f.model, host, node, arc);
                f.model->ops->apply(f.model, host, node, arc);
                f.model->ops->score(f.model, &after);
                assert_near(after.squares - before.squares, delta, 1e-6);
                if (i % 20) continue;
                f.model->ops->recount(f.model);
                f.model->ops->score(f.model, &anew);
                assert_memory_equal(&after, &anew, sizeof anew);
            }
            close_network(&f);
        }
}

/* No lengths prove more than what any tables have. */
static void bounds_are_below_all_tables(void **state) {
    (void)state;
    bough_error error;
    for (int n = 0; n < NETWORKS; n++) {
        fixture f;
        tune_cuts cuts = {0};
        tune_demand demand = {0};
        bough_tune_bound bound = {0};
        double least = INFINITY;
        open_network(networks[n][0], networks[n][1], &f);
        open_model(&f, BOUGH_TUNE_ALLTOALL);
        bough_stream random = bough_stream_make(bough_key_make(2, 0), BOUGH_DRAW_TEST, 0, 0);
        for (int i = 0; i < 200; i++) {
            bough_tune_score score;
            uint32_t node, arc, host = draw_change(&f, &random, &node, &arc);
            f.model->ops->apply(f.model, host, node, arc);
            f.model->ops->score(f.model, &score);
            least = fmin(least, score.most);
        }
        tune_search_result found;
        const tune_search_options options = {.seed = 1, .effort = 4};
        assert_int_equal(tune_search(f.model, &options, &found, &error), BOUGH_OK);
        least = fmin(least, found.score.most);
        assert_int_equal(tune_cuts_make(&cuts, &f.graph, &error), BOUGH_OK);
        assert_int_equal(tune_demand_make(&demand, &f.graph, NULL, &error), BOUGH_OK);
        assert_int_equal(tune_bound_cuts(&f.graph, &cuts, &demand, &bound, &error), BOUGH_OK);
        assert_true(bound.value > 0 && bound.value <= least);
        const tune_dual_options dual = {.goal = INFINITY, .iterations = 60};
        assert_int_equal(tune_bound_dual(&f.graph, &demand, &dual, &bound, &error), BOUGH_OK);
        assert_true(bound.value <= least);
        tune_demand_fini(&demand);
        tune_cuts_fini(&cuts);
        close_network(&f);
    }
}

/* Equal lengths: a flow between two leaves takes two links of 2 * 12 in this tree. */
static void lengths_prove_a_bound(void **state) {
    (void)state;
    fixture f;
    tune_demand demand = {0};
    bough_tune_bound bound = {0};
    const tune_dual_options once = {.goal = INFINITY, .iterations = 1}; /* with all lengths 1 */
    bough_error error;
    open_network("xgft:down=2x3,up=1x2", NULL, &f);
    assert_int_equal(tune_demand_make(&demand, &f.graph, NULL, &error), BOUGH_OK);
    assert_int_equal(tune_bound_dual(&f.graph, &demand, &once, &bound, &error), BOUGH_OK);
    assert_near(bound.value, 6 * 4 * 2 / 12.0, 1e-12); /* pairs between leaves, links each, over 12 arcs */
    tune_demand_fini(&demand);
    close_network(&f);
}

/* Reached by following entries from every leaf, whatever was updated. */
static bool all_arrive(const tune_tables *t) {
    const tune_graph *g = t->graph;
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t l = 0; l < g->leaves && g->leaf_of[d] != BOUGH_NO_INDEX; l++) {
            uint32_t s = g->leaf_switch[l], arc, hops = 0;
            if (!tune_choices_at(g, g->leaf_of[d], s).count) continue;
            for (; hops <= g->switches && (arc = *tune_entry(t, d, s)) != BOUGH_NO_INDEX; hops++)
                s = g->to[arc];
            if (s != g->leaf_switch[g->leaf_of[d]]) return false;
        }
    return true;
}

/* Entries that lead anywhere, as long as all packets arrive. */
static void detour(fixture *f, bough_stream *random, int entries) {
    const tune_graph *g = &f->graph;
    while (entries-- > 0) {
        const uint32_t host = (uint32_t)bough_stream_below(random, g->hosts),
                       arc = (uint32_t)bough_stream_below(random, g->arcs);
        uint32_t *entry = tune_entry(&f->tables, host, g->from[arc]), kept = *entry;
        if (kept == BOUGH_NO_INDEX) continue;
        *entry = arc;
        if (!all_arrive(&f->tables)) *entry = kept;
    }
}

/* Updates switch after switch. Returns whether packets arrived at all times. */
static bool update(fixture *f, const tune_tables *fresh, const bough_tune_change *c) {
    bool arrived = true;
    for (uint64_t i = 0; i < c->switches; i++) {
        const uint32_t s = (uint32_t)(c->order[i] - f->net->endpoints);
        for (uint32_t d = 0; d < f->graph.hosts; d++)
            *tune_entry(&f->tables, d, s) = *tune_entry(fresh, d, s);
        arrived = arrived && all_arrive(&f->tables);
    }
    const uint64_t entries = (uint64_t)f->graph.hosts * f->graph.switches;
    assert_memory_equal(f->tables.next, fresh->next, entries * sizeof *fresh->next);
    return arrived;
}

/* Switch by switch in the order that was found, no packet loops at any time, whatever the old tables are; if
 * they are choices there always is an order. */
static void orders_have_no_loops(void **state) {
    (void)state;
    bough_error error;
    unsigned orders = 0, none = 0;
    for (int n = 0; n < NETWORKS; n++)
        for (int i = 0; i < 40; i++) {
            fixture f;
            tune_tables fresh;
            bough_tune_change c;
            open_network(networks[n][0], networks[n][1], &f);
            assert_int_equal(tune_tables_make(&fresh, &f.graph, &error), BOUGH_OK);
            bough_stream random = bough_stream_make(bough_key_make(3, (uint64_t)i), BOUGH_DRAW_TEST, 0, 0);
            detour(&f, &random, 2 * i);
            for (int k = 0; k < 3 * i; k++) {
                uint32_t node, arc, host = draw_change(&f, &random, &node, &arc);
                *tune_entry(&fresh, host, node) = arc;
            }
            assert_int_equal(tune_change_between(&f.tables, &fresh, &c, &error), BOUGH_OK);
            assert_true(c.moved <= c.pairs && c.depth <= c.changed && c.far <= c.destinations);
            assert_true(!c.order == (c.stuck > 0));
            if (!c.far) assert_non_null(c.order);
            if (c.order) assert_true(update(&f, &fresh, &c));
            orders += c.order && c.far;
            none += !c.order;
            free(c.order);
            tune_tables_fini(&fresh);
            close_network(&f);
        }
    if (orders < 10 || !none) fail_msg("%u orders, %u without one", orders, none);
}

static uint64_t hash_tables(const bough_tune_report *r) {
    const bough_net *net = r->net;
    uint64_t hash = 1;
    for (uint64_t s = net->endpoints; s < net->nodes; s++)
        for (uint64_t a = 0; a < net->addresses; a++) {
            const bough_flow flow = {BOUGH_NONE, a, 0};
            bough_route route;
            bough_route_at(r->routing, s, &flow, &route);
            hash = hash * 31 + (route.count ? bough_route_link(&route, 0) : 7);
        }
    return hash;
}

static void results_repeat_and_route_all_pairs(void **state) {
    (void)state;
    bough_error error;
    for (int o = 0; o < BOUGH_TUNE_JOBS; o++) {
        bough_net *whole = net_make("xgft:down=4x5x3,up=1x3x2"), *net;
        assert_int_equal(bough_net_with_faults(whole, "cables:share=12%,key=3", &net, &error), BOUGH_OK);
        bough_tune_report *a = tune(net, (bough_tune_objective)o), *b = tune(net, (bough_tune_objective)o);
        bough_check_result check;
        bough_findings findings = {0};
        assert_true(hash_tables(a) == hash_tables(b));
        assert_true(a->bound.value <= a->score.value * (1 + 1e-12));
        for (size_t i = 0; i < a->rows; i++)
            if (!a->row[i].unrouted) assert_true(a->bound.value <= a->row[i].score.value * (1 + 1e-12));
        for (size_t i = 0; i < a->rows; i++)
            if (!a->row[i].unrouted) assert_false(a->row[i].score.value < a->score.value);
        const bough_check_options options = {.memory = &memory, .seed = 1, .permutations = 20, .threads = 1};
        assert_int_equal(bough_check_routing(a->routing, &options, &check, &findings, &error), BOUGH_OK);
        assert_int_equal(check.cycle, 0);
        assert_int_equal(check.routed, a->pairs);
        if (o == BOUGH_TUNE_ALLTOALL) assert_near(check.alltoall_max, a->score.value, 0);
        if (o == BOUGH_TUNE_SHIFTS) assert_near(check.shift_mean, a->score.value, 1e-9);
        if (o == BOUGH_TUNE_WORST_SHIFT) assert_near(check.shift_max, a->score.value, 0);
        if (o == BOUGH_TUNE_RANDOM) assert_near(check.random.mean, a->score.value, 1e-9);
        arena_fini(&memory);
        bough_findings_fini(&findings);
        bough_tune_report_destroy(a);
        bough_tune_report_destroy(b);
        bough_net_destroy(net);
        bough_net_destroy(whole);
    }
}

/* ---- the oracle ---- */

static void brackets(const bough_net *net, bough_tune_objective objective, double best) {
    bough_tune_report *r = tune(net, objective);
    const char *name = bough_tune_objective_name(objective);
    if (r->bound.value > best * (1 + 1e-9))
        fail_msg("%s, %s: the bound %g is above the optimum %g", net->spec, name, r->bound.value, best);
    if (r->score.value < best * (1 - 1e-9))
        fail_msg("%s, %s: tuned %g is below the optimum %g", net->spec, name, r->score.value, best);
    /* not demanded of a local search, but so on these */
    if (r->score.value > best * (1 + 1e-9))
        fail_msg("%s, %s: tuned %g is above the optimum %g", net->spec, name, r->score.value, best);
    bough_tune_report_destroy(r);
}

static void compare_with_oracle(const bough_net *net) {
    const tune_oracle best = tune_oracle_best(net, 20000);
    brackets(net, BOUGH_TUNE_ALLTOALL, best.alltoall);
    brackets(net, BOUGH_TUNE_SHIFTS, best.shifts);
    brackets(net, BOUGH_TUNE_WORST_SHIFT, best.worst_shift);
}

static void tiny_fabrics_have_their_optimum(void **state) {
    (void)state;
    static const char *const spec[][2] = {
        {"xgft:down=4,up=1", NULL},
        {"xgft:down=2x2,up=1x2", NULL},
        {"xgft:down=4x2,up=1x2", NULL},
        {"xgft:down=4x2,up=1x3", NULL},
        {"xgft:down=2x3,up=1x2", NULL},
        {"xgft:down=3x2,up=1x1,links=1x2", NULL},
        {"xgft:down=2x3,up=1x2,hosts=5", NULL},
        {"xgft:down=2x3,up=1x3", "cables:share=25%,key=2"},
        {"xgft:down=3x3,up=1x2", "cables:share=20%,key=5"},
    };
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *whole = net_make(spec[i][0]), *net = whole;
        bough_error error;
        if (spec[i][1]) assert_int_equal(bough_net_with_faults(whole, spec[i][1], &net, &error), BOUGH_OK);
        compare_with_oracle(net);
        if (net != whole) bough_net_destroy(net);
        bough_net_destroy(whole);
    }
}

static bough_net *net_of(const char *cables) {
    bough_fabric fabric;
    const bough_fabric_options options = {0};
    bough_net *net;
    bough_error error;
    if (bough_fabric_parse("cables.csv", cables, strlen(cables), &fabric, &error))
        fail_msg("%s", error.reason);
    if (bough_net_from_fabric(&fabric, &options, "cables.csv", &net, &error)) fail_msg("%s", error.reason);
    return net;
}

/* Two leaves, spines of two rates. */
static void mixed_rates_have_their_optimum(void **state) {
    (void)state;
    static const char cables[] = "node,port,node,port,rate\n"
                                 "a1,1,x,1,32Gb/s\na2,1,x,2,32Gb/s\na3,1,x,3,32Gb/s\na4,1,x,4,16Gb/s\n"
                                 "b1,1,y,1,32Gb/s\nb2,1,y,2,32Gb/s\nb3,1,y,3,32Gb/s\n"
                                 "x,11,s,1,32Gb/s\nx,12,t,1,16Gb/s\nx,13,u,1,8Gb/s\n"
                                 "y,11,s,2,32Gb/s\ny,12,t,2,16Gb/s\ny,13,u,2,32Gb/s\n";
    bough_net *net = net_of(cables);
    compare_with_oracle(net);
    bough_net_destroy(net);
}

/* Shortest paths around a ring wait for each other. */
static void a_ring_takes_up_down_paths(void **state) {
    (void)state;
    static const char cables[] = "node,port,node,port,rate\n"
                                 "h0,1,s0,3,32Gb/s\nh1,1,s1,3,32Gb/s\nh2,1,s2,3,32Gb/s\nh3,1,s3,3,32Gb/s\n"
                                 "h4,1,s4,3,32Gb/s\ns0,1,s1,2,32Gb/s\ns1,1,s2,2,32Gb/s\ns2,1,s3,2,32Gb/s\n"
                                 "s3,1,s4,2,32Gb/s\ns4,1,s0,2,32Gb/s\n";
    bough_net *net = net_of(cables);
    bough_tune_report *r = tune(net, BOUGH_TUNE_ALLTOALL);
    assert_false(r->shortest);
    assert_true(r->row[0].cycle > 0 && r->cycle == 0 && r->unrouted == 0);
    assert_true(r->bound.value <= r->row[0].score.value);
    bough_tune_report_destroy(r);
    bough_net_destroy(net);
}

/* A link whose way back is dead is not taken, nor is a path behind it. */
static void half_dead_cables_are_not_taken(void **state) {
    (void)state;
    for (unsigned key = 1; key <= 12; key++) {
        char faults[40];
        bough_error error;
        bough_net *whole = net_make("kary:k=3,levels=2"), *net;
        bough_check_result check;
        bough_findings findings = {0};
        const bough_check_options options = {.memory = &memory, .seed = 1, .permutations = 1, .threads = 1};
        snprintf(faults, sizeof faults, "links:count=%u,key=%u", 1 + key % 5, key);
        assert_int_equal(bough_net_with_faults(whole, faults, &net, &error), BOUGH_OK);
        bough_tune_report *r = tune(net, BOUGH_TUNE_ALLTOALL);
        assert_int_equal(r->unrouted, 0);
        assert_int_equal(bough_check_routing(r->routing, &options, &check, &findings, &error), BOUGH_OK);
        assert_int_equal(check.cycle, 0);
        assert_true(check.routed >= r->pairs); /* a host that cannot receive may send */
        for (uint64_t l = 0; l < net->links; l++)
            if (!bough_link_of_endpoint(net, l) && check.load[l] > 0) assert_true(bough_cable_works(net, l));
        arena_fini(&memory);
        bough_findings_fini(&findings);
        bough_tune_report_destroy(r);
        bough_net_destroy(net);
        bough_net_destroy(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(portions_are_not_divided),
        cmocka_unit_test(a_full_tree_has_the_bound),
        cmocka_unit_test(a_tenth_of_the_effort_is_a_tenth_of_the_work),
        cmocka_unit_test(tables_that_do_not_fit_are_refused),
        cmocka_unit_test(changes_equal_recounts),
        cmocka_unit_test(bounds_are_below_all_tables),
        cmocka_unit_test(lengths_prove_a_bound),
        cmocka_unit_test(orders_have_no_loops),
        cmocka_unit_test(cuts_have_the_arcs_across),
        cmocka_unit_test(results_repeat_and_route_all_pairs),
        cmocka_unit_test(tiny_fabrics_have_their_optimum),
        cmocka_unit_test(mixed_rates_have_their_optimum),
        cmocka_unit_test(a_ring_takes_up_down_paths),
        cmocka_unit_test(half_dead_cables_are_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
