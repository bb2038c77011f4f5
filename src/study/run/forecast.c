/* Estimates the duration of a study. For each method, trials of the points with the least memory are timed,
 * in ascending size while the time budget lasts; other points are extrapolated in proportion to their
 * memory. */
#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/answer_stats.h"
#include "study/run/point_binding.h"

#include <stdlib.h>

static const double SECONDS_IN_ALL = 2;

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
    double start = clock_seconds(), spent = 0;
    while (!status && !t.done && t.trials < BOUGH_FIRST_CHECKPOINT && (t.trials == 0 || spent < limit)) {
        status = bough_run_trial(run, bough_key_make(study->seed, t.trials), &workspace, &rows, error);
        TRY(answer_stats_add(&t, &rows, error));
        spent = clock_seconds() - start;
    }
    if (!status) {
        j->seconds = spent / (double)t.trials;
        j->trials = (double)answer_stats_expected(&t);
    }
    run->rehearsal = false; /* the binding may be reused */
    answer_stats_fini(&t);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    return status;
}

/* The jobs of one method, in ascending size. */
static bough_status time_method(const rehearsal *h, job *jobs, size_t count, bough_error *error) {
    double start = clock_seconds();
    const job *last = NULL;
    for (size_t i = 0; i < count; i++) {
        double left = h->budget - (clock_seconds() - start);
        if (last) {
            jobs[i].seconds = last->seconds * jobs[i].size / last->size;
            jobs[i].trials = last->trials;
        }
        if (last && jobs[i].seconds > left) continue;
        bough_status status = time_job(h, &jobs[i], left / 4, error);
        if (status) return status;
        last = &jobs[i];
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
