/* Estimates the duration of a study. Trials of some of its answers are timed; the others are interpolated
 * between their neighbours in ascending memory, and extrapolated beyond the largest timed one, as powers of
 * the memory. The next answer to time is taken from the run of untimed answers that is expected to cost most,
 * while the time budget lasts. Times are CPU times, so that other programs on the machine do not count. */
#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/forecast/trial_limit.h"
#include "study/forecast/work_estimate.h"
#include "study/run/answer_stats.h"
#include "study/run/point_binding.h"

#include <math.h>
#include <stdlib.h>

/* seconds: at least; at most, unless the options say otherwise; and a fraction of the study in between */
static const double BUDGET_MIN = 1, BUDGET_MAX = BOUGH_FORECAST_SECONDS, BUDGET_OF_STUDY = 0.2;

/* Fewer trials say nothing about the number that a precision requires. */
enum { COUNTED = 16 };

/* Estimates are not trusted beyond this ratio of memory: they only select what to time next. */
static const double STEP = 8;

typedef struct job {
    size_t point, answer, method;
    double size, seconds, trials; /* size: answer_weight of a trial */
    bool exact;                   /* one trial is enough */
    bool saturated;               /* takes all trials */
    bool timed, counted; /* `seconds` are measured; `trials` are known, or estimated from COUNTED trials */
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
    trial_limit limit;
    job *job; /* by method, in ascending size */
    size_t jobs;
    unsigned threads;
    double start, budget, most; /* seconds */
    double *bind;               /* per point: seconds that it took to bind; 0: not known */
} rehearsal;

/* The limit was reached, and not by an interruption. */
static bool too_long(const rehearsal *h) {
    return atomic_load(&h->limit.reached);
}

/* Times trials of one answer, up to the first checkpoint, for about `limit` seconds. */
static bough_status time_job(rehearsal *h, job *j, double limit, bough_error *error) {
    bough_study *study = h->study;
    bool other = !study->binding || study->binding->point != j->point;
    double begin = clock_thread_seconds();
    bough_status status = bind_point(study, j->point, error);
    if (status) return status;
    if (other) h->bind[j->point] = clock_thread_seconds() - begin;
    bough_run *run = study->binding->run[j->answer];
    run->stop = &h->limit.over;
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
    run->stop = NULL; /* the limit ends before the binding */
    if (status == BOUGH_INTERRUPTED && too_long(h)) {
        status = BOUGH_OK;
        if (!t.trials) spent = first = clock_thread_seconds() - start;
    }
    if (!status) {
        j->seconds = t.trials > 1 ? (spent - first) / (double)(t.trials - 1) : first;
        if (!(j->seconds > 0)) j->seconds = 1e-9; /* the resolution of the clock */
        /* Not rounded up to a checkpoint: the rule is often met by chance at an earlier one. */
        j->trials = (double)answer_stats_expected(&t);
        j->timed = true;
        j->counted = t.done || !(t.effort.precision > 0) || t.trials >= COUNTED;
        if (!j->counted && t.outcome == BOUGH_RUN_SATURATED) { /* has no interval that narrows */
            j->trials = (double)t.effort.trials;
            j->counted = j->saturated = true;
        }
    }
    run->rehearsal = false; /* the binding may be reused */
    answer_stats_fini(&t);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    return status;
}

/* The exponent of the power law through two jobs, between `low` and `high`; usual where they do not tell. */
typedef struct exponent {
    double usual, low, high;
} exponent;

static double power_between(const job *a, const job *b, exponent e) {
    if (b->size < 2 * a->size) return e.usual;
    return fmin(e.high, fmax(e.low, log(b->seconds / a->seconds) / log(b->size / a->size)));
}

/* From the timed job `last` and a much smaller timed one. More memory rarely takes less time, and rarely more
 * than its square. */
static void extrapolate(const job *small, const job *last, job *j) {
    static const exponent time = {1, 0.7, 2};
    j->seconds = last->seconds * pow(j->size / last->size, power_between(small, last, time));
}

/* low, high: timed jobs around j. */
static void interpolate(const job *low, const job *high, job *j) {
    double share = high->size > 1.01 * low->size ? log(j->size / low->size) / log(high->size / low->size)
                                                 : (double)(j - low) / (double)(high - low);
    j->seconds = low->seconds * pow(high->seconds / low->seconds, share);
}

/* A job that tells how many trials others need. */
static bool tells_trials(const job *j) {
    return j->counted && !j->exact && !j->saturated;
}

/* The geometric mean over counted jobs from `at` on, in one direction: neighbours often differ in another
 * axis. */
static double mean_trials(const job *first, const job *end, const job *at, int step) {
    enum { NEIGHBOURS = 4 };
    double sum = 0;
    int found = 0;
    for (; at >= first && at < end && found < NEIGHBOURS; at += step)
        if (tells_trials(at)) {
            sum += log(at->trials);
            found++;
        }
    return found ? exp(sum / found) : 0;
}

/* Numbers of trials of the jobs of one method that were not counted. */
static void fill_trials(job *first, const job *end) {
    for (job *j = first; j < end; j++) {
        if (j->counted) continue;
        double before = mean_trials(first, end, j, -1), after = mean_trials(first, end, j, 1);
        if (before > 0 && after > 0)
            j->trials = sqrt(before * after);
        else if (before > 0 || after > 0)
            j->trials = before > 0 ? before : after;
        else if (!j->timed)
            j->trials = first->trials;
    }
}

static double cost_of(const rehearsal *h, const job *j) {
    return j->seconds * j->trials / fmin(fmax(1, j->trials), h->threads);
}

/* The largest timed job before `last` with at most an eighth of its size, or the first job, which is timed.
 */
static const job *much_smaller(const job *first, const job *last) {
    for (const job *j = last; j-- > first;)
        if (j->timed && 8 * j->size <= last->size) return j;
    return first;
}

/* Untimed jobs between `low`, which is timed, and `end`: a timed job, or the end of the method's jobs. */
typedef struct gap {
    job *low, *end;
    bool open; /* end is not a timed job */
    double cost;
} gap;

static gap gap_after(const rehearsal *h, job *first, job *low) {
    const job *all = h->job + h->jobs;
    gap g = {low, low + 1, false, 0};
    while (g.end < all && g.end->method == low->method && !g.end->timed) g.end++;
    g.open = g.end == all || g.end->method != low->method;
    const job *small = much_smaller(first, low);
    for (job *j = low + 1; j < g.end; j++) {
        if (g.open)
            extrapolate(small, low, j);
        else
            interpolate(low, g.end, j);
        g.cost += cost_of(h, j);
    }
    return g;
}

/* The job of a gap to time next, or NULL if none is affordable. */
static job *choose(const gap *g, double affordable) {
    if (g->end == g->low + 1) return NULL;
    if (!g->open) {
        job *middle = g->low + (g->end - g->low) / 2;
        return middle->seconds <= affordable ? middle : NULL;
    }
    for (job *j = g->end; --j > g->low;)
        if (j->seconds <= affordable && j->size <= STEP * g->low->size) return j;
    return g->low[1].seconds <= affordable ? g->low + 1 : NULL;
}

static void fill_all_trials(const rehearsal *h) {
    job *all = h->job + h->jobs;
    for (job *first = h->job, *end; first < all; first = end) {
        for (end = first; end < all && end->method == first->method;) end++;
        fill_trials(first, end);
    }
}

/* Estimates all untimed jobs, and returns the next job to time, or NULL. cost: of all jobs. */
static job *next_job(const rehearsal *h, double affordable, double *cost) {
    job *best = NULL, *first = h->job, *all = h->job + h->jobs;
    double most = 0;
    *cost = 0;
    fill_all_trials(h);
    for (job *low = h->job; low < all;) {
        if (low->method != first->method) first = low;
        gap g = gap_after(h, first, low);
        *cost += cost_of(h, low) + g.cost;
        job *candidate = g.cost > most ? choose(&g, affordable) : NULL;
        if (candidate) {
            best = candidate;
            most = g.cost;
        }
        low = g.end;
    }
    return best;
}

/* The timed job of the largest cost whose number of trials is not known and can be found out, or NULL. */
static job *next_uncounted(const rehearsal *h, double affordable) {
    job *best = NULL;
    for (job *j = h->job; j < h->job + h->jobs; j++)
        if (j->timed && !j->counted && COUNTED * j->seconds <= affordable &&
            (!best || cost_of(h, j) > cost_of(h, best)))
            best = j;
    return best;
}

static bough_status rehearse(rehearsal *h, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < h->jobs && !status && !too_long(h); i++)
        if (i == 0 || h->job[i].method != h->job[i - 1].method)
            status = time_job(h, &h->job[i], BUDGET_MIN / 16, error);
    while (!status) {
        double left = h->budget - (clock_thread_seconds() - h->start), cost;
        job *next = next_job(h, left / 2, &cost), *count = next_uncounted(h, left / 2);
        h->budget = fmin(h->most, fmax(BUDGET_MIN, BUDGET_OF_STUDY * cost));
        if ((!next && !count) || left <= 0 || too_long(h)) return BOUGH_OK;
        if (next)
            status = time_job(h, next, left / 32, error);
        else
            status = time_job(h, count, left, error);
    }
    return status;
}

/* The memory required: the shared part of the point, and a trial per thread. */
static uint64_t answer_memory(const bough_study_point *p, const bough_answer *a, unsigned threads) {
    return bough_add(bough_mul(a->bytes, threads), p->bytes);
}

/* The same for one trial on several threads. */
static uint64_t team_memory(const bough_study_point *p, const bough_answer *a, unsigned team) {
    uint64_t more = team > 1 ? bough_add(a->bytes_team, bough_mul(a->bytes_each, team - 1)) : 0;
    return bough_add(more, answer_memory(p, a, 1));
}

unsigned answer_threads(const bough_study *study, const bough_study_point *p, const bough_answer *a,
                        unsigned wanted) {
    uint64_t limit = bough_memory_limit() / (study->sharers ? study->sharers : 1);
    uint64_t trials = a->exact ? 1 : study->effort.trials;
    if (!wanted) wanted = parallel_processors();
    if (trials && trials < wanted) wanted = (unsigned)trials;
    while (wanted > 1 && answer_memory(p, a, wanted) > limit) wanted--;
    return wanted;
}

unsigned answer_team(const bough_study *study, const bough_study_point *p, const bough_answer *a,
                     unsigned wanted) {
    uint64_t limit = bough_memory_limit() / (study->sharers ? study->sharers : 1);
    if (!a->parallel || answer_threads(study, p, a, wanted) > 1) return 1;
    if (!wanted) wanted = parallel_processors();
    while (wanted > 1 && team_memory(p, a, wanted) > limit) wanted--;
    return wanted;
}

uint64_t bough_study_memory(const bough_study *study, unsigned wanted, unsigned *used) {
    uint64_t most = 0;
    if (used) *used = 1;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_study_point *p = &study->point[i];
            unsigned threads = answer_threads(study, p, &p->answer[k], wanted);
            unsigned team = answer_team(study, p, &p->answer[k], wanted);
            uint64_t memory =
                team > 1 ? team_memory(p, &p->answer[k], team) : answer_memory(p, &p->answer[k], threads);
            if (memory <= most) continue;
            most = memory;
            if (used) *used = threads;
        }
    return most;
}

/* Seconds to bind a point, for each byte of its first answer. */
static double mean_bind(const rehearsal *h) {
    double seconds = 0, size = 0;
    for (size_t i = 0; i < h->jobs; i++) {
        const job *j = &h->job[i];
        if (j->answer != 0 || !(h->bind[j->point] > 0)) continue;
        seconds += h->bind[j->point];
        size += j->size;
    }
    return size > 0 ? seconds / size : 0;
}

static void add_up(const rehearsal *h, unsigned wanted, bough_forecast *f) {
    const bough_study *study = h->study;
    f->threads = wanted ? wanted : parallel_processors();
    f->memory = bough_study_memory(study, wanted, NULL);
    f->least = too_long(h);
    double bind_per_byte = mean_bind(h);
    for (size_t i = 0; i < h->jobs; i++) {
        const job *j = &h->job[i];
        const bough_study_point *p = &study->point[j->point];
        const bough_answer *a = &p->answer[j->answer];
        unsigned threads = answer_threads(study, p, a, wanted);
        if (!a->exact && threads < f->threads) f->threads = threads;
        double trials = a->exact ? 1 : j->trials;
        f->trials += (uint64_t)trials;
        unsigned team = answer_team(study, p, a, wanted);
        f->seconds += j->seconds * trials / (trials < threads ? trials : threads) / team;
        if (j->answer == 0) f->seconds += h->bind[j->point] > 0 ? h->bind[j->point] : bind_per_byte * j->size;
    }
}

bough_status bough_study_forecast(bough_study *study, const bough_forecast_options *options,
                                  bough_forecast *forecast, bough_error *error) {
    *forecast = (bough_forecast){0};
    size_t count = 0;
    for (size_t i = 0; i < study->points; i++) count += study->point[i].answers;
    job *jobs;
    bough_status status = bough_alloc(&jobs, count, sizeof *jobs, error);
    if (status) return status;
    count = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            jobs[count++] = (job){.point = i,
                                  .answer = k,
                                  .method = a->asked,
                                  .size = answer_weight(a, 1),
                                  .trials = 1,
                                  .exact = a->exact,
                                  .counted = a->exact};
        }
    qsort(jobs, count, sizeof *jobs, by_method_and_size);
    rehearsal h = {.study = study,
                   .job = jobs,
                   .jobs = count,
                   .threads = options->threads ? options->threads : parallel_processors(),
                   .start = clock_thread_seconds(),
                   .most = options->seconds > 0 ? options->seconds : BUDGET_MAX};
    h.budget = fmin(h.most, BUDGET_MIN);
    status = bough_alloc(&h.bind, study->points, sizeof *h.bind, error);
    if (!status) {
        trial_limit_start(&h.limit, h.most, options->stop);
        status = rehearse(&h, error);
        trial_limit_end(&h.limit);
    }
    if (!status) add_up(&h, options->threads, forecast);
    FREE_ALL(jobs, h.bind);
    return status;
}
