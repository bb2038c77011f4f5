#include "support/stores.h"

#include "report/report.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char store_directory[64], store_file[96];

int store_directory_make(void **state) {
    (void)state;
    strcpy(store_directory, "store_test.XXXXXX");
    if (!mkdtemp(store_directory)) return -1;
    snprintf(store_file, sizeof store_file, "%s/results.sqlite", store_directory);
    return 0;
}

int store_directory_remove(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", store_directory);
    return system(command);
}

void store_study(bough_study *study, const char *text) {
    bough_error error = {0};
    if (bough_study_parse(
            study, &(bough_study_text){.name = "s.yaml", .text = text, .size = strlen(text), .limit = 1000},
            &error) ||
        bough_study_resolve(study, &error))
        fail_msg("%s: %s", error.place, error.reason);
}

bough_status store_run(const char *text, unsigned threads, char **csv, char **damage, bough_error *error) {
    bough_study study;
    bough_store *store = NULL;
    store_study(&study, text);
    bough_status status = bough_store_open(store_directory, &study, &store, error);
    bough_study_options options = {.threads = threads, .store = store};
    if (damage) *damage = !status && bough_store_damage(store) ? strdup(bough_store_damage(store)) : NULL;
    if (!status) status = bough_study_run(&study, &options, error);
    if (!status && csv) status = bough_report_csv(&study, csv, error);
    bough_store_close(store);
    bough_study_fini(&study);
    return status;
}

char *store_fresh(const char *text) {
    bough_error error = {0};
    bough_study study;
    bough_study_options options = {.threads = 1};
    char *csv = NULL;
    store_study(&study, text);
    assert_int_equal(bough_study_run(&study, &options, &error), BOUGH_OK);
    assert_int_equal(bough_report_csv(&study, &csv, &error), BOUGH_OK);
    bough_study_fini(&study);
    return csv;
}

bough_status store_read(char **csv, bough_error *error) {
    bough_study study;
    bough_status status = bough_store_load(store_directory, &study, error);
    if (!status) status = bough_report_csv(&study, csv, error);
    bough_study_fini(&study);
    return status;
}

void store_run_and_compare(const char *text, unsigned threads) {
    bough_error error = {0};
    char *fresh = store_fresh(text), *kept = NULL, *loaded = NULL;
    if (store_run(text, threads, &kept, NULL, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(fresh, kept);
    if (store_read(&loaded, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(fresh, loaded);
    free(fresh);
    free(kept);
    free(loaded);
}

void store_sql(const char *text) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(store_file, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}
