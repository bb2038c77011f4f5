/* The cubes of dehon1991, section 4.2 and 5.2, and their stacks in space. */
#include "network/layout/packaging.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INCHES (1 / 12.0)

/* Of 4096 and 262144 processors (full), 12288 and 786432 (leaf clusters of 192). */
#define STACK(n, count, feet)                                                                                \
    { .name = n, .stacks = count, .side = feet, .thickness = 2 * INCHES }
static bough_packaging full(unsigned stages) {
    return (bough_packaging){.stages = stages,
                             .stage = {STACK("UT64x2", 1, 1), STACK("UT64x8", 4, 2), STACK("UT64x8", 64, 2)}};
}
static bough_packaging hybrid(unsigned stages) {
    return (bough_packaging){.stages = stages,
                             .stage = {STACK("B192", 1, 2), STACK("UT64x8", 16, 2), STACK("UT64x8", 256, 2)}};
}

static void bad_packages_are_refused(void **state) {
    (void)state;
    bough_cube cube[BOUGH_STAGES_MAX];
    bough_error error = {0};
    bough_packaging p = full(0);
    assert_int_equal(bough_hollow_cube(&p, cube, &error), BOUGH_INVALID);
    p = full(2);
    p.stage[1].stacks = 8;
    assert_int_equal(bough_hollow_cube(&p, cube, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "8 stacks UT64x8 do not fill a square"));
    p = full(2);
    p.stage[0].side = 0;
    assert_int_equal(bough_hollow_cube(&p, cube, &error), BOUGH_INVALID);
    p = (bough_packaging){.stages = 6};
    for (unsigned s = 0; s < 6; s++)
        p.stage[s] = (bough_stack_stage){.name = "x", .stacks = 1, .side = 1, .thickness = 1};
    assert_int_equal(bough_hollow_cube(&p, cube, &error), BOUGH_OK);
    assert_int_equal(bough_hollow_cube_boxes(&p, NULL, NULL, &error), BOUGH_TOO_LARGE);
}

static void longest_wires_of_the_document(void **state) {
    (void)state;
    const struct {
        bough_packaging p;
        double wire;
        uint64_t stacks;
    } cases[] = {
        {full(2), 6.93, 64 + 4},
        {full(3), 27.71, 4096 + 256 + 64},
        {hybrid(2), 13.86, 64 + 16},
        {hybrid(3), 55.43, 4096 + 1024 + 256},
    };
    for (size_t i = 0; i < 4; i++) {
        bough_cube cube[BOUGH_STAGES_MAX];
        unsigned top = cases[i].p.stages - 1;
        assert_int_equal(bough_hollow_cube(&cases[i].p, cube, NULL), BOUGH_OK);
        assert_near(cube[top].wire, cases[i].wire, 0.005);
        assert_int_equal(cube[top].stacks, cases[i].stacks);
        for (unsigned s = 1; s <= top; s++) assert_near(cube[s].side / cube[s - 1].side, 4, 1e-12);
    }
}

/* By hand: 4 ft of hollow, sides of 2 inches on two sides of it, the top of 2 inches. */
static void sides_as_thick_as_they_are(void **state) {
    (void)state;
    bough_packaging p = full(3);
    bough_cube c[BOUGH_STAGES_MAX];
    assert_int_equal(bough_hollow_cube(&p, c, NULL), BOUGH_OK);
    assert_near(c[1].built_side, 4, 1e-12);
    assert_near(c[1].width, 4 + 4 * INCHES, 1e-12);
    assert_near(c[1].height, 4 + 2 * INCHES, 1e-12);
    assert_near(c[2].built_side, 4 * (4 + 4 * INCHES), 1e-12);
    assert_near(c[2].width, c[2].built_side + 2 * c[1].height, 1e-12);
    assert_near(c[1].stack_volume, 64 * 2 * INCHES + 4 * 4 * 2 * INCHES, 1e-9);
    p.stage[1].side = 3; /* a top larger than its sides */
    assert_int_equal(bough_hollow_cube(&p, c, NULL), BOUGH_OK);
    assert_near(c[1].side, 6, 1e-12);
}

typedef struct boxes {
    bough_box *item;
    size_t count;
} boxes;

static void keep(void *context, const bough_box *box) {
    boxes *b = context;
    b->item[b->count++] = *box;
}

static bool overlap(const bough_box *a, const bough_box *b) {
    for (int i = 0; i < 3; i++)
        if (fabs(a->centre[i] - b->centre[i]) > (a->size[i] + b->size[i]) / 2 - 1e-9) return false;
    return true;
}

static void stacks_do_not_overlap(void **state) {
    (void)state;
    const bough_packaging p[] = {full(3), hybrid(3), full(1)};
    for (size_t k = 0; k < 3; k++) {
        bough_cube c[BOUGH_STAGES_MAX];
        assert_int_equal(bough_hollow_cube(&p[k], c, NULL), BOUGH_OK);
        const bough_cube *whole = &c[p[k].stages - 1];
        boxes b = {calloc(whole->stacks, sizeof(bough_box)), 0};
        assert_int_equal(bough_hollow_cube_boxes(&p[k], keep, &b, NULL), BOUGH_OK);
        assert_int_equal(b.count, whole->stacks);
        double volume = 0;
        char *seen = calloc(BOUGH_STAGES_MAX, whole->stacks);
        for (size_t i = 0; i < b.count; i++) {
            const bough_box *x = &b.item[i];
            char *mark = &seen[x->stage * whole->stacks + x->number];
            assert_false(*mark);
            *mark = 1;
            volume += x->size[0] * x->size[1] * x->size[2];
            assert_true(fabs(x->centre[0]) + x->size[0] / 2 < whole->width / 2 + 1e-9);
            assert_true(fabs(x->centre[2]) + x->size[2] / 2 < whole->width / 2 + 1e-9);
            assert_true(x->centre[1] + x->size[1] / 2 < 1e-9);
            assert_true(x->centre[1] - x->size[1] / 2 > -whole->height - 1e-9);
            for (size_t j = 0; j < i; j++)
                if (overlap(x, &b.item[j])) fail_msg("stacks %zu and %zu overlap", j, i);
        }
        assert_near(volume, whole->stack_volume, 1e-6);
        free(seen);
        free(b.item);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_packages_are_refused),
        cmocka_unit_test(longest_wires_of_the_document),
        cmocka_unit_test(sides_as_thick_as_they_are),
        cmocka_unit_test(stacks_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
