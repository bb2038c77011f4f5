/* What is left of a network's routes, against an oracle that looks at every pair. */
#include "routing/routing.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/fault_oracle.h"
#include "support/faulty_nets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct broken {
    const bough_net *base;
    uint64_t *dead, *lost, *cut;
} broken;

static broken break_some(const bough_net *base, bough_stream *s, unsigned percent, bool with_lost) {
    uint64_t words = base->links / 64 + 1;
    broken b = {base, calloc(words, 8), calloc(words, 8), calloc(words, 8)};
    assert_true(b.dead && b.lost && b.cut);
    for (uint64_t l = 0; l < base->links; l++) {
        bool both = base->ops->link_twin && bough_stream_below(s, 3) == 0;
        if (bough_stream_below(s, 100) >= percent) continue;
        uint64_t *to = with_lost && bough_stream_below(s, 2) ? b.lost : b.dead;
        to[l / 64] |= UINT64_C(1) << l % 64;
        uint64_t twin = both ? base->ops->link_twin(base, l) : BOUGH_NONE;
        if (twin != BOUGH_NONE) to[twin / 64] |= UINT64_C(1) << twin % 64;
    }
    for (uint64_t w = 0; w < words; w++) b.lost[w] &= ~b.dead[w], b.cut[w] = b.dead[w] | b.lost[w];
    return b;
}

static void mend(broken *b) {
    free(b->dead);
    free(b->lost);
    free(b->cut);
}

static bough_net *without(const broken *b, bool rerouted) {
    bough_error error;
    bough_net *net = net_without(b->base, (fault_bits){b->dead, b->lost, rerouted});
    if (bough_net_check(net, 2000, &error))
        fail_msg("%s: rerouted %d: %s", net->spec, rerouted, error.reason);
    return net;
}

static bool bit(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

/* reaches() and reached() for every pair: what the network's own routes leave, by what is dead or lost. */
static uint64_t check_reaches(const bough_net *net, fault_oracle *o) {
    uint64_t sum = 0, reached = 0;
    for (uint64_t a = 0; a < net->addresses; a++)
        for (uint64_t s = 0; s < net->endpoints; s++) {
            if (bough_address_node(net, a) == s) continue;
            bool leads = oracle_leads(o, s, a, true);
            if (net->ops->reaches(net, s, a) != leads)
                fail_msg("%s: %lu to %lu: reaches() is not %d", net->spec, (unsigned long)s, (unsigned long)a,
                         leads);
            sum += leads;
        }
    for (uint64_t s = 0; s < net->endpoints; s++) reached += net->ops->reached(net, s);
    assert_int_equal(reached, sum);
    return sum;
}

/* Masked: the base network's eligible links without the dead ones, at every node. */
static void check_masked(const bough_net *net, const broken *b) {
    for (uint64_t a = 0; a < net->addresses; a++)
        for (uint64_t v = 0; v < net->nodes; v++) {
            bough_route is, was;
            uint32_t k = 0;
            if (v == bough_address_node(net, a)) continue;
            b->base->ops->route(b->base, v, a, &was);
            net->ops->route(net, v, a, &is);
            for (uint32_t i = 0; i < was.count; i++) {
                if (bit(b->dead, bough_route_link(&was, i))) continue;
                assert_true(k < is.count);
                assert_int_equal(bough_route_link(&is, k++), bough_route_link(&was, i));
            }
            assert_int_equal(is.count, k);
            if (k) assert_int_equal(is.group, was.group);
        }
}

/* Follows what a rerouted network says from every endpoint; each node once. */
typedef struct walk {
    const bough_net *net;
    const broken *b;
    fault_oracle *o;
    uint64_t address, source;
    uint8_t *seen;
    bool own; /* routes are the base network's */
} walk;

static void walk_from(walk *w, uint64_t node) {
    bough_route is, was;
    uint32_t k = 0;
    if (node == bough_address_node(w->net, w->address) || w->seen[node]) return;
    w->seen[node] = 1;
    w->net->ops->route(w->net, node, w->address, &is);
    if (w->own) {
        w->b->base->ops->route(w->b->base, node, w->address, &was);
        for (uint32_t i = 0; i < was.count; i++) {
            uint64_t link = bough_route_link(&was, i), to = w->net->ops->link_end(w->net, link).node;
            if (bit(w->b->dead, link) || !oracle_leads(w->o, to, w->address, false)) continue;
            assert_true(k < is.count);
            assert_int_equal(bough_route_link(&is, k++), link);
        }
        if (node == w->source && !oracle_leads(w->o, node, w->address, false)) k = 0;
        assert_int_equal(is.count, k);
        if (node != w->source) assert_true(is.count > 0);
    } else {
        uint32_t left = oracle_distance(w->o, node, w->address);
        assert_int_equal(is.count > 0, left != UINT32_MAX);
        for (uint32_t i = 0; i < is.count; i++) {
            uint64_t to = w->net->ops->link_end(w->net, bough_route_link(&is, i)).node;
            assert_int_equal(oracle_distance(w->o, to, w->address), left - 1);
            assert_false(bit(w->b->dead, bough_route_link(&is, i)));
        }
    }
    for (uint32_t i = 0; i < is.count; i++)
        walk_from(w, w->net->ops->link_end(w->net, bough_route_link(&is, i)).node);
}

static void check_rerouted(const bough_net *net, const broken *b, fault_oracle *o) {
    walk w = {.net = net, .b = b, .o = o, .own = b->base->ops->group_coverage != NULL};
    w.seen = calloc(net->nodes, 1);
    assert_non_null(w.seen);
    for (w.address = 0; w.address < net->addresses; w.address++) {
        memset(w.seen, 0, net->nodes);
        for (w.source = 0; w.source < net->endpoints; w.source++) walk_from(&w, w.source);
    }
    free(w.seen);
}

static void agree(const bough_net *base, unsigned times, uint64_t seed) {
    static const unsigned percent[] = {1, 4, 10, 20, 40};
    bough_stream s = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    uint64_t all = base->endpoints * base->addresses - base->addresses, least = all, most = 0;
    for (unsigned i = 0; i < times; i++) {
        bool lost = i % 3 == 2;
        broken b = break_some(base, &s, percent[i % 5], lost);
        fault_oracle o = fault_oracle_make(base, b.dead, b.cut);
        bough_net *masked = without(&b, false), *rerouted = without(&b, true);
        uint64_t sum = check_reaches(masked, &o);
        check_masked(masked, &b);
        check_rerouted(rerouted, &b, &o);
        if (base->ops->group_coverage) assert_int_equal(check_reaches(rerouted, &o), sum);
        if (sum < least) least = sum;
        if (sum > most) most = sum;
        bough_net_destroy(masked);
        bough_net_destroy(rerouted);
        fault_oracle_free(&o);
        mend(&b);
    }
    assert_true(least < all / 2 && most > all * 9 / 10 * (times > 4)); /* the draws were hard and easy ones */
}

static void trees_agree_with_the_oracle(void **state) {
    static const char *const spec[] = {"fattree:n=16",
                                       "bft:n=16",
                                       "bft:n=64",
                                       "kary:k=4,levels=2",
                                       "kary:k=2,levels=4",
                                       "xgft:down=4x3x2,up=1x2x3,links=1x2x1",
                                       "xgft:down=3x4,up=2x3",
                                       "xgft:down=2x2x2,up=2x1x2,links=2x1x3",
                                       "kary:k=9,levels=2"};
    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        bough_net *net = net_make(spec[i]);
        agree(net, net->endpoints > 32 ? 10 : 30, i);
        bough_net_destroy(net);
    }
}

static void fabrics_agree_with_the_oracle(void **state) {
    (void)state;
    static const char *const ring[] = {"S1 lid 1",        "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",
                                       "H1 lid 11 lmc 1", "H2 lid 13", "H3 lid 14", "H4 lid 15", "S1:1 S2:1",
                                       "S2:2 S3:1",       "S3:2 S4:1", "S4:2 S1:2", "S5:1 S1:3", "S5:2 S3:3",
                                       "S5:3 S2:5",       "S1:4 S2:6", "H1:1 S1:9", "H2:1 S2:9", "H3:1 S3:9",
                                       "H4:1 S4:9",       NULL};
    bough_net *net = fabric_net(ring, NULL);
    agree(net, 60, 100);
    bough_net_destroy(net);
    char *spec = data_path("example:cluster.ibnetdiscover"), *whole = spec_of("ibnet", spec);
    net = net_make(whole);
    agree(net, 10, 101);
    bough_net_destroy(net);
    free(spec);
    free(whole);
}

/* Stages that heads from everywhere pass, and subtrees that some are at home in. */
static void transit_networks_agree_with_the_oracle(void **state) {
    static const struct {
        const char *spec;
        unsigned times;
    } cases[] = {{"transit:n=64", 15},
                 {"transit:flat=4", 30},
                 {"transit:flat=12,leafmode=dual", 30},
                 {"transit:flat=48", 10},
                 {"transit:flat=64,leafmode=dual", 10}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].spec);
        agree(net, cases[i].times, 300 + i);
        bough_net_destroy(net);
    }
}

/* Nodes that are endpoint and switch in one, each with an address of its own. */
static void cubes_agree_with_the_oracle(void **state) {
    (void)state;
    for (unsigned d = 2; d <= 5; d++) {
        bough_net *net;
        assert_int_equal(cube_create(d, &net, NULL), BOUGH_OK);
        agree(net, 15, 200 + d);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_agree_with_the_oracle),
        cmocka_unit_test(fabrics_agree_with_the_oracle),
        cmocka_unit_test(transit_networks_agree_with_the_oracle),
        cmocka_unit_test(cubes_agree_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
