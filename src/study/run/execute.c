/* Runs a resolved study: points, then answers, sequentially; the trials of an answer in threads. */
#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "study/run/point_binding.h"
#include "study/run/trials.h"
#include "study/store/store.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct work {
    bough_study *study;
    const bough_study_options *options;
    size_t point, answer;
    double total, done, weight; /* total of all answers, of finished ones, of the current one */
    double told;                /* time of the last progress report, seconds */
    double since;               /* trials of the tally that came from the store */
    const tally *tally;         /* tally of the current answer */
} work;

/* Work of an answer in arbitrary units, estimated by its memory. */
static double weight_of(const bough_answer *a, double trials) {
    return ((double)a->bytes + 4096) * (a->exact ? 1 : trials);
}

static double guess_trials(const bough_effort *e) {
    if (!(e->precision > 0)) return (double)e->trials;
    return e->trials && e->trials < 64 ? (double)e->trials : 64;
}

/* trial: finished fraction of a running trial */
static void say(work *w, const tally *t, double trial) {
    double now = clock_seconds();
    if (!w->options->progress || now - w->told < 0.1) return;
    w->told = now;
    char label[128], what[256];
    const bough_study_point *p = &w->study->point[w->point];
    point_label(w->study, p, label, sizeof label);
    snprintf(what, sizeof what, "%s%s%s", label, *label ? ", " : "", p->answer[w->answer].method);
    double expected = (double)tally_expected(t) - w->since, here = (double)t->trials + trial - w->since;
    double share = (w->done + w->weight * (expected > 0 ? here / expected : 1)) / w->total;
    w->options->progress(w->options->context, share < 1 ? share : 1, what);
}

static void pulse(void *context, const tally *t) {
    say(context, t, 0);
}

static void pulse_trial(void *context, double share) {
    work *w = context;
    say(w, w->tally, share);
}

static bough_status keep(void *context, uint64_t trial, const bough_rows *rows, bough_error *error) {
    work *w = context;
    return store_append(w->options->store, w->point, w->answer, trial, rows, error);
}

static bough_status compute(work *w, tally *t, unsigned threads, bough_error *error) {
    bough_study_point *p = &w->study->point[w->point];
    bough_status status = bind_point(w->study, w->point, error);
    if (status) return status;
    bough_run *run = w->study->binding->run[w->answer];
    run->stop = w->options->stop;
    bough_store *store = w->options->store;
    trial_sink sink = {w, store ? keep : NULL, pulse, 0};
    threads = answer_threads(w->study, p, &p->answer[w->answer], threads);
    w->tally = t;
    run->progress = threads == 1 || tally_expected(t) == 1 ? pulse_trial : NULL;
    run->progress_context = w;
    while (!status && !t->done) { /* after lost trials, later ones are in the store */
        sink.until = store ? store_next(store, w->point, w->answer, t->trials) : 0;
        status = trials_run(run, w->study->seed, threads, t, &sink, error);
        if (!status && sink.until) status = store_replay(store, w->point, w->answer, t, error);
    }
    return status;
}

static bough_status run_answer(work *w, tally *t, unsigned threads, bough_error *error) {
    bough_study_point *p = &w->study->point[w->point];
    bough_answer *a = &p->answer[w->answer];
    const bough_effort *effort = &w->study->effort;
    tally_init(t, a, effort, p->answers > 1);
    bough_status status = BOUGH_OK;
    if (w->options->store) status = store_replay(w->options->store, w->point, w->answer, t, error);
    w->weight = weight_of(a, guess_trials(effort));
    if (t->trials) { /* stored trials count as no work */
        double held = w->weight * (double)t->trials / (double)tally_expected(t);
        w->total -= held;
        w->weight -= held;
        w->since = (double)t->trials;
    } else {
        w->since = 0;
    }
    if (!status && !t->done && !w->options->check_only) status = compute(w, t, threads, error);
    bough_status finished = tally_finish(t, a, status ? NULL : error);
    w->done += w->weight;
    return status ? status : finished;
}

static bough_status run_point(work *w, unsigned threads, bough_error *error) {
    bough_study_point *p = &w->study->point[w->point];
    tally *tallies;
    bough_status status = bough_alloc(&tallies, p->answers, sizeof *tallies, error);
    if (status) return status;
    for (w->answer = 0; w->answer < p->answers && !status; w->answer++)
        status = run_answer(w, &tallies[w->answer], threads, error);
    TRY(tally_compare(tallies, p, error));
    for (size_t i = 0; i < p->answers; i++) tally_fini(&tallies[i]);
    free(tallies);
    return status;
}

bough_status bough_study_run(bough_study *study, const bough_study_options *options, bough_error *error) {
    work w = {.study = study, .options = options};
    unsigned threads = options->threads;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            w.total += weight_of(&study->point[i].answer[k], guess_trials(&study->effort));
    bough_status status = BOUGH_OK;
    for (w.point = 0; w.point < study->points && !status; w.point++) {
        if (options->stop && atomic_load(options->stop))
            status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        else
            status = run_point(&w, threads, error);
    }
    if (options->store && !options->check_only) {
        bough_status committed = store_commit(options->store, status ? NULL : error);
        TRY(committed);
    }
    return status;
}
