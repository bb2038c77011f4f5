/* Clocks of wires: bad input, lengths by hand, and what must hold for every network of stacks. */
#include "network/layout/link_clocks.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
/* Clocks are thousandths of a foot, rounded up. */
static const link_clock_rules ruler = {LINK_WIRES_LAYOUT, 1, 1000, 7};

static void refused(const char *spec, link_clock_rules rules, bough_status want, const char *text) {
    bough_net *net;
    link_clocks c;
    bough_error error = {0};
    assert_int_equal(bough_net_create(spec, &net, NULL), BOUGH_OK);
    assert_int_equal(link_clocks_make(net, &rules, &c, &error), want);
    assert_non_null(strstr(error.reason, text));
    bough_net_destroy(net);
}

static double far_link(const bough_net *net, uint64_t link) {
    (void)net;
    return link ? 1 : 66;
}

static void bad_input(void **state) {
    (void)state;
    refused("cube:n=16", ruler, BOUGH_UNSUPPORTED, "layout");
    refused("fattree:n=8", (link_clock_rules){LINK_WIRES_CUBE, 1, 1, 1}, BOUGH_UNSUPPORTED, "made of stacks");
    refused("transit:n=4096", (link_clock_rules){LINK_WIRES_LONGEST, 1, 10000, 1}, BOUGH_INVALID, "65535");
    refused("fattree:n=64", (link_clock_rules){LINK_WIRES_LAYOUT, 1, UINT64_C(1) << 50, 1}, BOUGH_INVALID,
            "65535");
    refused("transit:n=64", (link_clock_rules){LINK_WIRES_LAYOUT, 1, 1, 70000}, BOUGH_INVALID, "65535");
    bough_net *net;
    bough_net_ops ops;
    bough_error error = {0};
    assert_int_equal(bough_net_create("cube:n=16", &net, NULL), BOUGH_OK);
    ops = *net->ops;
    ops.link_length = far_link;
    net->ops = &ops;
    uint16_t *clocks = calloc(net->links, sizeof *clocks);
    assert_int_equal(link_clocks_fill(net, &ruler, clocks, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "66000 clocks"));
    free(clocks);
    bough_net_destroy(net);
}

/* Clocks of a link between two stacks of a network, which must be the same for all of them. */
static uint64_t stack_wire(const bough_net *net, bough_place from, bough_place to) {
    link_clocks c;
    uint64_t found = UINT64_MAX;
    assert_int_equal(link_clocks_make(net, &ruler, &c, NULL), BOUGH_OK);
    for (uint64_t l = 0; l < net->links; l++) {
        bough_place a, b;
        if (!net->ops->node_place(net, bough_link_start(net, l), &a) ||
            !net->ops->node_place(net, net->ops->link_end(net, l).node, &b))
            continue;
        if (a.stage != from.stage || a.stack != from.stack || b.stage != to.stage || b.stack != to.stack)
            continue;
        link_time t = link_clocks_of(&c, l);
        assert_int_equal(t.turn, 0);
        if (found != UINT64_MAX) assert_int_equal(found, t.wire);
        found = t.wire;
    }
    link_clocks_fini(&c);
    return found;
}

/* A hollow of 4 ft. Stack 0 of the sides is in the middle of a square foot: 2 ft from the axis, 1.5 ft along
 * the side, 0.5 ft below the edge. Stack 0 of the top: 1 ft from both axes, on the other side of one. From
 * face to face: (3, 0.5, 0.5). Stack 15 is 1.5 ft along to the other side and 3.5 ft down, so (3, 3.5, 2.5).
 */
static void lengths_in_a_hollow_cube(void **state) {
    (void)state;
    bough_net *net;
    assert_int_equal(bough_net_create("transit:n=4096", &net, NULL), BOUGH_OK);
    uint64_t near = (uint64_t)ceil(1000 * sqrt(9.5)), far = (uint64_t)ceil(1000 * sqrt(27.5));
    assert_int_equal(stack_wire(net, (bough_place){0, 0, 0}, (bough_place){1, 0, 0}), near);
    assert_int_equal(stack_wire(net, (bough_place){1, 0, 0}, (bough_place){0, 0, 0}), near);
    assert_int_equal(stack_wire(net, (bough_place){0, 0, 15}, (bough_place){1, 0, 0}), far);
    bough_net_destroy(net);
}

/* Stacks of two feet side by side: 2 x 2, 4 x 4. */
static void lengths_in_a_plane(void **state) {
    (void)state;
    static const struct {
        const char *net;
        uint64_t from, to;
        double feet;
    } cases[] = {
        {"transit:flat=1024", 0, 1, 2},          {"transit:flat=1024", 0, 2, 2},
        {"transit:flat=1024", 1, 2, 2.8284271},  {"transit:flat=768", 0, 3, 2.8284271},
        {"transit:flat=3072", 0, 15, 8.4852814}, {"transit:flat=4096", 4, 4, 0},
        {"transit:flat=256", 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bough_net *net;
        assert_int_equal(bough_net_create(cases[i].net, &net, NULL), BOUGH_OK);
        uint64_t clocks =
            stack_wire(net, (bough_place){0, 0, cases[i].from}, (bough_place){0, 0, cases[i].to});
        assert_int_equal(clocks, (uint64_t)ceil(1000 * cases[i].feet - 1e-6));
        bough_net_destroy(net);
    }
}

/* Every layer of a flat network has 64 chips in every stack, or 64 in the first layer and 48 in the others
 * (as a leaf cluster of 192), and endpoints are beside their last routers. */
static void stacks_of_flat_networks(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:flat=1024", "transit:flat=4096,leafmode=dual",
                                       "transit:flat=768", "transit:flat=3072", "transit:flat=12288"};
    for (size_t i = 0; i < COUNT(spec); i++) {
        bough_net *net;
        assert_int_equal(bough_net_create(spec[i], &net, NULL), BOUGH_OK);
        uint64_t stacks = net->packaging->stage[0].stacks, layers = net->hops_max - 1;
        uint64_t *chips = calloc(stacks * (layers + 1), sizeof *chips);
        bool thirds = net->endpoints % 3 == 0;
        assert_int_equal(stacks, net->endpoints / (thirds ? 192 : 256));
        for (uint64_t v = net->endpoints; v < net->nodes; v++) {
            bough_place place;
            assert_true(net->ops->node_place(net, v, &place));
            assert_true(place.stack < stacks && place.layer >= 1 && place.layer <= layers);
            chips[place.stack * (layers + 1) + place.layer] += net->ops->node_chip(net, v) == v;
        }
        for (uint64_t s = 0; s < stacks; s++)
            for (uint64_t l = 1; l <= layers; l++)
                assert_int_equal(chips[s * (layers + 1) + l], thirds && l > 1 ? 48 : 64);
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t to = net->ops->link_end(net, l).node;
            bough_place a, b;
            if (to >= net->endpoints) continue;
            assert_true(net->ops->node_place(net, bough_link_start(net, l), &a) &&
                        net->ops->node_place(net, to, &b));
            if (!strstr(spec[i], "dual")) assert_int_equal(a.stack, b.stack);
        }
        free(chips);
        bough_net_destroy(net);
    }
}

/* No wire is longer than the hollow allows; turns take `lateral`, wires within stacks nothing. */
static void bounds(void **state) {
    (void)state;
    static const char *const spec[] = {"transit:n=64", "transit:n=4096", "transit:leaf=12",
                                       "transit:leaf=48"};
    for (size_t i = 0; i < COUNT(spec); i++) {
        bough_net *net;
        link_clocks c, longest, cube;
        link_clock_rules rules = ruler;
        bough_cube size[BOUGH_STAGES_MAX];
        uint64_t turns = 0, diameter;
        assert_int_equal(bough_net_create(spec[i], &net, NULL), BOUGH_OK);
        assert_int_equal(bough_hollow_cube(net->packaging, size, NULL), BOUGH_OK);
        assert_int_equal(link_clocks_make(net, &rules, &c, NULL), BOUGH_OK);
        rules.wires = LINK_WIRES_LONGEST;
        assert_int_equal(link_clocks_make(net, &rules, &longest, NULL), BOUGH_OK);
        assert_int_equal(link_clocks_diameter(net, &rules, &diameter, NULL), BOUGH_OK);
        rules.wires = LINK_WIRES_CUBE;
        assert_int_equal(link_clocks_make(net, &rules, &cube, NULL), BOUGH_OK);
        unsigned top = net->packaging->stages - 1;
        double side = cbrt(size[top].stack_volume), wires = 0;
        for (uint64_t l = 0; l < net->links; l++) {
            link_time own = link_clocks_of(&c, l), most = link_clocks_of(&longest, l);
            assert_int_equal(own.turn, most.turn);
            assert_true((own.wire == 0) == (most.wire == 0) &&
                        (double)own.wire <= 1000 * size[top].built_wire + 1);
            if (most.wire) assert_int_equal(most.wire, (uint64_t)ceil(1000 * size[top].wire));
            if (most.wire)
                assert_int_equal(link_clocks_of(&cube, l).wire, (uint64_t)ceil(1000 * sqrt(3) * side));
            if (most.wire > wires) wires = most.wire;
            turns += own.turn > 0;
            assert_true(own.turn == 0 || own.turn == 7);
        }
        assert_int_equal(diameter, 2 * (uint64_t)wires + 7);
        /* of every up router, three directions of two wires */
        uint64_t up = 0;
        for (uint64_t v = net->endpoints; v < net->nodes; v++) {
            bough_place place;
            net->ops->node_place(net, v, &place);
            up += place.layer == 0;
        }
        assert_int_equal(turns, 6 * up);
        link_clocks_fini(&c);
        link_clocks_fini(&longest);
        link_clocks_fini(&cube);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input),
        cmocka_unit_test(lengths_in_a_hollow_cube),
        cmocka_unit_test(lengths_in_a_plane),
        cmocka_unit_test(stacks_of_flat_networks),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
