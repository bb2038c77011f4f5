/* A study on a team of ranks: its results are those of one process to the last bit, whatever happens. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/memory.h"
#include "report/report.h"
#include "study/ranks/rank_message.h"
#include "study/study_shards.h"
#include "support/rank_threads.h"
#include "support/stores.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Several points and methods, exact and random answers, rows by round, statistics, a stopping rule. */
#define STUDY                                                                                                \
    "study: ranks\nnetwork: fattree:n={n}\ntraffic: uniform:m={m}\n"                                         \
    "methods: [\"circuit:mode=rounds,history=1\", bins, bound, linkload]\n"                                  \
    "grid:\n  - n: [16, 64]\n  - m: [n/2, n]\nquantiles: \"rounds:50,90\"\nabove: \"rounds:bound\"\n"
static const char *const studies[] = {STUDY "trials: 40\n", STUDY "precision: 3%\ntrials: 300\n",
                                      STUDY "trials: 1\n"};
/* So long that every rank has a block before it ends, however slow the machine. */
#define LONG STUDY "trials: 400000\n"

/* ---- a run ---- */

typedef struct run {
    rank_threads team;
    const char *text[TEAM_MOST]; /* by rank */
    unsigned threads, local, shard, shards;
    unsigned last_local; /* of the last rank; 0: as of the others */
    double patience;
    const char *store; /* directory; NULL: none */
    int code[TEAM_MOST];
    bough_error error[TEAM_MOST];
    char *csv, *json;
} run;

static void begin(run *r, unsigned ranks, unsigned threads, const char *text) {
    memset(r, 0, sizeof *r);
    rank_threads_init(&r->team, ranks);
    for (unsigned i = 0; i < ranks; i++) r->text[i] = text;
    r->threads = threads;
    r->local = 1;
    r->patience = 60;
}

static void end(run *r) {
    rank_threads_fini(&r->team);
    free(r->csv);
    free(r->json);
}

static bough_status make_study(const char *text, bough_study *study, bough_error *error) {
    bough_study_text t = {"study.yaml", text, strlen(text), NULL, 0, 0};
    bough_status status = bough_study_parse(study, &t, error);
    return status ? status : bough_study_resolve(study, error);
}

static bough_status compute(run *r, rank_session *s, bough_study *study, bough_error *error) {
    bough_study_options o = {.threads = r->threads, .stop = s->team->rank ? NULL : &r->team.stop};
    bool keep = r->store && s->team->rank == 0;
    bough_status status = keep ? bough_store_open(r->store, study, &o.store, error) : BOUGH_OK;
    if (!status) status = ranks_study(s, study, &o, error);
    if (keep) bough_store_close(o.store);
    return status;
}

/* As the command does. */
static void run_rank(void *context, unsigned rank) {
    run *r = context;
    rank_team team = rank_threads_team(&r->team, rank);
    rank_session s = {.team = &team};
    bough_study study = {0};
    bough_error error = {0}, why = {0};
    rank_report mine = {0};
    team.local = rank + 1 == r->team.ranks && r->last_local ? r->last_local : r->local;
    team.patience = r->patience;
    bough_status status = make_study(r->text[rank], &study, &mine.error);
    if (!status && r->shards) status = study_take_shard(&study, r->shard, r->shards, &mine.error);
    if (!status) status = ranks_check_memory(&study, &team, &mine.error);
    if (!status) status = ranks_hash(&study, "1", &mine.hash, &mine.error);
    mine.code = status ? bough_status_exit(status) : 0;
    error = mine.error;
    int code = ranks_agree(&s, &mine, &why);
    if (why.status) error = why;
    if (!code && (status = compute(r, &s, &study, &error))) code = bough_status_exit(status);
    r->code[rank] = ranks_end(&s, code);
    r->error[rank] = error;
    if (rank == 0 && !code &&
        (bough_report_csv(&study, &r->csv, NULL) || bough_report_json(&study, false, &r->json, NULL)))
        r->code[rank] = 99;
    bough_study_fini(&study);
}

static void go(run *r) {
    free(r->csv);
    free(r->json);
    r->csv = r->json = NULL;
    rank_threads_run(r->team.ranks, run_rank, r);
    for (unsigned i = 1; i < r->team.ranks; i++)
        if (r->code[i] != r->code[0])
            fail_msg("rank %u ends with %d, rank 0 with %d", i, r->code[i], r->code[0]);
}

static void fails(run *r, int code, const char *reason) {
    go(r);
    assert_int_equal(r->code[0], code);
    if (!strstr(r->error[0].reason, reason)) fail_msg("expected '%s' in '%s'", reason, r->error[0].reason);
    end(r);
}

/* The results of one process without a team. */
static void run_alone(const char *text, char **csv, char **json) {
    bough_study study;
    bough_error error = {0};
    bough_study_options o = {.threads = 1};
    if (make_study(text, &study, &error) || bough_study_run(&study, &o, &error)) fail_msg("%s", error.reason);
    assert_int_equal(bough_report_csv(&study, csv, NULL), BOUGH_OK);
    assert_int_equal(bough_report_json(&study, false, json, NULL), BOUGH_OK);
    bough_study_fini(&study);
}

static void is_same(const run *r, const char *csv, const char *json) {
    if (r->code[0]) fail_msg("%s: %s", r->error[0].place, r->error[0].reason);
    assert_string_equal(r->csv, csv);
    assert_string_equal(r->json, json);
}

/* ---- what goes wrong ---- */

/* Results arrive as they were sent; those that are cut off are refused. */
static void test_records(void **state) {
    (void)state;
    bough_rows rows = {.outcome = BOUGH_RUN_SATURATED}, back = {0};
    result_writer w = {0};
    layout_book book = {0};
    block_result result = {.seconds = 2, .status = BOUGH_FAILED}, read;
    trial_records records;
    const double value[] = {1.0 / 3, -0.0, NAN, INFINITY, 5e-324};
    memset(rows.note, 'q', 700); /* its length takes two bytes */
    for (int i = 0; i < 5; i++)
        bough_rows_add_row(
            &rows, &(bough_row){BOUGH_METRIC_ROUNDS, i ? i : BOUGH_NO_ROW_INDEX, value[i], i / 7.0}, NULL);
    result_begin(&w, 3, 2, 70);
    for (int part = 0; part < 2; part++) { /* the layout is in the first part only */
        for (int i = 0; i < 2; i++) assert_int_equal(result_add(&w, &rows, NULL), BOUGH_OK);
        bough_text bytes = result_write(&w, &result);
        rank_message m = {1, (unsigned char *)bytes.data, bytes.length};
        for (m.size = 1; m.size < bytes.length; m.size++) {
            layout_book other = {0};
            if (result_read(&m, part ? &book : &other, &read, &records)) {
                chunk_reader r = {.chunk = &records.chunk, .book = records.book};
                bool whole = true;
                while (chunk_next(&r)) whole = whole && r.whole;
                assert_false(whole);
            }
            layout_book_fini(&other);
        }
        assert_true(result_read(&m, &book, &read, &records));
        assert_int_equal(read.block.point, 3);
        assert_int_equal(read.block.answer, 2);
        assert_int_equal(read.block.first, 70 + 2 * part);
        assert_int_equal(read.block.count, 2);
        assert_int_equal(read.status, BOUGH_FAILED);
        chunk_reader r = {.chunk = &records.chunk, .book = records.book};
        for (int i = 0; i < 2; i++) {
            assert_true(chunk_next(&r) && r.whole);
            const unsigned char *at = r.bytes;
            assert_int_equal(record_read(&book, &at, r.bytes + r.length, &back, NULL), BOUGH_OK);
            assert_int_equal(back.count, 5);
            assert_int_equal(back.outcome, rows.outcome);
            assert_string_equal(back.note, rows.note);
            assert_memory_equal(&back.row[3].value, &rows.row[3].value, sizeof(double));
            assert_memory_equal(&back.row[3].ci95, &rows.row[3].ci95, sizeof(double));
        }
        bough_text_fini(&bytes);
    }
    result_writer_fini(&w);
    layout_book_fini(&book);
    bough_rows_fini(&rows);
    bough_rows_fini(&back);
}

static void test_refused(void **state) {
    (void)state;
    run r;
    begin(&r, 3, 1, studies[0]);
    r.text[2] = STUDY "trials: 41\n"; /* a file that differs on a node */
    fails(&r, 2, "rank 2 has another study");
    begin(&r, 3, 1, studies[0]);
    r.text[1] = "network: fattree:n=7\nmethods: [bins]\ntrials: 1\n";
    fails(&r, 2, "rank 1: ");
    begin(&r, 3, 1,
          "network: fattree:n=7\nmethods: [bins]\ntrials: 1\n"); /* everywhere: the error of rank 0 */
    fails(&r, 2, "n=7");
    begin(&r, 2, 1, studies[0]);
    r.local = 1000000000;
    fails(&r, 2, "start fewer ranks per machine");
}

static void test_damaged_message(void **state) {
    (void)state;
    run r;
    begin(&r, 2, 1, LONG);
    r.team.damage_after = 0;
    fails(&r, 1, "a message of rank 1 is damaged");
}

/* A rank that is silent is lost; what it says later is not waited for. */
static void test_lost(void **state) {
    (void)state;
    run r;
    begin(&r, 2, 1, LONG);
    r.team.mute = 1;
    r.team.mute_after = 3;
    r.patience = 0.5;
    fails(&r, 1, "rank 1 has not answered");
}

/* ---- results ---- */

static void test_same(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        char *csv, *json;
        run_alone(studies[i], &csv, &json);
        for (unsigned ranks = 1; ranks <= 4; ranks++)
            for (unsigned threads = 1; threads <= 3; threads++) {
                run r;
                begin(&r, ranks, threads, studies[i]);
                go(&r);
                is_same(&r, csv, json);
                end(&r);
            }
        free(csv);
        free(json);
    }
}

/* Interrupted after a number of messages, and continued with other numbers of ranks and threads. */
static void test_resume(void **state) {
    (void)state;
    char *csv, *json, store[96];
    unsigned stops = 0;
    run_alone(studies[1], &csv, &json);
    for (uint64_t after = 2; after < 40; after += 3) {
        run r;
        snprintf(store, sizeof store, "%s/%" PRIu64, store_directory, after);
        for (unsigned k = 0; k < 3; k++) {
            begin(&r, 2 + (unsigned)(after + k) % 3, 1 + k % 2, studies[1]);
            r.store = store;
            r.team.stop_after = k < 2 ? after : UINT64_MAX;
            go(&r);
            if (k < 2 && r.code[0] == 130) stops++;
            if (k == 2 || r.code[0] != 130) is_same(&r, csv, json);
            end(&r);
        }
    }
    assert_true(stops > 2);
    free(csv);
    free(json);
}

/* The number of trials in the file, of which some could be there twice. */
static int stored_trials(int answer) {
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(store_file, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT sum(length(directory) / 8) FROM chunk WHERE answer = ?", -1, &row, NULL);
    sqlite3_bind_int(row, 1, answer);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int trials = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return trials;
}

/* Trials that a damaged store has lost are computed again, and joined with those behind them. */
static void test_lost_trials(void **state) {
    (void)state;
    char *csv, *json;
    bough_error error = {0};
    run_alone(studies[0], &csv, &json);
    assert_int_equal(store_run(STUDY "trials: 20\n", 1, NULL, NULL, &error), BOUGH_OK);
    assert_int_equal(store_run(studies[0], 1, NULL, NULL, &error), BOUGH_OK);
    store_sql("DELETE FROM chunk WHERE answer = 0 AND first = 0");
    run r;
    begin(&r, 3, 2, studies[0]);
    r.store = store_directory;
    go(&r);
    is_same(&r, csv, json);
    end(&r);
    char *stored = NULL;
    if (store_read(&stored, &error)) fail_msg("%s", error.reason);
    assert_string_equal(stored, csv);
    assert_int_equal(stored_trials(0), 4 * 40);
    free(stored);
    free(csv);
    free(json);
}

/* Rank 0 does not begin: the others do not wait for it. */
static void test_store_in_use(void **state) {
    (void)state;
    bough_study study;
    bough_store *store;
    bough_error error = {0};
    run r;
    store_study(&study, studies[0]);
    assert_int_equal(bough_store_open(store_directory, &study, &store, &error), BOUGH_OK);
    begin(&r, 8, 1, studies[0]);
    r.store = store_directory;
    fails(&r, 2, "another process is writing");
    bough_store_close(store);
    bough_study_fini(&study);
}

/* A shard on ranks computes its points only. */
static void test_shard(void **state) {
    (void)state;
    run r;
    size_t rows = 0;
    for (unsigned shard = 1; shard <= 3; shard++) {
        begin(&r, 2, 2, studies[0]);
        r.shard = shard;
        r.shards = 3;
        go(&r);
        assert_int_equal(r.code[0], 0);
        for (const char *c = strchr(r.csv, '\n') + 1; *c; c++) rows += *c == '\n';
        end(&r);
    }
    char *csv, *json;
    run_alone(studies[0], &csv, &json);
    for (const char *c = strchr(csv, '\n') + 1; *c; c++) rows -= *c == '\n';
    assert_int_equal(rows, 0);
    free(csv);
    free(json);
}

/* Points by descending work to the lightest shard: the loads differ by no more than one point. */
static void test_split(void **state) {
    (void)state;
    bough_study study;
    bough_error error = {0};
    assert_int_equal(make_study("network: fattree:n={n}\ntraffic: uniform:m={n}\nmethods: [bins]\ntrials: 5\n"
                                "grid:\n  - n: 2^3..2^10 times 2\n",
                                &study, &error),
                     BOUGH_OK);
    for (unsigned shards = 1; shards <= 10; shards++) {
        double load[10] = {0}, most = 0, least = INFINITY, heaviest = 0;
        assert_int_equal(study_take_shard(&study, 1, shards, &error), BOUGH_OK);
        for (size_t i = 0; i < study.points; i++) {
            double weight = (double)study.point[i].answer[0].bytes + 4096;
            assert_in_range(study.point[i].shard, 1, shards);
            load[study.point[i].shard - 1] += weight;
            heaviest = fmax(heaviest, weight);
        }
        for (unsigned s = 0; s < shards; s++) most = fmax(most, load[s]), least = fmin(least, load[s]);
        assert_true(most - least <= heaviest);
    }
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged_message),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_same),
        WITH_DIRECTORY(test_resume),
        WITH_DIRECTORY(test_lost_trials),
        WITH_DIRECTORY(test_store_in_use),
        cmocka_unit_test(test_shard),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
