/* Transit fat-trees: counted as dehon1991 counts them, and wired as docs/dehon1991.md says. */
#include "network/families/transit/transit.h"
#include "network/net.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- bad input ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    net_refused("transit:n=1000", BOUGH_INVALID, "n=1000 is not a power of 64; the nearest are 64 and 4096");
    net_refused("transit:n=65", BOUGH_INVALID, "the nearest are 64 and 4096");
    net_refused("transit:n=4095", BOUGH_INVALID, "the nearest are 64 and 4096");
    net_refused("transit:n=63", BOUGH_INVALID, "not a power of 64; the smallest is 64");
    net_refused("transit:n=1", BOUGH_INVALID, "the smallest is 64");
    net_refused("transit:n=0", BOUGH_INVALID, "the smallest is 64");
    net_refused("transit:n=-64", BOUGH_INVALID, "n must lie between");
    net_refused("transit:leaf=24", BOUGH_INVALID, "no leaf cluster has 24 processors; leaf is 12, 48 or 192");
    net_refused("transit:leaf=0", BOUGH_INVALID, "leaf is 12, 48 or 192");
    net_refused("transit:leaf=12,stages=0", BOUGH_INVALID, "stages must lie between 1 and 15");
    net_refused("transit:n=64,stages=1", BOUGH_INVALID, "stages= requires leaf=");
    net_refused("transit:n=64,leaf=12", BOUGH_INVALID, "give only one of them");
    net_refused("transit:flat=64,n=64", BOUGH_INVALID, "give only one of them");
    net_refused("transit:flat=100", BOUGH_INVALID, "neither 4^k nor 3 4^k; the nearest are 64 and 192");
    net_refused("transit:flat=50", BOUGH_INVALID, "the nearest are 48 and 64");
    net_refused("transit:flat=3", BOUGH_INVALID, "the smallest is 4");
    net_refused("transit:n=64,leafmode=dual", BOUGH_INVALID, "leafmode requires leaf= or flat=");
    net_refused("transit:leaf=12,leafmode=triple", BOUGH_INVALID, "leafmode is one of dilated|dual");
    net_refused("transit:n=64^6", BOUGH_TOO_LARGE, "more than 2^30 processors");
    net_refused("transit:radix=1", BOUGH_INVALID, "radix must lie between 2 and 16");
    net_refused("transit:dilation=0", BOUGH_INVALID, "dilation must lie between 1 and 16");
    net_refused("transit:levels=4", BOUGH_INVALID, "levels=4 is not below the radix, 4");
    net_refused("transit:radix=2,levels=2,n=16", BOUGH_INVALID, "levels=2 is not below the radix, 2");
    net_refused("transit:ports=3", BOUGH_INVALID, "ports=3 is not a multiple of the dilation, 2");
    net_refused("transit:capacity=7", BOUGH_INVALID, "capacity=7 is not a multiple of the dilation, 2");
    net_refused("transit:capacity=6", BOUGH_INVALID,
                "the 32 wires up of a node of stage 1 are not a multiple of capacity=6");
    net_refused("transit:radix=3,n=27", BOUGH_INVALID, "n=27 is not a power of 9; the nearest are 9 and 81");
    net_refused("transit:radix=3,leaf=12", BOUGH_INVALID, "leaf is 6, 18 or 54");
    net_refused("transit:radix=2,leaf=4", BOUGH_INVALID, "requires a radix of 3 or more");
    net_refused("transit:radix=3,flat=24", BOUGH_INVALID, "neither 3^k nor 2 3^k; the nearest are 18 and 27");
    net_refused("transit:flat=64,levels=2", BOUGH_INVALID, "a flat network has no unit trees");
    net_refused("transit:flat=64,shortcuts=0", BOUGH_INVALID, "a flat network has no unit trees");
    net_refused("transit:wires=expander", BOUGH_INVALID, "wires is one of random|checked|deterministic");
    net_refused("transit:radix=16,levels=15", BOUGH_TOO_LARGE, "more than 2^30 processors");
    net_refused("transit:radix=16,levels=7,n=16^7,ports=64,dilation=16", BOUGH_TOO_LARGE,
                "more than 2^35 wires");
    net_refused("transit:leaf=192,stages=5", BOUGH_TOO_LARGE, "more than 2^30 processors");
    net_refused("transit:flat=4^20", BOUGH_TOO_LARGE, "more than 2^30 processors");
}

/* ---- the paper's numbers ---- */

static void components_are_the_documents(void **state) {
    (void)state;
    static const struct {
        const char *spec, *canonical;
        uint64_t processors, chips, parts[3];
        unsigned levels, routers; /* on the longest way: 12 and 13 with the largest two */
    } cases[] = {
        {"transit:n=64", "transit:n=64", 64, 52, {1}, 3, 4},
        {"transit", "transit:n=4096", 4096, 4160, {64, 4}, 6, 8},
        {"transit:n=262144", "transit:n=262144", 262144, 279552, {4096, 256, 64}, 9, 12},
        {"transit:leaf=192", "transit:leaf=192,stages=1", 12288, 16640, {64, 16}, 4, 9},
        {"transit:leaf=192,stages=2", "transit:leaf=192,stages=2", 786432, 1118208, {4096, 1024, 256}, 7, 13},
        {"transit:leaf=12", "transit:leaf=12,stages=1", 768, 64 * 7 + 208, {64, 1}, 4, 7},
        {"transit:leaf=48", "transit:leaf=48,stages=1", 3072, 64 * 40 + 4 * 208, {64, 4}, 4, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].spec);
        assert_string_equal(net->spec, cases[i].canonical);
        assert_true(net->endpoints == cases[i].processors);
        assert_true(net->chips == cases[i].chips);
        assert_int_equal(net->levels, cases[i].levels);
        assert_int_equal(net->hops_max, cases[i].routers + 1);
        for (unsigned k = 0; k < 3 && cases[i].parts[k]; k++) {
            assert_true(bough_packaging_stacks(net->packaging, k) == cases[i].parts[k]);
        }
        bough_net_destroy(net);
    }
}

/* Tables 1 and 2, with the headings of the latter where they belong. */
static void is_stack(const bough_net *net, unsigned stage, const char *name, const uint64_t chips[4],
                     uint64_t channels, uint64_t capacity, uint64_t root) {
    const bough_stack_stage *s = &net->packaging->stage[stage];
    assert_string_equal(s->name, name);
    for (unsigned k = 0; k < 4; k++) assert_true(s->inside.chips[k] == chips[k]);
    for (unsigned k = 0; k < 4; k++) assert_true((chips[k] > 0) == (k < s->inside.layers));
    assert_true(s->inside.channels == channels && s->inside.channel_capacity == capacity);
    assert_true(s->inside.root_capacity == root);
}

static void parts_are_the_documents(void **state) {
    (void)state;
    static const uint64_t ut64x2[] = {16, 16, 12, 8}, ut64x8[] = {64, 64, 48, 32};
    bough_net *net = net_make("transit:n=262144");
    is_stack(net, 0, "UT64x2", ut64x2, 64, 2, 32);
    is_stack(net, 1, "UT64x8", ut64x8, 64, 8, 128);
    is_stack(net, 2, "UT64x8", ut64x8, 64, 8, 0);
    assert_true(net->packaging->stages == 3 && net->packaging->first == 1);
    bough_net_destroy(net);
    static const struct {
        const char *spec, *name;
        uint64_t leaf, chips[4], tree_wires;
    } leaf[] = {{"transit:leaf=12", "B12", 12, {4, 3}, 8},
                {"transit:leaf=48", "B48", 48, {16, 12, 12}, 32},
                {"transit:leaf=192,leafmode=dual", "B192", 192, {64, 48, 48, 48}, 128}};
    for (int i = 0; i < 3; i++) {
        net = net_make(leaf[i].spec);
        is_stack(net, 0, leaf[i].name, leaf[i].chips, leaf[i].leaf, 2, leaf[i].tree_wires);
        is_stack(net, 1, "UT64x8", ut64x8, 64, 8, 0);
        assert_true(net->packaging->first == 0);
        bough_net_destroy(net);
    }
}

/* ---- every network ---- */

static const char *const specs[] = {
    "transit:n=64",
    "transit:n=64,wiring=7",
    "transit:n=4096",
    "transit:leaf=12",
    "transit:leaf=12,leafmode=dual",
    "transit:leaf=48",
    "transit:leaf=48,leafmode=dual",
    "transit:leaf=192",
    "transit:leaf=12,stages=2",
    "transit:flat=4",
    "transit:flat=4,leafmode=dual",
    "transit:flat=12",
    "transit:flat=12,leafmode=dual",
    "transit:flat=16",
    "transit:flat=64,leafmode=dual",
    "transit:flat=192",
    "transit:flat=4096",
};
enum { SPECS = sizeof specs / sizeof *specs };

static void all_are_sound(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        bough_net *net = net_make(specs[i]);
        bough_error error;
        if (bough_net_check(net, net->endpoints <= 64 ? 4096 : 200, &error))
            fail_msg("%s: %s", net->spec, error.reason);
        bough_net_destroy(net);
    }
}

/* The largest two, whose wiring is of both widths in the flat case. */
static void large_ones_route(void **state) {
    (void)state;
    static const char *const large[] = {"transit:n=262144", "transit:flat=786432",
                                        "transit:leaf=192,stages=2"};
    for (int i = 0; i < 3; i++) {
        bough_net *net = net_make(large[i]);
        for (uint64_t s = 5; s < net->endpoints; s += net->endpoints / 97) {
            uint64_t target = (s * 7919 + 13) % net->endpoints, node = s;
            unsigned hops = 0;
            for (; node != target && hops < net->hops_max; hops++) {
                bough_route route;
                net->ops->route(net, node, target, &route);
                assert_true(net->ops->group_node(net, route.group) == node);
                node = net->ops->link_end(net, route.first + (s + hops) % route.count).node;
            }
            assert_true(node == target);
        }
        bough_net_destroy(net);
    }
}

/* ---- wiring ---- */

/* Inputs of every node: as many as its chip has, but at the root nothing comes from above. */
static void every_router_has_its_inputs(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        bough_net *net = net_make(specs[i]);
        const transit *t = net->data;
        uint8_t *inputs = calloc(net->nodes, 1);
        for (uint64_t l = 0; l < net->links; l++) {
            bough_link_end e = net->ops->link_end(net, l);
            assert_int_equal(inputs[e.node] >> e.port & 1, 0);
            inputs[e.node] |= (uint8_t)(1 << e.port);
        }
        for (uint64_t v = 0; v < net->nodes; v++) {
            const transit_layer *l = transit_layer_of(t, v);
            unsigned want = 0xff;
            if (v < net->endpoints)
                want = 3;
            else if (l->siblings)
                want = 0xf;
            else if (l->kind == TRANSIT_ENTRY && t->flat && t->ask.lead == 3)
                want = 0x3f; /* no tree: a quarter of the inputs is left */
            else if (l->kind == TRANSIT_DOWN && l->stage && l->stage == t->ask.stages && l->number == 3)
                want = 0xf0; /* the root */
            if (inputs[v] != want)
                fail_msg("%s: node %" PRIu64 " has inputs %x, not %x", net->spec, v, inputs[v], want);
        }
        free(inputs);
        bough_net_destroy(net);
    }
}

static transit_place place(const bough_net *net, uint64_t node) {
    return transit_place_of(net->data, node);
}

static bool same_stack(transit_place a, transit_place b) {
    return a.stage == b.stage && a.stack == b.stack;
}

/* Two wires of one direction: to different routers, and from stack to stack to different stacks, where the
 * tree node has several. Only the last whole router before a processor, or before the one router that serves
 * four processors, has no choice. */
static void two_wires_of_a_direction_part(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        bough_net *net = net_make(specs[i]);
        const transit *t = net->data;
        for (uint64_t g = 0; g < net->groups; g++) {
            bough_range r = net->ops->group_links(net, g);
            if (r.count < 2) continue;
            uint64_t a = net->ops->link_end(net, r.first).node, b = net->ops->link_end(net, r.first + 1).node;
            uint64_t from = net->ops->group_node(net, g);
            if (a < net->endpoints) {
                assert_true(a == b);
                continue;
            }
            bool one = transit_size(transit_layer_of(t, a)->set) == 1;
            if ((a == b) != one) fail_msg("%s: group %" PRIu64 " and its wires' routers", net->spec, g);
            if (from < net->endpoints || same_stack(place(net, from), place(net, a))) continue;
            bool several = transit_size(transit_layer_of(t, a)->units) > 1;
            if (same_stack(place(net, a), place(net, b)) == several)
                fail_msg("%s: group %" PRIu64 " and its wires' stacks", net->spec, g);
        }
        bough_net_destroy(net);
    }
}

/* Where wires of a kind that leave a stack, or cross inside it, come to: as evenly as numbers allow. */
static void bundles_are_dealt_out_evenly(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        bough_net *net = net_make(specs[i]);
        const transit *t = net->data;
        /* per router: wires from the up layer beside, from everywhere else */
        uint8_t *across = calloc(net->nodes, 1), *above = calloc(net->nodes, 1);
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
            const transit_layer *a = transit_layer_of(t, from), *b = transit_layer_of(t, to);
            bool beside = a->kind == TRANSIT_UP && b->kind == TRANSIT_DOWN;
            if (a->kind == TRANSIT_PROCESSORS && b->kind == TRANSIT_ENTRY)
                beside = true; /* not from the tree */
            ++*(beside ? &across[to] : &above[to]);
        }
        for (unsigned k = 1; k < t->layers; k++) {
            const transit_layer *l = &t->layer[k];
            if (l->kind == TRANSIT_UP) continue;
            for (uint64_t r = 0, set = transit_size(l->set); r < l->count; r += set) {
                uint8_t low[2] = {255, 255}, high[2] = {0, 0};
                for (uint64_t v = l->node + r; v < l->node + r + set; v++) {
                    const uint8_t have[2] = {above[v], across[v]};
                    for (int j = 0; j < 2; j++) {
                        if (have[j] < low[j]) low[j] = have[j];
                        if (have[j] > high[j]) high[j] = have[j];
                    }
                    /* layers 2 and 3 mix */
                    bool root = l->stage == t->ask.stages && l->number == 3;
                    if (l->kind == TRANSIT_DOWN && l->stage && l->number >= 2)
                        assert_true(across[v] > 0 && (above[v] > 0 || root));
                }
                for (int j = 0; j < 2; j++) assert_true(high[j] - low[j] <= 1);
            }
        }
        free(across);
        free(above);
        bough_net_destroy(net);
    }
}

/* Between stages: the wires of one stack to the stacks of its parent, and down again. */
static void stacks_are_spread_over_stacks(void **state) {
    (void)state;
    static const char *const several[] = {"transit:n=4096", "transit:leaf=48", "transit:leaf=12,stages=2"};
    for (int i = 0; i < 3; i++) {
        bough_net *net = net_make(several[i]);
        const transit *t = net->data;
        /* wires between stack a of stage s and stack b of stage s + 1, for the first tree node only */
        for (unsigned stage = t->ask.leaf == 1; stage < t->ask.stages; stage++)
            for (int up = 0; up < 2; up++) {
                enum { SIDE = 2048 };
                static uint8_t wires[SIDE][64];
                const bough_packaging *p = net->packaging;
                const bough_stack_stage *lower = &p->stage[stage - p->first], *upper = lower + 1;
                uint64_t units = upper->stacks; /* of one tree node */
                memset(wires, 0, sizeof wires);
                for (uint64_t l = 0; l < net->links; l++) {
                    uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
                    if (from < net->endpoints || to < net->endpoints) continue;
                    transit_place a = place(net, up ? from : to), b = place(net, up ? to : from);
                    if (a.stage != stage || b.stage != stage + 1 || b.stack >= units) continue;
                    assert_true(a.stack < SIDE && b.stack < 64);
                    wires[a.stack][b.stack]++;
                }
                uint64_t below = BOUGH_CUBE_NODES * lower->stacks;
                for (uint64_t a = 0; a < below; a++) {
                    unsigned low = 255, high = 0, sum = 0;
                    for (uint64_t b = 0; b < units; b++) {
                        if (wires[a][b] < low) low = wires[a][b];
                        if (wires[a][b] > high) high = wires[a][b];
                        sum += wires[a][b];
                    }
                    assert_true(sum == lower->inside.root_capacity && high - low <= 1);
                }
            }
        bough_net_destroy(net);
    }
}

/* The two wires into a processor come from two chips; the halves of a chip serve neighbours. */
static void halves_of_two_chips_serve_a_processor(void **state) {
    (void)state;
    static const char *const dual[] = {"transit:n=64", "transit:leaf=12,leafmode=dual",
                                       "transit:leaf=48,leafmode=dual", "transit:flat=64,leafmode=dual"};
    for (int i = 0; i < 4; i++) {
        bough_net *net = net_make(dual[i]);
        uint64_t *chip = calloc(2 * net->endpoints, sizeof *chip), *used = calloc(net->nodes, sizeof *used);
        for (uint64_t l = 0; l < net->links; l++) {
            bough_link_end e = net->ops->link_end(net, l);
            if (e.node >= net->endpoints) continue;
            uint64_t from = bough_link_start(net, l), c = net->ops->node_chip(net, from);
            chip[2 * e.node + e.port] = c;
            used[c] |= UINT64_C(1) << (e.node / 4 % 48);
            char a[48], b[48]; /* a chip's name is that of its halves without their letters */
            bough_node_name(net, from, a, sizeof a);
            bough_node_name(net, c, b, sizeof b);
            assert_int_equal(strlen(a), strlen(b));
            assert_memory_equal(a, b, strlen(a) - 1);
        }
        for (uint64_t p = 0; p < net->endpoints; p++) assert_true(chip[2 * p] != chip[2 * p + 1]);
        uint64_t chips = 0;
        for (uint64_t c = 0; c < net->nodes; c++) {
            if (!used[c]) continue;
            chips++;
            assert_int_equal(__builtin_popcountll(used[c]), 2); /* groups of four processors */
        }
        assert_true(chips == net->endpoints / 4);
        free(chip);
        free(used);
        bough_net_destroy(net);
    }
}

/* The claim of section 4.1: without one whole stack above the leaves every direction of every router is still
 * there, so nobody is cut off. */
static void a_stack_can_be_removed(void **state) {
    (void)state;
    static const char *const whole[] = {"transit:n=4096", "transit:leaf=48"};
    for (int i = 0; i < 2; i++) {
        bough_net *net = net_make(whole[i]);
        for (uint64_t gone = 0; gone < 4; gone++)
            for (uint64_t g = 0; g < net->groups; g++) {
                uint64_t from = net->ops->group_node(net, g);
                bough_range r = net->ops->group_links(net, g);
                unsigned left = 0;
                if (from >= net->endpoints && place(net, from).stage == 2 - (i == 1) &&
                    place(net, from).stack == gone)
                    continue;
                for (uint64_t l = r.first; l < r.first + r.count; l++) {
                    uint64_t to = net->ops->link_end(net, l).node;
                    transit_place p = place(net, to);
                    left += to < net->endpoints || p.stage != 2u - (i == 1) || p.stack != gone;
                }
                assert_true(left > 0);
            }
        bough_net_destroy(net);
    }
}

static void the_wiring_is_drawn_from_its_key(void **state) {
    (void)state;
    bough_net *net = net_make("transit:n=4096"), *same = net_make("transit:n=4096,wiring=1"),
              *other = net_make("transit:n=4096,wiring=2");
    uint64_t differ = 0, choices = 0;
    assert_string_equal(same->spec, net->spec);
    assert_string_equal(other->spec, "transit:n=4096,wiring=2");
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t a = net->ops->link_end(net, l).node, b = same->ops->link_end(same, l).node,
                 c = other->ops->link_end(other, l).node;
        assert_true(a == b);
        choices += a >= net->endpoints && l >= 2 * net->endpoints;
        differ += a != c;
    }
    assert_true(differ > choices / 2); /* two choices at least, most have more */
    bough_net_destroy(net);
    bough_net_destroy(same);
    bough_net_destroy(other);
}

/* ---- levels, stages, channels ---- */

static unsigned routers_on(const bough_net *net, uint64_t source, uint64_t target) {
    uint64_t node = source;
    unsigned routers = 0;
    for (;; routers++) {
        bough_route route;
        net->ops->route(net, node, target, &route);
        node = net->ops->link_end(net, route.first).node;
        if (node == target) return routers;
    }
}

/* Up one router a stage, down one a level: 4/3 log4 N in all where 2 log4 N would be without short cuts. */
static void ways_are_short_cut(void **state) {
    (void)state;
    bough_net *net = net_make("transit:n=262144");
    for (unsigned level = 1; level <= 9; level++) {
        uint64_t target = UINT64_C(3) << 2 * (level - 1);
        unsigned stage = (level + 2) / 3;
        assert_int_equal(routers_on(net, 0, target), stage + level);
        assert_int_equal(net->ops->level_stage(net, level), stage);
    }
    assert_int_equal(routers_on(net, 0, net->endpoints - 1), 4 * 9 / 3);
    bough_net_destroy(net);
    net = net_make("transit:leaf=192,stages=2");
    assert_int_equal(routers_on(net, 0, 191), 4);
    assert_int_equal(net->ops->level_stage(net, 1), 0);
    for (unsigned level = 2; level <= 7; level++) {
        unsigned stage = (level + 1) / 3; /* entry, up, down, cluster */
        assert_int_equal(routers_on(net, 7, UINT64_C(192) << 2 * (level - 2)), 1 + stage + (level - 1) + 4);
        assert_int_equal(net->ops->level_stage(net, level), stage);
    }
    bough_net_destroy(net);
}

/* Wires out of subtree 0 of a level: from all nodes on the ways up inside it to nodes of higher levels. */
static uint64_t count_wires(const bough_net *net, unsigned level) {
    uint64_t *stack = calloc(net->nodes, sizeof *stack), depth = 0, wires = 0, far = net->endpoints - 1;
    uint8_t *seen = calloc(net->nodes, 1);
    for (uint64_t e = 0; e < net->endpoints; e++)
        if (net->ops->subtree(net, level, e) == net->ops->subtree(net, level, 0))
            stack[depth++] = e, seen[e] = 1;
    while (depth) {
        uint64_t v = stack[--depth];
        bough_route up;
        net->ops->route(net, v, far, &up);
        for (uint32_t i = 0; i < net->ops->node_group_count(net, v); i++) {
            bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, i));
            for (uint64_t l = r.first; l < r.first + r.count; l++) {
                uint64_t to = net->ops->link_end(net, l).node;
                if (net->ops->node_level(net, to) > level)
                    wires++;
                else if (l - up.first < up.count && !seen[to])
                    seen[to] = 1, stack[depth++] = to;
            }
        }
    }
    free(stack);
    free(seen);
    return wires;
}

static void channels_count_wires(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        unsigned levels;
        uint64_t capacity[7];
    } cases[] = {{"transit:n=4096", 6, {2, 6, 16, 32, 64, 128}},
                 {"transit:leaf=12,stages=2", 7, {2, 8, 24, 64, 128, 256, 512}},
                 {"transit:leaf=48", 4, {2, 32, 64, 128}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].spec);
        assert_int_equal(net->levels, cases[i].levels);
        for (unsigned level = 0; level < net->levels; level++) {
            uint64_t have = net->ops->channel_capacity(net, level, 0), wires = count_wires(net, level);
            if (have != cases[i].capacity[level] || have != wires)
                fail_msg("%s level %u: capacity %" PRIu64 ", not %" PRIu64 "; %" PRIu64 " wires", net->spec,
                         level, have, cases[i].capacity[level], wires);
        }
        bough_net_destroy(net);
    }
}

/* ---- names ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_are_places(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i += 2) {
        bough_net *net = net_make(specs[i]);
        char **name = calloc(net->nodes, sizeof *name);
        for (uint64_t v = 0; v < net->nodes; v++) {
            name[v] = calloc(1, 48);
            bough_node_name(net, v, name[v], 48);
        }
        qsort(name, net->nodes, sizeof *name, by_text);
        for (uint64_t v = 1; v < net->nodes; v++)
            if (strcmp(name[v], name[v - 1]) == 0) fail_msg("%s: two nodes are %s", net->spec, name[v]);
        for (uint64_t v = 0; v < net->nodes; v++) free(name[v]);
        free(name);
        bough_net_destroy(net);
    }
}

/* What stands before a dot names a stack, a layer: as many nodes as Table 1 has routers. */
static void prefixes_name_stacks(void **state) {
    (void)state;
    static const struct {
        const char *prefix;
        unsigned nodes;
    } want[] = {{"s2.u3.up.", 64},   {"s2.u0.d3.", 32}, {"s2.u1.d2.", 48}, {"s2.u2.d1.", 64}, {"s2.u3.", 208},
                {"s1.u63.up.", 16},  {"s1.u5.d3.", 8},  {"s1.u5.d2.", 12}, {"s1.u5.d1.", 32}, {"s2.", 832},
                {"s1.u5.d1.r15", 2}, {"s2.u4.", 0},     {"h", 4096}};
    bough_net *net = net_make("transit:n=4096");
    char name[96];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        unsigned count = 0;
        for (uint64_t v = 0; v < net->nodes; v++)
            count += strncmp(bough_node_name(net, v, name, sizeof name), want[i].prefix,
                             strlen(want[i].prefix)) == 0;
        if (count != want[i].nodes) fail_msg("%s: %u nodes, not %u", want[i].prefix, count, want[i].nodes);
    }
    /* a wire is named by router and port = 2 direction + wire: direction 3 goes up */
    const transit *t = net->data;
    uint64_t link = t->layer[1].link + 8 * 5 + 2 * 3 + 1;
    assert_int_equal(strncmp(bough_link_name(net, link, name, sizeof name), "s1.u0.up.r5/7 -> s2.u", 21), 0);
    bough_net_destroy(net);
    net = net_make("transit:leaf=48");
    const char *want_leaf[] = {"b63.l1.r15", "b0.l3.r11", "s1.u3.d1.r63"};
    for (int i = 0; i < 3; i++) {
        unsigned count = 0;
        for (uint64_t v = 0; v < net->nodes; v++)
            count += strcmp(bough_node_name(net, v, name, sizeof name), want_leaf[i]) == 0;
        assert_int_equal(count, 1);
    }
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(components_are_the_documents),
        cmocka_unit_test(parts_are_the_documents),
        cmocka_unit_test(all_are_sound),
        cmocka_unit_test(large_ones_route),
        cmocka_unit_test(every_router_has_its_inputs),
        cmocka_unit_test(two_wires_of_a_direction_part),
        cmocka_unit_test(bundles_are_dealt_out_evenly),
        cmocka_unit_test(stacks_are_spread_over_stacks),
        cmocka_unit_test(halves_of_two_chips_serve_a_processor),
        cmocka_unit_test(a_stack_can_be_removed),
        cmocka_unit_test(the_wiring_is_drawn_from_its_key),
        cmocka_unit_test(ways_are_short_cut),
        cmocka_unit_test(channels_count_wires),
        cmocka_unit_test(names_are_places),
        cmocka_unit_test(prefixes_name_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
