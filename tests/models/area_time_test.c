/* area=1: the area of a network's layout with the bit steps of what runs on it. */
#include "network/layout/layout.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void refused(const char *network, const char *routing, const char *method, bough_status status,
                    const char *text) {
    bough_point point = point_make(network, routing, "randperm");
    run_refused(&point, method, status, text);
    point_free(&point);
}

static void what_has_no_area_is_refused(void **state) {
    (void)state;
    refused("kary:k=3,levels=3", NULL, "offline:area=1", BOUGH_UNSUPPORTED, "H-tree layouts require 2, 4, 8");
    refused("cube:n=16", "free", "circuit:mode=cycles,payload=4,area=1", BOUGH_UNSUPPORTED,
            "H-tree layouts support");
    refused("pruned:n=16", "free", "circuit:mode=rounds,area=1", BOUGH_INVALID,
            "area= applies to mode=cycles");
    refused("pruned:n=16", "free", "circuit:mode=cycles,area=1", BOUGH_INVALID, "with a payload=");
}

static void area_and_time_multiply(void **state) {
    (void)state;
    static const struct {
        const char *network, *method;
        double body;
        bough_metric_id steps;
        bough_layout_rules rules; /* what the steps were counted for */
    } cases[] = {
        {"pruned:n=256",
         "sidetrack:area=1",
         8,
         BOUGH_METRIC_BIT_STEPS,
         {.record_bits = 8 + 8 + 3, .counter_bits = 9, .queue = 2 * 8 + 1}},
        {"pruned:n=256", "offline:area=1,body=12", 12, BOUGH_METRIC_BIT_STEPS, {0}},
        {"pruned:n=256", "online:area=1", 8, BOUGH_METRIC_BIT_STEPS, {0}},
        {"sorting:n=256", "sortroute:area=1,body=10", 10, BOUGH_METRIC_BIT_STEPS, {.bits = 30, .degree = 1}},
        {"fattree:n=256", "circuit:mode=cycles,payload=7,area=1", 7, BOUGH_METRIC_CYCLES, {0}}};
    /* the messages are the same everywhere, and so is what they ask of any network */
    bough_point reference = point_make("pruned:n=256", NULL, "bitrev");
    bough_rows asked = rows_of(&reference, "sidetrack");
    double eta = row_value(&asked, BOUGH_METRIC_ETA, BOUGH_NO_ROW_INDEX);
    assert_near(eta, 12, 0); /* 48 of the 64 below a node of height 6 go, and as many come: 96 / 2^3 */
    for (size_t i = 0; i < COUNT(cases); i++) {
        bough_point point = point_make(cases[i].network, "free", "bitrev");
        bough_rows rows = rows_of(&point, cases[i].method);
        bough_layout_size size;
        assert_int_equal(bough_layout_measure(point.net, &cases[i].rules, &size, NULL), BOUGH_OK);
        const bough_layout_step *top = &size.step[size.steps];
        double area = (double)top->width_nm * (double)top->height_nm / 1e4;
        double steps = row_value(&rows, cases[i].steps, BOUGH_NO_ROW_INDEX);
        double at2 = row_value(&rows, BOUGH_METRIC_AT2, BOUGH_NO_ROW_INDEX);
        assert_near(row_value(&rows, BOUGH_METRIC_AREA_GRID, BOUGH_NO_ROW_INDEX), area, 1e-6 * area);
        assert_near(at2, area * steps * steps, 1e-9 * at2);
        assert_near(row_value(&rows, BOUGH_METRIC_AT2_ETA, BOUGH_NO_ROW_INDEX),
                    at2 / pow(cases[i].body * eta, 2) / 256, 1e-9 * at2);
        bough_rows_fini(&rows);
        point_free(&point);
    }
    bough_rows_fini(&asked);
    point_free(&reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_area_is_refused),
        cmocka_unit_test(area_and_time_multiply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
