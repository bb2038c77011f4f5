/* bough_check_routing agrees with a walk through the tables themselves, with masses that move from node to
 * node, and with itself. */
#include "support/checked.h"
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

static arena memory; /* of results */

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void same_as_traced(const checked *c, const traced *t, const bough_net *net) {
    assert_int_equal(c->r.endpoints, t->endpoints);
    assert_int_equal(c->r.routed, t->routed);
    assert_int_equal(c->r.no_entry, t->no_entry);
    assert_int_equal(c->r.wrong_adapter, t->wrong_adapter);
    assert_int_equal(c->r.loops, t->loops);
    assert_memory_equal(c->r.hops, t->hops, sizeof t->hops);
    for (uint64_t l = 0; l < net->links; l++)
        assert_same(c->r.load[l], (double)t->load[bough_net_fabric_port(net, l)]);
    for (uint64_t k = 1; k < t->endpoints; k++) assert_same(c->r.shift[k], (double)t->shift[k]);
    assert_same(c->r.alltoall_max, (double)t->alltoall_max);
    assert_same(c->r.shift_max, (double)t->shift_max);
    assert_same(c->r.shift_mean, t->shift_mean);
    assert_int_equal(c->r.shift_worst_k, t->shift_worst_k);
}

/* What is known of a fabric under its tables; 0: not given. */
typedef struct figure {
    const char *fabric, *tables; /* of shared/data, or example:; tables NULL: the fabric's own */
    bool by_name, aggregation;
    uint64_t endpoints, switches, cables, routed, one, three, alltoall, shift;
    double mean;
} figure;

static const figure figures[] = {
    {"example:cluster.ibnetdiscover", "example:cluster.ftree.lfts.gz", true, false, 95, 12, 62, 8930, 1034,
     7896, 252, 4, 2.7553},
    {"example:cluster.ibnetdiscover", "example:cluster.updn.lfts.gz", true, false, 95, 12, 62, 8930, 1034,
     7896, 286, 5, 3.5532},
    {"example:cluster.ibnetdiscover", "example:cluster.ftree.lfts.gz", false, false, 95, 12, 62, 8930, 1034,
     7896, 0, 0, 0},
    {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz", false, false, 281, 25, 288, 78680, 4660, 74020, 332,
     6, 4.1393},
    {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz", true, false, 281, 25, 288, 78680, 4660, 74020, 332,
     0, 0},
    {"fabrics/plafrim2-a.ports", "fabrics/plafrim2-a.ibroute", false, false, 96, 7, 59, 7005, 0, 0, 0, 0, 0},
    {"fabrics/plafrim2-b.ports", "fabrics/plafrim2-b.ibroute", false, false, 23, 1, 0, 506, 506, 0, 22, 1, 1},
    {"fabrics/monch.orcs.dot", NULL, false, false, 393, 41, 413, 154056, 0, 0, 0, 0, 0},
    {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-ftree.lfts.gz", false, false, 89, 11, 70,
     7832, 0, 0, 0, 0, 0},
    {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-ftree.lfts.gz", false, false, 542, 40,
     532, 293222, 0, 0, 0, 0, 0},
    {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-ftree.lfts.gz", false, true, 582, 40,
     532, 337972, 0, 0, 0, 0, 0},
    {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-updn.lfts.gz", false, true, 582, 40, 532,
     337710, 0, 0, 0, 0, 0},
    {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.dfsssp.lfts", false, false, 16, 8, 16, 240, 0, 0, 0, 0, 0},
    {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.lash.lfts", false, false, 16, 20, 32, 240, 0, 0, 0, 0, 0},
    {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.ftree.fdbs", false, false, 16, 20, 32, 240, 0, 0, 15, 1, 1},
    {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.ftree.lfts.gz", false, false, 128, 80, 256, 16256, 0, 0,
     127, 1, 1},
    {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz", false, false, 128, 80, 256, 16256, 0, 0,
     448, 4, 0},
    {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.updn.lfts.gz", true, false, 128, 80, 251, 16256,
     0, 0, 0, 0, 0},
    {"ibsim/ft2-1024.ibnetdiscover.gz", "ibsim/ft2-1024.ftree.lfts.gz", false, false, 1024, 48, 1024, 1047552,
     0, 0, 1023, 1, 1},
};

static void known(uint64_t have, uint64_t want) {
    if (want) assert_int_equal(have, want);
}

static void compare_figure(const figure *g, const char *fabric_path, const char *tables_path) {
    bough_fabric_options options = {.order = g->by_name ? "name" : "lid", .aggregation = g->aggregation};
    bough_fabric fabric, again;
    bough_tables tables = {0};
    bough_findings findings = {0};
    bough_error error;
    bough_net *net;
    if (bough_fabric_read_file(&(bough_fabric_file){fabric_path}, &fabric, &error) ||
        bough_fabric_read_file(&(bough_fabric_file){fabric_path}, &again, &error))
        fail_msg("%s: %s", fabric_path, error.reason);
    if (tables_path &&
        bough_tables_read(&(bough_tables_file){tables_path}, &fabric, &tables, &findings, &error))
        fail_msg("%s: %s", tables_path, error.reason);
    if (bough_net_from_fabric(&again, &options, NULL, &net, &error))
        fail_msg("%s: %s", fabric_path, error.reason);
    char *spec = tables_path ? spec_of("lft", tables_path) : NULL;
    bough_routing *routing = routing_make(net, spec);
    traced t = trace_tables(&fabric, tables_path ? &tables : fabric.tables, g->by_name, g->aggregation);
    checked c = checked_make(routing, 0, 2);
    same_as_traced(&c, &t, net);
    known(net->endpoints, g->endpoints);
    known(net->switches, g->switches);
    assert_int_equal(net->cables, g->cables);
    known(c.r.routed, g->routed);
    known(c.r.hops[1], g->one);
    known(c.r.hops[3], g->three);
    known((uint64_t)c.r.alltoall_max, g->alltoall);
    known((uint64_t)c.r.shift_max, g->shift);
    if (g->mean != 0) assert_true(fabs(c.r.shift_mean - g->mean) < 5e-5);
    checked_free(&c);
    traced_free(&t);
    routing_free(routing);
    free(spec);
    bough_tables_fini(&tables);
    bough_findings_fini(&findings);
    bough_fabric_fini(&fabric);
}

static void recorded_fabrics_agree_with_a_walk_through_their_tables(void **state) {
    (void)state;
    size_t done = 0;
    for (size_t i = 0; i < COUNT(figures); i++) {
        char *fabric = data_path(figures[i].fabric),
             *tables = figures[i].tables ? data_path(figures[i].tables) : NULL;
        if (fabric && (tables || !figures[i].tables)) {
            compare_figure(&figures[i], fabric, tables);
            done++;
        }
        free(fabric);
        free(tables);
    }
    assert_true(done >= 3); /* the example is always there */
}

/* OpenSM's own order of the hosts, in which ftree promises shifts without collisions. */
static void the_order_of_opensm_is_taken(void **state) {
    (void)state;
    char *path = data_path("ibsim/ft3-128.ibnetdiscover"), *tables = data_path("ibsim/ft3-128.ftree.lfts.gz");
    char *order = data_path("ibsim/ft3-128.ftree.ca-order");
    if (!path || !tables || !order) skip();
    char *spec = spec_of("ibnet", path), *lft = spec_of("lft", tables), full[512];
    snprintf(full, sizeof full, "%s,order=\"%s\"", spec, order);
    bough_routing *routing = routing_make(net_make(full), lft);
    assert_int_equal(count_findings(&routing->net->fabric->findings, "order"), 0);
    checked c = checked_make(routing, 0, 1);
    assert_same(c.r.shift_max, 1);
    checked_free(&c);
    routing_free(routing);
    free(path);
    free(tables);
    free(order);
    free(spec);
    free(lft);
}

/* Expected loads by another way: the flow as a mass that leaves the source and halves, thirds, ... at each
 * node. */
static void move_mass(const bough_routing *routing, uint64_t source, uint64_t target, double *load) {
    const bough_net *net = routing->net;
    double *mass = calloc(net->nodes, sizeof *mass), *next = calloc(net->nodes, sizeof *next);
    bough_flow flow = {source, target, 0};
    mass[source] = 1;
    for (int step = 0; step < 20; step++) {
        memset(next, 0, net->nodes * sizeof *next);
        for (uint64_t v = 0; v < net->nodes; v++) {
            bough_route route;
            if (mass[v] == 0 || v == target) continue;
            bough_route_at(routing, v, &flow, &route);
            for (uint32_t i = 0; i < route.count; i++) {
                uint64_t link = bough_route_link(&route, i);
                load[link] += mass[v] / route.count;
                next[net->ops->link_end(net, link).node] += mass[v] / route.count;
            }
        }
        double *t = mass;
        mass = next;
        next = t;
    }
    free(mass);
    free(next);
}

static void moved_masses_agree(const char *network, const char *spec) {
    bough_routing *routing = routing_make(net_make(network), spec);
    const bough_net *net = routing->net;
    uint64_t n = net->endpoints;
    double *all = calloc(net->links, sizeof *all), *now = calloc(net->links, sizeof *now);
    checked c = checked_make(routing, 0, 1);
    for (uint64_t k = 1; k < n; k++) {
        double max = 0;
        memset(now, 0, net->links * sizeof *now);
        for (uint64_t i = 0; i < n; i++) move_mass(routing, i, (i + k) % n, now);
        for (uint64_t l = 0; l < net->links; l++) {
            all[l] += now[l];
            if (now[l] > max) max = now[l];
        }
        assert_same(c.r.shift[k], max);
    }
    for (uint64_t l = 0; l < net->links; l++) assert_same(c.r.load[l], all[l]);
    assert_int_equal(c.r.routed, n * (n - 1));
    uint64_t first = 1; /* of the shifts that differ from the worst by rounding only */
    while (c.r.shift[first] < c.r.shift_max * (1 - 1e-9)) first++;
    assert_int_equal(c.r.shift_worst_k, first);
    checked_free(&c);
    free(all);
    free(now);
    routing_free(routing);
}

static void shares_agree_with_moved_masses(void **state) {
    (void)state;
    moved_masses_agree("xgft:down=3x4,up=1x2,links=1x3", "random");
    moved_masses_agree("xgft:down=2x3x2,up=1x2x3", "random");
    moved_masses_agree("xgft:down=4x3,up=2x3", "random"); /* endpoints with two links */
    moved_masses_agree("kary:k=3,levels=3", "hash:key=7");
    moved_masses_agree("clos:radix=6,hosts=18", "dmodk");
    moved_masses_agree("xgft:down=4x3x2,up=1x2x2,hosts=19", "dmodk");
    moved_masses_agree("xgft:down=4x3,up=2x2,hosts=10", "random");
    moved_masses_agree("fattree:n=16", "random");
    char *path = data_path("example:cluster.ibnetdiscover"), *spec = spec_of("ibnet", path);
    moved_masses_agree(spec, "random"); /* irregular */
    free(spec);
    free(path);
}

/* D-mod-K gives every shift of a full tree one flow a link, and S-mod-K as well. */
static void modk_shifts_do_not_collide(void **state) {
    (void)state;
    static const char *const nets[] = {"kary:k=4,levels=3",
                                       "xgft:down=4x8,up=1x4",
                                       "xgft:down=4x4x2,up=1x4x4",
                                       "xgft:down=6x5,up=1x3,links=1x2",
                                       "fattree:n=64",
                                       "clos:radix=16,hosts=128"};
    for (size_t i = 0; i < COUNT(nets); i++) {
        static const char *const routings[] = {"dmodk", "smodk"};
        for (int k = 0; k < 2; k++) {
            bough_routing *routing = routing_make(net_make(nets[i]), routings[k]);
            checked c = checked_make(routing, 0, 2);
            if (c.r.shift_max != 1) fail_msg("%s %s: %g", nets[i], routings[k], c.r.shift_max);
            assert_same(c.r.alltoall_max, (double)(c.r.endpoints - 1));
            checked_free(&c);
            routing_free(routing);
        }
    }
}

static void threads_change_nothing(void **state) {
    (void)state;
    static const char *const points[][2] = {{"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "random"},
                                            {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "hash:key=3"},
                                            {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "smodk"},
                                            {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "dmodk"},
                                            {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "updn"},
                                            {"kary:k=4,levels=5", "dmodk"}};
    for (size_t i = 0; i < COUNT(points); i++) {
        bough_routing *routing = routing_make(net_make(points[i][0]), points[i][1]);
        checked one = checked_make(routing, 80, 1);
        for (unsigned threads = 2; threads < 5; threads++) {
            checked many = checked_make(routing, 80, threads);
            assert_memory_equal(one.r.load, many.r.load, routing->net->links * sizeof *one.r.load);
            assert_memory_equal(one.r.shift, many.r.shift, (one.r.endpoints + 1) * sizeof *one.r.shift);
            assert_memory_equal(&one.r.random, &many.r.random, sizeof one.r.random);
            assert_memory_equal(one.r.hops, many.r.hops, sizeof one.r.hops);
            assert_true(one.r.shift_mean == many.r.shift_mean && one.r.alltoall_max == many.r.alltoall_max);
            checked_free(&many);
        }
        checked_free(&one);
        routing_free(routing);
    }
}

static void permutations_depend_on_the_seed_only(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("kary:k=6,levels=2"), "dmodk");
    bough_check_result r[3];
    bough_findings findings = {0};
    bough_error error;
    for (int i = 0; i < 3; i++) {
        bough_check_options o = {.memory = &memory, .seed = i == 2 ? 8 : 7, .permutations = 50, .threads = 1};
        assert_int_equal(bough_check_routing(routing, &o, &r[i], &findings, &error), BOUGH_OK);
    }
    assert_memory_equal(&r[0].random, &r[1].random, sizeof r[0].random);
    assert_true(r[0].random.mean != r[2].random.mean);
    assert_true(r[0].random.mean > 1.5 && r[0].random.max <= 6);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    routing_free(routing);
}

typedef struct watch {
    int calls;
    double last;
} watch;

static void note(void *context, double share) {
    watch *w = context;
    w->calls++;
    w->last = share;
}

static void progress_ends_at_one(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("kary:k=4,levels=2"), "dmodk");
    watch w = {0};
    bough_check_options o = {.memory = &memory, .threads = 2, .progress = note, .progress_context = &w};
    bough_check_result r;
    bough_findings findings = {0};
    bough_error error;
    assert_int_equal(bough_check_routing(routing, &o, &r, &findings, &error), BOUGH_OK);
    assert_true(w.calls > 1);
    assert_same(w.last, 1);
    arena_fini(&memory);
    routing_free(routing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_fabrics_agree_with_a_walk_through_their_tables),
        cmocka_unit_test(the_order_of_opensm_is_taken),
        cmocka_unit_test(shares_agree_with_moved_masses),
        cmocka_unit_test(modk_shifts_do_not_collide),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(permutations_depend_on_the_seed_only),
        cmocka_unit_test(progress_ends_at_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
