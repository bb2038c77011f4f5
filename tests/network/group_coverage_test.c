/* Scopes of groups: by hand, against every pair's routes, and that the check of a network finds wrong ones.
 */
#include "network/faults/faults.h"
#include "network/group_coverage.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- bad covered ranges ---- */

/* A family's network with covered ranges that are wrong in one way. */
static bough_group_coverage (*right)(const bough_net *, uint64_t);
static unsigned wrong;

static bough_group_coverage wrong_scope(const bough_net *net, uint64_t group) {
    bough_group_coverage s = right(net, group);
    bool entry = scope_is_entry(net, &s);
    if (wrong == 0 && entry && s.to.within.count > 1) s.to.within.count--;
    if (wrong == 1 && !entry && s.from.within.count > 1) s.from.within.count--;
    if (wrong == 2 && entry) s.from.without = (bough_range){0, 0};
    if (wrong == 3 && entry && net->ops->group_node(net, group) % 2) s.from.without = (bough_range){0, 0};
    if (wrong == 4 && !entry) s.from.within = (bough_range){0, net->endpoints};
    return s;
}

static void the_check_finds_wrong_scopes(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=64", "transit:leaf=12", "bft:n=64", "kary:k=3,levels=3"};
    static const char *const says[] = {"is not in the range", "are not in the range",
                                       "passes entry groups of", "different home ranges",
                                       "different home ranges"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]), copy = *net;
        bough_net_ops ops = *net->ops;
        bough_error error = {0};
        uint64_t pairs = 5000;
        right = ops.group_coverage;
        ops.group_coverage = wrong_scope;
        copy.ops = &ops;
        for (wrong = 0; wrong < sizeof says / sizeof *says; wrong++) {
            /* elsewhere all that is no entry has a hole */
            if (wrong == 4 && strncmp(spec[i], "transit", 7) != 0) continue;
            assert_int_equal(bough_net_check(&copy, pairs, &error), BOUGH_FAILED);
            if (!strstr(error.reason, says[wrong]))
                fail_msg("%s, %u: '%s' does not say '%s'", spec[i], wrong, error.reason, says[wrong]);
        }
        wrong = 99;
        assert_int_equal(bough_net_check(&copy, pairs, &error), BOUGH_OK);
        bough_net_destroy(net);
    }
}

/* ---- by hand ---- */

static void is_scope(const bough_net *net, uint64_t node, uint32_t i, uint64_t from, uint64_t from_end,
                     uint64_t not_from, uint64_t not_from_end, uint64_t to, uint64_t to_end, uint64_t not_to,
                     uint64_t not_to_end) {
    bough_group_coverage s = net->ops->group_coverage(net, net->ops->node_group(net, node, i));
    for (uint64_t e = 0; e < net->endpoints; e++) {
        assert_int_equal(covers(&s.from, e),
                         e >= from && e < from_end && !(e >= not_from && e < not_from_end));
        assert_int_equal(covers(&s.to, e), e >= to && e < to_end && !(e >= not_to && e < not_to_end));
    }
}

static uint64_t node_called(const bough_net *net, const char *name) {
    char buffer[64];
    for (uint64_t v = 0; v < net->nodes; v++)
        if (strcmp(bough_node_name(net, v, buffer, sizeof buffer), name) == 0) return v;
    fail_msg("no node is called %s", name);
    return 0;
}

static void a_unit_tree_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("transit:n=64");
    uint64_t up = node_called(net, "s1.u0.up.r5"), d3 = node_called(net, "s1.u0.d3.r1"),
             d1 = node_called(net, "s1.u0.d1.r5a");
    is_scope(net, 9, 0, 9, 10, 0, 0, 0, 64, 9, 10);
    is_scope(net, up, 0, 20, 24, 0, 0, 20, 24, 0, 0);
    is_scope(net, up, 1, 20, 24, 0, 0, 16, 32, 20, 24);
    is_scope(net, up, 2, 20, 24, 0, 0, 0, 64, 16, 32);
    is_scope(net, d3, 2, 0, 64, 32, 48, 32, 48, 0, 0);
    is_scope(net, d1, 3, 0, 64, 23, 24, 23, 24, 0, 0);
    bough_net_destroy(net);
}

/* Heads from everywhere pass the stages of a leaf cluster; only those from outside come by the tree. */
static void a_leaf_cluster_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("transit:leaf=12");
    uint64_t entry = node_called(net, "b2.l1.r0"), last = node_called(net, "b2.l2.r1"),
             up = node_called(net, "s1.u0.up.r0"), d1 = node_called(net, "s1.u0.d1.r0");
    is_scope(net, entry, 3, 24, 36, 0, 0, 0, 768, 24, 36);
    is_scope(net, entry, 1, 0, 768, 0, 0, 28, 32, 0, 0);
    is_scope(net, last, 2, 0, 768, 0, 0, 30, 31, 0, 0);
    is_scope(net, up, 0, 0, 48, 0, 0, 0, 48, 0, 0);
    is_scope(net, up, 2, 0, 48, 0, 0, 0, 768, 0, 192);
    is_scope(net, d1, 2, 0, 768, 24, 36, 24, 36, 0, 0);
    bough_net_destroy(net);
}

/* ---- against routes ---- */

static void every_pair_uses_what_is_in_scope(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=64",
                                       "transit:flat=4",
                                       "transit:flat=12,leafmode=dual",
                                       "transit:flat=48",
                                       "transit:flat=64",
                                       "xgft:down=4x1x3,up=1x2x2",
                                       "xgft:down=3x2x4,up=2x2x1,links=1x2x1",
                                       "fattree:n=32",
                                       "bft:n=64"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        bough_error error;
        assert_non_null(net->ops->group_coverage);
        if (bough_net_check(net, 4096, &error)) fail_msg("%s: %s", spec[i], error.reason);
        bough_net_destroy(net);
    }
}

/* ---- against routes that are found without covered ranges ---- */

static bough_net *without_scopes(const bough_net *net, bough_net_ops *ops, bough_net *copy) {
    *ops = *net->ops;
    *copy = *net;
    ops->group_coverage = NULL;
    copy->ops = ops;
    return copy;
}

/* What is masked leaves the network's own routes, which the other way looks at one by one. */
static void agree(const char *spec, const char *faults) {
    bough_net *base = net_make(spec), copy, *scoped, *listed;
    bough_net_ops ops;
    bough_error error;
    uint64_t missed = 0;
    if (bough_net_with_faults(base, faults, &scoped, &error)) fail_msg("%s: %s", spec, error.reason);
    if (bough_net_with_faults(without_scopes(base, &ops, &copy), faults, &listed, &error))
        fail_msg("%s: %s", spec, error.reason);
    for (uint64_t e = 0; e < base->endpoints; e += 1 + base->endpoints / 256) {
        uint64_t count = 0;
        for (uint64_t a = 0; a < base->addresses; a++) {
            bool reaches = listed->ops->reaches(listed, e, a);
            if (a == e) continue;
            if (scoped->ops->reaches(scoped, e, a) != reaches)
                fail_msg("%s with %s: %lu to %lu: reaches() is not %d", spec, faults, (unsigned long)e,
                         (unsigned long)a, reaches);
            count += reaches;
        }
        missed += base->addresses - 1 - count;
        assert_int_equal(scoped->ops->reached(scoped, e), count);
    }
    if (!missed) fail_msg("%s with %s misses nothing", spec, faults);
    bough_net_destroy(scoped);
    bough_net_destroy(listed);
    bough_net_destroy(base);
}

static void masked_transit_networks_agree(void **state) {
    (void)state;
    agree("transit:leaf=12", "chips:share=20%,key=3");
    agree("transit:leaf=12,leafmode=dual", "links:share=10%+chips:share=10%,mode=blind");
    agree("transit:flat=192", "links:share=15%");
}

/* What looking at every switch and destination has found there, once: the other way takes too long for a
 * test. */
static void pairs_of_4096_processors(void **state) {
    (void)state;
    static const char *const mode[] = {"masked", "blind", "rerouted"};
    bough_net *base = net_make("transit:n=4096"), *net;
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        char faults[48];
        uint64_t sum = 0;
        snprintf(faults, sizeof faults, "chips:share=5%%,mode=%s", mode[i]);
        assert_int_equal(bough_net_with_faults(base, faults, &net, NULL), BOUGH_OK);
        for (uint64_t e = 0; e < base->endpoints; e++) sum += net->ops->reached(net, e);
        assert_true(sum == (uint64_t)4096 * 4095 - 49344);
        bough_net_destroy(net);
    }
    bough_net_destroy(base);
}

/* Found anew: the same pairs as masked, and no route breaks off, which the check looks at. */
static void rerouted_transit_networks_agree(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=4096", "transit:leaf=12", "transit:flat=192"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *base = net_make(spec[i]), *masked, *rerouted;
        bough_error error;
        assert_int_equal(bough_net_with_faults(base, "links:share=10%", &masked, &error), BOUGH_OK);
        assert_int_equal(bough_net_with_faults(base, "links:share=10%,mode=rerouted", &rerouted, &error),
                         BOUGH_OK);
        for (uint64_t e = 0; e < base->endpoints; e++)
            assert_int_equal(masked->ops->reached(masked, e), rerouted->ops->reached(rerouted, e));
        if (bough_net_check(rerouted, 1000, &error)) fail_msg("%s: %s", rerouted->spec, error.reason);
        bough_net_destroy(masked);
        bough_net_destroy(rerouted);
        bough_net_destroy(base);
    }
}

/* What faults take of large ones is next to nothing. */
static void large_ones_fit(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:leaf=12,stages=2", "transit:leaf=192"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *base = net_make(spec[i]), *net;
        bough_error error;
        if (bough_net_with_faults(base, "chips:share=5%,mode=rerouted", &net, &error))
            fail_msg("%s", error.reason);
        assert_true(net->faults->bytes < 4 << 20);
        for (uint64_t e = 0, step = base->endpoints / 1000; e < base->endpoints; e += step) {
            uint64_t a = (e * 7919 + 13) % base->addresses, node = e;
            bool reaches = net->ops->reaches(net, e, a);
            bough_route route;
            if (a == e) continue;
            net->ops->route(net, e, a, &route);
            assert_int_equal(route.count > 0, reaches);
            for (unsigned hops = 0; reaches && node != a; hops++) {
                net->ops->route(net, node, a, &route);
                assert_true(route.count > 0 && hops < net->hops_max);
                node = net->ops->link_end(net, bough_route_link(&route, (uint32_t)(e % route.count))).node;
            }
        }
        bough_net_destroy(net);
        bough_net_destroy(base);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_finds_wrong_scopes),    cmocka_unit_test(a_unit_tree_by_hand),
        cmocka_unit_test(a_leaf_cluster_by_hand),          cmocka_unit_test(every_pair_uses_what_is_in_scope),
        cmocka_unit_test(masked_transit_networks_agree),   cmocka_unit_test(pairs_of_4096_processors),
        cmocka_unit_test(rerouted_transit_networks_agree), cmocka_unit_test(large_ones_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
