/* sortroute:engine=bits: the sorts of the nodes on circuits that move bit by bit. */
#include "papers/bay1991/sortroute.h"

#include "network/layout/layout.h"

#include "network/sorting_hardware/sorting_circuit.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    const struct {
        const char *network, *traffic, *method, *reason;
    } bad[] = {
        {"sorting:n=128", "randperm", "sortroute:engine=bits,body=6",
         "numbers 128 messages in their bodies, which takes body=7; here body=6"},
        {"sorting:n=2^20", "shift:k=1", "sortroute:engine=bits", "words of 69 bits are too long"},
        {"sorting:n=256", "hrelation:h=4", "sortroute:engine=bits", "takes body=10; here body=8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_point p = point_make(bad[i].network, NULL, bad[i].traffic);
        trial_refused(&p, bad[i].method, BOUGH_INVALID, bad[i].reason);
        point_free(&p);
    }
    bough_point p = point_make("sorting:n=128", NULL, "randperm");
    run_refused(&p, "sortroute:engine=bit", BOUGH_INVALID, "engine");
    point_free(&p);
}

/* n = 128: one sorter of s = 16 lines, R = 8; words of 24 bits. Each pass takes 4 (2 24 + 5 3 - 1) = 248 bit
 * steps where Lemma 9 with constant 1 has 24 + 4. */
static void one_sorter_by_hand(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=128", NULL, "randperm");
    bough_rows rows = rows_of(&p, "sortroute:engine=bits,verify=1,steps=1");
    double more = 248 - 28, passes = row_value(&rows, BOUGH_METRIC_SORTER_PASSES, NONE);
    assert_same(row_value(&rows, BOUGH_METRIC_BIT_STEPS_COUNTED, NONE) -
                    row_value(&rows, BOUGH_METRIC_BIT_STEPS, NONE),
                more * passes);
    for (int64_t step = 4; step <= 7; step++)
        assert_same(row_value(&rows, BOUGH_METRIC_STEP_COUNTED, step) -
                        row_value(&rows, BOUGH_METRIC_STEP_BITS, step),
                    more * row_value(&rows, BOUGH_METRIC_STEP_PASSES, step));
    for (int64_t step = 1; step <= 8; step += step == 3 ? 5 : 1)
        assert_same(row_value(&rows, BOUGH_METRIC_STEP_COUNTED, step),
                    row_value(&rows, BOUGH_METRIC_STEP_BITS, step));
    assert_same(row_value(&rows, BOUGH_METRIC_CIRCUIT_RATIO, NONE), 248. / 28);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Every metric of engine=auto is as without the machine. */
static void compare(const bough_rows *bits, const bough_rows *formulas) {
    for (size_t i = 0; i < formulas->count; i++)
        assert_same(row_value(bits, formulas->row[i].metric, formulas->row[i].index), formulas->row[i].value);
    double counted = row_value(bits, BOUGH_METRIC_BIT_STEPS_COUNTED, NONE);
    double steps = row_value(bits, BOUGH_METRIC_BIT_STEPS, NONE);
    assert_true(counted >= steps && counted <= SORTING_CIRCUIT_STEPS_MAX * steps);
}

static void patterns_are_sorted_as_the_engine_sorts(void **state) {
    (void)state;
    static const char *const traffic[] = {"randperm", "bitcomp", "shift:k=1", "shift:k=0", "hrelation:h=3"};
    static const char *const network[] = {"sorting:n=128", "sorting:n=256", "sorting:n=512"};
    static const char *const option[] = {"", ",stages=every"};
    static const size_t patterns[] = {5, 4, 2}; /* larger networks take longer */
    for (size_t n = 0; n < 3; n++)
        for (size_t t = 0; t < patterns[n]; t++)
            for (size_t o = 0; o < 2 - (n == 2); o++) {
                char method[100];
                bough_point p = point_make(network[n], NULL, traffic[t]);
                snprintf(method, sizeof method, "sortroute:verify=1,steps=1,body=11%s", option[o]);
                bough_rows formulas = rows_of(&p, method);
                snprintf(method, sizeof method, "sortroute:verify=1,steps=1,body=11,engine=bits%s",
                         option[o]);
                bough_rows bits = rows_of(&p, method); /* fails at the first difference */
                compare(&bits, &formulas);
                bough_rows_fini(&bits);
                bough_rows_fini(&formulas);
                point_free(&p);
            }
}

/* One message: in some trials no sorter works, in others the smaller one alone. */
static void a_workspace_is_used_again(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=256", NULL, "uniform:m=1");
    bough_run *run = run_make(&p, "sortroute:engine=bits,body=8");
    void *space = NULL;
    for (uint64_t trial = 0; trial < 10; trial++) {
        bough_rows again = {0};
        bough_error error;
        if (bough_run_trial(run, bough_key_make(1, trial), &space, &again, &error))
            fail_msg("%s", error.reason);
        bough_rows once = run_once(run, trial);
        assert_int_equal(again.count, once.count);
        for (size_t i = 0; i < once.count; i++) assert_same(again.row[i].value, once.row[i].value);
        bough_rows_fini(&again);
        bough_rows_fini(&once);
    }
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    point_free(&p);
}

/* n = 128: s = 16, R = 8, C = 2. A mesh has a side of 8 (2 4 + 2 3 + 5) = 152 tracks; lines are 64 high, so
 * the two meshes are side by side, with a bus of 32 above; 24 bits of a word and 4 16 wires follow. */
static void a_circuit_laid_out_by_hand(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=128", NULL, NULL);
    bough_layout_size size;
    bough_sorter_length rest;
    bough_error error;
    assert_int_equal(bough_layout_measure(p.net, &(bough_layout_rules){.circuit = true}, &size, &error),
                     BOUGH_OK);
    assert_int_equal(bough_sorter_lay_out(&size.sorter, &rest, &error), BOUGH_OK);
    uint64_t length = 2 * 152 + 24 + 64, more = rest.words + rest.cells + rest.omega + rest.wires;
    const bough_layout_step *root = &size.step[size.steps];
    assert_int_equal(root->box_width_nm, (152 + 32) * 100);
    assert_int_equal(root->box_height_nm, (length + more) * 100);
    bough_rows rows = rows_of(&p, "layout:kind=sorter,lemma9=trees");
    assert_same(row_value(&rows, BOUGH_METRIC_SORTER_LENGTH, 1), (double)length);
    assert_same(row_value(&rows, BOUGH_METRIC_SORTER_AREA, NONE), 184. * (double)(length + more));
    assert_same(row_value(&rows, BOUGH_METRIC_SORTER_BIT_STEPS, 4),
                24 + 248); /* one column, and its loading */
    bough_rows_fini(&rows);
    point_free(&p);
}

/* Area and time are those of the circuits that run. */
static void area_is_that_of_the_circuits(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=256", NULL, "bitcomp");
    bough_rows bits = rows_of(&p, "sortroute:engine=bits,area=1");
    bough_rows formulas = rows_of(&p, "sortroute:area=1"), layout = rows_of(&p, "layout:lemma9=trees");
    double area = row_value(&bits, BOUGH_METRIC_AREA_GRID, NONE);
    double steps = row_value(&bits, BOUGH_METRIC_BIT_STEPS_COUNTED, NONE);
    assert_same(row_value(&bits, BOUGH_METRIC_AT2, NONE), area * steps * steps);
    assert_true(area > row_value(&formulas, BOUGH_METRIC_AREA_GRID, NONE));
    assert_same(row_value(&layout, BOUGH_METRIC_AREA, NONE), area * 1e-8); /* mm^2; pitch 100 nm */
    bough_rows_fini(&bits);
    bough_rows_fini(&formulas);
    bough_rows_fini(&layout);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(one_sorter_by_hand),
        cmocka_unit_test(patterns_are_sorted_as_the_engine_sorts),
        cmocka_unit_test(a_workspace_is_used_again),
        cmocka_unit_test(a_circuit_laid_out_by_hand),
        cmocka_unit_test(area_is_that_of_the_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
