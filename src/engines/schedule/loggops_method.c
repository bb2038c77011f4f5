/* The method `loggops`: a schedule on hosts with CPU overheads, and a network in which only hosts contend.
 * Rules: traffic/schedules/ranks.h. With L and G given, the network has the constant costs of LogGOPSim;
 * otherwise its paths determine them (host_network.h). */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/method_list.h"
#include "engines/schedule/host_network.h"
#include "method/assumptions.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "method/transfers/schedule_rows.h"
#include "method/transfers/timeline_rows.h"
#include "traffic/schedules/ranks.h"
#include "traffic/schedules/workload.h"

#include <stdio.h>
#include <stdlib.h>

enum { P_RANKS, P_CRITICAL };

static const bough_param params[] = {
    [P_RANKS] = {"ranks", "time when the last operation of every rank ended", BOUGH_FLAG, "0"},
    [P_CRITICAL] = TIMELINE_PARAM,
    BOUGH_PARAMS_END,
};

static bool has_constant_costs(const bough_run *run) {
    return run->point.traffic->workload->host.G != BOUGH_FROM_NETWORK;
}

static bool is_critical(const bough_run *run) {
    return run->args.value[P_CRITICAL].integer;
}

static void assume(bough_run *run) {
    const bough_host *host = &run->point.traffic->workload->host;
    char text[40];
    if (has_constant_costs(run)) {
        run_assume(run, "links", "G=%s a byte",
                   bough_format_measure(BOUGH_TIME, (int64_t)host->G, text, sizeof text));
        run_assume(run, "delay", "L=%s a message",
                   bough_format_measure(BOUGH_TIME, (int64_t)host->L, text, sizeof text));
    } else {
        run_assume_links(run, 0);
        run_assume_delay(run);
    }
    run_assume_sizes(run, 1);
    run_assume(run, "sharing", "at hosts only, one message at a time");
    run_assume_hosts(run);
}

static bough_status loggops_open(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    if (!run->point.traffic->workload)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method loggops needs a schedule; %s is not one",
                          run->point.traffic->spec);
    assume(run);
    if (has_constant_costs(run)) return timeline_rows_open(run, is_critical(run), error);
    if (!(net->capabilities & BOUGH_HAS_ROUTES))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "loggops needs a network with routes, or the traffic's L= and G=; %s does not qualify",
            net->spec);
    run->bytes = host_network_bytes(net);
    return timeline_rows_open(run, is_critical(run), error);
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

/* A trial that has ended. */
typedef struct finished {
    const bough_run *run;
    const rank_engine *ranks;
    lost_messages lost;
    const timeline *seen;
} finished;

static bough_status report(const finished *trial, bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    const rank_engine *ranks = trial->ranks;
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
    bool ends = !left.waiting;
    const optional_row lines[] = {
        {ends, BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(left.end)},
        {ends, BOUGH_METRIC_RANK_COMPUTE, schedule_share(all.compute, bough_schedule_hosts(s))},
        {ends, BOUGH_METRIC_RANK_OVERHEAD, schedule_share(all.overhead, bough_schedule_hosts(s))},
        {ends, BOUGH_METRIC_RANK_WAIT, schedule_share(all.wait, bough_schedule_hosts(s))},
        {true, BOUGH_METRIC_MESSAGES, (double)t->messages},
        {trial->lost.count > 0, BOUGH_METRIC_UNROUTED, (double)trial->lost.count},
    };
    if (trial->lost.count) {
        const unrouted_message first = {trial->lost.source, trial->lost.address};
        rows->outcome = BOUGH_RUN_PARTIAL;
        rows_note_unrouted(rows, run->point.net, trial->lost.count, &first);
    }
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    TRY(schedule_rows(w, &left, left.end, rows, error));
    if (!status && ends && !w->jobs) status = schedule_label_rows(s, t, rows, error);
    if (!status && w->jobs) status = add_jobs(run->point.traffic, ranks, rows, error);
    for (uint32_t r = 0; r < bough_schedule_hosts(s) && run->args.value[P_RANKS].integer && !status; r++)
        if (!ranks_hangs(ranks, r))
            status = bough_rows_add(rows, BOUGH_METRIC_RANK_END, r, schedule_seconds(ranks_end_of(ranks, r)),
                                    error);
    return status ? status : timeline_rows_add(run, trial->seen, ends, rows, error);
}

/* ---- trials ---- */

/* One of two networks. */
typedef struct workspace {
    rank_engine *ranks; /* constant costs */
    host_network *network;
    timeline *seen; /* of the trial; NULL: nothing is recorded */
} workspace;

static bough_status run_constant(const method_trial *constant, workspace *w, bough_rows *rows,
                                 bough_error *error) {
    enum { GRAIN = 1 << 16 };
    const bough_run *run = constant->run;
    const bough_traffic *traffic = run->point.traffic;
    bough_status status = BOUGH_OK;
    if (!w->ranks) status = ranks_make(traffic->workload, workload_match(traffic), false, &w->ranks, error);
    if (status) return status;
    ranks_on(w->ranks, run->point.net);
    ranks_vary(w->ranks, constant->key);
    ranks_observe(w->ranks, w->seen);
    ranks_start(w->ranks);
    while (ranks_go(w->ranks, GRAIN)) {
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (run->progress)
            run->progress(run->progress_context,
                          (double)ranks_result(w->ranks)->ended / (double)traffic->workload->schedule->ops);
    }
    const ranks_totals *t = ranks_result(w->ranks);
    const uint32_t *endpoint = traffic->workload->endpoint;
    finished trial = {run, w->ranks, {.count = t->unrouted}, w->seen};
    if (t->unrouted) {
        trial.lost.source = endpoint[t->lost_from];
        trial.lost.address = (uint32_t)bough_endpoint_address(run->point.net, endpoint[t->lost_to]);
    }
    return report(&trial, rows, error);
}

static bough_status run_network(const method_trial *trial, workspace *w, bough_rows *rows,
                                bough_error *error) {
    const bough_run *run = trial->run;
    const bough_clock clock = {1, 1};
    bough_source *source = NULL;
    bough_status status = BOUGH_OK;
    if (!w->network) status = host_network_make(run->point.routing, &w->network, error);
    TRY(bough_traffic_open(run->point.traffic, trial->key, &clock, &source, error));
    if (status) return status;
    workload_observe(source, w->seen);
    host_network_observe(w->network, w->seen);
    status = host_network_run(w->network, run, trial->key, source, error);
    const finished done = {run, workload_ranks(source), host_network_lost(w->network), w->seen};
    TRY(report(&done, rows, error));
    source->close(source);
    return status;
}

static bough_status loggops_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    const method_trial trial = {run, key};
    status = timeline_rows_begin(run, is_critical(run), &w->seen, error);
    if (!status && has_constant_costs(run))
        status = run_constant(&trial, w, rows, error);
    else if (!status)
        status = run_network(&trial, w, rows, error);
    timeline_rows_end(run, w->seen);
    w->seen = NULL;
    return status;
}

static void loggops_free(void *space) {
    workspace *w = space;
    ranks_destroy(w->ranks);
    host_network_destroy(w->network);
    free(w);
}

const bough_method bough_method_loggops = {
    .name = "loggops",
    .summary =
        "schedules without contention in the network: hosts, latency and bandwidth of the LogGOPS model",
    .source = "Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_traffic = 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_timeline = true,
    .exact = true,
    .open = loggops_open,
    .trial = loggops_trial,
    .free_workspace = loggops_free,
};
