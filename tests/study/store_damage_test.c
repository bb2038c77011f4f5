/* A store that is damaged: nothing of it goes into results. Reading it fails and says what is lost; running
 * the study again computes that, and nothing else, and ends with the same results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/stores.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define STUDY                                                                                                \
    "study: store\nnetwork: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [\"circuit:mode=rounds\", "      \
    "bins, collision]\n"                                                                                     \
    "grid:\n  - n: [16, 64]\ntrials: 30\n"

static void says(const char *reason, const char *text) {
    if (!reason || !strstr(reason, text)) fail_msg("expected '%s' in '%s'", text, reason ? reason : "");
}

static void cannot_read(bough_status expected, const char *reason) {
    bough_error error = {0};
    char *csv = NULL;
    bough_status status = store_read(&csv, &error);
    if (status != expected) fail_msg("status %d: %s", status, error.reason);
    says(error.reason, reason);
    assert_string_equal(error.place, store_file);
}

static void cannot_run(bough_status expected, const char *reason) {
    bough_error error = {0};
    bough_status status = store_run(STUDY, 1, NULL, NULL, &error);
    if (status != expected) fail_msg("status %d: %s", status, error.reason);
    says(error.reason, reason);
    assert_string_equal(error.place, store_file);
}

/* "first+count ..." of the chunks of an answer, in the order in which they were written. */
static void chunks_are(int point, int answer, const char *expected) {
    sqlite3 *db;
    sqlite3_stmt *row;
    char have[256] = "";
    assert_int_equal(sqlite3_open(store_file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT group_concat(first || '+' || (length(directory) / 8), ' ') "
                           "FROM (SELECT * FROM chunk WHERE point = ? AND answer = ? ORDER BY id)",
                           -1, &row, NULL),
        SQLITE_OK);
    sqlite3_bind_int(row, 1, point);
    sqlite3_bind_int(row, 2, answer);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
        snprintf(have, sizeof have, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(db);
    assert_string_equal(have, expected);
}

/* Changes one byte of a blob of the chunk of (point, answer). */
static void damage_blob(const char *column, int point, int answer, int offset) {
    sqlite3 *db;
    sqlite3_blob *blob;
    sqlite3_stmt *row;
    unsigned char byte;
    assert_int_equal(sqlite3_open(store_file, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT id FROM chunk WHERE point = ? AND answer = ?", -1, &row, NULL);
    sqlite3_bind_int(row, 1, point);
    sqlite3_bind_int(row, 2, answer);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    sqlite3_int64 id = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    assert_int_equal(sqlite3_blob_open(db, "main", "chunk", column, id, 1, &blob), SQLITE_OK);
    assert_int_equal(sqlite3_blob_read(blob, &byte, 1, offset), SQLITE_OK);
    byte ^= 16;
    assert_int_equal(sqlite3_blob_write(blob, &byte, 1, offset), SQLITE_OK);
    sqlite3_blob_close(blob);
    sqlite3_close(db);
}

/* Reading says `lost`; running says the same, and mends it. */
static void is_mended(const char *lost) {
    bough_error error = {0};
    char *damage = NULL, *csv = NULL, *fresh = store_fresh(STUDY);
    cannot_read(BOUGH_FAILED, lost);
    if (store_run(STUDY, 2, &csv, &damage, &error)) fail_msg("%s: %s", error.place, error.reason);
    says(damage, lost);
    assert_string_equal(csv, fresh);
    free(damage);
    free(csv);
    csv = NULL;
    assert_int_equal(store_run(STUDY, 1, &csv, &damage, &error), BOUGH_OK);
    assert_null(damage);
    assert_string_equal(csv, fresh);
    free(csv);
    csv = NULL;
    if (store_read(&csv, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(csv, fresh);
    free(csv);
    free(fresh);
}

enum { CIRCUIT_TRIAL = 8 + 4 * 8 }; /* four rows */

static void test_trials(void **state) {
    (void)state;
    store_run_and_compare(STUDY, 1);
    chunks_are(1, 0, "0+30");
    damage_blob("data", 1, 0, 5 * CIRCUIT_TRIAL + 20);
    is_mended("1 trial is lost (trial 5 of circuit:mode=rounds at n=64)");
    chunks_are(1, 0, "0+5 6+24 5+1"); /* that one was computed, the others were not */
    chunks_are(0, 0, "0+30");
    damage_blob("data", 0, 1, 0); /* the number of the layout */
    damage_blob("data", 1, 2, 8); /* of an exact answer */
    is_mended("2 trials are lost (trial 0 of bins:model=1 at n=16, trial 0 of collision at n=64)");
    chunks_are(0, 1, "1+29 0+1");
    chunks_are(1, 2, "0+1");
}

/* A stretch, and the last trials of an answer, behind which no other tells that there were more. */
static void test_stretches(void **state) {
    (void)state;
    store_run_and_compare(STUDY, 1);
    for (int i = 3; i < 7; i++) damage_blob("data", 0, 0, i * CIRCUIT_TRIAL + 9);
    damage_blob("data", 1, 0, 28 * CIRCUIT_TRIAL + 9);
    damage_blob("data", 1, 0, 29 * CIRCUIT_TRIAL + 9);
    is_mended("6 trials are lost (trials 3 to 6 of circuit:mode=rounds at n=16, trials 28 to 29 of "
              "circuit:mode=rounds at n=64)");
    chunks_are(0, 0, "0+3 7+23 3+4");
    chunks_are(1, 0, "0+28 28+2");
}

static void test_directory(void **state) {
    (void)state;
    store_run_and_compare(STUDY, 1);
    damage_blob("directory", 0, 0, 3 * 8 + 1);
    is_mended("30 trials are lost (trials 0 to 29 of circuit:mode=rounds at n=16)");
    chunks_are(1, 0, "0+30");
}

/* Rows that are somewhere else, there twice, gone, or of another kind. */
static void test_rows(void **state) {
    (void)state;
    static const struct {
        const char *sql, *lost;
    } cases[] = {
        {"UPDATE chunk SET first = 1 WHERE point = 1 AND answer = 0", "30 trials are lost"},
        {"UPDATE chunk SET point = 0 WHERE point = 1 AND answer = 0", "30 trials are lost"},
        {"UPDATE chunk SET point = -1 WHERE point = 1", "61 trials are lost"},
        {"UPDATE chunk SET answer = 7 WHERE point = 1 AND answer = 1", "30 trials are lost"},
        {"UPDATE chunk SET id = 100 WHERE id = 2", "30 trials are lost"},
        {"UPDATE chunk SET data = x'00' WHERE point = 1",
         "61 trials are lost (trials 0 to 29 of circuit:mode=rounds at n=64, trials 0 to 29 of bins:model=1 "
         "at n=64, trial 0 of collision at n=64)"},
        {"UPDATE chunk SET data = x'', directory = '' WHERE point = 1 AND answer = 0", "30 trials are lost"},
        {"UPDATE chunk SET sum = 'one' WHERE point = 1 AND answer = 0", "30 trials are lost (trials 0 to 29"},
        {"DELETE FROM chunk WHERE point = 1 OR answer = 1", "91 trials are lost"},
        {"DELETE FROM chunk", "122 trials are lost"},
        {"UPDATE layout SET rows = 'rounds[2' WHERE id = 1", "60 trials are lost (trials 0 to 29 of bins"},
        {"UPDATE layout SET rows = rows || ' ' WHERE id = 1", "60 trials are lost"},
        {"UPDATE layout SET rows = 'bins rounds' WHERE id = 1", "60 trials are lost"},
        {"UPDATE layout SET id = 1000000000000 WHERE id = 1", "60 trials are lost"},
        {"DELETE FROM layout", "122 trials are lost (trials 0 to 29 of circuit:mode=rounds at n=16, "
                               "trials 0 to 29 of bins:model=1 at n=16, trial 0 of collision at n=16, and "
                               "others)"},
        {"DELETE FROM meta WHERE key = 'seal'", "the number of its trials cannot be read"},
        {"UPDATE meta SET value = '1 1' WHERE key = 'seal'", "the number of its trials cannot be read"},
        {"DELETE FROM meta WHERE key = 'seal'; UPDATE chunk SET id = 1000000000000 WHERE id = 6",
         "the number of its trials cannot be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store_run_and_compare(STUDY, 1);
        store_sql(cases[i].sql);
        is_mended(cases[i].lost);
        remove(store_file);
    }
}

/* Without knowing what was asked, nothing can be told; how it is shown is written with every run. */
static void test_meta(void **state) {
    (void)state;
    store_run_and_compare(STUDY, 1);
    store_sql("PRAGMA user_version = 2");
    cannot_read(BOUGH_INVALID, "another version");
    cannot_run(BOUGH_INVALID, "another version");
    store_sql("PRAGMA user_version = 3; UPDATE meta SET value = replace(value, 'store', 'stare') "
              "WHERE key = 'view'");
    cannot_read(BOUGH_FAILED, "run the study again");
    store_run_and_compare(STUDY, 1);
    store_sql("UPDATE meta SET value = replace(value, '64', '65') WHERE key = 'question'");
    cannot_read(BOUGH_FAILED, "the study in it cannot be read; remove it and run the study again");
    cannot_run(BOUGH_FAILED, "the study in it cannot be read; remove it and run the study again");
    store_sql("DELETE FROM meta");
    cannot_read(BOUGH_FAILED, "the study in it cannot be read");
    store_sql("DROP TABLE meta");
    cannot_read(BOUGH_FAILED, "is damaged");
    cannot_run(BOUGH_FAILED, "is damaged");
}

/* Fewer trials than there are need nothing that is lost behind them; later ones find it. */
static void test_going_on(void **state) {
    (void)state;
    store_run_and_compare(STUDY, 1);
    damage_blob("data", 0, 0, 20 * CIRCUIT_TRIAL + 9);
    char *csv = NULL, *fresh = store_fresh(STUDY "precision: 20%\n");
    bough_error error = {0};
    if (store_run(STUDY "precision: 20%\n", 1, &csv, NULL, &error)) fail_msg("%s", error.reason);
    assert_string_equal(csv, fresh);
    cannot_read(BOUGH_FAILED, "1 trial is lost (trial 20 of circuit:mode=rounds at n=16)");
    store_run_and_compare(STUDY, 2);
    free(csv);
    free(fresh);
}

/* The new file takes the place of the old one in every respect. */
static void test_modes(void **state) {
    (void)state;
    struct stat info;
    char real[128];
    store_run_and_compare(STUDY, 1);
    snprintf(real, sizeof real, "%s/real", store_directory);
    assert_int_equal(rename(store_file, real), 0);
    assert_int_equal(symlink("real", store_file), 0);
    assert_int_equal(chmod(real, 0600), 0);
    damage_blob("directory", 0, 0, 1);
    is_mended("30 trials are lost");
    assert_int_equal(lstat(store_file, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(real, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* A text in meta with the sum that belongs to it: somebody made this store. */
static void put_meta(const char *key, const char *text) {
    char *command = sqlite3_mprintf("UPDATE meta SET value = %Q, sum = %u WHERE key = %Q", text,
                                    (unsigned)crc32(crc32(0, (const Bytef *)key, (uInt)strlen(key) + 1),
                                                    (const Bytef *)text, (uInt)strlen(text)),
                                    key);
    store_sql(command);
    sqlite3_free(command);
}

#define QUESTION(points)                                                                                     \
    "{\"seed\": 1, \"axes\": [], \"network_varies\": false, \"traffic_varies\": false, \"points\": [" points \
    "]}"
#define POINT(answers)                                                                                       \
    "{\"values\": [], \"network\": {\"spec\": \"fattree:n=4\"}, \"traffic\": {\"spec\": null}, "             \
    "\"routings\": [{\"spec\": null}], "                                                                     \
    "\"methods\": [{\"spec\": null}], \"endpoints\": 4, \"switches\": 3, \"links\": 12, \"answers\": "       \
    "[" answers "]}"
#define VIEW(trials, precision, pool)                                                                        \
    "{\"title\": \"\", \"trials\": " trials ", \"precision\": " precision                                    \
    ", \"watch\": \"\", \"compare\": false, "                                                                \
    "\"pool\": " pool ", \"x\": null, \"xscale\": null, \"series\": null, \"facet\": null, \"y\": []}"

static void test_made_up(void **state) {
    (void)state;
    static const struct {
        const char *key, *text, *reason;
    } cases[] = {
        {"question", QUESTION(""), "the study has no points"},
        {"question", QUESTION(POINT("")), "a point has no answers"},
        {"question", QUESTION("{}"), "damaged (spec)"},
        {"question", "{", "damaged ("},
        {"question", "[]", "damaged (seed)"},
        {"view", VIEW("0", "0", "null"), "trials or precision"},
        {"view", VIEW("1000000001", "0", "null"), "trials or precision"},
        {"view", VIEW("5", "1e300", "null"), "trials or precision"},
        {"view", VIEW("5", "-1", "null"), "trials or precision"},
        {"view", VIEW("5", "0", "\"m\""), "damaged (pool)"},
        {"view", "{}", "damaged (title)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store_run_and_compare(STUDY, 1);
        put_meta(cases[i].key, cases[i].text);
        cannot_read(BOUGH_FAILED, cases[i].reason);
        remove(store_file);
    }
}

/* The last axis, here the only one, may be merged. */
static void test_merged(void **state) {
    (void)state;
    bough_error error = {0};
    char *csv = NULL;
    store_run_and_compare(STUDY, 1);
    put_meta("view", VIEW("30", "0", "\"n\""));
    if (store_read(&csv, &error)) fail_msg("%s", error.reason);
    free(csv);
}

/* ---- any bit of the file ---- */

static unsigned char *read_file(size_t *size) {
    struct stat info;
    assert_int_equal(stat(store_file, &info), 0);
    *size = (size_t)info.st_size;
    unsigned char *bytes = malloc(*size);
    FILE *file = fopen(store_file, "rb");
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(store_file, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads or runs: the right results, or an error with a line. Whether they are the results. */
static bool is_right(bool run, const char *fresh, size_t bit) {
    bough_error error = {0};
    char *csv = NULL;
    bough_status status = run ? store_run(STUDY, 1, &csv, NULL, &error) : store_read(&csv, &error);
    if (!status && strcmp(csv, fresh) != 0) fail_msg("bit %zu: other results", bit);
    if (status && (!*error.reason || !strstr(error.place, store_directory)))
        fail_msg("bit %zu: '%s: %s'", bit, error.place, error.reason);
    free(csv);
    return !status;
}

static void test_bits(void **state) {
    (void)state;
    enum { SAMPLE = 300 };
    size_t size, mended = 0;
    char *fresh = store_fresh(STUDY);
    store_run_and_compare(STUDY, 1);
    unsigned char *bytes = read_file(&size);
    uint64_t draw = 1;
    for (int i = 0; i < SAMPLE; i++) {
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t bit = (size_t)(draw >> 20) % (8 * size);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        write_file(bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        is_right(false, fresh, bit);
        if (is_right(true, fresh, bit)) {
            mended++;
            assert_true(is_right(false, fresh, bit)); /* and the store is whole again */
        }
        remove(store_file);
    }
    assert_true(mended > SAMPLE / 2); /* most of the file is what a run can do again */
    free(bytes);
    free(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_DIRECTORY(test_trials), WITH_DIRECTORY(test_stretches), WITH_DIRECTORY(test_directory),
        WITH_DIRECTORY(test_rows),   WITH_DIRECTORY(test_meta),      WITH_DIRECTORY(test_going_on),
        WITH_DIRECTORY(test_modes),  WITH_DIRECTORY(test_made_up),   WITH_DIRECTORY(test_merged),
        WITH_DIRECTORY(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
