/* The division of nodes and links over ranks, compared with a visit of every node and link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/packet/ranks/packet_rank_nodes.h"
#include "method/engine.h"
#include "network/wiring.h"

#include <stdlib.h>

enum { RANKS_MAX = 9 };

static unsigned owners(const rank_nodes *n, unsigned ranks, uint64_t link, unsigned *owner) {
    unsigned count = 0;
    for (unsigned r = 0; r < ranks; r++)
        for (uint64_t i = 0; i < n[r].owns; i++)
            if (link >= n[r].own[i].first && link < n[r].own[i].end) count++, *owner = r;
    return count;
}

static void check_link(const rank_nodes *n, unsigned ranks, uint64_t node, uint64_t link) {
    const bough_net *net = n->net;
    const unsigned from = rank_of_node(n, node), to = rank_of_node(n, net->ops->link_end(net, link).node);
    unsigned owner = ranks;
    assert_int_equal(owners(n, ranks, link, &owner), 1);
    assert_int_equal(owner, from);
    assert_int_equal(rank_link_leaves(&n[from], link), from != to);
}

static void check_ranges(const rank_nodes *n) {
    for (uint64_t i = 0; i < n->owns; i++) {
        assert_true(n->own[i].first < n->own[i].end);
        if (i) assert_true(n->own[i - 1].end <= n->own[i].first);
        for (uint64_t l = n->own[i].first; l < n->own[i].end && n->alike; l++)
            assert_int_equal(sim_kind(n->net, l), sim_kind(n->net, n->own[i].first));
    }
}

/* Each rank has a part of the endpoints, and of all nodes, that differs by few from that of another. */
static void check_parts(const rank_nodes *n, unsigned ranks) {
    uint64_t endpoints[RANKS_MAX] = {0};
    for (uint64_t v = 0; v < n->net->nodes; v++) {
        assert_true(rank_of_node(n, v) < ranks);
        if (v < n->net->endpoints) endpoints[rank_of_node(n, v)]++;
    }
    if (n->run[0].end != n->net->endpoints) return; /* not a part of the endpoints, but of all nodes */
    for (unsigned r = 0; r < ranks; r++) {
        assert_true(endpoints[r] * ranks < n->net->endpoints + ranks);
        assert_true(endpoints[r] * ranks + ranks > n->net->endpoints);
    }
}

static void check(const char *spec, unsigned ranks, bool cube) {
    bough_net *net;
    rank_nodes n[RANKS_MAX] = {0};
    uint64_t links = 0;
    assert_int_equal(bough_net_create(spec, &net, NULL), BOUGH_OK);
    for (unsigned r = 0; r < ranks; r++) {
        n[r].rank = r;
        n[r].ranks = ranks;
        assert_int_equal(rank_nodes_make(&n[r], net, NULL), BOUGH_OK);
        assert_int_equal(n[r].cube.value != 0, cube);
        check_ranges(&n[r]);
    }
    for (uint64_t v = 0; v < net->nodes; v++)
        for (node_links at = node_links_of(net, v); node_links_next(&at); links++)
            check_link(n, ranks, v, at.link);
    assert_int_equal(links, net->links);
    check_parts(n, ranks);
    for (unsigned r = 0; r < ranks; r++) rank_nodes_fini(&n[r]);
    bough_net_destroy(net);
}

static void test_cubes(void **state) {
    (void)state;
    static const char *const spec[] = {"cube:n=2", "cube:n=8", "cube:n=64,order=right",
                                       "cube:n=16,order=2x0x1x3"};
    static const uint64_t nodes[] = {2, 8, 64, 16};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++)
            check(spec[i], ranks, !(ranks & (ranks - 1)) && ranks <= nodes[i]);
}

/* Trees with more subtrees than ranks and with fewer, with levels of one node, with cables side by side, and
 * with free ports; and networks whose nodes are visited one by one. */
static void test_others(void **state) {
    (void)state;
    static const char *const spec[] = {"fattree:n=32",
                                       "kary:k=4,levels=3",
                                       "kary:k=2,levels=5",
                                       "xgft:down=4x4x3,up=1x2x2,links=1x1x2",
                                       "xgft:down=4x1x6,up=1x1x1",
                                       "xgft:down=2x9,up=1x1",
                                       "clos:radix=4,hosts=12",
                                       "kary:k=4,levels=3,hosts=50",
                                       "torus:dims=5x6",
                                       "bft:n=64"};
    for (unsigned i = 0; i < sizeof spec / sizeof *spec; i++)
        for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++) check(spec[i], ranks, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cubes), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
