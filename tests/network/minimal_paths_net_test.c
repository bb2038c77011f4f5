/* Networks in flat arrays: small ones whose groups, routes, levels and channels are done by hand, then routes
 * against distances found another way on recorded, irregular fabrics. */
#include "network/imported/minimal_paths_net.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void checked(const bough_net *net, uint64_t pairs) {
    bough_error error;
    if (bough_net_check(net, pairs, &error)) fail_msg("%s: %s", net->spec, error.reason);
}

static uint64_t node_named(const bough_net *net, const char *name) {
    char have[128];
    for (uint64_t v = 0; v < net->nodes; v++)
        if (strcmp(bough_node_name(net, v, have, sizeof have), name) == 0) return v;
    fail_msg("no node %s", name);
    return 0;
}

/* The eligible ports at a node towards an endpoint, as text: "5 6". */
static const char *ports_towards(const bough_net *net, const char *node, const char *endpoint) {
    static char text[256];
    bough_route route = {0};
    uint64_t v = node_named(net, node);
    size_t used = 0;
    net->ops->route(net, v, bough_endpoint_address(net, node_named(net, endpoint)), &route);
    text[0] = 0;
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        assert_true(bough_link_start(net, link) == v);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "",
                                 net->ops->link_port(net, link));
    }
    return text;
}

/* ---- by hand ---- */

/* Two leaves; S8 has two cables to each, S9 one; H4 hangs on S2 alone. */
static const char *const tree[] = {"S1 lid 1",  "S2 lid 2",  "S8 lid 8",  "S9 lid 9",  "H1 lid 11",
                                   "H2 lid 12", "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2",
                                   "H3:1 S2:1", "H4:1 S2:2", "S1:5 S8:1", "S1:6 S8:2", "S2:5 S8:3",
                                   "S2:6 S8:4", "S1:7 S9:1", "S2:7 S9:2", NULL};

static void a_small_tree(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL);
    checked(net, 1000);
    assert_int_equal(net->endpoints, 4);
    assert_int_equal(net->switches, 4);
    assert_int_equal(net->cables, 6);
    assert_int_equal(net->links, 2 * (4 + 6));
    assert_int_equal(net->levels, 2);
    assert_int_equal(net->hops_max, 4);
    assert_true(net->capabilities & BOUGH_HAS_ORDER && net->capabilities & BOUGH_HAS_RATES &&
                net->capabilities & BOUGH_HAS_TABLES);
    /* the three ways up serve equally well */
    assert_string_equal(ports_towards(net, "S1", "H3"), "5 6 7");
    assert_string_equal(ports_towards(net, "S1", "H2"), "2");
    assert_string_equal(ports_towards(net, "S8", "H1"), "1 2");
    assert_string_equal(ports_towards(net, "S9", "H1"), "1");
    assert_string_equal(ports_towards(net, "H1", "H4"), "1");
    assert_int_equal(net->group_max, 3);
    /* groups: one a host, S1: 2 hosts + up, S2 the same, S8: 2 down, S9: 2 down */
    assert_int_equal(net->groups, 4 + 3 + 3 + 2 + 2);
    bough_net_destroy(net);
}

static void channels_of_a_small_tree(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL);
    for (uint64_t e = 0; e < 4; e++) {
        assert_int_equal(net->ops->subtree(net, 0, e), e);
        assert_int_equal(net->ops->subtree(net, 1, e), e / 2);
        assert_int_equal(net->ops->subtree(net, 2, e), 0);
        assert_int_equal(net->ops->channel_capacity(net, 0, e), 1);
    }
    assert_int_equal(net->ops->channel_capacity(net, 1, 0), 3);
    assert_int_equal(net->ops->channel_capacity(net, 1, 1), 3);
    assert_int_equal(net->ops->channel_capacity(net, 2, 0), 0);
    bough_net_destroy(net);
}

/* H9 on the spine S9, which stays one. */
static void a_host_on_a_spine(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S8 lid 8",  "S9 lid 9",  "H1 lid 11",
                                        "H2 lid 12", "H9 lid 19", "H1:1 S1:1", "H2:1 S2:1", "S1:5 S8:1",
                                        "S2:5 S8:2", "S1:7 S9:1", "S2:7 S9:2", "H9:1 S9:3", NULL};
    bough_net *net = fabric_net(lines, NULL);
    checked(net, 1000);
    assert_int_equal(net->ops->node_level(net, node_named(net, "S9")), 2);
    assert_int_equal(net->ops->node_level(net, node_named(net, "S8")), 2);
    assert_int_equal(bough_link_direction(net, bough_net_link_at(net, node_named(net, "S1"), 7)), 1);
    assert_int_equal(bough_link_direction(net, bough_net_link_at(net, node_named(net, "S8"), 1)), -1);
    assert_string_equal(ports_towards(net, "S1", "H9"), "7");
    assert_string_equal(ports_towards(net, "S1", "H2"), "5 7");
    bough_net_destroy(net);
}

static void islands_do_not_know_each_other(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "H1 lid 11", "H2 lid 12",
                                        "H1:1 S1:1", "H2:1 S2:1", "S2:5 S3:5", NULL};
    bough_net *net = fabric_net(lines, NULL);
    checked(net, 1000);
    assert_string_equal(ports_towards(net, "S1", "H2"), "");
    assert_string_equal(ports_towards(net, "S3", "H2"), "5");
    assert_string_equal(ports_towards(net, "S3", "H1"), "");
    assert_int_equal(net->hops_max, 2);
    bough_net_destroy(net);
}

/* A ring of five: routes are minimal, ways round it that are equally short do not exist, and no ranks are
 * needed for a fabric to be one. */
static void a_ring(void **state) {
    (void)state;
    static const char *const lines[] = {
        "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",  "H1 lid 11", "H2 lid 12",
        "H3 lid 13", "H4 lid 14", "H5 lid 15", "H1:1 S1:1", "H2:1 S2:1", "H3:1 S3:1", "H4:1 S4:1",
        "H5:1 S5:1", "S1:2 S2:3", "S2:2 S3:3", "S3:2 S4:3", "S4:2 S5:3", "S5:2 S1:3", NULL};
    bough_net *net = fabric_net(lines, NULL);
    checked(net, 1000);
    assert_string_equal(ports_towards(net, "S1", "H2"), "2");
    assert_string_equal(ports_towards(net, "S1", "H3"), "2");
    assert_string_equal(ports_towards(net, "S1", "H4"), "3");
    assert_int_equal(net->levels, 1);
    assert_int_equal(net->hops_max, 4);
    assert_false(net->capabilities & BOUGH_HAS_ORDER); /* clockwise routes close a circle of waiting */
    bough_net_destroy(net);
}

static void a_cable_to_itself_is_never_used(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12", "H1:1 S1:1",
                                        "H2:1 S2:1", "S1:5 S2:5", "S1:8 S1:9", NULL};
    bough_net *net = fabric_net(lines, NULL);
    checked(net, 1000);
    assert_int_equal(net->cables, 2);
    assert_string_equal(ports_towards(net, "S1", "H2"), "5");
    bough_net_destroy(net);
}

static void parallel_cables_are_one_group(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 11", "H2 lid 12", "H1:1 S1:1",
                                        "H2:1 S2:1", "S1:9 S2:5", "S1:5 S2:6", "S1:7 S2:9", NULL};
    bough_net *net = fabric_net(lines, NULL);
    checked(net, 1000);
    assert_string_equal(ports_towards(net, "S1", "H2"), "5 7 9"); /* by port */
    uint64_t l5 = bough_net_link_at(net, 2, 5), l9 = bough_net_link_at(net, 2, 9);
    assert_true(net->ops->link_group(net, l5) == net->ops->link_group(net, l9) && l9 == l5 + 2);
    assert_true(net->ops->link_twin(net, l5) == bough_net_link_at(net, 3, 6));
    assert_int_equal(net->ops->link_end(net, l5).port, 6);
    assert_true(bough_net_link_at(net, 2, 6) == BOUGH_NONE);
    assert_true(bough_net_link_at(net, 2, 200) == BOUGH_NONE);
    bough_net_destroy(net);
}

/* ---- recorded fabrics ---- */

/* Distances to an endpoint over all links, by relaxation until nothing changes. */
static void relax(const bough_net *net, uint64_t target, uint32_t *distance) {
    for (uint64_t v = 0; v < net->nodes; v++) distance[v] = v == target ? 0 : 1000;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
            if (to < net->endpoints && to != target) continue; /* nothing goes through a host */
            if (distance[to] + 1 < distance[from]) distance[from] = distance[to] + 1, changed = true;
        }
    }
}

/* Every eligible link is one step nearer, and every link that is one step nearer is eligible. */
static void routes_are_all_minimal_ones(const char *name) {
    char *path = data_path(name);
    if (!path) return;
    char *spec = spec_of("ibnet", path);
    bough_net *net = net_make(spec);
    uint32_t *distance = malloc(net->nodes * sizeof *distance), longest = 0;
    checked(net, 20000);
    for (uint64_t e = 0; e < net->endpoints; e += 1 + net->endpoints / 60) {
        relax(net, e, distance);
        for (uint64_t v = 0; v < net->nodes; v++) {
            bough_route route = {0};
            uint32_t nearer = 0;
            if (v == e) continue;
            net->ops->route(net, v, bough_endpoint_address(net, e), &route);
            for (uint32_t i = 0; i < route.count; i++)
                assert_int_equal(distance[net->ops->link_end(net, bough_route_link(&route, i)).node] + 1,
                                 distance[v]);
            for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++) {
                bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, g));
                for (uint64_t l = r.first; l < r.first + r.count; l++) {
                    uint64_t to = net->ops->link_end(net, l).node;
                    nearer += distance[to] + 1 == distance[v] && (to >= net->endpoints || to == e);
                }
            }
            assert_int_equal(route.count, nearer);
            if (v < net->endpoints && distance[v] < 1000 && distance[v] > longest) longest = distance[v];
        }
    }
    assert_true(longest <= net->hops_max && longest > 0);
    free(distance);
    bough_net_destroy(net);
    free(spec);
    free(path);
}

static void recorded_fabrics_have_all_minimal_routes(void **state) {
    (void)state;
    static const char *const names[] = {"example:cluster.ibnetdiscover",    "fabrics/psmn-x5.ibnetdiscover",
                                        "fabrics/plafrim2-a.ports",         "fabrics/monch.orcs.dot",
                                        "ibsim/ft3-128-cut5.ibnetdiscover", "fabrics/avakas.ports"};
    for (size_t i = 0; i < COUNT(names); i++) routes_are_all_minimal_ones(names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_tree),
        cmocka_unit_test(channels_of_a_small_tree),
        cmocka_unit_test(a_host_on_a_spine),
        cmocka_unit_test(islands_do_not_know_each_other),
        cmocka_unit_test(a_ring),
        cmocka_unit_test(a_cable_to_itself_is_never_used),
        cmocka_unit_test(parallel_cables_are_one_group),
        cmocka_unit_test(recorded_fabrics_have_all_minimal_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
