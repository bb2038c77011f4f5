/* The method `sensitivity`: what would shorten the time of a job most. Another method runs the point, and
 * runs it again with one thing changed by a step; all runs of a trial have its key, so random draws are
 * common to them.
 *
 * The order of the rows is that of the first trial, for a key of its own where trials differ: every trial
 * must have the same rows. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/method_list.h"
#include "engines/sensitivity/point_changes.h"
#include "method/method_run.h"
#include "method/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_OF, P_STEP, P_TOP, P_LINKS, P_HOSTS };

static const bough_param params[] = {
    [P_OF] = {"of", "method that gives the completion time, with its parameters in quotes", BOUGH_TEXT,
              "flow", 0, 0, .echo = true},
    [P_STEP] = {"step", "each rate, delay, cost and time is changed by this fraction", BOUGH_SHARE, "10%",
                1e-4, 1},
    [P_TOP] = {"top", "changes to report, the largest first; 0: all", BOUGH_INT, "10", 0, 1000},
    [P_LINKS] = {"links", "most loaded cables to change one by one (schedules)", BOUGH_INT, "3", 0, 1000},
    [P_HOSTS] = {"hosts", "hosts to change one by one, those with the most computations", BOUGH_INT, "3", 0,
                 1000},
    BOUGH_PARAMS_END,
};

static const char *method_of(const bough_run *run) {
    return run->args.value[P_OF].text;
}

static double factor_of(const bough_run *run) {
    return 1 + run->args.value[P_STEP].real;
}

static bough_status sensitivity_open(bough_run *run, bough_error *error) {
    bough_run *of;
    if (strncmp(method_of(run), "sensitivity", strlen("sensitivity")) == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "of=%s: expected a method with a completion time, such as flow", method_of(run));
    if (run->point.net->aggregation)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method sensitivity does not change switches that add; leave sharp= out of the physical "
            "setting");
    bough_status status = bough_run_create(method_of(run), &run->point, &of, error);
    if (status) return status;
    run->draws = !bough_run_exact(of);
    run->parallel = of->parallel;
    run->assumptions = of->assumptions;
    memcpy(run->assumption, of->assumption, sizeof of->assumption);
    run->bytes = bough_add(bough_mul(2, of->bytes), bough_mul(run->point.net->links, 16));
    run->bytes_each = of->bytes_each;
    run->bytes_team = of->bytes_team;
    bough_run_destroy(of);
    return BOUGH_OK;
}

/* ---- runs ---- */

typedef struct workspace {
    point_change *change; /* the reported ones, in their order */
    size_t changes;
    bool ordered; /* and their values are those of every trial, if trials do not differ */
} workspace;

/* A trial of the method on a point. */
typedef struct measure {
    const bough_run *run;
    bough_key key;
    uint64_t done, total; /* runs of this trial */
} measure;

/* Errors: UNSUPPORTED if the method gives no completion time. *time 0: the schedule hangs, as rows say. */
static bough_status time_of(measure *m, const bough_point *point, bough_rows *rows, double *time,
                            bough_error *error) {
    bough_run *of;
    void *space = NULL;
    bough_status status = bough_run_create(method_of(m->run), point, &of, error);
    if (status) return status;
    of->stop = m->run->stop;
    of->threads = m->run->threads;
    of->rehearsal = m->run->rehearsal;
    *time = 0;
    status = bough_run_trial(of, m->key, &space, rows, error);
    if (!status && rows->outcome != BOUGH_RUN_HANGS && !rows_find(rows, BOUGH_METRIC_COMPLETION_TIME, time))
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL, "sensitivity: %s gives no completion_time of %s",
                            method_of(m->run), point->traffic->spec);
    bough_run_free_workspace(of, space);
    bough_run_destroy(of);
    m->done++;
    if (m->run->progress) m->run->progress(m->run->progress_context, (double)m->done / (double)m->total);
    return status;
}

/* d ln T / d ln x. */
static bough_status measure_change(measure *m, point_change *c, double base, bough_error *error) {
    changed_point x;
    bough_rows rows = {0};
    double time;
    bough_status status = changed_point_make(&m->run->point, c, factor_of(m->run), &x, error);
    TRY(time_of(m, &x.point, &rows, &time, error));
    if (!status) c->value = time > 0 && x.factor != 1 ? log(time / base) / log(x.factor) : 0;
    bough_rows_fini(&rows);
    changed_point_fini(&x);
    return status;
}

static bough_status measure_all(measure *m, workspace *w, double base, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < w->changes && !status; i++) status = measure_change(m, &w->change[i], base, error);
    return status;
}

/* The largest first; equal ones as in the list. */
static int by_size(const void *a, const void *b) {
    const point_change *x = a, *y = b;
    double p = fabs(x->value), q = fabs(y->value);
    if (p != q) return p < q ? 1 : -1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Lists the changes, measures all of them once, and keeps the largest. */
static bough_status find_order(measure *m, workspace *w, double base, bough_error *error) {
    const bough_value *v = m->run->args.value;
    const change_counts counts = {(unsigned)v[P_LINKS].integer, (unsigned)v[P_HOSTS].integer};
    size_t top = (size_t)v[P_TOP].integer;
    bough_status status = changes_list(&m->run->point, counts, &w->change, &w->changes, error);
    m->total = m->done + w->changes;
    TRY(measure_all(m, w, base, error));
    if (status) return status;
    qsort(w->change, w->changes, sizeof *w->change, by_size);
    if (top && top < w->changes) w->changes = top;
    w->ordered = true;
    return BOUGH_OK;
}

/* ---- trials ---- */

static bough_status report(const bough_run *run, const workspace *w, double base, bough_rows *rows,
                           bough_error *error) {
    char name[192];
    rows->count = 0;
    bough_status status = bough_rows_add(rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX, base, error);
    for (size_t i = 0; i < w->changes && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_SENSITIVITY, (int64_t)i, w->change[i].value, error);
    rows->note[index_names_at(rows->note)] = 0; /* labels of the method */
    for (size_t i = 0; i < w->changes; i++)
        index_name_put(rows->note, "change", (int64_t)i,
                       change_name(&run->point, &w->change[i], name, sizeof name));
    return status;
}

/* Of a schedule that hangs, as the note says, or has nothing to send. */
static bough_status report_nothing(bough_rows *rows, bough_error *error) {
    double messages = 0;
    bool hangs = rows->outcome == BOUGH_RUN_HANGS;
    rows_find(rows, BOUGH_METRIC_MESSAGES, &messages);
    rows->count = 0;
    return bough_rows_add(rows, hangs ? BOUGH_METRIC_MESSAGES : BOUGH_METRIC_COMPLETION_TIME,
                          BOUGH_NO_ROW_INDEX, hangs ? messages : 0, error);
}

static bough_status sensitivity_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                      bough_error *error) {
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    bool exact = bough_run_exact(run), first = !w->ordered;
    measure m = {.run = run, .key = key, .total = 1 + w->changes};
    double base;
    if (first && !exact) {
        bough_rows pilot = {0};
        measure order = {.run = run, .key = bough_key_make(0, 0), .total = 1};
        status = time_of(&order, &run->point, &pilot, &base, error);
        if (!status && base > 0) status = find_order(&order, w, base, error);
        bough_rows_fini(&pilot);
    }
    TRY(time_of(&m, &run->point, rows, &base, error));
    if (status) return status;
    if (base <= 0) return report_nothing(rows, error);
    if (exact && first)
        status = find_order(&m, w, base, error);
    else if (!exact)
        status = measure_all(&m, w, base, error);
    return status ? status : report(run, w, base, rows, error);
}

static void free_workspace(void *space) {
    workspace *w = space;
    if (w) FREE_ALL(w->change, w);
}

const bough_method bough_method_sensitivity = {
    .name = "sensitivity",
    .summary = "which rates, delays, costs and times a job depends on: its completion time with each of them "
               "changed",
    .source = "",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_draws = true,
    .exact = true,
    .random_links = "runs another method",
    .open = sensitivity_open,
    .trial = sensitivity_trial,
    .free_workspace = free_workspace,
};
