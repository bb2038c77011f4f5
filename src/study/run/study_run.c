/* Runs a resolved study: points, then answers, sequentially; the trials of an answer in threads. */
#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_weight.h"
#include "study/run/point_binding.h"
#include "study/run/trials.h"
#include "study/store/store.h"
#include "study/study_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct work {
    bough_study *study;
    const bough_study_options *options;
    answer_place at;
    double total, done, weight; /* total of all answers, of finished ones, of the current one */
    double reported;            /* time of the last progress report, seconds */
    double since;               /* trials that came from the store */
} work;

/* running: finished fractions of the running trials */
static void pulse(void *context, const answer_stats *t, double running) {
    work *w = context;
    double now = clock_seconds();
    if (!w->options->progress || now - w->reported < 0.1) return;
    w->reported = now;
    char label[128], what[256];
    const bough_study_point *p = &w->study->point[w->at.point];
    point_label(w->study, p, label, sizeof label);
    int length =
        snprintf(what, sizeof what, "%s%s%s", label, *label ? ", " : "", p->answer[w->at.answer].method);
    uint64_t trials = answer_stats_expected(t);
    if (!t->exact && t->trials < trials && length > 0 && (size_t)length < sizeof what)
        snprintf(what + length, sizeof what - (size_t)length, ", trial %" PRIu64 " of %s%" PRIu64,
                 t->trials + 1, t->effort.precision > 0 ? "about " : "", trials);
    double expected = (double)trials - w->since, here = (double)t->trials + running - w->since;
    double share = (w->done + w->weight * (expected > 0 ? here / expected : 1)) / w->total;
    w->options->progress(w->options->context, share < 1 ? share : 1, what);
}

static bough_status keep(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    work *w = context;
    return store_append(w->options->store, w->at, trial, rows, error);
}

static bough_status compute(work *w, answer_stats *t, bough_error *error) {
    bough_study_point *p = &w->study->point[w->at.point];
    bough_status status = bind_point(w->study, w->at.point, error);
    if (status) return status;
    bough_run *run = w->study->binding->run[w->at.answer];
    run->stop = w->options->stop;
    bough_store *store = w->options->store;
    const bough_answer *a = &p->answer[w->at.answer];
    trial_request request = {.seed = w->study->seed,
                             .threads = answer_threads(w->study, p, a, w->options->threads),
                             .team = answer_team(w->study, p, a, w->options->threads),
                             .context = w,
                             .take = store ? keep : NULL,
                             .pulse = w->options->progress ? pulse : NULL};
    while (!status && !t->done) { /* after lost trials, later ones are in the store */
        request.until = store ? store_next(store, w->at, t->trials) : 0;
        status = trials_run(run, &request, t, error);
        if (!status && request.until) status = store_replay(store, w->at, t, error);
    }
    return status;
}

static bough_status run_answer(work *w, answer_stats *t, bough_error *error) {
    bough_study_point *p = &w->study->point[w->at.point];
    bough_answer *a = &p->answer[w->at.answer];
    const bough_effort *effort = &w->study->effort;
    answer_stats_init(t, a, effort, p->answers > 1);
    t->statistic = w->study->statistic;
    t->statistics = w->study->statistics;
    bough_status status = BOUGH_OK;
    if (w->options->store) status = store_replay(w->options->store, w->at, t, error);
    w->weight = answer_weight(a, effort_guess(effort));
    if (t->trials) { /* stored trials count as no work */
        double held = w->weight * (double)t->trials / (double)answer_stats_expected(t);
        w->total -= held;
        w->weight -= held;
        w->since = (double)t->trials;
    } else {
        w->since = 0;
    }
    if (!status && !t->done && !w->options->check_only) status = compute(w, t, error);
    bough_status finished = answer_stats_finish(t, a, status ? NULL : error);
    w->done += w->weight;
    return status ? status : finished;
}

static bough_status run_point(work *w, bough_error *error) {
    bough_study_point *p = &w->study->point[w->at.point];
    answer_stats *stats;
    bough_status status = bough_alloc(&stats, p->answers, sizeof *stats, error);
    if (status) return status;
    for (w->at.answer = 0; w->at.answer < p->answers && !status; w->at.answer++)
        status = run_answer(w, &stats[w->at.answer], error);
    TRY(answers_compare(stats, p, error));
    TRY(answers_measure(stats, w->study, p, error));
    for (size_t i = 0; i < p->answers; i++) answer_stats_fini(&stats[i]);
    free(stats);
    return status;
}

bough_status bough_study_run(bough_study *study, const bough_study_options *options, bough_error *error) {
    work w = {.study = study, .options = options};
    for (size_t i = 0; i < study->points; i++)
        if (study_point_is_mine(study, i))
            w.total += point_weight(&study->point[i], effort_guess(&study->effort));
    bough_status status = BOUGH_OK;
    for (w.at.point = 0; w.at.point < study->points && !status; w.at.point++) {
        if (!study_point_is_mine(study, w.at.point)) continue;
        if (options->stop && atomic_load(options->stop))
            status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        else
            status = run_point(&w, error);
    }
    if (!options->store || options->check_only) return status;
    bough_status committed = store_commit(options->store, status ? NULL : error);
    return status ? status : committed;
}
