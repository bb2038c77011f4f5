/* Connectivity: by hand, against looking at every pair, and samples against the whole. */
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/fault_oracle.h"
#include "support/faulty_nets.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.updn.lfts.gz"

static bough_point place(const char *spec, const char *faults, const char *routing, bough_net **whole) {
    bough_net *net;
    bough_error error = {0};
    *whole = net_make(spec);
    if (bough_net_with_faults(*whole, faults, &net, &error)) fail_msg("%s: %s", faults, error.reason);
    return (bough_point){net, routing_make(net, routing), NULL};
}

static void leave(bough_point *p, bough_net *whole) {
    point_free(p);
    bough_net_destroy(whole);
}

static double ask(const bough_point *p, const char *method, bough_metric_id metric) {
    bough_rows rows = rows_of(p, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    return value;
}

static void what_does_not_fit(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=16", "valiant", NULL);
    run_refused(&p, "connectivity", BOUGH_UNSUPPORTED, "intermediate node");
    point_free(&p);
    p = point_make("fattree:n=16", "random", NULL);
    run_refused(&p, "connectivity:any=2", BOUGH_INVALID, "any=2");
    run_refused(&p, "connectivity:sample=-1", BOUGH_INVALID, "sample");
    point_free(&p);
    p = point_make("kary:k=2,levels=1", "random", NULL);
    assert_true(ask(&p, "connectivity", BOUGH_METRIC_CONNECTED) == 1);
    point_free(&p);
}

/* Two leaves of two, two spines. Leaf 0 can go up to spine 0 only, and only spine 1 comes down to leaf 1: by
 * the tree's routes nobody of leaf 0 comes to leaf 1, and no path of any kind does either. With a third leaf
 * one does: down to it and up again. */
static void up_here_and_down_there(void **state) {
    (void)state;
    for (unsigned leaves = 2; leaves <= 3; leaves++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:down=2x%u,up=1x2", leaves);
        bough_net *base = net_make(spec), *net;
        uint64_t n = 2 * leaves, leaf0 = n, leaf1 = n + 1, dead[4] = {0};
        for (uint64_t l = 0; l < base->links; l++) {
            uint64_t from = bough_link_start(base, l), to = base->ops->link_end(base, l).node;
            if ((from == leaf0 && to == n + leaves + 1) || (from == n + leaves && to == leaf1))
                dead[l / 64] |= UINT64_C(1) << l % 64;
        }
        net = net_without(base, (fault_bits){.dead = dead});
        bough_point p = {net, routing_make(net, "random"), NULL};
        double pairs = (double)(n * (n - 1));
        assert_true(ask(&p, "connectivity", BOUGH_METRIC_PAIRS_LOST) == 4);
        assert_near(ask(&p, "connectivity", BOUGH_METRIC_CONNECTED), 1 - 4 / pairs, 1e-15);
        assert_near(ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED_ANY),
                    leaves == 2 ? 1 - 4 / pairs : 1, 1e-15);
        point_free(&p);
        bough_net_destroy(base);
    }
}

/* Every pair on its own: by the oracle, by paths, by the closure of all live links. */
static double slowly(const bough_point *p, const bough_net *base) {
    const bough_net *net = p->net;
    uint64_t words = base->links / 64 + 1, connected = 0, *cut = calloc(words, 8), path[64];
    assert_non_null(cut);
    for (uint64_t l = 0; l < net->links; l++)
        if (!bough_link_alive(net, l) || bough_link_lost(net, l)) cut[l / 64] |= UINT64_C(1) << l % 64;
    fault_oracle o = fault_oracle_make(base, cut, cut);
    for (uint64_t a = 0; a < net->addresses; a++)
        for (uint64_t s = 0; s < net->endpoints; s++) {
            bough_flow flow = {s, a, 0};
            if (bough_address_node(net, a) == s) continue;
            connected += p->routing->kind->oblivious ? bough_path(p->routing, &flow, path, 64) > 0
                                                     : oracle_leads(&o, s, a, true);
        }
    fault_oracle_free(&o);
    free(cut);
    return (double)connected;
}

static double closure(const bough_net *net) {
    uint64_t n = net->nodes, joined = 0;
    uint8_t *reach = calloc(n * n, 1);
    assert_non_null(reach);
    for (uint64_t v = 0; v < n; v++) reach[v * n + v] = 1;
    for (bool more = true; more;) {
        more = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
            if (!bough_link_alive(net, l) || bough_link_lost(net, l)) continue;
            for (uint64_t s = 0; s < n; s++) {
                bool through = s == from || bough_is_switch(net, from);
                if (reach[s * n + from] && through && !reach[s * n + to]) reach[s * n + to] = 1, more = true;
            }
        }
    }
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t a = 0; a < net->addresses; a++)
            joined += bough_address_node(net, a) != s && reach[s * n + bough_address_node(net, a)];
    free(reach);
    return (double)joined;
}

static void every_pair_agrees(void **state) {
    (void)state;
    static const char *const nets[] = {"bft:n=16", "kary:k=3,levels=3", "xgft:down=3x4,up=2x2,links=1x2",
                                       FABRIC},
                             *const faults[] = {"links:share=8%", "links:share=25%",
                                                "cables:share=20%,mode=blind", "links:share=30%,level=0",
                                                "cables:share=30%,mode=rerouted"},
                             *const routings[] = {"random", "hash", "dmodk", TABLES};
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t f = 0; f < COUNT(faults); f++)
            for (size_t r = 0; r < COUNT(routings); r++) {
                bough_net *whole;
                if ((n == 3 && r == 2) || (n < 3 && r == 3)) continue;
                if (n == 3 && r == 0 && f == 4) continue; /* ways found anew are not those the oracle knows */
                bough_point p = place(nets[n], faults[f], routings[r], &whole);
                double all = (double)(whole->endpoints * whole->addresses - whole->addresses),
                       connected = slowly(&p, whole);
                assert_near(ask(&p, "connectivity", BOUGH_METRIC_CONNECTED), connected / all, 1e-12);
                assert_true(ask(&p, "connectivity:any=1", BOUGH_METRIC_PAIRS_LOST) == all - connected);
                assert_near(ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED_ANY), closure(p.net) / all,
                            1e-12);
                leave(&p, whole);
            }
}

/* Without faults too: a fabric in two parts. */
static void a_fabric_in_two_parts(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12", "H3 lid 13",
                                        "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1", NULL};
    bough_net *net = fabric_net(lines, NULL);
    bough_point p = {net, routing_make(net, "random"), NULL};
    assert_near(ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED), 2.0 / 6, 1e-15);
    assert_near(ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED_ANY), 2.0 / 6, 1e-15);
    assert_true(ask(&p, "connectivity", BOUGH_METRIC_PAIRS_LOST) == 4);
    point_free(&p);
}

/* A sample of addresses has the mean of all of them. */
static void samples_have_the_mean(void **state) {
    (void)state;
    bough_net *whole;
    bough_point p = place("bft:n=256", "links:share=8%", "random", &whole);
    double exact = ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED),
           any = ask(&p, "connectivity:any=1", BOUGH_METRIC_CONNECTED_ANY);
    bough_run *run = run_make(&p, "connectivity:sample=10,any=1"), *all = run_make(&p, "connectivity:any=1");
    assert_true(bough_run_exact(all));
    assert_false(bough_run_exact(run));
    bough_stats s = run_trials(run, 3, 400, BOUGH_METRIC_CONNECTED),
                t = run_trials(run, 3, 400, BOUGH_METRIC_CONNECTED_ANY);
    assert_true(exact < 0.99 && s.max > s.min);
    assert_near(s.mean, exact, 2 * bough_stats_ci95(&s));
    assert_near(t.mean, any, 2 * bough_stats_ci95(&t));
    bough_run_destroy(run);
    bough_run_destroy(all);
    leave(&p, whole);
}

/* What an endpoint misses is counted, not looked at pair by pair: at 65536 endpoints too. */
static void large_ones_are_exact(void **state) {
    (void)state;
    bough_net *whole;
    bough_point p = place("bft:n=65536", "links:share=0.5%", "random", &whole);
    bough_run *run = run_make(&p, "connectivity"), *sampled = run_make(&p, "connectivity:any=1");
    assert_true(bough_run_exact(run));
    assert_false(bough_run_exact(sampled));
    double connected = ask(&p, "connectivity", BOUGH_METRIC_CONNECTED);
    bough_run *some = run_make(&p, "connectivity:sample=8");
    bough_stats s = run_trials(some, 5, 20, BOUGH_METRIC_CONNECTED);
    assert_true(connected < 1 && connected > 0.99);
    assert_near(s.mean, connected, 3 * bough_stats_ci95(&s));
    bough_run_destroy(run);
    bough_run_destroy(sampled);
    bough_run_destroy(some);
    leave(&p, whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit),     cmocka_unit_test(up_here_and_down_there),
        cmocka_unit_test(every_pair_agrees),     cmocka_unit_test(a_fabric_in_two_parts),
        cmocka_unit_test(samples_have_the_mean), cmocka_unit_test(large_ones_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
