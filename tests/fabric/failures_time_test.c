/* The slowdown of a failure is the ratio of the times that flow simulates, with and without the part. */
#include "fabric/failures/failures.h"
#include "method/metric.h"
#include "network/faults/faults.h"

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

/* Leaves with hosts under two spines, a cable to each. Without one spine or, of two leaves, without one cable
 * all paths are forced, so that every way of rerouting leads to the same loads. */
typedef struct tree {
    unsigned leaves, hosts; /* of a leaf */
    unsigned host_rate, switch_rate,
        slow_rate;       /* Gb/s; slow: of the cable of leaf 1 and spine 1; 0: no other */
    double spine, cable; /* slowdowns of the worst failure, by hand; cable 0: not asked */
} tree;

static const tree trees[] = {
    /* all-to-all: 3 flows on a host's link; a leaf sends 2 x 2 flows, 2 over each spine */
    {2, 2, 32, 32, 0, 4 / 3.0, 4 / 3.0},
    /* full: 31 flows of a host, 4 x 28 of a leaf over 2 spines are 56, without one 112 */
    {8, 4, 32, 32, 0, 2, 0},
    /* 7 of a host, 4 x 4 / 2 = 8 between switches, then 16 */
    {2, 4, 32, 32, 0, 2, 2},
    /* hosts limit in both states: 7 / 8 against 16 / 32 */
    {2, 4, 8, 32, 0, 1, 1},
    /* hosts limit before only: 7 / 16, then 16 / 32 */
    {2, 4, 16, 32, 0, 8 / 7.0, 8 / 7.0},
    /* the slow cable limits before: 8 / 8; the worst is that the other spine fails: 16 / 8 */
    {2, 4, 32, 32, 8, 2, 2},
};

static void put_cable(FILE *out, const char *from, const char *to, unsigned rate) {
    fprintf(out, "%s,%s,%uGb/s\n", from, to, rate);
}

/* A list of cables. */
static char *write_tree(const tree *t) {
    char *text = NULL, from[64], to[64];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("node,kind,port,node,kind,port,rate\n", out);
    for (unsigned l = 0; l < t->leaves; l++) {
        for (unsigned h = 0; h < t->hosts; h++) {
            snprintf(from, sizeof from, "h%u.%u,host,1", l, h);
            snprintf(to, sizeof to, "leaf%u,switch,%u", l, h + 1);
            put_cable(out, from, to, t->host_rate);
        }
        for (unsigned s = 0; s < 2; s++) {
            bool slow = t->slow_rate && l == 1 && s == 1;
            snprintf(from, sizeof from, "leaf%u,switch,%u", l, t->hosts + 1 + s);
            snprintf(to, sizeof to, "spine%u,switch,%u", s, l + 1);
            put_cable(out, from, to, slow ? t->slow_rate : t->switch_rate);
        }
    }
    fclose(out);
    return text;
}

static double flow_time(const bough_net *net) {
    bough_routing *routing = routing_make(net, "updn");
    bough_point point = {net, routing, traffic_make(net, "alltoall")};
    bough_rows rows = rows_of(&point, "flow:size=100MB"); /* the delay of the links does not count */
    double time = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    bough_traffic_destroy((bough_traffic *)point.traffic);
    bough_routing_destroy(routing);
    return time;
}

/* "name:spine0", "name:leaf0/5" */
static void name_failure(const bough_net *net, const bough_failure *r, char *fault, size_t size) {
    char name[100];
    if (r->link == BOUGH_NONE)
        snprintf(fault, size, "name:%s", bough_node_name(net, r->node, name, sizeof name));
    else
        snprintf(fault, size, "name:%s/%u",
                 bough_node_name(net, bough_link_start(net, r->link), name, sizeof name),
                 bough_port_number(net, net->ops->link_port(net, r->link)));
}

static void compare(const bough_net *net, const char *spec, double worst) {
    bough_routing *routing = routing_make(net, "updn");
    arena memory = {0};
    const bough_failures_options one = {.threads = 1, .memory = &memory};
    bough_failures *f;
    bough_failure_list list;
    bough_error error;
    double whole = flow_time(net);
    assert_int_equal(bough_failures_create(routing, &one, &f, &error), BOUGH_OK);
    assert_int_equal(bough_failures_each(f, spec, &one, &list, &error), BOUGH_OK);
    assert_same(list.item[0].rerouted.slowdown, worst);
    for (size_t i = 0; i < list.count; i++) {
        char fault[200];
        bough_net *left;
        name_failure(net, &list.item[i], fault, sizeof fault);
        if (bough_net_with_faults(net, fault, &left, &error)) fail_msg("%s: %s", fault, error.reason);
        assert_close(flow_time(left) / whole, list.item[i].rerouted.slowdown, 1e-3);
        bough_net_destroy(left);
    }
    arena_fini(&memory);
    bough_failures_destroy(f);
    bough_routing_destroy(routing);
}

static void slowdowns_are_those_of_flow(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        char *text = write_tree(&trees[i]);
        char *spec = spec_of("ibnet", temporary_file("tree.csv", text, 0));
        bough_net *net = net_make(spec);
        compare(net, "each:switch,of=spine", trees[i].spine);
        if (trees[i].cable > 0) compare(net, "each:cable", trees[i].cable);
        bough_net_destroy(net);
        free(spec);
        free(text);
    }
}

/* Without the part with slow cables it is faster, but only as far as the hosts allow. */
static void nothing_is_faster_where_hosts_limit(void **state) {
    (void)state;
    const struct {
        tree tree;
        double least; /* slowdown; 0: no part is named */
    } each[] = {
        {{2, 4, 32, 32, 8, 0, 0}, 0.5},  /* 8 / 8 with the slow cable, 16 / 32 without its spine */
        {{2, 4, 8, 32, 8, 0, 0}, 0.875}, /* then hosts limit: 7 / 8 */
        {{2, 4, 4, 32, 8, 0, 0}, 0},     /* they did before: 7 / 4 */
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        arena memory = {0};
        const bough_failures_options one = {.threads = 1, .memory = &memory};
        char *text = write_tree(&each[i].tree);
        char *spec = spec_of("ibnet", temporary_file("tree.csv", text, 0));
        bough_net *net = net_make(spec);
        bough_routing *routing = routing_make(net, "updn");
        bough_failures *f;
        bough_failure_list list;
        bough_error error;
        assert_int_equal(bough_failures_create(routing, &one, &f, &error), BOUGH_OK);
        assert_int_equal(bough_failures_each(f, "each:switch", &one, &list, &error), BOUGH_OK);
        const bough_failure *best = bough_failure_fastest(&list);
        assert_int_equal(best != NULL, each[i].least > 0);
        if (best) assert_same(best->rerouted.slowdown, each[i].least);
        arena_fini(&memory);
        bough_failures_destroy(f);
        routing_free(routing);
        free(spec);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowdowns_are_those_of_flow),
        cmocka_unit_test(nothing_is_faster_where_hosts_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
