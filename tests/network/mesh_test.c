/* The families `mesh` and `torus`: by hand, against paths that are walked coordinate by coordinate, and
 * without deadlock where that is promised. */
#include "routing/deadlock.h"
#include "routing/routing.h"
#include "support/specs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const specs[] = {
    "mesh:dims=2",
    "mesh:dims=7",
    "mesh:dims=4x4",
    "mesh:dims=5x3x2",
    "mesh:dims=2x2x2x2x2",
    "torus:dims=3",
    "torus:dims=4x4",
    "torus:dims=5x2x3",
    "torus:dims=6x5,classes=2",
    "torus:dims=4x2x3,classes=2",
    "torus:dims=4x4,oneway=1",
    "torus:dims=2x2,oneway=1",
    "torus:dims=5x3x2,oneway=1,classes=2",
    "torus:dims=2,oneway=1,classes=2",
};

/* ---- bad input ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    net_refused("mesh", BOUGH_INVALID, "needs dims=");
    net_refused("torus", BOUGH_INVALID, "needs dims=");
    net_refused("mesh:dims=1", BOUGH_INVALID, "dims must lie between 2 and");
    net_refused("mesh:dims=4x0", BOUGH_INVALID, "dims must lie between 2 and");
    net_refused("mesh:dims=4x-4", BOUGH_INVALID, "dims");
    net_refused("mesh:dims=4x", BOUGH_INVALID, "dims");
    net_refused("mesh:dims=65537", BOUGH_INVALID, "dims must lie between 2 and");
    net_refused("mesh:dims=2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", BOUGH_INVALID, "dims");
    net_refused("mesh:dims=65536x65536x65536x65536", BOUGH_TOO_LARGE, "mesh: more than 2^52 nodes");
    net_refused("torus:dims=65536x65536x65536x65536x65536x65536", BOUGH_TOO_LARGE, "torus: more than 2^52");
    net_refused("mesh:dims=4x4,classes=2", BOUGH_INVALID, "no parameter 'classes'");
    net_refused("torus:dims=4x4,classes=0", BOUGH_INVALID, "classes must lie between 1 and 2");
    net_refused("torus:dims=4x4,classes=3", BOUGH_INVALID, "classes must lie between 1 and 2");
    net_refused("torus:dims=4x4,oneway=2", BOUGH_INVALID, "oneway");
}

/* ---- by hand ---- */

static void counts_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t nodes, links, cables;
        unsigned hops;
    } want[] = {
        {"mesh:dims=7", 7, 12, 6, 6},
        {"mesh:dims=4x4", 16, 48, 24, 6},
        {"mesh:dims=4x3x2", 24, 2 * (3 * 6 + 2 * 8 + 12), 46, 6},
        {"torus:dims=4x4", 16, 64, 32, 4},
        {"torus:dims=5x2", 10, 2 * (10 + 5), 15, 3}, /* two nodes are joined by one cable */
        {"torus:dims=4x4,classes=2", 16, 128, 64, 4},
        {"torus:dims=5x2,classes=2", 10, 2 * (20 + 5), 25, 3},
        {"torus:dims=4x4,oneway=1", 16, 32, 32, 6},
        {"torus:dims=4x4,oneway=1,classes=2", 16, 64, 64, 6},
        {"torus:dims=2x2,oneway=1", 4, 8, 8, 2},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_net *net = net_make(want[i].spec);
        if (net->nodes != want[i].nodes || net->links != want[i].links || net->cables != want[i].cables ||
            net->hops_max != want[i].hops)
            fail_msg("%s: %" PRIu64 " nodes, %" PRIu64 " links, %" PRIu64 " cables, %u hops", want[i].spec,
                     net->nodes, net->links, net->cables, net->hops_max);
        assert_true(net->endpoints == net->nodes && net->switches == net->nodes);
        bough_net_destroy(net);
    }
}

/* The names of the nodes on a path, the source first. */
static void path_is(const char *spec, uint64_t from, uint64_t to, const char *want) {
    bough_net *net = net_make(spec);
    char have[256], name[32];
    uint64_t node = from;
    size_t used = (size_t)snprintf(have, sizeof have, "%s", bough_node_name(net, node, name, sizeof name));
    for (unsigned hops = 0; node != to && hops < 10; hops++) {
        bough_route route;
        net->ops->route(net, node, to, &route);
        assert_int_equal(route.count, 1);
        assert_int_equal(bough_link_start(net, route.first), node);
        node = net->ops->link_end(net, route.first).node;
        used += (size_t)snprintf(have + used, sizeof have - used, " %s",
                                 bough_node_name(net, node, name, sizeof name));
    }
    if (strcmp(have, want) != 0) fail_msg("%s: '%s', not '%s'", spec, have, want);
    bough_net_destroy(net);
}

static void paths_by_hand(void **state) {
    (void)state;
    path_is("mesh:dims=4x3", 0, 11, "v0.0 v1.0 v2.0 v3.0 v3.1 v3.2");
    path_is("mesh:dims=4x3", 11, 0, "v3.2 v2.2 v1.2 v0.2 v0.1 v0.0");
    path_is("mesh:dims=4x3", 8, 3, "v0.2 v1.2 v2.2 v3.2 v3.1 v3.0");
    path_is("torus:dims=5x5", 0, 3 + 5 * 2, "v0.0 v4.0 v3.0 v3.1 v3.2");
    path_is("torus:dims=5x5", 4 + 5 * 3, 1, "v4.3 v0.3 v1.3 v1.4 v1.0");
    path_is("torus:dims=4", 0, 2, "v0 v1 v2"); /* halfway: even nodes up, odd ones down */
    path_is("torus:dims=4", 1, 3, "v1 v0 v3");
    path_is("torus:dims=4", 2, 0, "v2 v3 v0");
    path_is("torus:dims=4x4,oneway=1", 1, 0, "v1.0 v2.0 v3.0 v0.0");
    path_is("torus:dims=3x3,oneway=1,classes=2", 8, 4, "v2.2 v0.2 v1.2 v1.0 v1.1");
}

/* mesh:dims=3: the cables 0-1 and 1-2, each with a link up and a link down. */
static void links_of_a_line(void **state) {
    (void)state;
    static const struct {
        uint64_t from, to;
        uint32_t out, in, order;
    } want[] = {{0, 1, 0, 1, 0}, {1, 0, 1, 0, 1}, {1, 2, 0, 1, 1}, {2, 1, 1, 0, 0}};
    bough_net *net = net_make("mesh:dims=3");
    for (uint64_t l = 0; l < 4; l++) {
        bough_link_end end = net->ops->link_end(net, l);
        assert_int_equal(bough_link_start(net, l), want[l].from);
        assert_int_equal(end.node, want[l].to);
        assert_int_equal(end.port, want[l].in);
        assert_int_equal(net->ops->link_port(net, l), want[l].out);
        assert_int_equal(net->ops->group_order(net, l), want[l].order);
        assert_int_equal(net->ops->link_twin(net, l), l ^ 1);
        assert_int_equal(bough_link_direction(net, l), 0);
    }
    bough_net_destroy(net);
}

/* ---- what must hold ---- */

static void passes_the_check(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]), *again = net_make(net->spec);
        bough_error error = {0};
        if (bough_net_check(net, 1 << 16, &error)) fail_msg("%s: %s", specs[i], error.reason);
        assert_string_equal(net->spec, again->spec);
        bough_net_destroy(net);
        bough_net_destroy(again);
    }
}

/* Coordinates of a node, from its name. */
static unsigned coordinates(const bough_net *net, uint64_t node, unsigned *c) {
    char name[128], *at = name;
    unsigned count = 0;
    bough_node_name(net, node, name, sizeof name);
    while (*at++) c[count++] = (unsigned)strtoul(at, &at, 10);
    return count;
}

/* Hops between two nodes, from the definition of the network. */
static unsigned distance(const bough_net *net, const unsigned *size, uint64_t s, uint64_t t) {
    bool torus = net->spec[0] == 't', oneway = strstr(net->spec, "oneway=1");
    unsigned a[16], b[16], sum = 0, n = coordinates(net, s, a);
    coordinates(net, t, b);
    for (unsigned d = 0; d < n; d++) {
        unsigned up = (b[d] + size[d] - a[d]) % size[d], down = (size[d] - up) % size[d];
        unsigned direct = b[d] > a[d] ? b[d] - a[d] : a[d] - b[d];
        sum += oneway ? up : !torus ? direct : up < down ? up : down;
    }
    return sum;
}

/* Paths are shortest, and correct one dimension after the other. */
static void paths_are_minimal_and_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_routing *routing;
        unsigned size[16], c[16], farthest = 0;
        unsigned n = coordinates(net, net->nodes - 1, size);
        for (unsigned d = 0; d < n; d++) size[d]++;
        assert_int_equal(bough_routing_create(net, NULL, &routing, NULL), BOUGH_OK);
        assert_true(bough_routing_deterministic(routing));
        for (uint64_t s = 0; s < net->nodes; s++)
            for (uint64_t t = 0; t < net->nodes; t++) {
                uint64_t path[32];
                unsigned want = distance(net, size, s, t), target[16], done = 0;
                int length = bough_path(routing, &(bough_flow){.source = s, .address = t}, path, 32);
                assert_int_equal(length, want);
                if (want > farthest) farthest = want;
                coordinates(net, t, target);
                for (int k = 0; k < length; k++) {
                    coordinates(net, bough_link_start(net, path[k]), c);
                    unsigned first = 0;
                    while (c[first] == target[first]) first++;
                    assert_true(first >= done);
                    done = first;
                }
            }
        assert_int_equal(net->hops_max, farthest);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

/* Rings of one class have a cycle of waits once a path covers more than a link of them; two classes have
 * none. The search over all routes finds what group_order promises. */
static void deadlock_where_it_can_happen(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        bool cyclic;
    } want[] = {
        {"mesh:dims=4x4", false},
        {"mesh:dims=3x4x2", false},
        {"torus:dims=6x4", true},
        {"torus:dims=3x3", false}, /* no path crosses two links of a ring */
        {"torus:dims=4x4", false}, /* only from even nodes up, and from odd ones down */
        {"torus:dims=5", true},
        {"torus:dims=3,oneway=1", true},
        {"torus:dims=2,oneway=1", false},
        {"torus:dims=4x4,classes=2", false},
        {"torus:dims=7x5,classes=2", false},
        {"torus:dims=5x4,oneway=1,classes=2", false},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_net *net = net_make(want[i].spec);
        bough_routing *routing;
        bough_link_cycle cycle = {0};
        bool promised = net->capabilities & BOUGH_HAS_ORDER;
        assert_true(!promised || !want[i].cyclic);
        net->capabilities &= ~(unsigned)BOUGH_HAS_ORDER; /* search, whatever is promised */
        assert_int_equal(bough_routing_create(net, NULL, &routing, NULL), BOUGH_OK);
        assert_int_equal(bough_deadlock_find(routing, &cycle, NULL), BOUGH_OK);
        if ((cycle.count > 0) != want[i].cyclic)
            fail_msg("%s: a cycle of %" PRIu64 " links", want[i].spec, cycle.count);
        bough_link_cycle_fini(&cycle);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

/* All dimensions of two nodes: the hypercube, whose bits are corrected from the right. */
static void a_mesh_of_twos_is_the_hypercube(void **state) {
    (void)state;
    bough_net *net = net_make("mesh:dims=2x2x2x2"), *cube = net_make("cube:n=16,order=right");
    assert_int_equal(net->links, cube->links);
    for (uint64_t s = 0; s < 16; s++)
        for (uint64_t t = 0; t < 16; t++) {
            bough_route a, b;
            if (s == t) continue;
            net->ops->route(net, s, t, &a);
            cube->ops->route(cube, s, t, &b);
            assert_int_equal(net->ops->link_end(net, a.first).node, cube->ops->link_end(cube, b.first).node);
        }
    bough_net_destroy(net);
    bough_net_destroy(cube);
}

static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    bough_net *net = net_make("torus:dims=65536x65536x65536x16,classes=2");
    bough_step step = {0};
    uint64_t last = net->nodes - 1;
    bough_route route;
    assert_int_equal(net->nodes, UINT64_C(1) << 52);
    assert_int_equal(net->links, (UINT64_C(1) << 52) * 16);
    net->ops->route(net, 0, last, &route);
    net->ops->step(net, route.first, last, &step);
    assert_int_equal(step.node, 65535); /* one hop down, round the end */
    assert_int_equal(net->ops->link_end(net, net->links - 2).node,
                     (last / 65536 / 65536 / 65536 - 15) << 48 | (last & ((UINT64_C(1) << 48) - 1)));
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(counts_by_hand),
        cmocka_unit_test(paths_by_hand),
        cmocka_unit_test(links_of_a_line),
        cmocka_unit_test(passes_the_check),
        cmocka_unit_test(paths_are_minimal_and_in_order),
        cmocka_unit_test(deadlock_where_it_can_happen),
        cmocka_unit_test(a_mesh_of_twos_is_the_hypercube),
        cmocka_unit_test(absurd_sizes_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
