/* The butterfly fat-tree: wired as greenberg1997 prints it (section 3.1), and otherwise what xgft makes of
 * it.
 */
#include "network/families/bft.h"
#include "routing/routing.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bough_net *bft(unsigned k) {
    char spec[32];
    snprintf(spec, sizeof spec, "bft:n=4^%u", k);
    return net_make(spec);
}

/* ---- bad input ---- */

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    net_refused("bft:n=8", BOUGH_INVALID, "n=8 is not a power of four; the nearest are 4 and 16");
    net_refused("bft:n=63", BOUGH_INVALID, "the nearest are 16 and 64");
    net_refused("bft:n=65", BOUGH_INVALID, "the nearest are 64 and 256");
    net_refused("bft:n=2^59", BOUGH_INVALID, "not a power of four");
    net_refused("bft:n=1", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("bft:n=0", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("bft:n=-4", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("bft:n=2^62", BOUGH_INVALID, "n must lie between 4 and");
    net_refused("bft:k=3", BOUGH_INVALID, "no parameter 'k'");
}

/* 4^30 processors cost nothing; a walk to the other side and back crosses 2 k links. */
static void absurd_sizes_cost_nothing(void **state) {
    (void)state;
    for (unsigned k = 10; k <= 30; k += 5) {
        bough_net *net = bft(k);
        uint64_t node = 0, target = net->endpoints - 1;
        unsigned hops = 0;
        assert_true(net->endpoints == UINT64_C(1) << 2 * k && net->links < UINT64_C(1) << 62);
        for (; node != target && hops <= net->hops_max; hops++) {
            bough_route route;
            net->ops->route(net, node, target, &route);
            uint64_t link = bough_route_link(&route, route.count - 1);
            assert_true(net->ops->link_twin(net, net->ops->link_twin(net, link)) == link);
            assert_true(bough_link_start(net, link) == node && link < net->links);
            node = net->ops->link_end(net, link).node;
        }
        assert_int_equal(hops, 2 * k);
        bough_net_destroy(net);
    }
}

/* ---- the paper ---- */

static void figure_2_has_so_many_switches(void **state) {
    (void)state;
    bough_net *net = bft(3);
    unsigned count[4] = {0};
    for (uint64_t v = 0; v < net->nodes; v++) count[net->ops->node_level(net, v)]++;
    assert_int_equal(count[0], 64);
    assert_int_equal(count[1], 16);
    assert_int_equal(count[2], 8);
    assert_int_equal(count[3], 4);
    assert_int_equal(net->switches, 28);
    assert_int_equal(net->cables, 48);
    assert_int_equal(net->links, 2 * (64 + 48));
    assert_int_equal(net->hops_max, 6);
    assert_string_equal(net->spec, "bft:n=64");
    bough_net_destroy(net);
}

static uint64_t node_named(const bough_net *net, unsigned level, uint64_t a) {
    char want[32], name[32];
    if (level)
        snprintf(want, sizeof want, "s%u.%" PRIu64, level, a);
    else
        snprintf(want, sizeof want, "h%" PRIu64, a);
    for (uint64_t v = 0; v < net->nodes; v++)
        if (strcmp(bough_node_name(net, v, name, sizeof name), want) == 0) return v;
    fail_msg("%s: no node %s", net->spec, want);
    return 0;
}

/* The link that leaves a node by a port. */
static uint64_t link_at(const bough_net *net, uint64_t node, uint32_t port) {
    for (uint32_t i = 0; i < net->ops->node_group_count(net, node); i++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, node, i));
        for (uint64_t l = r.first; l < r.first + r.count; l++)
            if (net->ops->link_port(net, l) == port) return l;
    }
    fail_msg("%s: node %" PRIu64 " has no port %u", net->spec, node, port);
    return 0;
}

static void joined(const bough_net *net, uint64_t node, uint32_t port, uint64_t peer, uint32_t peer_port) {
    uint64_t link = link_at(net, node, port), back = link_at(net, peer, peer_port);
    bough_link_end end = net->ops->link_end(net, link), start = net->ops->link_end(net, back);
    if (end.node != peer || end.port != peer_port || start.node != node || start.port != port) {
        char name[80];
        fail_msg("%s: %s, not node %" PRIu64 " port %u", net->spec,
                 bough_link_name(net, link, name, sizeof name), peer, peer_port);
    }
}

/* Word for word; children are ports 0 to 3, parents 4 and 5. */
static void the_connections_are_those_printed(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 5; k++) {
        bough_net *net = bft(k);
        uint64_t N = net->endpoints;
        for (uint64_t a = 0; a < N; a++)
            joined(net, node_named(net, 0, a), 0, node_named(net, 1, a / 4), (uint32_t)(a % 4));
        uint64_t two_l = 2; /* 2^l */
        for (unsigned l = 1; l < k; l++, two_l *= 2)
            for (uint64_t a = 0; a < N / (2 * two_l); a++) {
                uint64_t v = node_named(net, l, a), base = a / (2 * two_l) * two_l;
                uint32_t i = (uint32_t)(a % (2 * two_l) / (two_l / 2));
                joined(net, v, 4, node_named(net, l + 1, base + a % two_l), i);
                joined(net, v, 5, node_named(net, l + 1, base + (a + two_l / 2) % two_l), i);
            }
        bough_net_destroy(net);
    }
}

/* Channels on the path, processor links included. */
static void mean_distances_are_the_documents(void **state) {
    (void)state;
    static const double want[] = {5.428571, 7.364706, 9.343109};
    for (unsigned k = 3; k <= 5; k++) {
        bough_net *net = bft(k);
        bough_routing *routing = routing_make(net, "dmodk");
        uint64_t sum = 0, n = net->endpoints, path[16];
        for (uint64_t s = 0; s < n; s++)
            for (uint64_t t = 0; t < n; t++)
                sum += (uint64_t)bough_path(routing, &(bough_flow){.source = s, .address = t}, path, 16);
        assert_near((double)sum / (double)(n * (n - 1)), want[k - 3], 5e-7);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

/* ---- invariants ---- */

static void all_sizes_are_sound(void **state) {
    (void)state;
    for (unsigned k = 1; k <= 6; k++) {
        bough_net *net = bft(k);
        bough_error error;
        if (bough_net_check(net, k <= 4 ? 65536 : 5000, &error)) fail_msg("%s: %s", net->spec, error.reason);
        bough_net_destroy(net);
    }
}

/* What engines count on: a pair of up links starts even, so that two records of 32 bytes share a cache line;
 * the links of a level and direction are consecutive. */
static void link_ids_are_in_order(void **state) {
    (void)state;
    bough_net *net = bft(4);
    int changes = 0, before = -1;
    for (uint64_t l = 0; l < net->links; l++) {
        bough_range r = net->ops->group_links(net, net->ops->link_group(net, l));
        if (r.count == 2) assert_int_equal(r.first % 2, 0);
        int kind = 2 * (int)bough_link_level(net, l) + (bough_link_direction(net, l) > 0);
        changes += kind != before;
        before = kind;
    }
    assert_int_equal(changes, 2 * 4);
    bough_net_destroy(net);
}

/* What a random pick needs to spread evenly: the roots of a subtree are all there are. */
static void channels_count_cables(void **state) {
    (void)state;
    bough_net *net = bft(4);
    for (unsigned level = 0; level < 4; level++) {
        uint64_t cables[256] = {0};
        for (uint64_t e = 0; e < 256; e++)
            assert_true(net->ops->subtree(net, level, e) == e / (UINT64_C(1) << 2 * level));
        for (uint64_t l = 0; l < net->links; l++) {
            if (bough_link_direction(net, l) < 0 || bough_link_level(net, l) != level) continue;
            uint64_t e = bough_link_start(net, l); /* down to any endpoint below */
            while (net->ops->node_level(net, e) > 0)
                e = net->ops->link_end(net, link_at(net, e, (uint32_t)(l % 4))).node;
            cables[net->ops->subtree(net, level, e)]++;
        }
        for (uint64_t t = 0; t < UINT64_C(256) >> 2 * level; t++) {
            assert_true(net->ops->channel_capacity(net, level, t) == UINT64_C(1) << level);
            assert_true(cables[t] == UINT64_C(1) << level);
        }
    }
    bough_net_destroy(net);
}

/* ---- another implementation: the same graph, parents in another order where M is odd ---- */

static void it_is_an_xgft(void **state) {
    (void)state;
    static const char *const same[] = {"xgft:down=4,up=1", "xgft:down=4x4,up=1x2", "xgft:down=4x4x4,up=1x2x2",
                                       "xgft:down=4x4x4x4,up=1x2x2x2"};
    for (unsigned k = 1; k <= 4; k++) {
        bough_net *net = bft(k), *other = net_make(same[k - 1]);
        assert_true(net->nodes == other->nodes && net->links == other->links &&
                    net->groups == other->groups && net->cables == other->cables &&
                    net->capabilities == other->capabilities && is_bft(net) && !is_bft(other));
        for (uint64_t g = 0; g < net->groups; g++) {
            bough_range r = net->ops->group_links(net, g), q = other->ops->group_links(other, g);
            assert_true(r.first == q.first && r.count == q.count);
            assert_int_equal(net->ops->group_order(net, g), other->ops->group_order(other, g));
            uint64_t v = net->ops->group_node(net, g), a = net->ops->link_end(net, r.first).node,
                     b = net->ops->link_end(net, r.first + r.count - 1).node,
                     x = other->ops->link_end(other, r.first).node,
                     y = other->ops->link_end(other, r.first + r.count - 1).node;
            assert_true(v == other->ops->group_node(other, g));
            assert_true((a == x && b == y) || (a == y && b == x));
        }
        bough_net_destroy(net);
        bough_net_destroy(other);
    }
}

/* D-mod-K takes the same switches there and here, so the order of parents changes no digit's meaning. */
static void dmodk_takes_the_same_switches(void **state) {
    (void)state;
    static const char *const routings[] = {"dmodk", "smodk"};
    bough_net *net = bft(4), *other = net_make("xgft:down=4x4x4x4,up=1x2x2x2");
    for (int i = 0; i < 2; i++) {
        bough_routing *here = routing_make(net, routings[i]), *there = routing_make(other, routings[i]);
        for (uint64_t s = 0; s < 256; s++)
            for (uint64_t t = 0; t < 256; t++) {
                uint64_t a[16], b[16];
                bough_flow flow = {s, t, 0};
                int length = bough_path(here, &flow, a, 16);
                assert_int_equal(bough_path(there, &flow, b, 16), length);
                for (int j = 0; j < length; j++)
                    assert_true(net->ops->link_end(net, a[j]).node == other->ops->link_end(other, b[j]).node);
            }
        bough_routing_destroy(here);
        bough_routing_destroy(there);
    }
    bough_net_destroy(net);
    bough_net_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(absurd_sizes_cost_nothing),
        cmocka_unit_test(figure_2_has_so_many_switches),
        cmocka_unit_test(the_connections_are_those_printed),
        cmocka_unit_test(mean_distances_are_the_documents),
        cmocka_unit_test(all_sizes_are_sound),
        cmocka_unit_test(link_ids_are_in_order),
        cmocka_unit_test(channels_count_cables),
        cmocka_unit_test(it_is_an_xgft),
        cmocka_unit_test(dmodk_takes_the_same_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
