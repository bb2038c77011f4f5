/* Estimates the duration of a study. For each method, trials of the points with the least memory are timed,
 * in ascending size while the time budget lasts. The time of a trial and the number of trials at other points
 * are extrapolated as powers of the memory, with exponents from the smallest and the largest timed point.
 * Times are CPU times, so that other programs on the machine do not count. */
#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/answer_stats.h"
#include "study/run/point_binding.h"

#include "study/run/stopping_rule.h"

#include <math.h>
#include <stdlib.h>

static const double SECONDS_IN_ALL = 3;

typedef struct job {
    size_t point, answer, method;
    double size, seconds, trials; /* size: bytes, plus the constant cost of a trial */
} job;

static int by_method_and_size(const void *a, const void *b) {
    const job *p = a, *q = b;
    if (p->method != q->method) return p->method < q->method ? -1 : 1;
    if (p->size != q->size) return p->size < q->size ? -1 : 1;
    if (p->point != q->point) return p->point < q->point ? -1 : 1;
    return (p->answer > q->answer) - (p->answer < q->answer);
}

typedef struct rehearsal {
    bough_study *study;
    atomic_bool *stop;
    double budget; /* seconds for each method */
} rehearsal;

/* The rule is evaluated at checkpoints only. */
static double round_up(const answer_stats *t) {
    uint64_t expected = answer_stats_expected(t), checkpoint = t->next;
    if (t->done || !(t->effort.precision > 0)) return (double)expected;
    while (checkpoint < expected) checkpoint = stopping_rule_next(&t->effort, checkpoint);
    return (double)checkpoint;
}

/* Times trials of one answer, up to the first checkpoint, for about `limit` seconds. */
static bough_status time_job(const rehearsal *h, job *j, double limit, bough_error *error) {
    bough_study *study = h->study;
    bough_status status = bind_point(study, j->point, error);
    if (status) return status;
    bough_run *run = study->binding->run[j->answer];
    run->stop = h->stop;
    run->rehearsal = true;
    bough_rows rows = {0};
    void *workspace = NULL;
    answer_stats t;
    answer_stats_init(&t, &study->point[j->point].answer[j->answer], &study->effort, false);
    double start = clock_thread_seconds(), spent = 0, first = 0;
    while (!status && !t.done && t.trials < BOUGH_FIRST_CHECKPOINT && (t.trials == 0 || spent < limit)) {
        status = bough_run_trial(run, bough_key_make(study->seed, t.trials), &workspace, &rows, error);
        TRY(answer_stats_add(&t, &rows, error));
        spent = clock_thread_seconds() - start;
        if (t.trials == 1) first = spent; /* includes making the workspace, once per thread */
    }
    if (!status) {
        j->seconds = t.trials > 1 ? (spent - first) / (double)(t.trials - 1) : first;
        j->trials = round_up(&t);
    }
    run->rehearsal = false; /* the binding may be reused */
    answer_stats_fini(&t);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    return status;
}

/* The exponent of the power law through two points, between `low` and `high`; usual where they do not tell.
 */
typedef struct exponent {
    double usual, low, high;
} exponent;

static double power_between(const job *a, const job *b, double from, double to, exponent e) {
    if (b->size < 2 * a->size || !(from > 0) || !(to > 0)) return e.usual;
    return fmin(e.high, fmax(e.low, log(to / from) / log(b->size / a->size)));
}

/* first, last: timed jobs of the method. More memory rarely takes less time, and rarely more than its square;
 * larger networks average over more messages, and need fewer trials. */
static void extrapolate(const job *first, const job *last, job *j) {
    static const exponent time = {1, 0.7, 1.4}, trials = {0, -1, 0};
    double ratio = j->size / last->size;
    j->seconds = last->seconds * pow(ratio, power_between(first, last, first->seconds, last->seconds, time));
    j->trials =
        fmax(1, last->trials * pow(ratio, power_between(first, last, first->trials, last->trials, trials)));
}

/* The jobs of one method, in ascending size. */
static bough_status time_method(const rehearsal *h, job *jobs, size_t count, bough_error *error) {
    double start = clock_thread_seconds();
    const job *first = NULL, *last = NULL;
    for (size_t i = 0; i < count; i++) {
        double left = h->budget - (clock_thread_seconds() - start);
        if (last) extrapolate(first, last, &jobs[i]);
        if (last && jobs[i].seconds > left) continue;
        bough_status status = time_job(h, &jobs[i], left / 4, error);
        if (status) return status;
        last = &jobs[i];
        if (!first) first = last;
    }
    return BOUGH_OK;
}

/* The memory required: the shared part of the point, and a trial per thread. */
static uint64_t answer_memory(const bough_study_point *p, const bough_answer *a, unsigned threads) {
    return bough_add(bough_mul(a->bytes, threads), p->bytes);
}

unsigned answer_threads(const bough_study *study, const bough_study_point *p, const bough_answer *a,
                        unsigned wanted) {
    uint64_t limit = bough_memory_limit(), trials = a->exact ? 1 : study->effort.trials;
    if (!wanted) wanted = parallel_processors();
    if (trials && trials < wanted) wanted = (unsigned)trials;
    while (wanted > 1 && answer_memory(p, a, wanted) > limit) wanted--;
    return wanted;
}

uint64_t bough_study_memory(const bough_study *study, unsigned wanted, unsigned *used) {
    uint64_t most = 0;
    if (used) *used = 1;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_study_point *p = &study->point[i];
            unsigned threads = answer_threads(study, p, &p->answer[k], wanted);
            uint64_t memory = answer_memory(p, &p->answer[k], threads);
            if (memory <= most) continue;
            most = memory;
            if (used) *used = threads;
        }
    return most;
}

static void add_up(const bough_study *study, const job *jobs, size_t count, unsigned wanted,
                   bough_forecast *f) {
    f->threads = wanted ? wanted : parallel_processors();
    f->memory = bough_study_memory(study, wanted, NULL);
    for (size_t i = 0; i < count; i++) {
        const bough_study_point *p = &study->point[jobs[i].point];
        const bough_answer *a = &p->answer[jobs[i].answer];
        unsigned threads = answer_threads(study, p, a, wanted);
        if (!a->exact && threads < f->threads) f->threads = threads;
        double trials = a->exact ? 1 : jobs[i].trials;
        f->trials += (uint64_t)trials;
        f->seconds += jobs[i].seconds * trials / (trials < threads ? trials : threads);
    }
}

bough_status bough_study_forecast(bough_study *study, unsigned threads, atomic_bool *stop,
                                  bough_forecast *forecast, bough_error *error) {
    *forecast = (bough_forecast){0};
    size_t count = 0, methods = 0;
    for (size_t i = 0; i < study->points; i++) {
        count += study->point[i].answers;
        if (study->point[i].methods > methods) methods = study->point[i].methods;
    }
    job *jobs;
    bough_status status = bough_alloc(&jobs, count, sizeof *jobs, error);
    if (status) return status;
    count = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            jobs[count++] = (job){i, k, a->asked, (double)a->bytes + 4096, 0, 0};
        }
    qsort(jobs, count, sizeof *jobs, by_method_and_size);
    rehearsal h = {study, stop, SECONDS_IN_ALL / (double)methods};
    for (size_t first = 0, next; first < count && !status; first = next) {
        for (next = first; next < count && jobs[next].method == jobs[first].method;) next++;
        status = time_method(&h, jobs + first, next - first, error);
    }
    if (!status) add_up(study, jobs, count, threads, forecast);
    free(jobs);
    return status;
}
