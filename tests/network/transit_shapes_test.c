/* Transit networks of routers other than RN1: against the rules of the paper in plain arithmetic
 * (support/transit_rules.h), sound in structure, and with the three kinds of wiring. */
#include "network/families/transit/transit.h"
#include "network/net.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "support/transit_rules.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct shape {
    const char *spec;
    transit_rules rules;
} shape;

/* radix, dilation, levels, ports, capacity, stages, shortcuts, leaf */
static const shape shapes[] = {
    {"transit:n=64", {4, 2, 3, 2, 8, 1, true, 1}},
    {"transit:n=4096", {4, 2, 3, 2, 8, 2, true, 1}},
    {"transit:leaf=48", {4, 2, 3, 2, 8, 1, true, 48}},
    {"transit:n=64,shortcuts=0", {4, 2, 3, 2, 8, 1, false, 1}},
    {"transit:n=4096,shortcuts=0", {4, 2, 3, 2, 8, 2, false, 1}},
    {"transit:leaf=12,shortcuts=0", {4, 2, 3, 2, 8, 1, false, 12}},
    {"transit:n=4096,capacity=2", {4, 2, 3, 2, 2, 2, true, 1}},
    {"transit:n=4096,ports=4,capacity=8", {4, 2, 3, 4, 8, 2, true, 1}},
    {"transit:n=64,dilation=1", {4, 1, 3, 1, 4, 1, true, 1}},
    {"transit:n=64,dilation=1,ports=2", {4, 1, 3, 2, 8, 1, true, 1}},
    {"transit:n=64,dilation=3", {4, 3, 3, 3, 12, 1, true, 1}},
    {"transit:n=64,levels=1", {4, 2, 1, 2, 2, 3, true, 1}},
    {"transit:n=256,levels=2", {4, 2, 2, 2, 8, 2, true, 1}},
    {"transit:n=256,levels=2,shortcuts=0", {4, 2, 2, 2, 8, 2, false, 1}},
    {"transit:n=16,radix=2", {2, 2, 1, 2, 2, 4, true, 1}},
    {"transit:n=8,radix=2,dilation=5", {2, 5, 1, 5, 5, 3, true, 1}},
    {"transit:n=81,radix=3,dilation=1", {3, 1, 2, 1, 3, 2, true, 1}},
    {"transit:n=81,radix=3,shortcuts=0", {3, 2, 2, 2, 6, 2, false, 1}},
    {"transit:n=81,radix=3,levels=1,dilation=3", {3, 3, 1, 3, 3, 4, true, 1}},
    {"transit:leaf=18,radix=3", {3, 2, 2, 2, 6, 1, true, 18}},
    {"transit:leaf=6,radix=3,dilation=3,stages=2,shortcuts=0", {3, 3, 2, 3, 9, 2, false, 6}},
    {"transit:n=125,radix=5,levels=3", {5, 2, 3, 2, 10, 1, true, 1}},
    {"transit:n=625,radix=5,levels=2,shortcuts=0", {5, 2, 2, 2, 10, 2, false, 1}},
    {"transit:n=625,radix=5,levels=4,shortcuts=0", {5, 2, 4, 2, 10, 1, false, 1}},
    {"transit:leaf=20,radix=5,levels=1,dilation=1,stages=2", {5, 1, 1, 1, 1, 2, true, 20}},
    {"transit:n=36,radix=6,levels=2,dilation=1", {6, 1, 2, 1, 6, 1, true, 1}},
    {"transit:n=343,radix=7,levels=3,dilation=1,shortcuts=0", {7, 1, 3, 1, 7, 1, false, 1}},
    {"transit:n=512,radix=8,dilation=1", {8, 1, 3, 1, 8, 1, true, 1}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *const wires[] = {"random", "checked", "deterministic"};

static bough_net *make(int i, int wiring) {
    char spec[128];
    snprintf(spec, sizeof spec, "%s,wires=%s", shapes[i].spec, wires[wiring]);
    return net_make(spec);
}

static void all_are_sound(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int w = 0; w < 3; w++) {
            bough_net *net = make(i, w);
            bough_error error;
            if (bough_net_check(net, 12, &error)) fail_msg("%s: %s", net->spec, error.reason);
            bough_net_destroy(net);
        }
}

/* Table 1 for other routers. */
static void layers_have_the_routers_of_the_rules(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        bough_net *net = net_make(shapes[i].spec);
        const transit_rules *r = &shapes[i].rules;
        const bough_packaging *p = net->packaging;
        assert_true(net->endpoints == transit_rules_processors(r));
        assert_true(net->chips == transit_rules_all_routers(r));
        unsigned ups = r->shortcuts ? 1 : r->levels, has_leaf = r->leaf > 1;
        for (unsigned s = 1; s <= r->stages; s++) {
            const bough_stack_stage *stage = &p->stage[s - 1 + has_leaf];
            assert_true(stage->stacks == transit_rules_unit_trees(r, s));
            assert_int_equal(stage->inside.layers, ups + r->levels);
            for (unsigned k = 0; k < stage->inside.layers; k++) {
                uint64_t want = transit_rules_routers(r, s, k < ups, k < ups ? k + 1 : k - ups + 1);
                if (stage->inside.chips[k] != want)
                    fail_msg("%s stage %u layer %u: %" PRIu64 " chips, not %" PRIu64, net->spec, s, k,
                             stage->inside.chips[k], want);
            }
            uint64_t up = s < r->stages ? transit_rules_wires_up(r, s) / stage->stacks : 0;
            assert_true(stage->inside.root_capacity == up);
        }
        bough_net_destroy(net);
    }
}

/* "s2.u5.up2.r17b": the subtree that the router serves, with the number of routers of the rules. */
static void locate(const transit_rules *r, const char *name, transit_rules_hop *hop) {
    unsigned long long stack = 0, router = 0;
    *hop = (transit_rules_hop){0};
    if (sscanf(name, "b%llu.%15[^.].r%llu", &stack, hop->layer, &router) != 3 &&
        sscanf(name, "s%u.u%llu.%15[^.].r%llu", &hop->stage, &stack, hop->layer, &router) != 4)
        fail_msg("%s is no name of a router", name);
    bool up = hop->layer[0] == 'u';
    unsigned number = up && !hop->layer[2] ? 1 : (unsigned)atoi(hop->layer + (up ? 2 : 1));
    uint64_t units = hop->stage ? transit_rules_unit_trees(r, hop->stage) : 1, positions = 1;
    for (unsigned k = number; hop->stage && k < r->levels; k++) positions *= r->radix;
    for (unsigned k = 2; !hop->stage && k <= number; k++) positions *= k == 2 ? r->radix - 1 : r->radix;
    uint64_t routers = transit_rules_routers(r, hop->stage, up, number);
    assert_true(router < routers && routers % positions == 0);
    hop->subtree = stack / units * positions + router / (routers / positions);
}

static unsigned draw(uint64_t *state, unsigned n) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)((*state >> 33) % n);
}

/* Over random links of the groups: the routers that the digits say, with as many wires as the rules allow. */
static void routes_pass_the_routers_of_the_rules(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        bough_net *net = make(i, i % 3);
        const transit_rules *r = &shapes[i].rules;
        uint64_t random = 1;
        for (int n = 0; n < 300; n++) {
            uint64_t from = draw(&random, (unsigned)net->endpoints),
                     to = draw(&random, (unsigned)net->endpoints);
            transit_rules_hop want[64], have;
            if (from == to) continue;
            unsigned hops = transit_rules_path(r, from, to, want, 64);
            uint64_t node = from;
            assert_true(hops < net->hops_max);
            for (unsigned h = 0; h <= hops; h++) {
                bough_route route;
                char name[64];
                net->ops->route(net, node, to, &route);
                node = net->ops->link_end(net, route.first + draw(&random, route.count)).node;
                if (h == hops) break;
                assert_true(node >= net->endpoints);
                locate(r, bough_node_name(net, node, name, sizeof name), &have);
                /* parts of a chip serve neighbours */
                uint64_t near = name[strlen(name) - 1] > 'a' ? r->radix : 1;
                if (have.stage != want[h].stage || have.subtree / near != want[h].subtree / near ||
                    strcmp(have.layer, want[h].layer) != 0)
                    fail_msg("%s, %" PRIu64 " to %" PRIu64
                             ": hop %u is %s, not %s of stage %u over subtree %" PRIu64,
                             net->spec, from, to, h, name, want[h].layer, want[h].stage, want[h].subtree);
            }
            assert_true(node == to);
        }
        bough_net_destroy(net);
    }
}

/* Every output leads to an input of its own; all inputs are used but at the root, and those of a set differ
 * by one at most. */
static void inputs_are_used_evenly(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        bough_net *net = make(i, (i + 1) % 3);
        const transit *t = net->data;
        unsigned most = t->ask.radix * t->ask.dilation;
        uint32_t *inputs = calloc(net->nodes, sizeof *inputs);
        uint8_t *used = calloc(net->nodes << t->port_bits, 1);
        for (uint64_t l = 0; l < net->links; l++) {
            bough_link_end e = net->ops->link_end(net, l);
            assert_true(e.port < 1u << t->port_bits && !used[e.node << t->port_bits | e.port]);
            used[e.node << t->port_bits | e.port] = 1;
            inputs[e.node]++;
        }
        for (uint64_t v = 0; v < net->nodes; v++) {
            const transit_layer *l = transit_layer_of(t, v);
            bool root = l->kind == TRANSIT_DOWN && l->stage == t->ask.stages && l->number == t->ask.levels;
            unsigned want = l->kind == TRANSIT_PROCESSORS ? t->ask.ports : most / l->parts;
            uint64_t first = l->node + (v - l->node) / transit_size(l->set) * transit_size(l->set);
            if (root && t->ask.shortcuts) {
                if (inputs[first] > inputs[v] + 1 || inputs[v] > inputs[first] + 1 || inputs[v] == 0)
                    fail_msg("%s: node %" PRIu64 " has %u inputs", net->spec, v, inputs[v]);
            } else if (inputs[v] != want) {
                fail_msg("%s: node %" PRIu64 " has %u inputs, not %u", net->spec, v, inputs[v], want);
            }
        }
        free(inputs);
        free(used);
        bough_net_destroy(net);
    }
}

/* ---- wiring ---- */

static int by_value(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* The most groups of a pair of wires from one layer to one set that lead to the same two routers, over the
 * number that a set of its size forces. */
static double most_alike(const bough_net *net) {
    const transit *t = net->data;
    uint64_t(*pair)[3] = calloc(net->groups, sizeof *pair), count = 0;
    double worst = 0;
    for (uint64_t g = 0; g < net->groups; g++) {
        bough_range r = net->ops->group_links(net, g);
        if (r.count != 2 || net->ops->group_node(net, g) < net->endpoints) continue;
        uint64_t a = net->ops->link_end(net, r.first).node, b = net->ops->link_end(net, r.first + 1).node;
        if (a == b || a < net->endpoints) continue;
        if (transit_layer_of(t, a)->stage != transit_layer_of(t, net->ops->group_node(net, g))->stage)
            continue;
        uint64_t from = (uint64_t)(transit_layer_of(t, net->ops->group_node(net, g)) - t->layer);
        pair[count][0] = from;
        pair[count][1] = a < b ? a : b;
        pair[count++][2] = a < b ? b : a;
    }
    qsort(pair, count, sizeof *pair, by_value);
    for (uint64_t i = 0, same = 0; i < count; i++) {
        same = i && by_value(pair[i], pair[i - 1]) == 0 ? same + 1 : 1;
        if (transit_layer_of(t, pair[i][1])->stage && (double)same > worst) worst = (double)same;
    }
    free(pair);
    return worst;
}

/* Inside UT64x8 stacks no two routers of a layer share both targets, except towards down layer 1, where four
 * routers have 6 pairs for 12 + 4 routers. */
static void checked_wiring_repeats_no_pair(void **state) {
    (void)state;
    double most[3];
    for (int w = 0; w < 3; w++) {
        bough_net *net = net_make(w == 0   ? "transit:leaf=12"
                                  : w == 1 ? "transit:leaf=12,wires=checked"
                                           : "transit:leaf=12,wires=deterministic");
        most[w] = most_alike(net);
        bough_net_destroy(net);
    }
    assert_true(most[1] <= 3);
    assert_true(most[2] <= 3);
    assert_true(most[0] > most[1]);
}

static void deterministic_wiring_ignores_the_key(void **state) {
    (void)state;
    bough_net *a = net_make("transit:n=4096,wires=deterministic"),
              *b = net_make("transit:n=4096,wires=deterministic,wiring=9"),
              *c = net_make("transit:n=4096,wires=checked"),
              *d = net_make("transit:n=4096,wires=checked,wiring=9");
    uint64_t differ = 0;
    for (uint64_t l = 0; l < a->links; l++) {
        assert_true(a->ops->link_end(a, l).node == b->ops->link_end(b, l).node);
        differ += c->ops->link_end(c, l).node != d->ops->link_end(d, l).node;
    }
    assert_true(differ > a->links / 8);
    bough_net_destroy(a);
    bough_net_destroy(b);
    bough_net_destroy(c);
    bough_net_destroy(d);
}

/* 4/3 log4 N with short cuts, 2 log4 N without. */
static void short_cuts_shorten_the_longest_path(void **state) {
    (void)state;
    bough_net *with = net_make("transit:n=4096"), *without = net_make("transit:n=4096,shortcuts=0");
    assert_int_equal(with->hops_max - 1, 4 * 6 / 3);
    assert_int_equal(without->hops_max - 1, 2 * 6);
    assert_int_equal(without->packaging->stage[1].inside.layers, 6);
    assert_true(without->packaging->stage[1].inside.chips[0] == 64);
    assert_true(without->packaging->stage[1].inside.chips[1] == 48);
    assert_true(without->packaging->stage[1].inside.chips[2] == 32);
    bough_net_destroy(with);
    bough_net_destroy(without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_sound),
        cmocka_unit_test(layers_have_the_routers_of_the_rules),
        cmocka_unit_test(routes_pass_the_routers_of_the_rules),
        cmocka_unit_test(inputs_are_used_evenly),
        cmocka_unit_test(checked_wiring_repeats_no_pair),
        cmocka_unit_test(deterministic_wiring_ignores_the_key),
        cmocka_unit_test(short_cuts_shorten_the_longest_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
