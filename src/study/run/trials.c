/* A segment is the sequence of trials up to the next checkpoint of the rule (or less, to bound memory).
 * Workers take trials from it in order and store the rows in the trial's slot. The worker that completes the
 * lowest outstanding trial folds it and the completed ones behind it. No trial beyond a checkpoint starts
 * before the rule was evaluated, so none is discarded. */
#include "study/run/trials.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 4096, GRAIN_MAX = 256, SMALL = 1 << 20 };
static const double CHEAP = 3e-6; /* seconds; cheaper trials cost less than folding them */
static const double WORTH = 2e-4; /* seconds of work that justify a thread */

typedef struct segment segment;

typedef struct worker {
    segment *segment;
    bough_run run; /* a copy of the request's, which reports the progress of this worker */
    void *workspace;
    double share; /* finished fraction of its trial */
} worker;

struct segment {
    const bough_run *run;
    const trial_request *request;
    uint64_t first, count;
    answer_stats *stats;
    worker *worker;
    unsigned workers;
    bough_rows *rows; /* per trial of the segment */
    bough_lock lock;  /* protects all that follows, and worker.share */
    uint64_t taken, folded;
    bool *ready;         /* per trial of the segment: its rows are complete */
    double busy;         /* seconds that workers spent in trials of this segment */
    bough_status status; /* of the lowest trial that failed */
    uint64_t failed;
    bough_error error;
};

/* The lock is held. */
static void pulse(segment *s) {
    double running = 0;
    for (unsigned i = 0; i < s->workers; i++) running += s->worker[i].share;
    s->request->pulse(s->request->context, s->stats, running);
}

static void on_progress(void *context, double share) {
    worker *w = context;
    lock_take(&w->segment->lock);
    w->share = share < 1 ? share : 1;
    pulse(w->segment);
    lock_leave(&w->segment->lock);
}

static void note_failure(segment *s, uint64_t trial, bough_status status, const bough_error *error) {
    if (s->status && trial >= s->failed) return;
    s->status = status;
    s->failed = trial;
    s->error = *error;
}

/* Folds completed trials, in order. The lock is held. */
static void fold(segment *s) {
    uint64_t before = s->folded;
    bough_error error = {0};
    while (s->folded < s->count && s->ready[s->folded] && !(s->status && s->failed <= s->folded)) {
        uint64_t trial = s->first + s->folded;
        bough_rows *rows = &s->rows[s->folded];
        bough_status status =
            s->request->take ? s->request->take(s->request->context, trial, rows, &error) : BOUGH_OK;
        TRY(answer_stats_add(s->stats, rows, &error));
        if (status) {
            note_failure(s, s->folded, status, &error);
            return;
        }
        s->folded++;
    }
    if (s->request->pulse && s->folded > before) pulse(s);
}

/* Takes up to `grain` trials for a worker; 0: none left, or the segment is ending. The lock is held. */
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

static void work(void *context, unsigned number) {
    segment *s = context;
    worker *w = &s->worker[number];
    uint64_t first = 0, grain = 1;
    lock_take(&s->lock);
    for (uint64_t count; (count = take(s, grain, &first)) > 0;) {
        lock_leave(&s->lock);
        bough_status status = BOUGH_OK;
        bough_error error = {0};
        uint64_t i = first;
        double start = clock_seconds();
        for (; i < first + count && !status; i++)
            status = bough_run_trial(&w->run, bough_key_make(s->request->seed, s->first + i), &w->workspace,
                                     &s->rows[i], &error);
        /* very short trials are taken in batches to reduce contention for the lock */
        double spent = clock_seconds() - start;
        if (spent < 5e-4 && grain < GRAIN_MAX) grain *= 2;
        lock_take(&s->lock);
        s->busy += spent;
        w->share = 0;
        if (status) note_failure(s, --i, status, &error);
        memset(s->ready + first, true, i - first);
        fold(s);
    }
    lock_leave(&s->lock);
}

static uint64_t segment_length(const answer_stats *t, uint64_t end, const bough_run *run) {
    uint64_t left = (t->next < end ? t->next : end) - t->trials, limit = SEGMENT;
    if (t->trials == 0 && run->bytes < SMALL) return 1; /* measures the cost of a trial cheaply */
    uint64_t memory = (UINT64_C(64) << 20) / ((t->cells + 1) * sizeof(bough_row)); /* rows of 64 MiB */
    if (memory < 64 || t->trials == 0) memory = 64; /* initially the number of rows is unknown */
    if (limit > memory) limit = memory;
    return left < limit ? left : limit;
}

/* Number of workers with enough work: waking a thread and waiting for its results has a cost. trial: seconds
 * of a trial; 0: unknown. */
static unsigned workers_for(uint64_t count, double trial, unsigned threads) {
    if (trial > 0) {
        double worth = trial < CHEAP ? 1 : trial * (double)count / WORTH;
        if (worth < threads) threads = worth > 1 ? (unsigned)worth : 1;
    }
    return count < threads ? (unsigned)count : threads;
}

static bough_status make_workers(segment *s, unsigned threads, bough_error *error) {
    bough_status status = bough_alloc(&s->worker, threads, sizeof *s->worker, error);
    if (status) return status;
    s->workers = threads;
    for (unsigned i = 0; i < threads; i++) {
        worker *w = &s->worker[i];
        w->segment = s;
        w->run = *s->run;
        w->run.threads = s->request->team;
        w->run.progress = s->request->pulse ? on_progress : NULL;
        w->run.progress_context = w;
    }
    return BOUGH_OK;
}

static void free_workers(segment *s) {
    for (unsigned i = 0; i < s->workers; i++)
        bough_run_free_workspace(&s->worker[i].run, s->worker[i].workspace);
    free(s->worker);
}

bough_status trials_run(const bough_run *run, const trial_request *request, answer_stats *t,
                        bough_error *error) {
    segment s = {.run = run, .request = request, .stats = t};
    unsigned threads = request->threads;
    uint64_t slots = t->effort.trials < SEGMENT ? t->effort.trials : SEGMENT;
    bough_status status = bough_alloc(&s.rows, slots, sizeof *s.rows, error);
    TRY(bough_alloc(&s.ready, slots, sizeof *s.ready, error));
    TRY(make_workers(&s, threads, error));
    double trial = 0;
    uint64_t end = request->until ? request->until : UINT64_MAX;
    lock_init(&s.lock);
    while (!status && !t->done && t->trials < end) {
        s.first = t->trials;
        s.count = segment_length(t, end, run);
        s.taken = s.folded = 0;
        s.busy = 0;
        for (uint64_t i = 0; i < s.count; i++) s.ready[i] = false;
        parallel_run(workers_for(s.count, trial, threads), work, &s);
        trial = s.busy / (double)s.count;
        status = s.status;
        if (status && error) *error = s.error;
    }
    lock_fini(&s.lock);
    free_workers(&s);
    if (s.rows)
        for (uint64_t i = 0; i < slots; i++) bough_rows_fini(&s.rows[i]);
    FREE_ALL(s.rows, s.ready);
    return status;
}
