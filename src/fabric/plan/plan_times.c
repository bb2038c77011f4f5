/* The time of a job on every tree: a study of one point each, one after the other, so that one schedule at a
 * time is in memory. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/plan/plan.h"
#include "network/physical/physical.h"
#include "study/forecast/work_estimate.h"
#include "study/run/point_binding.h"
#include "study/study.h"
#include "traffic/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct times {
    const bough_plan_job *job;
    const char *traffic;
    size_t done, trees;
} times;

static bough_status make_study(const times *x, const char *network, bough_study *study, bough_error *error) {
    const bough_plan_job *job = x->job;
    *study = (bough_study){.registry = job->registry, .seed = job->seed, .effort = JOB_EFFORT};
    const bough_point_asked point = {
        .network = network,
        .physical = job->physical,
        .traffic = x->traffic,
        .routing = (const char *const[]){job->routing ? job->routing : "dmodk"},
        .routings = 1,
        .method = (const char *const[]){job->spray ? "flow:ideal=0,spray=1" : "flow:ideal=0"},
        .methods = 1,
    };
    bough_status status = bough_study_add_point(study, &point, error);
    TRY(bough_study_resolve(study, error));
    return status;
}

static void expect(const times *x, const bough_study *study) {
    if (!study->binding || !x->job->expect) return;
    const double seconds = job_seconds(study->binding->traffic, &study->effort) * (double)x->trees;
    if (seconds > FORECAST_SAID_S) x->job->expect(x->job->context, seconds);
}

static void show(void *context, double share, const char *what) {
    const times *x = context;
    (void)what;
    if (x->job->progress) x->job->progress(x->job->context, ((double)x->done + share) / (double)x->trees);
}

static void take(const bough_answer *a, bough_plan_time *time) {
    *time = (bough_plan_time){.seconds = NAN};
    for (unsigned i = 0; i < a->assumptions; i++) time->spray |= strcmp(a->assumption[i].what, "paths") == 0;
    for (size_t k = 0; k < a->cells && a->outcome == BOUGH_RUN_OK; k++) {
        const bough_cell *c = &a->cell[k];
        if (c->metric != BOUGH_METRIC_COMPLETION_TIME || c->index != BOUGH_NO_ROW_INDEX) continue;
        time->seconds = c->stats.mean;
        time->ci95 = a->exact ? 0 : bough_cell_ci95(a, c);
    }
}

static bough_status run_tree(times *x, const bough_plan_tree *tree, bough_plan_time *time,
                             bough_error *error) {
    bough_study study = {0};
    const bough_study_options options = {
        .threads = x->job->threads, .stop = x->job->stop, .progress = show, .context = x};
    bough_status status = make_study(x, tree->spec, &study, error);
    if (!status && x->done == 0) expect(x, &study);
    TRY(bough_study_run(&study, &options, error));
    if (!status) take(&study.point->answer[0], time);
    bough_study_fini(&study);
    x->done++;
    return status;
}

static bool beats(const bough_plan_tree *a, const bough_plan_time *at, const bough_plan_tree *b,
                  const bough_plan_time *bt) {
    if (isnan(at->seconds)) return false;
    if (isnan(bt->seconds)) return true;
    bool cheap =
        a->cost <= b->cost && (a->cost > 0 || (a->switches <= b->switches && a->cables <= b->cables));
    bool less = a->cost < b->cost || (!(a->cost > 0) && (a->switches < b->switches || a->cables < b->cables));
    return cheap && at->seconds <= bt->seconds && (less || at->seconds < bt->seconds);
}

static void find_front(const bough_plan_tree *const *tree, size_t trees, bough_plan_time *time) {
    for (size_t i = 0; i < trees; i++) {
        time[i].pareto = !isnan(time[i].seconds);
        for (size_t k = 0; k < trees && time[i].pareto; k++)
            time[i].pareto = !beats(tree[k], &time[k], tree[i], &time[i]);
    }
}

bough_status bough_plan_job_spec(const bough_plan_job *job, char **spec, bough_error *error) {
    const char *text = job->traffic, *dot = strrchr(text, '.');
    const bough_traffic_kind *kind = bough_traffic_kind_find(job->registry, text, strcspn(text, ":"));
    bough_text made = {0};
    if (kind && kind->shape == BOUGH_STREAM)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--job: '%.200s' never ends; a job is a batch, or a schedule", text);
    bool model = !kind && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (!kind && !model)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--job: '%.200s' is neither a traffic (`bough list traffic`) nor NAME.yaml", text);
    if (model)
        bough_text_printf(&made, "train:file=\"%s\"", text);
    else
        bough_text_put(&made, text);
    *spec = bough_text_take(&made);
    return *spec ? BOUGH_OK : bough_fail_memory(error, strlen(text));
}

bough_status bough_plan_job_check(const bough_plan_job *job, bough_error *error) {
    bough_physical *physical = NULL;
    char *spec = NULL;
    bough_status status = bough_plan_job_spec(job, &spec, error);
    TRY(bough_traffic_check(job->registry, spec, error));
    if (job->physical) TRY(bough_physical_create(job->physical, &physical, error));
    bough_physical_destroy(physical);
    free(spec);
    return status;
}

bough_status bough_plan_times_find(const bough_plan_tree *const *tree, size_t trees,
                                   const bough_plan_job *job, bough_plan_time *time, bough_error *error) {
    char *spec = NULL;
    bough_status status = bough_plan_job_spec(job, &spec, error);
    times x = {.job = job, .traffic = spec, .trees = trees};
    for (size_t i = 0; i < trees && !status; i++) status = run_tree(&x, tree[i], &time[i], error);
    if (!status) find_front(tree, trees, time);
    free(spec);
    return status;
}
