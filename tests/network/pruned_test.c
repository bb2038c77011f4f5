/* The pruned butterfly: its vertices and edges as bay1991 defines them, its channels, its routes, what
 * runs on it; and the mesh of trees in it. */
#include "method/method.h"
#include "network/families/xgft_tree.h"
#include "network/graphs/mesh_of_trees.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_net *pruned(unsigned k) {
    char spec[32];
    snprintf(spec, sizeof spec, "pruned:n=4^%u", k);
    return net_make(spec);
}

/* ---- bad input ---- */

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    net_refused("pruned:n=8", BOUGH_INVALID, "n=8 is not a power of four; the nearest are 4 and 16");
    net_refused("pruned:n=63", BOUGH_INVALID, "the nearest are 16 and 64");
    net_refused("pruned:n=65", BOUGH_INVALID, "the nearest are 64 and 256");
    net_refused("pruned:n=2^45", BOUGH_INVALID, "not a power of four");
    net_refused("pruned:n=1", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("pruned:n=0", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("pruned:n=-4", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("pruned:n=4^24", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("pruned:k=3", BOUGH_INVALID, "no parameter 'k'");
}

static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    for (unsigned k = 8; k <= 23; k += 5) {
        bough_net *net = pruned(k);
        uint64_t node = 0, target = net->endpoints - 1, hops = 0;
        assert_true(net->endpoints == UINT64_C(1) << 2 * k);
        for (; node != target && hops <= net->hops_max; hops++) {
            bough_route route;
            net->ops->route(net, node, target, &route);
            node = net->ops->link_end(net, bough_route_link(&route, route.count - 1)).node;
        }
        assert_int_equal(hops, 4 * k);
        bough_net_destroy(net);
    }
}

/* ---- the paper: levels and vertices <i, j, k> as it counts them ---- */

static uint64_t half_power(unsigned lg_n, unsigned floor_of_half) { /* sqrt(N) 2^-floor(..) */
    return (UINT64_C(1) << lg_n / 2) >> floor_of_half;
}

static uint64_t vertex(const bough_net *net, unsigned i, uint64_t j, uint64_t k) {
    unsigned lg_n = net->levels;
    uint64_t id = 0;
    for (unsigned level = lg_n; level > i; level--)
        id += (UINT64_C(1) << level) * half_power(lg_n, level / 2);
    return id + j * half_power(lg_n, i / 2) + k;
}

static void counts_are_4n_and_6n_less_roots(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 23; k++) {
        bough_net *net = pruned(k);
        uint64_t n = UINT64_C(1) << 2 * k, root = UINT64_C(1) << k;
        assert_true(net->nodes == 4 * n - 3 * root);
        assert_true(net->links == 2 * (6 * n - 6 * root)); /* both ways */
        assert_true(net->switches == net->nodes - n);
        assert_true(net->cables == 6 * n - 6 * root - 2 * n); /* a leaf has two */
        assert_int_equal(net->levels, 2 * k);
        for (unsigned h = 0; h < 2 * k; h++)
            assert_true(net->ops->channel_capacity(net, h, 0) == half_power(2 * k, (2 * k - h - 1) / 2));
        bough_net_destroy(net);
    }
}

/* The link from a to b that there must be, once. */
static uint64_t link_between(const bough_net *net, uint64_t a, uint64_t b) {
    uint64_t found = BOUGH_NONE;
    for (uint32_t i = 0; i < net->ops->node_group_count(net, a); i++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, a, i));
        for (uint64_t l = r.first; l < r.first + r.count; l++) {
            if (net->ops->link_end(net, l).node != b) continue;
            if (found != BOUGH_NONE) fail_msg("%s: two links %" PRIu64 " -> %" PRIu64, net->spec, a, b);
            found = l;
        }
    }
    if (found == BOUGH_NONE) fail_msg("%s: no link %" PRIu64 " -> %" PRIu64, net->spec, a, b);
    return found;
}

static uint64_t joined(const bough_net *net, uint64_t low, uint64_t high) {
    assert_true(net->ops->link_twin(net, link_between(net, low, high)) == link_between(net, high, low));
    return 1;
}

static void edges_are_the_sets_e_ij(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 5; k++) {
        bough_net *net = pruned(k);
        unsigned lg_n = 2 * k;
        uint64_t edges = 0;
        for (unsigned i = 1; i <= lg_n; i++)
            for (uint64_t j = 0; j < UINT64_C(1) << i; j++) {
                uint64_t before = edges, width = half_power(lg_n, i / 2);
                for (uint64_t v = 0; v < width; v++) {
                    edges += joined(net, vertex(net, i, j, v), vertex(net, i - 1, j / 2, v));
                    if (i % 2 == 0)
                        edges += joined(net, vertex(net, i, j, v), vertex(net, i - 1, j / 2, v + width));
                }
                assert_true(edges - before == half_power(lg_n, (i - 1) / 2)); /* the channel's capacity */
                assert_true(edges - before == net->ops->channel_capacity(net, lg_n - i, j));
            }
        assert_true(2 * edges == net->links); /* and no others */
        bough_net_destroy(net);
    }
}

/* Figure 1: from leaf 10 to root 2 with N = 16. */
static void figure_1_is_a_path(void **state) {
    (void)state;
    bough_net *net = pruned(2);
    static const uint64_t path[][3] = {{4, 10, 0}, {3, 5, 0}, {2, 2, 0}, {1, 1, 2}, {0, 0, 2}};
    for (size_t i = 0; i + 1 < 5; i++)
        joined(net, vertex(net, (unsigned)path[i][0], path[i][1], path[i][2]),
               vertex(net, (unsigned)path[i + 1][0], path[i + 1][1], path[i + 1][2]));
    bough_net_destroy(net);
}

/* Ways up from each leaf to each vertex above it: one; and the level-i vertex of the path to root r is number
 * r mod 2^ceil((lg N - i)/2). */
static void paths_to_a_root_are_unique(void **state) {
    (void)state;
    bough_net *net = pruned(3);
    unsigned lg_n = 6;
    for (uint64_t leaf = 0; leaf < 64; leaf++)
        for (uint64_t root = 0; root < 8; root++) {
            uint64_t ways[16] = {[0] = 1}, at = leaf; /* by k, within the node above the leaf */
            for (unsigned i = lg_n; i > 0; i--) {
                uint64_t next[16] = {0};
                for (uint64_t k = 0; k < half_power(lg_n, i / 2); k++) {
                    uint64_t v = vertex(net, i, leaf >> (lg_n - i), k);
                    uint32_t up = net->ops->node_group_count(net, v) - 1;
                    bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, up));
                    for (uint64_t l = r.first; l < r.first + r.count; l++) {
                        uint64_t above = vertex(net, i - 1, leaf >> (lg_n - i + 1), 0);
                        next[net->ops->link_end(net, l).node - above] += ways[k];
                    }
                }
                memcpy(ways, next, sizeof ways);
                uint64_t on = vertex(net, i - 1, leaf >> (lg_n - i + 1), root % (1 << (lg_n - i + 2) / 2));
                at = net->ops->link_end(net, link_between(net, at, on)).node;
            }
            for (uint64_t r = 0; r < 8; r++) assert_int_equal(ways[r], 1);
            assert_true(at == vertex(net, 0, 0, root));
        }
    bough_net_destroy(net);
}

/* ---- what every network must be ---- */

static void networks_check(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 5; k++) {
        bough_net *net = pruned(k);
        bough_error error;
        if (bough_net_check(net, 20000, &error)) fail_msg("%s: %s", net->spec, error.reason);
        assert_true(xgft_is_pruned(xgft_shape_of(net)));
        bough_net_destroy(net);
    }
}

static void what_runs_on_trees_runs_here(void **state) {
    (void)state;
    static const struct {
        const char *routing, *traffic, *method;
        bough_metric_id metric;
        double least, most;
    } run[] = {
        /* everything crosses the root node: capacity 8, 32 up and 32 down; 4 a link of the top channel */
        {"free", "bitcomp", "linkload", BOUGH_METRIC_LOAD_FACTOR, 8, 8},
        {"free", "bitcomp", "linkload", BOUGH_METRIC_LINK_LOAD_MAX, 4, 4},
        {"free", "bitcomp", "linkload:engine=generic", BOUGH_METRIC_LINK_LOAD_MAX, 4, 4},
        {"dmodk", "bitcomp", "linkload", BOUGH_METRIC_LINK_LOAD_MAX, 4, 4},
        {"free", "bitcomp", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS, 4, 12},
        {"free", "poisson:load=0.02", "worm", BOUGH_METRIC_DISTANCE, 10.1, 10.3}, /* 642/63 */
    };
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        bough_point point = point_make("pruned:n=64", run[i].routing, run[i].traffic);
        bough_rows rows = rows_of(&point, run[i].method);
        double value = row_value(&rows, run[i].metric, BOUGH_NO_ROW_INDEX);
        if (value < run[i].least || value > run[i].most)
            fail_msg("%s %s %s: %g", run[i].routing, run[i].traffic, run[i].method, value);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* ---- the mesh of trees ---- */

static void the_mesh_counts_and_names_agree(void **state) {
    (void)state;
    for (unsigned t = 1; t <= 5; t++) {
        uint64_t side = UINT64_C(1) << t, vertices = bough_mesh_vertices(t), edges = bough_mesh_edges(t);
        assert_true(vertices == 3 * side * side - 2 * side && edges == 2 * side * (2 * side - 2));
        for (uint64_t id = 0; id < vertices; id++) {
            bough_mesh_vertex v = bough_mesh_vertex_at(t, id);
            assert_true(bough_mesh_vertex_id(t, v) == id);
            assert_true((v.tree == BOUGH_MESH_LEAF) == (v.scale == 0));
            assert_true(v.line < side && v.index < side >> v.scale);
        }
        for (uint64_t e = 0; e < edges; e++) {
            uint64_t child, parent;
            bough_mesh_edge(t, e, &child, &parent);
            bough_mesh_vertex c = bough_mesh_vertex_at(t, child), p = bough_mesh_vertex_at(t, parent);
            assert_int_equal(p.scale, c.scale + 1);
            bool of_rows = p.tree == BOUGH_MESH_ROW;
            assert_true(of_rows == (e < edges / 2));
            uint64_t line = c.scale || of_rows ? c.line : c.index,
                     index = c.scale || of_rows ? c.index : c.line;
            assert_true(c.scale == 0 || c.tree == p.tree);
            assert_true(line == p.line && index / 2 == p.index);
        }
    }
}

/* All paths that begin or end at a vertex do so at one node. */
static void is_at(uint64_t *node, uint64_t vertex, uint64_t place) {
    if (node[vertex] == BOUGH_NONE) node[vertex] = place;
    assert_true(node[vertex] == place);
}

static void the_mesh_is_embedded(void **state) {
    (void)state;
    for (unsigned t = 1; t <= 6; t++) {
        bough_net *net = pruned(t);
        uint64_t vertices = bough_mesh_vertices(t), edges = bough_mesh_edges(t);
        unsigned char *held = calloc(net->nodes, 1), *used = calloc(net->links, 1);
        uint64_t *node = malloc(vertices * sizeof *node);
        assert_non_null(held);
        assert_non_null(used);
        assert_non_null(node);
        for (uint64_t v = 0; v < vertices; v++) node[v] = BOUGH_NONE;
        unsigned dilation = 0, congestion = 0;
        for (uint64_t e = 0; e < edges; e++) {
            uint64_t child, parent, link[2];
            bough_mesh_edge(t, e, &child, &parent);
            unsigned links = bough_mesh_path(net, e, link);
            uint64_t at = bough_link_start(net, link[0]);
            is_at(node, child, at);
            for (unsigned i = 0; i < links; i++) {
                assert_true(bough_link_start(net, link[i]) == at);
                at = net->ops->link_end(net, link[i]).node;
                if (++used[link[i]] > congestion) congestion = used[link[i]];
            }
            is_at(node, parent, at);
            if (links > dilation) dilation = links;
        }
        assert_int_equal(dilation, 2);
        assert_int_equal(congestion, 2);
        for (uint64_t v = 0; v < vertices; v++) {
            assert_true(node[v] < net->nodes && !held[node[v]]); /* load 1 */
            held[node[v]] = 1;
            bool leaf = bough_mesh_vertex_at(t, v).tree == BOUGH_MESH_LEAF;
            assert_true(leaf == (node[v] < net->endpoints));
        }
        free(node);
        free(held);
        free(used);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(absurd_sizes_cost_nothing),
        cmocka_unit_test(counts_are_4n_and_6n_less_roots),
        cmocka_unit_test(edges_are_the_sets_e_ij),
        cmocka_unit_test(figure_1_is_a_path),
        cmocka_unit_test(paths_to_a_root_are_unique),
        cmocka_unit_test(networks_check),
        cmocka_unit_test(what_runs_on_trees_runs_here),
        cmocka_unit_test(the_mesh_counts_and_names_agree),
        cmocka_unit_test(the_mesh_is_embedded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
