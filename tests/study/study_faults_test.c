/* Faults in studies: as an axis, in the store, in what reports say. */
#include "report/report.h"
#include "study/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BASE "network: bft:n=64\ntraffic: uniform\nmethods: circuit:mode=attempt\ntrials: 5\n"

static bough_status read_study(bough_study *study, const char *text, bough_error *error) {
    bough_status status = bough_study_parse(
        study, &(bough_study_text){.name = "f.yaml", .text = text, .size = strlen(text), .limit = 1000},
        error);
    return status ? status : bough_study_resolve(study, error);
}

static void make(bough_study *study, const char *text) {
    bough_error error = {0};
    *study = (bough_study){0};
    if (read_study(study, text, &error)) fail_msg("%s: %s", error.place, error.reason);
}

static void refused(const char *text, const char *place, const char *reason) {
    bough_study study = {0};
    bough_error error = {0};
    assert_int_equal(read_study(&study, text, &error), BOUGH_INVALID);
    if (!strstr(error.place, place) || !strstr(error.reason, reason))
        fail_msg("expected %s and '%s' in %s: %s", place, reason, error.place, error.reason);
    bough_study_fini(&study);
}

static void run(bough_study *study) {
    bough_error error = {0};
    bough_study_options options = {.threads = 2};
    if (bough_study_run(study, &options, &error)) fail_msg("%s: %s", error.place, error.reason);
}

static void wrong_faults_have_a_line(void **state) {
    (void)state;
    refused(BASE "faults: chips:shar=5%\n", "f.yaml:5", "did you mean 'share'");
    refused(BASE "faults: [none, \"chops:share=5%\"]\n", "f.yaml:5", "did you mean 'chips'");
    refused(BASE "faults: chips:share={s}\ngrid:\n  - s: [0, 2]\n", "f.yaml:5",
            "at s=2: share=2 is not between");
    refused(BASE "faults: [chips:share=5%,key=2]\n", "f.yaml:5", "YAML split it at its commas");
    refused(BASE "faults: name:s9.9\n", "f.yaml:5", "contains nothing named 's9.9' (did you mean");
}

static void a_list_is_an_axis(void **state) {
    (void)state;
    bough_study s;
    make(&s, BASE "faults: [none, \"chips:share=10%\", \"links:5%,mode=rerouted\"]\ngrid:\n  - x: [1, 2]\n");
    assert_true(s.faults_vary);
    assert_int_equal(s.points, 6);
    assert_string_equal(s.point[0].faults.spec, "none");
    assert_string_equal(s.point[1].faults.spec, "none");
    assert_string_equal(s.point[2].faults.spec, "chips:share=0.1");
    assert_string_equal(s.point[4].faults.spec, "links:share=0.05,mode=rerouted");
    assert_string_equal(s.point[4].network.spec, "bft:n=64");
    run(&s);
    double none = s.point[0].answer[0].cell[0].stats.mean, chips = s.point[2].answer[0].cell[0].stats.mean;
    assert_true(none > chips && chips > 0);
    assert_true(s.point[1].answer[0].cell[0].stats.mean == none);
    char *text;
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "chips:share=0.1"));
    free(text);
    assert_int_equal(bough_report_csv(&s, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "x,network,faults,routing,traffic,method"));
    assert_non_null(strstr(text, "1,bft:n=64,chips:share=0.1,free"));
    free(text);
    assert_int_equal(bough_report_json(&s, false, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "\"faults\": {\"spec\": \"chips:share=0.1\"}"));
    free(text);
    bough_study_fini(&s);
    make(&s, BASE); /* without the key nothing says a word of it */
    run(&s);
    assert_null(s.point[0].faults.spec);
    assert_int_equal(bough_report_csv(&s, &text, NULL), BOUGH_OK);
    assert_null(strstr(text, "faults"));
    free(text);
    bough_study_fini(&s);
}

/* Merged over keys, share by share, and list by list. */
static void keys_are_merged(void **state) {
    (void)state;
    bough_study s;
    make(&s, BASE "faults: [\"chips:share={p}%,key={k}\", \"links:share={p}%,key={k}\"]\n"
                  "grid:\n  - p: [5, 20]\n  - k: [1, 2, 3]\npool: k\nplot: {x: p, y: [first_success], "
                  "series: faults}\n");
    assert_int_equal(s.points, 12);
    run(&s);
    char *text;
    assert_int_equal(bough_report_table(&s, NULL, &text, NULL), BOUGH_OK);
    unsigned lines = 0;
    for (const char *at = text; (at = strstr(at, " 15 few")); at++) lines++; /* trials */
    assert_int_equal(lines, 4);
    free(text);
    bough_study_fini(&s);
}

static void the_store_knows_faults(void **state) {
    (void)state;
    static const char *const first = BASE "faults: chips:share=10%\n", *const other =
                                                                           BASE "faults: chips:share=20%\n";
    char directory[] = "faults_store.XXXXXX", command[64];
    bough_study s, loaded = {0};
    bough_store *store;
    bough_error error = {0};
    assert_non_null(mkdtemp(directory));
    make(&s, first);
    assert_int_equal(bough_store_open(directory, &s, &store, &error), BOUGH_OK);
    bough_study_options options = {.store = store};
    assert_int_equal(bough_study_run(&s, &options, &error), BOUGH_OK);
    bough_store_close(store);
    assert_int_equal(bough_store_load(directory, &loaded, &error), BOUGH_OK);
    assert_string_equal(loaded.point[0].faults.spec, "chips:share=0.1");
    assert_true(loaded.point[0].answer[0].cell[0].stats.mean == s.point[0].answer[0].cell[0].stats.mean);
    bough_study_fini(&loaded);
    bough_study_fini(&s);
    make(&s, other);
    assert_int_equal(bough_store_open(directory, &s, &store, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "faults chips:share=0.1, now chips:share=0.2"));
    bough_study_fini(&s);
    make(&s, BASE);
    assert_int_equal(bough_store_open(directory, &s, &store, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "faults chips:share=0.1, now none"));
    bough_study_fini(&s);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
}

/* The saturation that relload= asks for is that of what is left. */
static void relload_sees_the_faults(void **state) {
    (void)state;
    bough_study whole, hurt;
    make(&whole, "network: bft:n=64\ntraffic: poisson:relload=0.5,flits=16\nmethods: queueing\n");
    make(&hurt, "network: bft:n=64\ntraffic: poisson:relload=0.5,flits=16\nmethods: queueing\n"
                "faults: [none, \"links:share=15%,mode=rerouted\"]\n");
    assert_string_equal(whole.point[0].traffic.spec, hurt.point[0].traffic.spec);
    assert_string_not_equal(hurt.point[0].traffic.spec, hurt.point[1].traffic.spec);
    bough_study_fini(&whole);
    bough_study_fini(&hurt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_faults_have_a_line), cmocka_unit_test(a_list_is_an_axis),
        cmocka_unit_test(keys_are_merged),          cmocka_unit_test(the_store_knows_faults),
        cmocka_unit_test(relload_sees_the_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
