/* Files that methods write in a study: each answer its own, none in a forecast; and what methods say in words
 * of outcomes that are ok. */
#include "report/report.h"
#include "study/study.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bough_status resolve(const char *text, bough_study *study, bough_error *error) {
    bough_status status = bough_study_parse(
        study, &(bough_study_text){.name = "s.yaml", .text = text, .size = strlen(text), .limit = 1000},
        error);
    return status ? status : bough_study_resolve(study, error);
}

static void one_file_twice(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } bad[] = {
        {"network: fattree:n=8\nrouting: [dmodk, smodk]\nmethods:\n  - \"adversary:out=w.csv\"\n", "s.yaml:4",
         "adversary:out=w.csv under smodk would write w.csv again"},
        {"network: fattree:n={n}\nrouting: dmodk\nmethods: [\"adversary:out=w.csv\"]\ngrid:\n  - n: [8, "
         "16]\n",
         "s.yaml:3", "at n=16: adversary:out=w.csv under dmodk would write"},
    };
    for (size_t i = 0; i < 2; i++) {
        bough_study study;
        bough_error error = {0};
        assert_int_equal(resolve(bad[i].text, &study, &error), BOUGH_INVALID);
        assert_string_equal(error.place, bad[i].place);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("'%s'", error.reason);
        bough_study_fini(&study);
    }
}

static void each_its_own(void **state) {
    (void)state;
    static const char *const text =
        "network: fattree:n={n}\nrouting: dmodk\nmethods: [\"adversary:out=own-{n}.csv\"]\n"
        "grid:\n  - n: [8, 16]\n";
    bough_study study;
    bough_study_options options = {.threads = 2};
    bough_forecast forecast;
    bough_error error = {0};
    assert_int_equal(resolve(text, &study, &error), BOUGH_OK);
    assert_int_equal(bough_study_forecast(&study, &(bough_forecast_options){.threads = 1}, &forecast, &error),
                     BOUGH_OK);
    assert_int_not_equal(access("own-8.csv", F_OK), 0);
    assert_int_not_equal(access("own-16.csv", F_OK), 0);
    assert_int_equal(bough_study_run(&study, &options, &error), BOUGH_OK);
    assert_int_equal(access("own-8.csv", F_OK), 0);
    assert_int_equal(access("own-16.csv", F_OK), 0);
    bough_study_fini(&study);
    remove("own-8.csv");
    remove("own-16.csv");
}

static void notes_of_what_is_ok(void **state) {
    (void)state;
    static const char *const text =
        "network: kary:k=2,levels=2\nrouting: dmodk\nmethods: [adversary, linkload]\n"
        "traffic: neighbor\n";
    bough_study study;
    bough_study_options options = {.threads = 1};
    bough_error error = {0};
    char *table, *json;
    assert_int_equal(resolve(text, &study, &error), BOUGH_OK);
    assert_int_equal(bough_study_run(&study, &options, &error), BOUGH_OK);
    assert_int_equal(study.point[0].answer[0].outcome, BOUGH_RUN_OK);
    assert_non_null(strstr(study.point[0].answer[0].note, "over "));
    assert_string_equal(study.point[0].answer[1].note, "");
    assert_int_equal(bough_report_table(&study, &(bough_table_options){.single = true}, &table, &error),
                     BOUGH_OK);
    assert_int_equal(bough_report_json(&study, true, &json, &error), BOUGH_OK);
    assert_non_null(strstr(table, "\nadversary: 1 flow over "));
    assert_null(strstr(table, "ok: 1 flow"));
    assert_non_null(strstr(json, "\"notes\""));
    free(table);
    free(json);
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file_twice),
        cmocka_unit_test(each_its_own),
        cmocka_unit_test(notes_of_what_is_ok),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
