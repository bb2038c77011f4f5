/* Numbers with units, and names of indices, as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "method/quantity.h"
#include "method/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_quantity(bough_metric_id metric, double value, double interval, const char *want) {
    char text[QUANTITY_TEXT], shown[3 * QUANTITY_TEXT];
    quantity_unit unit = quantity_unit_of(metric, value);
    snprintf(shown, sizeof shown, "%s%s%s",
             quantity_format(value * unit.factor, interval * unit.factor, text), *unit.name ? " " : "",
             unit.name);
    assert_string_equal(shown, want);
}

static void test_quantities(void **state) {
    (void)state;
    check_quantity(BOUGH_METRIC_FCT, 2.02125e-05, 0, "20.21 us");
    check_quantity(BOUGH_METRIC_FCT, 2.02e-05, 0, "20.2 us");
    check_quantity(BOUGH_METRIC_FCT, 9.9996e-04, 0, "1 ms"); /* not 1000 us */
    check_quantity(BOUGH_METRIC_FCT, 0.0133, 0, "13.3 ms");
    check_quantity(BOUGH_METRIC_FCT, 91.8441, 0, "91.84 s");
    check_quantity(BOUGH_METRIC_FCT, 4000, 0, "4000 s");
    check_quantity(BOUGH_METRIC_FCT, 0, 0, "0 s");
    check_quantity(BOUGH_METRIC_FCT, -3e-9, 0, "-3 ns");
    check_quantity(BOUGH_METRIC_FCT, NAN, 0, "- s");
    check_quantity(BOUGH_METRIC_FCT, 1.23456e-3, 1.2e-6,
                   "1.2346 ms"); /* to the second digit of the interval */
    check_quantity(BOUGH_METRIC_FCT, 1.23456e-3, 0.5e-3, "1.23 ms");
    check_quantity(BOUGH_METRIC_ALGO_BANDWIDTH, 1.03, 0, "1.03 GB/s");
    check_quantity(BOUGH_METRIC_ALGO_BANDWIDTH, 0.0833548, 0, "0.08335 GB/s"); /* as nccl-tests */
    check_quantity(BOUGH_METRIC_THROUGHPUT, 22057, 0, "22.06 Tb/s");
    check_quantity(BOUGH_METRIC_LINK_BYTES_MAX, 33554432, 0, "33.55 MB");
    check_quantity(BOUGH_METRIC_LINK_BYTES_MAX, 64, 0, "64 bytes");
    check_quantity(BOUGH_METRIC_MESSAGES, 293222, 0, "293222"); /* counts are whole */
    check_quantity(BOUGH_METRIC_LATENCY, 32511.7, 0, "32512 cycles");
    check_quantity(BOUGH_METRIC_LATENCY, 47.97403, 0.034, "47.974 cycles");
    check_quantity(BOUGH_METRIC_LATENCY, 332, 385, "332 cycles");
    check_quantity(BOUGH_METRIC_LINK_USE_MAX, 0.861603, 0, "0.8616");
    check_quantity(BOUGH_METRIC_PR_C2, 1.25e-7, 0, "1.25e-07");
    check_quantity(BOUGH_METRIC_PR_C2, 1.25e-7, 3e-12, "1.250000e-07");
}

static void test_counted_units(void **state) {
    (void)state;
    static const struct {
        bough_metric_id metric;
        const char *shown, *want;
    } known[] = {
        {BOUGH_METRIC_LINK_LOAD_MAX, "1", "flow"},
        {BOUGH_METRIC_LINK_LOAD_MAX, "2", "flows"},
        {BOUGH_METRIC_LINK_LOAD_MAX, "1.0", "flows"},
        {BOUGH_METRIC_LATENCY, "1", "cycle"},
        {BOUGH_METRIC_OFFERED, "1", "flits/cycle/endpoint"},
        {BOUGH_METRIC_COMPLETION_TIME, "1", "s"},
        {BOUGH_METRIC_ARRIVAL_NS, "1", "ns"},
        {BOUGH_METRIC_LINK_LOAD_UNUSED, "1", "link"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        quantity_unit unit = {.factor = 1};
        char buffer[sizeof unit.name];
        snprintf(unit.name, sizeof unit.name, "%s", bough_metrics[known[i].metric].unit);
        assert_string_equal(quantity_unit_behind(&unit, known[i].shown, buffer), known[i].want);
    }
    static const char *const more[][2] = {{"passes", "pass"},  {"switches", "switch"},
                                          {"phases", "phase"}, {"bit steps", "bit step"},
                                          {"times", "times"},  {"per message", "per message"}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        quantity_unit unit = {.factor = 1};
        char buffer[sizeof unit.name];
        snprintf(unit.name, sizeof unit.name, "%s", more[i][0]);
        assert_string_equal(quantity_unit_behind(&unit, "1", buffer), more[i][1]);
    }
}

static void test_index_names(void **state) {
    (void)state;
    char note[BOUGH_NOTE_MAX] = "", name[BOUGH_NOTE_MAX], large[BOUGH_NOTE_MAX - 56];
    assert_false(index_name_find(note, "label", 1, name));
    index_name_put(note, "label", 1, "tensor");
    index_name_put(note, "label", 12, "data, all of it");
    assert_string_equal(note, "labels: 1 tensor, 12 data, all of it");
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    index_name_put(note, "label", 13, large);
    index_name_put(note, "label", 14, large); /* does not fit */
    assert_int_equal(index_names_at(note), 0);
    assert_true(index_name_find(note, "label", 1, name));
    assert_string_equal(name, "tensor");
    assert_true(index_name_find(note, "label", 12, name));
    assert_string_equal(name, "data, all of it");
    assert_true(index_name_find(note, "label", 13, name));
    assert_string_equal(name, large);
    assert_false(index_name_find(note, "label", 2, name));
    assert_false(index_name_find(note, "label", 14, name));
    assert_false(index_name_find(note, "job", 1, name));
    assert_false(index_name_find(note, "", 1, name));
    index_name_put(note, "job", 3, large); /* does not fit either */
    assert_false(index_name_find(note, "job", 3, name));
}

/* Names come after what the note says, and each meaning after the one before. */
static void test_names_after_a_text(void **state) {
    (void)state;
    char note[BOUGH_NOTE_MAX] = "offered 0.2; 8 of 12 ranks", name[BOUGH_NOTE_MAX];
    size_t said = strlen(note);
    assert_int_equal(index_names_at(note), said);
    index_name_put(note, "label", 1, "tensor; or not");
    index_name_put(note, "job", 0, "near, far");
    index_name_put(note, "label", 2, "data"); /* too late */
    index_name_put(note, "job", 2, "y");
    assert_string_equal(note, "offered 0.2; 8 of 12 ranks; labels: 1 tensor; or not; jobs: 0 near, far, 2 y");
    assert_int_equal(index_names_at(note), said);
    assert_true(index_name_find(note, "label", 1, name));
    assert_string_equal(name, "tensor; or not");
    assert_true(index_name_find(note, "job", 0, name));
    assert_string_equal(name, "near, far");
    assert_true(index_name_find(note, "job", 2, name));
    assert_string_equal(name, "y");
    assert_false(index_name_find(note, "label", 2, name));
    assert_false(index_name_find(note, "label", 0, name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_counted_units),
        cmocka_unit_test(test_index_names),
        cmocka_unit_test(test_names_after_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
