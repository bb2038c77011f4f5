/* Switches that add: the invariants of networks, routes by hand, and trees against a search of their own. */
#include "network/aggregation/aggregation.h"
#include "network/faults/faults.h"
#include "routing/routing.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE     UINT32_MAX

/* A network with the parts of a setting; NULL: without them. */
typedef struct adding_net {
    bough_net *whole, *faulty, *gpus, *net;
    bough_physical *physical;
} adding_net;

static const bough_net *below(const adding_net *a) {
    return a->gpus ? a->gpus : a->faulty ? a->faulty : a->whole;
}

static adding_net adding_make(const char *spec, const char *faults, const char *setting) {
    adding_net a = {.whole = net_make(spec)};
    bough_error e;
    if (faults && bough_net_with_faults(a.whole, faults, &a.faulty, &e)) fail_msg("%s: %s", faults, e.reason);
    if (bough_physical_create(setting, &a.physical, &e)) fail_msg("%s: %s", setting, e.reason);
    bough_net_set_physical(a.faulty ? a.faulty : a.whole, a.physical);
    if (a.physical->node && bough_compute_nodes_create(below(&a), a.physical->node, &a.gpus, &e))
        fail_msg("%s, %s: %s", spec, setting, e.reason);
    if (bough_aggregation_create(below(&a), a.physical->sharp_delay, &a.net, &e))
        fail_msg("%s, %s: %s", spec, setting, e.reason);
    return a;
}

static void adding_free(adding_net *a) {
    bough_net_destroy(a->net);
    bough_net_destroy(a->gpus);
    bough_net_destroy(a->faulty);
    bough_net_destroy(a->whole);
    bough_physical_destroy(a->physical);
}

static const char *const networks[] = {
    "fattree:n=16",
    "xgft:down=4x4,up=1x2",
    "xgft:down=2x2x4,up=1x2x2,links=1x1x2",
    "xgft:down=4x2,up=2x2",
    "kary:k=2,levels=4",
    "clos:radix=8,hosts=30",
    "bft:n=16",
    "ibnet:" SOURCE_DIR "/examples/ethernet/leaf-spine.csv",
};

static const char *const settings[] = {
    "default:sharp=0ns",
    "ndr:sharp=70ns,host_rate=100Gb/s",
    "ndr:sharp=5ns,node=\"dgx-h100:gpus=4,nics=2\"",
    "ndr:sharp=5ns,node=\"pcie:gpus=2,nics=2\"",
};

static const char *const faults[] = {NULL, "links:share=15%", "links:share=15%,mode=rerouted",
                                     "links:share=15%,mode=blind", "chips:share=20%,mode=rerouted"};

/* ---- what is refused ---- */

static void wrong_ones_are_refused(void **state) {
    (void)state;
    bough_error e;
    bough_net *net;
    adding_net a = adding_make("fattree:n=4", NULL, "default:sharp=0ns");
    assert_int_equal(bough_aggregation_create(a.net, 0, &net, &e), BOUGH_INVALID);
    assert_null(net);
    assert_non_null(strstr(e.reason, "already"));
    adding_free(&a);
    bough_net *cube = net_make("cube:n=8");
    assert_int_equal(bough_aggregation_create(cube, 0, &net, &e), BOUGH_INVALID);
    assert_non_null(strstr(e.reason, "no live switches"));
    bough_net_destroy(cube);
    bough_net *wide = net_make("xgft:down=40000,up=1");
    assert_int_equal(bough_aggregation_create(wide, 0, &net, &e), BOUGH_TOO_LARGE);
    bough_net_destroy(wide);
    bough_net *large = net_make("fattree:n=536870912");
    assert_int_equal(bough_aggregation_create(large, 0, &net, &e), BOUGH_TOO_LARGE);
    bough_net_destroy(large);
}

/* ---- invariants ---- */

/* Each live link of a switch has a lane with its rate, and no other is there. */
static void check_lanes(const bough_net *net) {
    const bough_aggregation *a = net->aggregation;
    uint64_t lanes = 0;
    for (uint64_t l = 0; l < a->base->links; l++) {
        uint64_t start = bough_link_start(a->base, l);
        if (!bough_link_alive(a->base, l) || a->index_of[start] == NONE) continue;
        uint64_t out = bough_aggregation_lane(net, a->index_of[start], l), in = out - 1;
        lanes++;
        assert_int_equal(a->lane[(in - a->base->links) / 2], l);
        assert_int_equal(bough_net_link_rate(net, in), bough_net_link_rate(a->base, l));
        assert_int_equal(bough_net_link_rate(net, out), bough_net_link_rate(net, l));
        assert_int_equal(bough_net_link_delay(net, in), a->delay);
        assert_int_equal(bough_net_link_delay(net, out), 0);
    }
    assert_int_equal(net->links, a->base->links + 2 * lanes);
}

static void networks_keep_their_invariants(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(networks); n++)
        for (size_t s = 0; s < COUNT(settings); s++)
            for (size_t f = 0; f < COUNT(faults); f++) {
                adding_net a = adding_make(networks[n], faults[f], settings[s]);
                bough_error e;
                if (bough_net_check(a.net, 3000, &e))
                    fail_msg("%s, %s, %s: %s: %s", networks[n], settings[s], faults[f] ? faults[f] : "-",
                             e.place, e.reason);
                assert_int_equal(bough_net_hosts(a.net), below(&a)->endpoints);
                assert_int_equal(a.net->endpoints, below(&a)->endpoints + a.net->aggregation->count);
                if (!faults[f]) assert_int_equal(a.net->aggregation->count, a.whole->switches);
                check_lanes(a.net);
                adding_free(&a);
            }
}

/* ---- routes ---- */

static uint64_t node_named(const bough_net *net, const char *name) {
    char have[100];
    for (uint64_t v = 0; v < net->nodes; v++)
        if (strcmp(bough_node_name(net, v, have, sizeof have), name) == 0) return v;
    fail_msg("no node %s", name);
    return 0;
}

/* The nodes on the way, "h0 s1.0 s1.0.sharp"; only the sender: there is no route. */
static void expect_path(const bough_routing *r, const char *from, const char *to, const char *want) {
    char path[400] = "", name[80];
    uint64_t link[32], source = node_named(r->net, from);
    bough_flow flow = {source, node_named(r->net, to), 0};
    int hops = bough_path(r, &flow, link, 32);
    snprintf(path, sizeof path, "%s", from);
    for (int i = 0; i < hops; i++)
        strcat(strcat(path, " "),
               bough_node_name(r->net, r->net->ops->link_end(r->net, link[i]).node, name, sizeof name));
    if (strcmp(path, want) != 0) fail_msg("%s, not %s", path, want);
}

static void paths_by_hand(void **state) {
    (void)state;
    bough_error e;
    bough_routing *r;
    adding_net a = adding_make("xgft:down=2x2,up=1x2", NULL, "default:sharp=0ns");
    assert_int_equal(bough_routing_create(a.net, "dmodk", &r, &e), BOUGH_OK);
    expect_path(r, "h0", "h3", "h0 s1.0 s2.1 s1.1 h3");
    expect_path(r, "h1", "s1.0.sharp", "h1 s1.0 s1.0.sharp");
    expect_path(r, "s1.0.sharp", "s2.1.sharp", "s1.0.sharp s1.0 s2.1 s2.1.sharp");
    expect_path(r, "s2.0.sharp", "s1.1.sharp", "s2.0.sharp s2.0 s1.1 s1.1.sharp");
    expect_path(r, "s1.1.sharp", "h2", "s1.1.sharp s1.1 h2");
    expect_path(r, "h0", "s1.1.sharp", "h0");                 /* no neighbour */
    expect_path(r, "s2.1.sharp", "h2", "s2.1.sharp");         /* neither */
    expect_path(r, "s1.0.sharp", "s1.1.sharp", "s1.0.sharp"); /* neither */
    bough_routing_destroy(r);
    assert_int_equal(bough_routing_create(a.net, "valiant", &r, &e), BOUGH_UNSUPPORTED);
    adding_free(&a);
    a = adding_make("xgft:down=4x2,up=1x1", NULL, "default:sharp=0ns,node=\"dgx-h100:gpus=4,nics=4\"");
    assert_int_equal(bough_routing_create(a.net, "dmodk", &r, &e), BOUGH_OK);
    expect_path(r, "n0.gpu1", "s1.0.sharp", "n0.gpu1 h2 s1.0 s1.0.sharp");
    expect_path(r, "s1.0.sharp", "n1.gpu1", "s1.0.sharp s1.0 h3 n1.gpu1");
    expect_path(r, "n0.gpu0", "n0.gpu1", "n0.gpu0 n0.nvswitch n0.gpu1");
    expect_path(r, "n0.gpu1", "s1.1.sharp", "n0.gpu1");
    bough_routing_destroy(r);
    adding_free(&a);
}

/* The messages of two children enter by different lanes. */
static void children_have_lanes_of_their_own(void **state) {
    (void)state;
    bough_error e;
    bough_routing *r;
    adding_net a = adding_make("xgft:down=4,up=1", NULL, "default:sharp=0ns");
    assert_int_equal(bough_routing_create(a.net, "dmodk", &r, &e), BOUGH_OK);
    uint64_t adder = node_named(a.net, "s1.0.sharp"), seen[8], link[4];
    for (uint64_t h = 0; h < 4; h++) {
        assert_int_equal(bough_path(r, &(bough_flow){h, adder, 0}, link, 4), 2);
        seen[h] = link[1];
        assert_int_equal(bough_path(r, &(bough_flow){adder, h, 0}, link, 4), 2);
        seen[4 + h] = link[0];
        assert_int_equal(a.net->ops->link_twin(a.net, seen[h]), seen[4 + h]);
        for (uint64_t o = 0; o < h; o++) assert_true(seen[h] != seen[o]);
    }
    bough_routing_destroy(r);
    adding_free(&a);
}

/* ---- trees ---- */

/* Whether live links lead both ways between two switches. */
static bool joined(const bough_net *base, uint64_t a, uint64_t b) {
    unsigned ways = 0;
    for (uint64_t l = 0; l < base->links; l++) {
        uint64_t from = bough_link_start(base, l), to = base->ops->link_end(base, l).node;
        if (bough_link_alive(base, l)) ways |= (from == a && to == b) | (from == b && to == a) << 1;
    }
    return ways == 3;
}

/* Distances from one switch to all, by rounds over all pairs. */
static void measure(const bough_aggregation *a, const bool *edge, uint32_t from, uint32_t *far) {
    memset(far, 0xff, a->count * sizeof *far);
    far[from] = 0;
    for (uint32_t d = 0; d < a->count; d++)
        for (uint32_t i = 0; i < a->count; i++)
            for (uint32_t j = 0; j < a->count && far[i] == d; j++)
                if (edge[i * a->count + j] && far[j] == NONE) far[j] = d + 1;
}

static bool *edges_of(const bough_aggregation *a) {
    bool *edge = calloc(a->count * a->count, sizeof *edge);
    assert_non_null(edge);
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < i; j++)
            edge[i * a->count + j] = edge[j * a->count + i] = joined(a->base, a->at[i], a->at[j]);
    return edge;
}

/* The least distance to the farthest leaf, over all switches. */
static uint32_t least_depth(const bough_aggregation *a, const bool *edge, const bough_aggregation_tree *t,
                            uint32_t members) {
    uint32_t best = NONE, *far = calloc(a->count, sizeof *far);
    assert_non_null(far);
    for (uint32_t root = 0; root < a->count; root++) {
        uint32_t most = 0;
        measure(a, edge, root, far);
        for (uint32_t i = 0; i < members; i++)
            if (far[t->node[t->leaf[i]]] > most) most = far[t->node[t->leaf[i]]];
        if (most < best) best = most;
    }
    free(far);
    return best;
}

static void check_tree(const bough_net *net, const bool *edge, const bough_aggregation_group *g,
                       const bough_aggregation_tree *t) {
    const bough_aggregation *a = net->aggregation;
    bool used[256] = {false};
    assert_true(t->count <= COUNT(used) && t->up[0] == NONE);
    for (uint32_t m = 0; m < g->members; m++) {
        uint32_t steps = 0;
        uint64_t link =
            bough_aggregation_link(net, g->endpoint[m], g->endpoint[m], a->hosts + t->node[t->leaf[m]]);
        assert_true(link != BOUGH_NONE && bough_link_alive(net, link));
        for (uint32_t i = t->leaf[m]; i != NONE; i = t->up[i], steps++) used[i] = true;
        assert_true(steps - 1 <= t->depth);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        assert_true(used[i]); /* nothing that nobody needs */
        assert_true(i == 0 || t->up[i] < i);
        assert_true(i == 0 || edge[t->node[i] * a->count + t->node[t->up[i]]]);
        for (uint32_t j = 0; j < i; j++) assert_true(t->node[i] != t->node[j]);
    }
    assert_int_equal(t->depth, least_depth(a, edge, t, g->members));
}

static void trees_are_as_flat_as_can_be(void **state) {
    (void)state;
    unsigned made = 0, none = 0;
    for (size_t n = 0; n < COUNT(networks); n++)
        for (size_t s = 0; s < COUNT(settings); s++)
            for (size_t f = 0; f < 3; f++) {
                adding_net a = adding_make(networks[n], faults[f], settings[s]);
                uint32_t hosts = (uint32_t)bough_net_hosts(a.net), some[64];
                bool *edge = edges_of(a.net->aggregation);
                for (uint32_t number = 0; number < 6; number++) {
                    bough_aggregation_tree t;
                    bough_error e;
                    uint32_t members = 0;
                    for (uint32_t h = number % 3; h < hosts && members < 64; h += 1 + number / 2)
                        some[members++] = h;
                    bough_aggregation_group g = {some, members, number};
                    if (bough_aggregation_tree_make(a.net, &g, &t, &e)) {
                        none++;
                        assert_true(faults[f] && strstr(e.reason, "live cable"));
                        continue;
                    }
                    check_tree(a.net, edge, &g, &t);
                    bough_aggregation_tree_fini(&t);
                    made++;
                }
                free(edge);
                adding_free(&a);
            }
    print_message("%u trees, %u without one\n", made, none);
    assert_true(made > 300 && none > 10);
}

static uint64_t root_of(const bough_net *net, uint32_t number, uint32_t members) {
    uint32_t all[64];
    bough_aggregation_tree t;
    bough_error e = {0};
    for (uint32_t i = 0; i < members; i++) all[i] = i;
    if (bough_aggregation_tree_make(net, &(bough_aggregation_group){all, members, number}, &t, &e))
        fail_msg("%s", e.reason);
    uint64_t root = net->aggregation->at[t.node[0]];
    bough_aggregation_tree_fini(&t);
    return root;
}

/* Consecutive numbers have different spines; members of one leaf switch need none; a dead spine is not used.
 */
static void roots_are_spread(void **state) {
    (void)state;
    adding_net a = adding_make("xgft:down=4x4,up=1x4", NULL, "default:sharp=0ns");
    for (uint32_t number = 0; number < 8; number++) {
        char name[80], want[80];
        bough_node_name(a.whole, root_of(a.net, number, 16), name, sizeof name);
        snprintf(want, sizeof want, "s2.%u", number % 4);
        assert_string_equal(name, want);
        bough_node_name(a.whole, root_of(a.net, number, 4), name, sizeof name);
        assert_string_equal(name, "s1.0");
    }
    adding_free(&a);
    a = adding_make("xgft:down=4x4,up=1x4", "name:s2.1", "default:sharp=0ns");
    for (uint32_t number = 0; number < 6; number++) {
        static const char *const want[] = {"s2.0", "s2.2", "s2.3"};
        char name[80];
        bough_node_name(a.whole, root_of(a.net, number, 16), name, sizeof name);
        assert_string_equal(name, want[number % 3]);
    }
    adding_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(networks_keep_their_invariants),
        cmocka_unit_test(paths_by_hand),
        cmocka_unit_test(children_have_lanes_of_their_own),
        cmocka_unit_test(trees_are_as_flat_as_can_be),
        cmocka_unit_test(roots_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
