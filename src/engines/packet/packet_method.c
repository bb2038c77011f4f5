#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "engines/engine_list.h"
#include "engines/packet/packet.h"
#include "engines/packet/packet_meetings.h"
#include "engines/packet/packet_timed.h"
#include "engines/packet/packet_verify.h"
#include "method/assumptions.h"
#include "method/engine_trial.h"
#include "method/message_routes.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "method/transfers/timeline_rows.h"
#include "method/transfers/transfer_rows.h"
#include "traffic/schedules/messages_in_flight.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- packet schedule ---- */

/* Schedules and lists of messages under `packet`: runs of the timed engine, and their results. */

typedef struct packet_schedule {
    packet_timed_options o; /* hops is set by packet_schedule_open */
    bool levels;            /* report the use of links by level */
    bool critical;          /* the parameter TIMELINE_PARAM */
    unsigned hot;           /* number of hottest links to report */
} packet_schedule;

/* ---- binding ---- */

static void assume(bough_run *run, const packet_schedule *s) {
    uint64_t header = bough_net_physical(run->point.net)->header;
    char data[40], more[40];
    run_format_bytes(s->o.packet, data, sizeof data);
    run_format_bytes(header, more, sizeof more);
    run_assume_links(run, s->o.rate);
    run_assume_delay(run);
    run_assume(run, "units", "packets of %s%s%s", data, header ? " and a header of " : "",
               header ? more : "");
    if (!run->point.traffic->law) run_assume_sizes(run, s->o.unit);
    run_assume(run, "sharing", s->o.half ? "cables in turn, queues without limit" : "queues without limit");
    run_assume_hosts(run);
}

/* Errors: those of survey_message_routes and packet_timed_check; UNSUPPORTED. */
static bough_status packet_schedule_check(bough_run *run, packet_schedule *s, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    if (routing->kind->via && routing->synchronous)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s waits until all packets are at their intermediate nodes, but the messages of "
                          "%s start at different times; use phase2=async",
                          routing->spec, run->point.traffic->spec);
    bough_status status = survey_message_routes(&run->point, &s->o.hops, error);
    TRY(packet_timed_check(routing, &s->o, error));
    if (!status) assume(run, s);
    return status;
}

/* Checks a point and sets run->bytes. */
static bough_status packet_schedule_open(bough_run *run, packet_schedule *s, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    const bough_traffic *traffic = run->point.traffic;
    messages_in_flight live;
    bough_status status = packet_schedule_check(run, s, error);
    TRY(messages_in_flight_of(traffic, s->o.packet, &live, error));
    if (status) return status;
    const packet_timed_load load = {live.messages, live.packets, traffic->messages};
    run->bytes = packet_timed_bytes(routing, &s->o, &load);
    return timeline_rows_open(run, s->critical, error);
}

/* ---- rows ---- */

static double use_of(const void *engine, uint64_t link, uint64_t end) {
    return (double)packet_timed_busy(engine, link) / (double)end;
}

static bough_status add_queues(const packet_timed_totals *t, bough_rows *rows, bough_error *error) {
    bool some = t->packets > 0;
    const optional_row lines[] = {
        {some, BOUGH_METRIC_QUEUE_DELAY, some ? (double)t->wait / (double)t->packets / 1e12 : 0},
        {some, BOUGH_METRIC_QUEUE_DELAY_MAX, schedule_seconds(t->wait_max)},
        {some, BOUGH_METRIC_QUEUE_MAX, (double)t->queue_max},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

/* A trial that has ended. */
typedef struct finished {
    const bough_run *run;
    const packet_schedule *s;
    packet_timed *engine;
    timeline *seen; /* NULL: nothing was recorded */
    transfer_schedule source;
} finished;

static bough_status report(const finished *t, bough_rows *rows, bough_error *error) {
    const bough_traffic *traffic = t->run->point.traffic;
    const packet_timed_totals *totals = packet_timed_result(t->engine);
    const bough_source_report *source = &t->source.report;
    transfer_links links;
    const transfer_result result = {.net = t->run->point.net,
                                    .end = totals->end > source->end ? totals->end : source->end,
                                    .arrived = totals->arrived,
                                    .hops = totals->hops,
                                    .hangs = source->waiting > 0,
                                    .ends = source->waiting == 0,
                                    .senders = totals->senders,
                                    .unrouted = totals->unrouted,
                                    .bits = totals->bits,
                                    .inside = totals->inside,
                                    .time = packet_timed_times(t->engine),
                                    .engine = t->engine,
                                    .use = use_of,
                                    .levels = t->s->levels,
                                    .hot = t->s->hot};
    if (totals->unrouted) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        rows_note_unrouted(rows, result.net, totals->unrouted,
                           &(unrouted_message){totals->lost.source, totals->lost.address});
    }
    bough_status status = transfer_rows(&result, &links, rows, error);
    if (!result.hangs) TRY(add_queues(totals, rows, error));
    TRY(schedule_rows(traffic->workload, source, result.end, rows, error));
    TRY(transfer_label_rows(traffic, &t->source, rows, error));
    TRY(timeline_rows_add(t->run, t->seen, result.ends, rows, error));
    if (!status) transfer_name_links(result.net, &links, rows);
    if (!status && traffic->workload && result.ends) transfer_name_most_used(result.net, &links, rows);
    if (!status && t->source.job_time)
        status = schedule_job_rows(traffic->workload, t->source.job_time, NULL, rows, error);
    return status;
}

/* ---- trials ---- */

/* *engine: NULL in the first trial; the caller destroys it. */
static bough_status packet_schedule_trial(const method_trial *trial, const packet_schedule *s,
                                          packet_timed **engine, bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, 1};
    packet_timed_input input = {.key = trial->key, .run = run, .messages = traffic->messages};
    finished t = {.run = run, .s = s};
    bough_status status = BOUGH_OK;
    if (!*engine) status = packet_timed_make(run->point.routing, &s->o, engine, error);
    t.engine = *engine;
    TRY(transfer_schedule_init(traffic, &t.source, error));
    TRY(timeline_rows_begin(run, s->critical, &t.seen, error));
    input.seen = t.seen;
    TRY(bough_traffic_open(traffic, trial->key, &clock, &input.source, error));
    if (!status) workload_observe(input.source, t.seen);
    TRY(packet_timed_run(t.engine, &input, error));
    TRY(transfer_schedule_read(traffic, input.source, &t.source, error));
    TRY(report(&t, rows, error));
    if (input.source) input.source->close(input.source);
    transfer_schedule_fini(&t.source);
    timeline_rows_end(run, t.seen);
    return status;
}

/* ---- packet method ---- */

enum {
    P_QUEUE = ENGINE_PARAMS,
    P_SETS,
    P_ORDERS,
    P_VERIFY,
    P_PACKET,
    P_RATE,
    P_DUPLEX,
    P_BUFFER,
    P_CRITICAL
};

static const bough_param params[] = {
    ENGINE_PARAM_LIST,
    [P_QUEUE] = {"queue", "queue discipline: first or last that arrived, most links to go, or random",
                 BOUGH_CHOICE, "fifo", .choices = "fifo|lifo|farthest|random"},
    [P_SETS] = {"sets",
                "report |S| of valiant1982: the number of other packets whose routes share a link with a "
                "packet's route",
                BOUGH_FLAG, "0"},
    [P_ORDERS] = {"orders",
                  "report congestion by the order of links (on a cube: by dimension, in the order in which "
                  "bits are fixed)",
                  BOUGH_FLAG, "0"},
    [P_VERIFY] =
        {"verify",
         "assert the results of valiant1982: Lemmas 3 and 4, 4d steps per phase, the mean congestion",
         BOUGH_FLAG, "0"},
    [P_PACKET] = {"packet", "time=physical: bytes of data in a packet; default: the physical setting's",
                  BOUGH_BYTES, "", 1, 0x1p40},
    [P_RATE] = {"rate",
                "time=physical: rate of all links; default: the network's and those of the physical setting",
                BOUGH_RATE, "", 1e6, 1e15},
    [P_DUPLEX] = {"duplex",
                  "full: each direction of a cable carries a packet per step; half: both together, in turn",
                  BOUGH_CHOICE, "full", .choices = "full|half"},
    [P_BUFFER] = {"buffer",
                  "steps: packets that a queue holds; packets then wait for room and can deadlock; default: "
                  "no limit",
                  BOUGH_INT, "", 1, 0x1p31},
    [P_CRITICAL] = TIMELINE_PARAM,
    BOUGH_PARAMS_END,
};

typedef struct setup {
    packet_options o;
    engine_settings a;
    unsigned phases;
    bool sets, orders, verify;
    bool schedule; /* the traffic is one */
    packet_schedule transfers;
} setup;

/* ---- binding ---- */

static bough_status check(const bough_run *run, bough_error *error) {
    const setup *s = run->data;
    const bough_point *p = &run->point;
    if (p->routing->kind->via && p->routing->synchronous && p->traffic->law)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s waits until all packets are at their intermediate nodes, but %s never ends; use phase2=async",
            p->routing->spec, p->traffic->spec);
    if ((s->sets || s->orders || s->verify) && p->traffic->shape != BOUGH_BATCH)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "packet: sets=1, orders=1 and verify=1 need a batch; %s is not one",
                          p->traffic->spec);
    if (s->orders && !bough_routing_ordered(p->routing))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "packet: orders=1 needs routes that ascend in the group order, which %s under %s does not have",
            p->net->spec, p->routing->spec);
    return BOUGH_OK;
}

/* Steps and time have different parameters. */
static bough_status check_units(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const char *traffic = run->point.traffic->spec;
    const setup *s = run->data;
    if (!run->in_seconds && (v[P_PACKET].given || v[P_RATE].given))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "packet: packet= and rate= apply to time=physical; %s counts steps, in which a "
                          "link carries one packet",
                          traffic);
    if (s->schedule && v[ENGINE_LIMIT].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "packet: limit= counts steps; %s runs in time, until its last message has arrived",
                          traffic);
    if (run->in_seconds && v[P_BUFFER].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "packet: buffer= applies to batches and streams that count steps; the queues of "
                          "%s%s have no limit",
                          traffic, s->schedule ? ", a schedule," : " with time=physical");
    if (run->in_seconds && (s->sets || s->orders || s->verify))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "packet: sets=1, orders=1 and verify=1 need a batch that counts steps");
    return BOUGH_OK;
}

static void set_schedule(bough_run *run) {
    const bough_value *v = run->args.value;
    setup *s = run->data;
    s->transfers =
        (packet_schedule){.o = {.queue = s->o.queue, .half = s->o.half, .rate = (uint64_t)v[P_RATE].integer},
                          .levels = s->a.levels,
                          .critical = v[P_CRITICAL].integer,
                          .hot = s->a.hot};
    s->transfers.o.packet =
        v[P_PACKET].given ? (uint64_t)v[P_PACKET].integer : bough_net_physical(run->point.net)->packet;
    s->transfers.o.unit = s->schedule ? 1 : s->transfers.o.packet;
}

/* Batches and streams with rates and delays. A cycle is the time of a packet at the fastest endpoint. */
static bough_status open_seconds(bough_run *run, bough_error *error) {
    setup *s = run->data;
    const uint64_t bytes = bough_add(s->transfers.o.packet, bough_net_physical(run->point.net)->header);
    bough_status status = packet_schedule_check(run, &s->transfers, error);
    if (status) return status;
    engine_clock_set(run, &(engine_unit){s->transfers.o.packet, bytes, 1, s->transfers.o.rate}, &s->a);
    s->a.plan.alone += engine_delay_alone(run, &s->a, s->phases * s->transfers.o.hops);
    s->a.plan.limit = bough_mul(s->a.plan.limit, (uint64_t)ceil(s->a.clock.cycle));
    s->a.plan.slice = UINT64_MAX;
    const uint64_t live = engine_live_messages(run, &s->a);
    const packet_timed_load load = {live, bough_mul(live, (uint64_t)ceil(s->a.flits)), 0};
    run->bytes = bough_add(packet_timed_bytes(run->point.routing, &s->transfers.o, &load),
                           engine_series_bytes(run, &s->a));
    return timeline_rows_open(run, run->args.value[P_CRITICAL].integer, error);
}

static bough_status open_steps(bough_run *run, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    setup *s = run->data;
    bough_status status = survey_message_routes(&run->point, &s->o.hops, error);
    TRY(packet_check(routing, &s->o, error));
    if (status) return status;
    run_assume(run, "time", "steps; a %s carries one packet in each", s->o.half ? "cable" : "link");
    if (s->o.buffer)
        run_assume(run, "sharing", "queues of %" PRIu32 " packet%s", s->o.buffer,
                   s->o.buffer == 1 ? "" : "s");
    else
        run_assume(run, "sharing", "queues without limit");
    s->a.steps = true;
    s->a.plan.alone += (uint64_t)s->phases * s->o.hops;
    uint64_t live = bough_mul(engine_live_messages(run, &s->a), (uint64_t)ceil(s->a.flits));
    run->bytes = bough_add(packet_bytes(routing, &s->o, live), engine_series_bytes(run, &s->a));
    run->parallel = packet_divides(routing, &s->o);
    if (run->parallel) run->bytes_each = bough_mul(live, PACKET_BYTES_EACH);
    return timeline_rows_open(run, run->args.value[P_CRITICAL].integer, error);
}

static bough_status packet_open(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_routing *routing = run->point.routing;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->sets = v[P_SETS].integer;
    s->orders = v[P_ORDERS].integer;
    s->verify = v[P_VERIFY].integer;
    s->phases = routing->kind->via ? 2 : 1;
    s->o.queue = (packet_discipline)v[P_QUEUE].integer;
    s->o.trace = s->sets || s->verify;
    s->o.half = v[P_DUPLEX].integer == 1;
    s->o.buffer = v[P_BUFFER].given ? (uint32_t)v[P_BUFFER].integer : 0;
    run->draws = !bough_routing_deterministic(routing) || s->o.queue == PACKET_RANDOM || s->o.half;
    s->schedule = run->point.traffic->shape == BOUGH_SCHEDULE;
    status = engine_settings_bind(run, 1, s->o.buffer > 0, &s->a, error);
    TRY(engine_time_bind(run, error));
    TRY(check_units(run, error));
    TRY(check(run, error));
    if (status) return status;
    if (!run->in_seconds) return open_steps(run, error);
    set_schedule(run);
    return s->schedule ? packet_schedule_open(run, &s->transfers, error) : open_seconds(run, error);
}

/* ---- rows ---- */

static bough_status add_phases(const packet_figures *f, unsigned phases, double links, bough_rows *rows,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < phases && phases > 1; i++) {
        const packet_phase *p = &f->phase[i];
        double packets = p->packets ? (double)p->packets : 1;
        uint64_t steps = i && p->end ? p->end - f->phase[0].end : p->end;
        const struct {
            bough_metric_id metric;
            double value;
        } row[] = {
            {BOUGH_METRIC_PHASE_STEPS, (double)steps},
            {BOUGH_METRIC_PHASE_DELAY, (double)p->delay / packets},
            {BOUGH_METRIC_PHASE_DELAY_MAX, (double)p->delay_max},
            {BOUGH_METRIC_PHASE_LOAD_MAX, (double)p->load_max},
            {BOUGH_METRIC_PHASE_CONGESTION, (double)p->crossings / links},
        };
        for (size_t r = 0; r < sizeof row / sizeof *row && !status; r++)
            status = bough_rows_add(rows, row[r].metric, i + 1, row[r].value, error);
    }
    return status;
}

static bough_status add_orders(const bough_run *run, const sim_engine *engine, unsigned phases,
                               bough_rows *rows, bough_error *error) {
    enum { RANKS = 256 };
    const bough_net *net = run->point.net;
    uint64_t links[RANKS] = {0}, crossed[2][RANKS] = {0};
    for (uint64_t l = 0; l < net->links; l++) {
        uint32_t rank = net->ops->group_order(net, net->ops->link_group(net, l));
        if (rank >= RANKS) continue;
        links[rank]++;
        for (unsigned i = 0; i < phases; i++) crossed[i][rank] += packet_crossed(engine, l, i);
    }
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < phases; i++)
        for (unsigned rank = 0; rank < RANKS && !status; rank++)
            if (links[rank])
                status = bough_rows_add(rows, BOUGH_METRIC_RANK_CONGESTION, 1000 * (i + 1) + rank,
                                        (double)crossed[i][rank] / (double)links[rank], error);
    return status;
}

static bough_status add_sets(const packet_routes *r, unsigned phases, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    double packets = r->trace.packets ? (double)r->trace.packets : 1;
    for (unsigned i = 0; i < phases && !status; i++) {
        const packet_meetings *m = &r->meetings[i];
        status = bough_rows_add(rows, BOUGH_METRIC_SHARERS, i + 1, (double)m->sharers / packets, error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_SHARERS_MAX, i + 1, (double)m->sharers_max, error));
    }
    return status;
}

static bough_status add_routes(const bough_run *run, const sim_engine *engine, bough_rows *rows,
                               bough_error *error) {
    const setup *s = run->data;
    packet_routes routes = {.idle = s->o.half || s->o.buffer};
    bough_status status = BOUGH_OK;
    packet_trace_of(engine, &routes.trace);
    for (unsigned i = 0; i < s->phases && !status; i++)
        status = packet_meet(&routes.trace, i, &routes.meetings[i], error);
    if (!status && s->sets) status = add_sets(&routes, s->phases, rows, error);
    if (!status && s->verify) status = packet_verify(run, engine, &routes, rows, error);
    return status;
}

static bough_status add_rows(const bough_run *run, const sim_engine *engine, const measurement *result,
                             bough_rows *rows, bough_error *error) {
    const setup *s = run->data;
    bool batch = !run->point.traffic->law;
    packet_figures f;
    packet_figures_of(engine, &f);
    double links = (double)run->point.net->links;
    const optional_row lines[] = {
        {f.packets > 0, BOUGH_METRIC_DELAY, (double)f.delay / (double)f.packets},
        {f.packets > 0, BOUGH_METRIC_DELAY_MAX, (double)f.delay_max},
        {true, BOUGH_METRIC_QUEUE_MAX, (double)f.queue_max},
        {batch, BOUGH_METRIC_LINK_LOAD_MAX, (double)f.load_max},
        {batch, BOUGH_METRIC_CONGESTION, (double)(f.phase[0].crossings + f.phase[1].crossings) / links},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (!status && batch && !result->stuck) status = add_phases(&f, s->phases, links, rows, error);
    if (!status && s->orders) status = add_orders(run, engine, s->phases, rows, error);
    if (!status && s->o.trace && !result->cut_off && !result->stuck)
        status = add_routes(run, engine, rows, error);
    return status;
}

/* ---- trials ---- */

static bough_status make_engine(const bough_run *run, sim_engine **engine, bough_error *error) {
    const setup *s = run->data;
    packet_options o = s->o;
    packet_timed *timed;
    if (run->in_seconds) {
        bough_status status = packet_timed_make(run->point.routing, &s->transfers.o, &timed, error);
        if (!status) *engine = packet_timed_engine(timed);
        return status;
    }
    o.threads = run->threads;
    if (run->point.traffic->shape == BOUGH_BATCH) o.packets = run->point.traffic->messages;
    return packet_make(run->point.routing, &o, engine, error);
}

/* One of two engines. */
typedef struct workspace {
    void *steps; /* an engine_workspace */
    packet_timed *timed;
} workspace;

/* A trial in steps, on the threads of a team. */
typedef struct steps_trial {
    engine_trial trial;
    workspace *w;
    measurement result;
    bough_rows *rows;
    bough_status status;
    bough_error *error;
} steps_trial;

static void simulate(void *context, thread_team *team) {
    steps_trial *s = context;
    s->trial.team = team;
    s->status = engine_trial_run(&s->trial, &s->w->steps, &s->result, s->rows, s->error);
}

static bough_status run_steps(const method_trial *t, workspace *w, bough_rows *rows, bough_error *error) {
    const setup *s = t->run->data;
    steps_trial trial = {.trial = {t->run, t->key, &s->a, make_engine}, .w = w, .rows = rows, .error = error};
    team_run(t->run->threads, simulate, &trial);
    const engine_workspace *steps = w->steps;
    if (t->run->in_seconds && !trial.status && !s->a.saturation)
        return add_queues(packet_timed_result(packet_timed_of(steps->engine)), rows, error);
    return trial.status || s->a.saturation || rows->outcome == BOUGH_RUN_HANGS
               ? trial.status
               : add_rows(t->run, steps->engine, &trial.result, rows, error);
}

static bough_status packet_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                 bough_error *error) {
    const setup *s = run->data;
    const method_trial trial = {run, key};
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    return s->schedule ? packet_schedule_trial(&trial, &s->transfers, &w->timed, rows, error)
                       : run_steps(&trial, w, rows, error);
}

static void free_workspace(void *space) {
    workspace *w = space;
    if (w->steps) engine_workspace_free(w->steps);
    packet_timed_destroy(w->timed);
    free(w);
}

const bough_method bough_method_packet = {
    .name = "packet",
    .summary = "store and forward, simulated: steps, queues and congestion of batches, latency of streams, "
               "times of schedules",
    .source = "valiant1982",
    .params = params,
    .headline = BOUGH_METRIC_STEPS,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_draws = true,
    .takes_timeline = true,
    .exact = true,
    .assumes = BOUGH_ASSUMES_ONE_RATE,
    .random_links = "takes random links anew for each packet",
    .open = packet_open,
    .trial = packet_trial,
    .free_workspace = free_workspace,
    .close = run_free_data,
};
