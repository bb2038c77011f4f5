/* A segment is a stretch of trials up to the next checkpoint of the rule (or shorter, to bound memory).
 * Workers take trials from it in order and put the rows into the trial's slot; whoever completes the lowest
 * outstanding trial folds it and those behind it that are there. No trial beyond a checkpoint is started
 * before the rule was asked, so none is ever thrown away. */
#include "study/trials.h"

#include "base/memory.h"
#include "study/parallel.h"

#include <stdlib.h>
#include <time.h>

enum { SEGMENT = 4096, GRAIN_MAX = 256 };
static const double CHEAP =
    3e-6; /* seconds of a trial; below, threads would only wait for each other's folding */

typedef struct segment {
    const bough_run *run;
    uint64_t seed, first, count;
    tally *tally;
    const trial_sink *sink;
    void **workspace; /* of each worker */
    bough_rows *rows; /* of each trial of the segment */
    bool *ready;
    bough_lock lock; /* of all that follows */
    uint64_t taken, folded;
    double busy;         /* seconds that workers spent in trials of this segment */
    bough_status status; /* of the lowest trial that failed */
    uint64_t failed;
    bough_error error;
} segment;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note_failure(segment *s, uint64_t trial, bough_status status, const bough_error *error) {
    if (s->status && trial >= s->failed) return;
    s->status = status;
    s->failed = trial;
    s->error = *error;
}

/* Folds what is ready, in order. The lock is held. */
static void fold(segment *s) {
    uint64_t before = s->folded;
    bough_error error = {0};
    while (s->folded < s->count && s->ready[s->folded] && !(s->status && s->failed <= s->folded)) {
        uint64_t trial = s->first + s->folded;
        bough_rows *rows = &s->rows[s->folded];
        bough_status status = s->sink->take ? s->sink->take(s->sink->context, trial, rows, &error) : BOUGH_OK;
        if (!status) status = tally_add(s->tally, rows, &error);
        if (status) {
            note_failure(s, s->folded, status, &error);
            return;
        }
        s->folded++;
    }
    if (s->sink->pulse && s->folded > before) s->sink->pulse(s->sink->context, s->tally);
}

/* Up to `grain` trials for a worker; 0: none left, or the segment is ending. The lock is held. */
static uint64_t take(segment *s, uint64_t grain, uint64_t *first) {
    if (!s->status && bough_run_stopped(s->run)) {
        bough_error error;
        bough_fail(&error, BOUGH_INTERRUPTED, NULL, "interrupted");
        note_failure(s, s->taken, BOUGH_INTERRUPTED, &error);
    }
    if (s->status) return 0;
    *first = s->taken;
    if (grain > s->count - s->taken) grain = s->count - s->taken;
    s->taken += grain;
    return grain;
}

static void work(void *context, unsigned worker) {
    segment *s = context;
    uint64_t first = 0, grain = 1;
    lock_take(&s->lock);
    for (uint64_t count; (count = take(s, grain, &first)) > 0;) {
        lock_leave(&s->lock);
        bough_status status = BOUGH_OK;
        bough_error error = {0};
        uint64_t i = first;
        double start = seconds();
        for (; i < first + count && !status; i++) {
            status =
                bough_run_trial(s->run, s->seed, s->first + i, &s->workspace[worker], &s->rows[i], &error);
            if (!status) s->ready[i] = true;
        }
        /* trials of microseconds are taken many at once, or the lock would be what they wait for */
        double spent = seconds() - start;
        if (spent < 5e-4 && grain < GRAIN_MAX) grain *= 2;
        lock_take(&s->lock);
        s->busy += spent;
        if (status) note_failure(s, i - 1, status, &error);
        fold(s);
    }
    lock_leave(&s->lock);
}

static uint64_t segment_length(const tally *t, size_t rows) {
    uint64_t left = t->next - t->trials, limit = SEGMENT;
    uint64_t memory =
        (UINT64_C(64) << 20) / ((rows + 1) * sizeof(bough_row)); /* trials whose rows take 64 MiB */
    if (memory < 64 || t->trials == 0) memory = 64; /* at first the number of rows is not known */
    if (limit > memory) limit = memory;
    return left < limit ? left : limit;
}

bough_status trials_run(const bough_run *run, uint64_t seed, unsigned threads, tally *t,
                        const trial_sink *sink, bough_error *error) {
    segment s = {.run = run, .seed = seed, .tally = t, .sink = sink};
    bough_status status = bough_alloc(&s.rows, SEGMENT, sizeof *s.rows, error);
    if (!status) status = bough_alloc(&s.ready, SEGMENT, sizeof *s.ready, error);
    if (!status) status = bough_alloc(&s.workspace, threads, sizeof *s.workspace, error);
    bool cheap = false;
    lock_init(&s.lock);
    while (!status && !t->done) {
        s.first = t->trials;
        s.count = segment_length(t, t->cells);
        s.taken = s.folded = 0;
        s.busy = 0;
        for (uint64_t i = 0; i < s.count; i++) s.ready[i] = false;
        unsigned workers = cheap ? 1 : threads;
        parallel_run(s.count < workers ? (unsigned)s.count : workers, work, &s);
        cheap = s.busy < CHEAP * (double)s.count;
        status = s.status;
        if (status && error) *error = s.error;
    }
    lock_fini(&s.lock);
    if (s.workspace)
        for (unsigned i = 0; i < threads; i++) bough_run_free_workspace(run, s.workspace[i]);
    if (s.rows)
        for (size_t i = 0; i < SEGMENT; i++) bough_rows_fini(&s.rows[i]);
    free(s.workspace);
    free(s.rows);
    free(s.ready);
    return status;
}
