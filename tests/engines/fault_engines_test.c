/* Engines and models on networks with faults: by hand, against the slow programs of tests/support, and
 * against each other. */
#include "engines/wormhole/switches/worm_switch.h"
#include "engines/wormhole/worm_events.h"
#include "fabric/check/check_routing.h"
#include "network/faults/faults.h"
#include "routing/deadlock.h"
#include "support/fabrics.h"
#include "support/listed.h"
#include "support/packet_stepper.h"
#include "support/points.h"
#include "support/worm_stepper.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

typedef struct place {
    bough_net *whole, *net;
    bough_routing *routing;
} place;

static place at(const char *spec, const char *faults, const char *routing) {
    place p = {.whole = net_make(spec)};
    bough_error error = {0};
    if (bough_net_with_faults(p.whole, faults, &p.net, &error)) fail_msg("%s: %s", faults, error.reason);
    p.routing = routing_make(p.net, routing);
    return p;
}

static void leave(place *p) {
    bough_routing_destroy(p->routing);
    bough_net_destroy(p->net);
    bough_net_destroy(p->whole);
}

/* The rows of trial 0 of a method; traffic may be NULL. */
static bough_rows ask(const place *p, const char *traffic, const char *method, uint64_t trial) {
    bough_point point = {p->net, p->routing, NULL};
    bough_traffic *t = NULL;
    bough_error error = {0};
    if (traffic && bough_traffic_create(p->net, traffic, &t, &error)) fail_msg("%s", error.reason);
    point.traffic = t;
    bough_run *run = run_make(&point, method);
    bough_rows rows = run_once(run, trial);
    bough_run_destroy(run);
    bough_traffic_destroy(t);
    return rows;
}

static double value(const place *p, const char *traffic, const char *method, uint64_t trial,
                    bough_metric_id metric) {
    bough_rows rows = ask(p, traffic, method, trial);
    double v =
        row_given(&rows, metric, BOUGH_NO_ROW_INDEX) ? row_value(&rows, metric, BOUGH_NO_ROW_INDEX) : 0;
    bough_rows_fini(&rows);
    return v;
}

static void unfit(const place *p, const char *traffic, const char *method, bough_status status,
                  const char *text) {
    bough_point point = {p->net, p->routing, NULL};
    bough_traffic *t = NULL;
    bough_error error = {0};
    if (traffic && bough_traffic_create(p->net, traffic, &t, &error)) fail_msg("%s", error.reason);
    point.traffic = t;
    run_refused(&point, method, status, text);
    bough_traffic_destroy(t);
}

/* A trial that fails. */
static void breaks_off(const place *p, const char *traffic, const char *method, const char *text) {
    bough_point point = {p->net, p->routing, NULL};
    bough_traffic *t;
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    assert_int_equal(bough_traffic_create(p->net, traffic, &t, NULL), BOUGH_OK);
    point.traffic = t;
    bough_run *run = run_make(&point, method);
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, text));
    bough_run_free_workspace(run, workspace);
    bough_run_destroy(run);
    bough_rows_fini(&rows);
    bough_traffic_destroy(t);
}

/* ---- what does not fit ---- */

static void what_does_not_fit(void **state) {
    (void)state;
    place p = at("fattree:n=64", "links:share=10%", "free");
    unfit(&p, "uniform", "bins", BOUGH_UNSUPPORTED,
          "fattree:n=64 with links:share=0.1 has no closed form of Pr[C2]; give the number of bins as b=");
    unfit(&p, "uniform", "collision", BOUGH_TOO_LARGE,
          "8e+06 pairs of messages to enumerate, more than limit=");
    unfit(&p, "uniform", "worm", BOUGH_INVALID, "mode=rerouted faults leave no dead ends");
    breaks_off(&p, "poisson:load=0.01", "queueing", "mode=rerouted avoids dead ends");
    leave(&p);
    p = at("fattree:n=64", "links:share=10%,mode=blind", "free");
    unfit(&p, "uniform", "worm", BOUGH_UNSUPPORTED, "method worm does not model lost messages");
    unfit(&p, "poisson:load=0.01", "queueing", BOUGH_UNSUPPORTED,
          "method queueing does not model lost messages");
    leave(&p);
    p = at(FABRIC, "cables:count=4,mode=rerouted", TABLES);
    unfit(&p, "uniform", "worm", BOUGH_INVALID, "no route from");
    leave(&p);
    /* engines of networks that they know whole */
    p = at("pruned:n=64", "links:share=10%", "free");
    unfit(&p, "uniform", "sidetrack", BOUGH_UNSUPPORTED, "pruned:n=64 with links:share=0.1 does not qualify");
    leave(&p);
    p = at("sorting:n=128", "links:share=10%,mode=rerouted", "free");
    unfit(&p, "uniform", "sortroute", BOUGH_UNSUPPORTED,
          "sorting:n=128 with links:share=0.1,mode=rerouted does not qualify");
    leave(&p);
}

/* ---- circuits ---- */

/* Two leaves with two endpoints, two spines; leaf 1 has lost spine 0. A message from leaf 0 takes the spine
 * that is dead for it on the toss of a coin, and tries again. */
static void a_coin_decides(void **state) {
    (void)state;
    static const char *const mode[] = {"masked", "blind", "rerouted"};
    const double expected[] = {0.5, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        char faults[64];
        snprintf(faults, sizeof faults, "name:s1.1/3,mode=%s", mode[k]);
        place p = at("xgft:down=2x2,up=1x2", faults, "free");
        bough_traffic *t;
        char *file = (char *)temporary_file("one.csv", "source,destination\n0,3\n", 0), spec[200];
        snprintf(spec, sizeof spec, "messages:file=\"%s\"", file);
        assert_int_equal(bough_traffic_create(p.net, spec, &t, NULL), BOUGH_OK);
        bough_point point = {p.net, p.routing, t};
        static const char *const method[] = {"circuit:mode=attempt", "circuit:mode=rounds",
                                             "circuit:mode=cycles"};
        for (size_t m = 0; m < COUNT(method); m++) {
            bough_run *run = run_make(&point, method[m]);
            bough_stats first = run_trials(run, 1, 4000, BOUGH_METRIC_FIRST_SUCCESS);
            assert_near(first.mean, expected[k], k == 2 ? 0 : 0.032); /* four standard deviations */
            bough_rows rows = run_once(run, 0);
            assert_false(row_given(&rows, BOUGH_METRIC_UNROUTED, BOUGH_NO_ROW_INDEX));
            assert_int_equal(rows.outcome, BOUGH_RUN_OK);
            bough_rows_fini(&rows);
            if (m) { /* tries until it is there: a geometric number */
                bough_stats attempts = run_trials(run, 1, 4000, BOUGH_METRIC_ATTEMPTS);
                assert_near(attempts.mean, 1 / expected[k], k == 2 ? 0 : 0.09);
            }
            bough_run_destroy(run);
        }
        bough_traffic_destroy(t);
        leave(&p);
    }
}

/* A message alone: its first attempt succeeds as often as a walk by random choices arrives. */
static void alone_an_attempt_is_a_random_walk(void **state) {
    (void)state;
    static const struct {
        const char *net, *faults;
    } where[] = {{"bft:n=16", "links:share=25%"},
                 {"bft:n=16", "links:share=25%,key=3,mode=blind"},
                 {"kary:k=3,levels=3", "chips:share=15%,level=2+links:share=5%,mode=blind"},
                 {"kary:k=3,levels=3", "links:share=20%,mode=rerouted"},
                 {FABRIC, "cables:share=50%"}};
    for (size_t i = 0; i < COUNT(where); i++) {
        place p = at(where[i].net, where[i].faults, "free");
        double n = (double)p.net->endpoints;
        double lost = value(&p, "alltoall", "linkload", 0, BOUGH_METRIC_UNROUTED) / (n * (n - 1));
        bough_traffic *t;
        assert_int_equal(bough_traffic_create(p.net, "uniform:m=1", &t, NULL), BOUGH_OK);
        bough_point point = {p.net, p.routing, t};
        bough_run *run = run_make(&point, "circuit:mode=rounds");
        bough_stats first = run_trials(run, 7, 6000, BOUGH_METRIC_FIRST_SUCCESS);
        double sd = sqrt(lost * (1 - lost) / 6000);
        assert_true(i == 3 || lost > 0.02);
        assert_near(first.mean, 1 - lost, 4 * sd + 1e-12);
        bough_run_destroy(run);
        bough_traffic_destroy(t);
        leave(&p);
    }
}

/* Everything that has a route arrives in the end; what has none is given up, and said. */
static void circuits_give_up_what_has_no_route(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds", "circuit:mode=cycles,retry=backoff",
                                         "circuit:mode=cycles,retry=round", "circuit:mode=attempt",
                                         "circuit:mode=rounds,release=end"};
    static const char *const faults[] = {"links:share=12%", "links:share=12%,mode=blind",
                                         "links:share=12%,mode=rerouted",
                                         "links:share=12%,level=0,mode=rerouted"};
    static const char *const routing[] = {"free", "first", "least", "hash", "dmodk"};
    for (size_t f = 0; f < COUNT(faults); f++)
        for (size_t r = 0; r < COUNT(routing); r++) {
            place p = at("kary:k=4,levels=3", faults[f], routing[r]);
            for (size_t m = 0; m < COUNT(method); m++)
                for (uint64_t trial = 0; trial < 3; trial++) {
                    /* `first` has one way at a time, and may never find the other */
                    if (r == 1 && f < 2) continue;
                    bough_rows rows = ask(&p, "uniform", method[m], trial);
                    double unrouted = 0, expected = 0;
                    if (row_given(&rows, BOUGH_METRIC_UNROUTED, BOUGH_NO_ROW_INDEX))
                        unrouted = row_value(&rows, BOUGH_METRIC_UNROUTED, BOUGH_NO_ROW_INDEX);
                    assert_false(row_given(&rows, BOUGH_METRIC_UNDELIVERED, BOUGH_NO_ROW_INDEX));
                    bough_traffic *t;
                    bough_batch batch;
                    assert_int_equal(bough_traffic_create(p.net, "uniform", &t, NULL), BOUGH_OK);
                    assert_int_equal(bough_batch_read(t, bough_key_make(1, trial), &batch, NULL), BOUGH_OK);
                    for (uint64_t i = 0; i < batch.count; i++) {
                        uint64_t path[16];
                        bough_flow flow = {batch.source[i], batch.address[i], i};
                        if (p.routing->kind->oblivious)
                            expected += bough_path(p.routing, &flow, path, 16) == 0;
                        else
                            expected += !p.net->ops->reaches(p.net, flow.source, flow.address);
                    }
                    if (unrouted != expected && !(m == 3 && p.routing->kind->oblivious))
                        fail_msg("%s %s %s: %g unrouted, not %g", faults[f], routing[r], method[m], unrouted,
                                 expected);
                    assert_int_equal(rows.outcome, unrouted > 0 ? BOUGH_RUN_PARTIAL : BOUGH_RUN_OK);
                    bough_batch_fini(&batch);
                    bough_traffic_destroy(t);
                    bough_rows_fini(&rows);
                }
            leave(&p);
        }
}

/* Where nothing died the fast paths run, and say the same. */
static void no_faults_no_difference(void **state) {
    (void)state;
    static const struct {
        const char *net, *method;
    } known[] = {{"fattree:n=64", "circuit:mode=rounds"},
                 {"pruned:n=64", "sidetrack"},
                 {"sorting:n=128", "sortroute:degree=16"},
                 {"sorting:n=128", "layout"}};
    for (size_t k = 0; k < COUNT(known); k++) {
        place p = at(known[k].net, "links:share=0", "free");
        bough_point whole = point_make(known[k].net, "free", "uniform");
        bough_run *run = run_make(&whole, known[k].method);
        for (uint64_t trial = 0; trial < 5; trial++) {
            bough_rows a = ask(&p, "uniform", known[k].method, trial), b = run_once(run, trial);
            assert_int_equal(a.count, b.count);
            for (size_t i = 0; i < a.count; i++) assert_true(a.row[i].value == b.row[i].value);
            bough_rows_fini(&a);
            bough_rows_fini(&b);
        }
        bough_run_destroy(run);
        point_free(&whole);
        leave(&p);
    }
}

/* Where routes do not ascend, circuits can hold what others want for ever: the run ends and says so. */
static void circuits_that_keep_each_other_from_their_ways(void **state) {
    (void)state;
    static const struct {
        const char *net, *traffic, *method, *hint;
    } lock[] = {
        {"cube:n=8", "bitcomp", "circuit:mode=rounds",
         "or have no free path; mode=cycles,retry=backoff may help"},
        {"meshoftrees:n=4", "alltoall", "circuit:mode=cycles",
         "or have no free path; retry=backoff may help"},
        {"meshoftrees:n=4", "alltoall", "circuit:mode=cycles,retry=round",
         "or have no free path; retry=backoff may help"},
    };
    for (size_t k = 0; k < COUNT(lock); k++) {
        place p = at(lock[k].net, "links:share=10%,mode=rerouted", NULL);
        unsigned locked = 0;
        for (uint64_t trial = 0; trial < 20; trial++) {
            bough_rows rows = ask(&p, lock[k].traffic, lock[k].method, trial);
            if (rows.outcome == BOUGH_RUN_PARTIAL) {
                assert_non_null(strstr(rows.note, lock[k].hint));
                assert_true(row_value(&rows, BOUGH_METRIC_UNDELIVERED, BOUGH_NO_ROW_INDEX) > 0);
                locked++;
            }
            bough_rows_fini(&rows);
            rows = ask(&p, lock[k].traffic, "circuit:mode=cycles,retry=backoff", trial);
            assert_int_equal(rows.outcome, BOUGH_RUN_OK);
            bough_rows_fini(&rows);
        }
        assert_true(locked > 0);
        leave(&p);
    }
}

/* ---- worms and packets ---- */

static const struct {
    const char *net, *faults, *routing;
} worms[] = {
    {"bft:n=64", "links:share=10%,mode=rerouted", "free"},
    {"bft:n=16", "links:share=30%,mode=rerouted", "first"},
    {"kary:k=4,levels=3", "chips:share=20%,mode=rerouted", "free"},
    {"kary:k=4,levels=3", "links:share=20%,mode=rerouted", "least"},
    {"kary:k=4,levels=3", "links:share=20%,mode=rerouted", "dmodk"},
    {"xgft:down=4x4,up=1x2,links=1x3", "cables:share=40%,mode=rerouted", "free"},
    {FABRIC, "cables:share=10%,mode=rerouted", "free"},
};

/* Messages that have a route; more says how many of those that have none are put between them. */
static listed messages(const place *p, double load, uint32_t count, bool with_others, bough_key key,
                       uint32_t *others) {
    listed drawn = listed_poisson(p->net, load, count, 1, key), l = listed_make(count);
    uint32_t kept = 0;
    *others = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool routed = p->net->ops->reaches(p->net, drawn.message[i].source, drawn.message[i].address);
        *others += !routed;
        if (!routed && !with_others) continue;
        l.message[kept] = drawn.message[i];
        l.message[kept].id = kept;
        kept++;
    }
    l.count = l.ready = kept;
    listed_fini(&drawn);
    return l;
}

/* All through an engine: when they arrived, in the order of their ids, those that did. */
static uint64_t *arrivals(sim_engine *e, listed *l, bough_key key, uint64_t *count) {
    uint64_t *when = calloc(l->count + 1, sizeof *when), *in_order = calloc(l->count + 1, sizeof *in_order);
    sim_advance part = {.until = 1 << 24, .want = 64};
    bough_error error = {0};
    assert_true(when && in_order);
    listed_again(l);
    e->ops->start(e, key, &l->base);
    do {
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint64_t i = 0; i < part.count; i++) when[part.deliveries[i].id] = part.deliveries[i].arrived;
    } while (part.count);
    *count = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (when[i]) in_order[(*count)++] = when[i];
    free(when);
    return in_order;
}

static void worms_are_those_of_the_stepper(void **state) {
    (void)state;
    uint32_t dropped = 0;
    for (size_t i = 0; i < COUNT(worms); i++) {
        place p = at(worms[i].net, worms[i].faults, worms[i].routing);
        for (unsigned k = 0; k < 6; k++) {
            static const uint64_t flits[] = {1, 3, 8, 16, 2, 40};
            bough_key key = bough_key_make(i, k);
            uint32_t others, same;
            double load = 0.15 * (1 + k % 3) / (double)flits[k];
            listed clean = messages(&p, load, 400, false, key, &others),
                   mixed = messages(&p, load, 400, true, key, &same);
            worm_options o = {.flits = flits[k], .buffer = 1, .vcs = 1},
                         two = {.flits = flits[k], .buffer = 2, .vcs = 2, .credit = 1};
            worm_result slow;
            sim_engine *events, *switches;
            uint64_t count, again;
            worm_step(p.routing, &clean.base, flits[k], clean.count, 1 << 24, key, &slow);
            assert_int_equal(worm_events_make(p.routing, &o, 64, &events, NULL), BOUGH_OK);
            assert_int_equal(worm_switch_make(p.routing, &two, &switches, NULL), BOUGH_OK);
            uint64_t *a = arrivals(events, &clean, key, &count);
            assert_int_equal(count, clean.count);
            for (uint32_t m = 0; m < count; m++) assert_int_equal(a[m], slow.fate[m].delivered);
            uint64_t *b = arrivals(events, &mixed, key, &again);
            assert_int_equal(events->unrouted, others);
            assert_int_equal(again, count);
            assert_memory_equal(a, b, count * sizeof *a);
            free(a);
            free(b);
            a = arrivals(switches, &clean, key, &count);
            b = arrivals(switches, &mixed, key, &again);
            assert_int_equal(switches->unrouted, others);
            assert_int_equal(count, clean.count);
            assert_int_equal(again, count);
            assert_memory_equal(a, b, count * sizeof *a);
            dropped += others;
            free(a);
            free(b);
            free(slow.fate);
            events->ops->destroy(events);
            switches->ops->destroy(switches);
            listed_fini(&clean);
            listed_fini(&mixed);
        }
        leave(&p);
    }
    assert_true(dropped > 100);
}

static void packets_take_the_ways_that_are_left(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(worms); i++) {
        place p = at(worms[i].net, worms[i].faults, worms[i].routing);
        uint32_t others;
        bough_key key = bough_key_make(i, 9);
        listed l = messages(&p, 0.2, 500, false, key, &others);
        packet_result r;
        packet_step(p.routing, &l.base, l.count, 1 << 20, key, &r);
        assert_int_equal(r.count, l.count);
        for (uint32_t m = 0; m < r.count; m++) assert_true(r.fate[m].arrived);
        free(r.fate);
        listed_fini(&l);
        leave(&p);
    }
}

/* The model leaves the messages out that the engine drops, and then they agree at a low load. */
static void queueing_agrees_with_worms(void **state) {
    (void)state;
    place p = at("bft:n=64", "links:share=8%,mode=rerouted", "free");
    static const char stream[] = "poisson:load=0.01,flits=16";
    double model = value(&p, stream, "queueing", 0, BOUGH_METRIC_LATENCY),
           worm = value(&p, stream, "worm:messages=100000", 0, BOUGH_METRIC_LATENCY);
    assert_close(model, worm, 0.01);
    assert_close(value(&p, stream, "queueing", 0, BOUGH_METRIC_DISTANCE),
                 value(&p, stream, "worm:messages=100000", 0, BOUGH_METRIC_DISTANCE), 0.01);
    double accepted = value(&p, stream, "queueing", 0, BOUGH_METRIC_ACCEPTED),
           connected = value(&p, NULL, "connectivity", 0, BOUGH_METRIC_CONNECTED);
    assert_near(accepted, 0.01 * connected, 1e-12);
    assert_true(connected < 1);
    bough_rows rows = ask(&p, stream, "queueing", 0);
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    assert_non_null(strstr(rows.note, "have no route"));
    bough_rows_fini(&rows);
    leave(&p);
}

/* ---- loads, checks, deadlocks ---- */

/* Everything that arrives crosses as many links as its path has; nothing crosses a dead one. */
static void loads_avoid_the_dead(void **state) {
    (void)state;
    static const char *const faults[] = {"links:share=15%", "links:share=15%,mode=rerouted",
                                         "cables:share=20%,mode=blind"},
                             *const routing[] = {"free", "dmodk", "hash"};
    for (size_t f = 0; f < COUNT(faults); f++)
        for (size_t r = 0; r < COUNT(routing); r++) {
            place p = at("kary:k=4,levels=3", faults[f], routing[r]);
            bough_check_options o = {.memory = &memory, .threads = 1};
            bough_check_result c;
            bough_findings findings = {0};
            assert_int_equal(bough_check_routing(p.routing, &o, &c, &findings, NULL), BOUGH_OK);
            for (uint64_t l = 0; l < p.net->links; l++)
                if (!bough_link_alive(p.net, l)) assert_true(c.load[l] == 0);
            uint64_t sure = 0;
            for (uint64_t s = 0; s < 64; s++)
                for (uint64_t a = 0; a < 64; a++) {
                    uint64_t path[16];
                    if (s == a) continue;
                    sure += r ? bough_path(p.routing, &(bough_flow){s, a, 0}, path, 16) > 0
                              : p.net->ops->reaches(p.net, s, a);
                }
            if (r || f == 1)
                assert_int_equal(c.routed, sure);
            else
                assert_true(c.routed < sure); /* some choices of some pairs break off */
            assert_int_equal(c.no_entry, c.pairs - c.routed);
            double max = value(&p, "alltoall", "linkload", 0, BOUGH_METRIC_LINK_LOAD_MAX);
            if (r == 1 && c.routed < c.pairs)
                assert_true(max >= c.alltoall_max); /* the check leaves out paths that do not arrive */
            else if (r != 2)
                assert_near(max, c.alltoall_max, 1e-9 * max); /* a hash sees other keys in a batch */
            arena_fini(&memory);
            bough_findings_fini(&findings);
            leave(&p);
        }
}

/* Ranks of routes found anew are given only where they ascend; where not, the search still finds no ring in
 * trees, and one in a ring. */
static void deadlocks_of_what_is_left(void **state) {
    (void)state;
    bough_link_cycle cycle;
    for (size_t i = 0; i < COUNT(worms); i++) {
        place p = at(worms[i].net, worms[i].faults, worms[i].routing);
        assert_int_equal(bough_deadlock_find(p.routing, &cycle, NULL), BOUGH_OK);
        assert_int_equal(cycle.count, 0);
        if (bough_routing_ordered(p.routing)) { /* as it would be without them */
            bough_net copy = *p.net;
            bough_routing same = *p.routing;
            copy.capabilities &= ~(unsigned)BOUGH_HAS_ORDER;
            same.net = &copy;
            assert_int_equal(bough_deadlock_find(&same, &cycle, NULL), BOUGH_OK);
            assert_int_equal(cycle.count, 0);
        }
        leave(&p);
    }
    static const char *const ring[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",
                                       "H1 lid 11", "H2 lid 12", "H3 lid 13", "H4 lid 14", "S1:1 S2:2",
                                       "S2:1 S3:2", "S3:1 S4:2", "S4:1 S1:2", "S1:5 S5:1", "S2:5 S5:2",
                                       "S3:5 S5:3", "S4:5 S5:4", "H1:1 S1:9", "H2:1 S2:9", "H3:1 S3:9",
                                       "H4:1 S4:9", NULL};
    bough_net *base = fabric_net(ring, NULL), *net;
    bough_routing *r = routing_make(base, "free");
    assert_int_equal(bough_deadlock_find(r, &cycle, NULL), BOUGH_OK);
    bool before = cycle.count > 0;
    bough_link_cycle_fini(&cycle);
    bough_routing_destroy(r);
    assert_int_equal(bough_net_with_faults(base, "name:S5,mode=rerouted", &net, NULL), BOUGH_OK);
    r = routing_make(net, "free");
    assert_int_equal(bough_deadlock_find(r, &cycle, NULL), BOUGH_OK);
    assert_true(before && cycle.count == 4);
    bough_link_cycle_fini(&cycle);
    bough_routing_destroy(r);
    bough_net_destroy(net);
    bough_net_destroy(base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(a_coin_decides),
        cmocka_unit_test(alone_an_attempt_is_a_random_walk),
        cmocka_unit_test(circuits_give_up_what_has_no_route),
        cmocka_unit_test(no_faults_no_difference),
        cmocka_unit_test(circuits_that_keep_each_other_from_their_ways),
        cmocka_unit_test(worms_are_those_of_the_stepper),
        cmocka_unit_test(packets_take_the_ways_that_are_left),
        cmocka_unit_test(queueing_agrees_with_worms),
        cmocka_unit_test(loads_avoid_the_dead),
        cmocka_unit_test(deadlocks_of_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
