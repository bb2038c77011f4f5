#include "fabric/plan/plan_report.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>

typedef struct finder {
    const bough_plan_question *question;
    bough_plan_report *report;
    const char *step;
    const bough_plan_tree **tree; /* those shown */
} finder;

static void show(void *context, double share) {
    const finder *f = context;
    if (f->question->progress) f->question->progress(f->question->context, share, f->step);
}

static void begin(finder *f, const char *step) {
    f->step = step;
    show(f, -1);
}

static void say_how_long(void *context, double seconds) {
    const finder *f = context;
    if (f->question->job.expect) f->question->job.expect(f->question->job.context, seconds);
}

static bough_status take_trees(finder *f, const bough_plan_tree *all, bough_error *error) {
    bough_plan_report *r = f->report;
    const uint64_t limit = f->question->limit ? f->question->limit : 8;
    const size_t shown = r->found < limit ? r->found : (size_t)limit;
    bough_status status = bough_alloc(&r->row, shown, sizeof *r->row, error);
    TRY(bough_alloc(&f->tree, shown, sizeof *f->tree, error));
    if (status) return status;
    r->rows = shown;
    for (size_t i = 0; i < shown; i++) {
        const bough_plan_tree *t = &all[shown > 1 ? i * (r->found - 1) / (shown - 1) : 0];
        r->row[i] = (bough_plan_row){
            .number = i + 1, .tree = *t, .cost = f->question->ask.prices.given ? t->cost : NAN};
        f->tree[i] = &r->row[i].tree;
    }
    return BOUGH_OK;
}

static bough_status find_trees(finder *f, bough_error *error) {
    bough_plan_ask ask = f->question->ask;
    bough_plan_tree *all = NULL;
    begin(f, "trees");
    ask.progress = show;
    ask.context = f;
    bough_status status = bough_plan(&ask, &all, &f->report->found, error);
    TRY(take_trees(f, all, error));
    free(all);
    return status;
}

static bough_status find_loads(finder *f, bough_error *error) {
    const size_t rows = f->report->rows;
    const bough_plan_loads_options how = {f->question->job.seed, show, f, f->question->ask.stop};
    bough_plan_loads *loads;
    bough_status status = bough_alloc(&loads, rows, sizeof *loads, error);
    if (status) return status;
    begin(f, "loads");
    status = bough_plan_loads_find(f->tree, rows, &how, loads, error);
    for (size_t i = 0; i < rows && !status; i++) f->report->row[i].loads = loads[i];
    free(loads);
    return status;
}

static bough_status find_times(finder *f, bough_error *error) {
    const size_t rows = f->report->rows;
    bough_plan_job job = f->question->job;
    bough_plan_time *time;
    bough_status status = bough_alloc(&time, rows, sizeof *time, error);
    if (status) return status;
    begin(f, "job");
    job.expect = say_how_long;
    job.progress = show;
    job.context = f;
    status = bough_plan_times_find(f->tree, rows, &job, time, error);
    for (size_t i = 0; i < rows && !status; i++) {
        f->report->row[i].time = time[i];
        if (isnan(time[i].seconds)) f->report->row[i].time.ci95 = NAN;
    }
    free(time);
    return status;
}

bough_status bough_plan_report_find(const bough_plan_question *question, bough_plan_report *report,
                                    bough_error *error) {
    finder f = {.question = question, .report = report};
    const bool job = question->job.traffic;
    *report = (bough_plan_report){.question = question};
    bough_status status = job ? bough_plan_job_check(&question->job, error) : BOUGH_OK;
    TRY(find_trees(&f, error));
    TRY(find_loads(&f, error));
    if (job) TRY(find_times(&f, error));
    free(f.tree);
    return status;
}

void bough_plan_report_fini(bough_plan_report *report) {
    free(report->row);
}
