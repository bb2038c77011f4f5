/* The method `flow`: completion times of messages under max-min fair sharing of links. Model, units and
 * accuracy: flow_events.h. */
#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/engine_list.h"
#include "engines/flow/flow_events.h"
#include "method/assumptions.h"
#include "method/rows.h"
#include "method/transfers/schedule_rows.h"
#include "method/transfers/timeline_rows.h"
#include "method/transfers/transfer_rows.h"
#include "models/link_load/link_loads.h"
#include "routing/adaptive/adaptive.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- flow jobs ---- */

/* Jobs one by one: each alone, and each beside each other one, in the placement of all. The slowdown of a
 * job, and the links that it shares with another. */

typedef enum flow_jobs_wanted { FLOW_JOBS_TOGETHER, FLOW_JOBS_ALONE, FLOW_JOBS_PAIRS } flow_jobs_wanted;

typedef struct flow_jobs {
    const bough_run *run;
    bough_key key;
    flow_engine *engine; /* runs the jobs; results of an earlier run are lost */
    uint64_t unit;       /* bytes */
    flow_jobs_wanted wanted;
} flow_jobs;

/* ---- what is possible ---- */

static uint64_t jobs_of(const bough_run *run) {
    return run->point.traffic->workload ? run->point.traffic->workload->jobs : 0;
}

/* Errors: UNSUPPORTED: the traffic has no jobs, or more than a matrix has room for. */
static bough_status flow_jobs_check(const bough_run *run, flow_jobs_wanted wanted, bough_error *error) {
    const char *key = wanted == FLOW_JOBS_PAIRS ? "interference" : "alone";
    const uint64_t jobs = jobs_of(run);
    if (wanted == FLOW_JOBS_TOGETHER) return BOUGH_OK;
    if (!jobs)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s=1 needs jobs, and %s has none", key,
                          run->point.traffic->spec);
    if (wanted == FLOW_JOBS_PAIRS && jobs > INDEX_PAIRS)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "interference=1 runs every pair of jobs; %s has %" PRIu64
                          " jobs, and at most %d are possible",
                          run->point.traffic->spec, jobs, INDEX_PAIRS);
    return BOUGH_OK;
}

/* Number of runs, that of all jobs together included. */
static uint64_t flow_jobs_runs(const bough_run *run, flow_jobs_wanted wanted) {
    const uint64_t jobs = jobs_of(run);
    if (wanted == FLOW_JOBS_TOGETHER) return 1;
    return 1 + jobs + (wanted == FLOW_JOBS_PAIRS ? jobs * (jobs - 1) / 2 : 0);
}

static uint64_t flow_jobs_bytes(const bough_run *run, flow_jobs_wanted wanted) {
    if (wanted != FLOW_JOBS_PAIRS) return 0;
    return bough_mul(jobs_of(run), bough_mul(words_for(run->point.net->links), sizeof(uint64_t)));
}

/* ---- runs ---- */

/* What the runs found; NULL: not wanted. */
typedef struct found {
    uint64_t *alone;  /* [jobs], ps */
    uint64_t *beside; /* [job][other job], ps */
    uint64_t *links;  /* [job][words]: bits of the links that carry its messages when it is alone */
    uint64_t runs;    /* done */
} found;

static bough_status run_jobs(const flow_jobs *jobs, uint32_t one, uint32_t other, found *f,
                             bough_error *error) {
    const bough_run *run = jobs->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, jobs->unit};
    const workload_jobs pair = {jobs->key, &clock, one, other};
    flow_input input = {.key = jobs->key, .run = run};
    bough_status status = workload_open_jobs(traffic, &pair, &input.source, error);
    if (status) return status;
    status = flow_run(jobs->engine, &input, error);
    const rank_engine *ranks = workload_ranks(input.source);
    if (!status && one == other) f->alone[one] = workload_job_time(traffic, ranks, one);
    if (!status && one != other) {
        const uint64_t n = traffic->workload->jobs;
        f->beside[one * n + other] = workload_job_time(traffic, ranks, one);
        f->beside[other * n + one] = workload_job_time(traffic, ranks, other);
    }
    input.source->close(input.source);
    f->runs++;
    if (run->progress)
        run->progress(run->progress_context,
                      (double)(1 + f->runs) / (double)flow_jobs_runs(run, jobs->wanted));
    return status;
}

static void note_links(const flow_jobs *jobs, uint64_t *bits) {
    for (uint64_t l = 0; l < jobs->run->point.net->links; l++)
        if (flow_carried(jobs->engine, l) > 0) set_bit(bits, l);
}

static bough_status run_all(const flow_jobs *jobs, found *f, bough_error *error) {
    const uint32_t n = (uint32_t)jobs_of(jobs->run);
    const uint64_t words = words_for(jobs->run->point.net->links);
    bool pairs = jobs->wanted == FLOW_JOBS_PAIRS;
    bough_status status = bough_alloc(&f->alone, n, sizeof *f->alone, error);
    if (pairs) TRY(bough_alloc(&f->beside, (uint64_t)n * n, sizeof *f->beside, error));
    if (pairs) TRY(bough_alloc(&f->links, bough_mul(n, words), sizeof *f->links, error));
    for (uint32_t i = 0; i < n && !status; i++) {
        status = run_jobs(jobs, i, i, f, error);
        if (!status && pairs) note_links(jobs, f->links + i * words);
    }
    for (uint32_t i = 0; i < n && pairs; i++)
        for (uint32_t j = i + 1; j < n && !status; j++) status = run_jobs(jobs, i, j, f, error);
    return status;
}

/* ---- rows ---- */

static bough_status slowdown_rows(const found *f, uint32_t jobs, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < jobs; i++)
        for (uint32_t j = 0; j < jobs && !status; j++) {
            uint64_t alone = f->alone[i], beside = f->beside[(uint64_t)i * jobs + j];
            if (i == j || !alone || alone == BOUGH_NONE || beside == BOUGH_NONE) continue;
            status = bough_rows_add(rows, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(i, j),
                                    (double)beside / (double)alone, error);
        }
    return status;
}

static uint64_t shared(const uint64_t *a, const uint64_t *b, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(a[w] & b[w]);
    return count;
}

static bough_status link_rows(const flow_jobs *jobs, const found *f, bough_rows *rows, bough_error *error) {
    const uint32_t n = (uint32_t)jobs_of(jobs->run);
    const uint64_t words = words_for(jobs->run->point.net->links);
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_JOB_LINKS, i,
                                (double)shared(f->links + i * words, f->links + i * words, words), error);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n && !status; j++)
            if (i != j)
                status =
                    bough_rows_add(rows, BOUGH_METRIC_JOB_LINKS_SHARED, index_pair(i, j),
                                   (double)shared(f->links + i * words, f->links + j * words, words), error);
    return status;
}

/* Adds the rows of jobs. time: [jobs], ps, of all together. Errors: those of flow_run. */
/* The runs of single jobs come last because they reuse the engine. */
static bough_status flow_jobs_rows(const flow_jobs *jobs, const uint64_t *time, bough_rows *rows,
                                   bough_error *error) {
    const bough_workload *w = jobs->run->point.traffic->workload;
    found f = {0};
    bough_status status = BOUGH_OK;
    if (!w->jobs) return BOUGH_OK;
    if (jobs->wanted != FLOW_JOBS_TOGETHER) status = run_all(jobs, &f, error);
    TRY(schedule_job_rows(w, time, f.alone, rows, error));
    if (f.beside) TRY(slowdown_rows(&f, w->jobs, rows, error));
    if (f.links) TRY(link_rows(jobs, &f, rows, error));
    FREE_ALL(f.alone, f.beside, f.links);
    return status;
}

/* ---- flow method ---- */

enum {
    P_SIZE,
    P_RATE,
    P_HOST_RATE,
    P_DELAY,
    P_SPRAY,
    P_IDEAL,
    P_ALONE,
    P_INTERFERENCE,
    P_LEVELS,
    P_HOT,
    P_CRITICAL
};

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
    [P_SPRAY] = {"spray",
                 "divide every message equally among the links that the routing leaves at each switch, as "
                 "many packets do, in place of one path a message; default: 1 under adaptive routing, else 0",
                 BOUGH_FLAG, ""},
    [P_IDEAL] = {"ideal", "also run the ideal case, in which only endpoint links limit (a second run)",
                 BOUGH_FLAG, "1"},
    [P_ALONE] = {"alone",
                 "also run every job alone with the same placement, for job_slowdown (one run per job)",
                 BOUGH_FLAG, "0"},
    [P_INTERFERENCE] =
        {"interference",
         "also run every job alone and beside each other one, for job_slowdown_by and the links "
         "that they share (jobs (jobs + 1) / 2 runs)",
         BOUGH_FLAG, "0"},
    [P_LEVELS] = {"levels", "report utilization of links by level", BOUGH_FLAG, "0"},
    [P_HOT] = {"hot", "number of hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},
    [P_CRITICAL] = TIMELINE_PARAM,
    BOUGH_PARAMS_END,
};

/* ---- binding ---- */

static flow_options options_of(const bough_run *run) {
    const bough_value *v = run->args.value;
    return (flow_options){.unit = (uint64_t)v[P_SIZE].integer,
                          .rate = (uint64_t)v[P_RATE].integer,
                          .host_rate = (uint64_t)v[P_HOST_RATE].integer,
                          .delay = v[P_DELAY].given ? (uint64_t)v[P_DELAY].integer : BOUGH_NONE,
                          .spray = v[P_SPRAY].integer,
                          .threads = run->threads};
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
    if (v[P_SPRAY].integer) run_assume(run, "paths", "all, in equal parts at each switch");
    run_assume_hosts(run);
}

static flow_jobs_wanted flow_jobs_of(const bough_run *run) {
    const bough_value *v = run->args.value;
    return v[P_INTERFERENCE].integer ? FLOW_JOBS_PAIRS
           : v[P_ALONE].integer      ? FLOW_JOBS_ALONE
                                     : FLOW_JOBS_TOGETHER;
}

static bough_status flow_open(bough_run *run, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    if (traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "flow runs until the last message has arrived, but %s is endless; use batches "
                          "(randperm), message files with times, or schedules",
                          traffic->spec);
    bough_status status = flow_jobs_check(run, flow_jobs_of(run), error);
    if (status) return status;
    if (!run->args.value[P_SIZE].set)
        bough_args_set_int(&run->args, "size", traffic->shape == BOUGH_SCHEDULE ? 1 : 1000000);
    const bough_routing *routing = run->point.routing;
    if (!run->args.value[P_SPRAY].set && bough_routing_adaptive(routing, NULL, NULL))
        bough_args_set_int(&run->args, "spray", 1);
    bool spray = run->args.value[P_SPRAY].integer;
    if (spray) run->random_links = "divides each message over all its paths";
    run->draws = spray ? routing->kind->via != NULL : !bough_routing_deterministic(routing); /* paths */
    assume(run);
    run->bytes = flow_bytes(routing, traffic->messages, spray);
    run->parallel = true;
    run->bytes = bough_add(run->bytes, flow_jobs_bytes(run, flow_jobs_of(run)));
    /* the ideal run beside the real one */
    if (run->args.value[P_IDEAL].integer)
        run->bytes_team =
            bough_add(flow_bytes_beside(routing, traffic->messages, spray), traffic->source_bytes);
    return timeline_rows_open(run, run->args.value[P_CRITICAL].integer, error);
}

/* Engines are made when they are first used. ideal: of the ideal run, where both runs run at a time. */
typedef struct workspace {
    flow_engine *engine, *ideal;
    flow_path_ring *ring; /* from the ideal run, which is faster, to the real one; NULL: none */
} workspace;

/* A trial with its engine. */
typedef struct simulation {
    const bough_run *run;
    bough_key key;
    flow_engine *engine;
    thread_team *team;    /* NULL: one thread */
    flow_path_ring *ring; /* NULL: the runs are not beside each other */
} simulation;

/* Result of a run. */
typedef struct outcome {
    uint64_t end;   /* ps */
    timeline *seen; /* the record of the run; NULL: none */
    transfer_schedule schedule;
} outcome;

/* ---- rows ---- */

/* Bits carried over capacity, for the whole run. */
static double use_of(const void *engine, uint64_t link, uint64_t end) {
    return flow_carried(engine, link) / flow_capacity(engine, link) * 1e12 / (double)end;
}

static void write_note(const bough_net *net, const flow_totals *t, const transfer_result *r,
                       bough_rows *rows) {
    static const char *const why[] = {"", "no next link", "another endpoint", "a loop"};
    char at[64];
    rows_note_unrouted(rows, net, t->unrouted, &(unrouted_message){t->lost.source, t->lost.address});
    rows_note_append(rows, " (%s at %s)", why[t->lost_end], bough_node_name(net, t->lost_at, at, sizeof at));
    if (r->hangs || !t->arrived) return;
    rows_note_append(rows, "; the times are of the %" PRIu64 " that arrived%s", t->arrived,
                     r->ends ? "" : ", and the whole has none");
}

/* All messages of a batch have arrived, or all ranks of a schedule are done. */
static bool ends(const simulation *trial, const outcome *real) {
    return real->schedule.schedule ? !real->schedule.report.waiting : !flow_result(trial->engine)->unrouted;
}

/* A schedule that hangs has counts only. */
static bough_status report(const simulation *trial, const outcome *real, transfer_links *links,
                           bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    const flow_totals *t = flow_result(trial->engine);
    const transfer_result result = {.net = run->point.net,
                                    .end = real->end,
                                    .hangs = real->schedule.report.waiting > 0,
                                    .ends = ends(trial, real),
                                    .arrived = t->arrived,
                                    .hops = t->hops,
                                    .senders = t->senders,
                                    .unrouted = t->unrouted,
                                    .bits = t->bits,
                                    .inside = t->inside,
                                    .time = flow_times(trial->engine),
                                    .engine = trial->engine,
                                    .use = use_of,
                                    .levels = run->args.value[P_LEVELS].integer,
                                    .hot = (unsigned)run->args.value[P_HOT].integer,
                                    .threads = run->threads};
    if (t->unrouted) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        write_note(run->point.net, t, &result, rows);
    }
    return transfer_rows(&result, links, rows, error);
}

/* ---- trials ---- */

/* The ideal run is usually the smaller part of the work and does not report progress. */
static bough_status run_once(const simulation *trial, bool ends_only, outcome *out, bough_error *error) {
    const bough_run *run = trial->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, (uint64_t)run->args.value[P_SIZE].integer};
    /* The share of this run in the progress: one of all runs. */
    uint64_t runs = flow_jobs_runs(run, flow_jobs_of(run));
    flow_input input = {.key = trial->key,
                        .ends_only = ends_only,
                        .run = run,
                        .messages = ends_only ? 0 : bough_mul(traffic->messages, runs),
                        .seen = out->seen,
                        .team = trial->team,
                        .gives = ends_only ? trial->ring : NULL,
                        .takes = ends_only ? NULL : trial->ring};
    bough_status status = bough_traffic_open(traffic, trial->key, &clock, &input.source, error);
    if (status) return status;
    workload_observe(input.source, out->seen);
    status = flow_run(trial->engine, &input, error);
    TRY(transfer_schedule_read(traffic, input.source, &out->schedule, error));
    input.source->close(input.source);
    out->end = flow_result(trial->engine)->end;
    if (out->schedule.report.end > out->end) out->end = out->schedule.report.end;
    return status;
}

/* ---- the real and the ideal run, one after the other or at a time ---- */

/* two: that of the ideal run, too. */
static bough_status make_engines(const bough_run *run, bool two, workspace *space, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    const flow_options o = options_of(run);
    const uint64_t messages = traffic->shape == BOUGH_BATCH ? traffic->messages : 0;
    bough_status status = BOUGH_OK;
    if (!space->engine) status = flow_make(run->point.routing, &o, messages, &space->engine, error);
    if (!two || space->ideal) return status;
    TRY(flow_make_beside(space->engine, messages, &space->ideal, error));
    TRY(flow_make_ring(space->engine, traffic->messages, &space->ring, error));
    return status;
}

typedef struct two_runs {
    simulation *trial;
    flow_engine *ideal_engine;
    outcome *real, *ideal;
    bough_status status, ideal_status;
    bough_error error, ideal_error;
} two_runs;

/* The real run reports progress, so it belongs to the thread of the trial. */
static void lead_real(void *context, thread_team *team) {
    two_runs *t = context;
    t->trial->team = team;
    t->status = run_once(t->trial, false, t->real, &t->error);
}

static void lead_ideal(void *context, thread_team *team) {
    two_runs *t = context;
    simulation own = {.run = t->trial->run,
                      .key = t->trial->key,
                      .engine = t->ideal_engine,
                      .team = team,
                      .ring = t->trial->ring};
    t->ideal_status = run_once(&own, true, t->ideal, &t->ideal_error);
}

/* On one thread, the real run has the engine of the ideal one. */
static bough_status run_both(simulation *trial, workspace *space, outcome *real, outcome *ideal,
                             bough_error *error) {
    bool wanted = trial->run->args.value[P_IDEAL].integer;
    const unsigned threads = trial->run->threads;
    const bool two = threads > 1 && wanted;
    bough_status status = make_engines(trial->run, two, space, error);
    if (status) return status;
    trial->engine = space->engine;
    two_runs t = {.trial = trial, .ideal_engine = space->ideal, .real = real, .ideal = ideal};
    trial->ring = two ? space->ring : NULL;
    if (trial->ring) flow_path_ring_clear(trial->ring);
    if (two) {
        team_run_two(threads, (void (*const[2])(void *, thread_team *)){lead_real, lead_ideal}, &t);
    } else {
        if (wanted) t.ideal_status = run_once(trial, true, ideal, &t.ideal_error);
        if (!t.ideal_status) team_run(threads, lead_real, &t);
    }
    trial->team = NULL;
    trial->ring = NULL;
    status = t.ideal_status ? t.ideal_status : t.status;
    if (status && error) *error = t.ideal_status ? t.ideal_error : t.error;
    return status;
}

static bough_status flow_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                               bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    simulation trial = {.run = run, .key = key};
    outcome ideal = {0}, real = {0};
    bough_status status = BOUGH_OK;
    if (!*space) status = bough_alloc(space, 1, sizeof(workspace), error);
    TRY(transfer_schedule_init(traffic, &real.schedule, error));
    TRY(timeline_rows_begin(run, run->args.value[P_CRITICAL].integer, &real.seen, error));
    TRY(run_both(&trial, *space, &real, &ideal, error));
    transfer_links links;
    TRY(report(&trial, &real, &links, rows, error));
    if (real.schedule.schedule)
        TRY(schedule_rows(traffic->workload, &real.schedule.report, real.end, rows, error));
    if (!status && ends(&trial, &real) && ideal.end)
        status = bough_rows_add(rows, BOUGH_METRIC_IDEAL_SHARE, BOUGH_NO_ROW_INDEX,
                                (double)ideal.end / (double)real.end, error);
    TRY(transfer_label_rows(traffic, &real.schedule, rows, error));
    TRY(timeline_rows_add(run, real.seen, real.seen && ends(&trial, &real), rows, error));
    timeline_rows_end(run, real.seen);
    if (!status) transfer_name_links(run->point.net, &links, rows);
    if (!status && traffic->workload && ends(&trial, &real))
        transfer_name_most_used(run->point.net, &links, rows);
    if (real.schedule.job_time) {
        const flow_jobs jobs = {run, key, trial.engine, (uint64_t)run->args.value[P_SIZE].integer,
                                flow_jobs_of(run)};
        TRY(flow_jobs_rows(&jobs, real.schedule.job_time, rows, error));
    }
    transfer_schedule_fini(&real.schedule);
    return status;
}

static void flow_free(void *space) {
    workspace *w = space;
    if (!w) return;
    flow_destroy(w->engine);
    flow_destroy(w->ideal);
    flow_path_ring_free(w->ring);
    free(w);
}

static bough_status flow_links(const bough_run *run, bough_key key, bough_link_loads *loads,
                               bough_error *error) {
    const bough_net *net = run->point.net;
    const flow_options o = options_of(run);
    const link_loads_question question = {run->point.routing, run->point.traffic, key, o.unit};
    loads->sized = true;
    for (uint64_t l = 0; l < net->links; l++) loads->rate[l] = (double)flow_link_rate(net, &o, l);
    return link_loads_find(&question, &(link_loads){loads->flows, loads->bytes}, error);
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
    .takes_timeline = true,
    .exact = true,
    .random_links = "draws one path for each message",
    .open = flow_open,
    .trial = flow_trial,
    .free_workspace = flow_free,
    .links = flow_links,
};
