#include "method/engine_trial.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/transfers/schedule_rows.h"
#include "method/transfers/timeline_rows.h"
#include "traffic/schedules/workload.h"
#include "traffic/streams/stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- binding ---- */

static bough_status check(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const char *name = run->method->name;
    const bough_stream_law *law = run->point.traffic->law;
    if (v[ENGINE_FIND].integer == 1 && !law)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s:find=saturation needs a stream with a rate, such as poisson:load=0.1; %s has none", name,
            run->point.traffic->spec);
    if ((v[ENGINE_MESSAGES].set || v[ENGINE_WARMUP].set) && !law)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: messages= and warmup= apply to streams with a rate; %s runs to completion",
                          name, run->point.traffic->spec);
    return BOUGH_OK;
}

bough_status engine_settings_bind(const bough_run *run, uint64_t flits, bool detect, engine_settings *s,
                                  bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_stream_law *law = run->point.traffic->law;
    uint64_t n = run->point.net->endpoints;
    *s = (engine_settings){.flits = (law ? bough_law_mean_flits(law) : 1) * (double)flits,
                           .saturation = v[ENGINE_FIND].integer == 1,
                           .levels = v[ENGINE_LEVELS].integer,
                           .hot = (unsigned)v[ENGINE_HOT].integer};
    uint64_t share = s->saturation ? 16 : 4, least = s->saturation ? UINT64_C(1) << 19 : UINT64_C(1) << 17;
    s->plan = (measurement_plan){.messages = share * n > least ? share * n : least,
                                 .warmup = v[ENGINE_WARMUP].set ? (uint64_t)v[ENGINE_WARMUP].integer : 0,
                                 .alone = (uint64_t)ceil(s->flits),
                                 .growth = s->saturation ? 0.002 : 0.005,
                                 .backlog = UINT64_MAX,
                                 .limit = (uint64_t)v[ENGINE_LIMIT].integer,
                                 .early = s->saturation,
                                 .detect = detect};
    if (v[ENGINE_MESSAGES].set) s->plan.messages = (uint64_t)v[ENGINE_MESSAGES].integer;
    s->plan.patience = s->saturation ? s->plan.messages / 2 : 16 * s->plan.messages;
    if (law) s->plan.backlog = 2 * n > 65536 ? 2 * n : UINT64_C(65536);
    return check(run, error);
}

bough_status engine_time_bind(bough_run *run, bough_error *error) {
    const bough_value *v = &run->args.value[ENGINE_TIME];
    const bool schedule = run->point.traffic->shape == BOUGH_SCHEDULE;
    run->in_seconds = v->given ? v->integer == 1 : schedule;
    if (!schedule || run->in_seconds) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "%s: time=cycles applies to batches and streams; %s is a schedule, whose times are seconds",
        run->method->name, run->point.traffic->spec);
}

void engine_clock_set(bough_run *run, const engine_unit *u, engine_settings *s) {
    const double fastest = (double)bough_net_endpoint_rate_max(run->point.net, u->rate);
    s->times = true;
    s->flit_bytes = u->data;
    s->clock = (bough_clock){.tick_ps = u->tick_ps,
                             .unit_bytes = u->data,
                             .cycle = 8e12 * (double)u->wire / fastest / (double)u->tick_ps,
                             .rate = u->rate};
    if (run->point.traffic->law) run->headline = BOUGH_METRIC_FCT;
}

uint64_t engine_live_messages(const bough_run *run, const engine_settings *s) {
    return run->point.traffic->law ? s->plan.backlog : run->point.traffic->messages;
}

uint64_t engine_delay_alone(const bough_run *run, const engine_settings *s, uint64_t links) {
    const double ps = (double)bough_physical_delay(bough_net_physical(run->point.net), links);
    return (uint64_t)ceil(ps / (s->clock.cycle * (double)s->clock.tick_ps));
}

uint64_t engine_series_bytes(const bough_run *run, const engine_settings *s) {
    const uint64_t messages =
        run->point.traffic->law ? bough_mul(2, s->plan.messages) : run->point.traffic->messages;
    return bough_mul(s->times ? 8 : 4, messages);
}

/* ---- rows ---- */

/* The state of a trial. */
typedef struct progress {
    const engine_trial *trial;
    engine_workspace *space;
    measurement *result;
    double senders;    /* endpoints that send; 0: the traffic has no rate */
    bool schedule;     /* the source is a schedule and has reported */
    double from, part; /* of the trial that the next run is; part 0: the whole */
    bough_source_report report;
} progress;

static bough_status add_levels(const progress *p, bough_rows *rows, bough_error *error) {
    const bough_run *run = p->trial->run;
    const sim_tally *t = &p->result->tally;
    static const bough_metric_id metric[3][2] = {
        {BOUGH_METRIC_WAIT_UP, BOUGH_METRIC_WAIT_DOWN},
        {BOUGH_METRIC_SERVICE_UP, BOUGH_METRIC_SERVICE_DOWN},
        {BOUGH_METRIC_LINK_USE_UP, BOUGH_METRIC_LINK_USE_DOWN},
    };
    bough_status status = BOUGH_OK;
    for (unsigned what = p->trial->settings->times ? 2 : 0; what < 3; what++)
        for (unsigned kind = 0; kind < 2 * run->point.net->levels + 2 && !status; kind++) {
            const double value[] = {(double)t->waited[kind] / (double)t->grants[kind],
                                    (double)t->held[kind] / (double)t->grants[kind],
                                    (double)t->held[kind] / (double)t->cycles / (double)t->links[kind]};
            if (t->grants[kind] && t->cycles)
                status = bough_rows_add(rows, metric[what][kind % 2], kind / 2, value[what], error);
        }
    return status;
}

static bough_status add_hot(const engine_settings *s, const sim_tally *t, bough_rows *rows,
                            bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < s->hot && t->hot_held[i] && t->cycles && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_HOT, (int64_t)t->hot_link[i],
                                (double)t->hot_held[i] / (double)t->cycles, error);
    return status;
}

/* The number of hottest links that were measured. */
static unsigned count_hot(const engine_settings *s, const sim_tally *t) {
    unsigned count = 0;
    while (count < s->hot && t->hot_held[count]) count++;
    return count;
}

static bool hangs(const progress *p) {
    return p->schedule && p->report.waiting;
}

/* All messages of a batch have arrived, or all ranks of a schedule are done: the whole has a time. */
static bool ends(const progress *p) {
    const measurement *r = p->result;
    return !p->trial->run->point.traffic->law && !r->stuck && !r->cut_off &&
           (p->schedule ? !p->report.waiting : !r->unrouted);
}

static void note_unrouted(const progress *p, bough_rows *rows) {
    const bough_message *first = &p->space->engine->unrouted_first;
    rows_note_unrouted(rows, p->trial->run->point.net, p->result->unrouted,
                       &(unrouted_message){first->source, first->address});
    if (hangs(p) || !p->result->messages) return;
    rows_note_append(rows, "; the times are of those that arrived%s",
                     p->trial->run->point.traffic->law ? "" : ", and the whole has none");
}

/* Ticks of the engine in a cycle of a stream. */
static double ticks_of_cycle(const progress *p) {
    const double cycle = p->trial->settings->clock.cycle;
    return cycle > 0 ? cycle : 1;
}

/* Explains the outcome in words. offered, accepted: messages per cycle and sender. */
static void write_note(const progress *p, double offered, double accepted, bough_rows *rows) {
    const bough_net *net = p->trial->run->point.net;
    const engine_settings *s = p->trial->settings;
    const measurement *r = p->result;
    double flits = s->flits;
    char name[128];
    if (r->stuck)
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " messages are deadlocked; the first waits for %s",
                 r->stuck, bough_link_name(net, r->stuck_link, name, sizeof name));
    else if (r->saturated)
        snprintf(rows->note, sizeof rows->note,
                 "offered %.4g, accepted %.4g flits/cycle/endpoint: queues grow by %.3g messages per cycle; "
                 "the busiest link is %s",
                 offered * flits, accepted * flits, r->growth * ticks_of_cycle(p),
                 bough_link_name(net, r->tally.hot_link[0], name, sizeof name));
    else if (r->cut_off)
        snprintf(rows->note, sizeof rows->note, "stopped at the limit with %" PRIu64 " messages in flight",
                 r->left);
    else if (r->unrouted)
        note_unrouted(p, rows);
    else if (s->hot)
        sim_name_links(net, r->tally.hot_link, count_hot(s, &r->tally), rows->note);
}

static bough_status report(const progress *p, bough_rows *rows, bough_error *error) {
    const bough_run *run = p->trial->run;
    const engine_settings *s = p->trial->settings;
    const bough_stream_law *law = run->point.traffic->law;
    const measurement *r = p->result;
    const sim_tally *t = &r->tally;
    double cycles = r->cycles ? (double)r->cycles / ticks_of_cycle(p) : 1, flits = s->flits;
    double accepted = p->senders > 0 ? (double)r->messages / cycles / p->senders : 0;
    double offered = law ? law->rate : 0;
    bool steady = law != NULL;
    bool known = r->messages > 0 && !r->saturated && !r->stuck && !hangs(p) && !s->times;
    const optional_row lines[] = {
        {ends(p) && s->steps, BOUGH_METRIC_STEPS, (double)r->cycles},
        {known, BOUGH_METRIC_LATENCY, r->latency, r->ci95},
        {known, BOUGH_METRIC_LATENCY_P50, (double)r->p50},
        {known, BOUGH_METRIC_LATENCY_P90, (double)r->p90},
        {known, BOUGH_METRIC_LATENCY_P95, (double)r->p95},
        {known, BOUGH_METRIC_LATENCY_P99, (double)r->p99},
        {known, BOUGH_METRIC_LATENCY_MAX, (double)r->max},
        {steady, BOUGH_METRIC_ACCEPTED, accepted * flits},
        {steady, BOUGH_METRIC_ACCEPTED_MESSAGES, accepted},
        {steady, BOUGH_METRIC_OFFERED, offered * flits},
        {steady, BOUGH_METRIC_OFFERED_MESSAGES, offered},
        {ends(p) && !s->steps && !s->times, BOUGH_METRIC_CYCLES, (double)r->cycles},
        {!steady, BOUGH_METRIC_MESSAGES, (double)r->messages},
        {r->messages > 0 && !hangs(p), BOUGH_METRIC_DISTANCE, (double)r->hops / (double)r->messages},
        {known && t->entered, BOUGH_METRIC_SOURCE_WAIT, (double)t->entry_waited / (double)t->entered},
        {t->cycles > 0 && !hangs(p), BOUGH_METRIC_LINK_USE_MAX, (double)t->hot_held[0] / (double)t->cycles},
        {steady, BOUGH_METRIC_WARMUP, (double)r->warmup / ticks_of_cycle(p)},
        {r->saturated, BOUGH_METRIC_BACKLOG_GROWTH, r->growth * ticks_of_cycle(p)},
        {r->cut_off, BOUGH_METRIC_UNDELIVERED, (double)r->left},
        {r->stuck > 0, BOUGH_METRIC_STUCK, (double)r->stuck},
        {r->unrouted > 0, BOUGH_METRIC_UNROUTED, (double)r->unrouted},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (!status && s->levels && !hangs(p)) status = add_levels(p, rows, error);
    if (!hangs(p)) TRY(add_hot(s, t, rows, error));
    rows->outcome = r->stuck                    ? BOUGH_RUN_DEADLOCK
                    : r->saturated              ? BOUGH_RUN_SATURATED
                    : r->cut_off || r->unrouted ? BOUGH_RUN_PARTIAL
                                                : BOUGH_RUN_OK;
    write_note(p, offered, accepted, rows);
    return status;
}

/* Delivered data of an endpoint, Gb/s: a ps has 1e-12 s. */
static double endpoint_throughput(const progress *p) {
    const measurement *r = p->result;
    const engine_settings *s = p->trial->settings;
    const double bits = 8 * (double)r->messages * s->flits * (double)s->flit_bytes,
                 ps = (double)r->cycles * (double)s->clock.tick_ps;
    return ps > 0 && p->senders > 0 ? bits / ps / p->senders * 1e3 : 0;
}

/* The engine stops when no message moves; the last operations of a schedule may end later. */
static uint64_t schedule_end(const progress *p) {
    uint64_t end = bough_mul(p->result->cycles, p->trial->settings->clock.tick_ps);
    return p->report.end > end ? p->report.end : end;
}

/* Seconds, as `flow` reports them. */
static bough_status report_times(const progress *p, bough_rows *rows, bough_error *error) {
    const measurement *r = p->result;
    uint64_t tick = p->trial->settings->clock.tick_ps;
    bool known = r->messages > 0 && !r->stuck && !r->saturated && !hangs(p);
    const optional_row lines[] = {
        {ends(p), BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(schedule_end(p))},
        {p->senders > 0, BOUGH_METRIC_THROUGHPUT_ENDPOINT, endpoint_throughput(p)},
        {known, BOUGH_METRIC_FCT, r->latency * (double)tick / 1e12, r->ci95 * (double)tick / 1e12},
        {known, BOUGH_METRIC_FCT_P50, schedule_seconds(bough_mul(r->p50, tick))},
        {known, BOUGH_METRIC_FCT_P99, schedule_seconds(bough_mul(r->p99, tick))},
        {known, BOUGH_METRIC_FCT_MAX, schedule_seconds(bough_mul(r->max, tick))},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status report_schedule(const progress *p, bough_rows *rows, bough_error *error) {
    uint64_t end = schedule_end(p);
    bough_status status = BOUGH_OK;
    if (!p->trial->settings->times && ends(p))
        status = bough_rows_add(rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX, schedule_seconds(end),
                                error);
    TRY(schedule_rows(p->trial->run->point.traffic->workload, &p->report, end, rows, error));
    TRY(timeline_rows_add(p->trial->run, p->space->engine->seen, ends(p), rows, error));
    return status;
}

/* ---- trials ---- */

/* Counts the times of a plan, which are in cycles, in ticks of the engine. */
static void plan_in_ticks(const progress *p, measurement_plan *plan) {
    const double cycle = ticks_of_cycle(p);
    if (cycle == 1 || plan->rate == 0) return;
    plan->warmup = (uint64_t)((double)plan->warmup * cycle);
    plan->alone = (uint64_t)((double)plan->alone * cycle);
    plan->slice = (uint64_t)(65536 * cycle / (plan->rate > 1 ? plan->rate : 1)) + 64;
    plan->rate /= cycle;
}

/* Runs the engine on the traffic. rate: messages per cycle and sender; 0: no rate. */
static bough_status measure(progress *p, const bough_traffic *traffic, double rate, bough_error *error) {
    const engine_trial *t = p->trial;
    sim_engine *engine = p->space->engine;
    measurement_plan plan = t->settings->plan;
    bough_source *source;
    bough_status status = bough_traffic_open(traffic, t->key, &t->settings->clock, &source, error);
    if (status) return status;
    workload_observe(source, engine->seen);
    plan.rate = rate * p->senders;
    plan.wide = t->settings->times;
    plan.total = traffic->messages;
    plan.from = p->from;
    plan.part = p->part;
    plan_in_ticks(p, &plan);
    engine->ops->start(engine, t->key, source);
    status = measure_engine(p->space, t->run, &plan, p->result, error);
    TRY(schedule_ask(source, &p->schedule, &p->report, error));
    source->close(source);
    return status;
}

#define SATURATION_WITHIN 1.004
#define RUNS_TO_BISECT    8 /* from a factor of 2 to within this */

/* The runs that a search still needs, the next included. high: the lowest rate that is not sustained; low:
 * the highest one that is, 0 if none is known, and then it is expected next. */
static double runs_left(double low, double high) {
    return low > 0 ? ceil(log2((high / low - 1) / (SATURATION_WITHIN - 1))) : 1 + RUNS_TO_BISECT;
}

/* Halves the load until the network sustains it, then bisects. */
static bough_status find_saturation(progress *p, bough_rows *rows, bough_error *error) {
    const measurement *r = p->result;
    double flits = p->trial->settings->flits;
    /* messages per cycle and sender: at first twice what fills the port of the fastest */
    double low = 0, high = 2 / flits / p->trial->run->point.traffic->law->fastest;
    bough_status status = BOUGH_OK;
    for (double done = 0; !status && (low == 0 || high / low > SATURATION_WITHIN); done++) {
        p->part = 1 / (done + runs_left(low, high));
        p->from = done * p->part;
        double rate = low == 0 ? high / 2 : (low + high) / 2;
        bough_traffic *traffic;
        if (rate * flits < 1e-6) break;
        status = bough_traffic_at_rate(p->trial->run->point.traffic, rate, &traffic, error);
        TRY(measure(p, traffic, rate, error));
        if (!status && (r->saturated || r->stuck || r->cut_off))
            high = rate;
        else
            low = rate;
        bough_traffic_destroy(traffic);
    }
    if (status) return status;
    double found = (low + high) / 2;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_SATURATION, found * flits},
        {true, BOUGH_METRIC_SATURATION_MESSAGES, found},
    };
    return rows_add_present(rows, lines, 2, error);
}

bough_status engine_trial_run(const engine_trial *trial, void **workspace, measurement *result,
                              bough_rows *rows, bough_error *error) {
    const bough_traffic *traffic = trial->run->point.traffic;
    const bough_stream_law *law = traffic->law;
    progress p = {.trial = trial, .result = result};
    bough_status status = *workspace ? BOUGH_OK : bough_alloc(workspace, 1, sizeof(engine_workspace), error);
    if (status) return status;
    p.space = *workspace;
    if (!p.space->engine) status = trial->create_engine(trial->run, &p.space->engine, error);
    if (law) TRY(stream_count_senders(traffic, trial->key, &trial->settings->clock, &p.senders, error));
    if (status) return status;
    p.space->engine->team = trial->team;
    if (trial->settings->saturation) return find_saturation(&p, rows, error);
    sim_engine *engine = p.space->engine;
    status = timeline_rows_begin(trial->run, trial->settings->critical, &engine->seen, error);
    TRY(measure(&p, traffic, law ? law->rate : 0, error));
    if (trial->settings->times) TRY(report_times(&p, rows, error));
    TRY(report(&p, rows, error));
    if (p.schedule) TRY(report_schedule(&p, rows, error));
    timeline_rows_end(trial->run, engine->seen);
    engine->seen = NULL;
    return status;
}

void engine_workspace_free(void *workspace) {
    engine_workspace *w = workspace;
    if (w->engine) w->engine->ops->destroy(w->engine);
    FREE_ALL(w->series.latency, w->series.wide, w);
}
