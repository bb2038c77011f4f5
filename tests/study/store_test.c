/* The store: trials come back to the last bit; stopping, going on and changing the study. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"
#include "study/store/store.h"
#include "study/store/store_record.h"

#include "support/stores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STUDY                                                                                                \
    "study: store\nnetwork: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", "      \
    "bins, collision]\n"                                                                                     \
    "grid:\n  - n: [16, 64]\n"

static void test_records(void **state) {
    (void)state;
    layout_book book = {0}, other = {0};
    bough_rows rows = {.outcome = BOUGH_RUN_SATURATED}, back = {0};
    bough_text bytes = {0};
    const double value[] = {1.0 / 3, -0.0, NAN, INFINITY, 5e-324};
    uint32_t number;
    bool is_new;
    for (int i = 0; i < 5; i++)
        bough_rows_add(&rows, BOUGH_METRIC_DELIVERED_ROUND,
                       i == 2 ? BOUGH_NO_ROW_INDEX : (int64_t)i * 1000000007 - 3, value[i], NULL);
    for (int i = 0; i < 100; i++) { /* a hundred layouts */
        rows.row[0].index = i;
        assert_int_equal(layout_find(&book, &rows, &number, &is_new, NULL), BOUGH_OK);
        assert_true(is_new);
        assert_int_equal(number, i);
    }
    rows.row[0].index = 42;
    assert_int_equal(layout_find(&book, &rows, &number, &is_new, NULL), BOUGH_OK);
    assert_false(is_new);
    assert_int_equal(number, 42);
    snprintf(rows.note, sizeof rows.note, "queues grow");
    record_write(&bytes, number, &rows);
    assert_int_equal(bytes.length, 8 + 1 + strlen(rows.note) + 5 * 8);
    bough_text text = {0};
    layout_write(&book, 42, &text);
    assert_string_equal(text.data, "delivered_round[42] delivered_round[1000000004] delivered_round "
                                   "delivered_round[3000000018] delivered_round[4000000025]");
    assert_int_equal(layout_read(&other, 42, text.data, NULL), BOUGH_OK);
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.length;
    assert_int_equal(record_read(&other, &at, end, &back, NULL), BOUGH_OK);
    assert_ptr_equal(at, end);
    assert_int_equal(back.count, 5);
    assert_int_equal(back.outcome, BOUGH_RUN_SATURATED);
    assert_string_equal(back.note, "queues grow");
    for (int i = 0; i < 5; i++) {
        assert_true(back.row[i].index == rows.row[i].index);
        assert_memory_equal(&back.row[i].value, &rows.row[i].value, sizeof(double));
    }
    static const char *const notes[] = {"over S1 -> S2", ""}; /* also what is ok may have something to say */
    for (int i = 0; i < 2; i++) {
        bough_text ok = {0};
        rows.outcome = BOUGH_RUN_OK;
        snprintf(rows.note, sizeof rows.note, "%s", notes[i]);
        record_write(&ok, number, &rows);
        assert_int_equal(ok.length, 8 + (*notes[i] ? 1 + strlen(notes[i]) : 0) + 5 * 8);
        at = (const unsigned char *)ok.data;
        assert_int_equal(record_read(&other, &at, at + ok.length, &back, NULL), BOUGH_OK);
        assert_int_equal(back.outcome, BOUGH_RUN_OK);
        assert_string_equal(back.note, notes[i]);
        bough_text_fini(&ok);
    }
    at = (const unsigned char *)bytes.data;
    assert_int_equal(record_read(&other, &at, end - 1, &back, NULL), BOUGH_FAILED); /* cut off */
    at = (const unsigned char *)bytes.data;
    bytes.data[0] = 41;
    assert_int_equal(record_read(&other, &at, end, &back, NULL), BOUGH_FAILED); /* no such layout */
    bough_error error = {0};
    assert_int_equal(layout_read(&other, 43, "no_metric", &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "no_metric"));
    bough_rows_fini(&rows);
    bough_rows_fini(&back);
    bough_text_fini(&bytes);
    bough_text_fini(&text);
    layout_book_fini(&book);
    layout_book_fini(&other);
}

/* Each step goes on from what the steps before left, and says what a fresh run says. */
static void test_going_on(void **state) {
    (void)state;
    store_run_and_compare(STUDY "trials: 3\n", 1);
    store_run_and_compare(STUDY "trials: 3\n", 2);  /* nothing left to do */
    store_run_and_compare(STUDY "trials: 50\n", 3); /* more */
    store_run_and_compare(STUDY "trials: 20\n", 1); /* fewer than there are */
    store_run_and_compare(STUDY "precision: 5%\n", 2);
    store_run_and_compare(STUDY "precision: rounds:2%\ntrials: 500\n", 2);
    store_run_and_compare("# other words\n" STUDY "trials: 700\nplot: {y: rounds}\ncompare: true\n",
                          2); /* the same question */
}

static void refused(const char *text, const char *reason) {
    bough_error error = {0};
    bough_status status = store_run(text, 1, NULL, NULL, &error);
    if (status != BOUGH_INVALID) fail_msg("status %d: %s", status, error.reason);
    if (!strstr(error.reason, reason)) fail_msg("expected '%s' in '%s'", reason, error.reason);
    assert_non_null(strstr(error.reason, "--out"));
    assert_non_null(strstr(error.place, store_directory));
}

static void test_changed_study(void **state) {
    (void)state;
    store_run_and_compare(STUDY "trials: 3\n", 1);
    refused(STUDY "trials: 3\nseed: 2\n", "seed 1, now 2");
    refused("network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", bins]\n"
            "grid:\n  - n: [16, 64]\ntrials: 3\n",
            "3 methods under 1 routing, now 2 under 1");
    refused("network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", "
            "\"bins:model=2\", collision]\n"
            "grid:\n  - n: [16, 64]\ntrials: 3\n",
            "method bins:model=1, now bins:model=2");
    refused(
        "network: fattree:n={n}\ntraffic: uniform:m=8\nmethods: [\"circuit:mode=rounds\", bins, collision]\n"
        "grid:\n  - n: [16, 64]\ntrials: 3\n",
        "traffic uniform:m=16, now uniform:m=8");
    refused("network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", bins, "
            "collision]\n"
            "grid:\n  - n: [16]\ntrials: 3\n",
            "2 points");
    store_run_and_compare(STUDY "trials: 4\n", 1); /* and the store is as it was */
}

static void test_second_process(void **state) {
    (void)state;
    bough_study study;
    bough_store *store;
    bough_error error = {0};
    store_study(&study, STUDY "trials: 3\n");
    assert_int_equal(bough_store_open(store_directory, &study, &store, &error), BOUGH_OK);
    refused(STUDY "trials: 3\n", "another process");
    bough_study read = {0};
    assert_int_equal(bough_store_load(store_directory, &read, &error), BOUGH_OK); /* reading is fine */
    assert_false(read.point[0].answer[0].complete);
    assert_int_equal(read.point[0].answer[0].outcome, BOUGH_RUN_PARTIAL);
    bough_study_fini(&read);
    bough_store_close(store);
    bough_study_fini(&study);
    store_run_and_compare(STUDY "trials: 3\n", 1);
}

/* Intervals of rows of their own, and a note where all is well. */
static void test_records_with_intervals(void **state) {
    (void)state;
    layout_book book = {0}, other = {0};
    bough_rows rows = {0}, plain = {0}, back = {0};
    bough_text bytes = {0}, text = {0};
    uint32_t number, of_plain;
    bool is_new;
    bough_rows_add_row(&rows, &(bough_row){BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX, 24.5, 0.25}, NULL);
    bough_rows_add(&rows, BOUGH_METRIC_LINK_HOT, 7, 0.5, NULL);
    bough_rows_add(&plain, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX, 24.5, NULL);
    bough_rows_add(&plain, BOUGH_METRIC_LINK_HOT, 7, 0.5, NULL);
    snprintf(rows.note, sizeof rows.note, "hottest: a -> b");
    assert_int_equal(layout_find(&book, &plain, &of_plain, &is_new, NULL), BOUGH_OK);
    assert_int_equal(layout_find(&book, &rows, &number, &is_new, NULL), BOUGH_OK);
    assert_int_not_equal(number, of_plain);
    layout_write(&book, number, &text);
    assert_string_equal(text.data, "latency+- link_hot[7]");
    assert_int_equal(layout_read(&other, number, text.data, NULL), BOUGH_OK);
    record_write(&bytes, number, &rows);
    record_write(&bytes, number, &rows);
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.length;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(record_read(&other, &at, end, &back, NULL), BOUGH_OK);
        assert_int_equal(back.outcome, BOUGH_RUN_OK);
        assert_string_equal(back.note, "hottest: a -> b");
        assert_true(back.row[0].value == 24.5 && back.row[0].ci95 == 0.25);
        assert_true(back.row[1].value == 0.5 && back.row[1].ci95 == 0);
    }
    assert_ptr_equal(at, end);
    at = (const unsigned char *)bytes.data;
    assert_int_equal(record_read(&other, &at, end - bytes.length / 2 - 1, &back, NULL), BOUGH_FAILED);
    assert_int_equal(layout_read(&other, number + 1, "+-", NULL), BOUGH_FAILED);
    bough_rows_fini(&rows);
    bough_rows_fini(&plain);
    bough_rows_fini(&back);
    bough_text_fini(&bytes);
    bough_text_fini(&text);
    layout_book_fini(&book);
    layout_book_fini(&other);
}

/* A reader that began before a trial with a new layout was written. */
static void test_reading_while_writing(void **state) {
    (void)state;
    bough_study study, read;
    bough_store *store;
    bough_rows rows = {0};
    store_study(&study, STUDY "trials: 3\n");
    assert_int_equal(bough_store_open(store_directory, &study, &store, NULL), BOUGH_OK);
    for (uint64_t trial = 0; trial < 3; trial++) {
        rows.count = 0;
        for (int64_t i = 0; i <= (int64_t)trial; i++)
            bough_rows_add(&rows, BOUGH_METRIC_DELIVERED_ROUND, i, 7, NULL);
        assert_int_equal(store_append(store, (answer_place){0, 0}, trial, &rows, NULL), BOUGH_OK);
        assert_int_equal(store_commit(store, NULL), BOUGH_OK);
        assert_int_equal(bough_store_load(store_directory, &read, NULL), BOUGH_OK);
        assert_int_equal(read.point[0].answer[0].trials, trial + 1);
        assert_int_equal(read.point[0].answer[0].cells, trial + 1);
        assert_int_equal(read.point[0].answer[0].cell[0].stats.count, trial + 1);
        assert_int_equal(read.point[0].answer[0].cell[trial].stats.count, 1);
        bough_study_fini(&read);
    }
    bough_rows_fini(&rows);
    bough_store_close(store);
    bough_study_fini(&study);
}

static void cannot_load(bough_status expected, const char *reason) {
    bough_study study;
    bough_error error = {0};
    bough_status status = bough_store_load(store_directory, &study, &error);
    if (status != expected) fail_msg("status %d: %s", status, error.reason);
    if (!strstr(error.reason, reason)) fail_msg("expected '%s' in '%s'", reason, error.reason);
}

static void test_no_store(void **state) {
    (void)state;
    bough_study study;
    assert_int_equal(bough_store_load("no/such/directory", &study, NULL), BOUGH_INVALID);
    cannot_load(BOUGH_INVALID, "contains no results.sqlite");
    FILE *f = fopen(store_file, "w");
    fputs("this is a letter to my aunt, and she is not a database at all; it is long enough", f);
    fclose(f);
    cannot_load(BOUGH_INVALID, "is not a result file of bough");
    bough_error error = {0};
    assert_int_equal(store_run(STUDY "trials: 3\n", 1, NULL, NULL, &error), BOUGH_INVALID);
    remove(store_file);
    store_sql("CREATE TABLE letter (text)");
    cannot_load(BOUGH_INVALID, "is not a result file of bough");
    assert_int_equal(store_run(STUDY "trials: 3\n", 1, NULL, NULL, &error),
                     BOUGH_INVALID); /* and it is left alone */
    store_sql("INSERT INTO letter VALUES ('dear aunt')");
    remove(store_file);
    fclose(fopen(store_file, "w")); /* what a run leaves that was killed while it made the store */
    cannot_load(BOUGH_INVALID, "no results yet");
    store_run_and_compare(STUDY "trials: 3\n", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),      cmocka_unit_test(test_records_with_intervals),
        WITH_DIRECTORY(test_going_on),       WITH_DIRECTORY(test_changed_study),
        WITH_DIRECTORY(test_second_process), WITH_DIRECTORY(test_reading_while_writing),
        WITH_DIRECTORY(test_no_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
