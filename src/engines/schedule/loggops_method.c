/* The method `loggops`: a schedule on hosts with CPU overheads and a network with uniform cost. Rules:
 * traffic/schedules/ranks.h. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/method_list.h"
#include "method/rows.h"
#include "method/schedule_rows.h"
#include "traffic/schedules/ranks.h"
#include "traffic/schedules/workload.h"

#include <stdio.h>
#include <stdlib.h>

enum { P_RANKS };

static const bough_param params[] = {
    [P_RANKS] = {"ranks", "time when the last operation of every rank ended", BOUGH_FLAG, "0"},
    BOUGH_PARAMS_END,
};

static bough_status loggops_open(bough_run *run, bough_error *error) {
    if (run->point.traffic->workload) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method loggops needs a schedule; %s is not one",
                      run->point.traffic->spec);
}

/* ---- rows ---- */

static bough_status add_jobs(const bough_traffic *t, const rank_engine *ranks, bough_rows *rows,
                             bough_error *error) {
    const bough_workload *w = t->workload;
    uint64_t *time;
    bough_status status = bough_alloc(&time, w->jobs, sizeof *time, error);
    for (uint32_t j = 0; j < w->jobs && !status; j++) time[j] = workload_job_time(t, ranks, j);
    TRY(schedule_job_rows(w, time, NULL, rows, error));
    free(time);
    return status;
}

static bough_status report(const bough_run *run, const rank_engine *ranks, bough_rows *rows,
                           bough_error *error) {
    const bough_workload *w = run->point.traffic->workload;
    const bough_schedule *s = w->schedule;
    const ranks_totals *t = ranks_result(ranks);
    bough_source_report left;
    ranks_time all = {0};
    ranks_report(ranks, &left);
    if (left.status) return bough_fail(error, left.status, NULL, "%s", left.text);
    for (unsigned i = 0; i < RANKS_LABELS; i++) {
        all.compute += t->time[i].compute;
        all.overhead += t->time[i].overhead;
        all.wait += t->time[i].wait;
    }
    const optional_row lines[] = {
        {true, BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(left.end)},
        {true, BOUGH_METRIC_RANK_COMPUTE, schedule_share(all.compute, s->ranks)},
        {true, BOUGH_METRIC_RANK_OVERHEAD, schedule_share(all.overhead, s->ranks)},
        {true, BOUGH_METRIC_RANK_WAIT, schedule_share(all.wait, s->ranks)},
        {true, BOUGH_METRIC_MESSAGES, (double)t->messages},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    TRY(schedule_rows(w, &left, left.end, rows, error));
    if (!status && !w->jobs) status = schedule_label_rows(s, t, rows, error);
    if (!status && w->jobs) status = add_jobs(run->point.traffic, ranks, rows, error);
    for (uint32_t r = 0; r < s->ranks && run->args.value[P_RANKS].integer && !status; r++)
        status =
            bough_rows_add(rows, BOUGH_METRIC_RANK_END, r, schedule_seconds(ranks_end_of(ranks, r)), error);
    return status;
}

/* ---- trials ---- */

static bough_status loggops_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    enum { GRAIN = 1 << 16 };
    const bough_traffic *traffic = run->point.traffic;
    bough_status status = BOUGH_OK;
    rank_engine *ranks = *space;
    (void)key;
    if (!ranks) status = ranks_make(traffic->workload, workload_match(traffic), false, &ranks, error);
    if (status) return status;
    *space = ranks;
    ranks_start(ranks);
    while (ranks_go(ranks, GRAIN)) {
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (run->progress)
            run->progress(run->progress_context,
                          (double)ranks_result(ranks)->ended / (double)traffic->workload->schedule->ops);
    }
    return report(run, ranks, rows, error);
}

static void loggops_free(void *space) {
    ranks_destroy(space);
}

const bough_method bough_method_loggops = {
    .name = "loggops",
    .summary = "schedules without contention: hosts, latency and bandwidth of the LogGOPS model",
    .source = "Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_traffic = 1 << BOUGH_SCHEDULE,
    .exact = true,
    .assumes = BOUGH_ASSUMES_NO_FAULTS,
    .open = loggops_open,
    .trial = loggops_trial,
    .free_workspace = loggops_free,
};
