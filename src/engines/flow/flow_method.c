/* The method `flow`: completion times of messages under max-min fair sharing of links. Model, units and
 * accuracy: flow_events.h. */
#include "base/compare.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/flow/flow_events.h"
#include "engines/method_list.h"
#include "method/assumptions.h"
#include "method/engine.h"
#include "method/rows.h"
#include "method/schedule_rows.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_SIZE, P_RATE, P_HOST_RATE, P_DELAY, P_IDEAL, P_ALONE, P_LEVELS, P_HOT };

static const bough_param params[] = {
    [P_SIZE] = {"size",
                "bytes per unit of a message's size; default: 1MB, for schedules and lists 1B; their sizes "
                "are rounded up to whole units",
                BOUGH_BYTES, "", 1, 0x1p60, .echo = true},
    [P_RATE] = {"rate", "rate of all links; default: the network's and those of the physical setting",
                BOUGH_RATE, "", FLOW_RATE_MIN, FLOW_RATE_MAX},
    [P_HOST_RATE] = {"host_rate", "rate of endpoint links; default: as other links", BOUGH_RATE, "",
                     FLOW_RATE_MIN, FLOW_RATE_MAX},
    [P_DELAY] = {"delay", "delay of a link and the switch at its end; default: those of the physical setting",
                 BOUGH_TIME, "", 0, 1e12},
    [P_IDEAL] = {"ideal", "also run the ideal case, in which only endpoint links limit (a second run)",
                 BOUGH_FLAG, "1"},
    [P_ALONE] = {"alone",
                 "also run every job alone with the same placement, for job_slowdown (one run per job)",
                 BOUGH_FLAG, "0"},
    [P_LEVELS] = {"levels", "report utilization of links by level", BOUGH_FLAG, "0"},
    [P_HOT] = {"hot", "number of hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},
    BOUGH_PARAMS_END,
};

/* ---- binding ---- */

static flow_options options_of(const bough_run *run) {
    const bough_value *v = run->args.value;
    return (flow_options){.unit = (uint64_t)v[P_SIZE].integer,
                          .rate = (uint64_t)v[P_RATE].integer,
                          .host_rate = (uint64_t)v[P_HOST_RATE].integer,
                          .delay = v[P_DELAY].given ? (uint64_t)v[P_DELAY].integer : BOUGH_NONE};
}

static void assume(bough_run *run) {
    const bough_value *v = run->args.value;
    char text[40];
    run_assume_links(run, (uint64_t)v[P_RATE].integer);
    if (v[P_HOST_RATE].given)
        run_assume(run, "host links", "%s",
                   bough_format_measure(BOUGH_RATE, v[P_HOST_RATE].integer, text, sizeof text));
    if (v[P_DELAY].given)
        run_assume(run, "delay", "%s a link",
                   bough_format_measure(BOUGH_TIME, v[P_DELAY].integer, text, sizeof text));
    else
        run_assume_delay(run);
    run_assume_sizes(run, (uint64_t)v[P_SIZE].integer);
    run_assume(run, "sharing", "max-min fair");
    run_assume_hosts(run);
}

static bough_status flow_open(bough_run *run, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    if (traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "flow runs until the last message has arrived, but %s is endless; use batches "
                          "(randperm), message files with times, or schedules",
                          traffic->spec);
    if (run->args.value[P_ALONE].integer && !(traffic->workload && traffic->workload->jobs))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "alone=1 needs jobs, and %s has none",
                          traffic->spec);
    if (!run->args.value[P_SIZE].set)
        bough_args_set_int(&run->args, "size", traffic->shape == BOUGH_SCHEDULE ? 1 : 1000000);
    run->draws = !bough_routing_deterministic(run->point.routing); /* paths */
    assume(run);
    run->bytes = flow_bytes(run->point.routing, traffic->messages);
    return BOUGH_OK;
}

/* A trial with its engine. */
typedef struct simulation {
    const bough_run *run;
    bough_key key;
    flow_engine *engine;
} simulation;

/* Result of a run: its end, and the report of a schedule. */
typedef struct outcome {
    uint64_t end;
    bool schedule;
    bough_source_report report;
    uint64_t *job_time;   /* [jobs]; NULL: not requested */
    ranks_totals *totals; /* of a schedule; NULL: not requested */
} outcome;

/* ---- rows ---- */

/* Utilization of links: bits carried over capacity, for the whole run. */
typedef struct use {
    double links[SIM_KINDS], use[SIM_KINDS];
    double hot_use[SIM_HOT];
    uint64_t hot_link[SIM_HOT];
} use;

static void rank_link(use *u, uint64_t link, double share) {
    unsigned i = SIM_HOT;
    for (; i > 0 && share > u->hot_use[i - 1]; i--)
        if (i < SIM_HOT) u->hot_use[i] = u->hot_use[i - 1], u->hot_link[i] = u->hot_link[i - 1];
    if (i < SIM_HOT) u->hot_use[i] = share, u->hot_link[i] = link;
}

static void count_use(const bough_net *net, const flow_engine *e, uint64_t end, bool levels, use *u) {
    *u = (use){0};
    for (uint64_t l = 0; l < net->links && end > 0; l++) {
        double share = flow_carried(e, l) / flow_capacity(e, l) * 1e12 / (double)end;
        if (share > 0) rank_link(u, l, share);
        if (!levels) continue;
        u->links[sim_kind(net, l)]++;
        u->use[sim_kind(net, l)] += share;
    }
}

/* Number of requested links that carried traffic. */
static unsigned count_hot(const bough_run *run, const use *u) {
    unsigned count = 0;
    while (count < run->args.value[P_HOT].integer && u->hot_use[count] > 0) count++;
    return count;
}

static bough_status add_use(const bough_run *run, const use *u, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned kind = 0; kind < 2 * run->point.net->levels + 2 && kind < SIM_KINDS && !status; kind++)
        if (u->links[kind] > 0)
            status = bough_rows_add(rows, kind % 2 ? BOUGH_METRIC_LINK_USE_DOWN : BOUGH_METRIC_LINK_USE_UP,
                                    kind / 2, u->use[kind] / u->links[kind], error);
    for (unsigned i = 0, count = count_hot(run, u); i < count && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_HOT, (int64_t)u->hot_link[i], u->hot_use[i], error);
    return status;
}

/* complete: the traffic is a schedule that completes, or a batch. */
static void write_note(const bough_net *net, const flow_totals *t, bool complete, bough_rows *rows) {
    static const char *const why[] = {"", "no next link", "another endpoint", "a loop"};
    char at[64];
    rows_note_unrouted(rows, net, t->unrouted, &(unrouted_message){t->lost.source, t->lost.address});
    rows_note_append(rows, " (%s at %s)", why[t->lost_end], bough_node_name(net, t->lost_at, at, sizeof at));
    if (complete) rows_note_append(rows, "; the times are of the %" PRIu64 " that arrived", t->arrived);
}

static double mean(const uint64_t *value, uint64_t count) {
    unsigned __int128 sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += value[i];
    return (double)sum / (double)count;
}

/* A schedule that hangs has counts only. */
static bough_status report(const simulation *trial, const outcome *real, use *u, bough_rows *rows,
                           bough_error *error) {
    const bough_run *run = trial->run;
    flow_engine *e = trial->engine;
    const flow_totals *t = flow_result(e);
    uint64_t *time = flow_times(e), last = t->arrived ? t->arrived - 1 : 0, end = real->end;
    bool ends = !real->report.waiting, some = ends && t->arrived > 0, took = ends && end > 0;
    double rate = took ? t->bits * 1e3 / (double)end : 0; /* bit/ps to Gb/s */
    count_use(run->point.net, e, took ? end : 0, run->args.value[P_LEVELS].integer, u);
    if (some) qsort(time, t->arrived, sizeof *time, bough_compare_u64);
    const optional_row lines[] = {
        {ends, BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(end)},
        {some, BOUGH_METRIC_FCT, some ? mean(time, t->arrived) / 1e12 : 0},
        {some, BOUGH_METRIC_FCT_P50, schedule_seconds(some ? time[last / 2] : 0)},
        {some, BOUGH_METRIC_FCT_P99, schedule_seconds(some ? time[last - last / 100] : 0)},
        {some, BOUGH_METRIC_FCT_MAX, schedule_seconds(some ? time[last] : 0)},
        {took, BOUGH_METRIC_THROUGHPUT, rate},
        {took, BOUGH_METRIC_THROUGHPUT_ENDPOINT, rate / (double)(t->senders ? t->senders : 1)},
        {took, BOUGH_METRIC_LINK_USE_MAX, u->hot_use[0]},
        {true, BOUGH_METRIC_MESSAGES, (double)t->arrived},
        {some, BOUGH_METRIC_DISTANCE, (double)t->hops / (double)t->arrived},
        {t->unrouted > 0, BOUGH_METRIC_UNROUTED, (double)t->unrouted},
    };
    if (t->unrouted) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        write_note(run->point.net, t, ends, rows);
    }
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    return status ? status : add_use(run, u, rows, error);
}

/* ---- trials ---- */

/* The ideal run is usually a small part of the work and does not report progress. */
static bough_status run_once(const simulation *trial, bool ends_only, outcome *out, bough_error *error) {
    const bough_run *run = trial->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, (uint64_t)run->args.value[P_SIZE].integer};
    flow_input input = {NULL, trial->key, ends_only, run, ends_only ? 0 : traffic->messages};
    bough_status status = bough_traffic_open(traffic, trial->key, &clock, &input.source, error);
    if (status) return status;
    const rank_engine *ranks = traffic->workload ? workload_ranks(input.source) : NULL;
    status = flow_run(trial->engine, &input, error);
    TRY(schedule_ask(input.source, &out->schedule, &out->report, error));
    for (uint32_t j = 0; !status && out->job_time && j < traffic->workload->jobs; j++)
        out->job_time[j] = workload_job_time(traffic, ranks, j);
    if (!status && out->totals) *out->totals = *ranks_result(ranks);
    input.source->close(input.source);
    out->end = flow_result(trial->engine)->end;
    if (out->report.end > out->end) out->end = out->report.end;
    return status;
}

/* Runs each job alone. */
static bough_status run_alone(const simulation *trial, uint64_t *time, bough_error *error) {
    const bough_run *run = trial->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, (uint64_t)run->args.value[P_SIZE].integer};
    flow_input input = {.key = trial->key, .run = run};
    bough_status status = BOUGH_OK;
    for (uint32_t j = 0; j < traffic->workload->jobs && !status; j++) {
        status = workload_open_job(traffic, j, &clock, &input.source, error);
        if (status) return status;
        status = flow_run(trial->engine, &input, error);
        if (!status) time[j] = workload_job_time(traffic, workload_ranks(input.source), j);
        input.source->close(input.source);
    }
    return status;
}

/* Adds the rows of jobs. The runs of single jobs come last because they reuse the engine. */
static bough_status add_jobs(const simulation *trial, const uint64_t *time, bough_rows *rows,
                             bough_error *error) {
    const bough_workload *w = trial->run->point.traffic->workload;
    uint64_t *alone = NULL;
    bough_status status = BOUGH_OK;
    if (!time || !w->jobs) return BOUGH_OK;
    if (trial->run->args.value[P_ALONE].integer) {
        status = bough_alloc(&alone, w->jobs, sizeof *alone, error);
        TRY(run_alone(trial, alone, error));
    }
    TRY(schedule_job_rows(w, time, alone, rows, error));
    free(alone);
    return status;
}

static bough_status flow_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                               bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    flow_options o = options_of(run);
    simulation trial = {run, key, *space};
    outcome ideal = {0}, real = {0};
    bough_status status = BOUGH_OK;
    if (!*space) {
        status = flow_make(run->point.routing, &o, traffic->shape == BOUGH_BATCH ? traffic->messages : 0,
                           &trial.engine, error);
        *space = trial.engine;
    }
    if (run->args.value[P_IDEAL].integer) TRY(run_once(&trial, true, &ideal, error));
    if (traffic->workload) {
        TRY(bough_alloc(&real.job_time, traffic->workload->jobs, sizeof *real.job_time, error));
        TRY(bough_alloc(&real.totals, 1, sizeof *real.totals, error));
    }
    TRY(run_once(&trial, false, &real, error));
    use u;
    TRY(report(&trial, &real, &u, rows, error));
    if (real.schedule) TRY(schedule_rows(traffic->workload, &real.report, real.end, rows, error));
    bool ends = !real.report.waiting;
    if (!status && ends && ideal.end)
        status = bough_rows_add(rows, BOUGH_METRIC_IDEAL_SHARE, BOUGH_NO_ROW_INDEX,
                                (double)ideal.end / (double)real.end, error);
    /* the labels of jobs add nothing to their times */
    if (!status && ends && real.totals && !traffic->workload->jobs)
        status = schedule_label_rows(traffic->workload->schedule, real.totals, rows, error);
    TRY(add_jobs(&trial, real.job_time, rows, error));
    if (!status) sim_name_hot(run->point.net, u.hot_link, count_hot(run, &u), rows->note, sizeof rows->note);
    FREE_ALL(real.job_time, real.totals);
    return status;
}

static void flow_free(void *space) {
    flow_destroy(space);
}

const bough_method bough_method_flow = {
    .name = "flow",
    .summary =
        "messages as flows with max-min fair sharing of links: completion times, throughput, hot links",
    .source = "Bertsekas, Gallager: Data Networks, 1992, section 6.5.2",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .exact = true,
    .random_links = "draws one path for each message",
    .open = flow_open,
    .trial = flow_trial,
    .free_workspace = flow_free,
};
