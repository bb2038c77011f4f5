/* The stacks of dehon1991 in a plane and in solid blocks: by hand, and what holds for every block. */
#include "network/layout/link_clocks.h"
#include "network/layout/packaging.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const bough_arrangement arrangements[] = {BOUGH_ARRANGE_PLANE, BOUGH_ARRANGE_SOLID,
                                                 BOUGH_ARRANGE_CUBES};

static void bad_input(void **state) {
    (void)state;
    bough_stack_block block[BOUGH_STAGES_MAX];
    bough_error error = {0};
    bough_packaging p = {.stages = 0};
    assert_int_equal(bough_stack_blocks(&p, BOUGH_ARRANGE_PLANE, block, &error), BOUGH_INVALID);
    p = (bough_packaging){.stages = 1, .stage = {{.name = "x", .stacks = 1, .side = 0, .thickness = 1}}};
    assert_int_equal(bough_stack_blocks(&p, BOUGH_ARRANGE_SOLID, block, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "x have no size"));
    p = (bough_packaging){.stages = 6};
    for (unsigned s = 0; s < 6; s++)
        p.stage[s] = (bough_stack_stage){.name = "x", .stacks = 1, .side = 1, .thickness = 1};
    assert_int_equal(bough_stack_blocks(&p, BOUGH_ARRANGE_SOLID, block, &error), BOUGH_OK);
    assert_int_equal(bough_stack_block_boxes(&p, BOUGH_ARRANGE_SOLID, NULL, NULL, &error), BOUGH_TOO_LARGE);
    static const refused_run refused[] = {
        {"transit:n=64", NULL, NULL, "flight:arrange=floor", BOUGH_INVALID, "hollow|plane|solid|cubes"},
        {"transit:n=64", NULL, NULL, "flight:arrange=plane,wires=cube", BOUGH_INVALID, "arrange= applies"},
        {"transit:n=64", NULL, NULL, "flight:room=2", BOUGH_INVALID, "room= applies"},
        {"transit:n=64", NULL, NULL, "flight:arrange=plane,room=0.5", BOUGH_INVALID, "room"},
        {"transit:n=64", "random", "uniform", "circuit:mode=cycles,arrange=plane", BOUGH_INVALID, "clock="},
        {"transit:n=64", "random", "uniform", "circuit:mode=cycles,clock=cube,arrange=plane", BOUGH_INVALID,
         "arrange= applies"},
        {"fattree:n=64", "random", "uniform", "circuit:mode=cycles,clock=layout,arrange=solid",
         BOUGH_UNSUPPORTED, "made of them"},
        {"fattree:n=64", NULL, NULL, "layout:kind=plane", BOUGH_UNSUPPORTED, "layout:kind=plane needs"},
        {"transit:n=64", NULL, NULL, "layout:kind=solid,pitch=40nm", BOUGH_INVALID, "the kind is solid"},
    };
    runs_refused(refused, COUNT(refused));
}

/* ---- by hand ---- */

/* 64 UT64x2 of 1 ft x 1 ft x 2 in under 4 UT64x8 of 2 ft x 2 ft x 2 in. In a plane 8 x 8 ft and a strip of 8
 * x 2 ft across the middle: the longest wire spans 8 ft and 4 + 2 ft. Solid, 2 x 2 x 16 of the small ones, 2
 * x 2 ft and 2 ft 8 in high, and the four large ones between two halves: 2 ft, 2 ft, and 1 ft 4 in + 8 in. */
static void four_thousand_processors(void **state) {
    (void)state;
    bough_point p = point_make("transit:n=4096", NULL, NULL);
    const bough_packaging *packaging = p.net->packaging;
    bough_stack_block block[BOUGH_STAGES_MAX];
    assert_int_equal(bough_stack_blocks(packaging, BOUGH_ARRANGE_PLANE, block, NULL), BOUGH_OK);
    assert_same(block[0].size[0], 1);
    assert_same(block[0].wire, 0);
    assert_same(block[1].size[0] * block[1].size[2], 80);
    assert_same(block[1].slab, 2);
    assert_same(block[1].wire, 10);
    assert_same(block[1].fill, 1);
    assert_int_equal(bough_stack_blocks(packaging, BOUGH_ARRANGE_SOLID, block, NULL), BOUGH_OK);
    assert_same(block[1].size[0], 2);
    assert_same(block[1].size[1], 40 / 12.0);
    assert_same(block[1].size[2], 2);
    assert_same(block[1].wire, sqrt(12));
    assert_int_equal(block[1].grid[1], 16);
    /* 4 x 4 x 4 cubes of 1/6 cubic feet, and a layer with room for 2 x 2 of the large ones */
    double small = cbrt(1 / 6.0), large = cbrt(4 / 6.0);
    assert_int_equal(bough_stack_blocks(packaging, BOUGH_ARRANGE_CUBES, block, NULL), BOUGH_OK);
    assert_same(block[1].slab, large);
    assert_same(block[1].wire, sqrt(2 * 16 * small * small + pow(2 * small + large, 2)));
    assert_same(block[1].fill, (64 / 6.0 + 16 / 6.0) / (16 * small * small * (4 * small + large)));
    point_free(&p);
}

/* The wires of the plane are 10 ft, so at 10 ns a foot both wires of a worst path take 10 clocks each, in
 * four times the room 20; 8 routers and a turn. */
static void flights_in_a_plane(void **state) {
    (void)state;
    bough_point p = point_make("transit:n=4096", NULL, NULL);
    bough_rows rows = rows_of(&p, "flight:arrange=plane,foot=10ns");
    assert_same(row_value(&rows, BOUGH_METRIC_FLIGHT_WORST, BOUGH_NO_ROW_INDEX), 80 + 10 + 200);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "flight:arrange=plane,foot=10ns,room=4");
    assert_same(row_value(&rows, BOUGH_METRIC_FLIGHT_WORST, BOUGH_NO_ROW_INDEX), 80 + 10 + 400);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "layout:kind=plane");
    assert_same(row_value(&rows, BOUGH_METRIC_BLOCK_WIRE, 1), 10);
    assert_same(row_value(&rows, BOUGH_METRIC_BLOCK_SIDE, 1), 10);
    assert_same(row_value(&rows, BOUGH_METRIC_STACKS, 0), 64);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* A flat network is in a plane as it is; a solid block has shorter wires. On the longest route and on all. */
static void flat_networks(void **state) {
    (void)state;
    bough_point p = point_make("transit:flat=65536", NULL, NULL);
    double time[6];
    static const char *const method[] = {"flight",
                                         "flight:arrange=plane",
                                         "flight:arrange=solid",
                                         "flight:wires=layout,pairs=50",
                                         "flight:arrange=plane,wires=layout,pairs=50",
                                         "flight:arrange=solid,wires=layout,pairs=50"};
    for (size_t i = 0; i < COUNT(method); i++) {
        bough_rows rows = rows_of(&p, method[i]);
        time[i] = row_value(&rows, BOUGH_METRIC_FLIGHT, p.net->levels);
        bough_rows_fini(&rows);
    }
    for (size_t i = 0; i < COUNT(method); i += 3) {
        assert_same(time[i], time[i + 1]);
        assert_true(time[i + 2] < time[i + 1]);
    }
    point_free(&p);
}

/* 64 times as many processors: the longest wire grows by a factor of nearly 8 in the plane and of 4 in space,
 * the square root and the cube root of 64. */
static void growth(void **state) {
    (void)state;
    bough_packaging p = {.stages = 6};
    bough_stack_block block[BOUGH_STAGES_MAX];
    for (unsigned s = 0; s < p.stages; s++) /* B192 and UT64x8 */
        p.stage[s] = (bough_stack_stage){
            .name = "x", .stacks = s ? UINT64_C(1) << 4 * s : 1, .side = 2, .thickness = 2 / 12.0};
    for (size_t i = 0; i < COUNT(arrangements); i++) {
        double root = arrangements[i] == BOUGH_ARRANGE_PLANE ? 8 : 4;
        assert_int_equal(bough_stack_blocks(&p, arrangements[i], block, NULL), BOUGH_OK);
        for (unsigned s = 2; s < p.stages; s++)
            assert_near(block[s].wire / block[s - 1].wire, root, 0.06 * root);
    }
}

/* ---- what holds for every block ---- */

typedef struct placed {
    bough_box *box;
    size_t count;
} placed;

static void collect(void *context, const bough_box *box) {
    placed *p = context;
    p->box[p->count++] = *box;
}

static bool overlap(const bough_box *a, const bough_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->size[k] > 0 && fabs(a->centre[k] - b->centre[k]) > (a->size[k] + b->size[k]) / 2 - 1e-6)
            return false;
    return true;
}

static void check_boxes(const bough_packaging *p, bough_arrangement arrangement, const char *what) {
    bough_stack_block block[BOUGH_STAGES_MAX];
    uint64_t stacks = 0, bits[BOUGH_STAGES_MAX] = {0};
    for (unsigned s = 0; s < p->stages; s++) stacks += bough_packaging_stacks(p, s);
    placed all = {.box = calloc(stacks, sizeof *all.box)};
    assert_int_equal(bough_stack_blocks(p, arrangement, block, NULL), BOUGH_OK);
    assert_int_equal(bough_stack_block_boxes(p, arrangement, collect, &all, NULL), BOUGH_OK);
    const bough_stack_block *top = &block[p->stages - 1];
    assert_int_equal(all.count, stacks);
    assert_true(top->fill > 0.4 && top->fill < 1 + 1e-9);
    for (size_t i = 0; i < all.count; i++) {
        const bough_box *b = &all.box[i];
        assert_true(b->number < bough_packaging_stacks(p, b->stage));
        bits[b->stage] += b->number; /* all numbers once: their sum, as none is too large */
        for (int k = 0; k < 3; k++)
            if (b->centre[k] - b->size[k] / 2 < -1e-9 || b->centre[k] + b->size[k] / 2 > top->size[k] + 1e-9)
                fail_msg("%s: stack %d is outside", what, (int)i);
        for (size_t j = 0; j < i; j++)
            if (overlap(b, &all.box[j])) fail_msg("%s: stacks %d and %d overlap", what, (int)i, (int)j);
    }
    for (unsigned s = 0; s < p->stages; s++) {
        uint64_t n = bough_packaging_stacks(p, s);
        assert_int_equal(bits[s], n * (n - 1) / 2);
    }
    free(all.box);
}

/* No link is longer than the longest of its stage; the diameter is at least what the links of a route take.
 */
static void check_links(const bough_net *net, bough_arrangement arrangement, const char *what) {
    link_clock_rules rules = {LINK_WIRES_LAYOUT, 1000, 10000, 1, arrangement, 1.5};
    uint16_t *own = calloc(net->links, sizeof *own), *longest = calloc(net->links, sizeof *longest);
    uint64_t diameter, some = 0;
    assert_int_equal(link_clocks_fill(net, &rules, own, NULL), BOUGH_OK);
    rules.wires = LINK_WIRES_LONGEST;
    assert_int_equal(link_clocks_fill(net, &rules, longest, NULL), BOUGH_OK);
    assert_int_equal(link_clocks_diameter(net, &rules, &diameter, NULL), BOUGH_OK);
    for (uint64_t l = 0; l < net->links; l++) {
        if (own[l] > longest[l]) fail_msg("%s: link %d takes %d, not %d", what, (int)l, own[l], longest[l]);
        assert_true(longest[l] <= diameter);
        some += own[l] > 0;
    }
    assert_true(some > 0);
    free(own);
    free(longest);
}

static void every_block(void **state) {
    (void)state;
    static const char *const net[] = {
        "transit:n=4096",
        "transit:leaf=192,stages=1",
        "transit:leaf=12,stages=1",
        "transit:flat=4096",
        "transit:flat=768",
        "transit:leaf=18,radix=3,stages=2,dilation=3",
        "transit:n=4096,radix=8,levels=2",
    };
    for (size_t i = 0; i < COUNT(net); i++)
        for (size_t k = 0; k < COUNT(arrangements); k++) {
            bough_point p = point_make(net[i], NULL, NULL);
            char what[96];
            snprintf(what, sizeof what, "%s, arrangement %d", net[i], (int)arrangements[k]);
            check_boxes(p.net->packaging, arrangements[k], what);
            check_links(p.net, arrangements[k], what);
            point_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input),
        cmocka_unit_test(four_thousand_processors),
        cmocka_unit_test(flights_in_a_plane),
        cmocka_unit_test(flat_networks),
        cmocka_unit_test(growth),
        cmocka_unit_test(every_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
