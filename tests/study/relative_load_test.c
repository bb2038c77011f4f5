/* Loads as shares of a saturation. The saturations come from a data file, so that no simulator is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/run/point_binding.h"
#include "study/study.h"
#include "traffic/streams/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[40], before[400];

static int make_directory(void **state) {
    (void)state;
    strcpy(directory, "/tmp/bough-relload-XXXXXX");
    if (!getcwd(before, sizeof before) || !mkdtemp(directory) || chdir(directory)) return -1;
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    char command[80];
    if (chdir(before)) return -1;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static void write_file(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static const char saturations[] = "metric,value,n\nsaturation,0.1,16\nsaturation,0.3,64\nlatency,40,128\n"
                                  "saturation,0,256\n";

static bough_status resolve(bough_study *study, const char *text, bough_error *error) {
    bough_status status = bough_study_parse(
        study, &(bough_study_text){.name = "s.yaml", .text = text, .size = strlen(text), .limit = 1000},
        error);
    return status ? status : bough_study_resolve(study, error);
}

static void resolved(bough_study *study, const char *text) {
    bough_error error = {0};
    if (resolve(study, text, &error)) fail_msg("%s: %s", error.place, error.reason);
}

static void refused(const char *network, const char *traffic, const char *reason) {
    char text[300];
    bough_study study;
    bough_error error = {0};
    snprintf(text, sizeof text, "network: %s\ntraffic: '%s'\nmethods: [collision]\ntrials: 2\n", network,
             traffic);
    if (resolve(&study, text, &error) != BOUGH_INVALID && error.status != BOUGH_UNSUPPORTED)
        fail_msg("%s is not refused", traffic);
    assert_string_equal(error.place, "s.yaml:2");
    if (!strstr(error.reason, reason)) fail_msg("%s: '%s' does not say '%s'", traffic, error.reason, reason);
    assert_null(strchr(error.reason, '\n'));
    bough_study_fini(&study);
}

/* ---- bad input ---- */

static void what_cannot_be_resolved_is_refused_with_its_line(void **state) {
    (void)state;
    write_file("sat.csv", saturations);
    static const char of[] = "of=\"data:sat.csv\"";
    static const struct {
        const char *network, *traffic, *reason;
    } cases[] = {
        {"fattree:n=16", "poisson:relload=0.5,of=quueing", "relload=0.5 of quueing: no method 'quueing'"},
        {"fattree:n=16", "poisson:relload=0.5,of=bins", "method bins does not accept a stream"},
        {"fattree:n=16", "poisson:relload=0.5,of=collision", "collision does not report saturation"},
        {"fattree:n=16", "poisson:relload=0.5,of=\"data:none.csv\"", "relload=0.5 of data:none.csv: "},
        {"fattree:n=16", "poisson:relload=0.5,of=\"a b\"", "'a b' is not a spec"},
        {"fattree:n=128", "poisson:relload=0.5,%s", "data:file=sat.csv does not report saturation"},
        {"fattree:n=256", "poisson:relload=0.5,%s", "data:file=sat.csv found no saturation for poisson"},
        {"fattree:n=16", "poisson:relload=0,%s", "relload=0 must be positive"},
        {"fattree:n=16", "poisson:relload=-1,%s", "relload=-1 must be positive"},
        {"fattree:n=16", "poisson:relload=x,%s", "relload=x is not a number"},
        {"fattree:n=16", "poisson:relload=0.5,rate=0.5,%s", "rate and relload are alternatives"},
        {"fattree:n=16", "poisson:relload=0.5,load=0.5,%s", "load and relload are alternatives"},
        {"fattree:n=16", "poisson:relload=0.5,flits=0,%s", "flits=0 is out of range"},
        {"fattree:n=16", "poisson:relload=0.5,pattern=unifrom,%s", "did you mean 'uniform'"},
        {"fattree:n=16", "poisson:relload=0.5,flots=3,%s", "did you mean 'flits'"},
        {"fattree:n=16", "bernoulli:relload=100,flits=1,%s", "load=10 with flits=1"},
        {"fattree:n=16", "uniform:relload=0.5", "traffic uniform has no parameter 'relload'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char traffic[200] = "";
        const char *mark = strstr(cases[i].traffic, "%s");
        snprintf(traffic, sizeof traffic, "%.*s%s",
                 (int)(mark ? mark - cases[i].traffic : (int)strlen(cases[i].traffic)), cases[i].traffic,
                 mark ? of : "");
        refused(cases[i].network, traffic, cases[i].reason);
    }
}

/* ---- the spec ---- */

static void reads(const char *spec, double share, const char *of) {
    stream_relload have;
    assert_int_equal(stream_relload_read(spec, &have, NULL), BOUGH_OK);
    assert_true(have.share == share);
    if (of)
        assert_string_equal(have.of, of);
    else
        assert_null(have.of);
    free(have.of);
}

static void becomes(const char *spec, double load, const char *expected) {
    char *have;
    assert_int_equal(stream_relload_replace(spec, load, &have, NULL), BOUGH_OK);
    assert_string_equal(have, expected);
    free(have);
}

static void a_spec_with_relload_is_rewritten(void **state) {
    (void)state;
    reads("poisson:relload=0.5", 0.5, "queueing");
    reads("bernoulli:flits=8,relload=1.25,of=worm", 1.25, "worm");
    reads("poisson:load=0.5", 0, NULL);
    reads("uniform:relload=0.5", 0, NULL);
    reads("poisson:pattern=\"uniform:relload=0.5\"", 0, NULL);
    reads("poisson:relload=\"", 0, NULL);
    becomes("poisson:relload=0.5", 0.1, "poisson:load=0.1,flits=32");
    becomes("poisson:of=worm,relload=0.5,pattern=bitrev,flits=16", 1.0 / 3,
            "poisson:load=0.3333333333333333,flits=16,pattern=bitrev");
    becomes("bernoulli:relload=1,pattern=\"shift:k=3\"", 1e-20,
            "bernoulli:load=1e-20,flits=32,pattern=\"shift:k=3\"");
}

/* ---- studies ---- */

static const char grid[] = "network: fattree:n={n}\n"
                           "traffic: 'poisson:relload={r},of=\"data:sat.csv\",flits=16'\n"
                           "methods: [collision]\n"
                           "trials: 2\n"
                           "grid:\n  - n: [16, 64]\n  - r: [0.5, 0.25, 1.5]\n";

static void a_grid_of_relloads_finds_each_saturation_once(void **state) {
    (void)state;
    static const char *const spec[] = {"poisson:load=0.05,flits=16",
                                       "poisson:load=0.025,flits=16",
                                       "poisson:load=0.15000000000000002,flits=16",
                                       "poisson:load=0.15,flits=16",
                                       "poisson:load=0.075,flits=16",
                                       "poisson:load=0.44999999999999996,flits=16"};
    bough_study study;
    write_file("sat.csv", saturations);
    resolved(&study, grid);
    assert_int_equal(study.points, 6);
    for (size_t i = 0; i < 6; i++) assert_string_equal(study.point[i].traffic.spec, spec[i]);
    assert_int_equal(study.binding->saturations.count, 2);
    assert_int_equal(study.notes, 6);
    assert_string_equal(study.note[0],
                        "fattree:n=16 under free: relload 0.5 of the saturation of data:sat.csv, 0.1: "
                        "load=0.05 flits/cycle/endpoint = 0.003125 messages/cycle/endpoint");
    for (size_t i = 0; i < 6; i++) assert_int_equal(bind_point(&study, i, NULL), BOUGH_OK);
    assert_int_equal(study.notes, 6); /* nothing is resolved again */
    bough_study_fini(&study);
}

static void run_with_store(const char *text, bough_status expected, const char *reason) {
    bough_study study;
    bough_store *store = NULL;
    bough_error error = {0};
    resolved(&study, text);
    bough_status status = bough_store_open("results", &study, &store, &error);
    if (!status) status = bough_study_run(&study, &(bough_study_options){.store = store}, &error);
    if (status != expected || !strstr(error.reason, reason))
        fail_msg("status %d: %s, not '%s'", status, error.reason, reason);
    bough_store_close(store);
    bough_study_fini(&study);
}

/* A study goes on where it was, and loads again with the loads that were found then. */
static void a_study_with_relload_resumes(void **state) {
    (void)state;
    bough_study study;
    write_file("sat.csv", saturations);
    run_with_store(grid, BOUGH_OK, "");
    run_with_store(grid, BOUGH_OK, "");
    assert_int_equal(bough_store_load("results", &study, NULL), BOUGH_OK);
    assert_string_equal(study.point[0].traffic.spec, "poisson:load=0.05,flits=16");
    bough_study_fini(&study);
    write_file("sat.csv", "metric,value\nsaturation,0.4\n");
    run_with_store(grid, BOUGH_INVALID, "traffic poisson:load=0.05,flits=16, now poisson:load=0.2,flits=16");
}

int main(void) {
#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(what_cannot_be_resolved_is_refused_with_its_line),
        cmocka_unit_test(a_spec_with_relload_is_rewritten),
        IN_DIRECTORY(a_grid_of_relloads_finds_each_saturation_once),
        IN_DIRECTORY(a_study_with_relload_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
