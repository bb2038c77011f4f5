/* Trials over threads: the result is that of one thread to the last bit, whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/run/answer_stats.h"
#include "study/run/trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A method whose numbers are not exact in binary, with a varying number of rows and varying time. */
typedef struct fake {
    uint64_t fails[2]; /* trials that fail; UINT64_MAX: none */
    uint64_t stops;    /* the trial that sets the stop flag */
    atomic_bool *stop;
    uint64_t seed;
    atomic_uint workspaces;
    unsigned team; /* threads that each trial must be given */
} fake;

static uint64_t number_of(const fake *f, bough_key key) {
    for (uint64_t t = 0; t < 5000; t++) {
        bough_key k = bough_key_make(f->seed, t);
        if (memcmp(&k, &key, sizeof k) == 0) return t;
    }
    return UINT64_MAX;
}

static bough_status fake_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                               bough_error *error) {
    fake *f = run->data;
    assert_int_equal(run->threads, f->team);
    if (!*workspace) {
        *workspace = malloc(1);
        atomic_fetch_add(&f->workspaces, 1);
    }
    if (f->fails[0] != UINT64_MAX || f->stops != UINT64_MAX) {
        uint64_t trial = number_of(f, key);
        if (trial == f->fails[0] || trial == f->fails[1])
            return bough_fail(error, BOUGH_FAILED, NULL, "trial %d fails", (int)trial);
        if (trial == f->stops) atomic_store(f->stop, true);
    }
    uint64_t word = bough_word(key, BOUGH_DRAW_TEST, 0, 0);
    volatile double sum = 0;
    for (uint64_t i = 0; i < word % 3000; i++)
        sum = sum + 1.0 / (double)(i + 1); /* trials end out of order */
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_ROUNDS, BOUGH_NO_ROW_INDEX, bough_unit(word) / 3, error);
    for (int64_t i = 0; i < (int64_t)(word % 5) && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_DELIVERED_ROUND, i + 1,
                                bough_unit(word * (uint64_t)(i + 3)) / 7, error);
    return status;
}

static void fake_free(void *workspace) {
    free(workspace);
}

static const bough_method fake_method = {
    .name = "fake", .headline = BOUGH_METRIC_ROUNDS, .trial = fake_trial, .free_workspace = fake_free};
static const bough_answer fake_answer = {.headline = BOUGH_METRIC_ROUNDS};

/* What receives the trials of an answer. */
typedef struct sink {
    answer_stats *t;
    uint64_t seen, refused; /* trials that it has; the one that it does not take */
} sink;

/* The sink has to see trials one at a time, in order. */
static bough_status take(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    sink *k = context;
    assert_true(rows->count > 0);
    if (trial == k->refused) return bough_fail(error, BOUGH_IO, NULL, "the disk is full");
    if (trial != k->seen)
        return bough_fail(error, BOUGH_FAILED, NULL, "trial %d came out of order", (int)trial);
    k->seen++;
    return answer_stats_add(k->t, rows, error);
}

/* Blocks of at most `most` trials, up to the checkpoints of the rule. */
static bough_status run_blocks(const trial_request *request, answer_stats *t, uint64_t most,
                               bough_error *error) {
    trial_crew *crew;
    assert_int_equal(trial_crew_create(request, &crew, error), BOUGH_OK);
    bough_status status = BOUGH_OK;
    while (!status && !t->done) {
        uint64_t count = t->next - t->trials;
        status = trial_crew_run(crew, t->trials, count < most ? count : most, error);
    }
    trial_crew_destroy(crew);
    return status;
}

static bough_status run_fake(fake *f, unsigned threads, answer_stats *t, uint64_t *seen, bough_error *error) {
    bough_run run = {.method = &fake_method, .data = f, .stop = f->stop};
    sink k = {t, *seen, UINT64_MAX};
    trial_request request = {&run, f->seed, threads, f->team, &k, take, NULL};
    bough_status status = run_blocks(&request, t, 4096, error);
    *seen = k.seen;
    return status;
}

static void same(const answer_stats *a, const answer_stats *b) {
    assert_int_equal(a->trials, b->trials);
    assert_int_equal(a->cells, b->cells);
    for (size_t i = 0; i < a->cells; i++) {
        const bough_cell *x = &a->cell[i].base, *y = &b->cell[i].base;
        assert_int_equal(x->metric, y->metric);
        assert_true(x->index == y->index);
        assert_int_equal(x->stats.count, y->stats.count);
        assert_memory_equal(&x->stats.mean, &y->stats.mean, sizeof x->stats.mean); /* to the last bit */
        assert_memory_equal(&x->stats.m2, &y->stats.m2, sizeof x->stats.m2);
    }
}

/* One at a time, each with its team. */
static void trials_have_teams(void **state) {
    (void)state;
    const bough_effort effort = {.trials = 20};
    for (unsigned team = 0; team < 4; team++) {
        answer_stats t;
        uint64_t seen = 0;
        fake f = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, NULL, 9, 0, team};
        answer_stats_init(&t, &fake_answer, &effort, true);
        assert_int_equal(run_fake(&f, 1, &t, &seen, NULL), BOUGH_OK);
        assert_int_equal(seen, 20);
        answer_stats_fini(&t);
    }
}

static void compare_threads(bough_effort effort) {
    answer_stats one, many;
    uint64_t seen = 0;
    fake f = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, NULL, 9, 0};
    answer_stats_init(&one, &fake_answer, &effort, true);
    assert_int_equal(run_fake(&f, 1, &one, &seen, NULL), BOUGH_OK);
    assert_int_equal(seen, one.trials);
    assert_int_equal(f.workspaces, 1);
    for (unsigned threads = 2; threads <= 8; threads++) {
        seen = 0;
        answer_stats_init(&many, &fake_answer, &effort, true);
        assert_int_equal(run_fake(&f, threads, &many, &seen, NULL), BOUGH_OK);
        assert_int_equal(seen, many.trials);
        same(&one, &many);
        answer_stats_fini(&many);
    }
    answer_stats_fini(&one);
}

static void test_threads(void **state) {
    (void)state;
    compare_threads((bough_effort){1, 0, BOUGH_METRIC_COUNT});
    compare_threads((bough_effort){5, 0, BOUGH_METRIC_COUNT});
    compare_threads((bough_effort){9000, 0, BOUGH_METRIC_COUNT}); /* several segments */
    compare_threads((bough_effort){0, 0.04, BOUGH_METRIC_COUNT});
    compare_threads((bough_effort){3000, 0.001, BOUGH_METRIC_COUNT});
}

/* The lowest trial that fails is reported; all before it are kept, and nothing after. */
static void test_failure(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        fake f = {{40, 37}, UINT64_MAX, NULL, 9, 0};
        answer_stats t;
        uint64_t seen = 0;
        bough_error error = {0};
        answer_stats_init(&t, &fake_answer, &(bough_effort){.trials = 1000}, false);
        assert_int_equal(run_fake(&f, threads, &t, &seen, &error), BOUGH_FAILED);
        assert_string_equal(error.reason, "trial 37 fails");
        assert_int_equal(t.trials, 37);
        assert_int_equal(seen, 37);
        answer_stats_fini(&t);
    }
}

static void test_stop_and_go_on(void **state) {
    (void)state;
    bough_effort effort = {1500, 0.001, BOUGH_METRIC_COUNT};
    fake whole = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, NULL, 9, 0};
    answer_stats expected;
    uint64_t seen = 0;
    answer_stats_init(&expected, &fake_answer, &effort, false);
    assert_int_equal(run_fake(&whole, 2, &expected, &seen, NULL), BOUGH_OK);
    for (unsigned threads = 1; threads <= 3; threads++) {
        atomic_bool stop = false;
        fake f = {{UINT64_MAX, UINT64_MAX}, 333, &stop, 9, 0};
        answer_stats t;
        bough_error error = {0};
        seen = 0;
        answer_stats_init(&t, &fake_answer, &effort, false);
        assert_int_equal(run_fake(&f, threads, &t, &seen, &error), BOUGH_INTERRUPTED);
        assert_true(t.trials > 0 && t.trials < 1500);
        assert_int_equal(seen, t.trials);
        assert_int_equal(run_fake(&f, threads, &t, &seen, &error),
                         BOUGH_INTERRUPTED); /* still set: nothing runs */
        f.stops = UINT64_MAX;
        stop = false;
        assert_int_equal(run_fake(&f, 4 - threads, &t, &seen, &error), BOUGH_OK);
        same(&expected, &t);
        answer_stats_fini(&t);
    }
    answer_stats_fini(&expected);
}

/* What the sink does not take is not counted either. */
static void test_sink_fails(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        fake f = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, NULL, 9, 0};
        answer_stats t;
        bough_error error = {0};
        bough_run run = {.method = &fake_method, .data = &f};
        sink k = {&t, 0, 20};
        trial_request request = {&run, 9, threads, 0, &k, take, NULL};
        answer_stats_init(&t, &fake_answer, &(bough_effort){.trials = 1000}, false);
        assert_int_equal(run_blocks(&request, &t, 4096, &error), BOUGH_IO);
        assert_string_equal(error.reason, "the disk is full");
        assert_int_equal(t.trials, 20);
        answer_stats_fini(&t);
    }
}

/* Blocks of any size and of varying size, after one that failed too, give the same. */
static void test_blocks(void **state) {
    (void)state;
    answer_stats one, many;
    uint64_t seen = 0;
    const bough_effort effort = {.trials = 200, .precision = 0.001};
    fake f = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, NULL, 9, 0};
    answer_stats_init(&one, &fake_answer, &effort, true);
    assert_int_equal(run_fake(&f, 1, &one, &seen, NULL), BOUGH_OK);
    for (uint64_t most = 1; most < 40; most += 6) {
        fake g = {{30, UINT64_MAX}, UINT64_MAX, NULL, 9, 0};
        bough_run run = {.method = &fake_method, .data = &g};
        sink k = {&many, 0, UINT64_MAX};
        trial_request request = {&run, 9, 3, 0, &k, take, NULL};
        answer_stats_init(&many, &fake_answer, &effort, true);
        assert_int_equal(run_blocks(&request, &many, most, NULL), BOUGH_FAILED);
        assert_int_equal(many.trials, 30);
        g.fails[0] = UINT64_MAX;
        assert_int_equal(run_blocks(&request, &many, most, NULL), BOUGH_OK);
        assert_int_equal(k.seen, 200);
        same(&one, &many);
        answer_stats_fini(&many);
    }
    answer_stats_fini(&one);
}

/* Two trials report halves while they run; the sum of what runs never exceeds the number of workers. */
typedef struct heard {
    unsigned times;
    uint64_t trials;
    double most;
} heard;

static bough_status count(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    heard *h = context;
    (void)rows;
    (void)error;
    assert_int_equal(trial, h->trials);
    h->trials++;
    return BOUGH_OK;
}

static void hear(void *context, double running) {
    heard *h = context;
    h->times++;
    if (running > h->most) h->most = running;
}

static bough_status halves_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    (void)key;
    (void)workspace;
    run->progress(run->progress_context, 0.5);
    return bough_rows_add(rows, BOUGH_METRIC_ROUNDS, BOUGH_NO_ROW_INDEX, 1, error);
}

static void running_trials_report(void **state) {
    (void)state;
    static const bough_method method = {
        .name = "halves", .headline = BOUGH_METRIC_ROUNDS, .trial = halves_trial};
    bough_run run = {.method = &method};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        heard h = {0};
        trial_crew *crew;
        trial_request request = {&run, 1, threads, 0, &h, count, hear};
        assert_int_equal(trial_crew_create(&request, &crew, NULL), BOUGH_OK);
        assert_int_equal(trial_crew_run(crew, 0, 7, NULL), BOUGH_OK);
        assert_true(trial_crew_seconds(crew) >= 0);
        assert_int_equal(h.trials, 7);
        assert_true(h.times >= 7 + 1); /* each trial, and the folded ones */
        assert_true(h.most >= 0.5 && h.most <= 0.5 * threads);
        trial_crew_destroy(crew);
    }
    assert_null(run.progress); /* only copies of the run report */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_have_teams),   cmocka_unit_test(running_trials_report),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_stop_and_go_on), cmocka_unit_test(test_sink_fails),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
