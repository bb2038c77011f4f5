/* A job is a study of one point: linkload and flow under every routing, on the same messages. Studies compare
 * routings with the first one; where another one turns out to be the fastest, the study runs again with the
 * routings in their order, so that the fastest stands against the next. */
#include "fabric/check/check_jobs.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/forecast/work_estimate.h"
#include "study/run/point_binding.h"
#include "study/study.h"
#include "traffic/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

bough_effort check_job_effort(const bough_check_question *question) {
    return question->job_trials ? (bough_effort){question->job_trials, 0, BOUGH_METRIC_COUNT} : JOB_EFFORT;
}

static bough_status unknown_traffic(const bough_registry *registry, const char *spec, bough_error *error) {
    const char *names[128];
    size_t count = 0;
    char word[64];
    const bough_traffic_kind *k;
    for (; count < 128 && (k = bough_traffic_kind_at(registry, count)); count++) names[count] = k->name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    char hint[BOUGH_HINT_MAX];
    return bough_fail(error, BOUGH_INVALID, NULL, "--job: no traffic '%s'%s; see `bough list traffic`", word,
                      bough_hint(hint, word, names, count));
}

bough_status check_jobs_read(const bough_check_question *question, bough_error *error) {
    for (size_t i = 0; i < question->jobs; i++) {
        const char *job = question->job[i];
        const bough_traffic_kind *kind = bough_traffic_kind_find(question->registry, job, strcspn(job, ":"));
        if (!kind) return unknown_traffic(question->registry, job, error);
        if (kind->shape == BOUGH_STREAM)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "--job: '%s' never ends; a job is a batch, or a schedule", question->job[i]);
        bough_status status = bough_traffic_check(question->registry, job, error);
        if (status) return status;
    }
    return BOUGH_OK;
}

void check_jobs_fini(bough_check_report *report) {
    for (size_t i = 0; i < report->jobs; i++) {
        bough_check_job *job = &report->job[i];
        if (job->study) bough_study_fini(job->study);
    }
}

bough_status check_jobs_rename(bough_check_report *report, const char *spec, const char *label,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < report->jobs; i++) {
        bough_study_point *p = report->job[i].study->point;
        for (size_t k = 0; k < p->routings && !status; k++) {
            if (strcmp(p->routing[k].spec, spec) != 0) continue;
            status = arena_copy(&report->memory, &p->routing[k].spec, label, error);
        }
    }
    return status;
}

/* ---- one study ---- */

typedef struct inputs {
    const bough_check_question *question;
    const char *faults; /* may be NULL */
    const bough_check_report *report;
    bough_effort effort;
    const bough_study_options *options;
    arena *memory; /* of the report */
} inputs;

typedef struct job_traffic {
    const char *spec;
    bool batch;
} job_traffic;

/* `linkload` counts the flows of a batch. */
enum { FLOW, LINKLOAD };

/* order: of routings. */
static bough_status make_study(const inputs *in, const job_traffic *traffic, const size_t *order,
                               bough_study *study, bough_error *error) {
    const size_t routings = in->report->parts;
    *study =
        (bough_study){.registry = in->question->registry, .seed = in->question->seed, .effort = in->effort};
    const char **routing = NULL;
    bough_status status = arena_alloc(&study->memory, &routing, routings, sizeof *routing, error);
    for (size_t i = 0; i < routings && !status; i++) routing[i] = in->report->part[order[i]].routing->spec;
    const bough_point_asked point = {
        .network = in->question->network,
        .faults = in->faults,
        .physical = in->question->physical,
        .traffic = traffic->spec,
        .routing = routing,
        .routings = routings,
        .method = (const char *const[]){[FLOW] = "flow", [LINKLOAD] = "linkload"},
        .methods = traffic->batch ? 2 : 1,
    };
    TRY(bough_study_add_point(study, &point, error));
    TRY(bough_study_resolve(study, error));
    TRY(bough_study_run(study, in->options, error));
    return status;
}

static const bough_cell *find_cell(const bough_answer *a, bough_metric_id metric) {
    for (size_t k = 0; k < a->cells; k++)
        if (a->cell[k].metric == metric && a->cell[k].index == BOUGH_NO_ROW_INDEX) return &a->cell[k];
    return NULL;
}

static void take_answer(const bough_answer *a, bough_check_job_row *row) {
    const bough_cell *load = find_cell(a, BOUGH_METRIC_LINK_LOAD_MAX);
    const bough_cell *end = find_cell(a, BOUGH_METRIC_COMPLETION_TIME); /* none if the job hangs */
    if (a->asked == LINKLOAD && load) {
        row->loaded = true;
        row->load = load->stats.mean;
        row->load_ci95 = a->exact ? 0 : bough_cell_ci95(a, load);
    } else if (a->asked == FLOW) {
        row->outcome = a->outcome;
        row->seconds = end ? end->stats.mean : NAN;
        row->seconds_ci95 = end && !a->exact ? bough_cell_ci95(a, end) : 0;
        row->trials = a->trials;
    }
    if (*a->note && !*row->note) snprintf(row->note, sizeof row->note, "%s", a->note);
}

static void take_rows(const bough_study_point *p, const size_t *order, size_t routings,
                      bough_check_job_row *row) {
    for (size_t i = 0; i < routings; i++) row[i] = (bough_check_job_row){.routing = order[i]};
    for (size_t i = 0; i < p->answers; i++) take_answer(&p->answer[i], &row[p->answer[i].routing]);
}

static bool ends(const bough_check_job_row *row) {
    return row->outcome == BOUGH_RUN_OK;
}

static int by_speed(const void *a, const void *b) {
    const bough_check_job_row *x = a, *y = b;
    double p = ends(x) ? x->seconds : INFINITY, q = ends(y) ? y->seconds : INFINITY;
    if (p != q) return p > q ? 1 : -1;
    return (x->routing > y->routing) - (x->routing < y->routing);
}

/* The second routing of the study against the first. The rows are in order. */
static void take_comparison(const bough_study_point *p, size_t routings, bough_check_job *job) {
    job->ahead = job->ahead_ci95 = NAN;
    job->exact = false;
    job->decided = routings > 1 && ends(&job->row[0]) && !ends(&job->row[1]);
    if (routings < 2 || !ends(&job->row[1])) return;
    for (size_t i = 0; i < p->comparisons; i++) {
        const bough_comparison *c = &p->comparison[i];
        if (c->metric != BOUGH_METRIC_COMPLETION_TIME || p->answer[c->answer].routing != 1) continue;
        job->ahead = c->ratio - 1;
        job->ahead_ci95 = c->exact ? 0 : c->ratio_ci95;
        job->exact = c->exact;
        job->decided = c->exact ? c->difference != 0 : fabs(c->difference) > c->difference_ci95;
    }
}

/* Rows in order of speed; *again: the order of the first two is not that of the study. */
static void take_study(const bough_study *study, size_t *order, size_t routings, bough_check_job *job,
                       bool *again) {
    take_rows(study->point, order, routings, job->row);
    qsort(job->row, routings, sizeof *job->row, by_speed);
    take_comparison(study->point, routings, job);
    *again = false;
    for (size_t i = 0; i < routings; i++) {
        *again |= i < 2 && order[i] != job->row[i].routing;
        order[i] = job->row[i].routing;
    }
}

static bough_status is_batch(const bough_net *net, job_traffic *traffic, bough_error *error) {
    bough_traffic *t;
    bough_status status = bough_traffic_create(net, traffic->spec, &t, error);
    if (status) return status;
    traffic->batch = t->shape == BOUGH_BATCH;
    bough_traffic_destroy(t);
    return BOUGH_OK;
}

static bough_status run_job(const inputs *in, const char *spec, bough_check_job *job, bough_error *error) {
    const size_t routings = in->report->parts;
    job_traffic traffic = {.spec = spec};
    size_t *order = NULL;
    bool again = true;
    bough_status status = is_batch(in->report->net, &traffic, error);
    TRY(bough_alloc(&order, routings, sizeof *order, error));
    TRY(arena_alloc(in->memory, &job->row, routings, sizeof *job->row, error));
    for (size_t i = 0; i < routings && !status; i++) order[i] = i;
    TRY(arena_alloc(in->memory, &job->study, 1, sizeof *job->study, error));
    for (int pass = 0; pass < 2 && again && !status; pass++) {
        bough_study_fini(job->study);
        status = make_study(in, &traffic, order, job->study, error);
        if (!status) take_study(job->study, order, routings, job, &again);
    }
    if (!status) status = arena_copy(in->memory, &job->traffic, job->study->point->traffic.spec, error);
    if (!status) {
        binding_destroy(job->study->binding); /* the network again */
        job->study->binding = NULL;
    }
    free(order);
    return status;
}

static void show(void *context, double share, const char *what) {
    (void)what;
    check_progress_show(context, share);
}

bough_status check_jobs_run(check_progress *progress, const char *faults, bough_check_report *report,
                            bough_error *error) {
    const bough_check_question *question = progress->question;
    const bough_study_options options = {
        .threads = question->threads, .stop = question->stop, .progress = show, .context = progress};
    const inputs in = {.question = question,
                       .faults = faults,
                       .report = report,
                       .effort = check_job_effort(question),
                       .options = &options,
                       .memory = &report->memory};
    bough_status status =
        arena_alloc(&report->memory, &report->job, question->jobs, sizeof *report->job, error);
    for (size_t i = 0; i < question->jobs && !status; i++) {
        report->jobs++;
        check_progress_begin(progress, CHECK_JOB);
        status = run_job(&in, question->job[i], &report->job[i], error);
    }
    return status;
}
