/* Workers take trials of a block in order and store the rows in the trial's slot. The worker that completes
 * the lowest outstanding trial hands it on, and the completed ones behind it. */
#include "study/run/trials.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN_MAX = 256 };
static const double CHEAP = 3e-6; /* seconds; cheaper trials cost less than folding them */
static const double WORTH = 2e-4; /* seconds of work that justify a thread */

typedef struct worker {
    trial_crew *crew;
    bough_run run; /* a copy of the request's, which reports the progress of this worker */
    void *workspace;
    double share; /* finished fraction of its trial */
} worker;

struct trial_crew {
    trial_request request;
    worker *worker;
    uint64_t first, count; /* the block */
    bough_rows *rows;      /* per trial of the block */
    bool *ready;           /* the same: its rows are complete */
    size_t slots;
    double trial;    /* seconds of a trial of the block before; 0: unknown */
    bough_lock lock; /* protects all that follows, and worker.share */
    uint64_t taken, folded;
    double busy;         /* seconds that workers spent in trials of this block */
    bough_status status; /* of the lowest trial that failed */
    uint64_t failed;
    bough_error error;
};

/* The lock is held. */
static void pulse(trial_crew *s) {
    double running = 0;
    for (unsigned i = 0; i < s->request.threads; i++) running += s->worker[i].share;
    s->request.pulse(s->request.context, running);
}

static void on_progress(void *context, double share) {
    worker *w = context;
    lock_take(&w->crew->lock);
    w->share = share < 1 ? share : 1;
    pulse(w->crew);
    lock_leave(&w->crew->lock);
}

static void note_failure(trial_crew *s, uint64_t trial, bough_status status, const bough_error *error) {
    if (s->status && trial >= s->failed) return;
    s->status = status;
    s->failed = trial;
    s->error = *error;
}

/* Hands on completed trials, in order. The lock is held. */
static void fold(trial_crew *s) {
    uint64_t before = s->folded;
    bough_error error = {0};
    while (s->folded < s->count && s->ready[s->folded] && !(s->status && s->failed <= s->folded)) {
        uint64_t trial = s->first + s->folded;
        bough_status status = s->request.take(s->request.context, trial, &s->rows[s->folded], &error);
        if (status) {
            note_failure(s, s->folded, status, &error);
            return;
        }
        s->folded++;
    }
    if (s->request.pulse && s->folded > before) pulse(s);
}

/* Takes up to `grain` trials for a worker; 0: none left, or the block is ending. The lock is held. */
static uint64_t take(trial_crew *s, uint64_t grain, uint64_t *first) {
    if (!s->status && bough_run_stopped(s->request.run)) {
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
    trial_crew *s = context;
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
            status = bough_run_trial(&w->run, bough_key_make(s->request.seed, s->first + i), &w->workspace,
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

/* Number of workers with enough work: waking a thread and waiting for its results has a cost. */
static unsigned workers_for(const trial_crew *s) {
    unsigned threads = s->request.threads;
    if (s->trial > 0) {
        double worth = s->trial < CHEAP ? 1 : s->trial * (double)s->count / WORTH;
        if (worth < threads) threads = worth > 1 ? (unsigned)worth : 1;
    }
    return s->count < threads ? (unsigned)s->count : threads;
}

bough_status trial_crew_create(const trial_request *request, trial_crew **out, bough_error *error) {
    trial_crew *s;
    *out = NULL;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    status = bough_alloc(&s->worker, request->threads, sizeof *s->worker, error);
    if (status) {
        free(s);
        return status;
    }
    s->request = *request;
    for (unsigned i = 0; i < request->threads; i++) {
        worker *w = &s->worker[i];
        w->crew = s;
        w->run = *request->run;
        w->run.threads = request->team;
        w->run.progress = request->pulse ? on_progress : NULL;
        w->run.progress_context = w;
    }
    lock_init(&s->lock);
    *out = s;
    return BOUGH_OK;
}

static void free_slots(trial_crew *s) {
    for (size_t i = 0; i < s->slots; i++) bough_rows_fini(&s->rows[i]);
    FREE_ALL(s->rows, s->ready);
    s->rows = NULL;
    s->ready = NULL;
    s->slots = 0;
}

static bough_status make_slots(trial_crew *s, uint64_t count, bough_error *error) {
    if (count <= s->slots) return BOUGH_OK;
    free_slots(s);
    bough_status status = bough_alloc(&s->rows, count, sizeof *s->rows, error);
    TRY(bough_alloc(&s->ready, count, sizeof *s->ready, error));
    if (!status) s->slots = count;
    return status;
}

bough_status trial_crew_run(trial_crew *s, uint64_t first, uint64_t count, bough_error *error) {
    bough_status status = make_slots(s, count, error);
    if (status || !count) return status;
    s->first = first;
    s->count = count;
    s->taken = s->folded = 0;
    s->busy = 0;
    s->status = BOUGH_OK;
    memset(s->ready, 0, count * sizeof *s->ready);
    parallel_run(workers_for(s), work, s);
    s->trial = s->busy / (double)count;
    if (s->status && error) *error = s->error;
    return s->status;
}

double trial_crew_seconds(const trial_crew *s) {
    return s->trial;
}

void trial_crew_destroy(trial_crew *s) {
    if (!s) return;
    for (unsigned i = 0; i < s->request.threads; i++)
        bough_run_free_workspace(&s->worker[i].run, s->worker[i].workspace);
    free_slots(s);
    lock_fini(&s->lock);
    FREE_ALL(s->worker, s);
}
