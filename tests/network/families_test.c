/* The regular families: fattree, xgft, kary, clos. */
#include "base/random/random.h"
#include "network/families/xgft_tree.h"
#include "network/net.h"
#include "support/specs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void checked(const char *spec, uint64_t pairs) {
    bough_net *net = net_make(spec);
    bough_error error;
    if (bough_net_check(net, pairs, &error)) fail_msg("%s: %s", spec, error.reason);
    bough_net_destroy(net);
}

/* ---- bad input ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    net_refused("fatree:n=8", BOUGH_INVALID, "did you mean 'fattree'");
    net_refused("flatfly:n=8", BOUGH_INVALID, "flatfly is hyperx:dims=KxK");
    net_refused("fattree:n=12", BOUGH_INVALID, "the nearest are 8 and 16");
    net_refused("fattree:n=0", BOUGH_INVALID, "between 2 and");
    net_refused("fattree:n=1", BOUGH_INVALID, "between 2 and");
    net_refused("fattree:n=-4", BOUGH_INVALID, "between 2 and");
    net_refused("fattree:n=2^50", BOUGH_INVALID, "between 2 and");
    net_refused("fattree:m=8", BOUGH_INVALID, "no parameter 'm'");
    net_refused("xgft", BOUGH_INVALID, "needs down=");
    net_refused("xgft:down=2x2", BOUGH_INVALID, "needs up=");
    net_refused("xgft:down=2x2,up=1", BOUGH_INVALID, "numbers must be equal");
    net_refused("xgft:down=2x2,up=1x2,links=1", BOUGH_INVALID, "numbers must be equal");
    net_refused("xgft:down=2x0,up=1x2", BOUGH_INVALID, "down must lie between 1 and");
    net_refused("xgft:down=2x2,up=0x2", BOUGH_INVALID, "up must lie between 1 and");
    net_refused("xgft:down=2x2,up=1x2,links=1x0", BOUGH_INVALID, "links must lie between 1 and");
    net_refused("xgft:down=65537,up=1", BOUGH_INVALID, "down must lie between 1 and");
    net_refused("xgft:down=2x2,up=65536x2,links=2x1", BOUGH_INVALID, "at most 65536");
    net_refused("kary:k=0", BOUGH_INVALID, "k must lie between 1 and");
    net_refused("kary:levels=0", BOUGH_INVALID, "levels must lie between 1 and");
    net_refused("polarfly:q=4", BOUGH_INVALID, "polarfly is no family; its graph is read from a file");
    net_refused("dragonfry", BOUGH_INVALID, "no network family 'dragonfry'");
    net_refused("clos:radix=1", BOUGH_INVALID, "radix must lie between 2 and");
    net_refused("clos:taper=0.5", BOUGH_INVALID, "taper must lie between 1 and");
    net_refused("clos:radix=8,hosts=1000,levels=2", BOUGH_INVALID,
                "no tree of 8-port switches in 2 levels joins 1000 hosts");
}

/* Closed forms: sizes that no memory holds are answered at once, or refused before anything is allocated. */
static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=2^40");
    assert_true(net->endpoints == UINT64_C(1) << 40);
    assert_true(net->links == (UINT64_C(1) << 40) * 2 * 40);
    uint64_t node = 0, target = net->endpoints - 1, hops = 0;
    for (; node != target && hops < 100; hops++) {
        bough_route route;
        net->ops->route(net, node, target, &route);
        assert_true(route.count > 0);
        node = net->ops->link_end(net, bough_route_link(&route, route.count - 1)).node;
    }
    assert_true(hops == 80);
    bough_net_destroy(net);
    net_refused("kary:k=32768,levels=46", BOUGH_TOO_LARGE, "2^62");
    net_refused("xgft:down=65536x65536x65536x65536x65536,up=1x1x1x1x1", BOUGH_TOO_LARGE, "2^62");
    net_refused("xgft:down=1x1x1x1x1,up=65536x65536x65536x65536x65536", BOUGH_TOO_LARGE, "2^62");
}

/* ---- cases by hand ---- */

static void counts_are_those_counted_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t endpoints, switches, links, cables, group_max;
        unsigned levels;
    } cases[] = {
        /* n/2 lg n routers; n cables a level, two links each, the lowest ones to endpoints */
        {"fattree:n=2", 2, 1, 4, 0, 1, 1},
        {"fattree:n=4", 4, 4, 16, 4, 2, 2},
        {"fattree:n=16", 16, 32, 128, 48, 2, 4},
        {"fattree:n=1024", 1024, 5120, 20480, 9216, 2, 10},
        /* k^levels, levels k^(levels-1) */
        {"kary:k=4,levels=1", 4, 1, 8, 0, 1, 1},
        {"kary:k=4,levels=2", 16, 8, 64, 16, 4, 2},
        {"kary:k=3,levels=3", 27, 27, 162, 54, 3, 3},
        {"kary:k=1,levels=5", 1, 5, 10, 4, 1, 5},
        /* 16 leaves with 16 hosts, 8 spines, two cables between each leaf and spine */
        {"xgft:down=16x16,up=1x8,links=1x2", 256, 24, 1024, 256, 16, 2},
        /* two cables from each host; W counts the choices of parents: 3 nodes of level 1 above every pair of
           hosts */
        {"xgft:down=2x2,up=3x1,links=2x1", 4, 9, 60, 6, 6, 2},
        {"xgft:down=5,up=1", 5, 1, 10, 0, 1, 1},
        /* 128 leaves of 32 + 32 ports and 64 spines of radix 64 reach 2048 hosts; 8192 need a third level */
        {"clos:radix=64,hosts=2048", 2048, 96, 8192, 2048, 32, 2},
        {"clos:radix=64,hosts=64", 64, 1, 128, 0, 1, 1},
        /* at most 48 down, 16 up: 43 leaves hold 2048 hosts, and 16 spines */
        {"clos:radix=64,hosts=2048,taper=3", 2048, 59, 2 * (2048 + 688), 688, 16, 2},
        {"clos:radix=64,hosts=512,taper=2", 512, 18, 2 * (512 + 260), 260, 20, 2},
        {"clos:radix=4,levels=3", 16, 20, 6 * 16, 32, 2, 3},
        {"clos:radix=64,levels=2,taper=3", 3072, 80, 2 * (3072 + 1024), 1024, 16, 2},
        {"clos:levels=3", 8192, 640, 6 * 8192, 16384, 32, 3},
        {"clos:hosts=8192", 8192, 640, 6 * 8192, 16384, 32, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].spec);
        if (net->endpoints != cases[i].endpoints || net->switches != cases[i].switches ||
            net->links != cases[i].links || net->cables != cases[i].cables ||
            net->group_max != cases[i].group_max || net->levels != cases[i].levels)
            fail_msg("%s: %" PRIu64 " endpoints, %" PRIu64 " switches, %" PRIu64 " links, %" PRIu64
                     " cables, groups of %" PRIu64 ", %u levels",
                     cases[i].spec, net->endpoints, net->switches, net->links, net->cables, net->group_max,
                     net->levels);
        assert_true(net->nodes == net->endpoints + net->switches);
        assert_true(net->addresses == net->endpoints);
        assert_int_equal(net->hops_max, 2 * net->levels);
        bough_net_destroy(net);
    }
}

/* fattree:n=4, all of it: endpoints 0..3, routers 4 5 above the pairs, 6 7 at the root node. */
static void the_smallest_tree_with_a_choice(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=4");
    static const unsigned level[] = {0, 0, 0, 0, 1, 1, 2, 2};
    int joined[8][8] = {{0}};
    for (uint64_t v = 0; v < 8; v++) {
        assert_int_equal(net->ops->node_level(net, v), level[v]);
        assert_int_equal(net->ops->node_roles(net, v), v < 4 ? BOUGH_ENDPOINT : BOUGH_SWITCH);
    }
    for (uint64_t l = 0; l < net->links; l++)
        joined[bough_link_start(net, l)][net->ops->link_end(net, l).node]++;
    for (int a = 0; a < 8; a++)
        for (int b = a + 1; b < 8; b++) {
            bool cable = (a < 4 && b == 4 + a / 2) || ((a == 4 || a == 5) && b >= 6);
            assert_int_equal(joined[a][b], cable);
            assert_int_equal(joined[b][a], cable);
        }
    bough_route route;
    net->ops->route(net, 0, 3, &route); /* an endpoint has one link */
    assert_int_equal(route.count, 1);
    net->ops->route(net, 4, 3, &route); /* up, either way */
    assert_int_equal(route.count, 2);
    net->ops->route(net, 4, 1, &route); /* down, to endpoint 1 */
    assert_int_equal(route.count, 1);
    assert_true(net->ops->link_end(net, bough_route_link(&route, 0)).node == 1);
    net->ops->route(net, 7, 2, &route);
    assert_int_equal(route.count, 1);
    assert_true(net->ops->link_end(net, bough_route_link(&route, 0)).node == 5);
    bough_net_destroy(net);
}

static void channels_count_cables(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=16");
    /* the channel above a subtree of 2^l endpoints has 2^l cables */
    for (unsigned l = 0; l < 4; l++)
        for (uint64_t e = 0; e < 16; e++) {
            assert_true(net->ops->subtree(net, l, e) == e >> l);
            assert_true(net->ops->channel_capacity(net, l, e >> l) == UINT64_C(1) << l);
        }
    bough_net_destroy(net);
    net = net_make("xgft:down=16x16,up=1x8,links=1x2");
    assert_true(net->ops->subtree(net, 1, 37) == 2);
    assert_true(net->ops->channel_capacity(net, 0, 37) == 1);
    assert_true(net->ops->channel_capacity(net, 1, 2) == 16);
    bough_net_destroy(net);
}

static void specs_are_echoed_in_full(void **state) {
    (void)state;
    static const char *const pair[][2] = {
        {"fattree", "fattree:n=1024"},
        {"fattree:2^4", "fattree:n=16"},
        {"xgft:down=2x2,up=1x2", "xgft:down=2x2,up=1x2"},
        {"xgft:down=2x2,up=1x2,links=1x3", "xgft:down=2x2,up=1x2,links=1x3"},
        {"kary", "kary:k=4,levels=2"},
        {"clos:radix=8,hosts=32", "clos:radix=8,hosts=32"},
        {"clos:radix=8,hosts=32,taper=1.0,levels=2", "clos:radix=8,hosts=32,levels=2"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        bough_net *net = net_make(pair[i][0]);
        assert_string_equal(net->spec, pair[i][1]);
        bough_net_destroy(net);
    }
}

/* ---- invariants ---- */

static void binary_trees_are_sound(void **state) {
    (void)state;
    char spec[40];
    for (unsigned n = 2; n <= 256; n *= 2) {
        snprintf(spec, sizeof spec, "fattree:n=%u", n);
        checked(spec, n <= 32 ? 1024 : 1000);
    }
}

static void trees_of_every_kind_are_sound(void **state) {
    (void)state;
    static const char *const specs[] = {
        "xgft:down=1,up=1",
        "xgft:down=4,up=1,links=3",
        "xgft:down=4,up=2,links=2",
        "xgft:down=2x2,up=3x1,links=2x1",
        "xgft:down=4x4,up=1x2,links=1x2",
        "xgft:down=16x16,up=1x8,links=1x2",
        "xgft:down=4x3x2,up=1x3x2,links=1x2x3",
        "xgft:down=3x2x4,up=2x2x3,links=2x1x2",
        "xgft:down=2x2x2x2,up=1x2x2x2",
        "xgft:down=2x3x1x2x1,up=1x1x4x1x2,links=1x3x1x2x1",
        "xgft:down=12x12x6,up=1x12x12,links=1x1x1",
        "kary:k=1,levels=4",
        "kary:k=2,levels=6",
        "kary:k=3,levels=4",
        "kary:k=7,levels=2",
        "xgft:down=4x3,up=1x2,hosts=3", /* one endpoint on every leaf switch */
        "xgft:down=4x3,up=1x2,hosts=10",
        "xgft:down=4x3,up=2x3,links=3x2,hosts=11",
        "xgft:down=5,up=2,links=2,hosts=3",
        "xgft:down=4x3x2,up=1x3x2,links=1x2x3,hosts=17",
        "xgft:down=6x1x3x2,up=1x2x1x2,links=1x2x1x2,hosts=13",
        "kary:k=4,levels=3,hosts=50",
        "clos:radix=8,hosts=5",
        "clos:radix=8,hosts=32",
        "clos:radix=8,hosts=20,taper=3",
        "clos:radix=8,hosts=128",
        "clos:radix=6,hosts=100,taper=2",
        "clos:radix=64,hosts=1024,taper=1.5",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) checked(specs[i], 1500);
}

static void random_small_trees_are_sound(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    for (int i = 0; i < 300; i++) {
        unsigned levels = 1 + (unsigned)bough_stream_below(&s, 4);
        static const char *const key[] = {"xgft:down=", ",up=", ",links="};
        char spec[200] = "";
        for (int list = 0; list < 3; list++) {
            strcat(spec, key[list]);
            for (unsigned l = 0; l < levels; l++) {
                char number[8];
                uint64_t most = list == 0 ? 4 : levels > 3 ? 2 : 3;
                snprintf(number, sizeof number, "%s%u", l ? "x" : "",
                         1 + (unsigned)bough_stream_below(&s, most));
                strcat(spec, number);
            }
        }
        checked(spec, 200);
        bough_net *net = net_make(spec);
        uint64_t ports = net->endpoints, leaves = net->ops->subtree(net, 1, ports - 1) + 1;
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ",hosts=%" PRIu64,
                 leaves + bough_stream_below(&s, ports - leaves + 1));
        bough_net_destroy(net);
        checked(spec, 200);
    }
}

/* 10 endpoints on 3 leaf switches with 4 ports for each: 3, 3 and 4. */
static void unpopulated_ports(void **state) {
    (void)state;
    static const uint64_t leaf[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
    net_refused("xgft:down=4x3,up=1x2,hosts=2", BOUGH_INVALID,
                "hosts=2: the 3 leaf switches have ports for 12 endpoints, and each needs at least one");
    net_refused("kary:k=4,levels=2,hosts=17", BOUGH_INVALID, "4 leaf switches have ports for 16 endpoints");
    bough_net *net = net_make("xgft:down=4x3,up=1x2,hosts=10");
    assert_true(net->endpoints == 10 && net->switches == 5 && net->cables == 6 && net->links == 2 * (10 + 6));
    for (uint64_t e = 0; e < 10; e++) {
        uint64_t link = bough_injection_link(net, e), back = net->ops->link_twin(net, link);
        assert_int_equal(net->ops->subtree(net, 1, e), leaf[e]);
        assert_int_equal(net->ops->link_end(net, link).node, 10 + leaf[e]);
        assert_int_equal(net->ops->link_port(net, back), e - 3 * leaf[e]);
        assert_int_equal(net->ops->link_end(net, back).node, e);
    }
    /* the ports up have the numbers that they have in the complete tree */
    bough_range up = net->ops->group_links(net, net->ops->node_group(net, 10, 3));
    assert_int_equal(up.count, 2);
    assert_int_equal(net->ops->link_port(net, up.first), 4);
    assert_null(xgft_shape_of(net));
    char *spec = xgft_format(xgft_populated_shape_of(net));
    assert_string_equal(spec, "xgft:down=4x3,up=1x2,hosts=10");
    free(spec);
    bough_net_destroy(net);
    /* all ports populated is the complete tree */
    net = net_make("xgft:down=4x3,up=1x2,hosts=12");
    assert_non_null(xgft_shape_of(net));
    bough_net_destroy(net);
}

/* The subtrees of every level differ by at most one endpoint, also where there are many. */
static void endpoints_are_spread_evenly(void **state) {
    (void)state;
    static const char *const specs[] = {"xgft:down=7x5x3,up=1x2x2,hosts=83", "kary:k=4,levels=4,hosts=211"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        bough_net *net = net_make(specs[i]);
        for (unsigned level = 1; level < net->levels; level++) {
            uint64_t size[256] = {0}, last = net->ops->subtree(net, level, net->endpoints - 1);
            for (uint64_t e = 0; e < net->endpoints; e++) size[net->ops->subtree(net, level, e)]++;
            for (uint64_t t = 0; t <= last; t++) {
                assert_true(size[t] >= net->endpoints / (last + 1));
                assert_true(size[t] <= net->endpoints / (last + 1) + 1);
            }
        }
        bough_net_destroy(net);
    }
    bough_net *net = net_make("kary:k=1024,levels=4,hosts=1000000000000");
    assert_true(net->endpoints == UINT64_C(1000000000000));
    uint64_t leaf = net->ops->subtree(net, 1, net->endpoints - 1);
    assert_true(leaf == (UINT64_C(1) << 30) - 1 && net->ops->subtree(net, 1, 0) == 0);
    bough_net_destroy(net);
}

/* A Clos has the hosts, and needs no larger switches than asked for. (Its taper: plan_test.) */
static void clos_networks_keep_their_radix(void **state) {
    (void)state;
    for (unsigned radix = 4; radix <= 16; radix += 2)
        for (unsigned hosts = 1; hosts <= 300; hosts += 13)
            for (unsigned taper = 1; taper <= 3; taper++) {
                char spec[80];
                snprintf(spec, sizeof spec, "clos:radix=%u,hosts=%u,taper=%u", radix, hosts, taper);
                bough_net *net = net_make(spec);
                assert_int_equal(net->endpoints, hosts);
                for (uint64_t v = net->endpoints; v < net->nodes; v++) {
                    uint64_t ports = 0;
                    for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++)
                        ports += net->ops->group_links(net, net->ops->node_group(net, v, g)).count;
                    if (ports > radix) fail_msg("%s: a switch of %d ports", spec, (int)ports);
                }
                bough_net_destroy(net);
            }
}

/* Shapes are asked for, not names of families. */
static void a_shape_is_found_under_any_name(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        bool tree, binary, pruned;
    } net[] = {
        {"fattree:n=16", true, true, false},
        {"kary:k=2,levels=4", true, true, false},
        {"xgft:down=2x2x2,up=1x2x2", true, true, false},
        {"xgft:down=2x2x2,up=1x2x2,links=1x1x2", true, false, false},
        {"kary:k=4,levels=2", true, false, false},
        {"pruned:n=64", true, false, true},
        {"xgft:down=2x2,up=2x1", true, false, true},
        {"bft:n=16", false, false, false},
        {"cube:n=16", false, false, false},
    };
    for (size_t i = 0; i < sizeof net / sizeof *net; i++) {
        bough_net *made = net_make(net[i].spec);
        const xgft_shape *shape = xgft_shape_of(made);
        assert_int_equal(shape != NULL, net[i].tree);
        assert_int_equal(shape && xgft_is_binary(shape), net[i].binary);
        assert_int_equal(shape && xgft_is_pruned(shape), net[i].pruned);
        bough_net_destroy(made);
    }
}

/* strumpen2005's labels: going up, message to t makes choices p0, p1, ..; coming down, it uses within level l
 * the link numbered by t with its low l bits replaced by p_{l-1}..p_0. So two down links of a level are the
 * same exactly when t >> l and the low l choices are (docs/strumpen2005.md). */
static void down_links_of_the_binary_tree_are_labels(void **state) {
    (void)state;
    enum { H = 4, N = 1 << H };
    bough_net *net = net_make("fattree:n=16");
    assert_true(xgft_is_binary(xgft_shape_of(net)));
    uint64_t link_of[H][N]; /* level, label */
    memset(link_of, 0xff, sizeof link_of);
    for (uint64_t s = 0; s < N; s++)
        for (uint64_t t = 0; t < N; t++)
            for (uint64_t p = 0; p < N / 2 && t != s; p++) {
                uint64_t node = s;
                unsigned climbed = 0;
                bough_route route;
                while (node != t) {
                    net->ops->route(net, node, t, &route);
                    uint64_t link = bough_route_link(&route, 0);
                    if (bough_link_direction(net, link) > 0 && node >= N)
                        link = bough_route_link(&route, p >> climbed++ & 1);
                    if (bough_link_direction(net, link) < 0) {
                        unsigned l = bough_link_level(net, link);
                        uint64_t low = (UINT64_C(1) << l) - 1, label = (t & ~low) | (p & low);
                        if (link_of[l][label] == UINT64_MAX) link_of[l][label] = link;
                        assert_true(link_of[l][label] == link);
                    }
                    node = net->ops->link_end(net, link).node;
                }
            }
    /* and different labels are different links: all N of a level */
    for (unsigned l = 0; l < H; l++)
        for (unsigned a = 0; a < N; a++) {
            assert_true(link_of[l][a] != UINT64_MAX);
            for (unsigned b = 0; b < a; b++) assert_true(link_of[l][a] != link_of[l][b]);
        }
    bough_net_destroy(net);
}

/* The check must be able to find something: one wrong answer of a network is enough. */
static const bough_net_ops *honest;
static bough_link_end wrong_end(const bough_net *net, uint64_t link) {
    bough_link_end end = honest->link_end(net, link);
    if (link == 5) end.node = (end.node + 1) % net->nodes;
    return end;
}
static uint64_t wrong_group(const bough_net *net, uint64_t link) {
    return (honest->link_group(net, link) + (link == 7)) % net->groups;
}
static uint32_t flat_rank(const bough_net *net, uint64_t group) {
    (void)net;
    (void)group;
    return 3;
}
static void endless_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    honest->route(net, node, address, route);
    if (node < net->endpoints) return;
    uint64_t g = net->ops->node_group(net, node, 0); /* always down to the first child */
    bough_range r = net->ops->group_links(net, g);
    *route = (bough_route){.group = g, .first = r.first, .count = (uint32_t)r.count};
}

/* A step that gives no route at an endpoint; or one that is a link off there. */
static void step_without_route(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_step whole;
    honest->step(net, link, address, &whole);
    if (whole.node >= net->endpoints) *step = whole;
    step->node = whole.node;
    step->port = whole.port;
}
static void step_aside(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    honest->step(net, link, address, step);
    if (step->node < net->endpoints) step->route.first++;
}

static void the_check_follows_steps_on_from_endpoints(void **state) {
    (void)state;
    static const char *const specs[] = {"bft:n=4", "bft:n=64", "transit:n=64", "transit:flat=4"};
    for (size_t i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        bough_net *net = net_make(specs[i / 2]);
        bough_error error;
        honest = net->ops;
        bough_net_ops ops = *honest;
        ops.step = i % 2 ? step_aside : step_without_route;
        net->ops = &ops;
        assert_int_equal(bough_net_check(net, 1000, &error), BOUGH_FAILED);
        assert_non_null(strstr(error.reason, "step() along link"));
        net->ops = honest;
        assert_int_equal(bough_net_check(net, 1000, &error), BOUGH_OK);
        bough_net_destroy(net);
    }
}

static void the_check_finds_what_is_wrong(void **state) {
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        bough_net *net = net_make("fattree:n=8");
        honest = net->ops;
        bough_net_ops ops = *honest;
        if (fault == 0) ops.link_end = wrong_end;
        if (fault == 1) ops.link_group = wrong_group;
        if (fault == 2) ops.group_order = flat_rank;
        if (fault == 3) ops.route = endless_route;
        net->ops = &ops;
        bough_error error;
        assert_int_equal(bough_net_check(net, 1000, &error), BOUGH_FAILED);
        assert_true(*error.reason);
        net->ops = honest;
        assert_int_equal(bough_net_check(net, 1000, &error), BOUGH_OK);
        bough_net_destroy(net);
    }
}

static void note_share(void *context, double share, const char *what) {
    double *last = context;
    assert_true(share >= 0 && share <= 1 && *what);
    last[0] = share;
    last[1]++;
}

/* The share comes near to 1, in trees with little and with much choice. */
static void the_check_tells_how_far_it_is(void **state) {
    (void)state;
    static const char *const specs[] = {"butterfly:n=4096", "clos:radix=16,hosts=1024", "sorting:n=1024"};
    for (int i = 0; i < 3; i++) {
        double last[2] = {0};
        bough_net *net = net_make(specs[i]);
        bough_error error;
        const bough_net_check_options options = {.pairs = 2000, .progress = note_share, .context = last};
        assert_int_equal(bough_net_check_with(net, &options, &error), BOUGH_OK);
        if (!(last[1] >= 3 && last[0] > 0.6)) fail_msg("%s: %g of %g", specs[i], last[0], last[1]);
        const atomic_bool stop = true;
        const bough_net_check_options stopped = {.pairs = 2000, .stop = &stop};
        assert_int_equal(bough_net_check_with(net, &stopped, &error), BOUGH_INTERRUPTED);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(the_check_follows_steps_on_from_endpoints),
        cmocka_unit_test(absurd_sizes_cost_nothing),
        cmocka_unit_test(counts_are_those_counted_by_hand),
        cmocka_unit_test(the_smallest_tree_with_a_choice),
        cmocka_unit_test(channels_count_cables),
        cmocka_unit_test(specs_are_echoed_in_full),
        cmocka_unit_test(binary_trees_are_sound),
        cmocka_unit_test(trees_of_every_kind_are_sound),
        cmocka_unit_test(random_small_trees_are_sound),
        cmocka_unit_test(unpopulated_ports),
        cmocka_unit_test(endpoints_are_spread_evenly),
        cmocka_unit_test(clos_networks_keep_their_radix),
        cmocka_unit_test(a_shape_is_found_under_any_name),
        cmocka_unit_test(down_links_of_the_binary_tree_are_labels),
        cmocka_unit_test(the_check_finds_what_is_wrong),
        cmocka_unit_test(the_check_tells_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
