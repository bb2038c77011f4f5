#include "method/result_rows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/schedule_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- binding ---- */

static bough_status check(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const char *name = run->method->name;
    const bough_stream_law *law = run->point.traffic->law;
    if (v[ANSWER_FIND].integer == 1 && !law)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s:find=saturation needs a stream with a rate, such as poisson:load=0.1; %s has none", name,
            run->point.traffic->spec);
    if ((v[ANSWER_MESSAGES].set || v[ANSWER_WARMUP].set) && !law)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: messages= and warmup= apply to streams with a rate; %s runs to completion",
                          name, run->point.traffic->spec);
    return BOUGH_OK;
}

bough_status answer_open(const bough_run *run, uint64_t flits, bool detect, answer *a, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_stream_law *law = run->point.traffic->law;
    uint64_t n = run->point.net->endpoints;
    *a = (answer){.flits = bough_mul(law ? law->flits : 1, flits),
                  .saturation = v[ANSWER_FIND].integer == 1,
                  .levels = v[ANSWER_LEVELS].integer,
                  .hot = (unsigned)v[ANSWER_HOT].integer};
    uint64_t share = a->saturation ? 16 : 4, least = a->saturation ? UINT64_C(1) << 19 : UINT64_C(1) << 17;
    a->plan = (measure_plan){.messages = share * n > least ? share * n : least,
                             .warmup = v[ANSWER_WARMUP].set ? (uint64_t)v[ANSWER_WARMUP].integer : 0,
                             .alone = a->flits,
                             .growth = a->saturation ? 0.002 : 0.005,
                             .backlog = UINT64_MAX,
                             .limit = (uint64_t)v[ANSWER_LIMIT].integer,
                             .detect = detect};
    if (v[ANSWER_MESSAGES].set) a->plan.messages = (uint64_t)v[ANSWER_MESSAGES].integer;
    a->plan.patience = a->saturation ? a->plan.messages / 2 : 16 * a->plan.messages;
    if (law) a->plan.backlog = 2 * n > 65536 ? 2 * n : UINT64_C(65536);
    return check(run, error);
}

uint64_t answer_live(const bough_run *run, const answer *a) {
    return run->point.traffic->law ? a->plan.backlog : run->point.traffic->messages;
}

uint64_t answer_bytes(const bough_run *run, const answer *a) {
    return bough_mul(4,
                     run->point.traffic->law ? bough_mul(2, a->plan.messages) : run->point.traffic->messages);
}

/* ---- rows ---- */

bough_status answer_add(bough_rows *rows, const answer_line *line, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (line[i].said)
            status = bough_rows_add_interval(rows, line[i].metric, BOUGH_NO_ROW_INDEX, line[i].value,
                                             line[i].ci95, error);
    return status;
}

static bough_status add_levels(const bough_run *run, const sim_tally *t, bough_rows *rows,
                               bough_error *error) {
    static const bough_metric_id metric[3][2] = {
        {BOUGH_METRIC_WAIT_UP, BOUGH_METRIC_WAIT_DOWN},
        {BOUGH_METRIC_SERVICE_UP, BOUGH_METRIC_SERVICE_DOWN},
        {BOUGH_METRIC_LINK_USE_UP, BOUGH_METRIC_LINK_USE_DOWN},
    };
    bough_status status = BOUGH_OK;
    for (unsigned what = 0; what < 3; what++)
        for (unsigned kind = 0; kind < 2 * run->point.net->levels + 2 && !status; kind++) {
            const double value[] = {(double)t->waited[kind] / (double)t->grants[kind],
                                    (double)t->held[kind] / (double)t->grants[kind],
                                    (double)t->held[kind] / (double)t->cycles / (double)t->links[kind]};
            if (t->grants[kind] && t->cycles)
                status = bough_rows_add(rows, metric[what][kind % 2], kind / 2, value[what], error);
        }
    return status;
}

static bough_status add_hot(const answer *a, const sim_tally *t, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < a->hot && t->hot_held[i] && t->cycles && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_HOT, (int64_t)t->hot_link[i],
                                (double)t->hot_held[i] / (double)t->cycles, error);
    return status;
}

/* The number of hottest links that were measured. */
static unsigned count_hot(const answer *a, const sim_tally *t) {
    unsigned count = 0;
    while (count < a->hot && t->hot_held[count]) count++;
    return count;
}

/* Explains the outcome in words. */
static void write_note(const bough_run *run, const answer *a, const measure_result *r, double offered,
                       double accepted, bough_rows *rows) {
    const bough_net *net = run->point.net;
    char name[128];
    if (r->stuck)
        snprintf(rows->note, sizeof rows->note, "%" PRIu64 " messages are deadlocked; the first waits for %s",
                 r->stuck, bough_link_name(net, r->stuck_link, name, sizeof name));
    else if (r->saturated)
        snprintf(rows->note, sizeof rows->note,
                 "offered %.4g, accepted %.4g flits/cycle/endpoint: queues grow by %.3g messages per cycle; "
                 "the busiest link is %s",
                 offered, accepted, r->growth, bough_link_name(net, r->tally.hot_link[0], name, sizeof name));
    else if (r->cut_off)
        snprintf(rows->note, sizeof rows->note, "stopped at the limit with %" PRIu64 " messages in flight",
                 r->left);
    else if (r->unrouted)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " messages were dropped at their sources for lack of a route", r->unrouted);
    else if (a->hot)
        sim_name_hot(net, r->tally.hot_link, count_hot(a, &r->tally), rows->note, sizeof rows->note);
}

/* senders: number of endpoints that send; 0: the traffic has no rate. */
static bough_status report(const bough_run *run, const answer *a, const measure_result *r, uint64_t senders,
                           bough_rows *rows, bough_error *error) {
    const bough_stream_law *law = run->point.traffic->law;
    const sim_tally *t = &r->tally;
    double cycles = r->cycles ? (double)r->cycles : 1, flits = (double)a->flits;
    double accepted = senders ? (double)r->messages / cycles / (double)senders : 0;
    double offered = law ? law->rate : 0;
    bool steady = law != NULL, known = r->messages > 0 && !r->saturated && !r->stuck;
    const answer_line lines[] = {
        {!steady && a->steps, BOUGH_METRIC_STEPS, (double)r->cycles},
        {known, BOUGH_METRIC_LATENCY, r->latency, r->ci95},
        {known, BOUGH_METRIC_LATENCY_P50, (double)r->p50},
        {known, BOUGH_METRIC_LATENCY_P99, (double)r->p99},
        {known, BOUGH_METRIC_LATENCY_MAX, (double)r->max},
        {steady, BOUGH_METRIC_ACCEPTED, accepted * flits},
        {steady, BOUGH_METRIC_ACCEPTED_MESSAGES, accepted},
        {steady, BOUGH_METRIC_OFFERED, offered * flits},
        {steady, BOUGH_METRIC_OFFERED_MESSAGES, offered},
        {!steady && !a->steps, BOUGH_METRIC_CYCLES, (double)r->cycles},
        {!steady, BOUGH_METRIC_MESSAGES, (double)r->messages},
        {r->messages > 0, BOUGH_METRIC_DISTANCE, (double)r->hops / (double)r->messages},
        {known && t->entered, BOUGH_METRIC_SOURCE_WAIT, (double)t->entry_waited / (double)t->entered},
        {t->cycles > 0, BOUGH_METRIC_LINK_USE_MAX, (double)t->hot_held[0] / (double)t->cycles},
        {steady, BOUGH_METRIC_WARMUP, (double)r->warmup},
        {r->saturated, BOUGH_METRIC_BACKLOG_GROWTH, r->growth},
        {r->cut_off, BOUGH_METRIC_UNDELIVERED, (double)r->left},
        {r->stuck > 0, BOUGH_METRIC_STUCK, (double)r->stuck},
        {r->unrouted > 0, BOUGH_METRIC_UNROUTED, (double)r->unrouted},
    };
    bough_status status = answer_add(rows, lines, sizeof lines / sizeof *lines, error);
    if (!status && a->levels) status = add_levels(run, t, rows, error);
    TRY(add_hot(a, t, rows, error));
    rows->outcome = r->stuck                    ? BOUGH_RUN_DEADLOCK
                    : r->saturated              ? BOUGH_RUN_SATURATED
                    : r->cut_off || r->unrouted ? BOUGH_RUN_PARTIAL
                                                : BOUGH_RUN_OK;
    write_note(run, a, r, offered * flits, accepted * flits, rows);
    return status;
}

/* ---- trials ---- */

typedef struct worker {
    const answer *a;
    sim_engine *engine;
    measure_series *series;
    bool schedule; /* the source is a schedule and has reported */
    bough_source_report report;
} worker;

/* The engine stops when no message moves; the last operations of a schedule may end later. */
static bough_status report_schedule(const bough_run *run, const worker *w, const measure_result *r,
                                    bough_rows *rows, bough_error *error) {
    uint64_t end = bough_mul(r->cycles, w->a->clock.tick_ps);
    if (w->report.end > end) end = w->report.end;
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX, schedule_seconds(end), error);
    return status ? status : schedule_rows(run->point.traffic->workload, &w->report, end, rows, error);
}

static bough_status count_senders(const bough_traffic *pattern, bough_key key, uint64_t *senders,
                                  bough_error *error) {
    const bough_pattern *p = pattern->kind->pattern;
    void *state = NULL;
    bough_status status = p->open ? p->open(pattern, key, &state, error) : BOUGH_OK;
    if (status) return status;
    *senders = 0;
    for (uint64_t s = 0; s < pattern->net->endpoints; s++)
        *senders += p->uniform || p->draw(pattern, state, (uint32_t)s, 0) != s;
    if (p->close) p->close(state);
    return BOUGH_OK;
}

static bough_status measure(const bough_run *run, const bough_traffic *traffic, double rate, bough_key key,
                            worker *w, measure_result *result, bough_error *error) {
    measure_plan plan = w->a->plan;
    bough_source *source;
    bough_status status = bough_traffic_open(traffic, key, &w->a->clock, &source, error);
    if (status) return status;
    plan.rate = rate;
    w->engine->ops->start(w->engine, key, source);
    status = measure_run(w->engine, run, &plan, w->series, result, error);
    TRY(schedule_ask(source, &w->schedule, &w->report, error));
    source->close(source);
    return status;
}

#define SATURATION_WITHIN 1.004

/* Halves the load until the network sustains it, then bisects. */
static bough_status find_saturation(const bough_run *run, uint64_t senders, bough_key key, worker *w,
                                    measure_result *r, bough_rows *rows, bough_error *error) {
    double flits = (double)w->a->flits;
    double low = 0, high = 2 / flits; /* messages per cycle and sender */
    bough_status status = BOUGH_OK;
    while (!status && (low == 0 || high / low > SATURATION_WITHIN)) {
        double rate = low == 0 ? high / 2 : (low + high) / 2;
        bough_traffic *traffic;
        if (rate * flits < 1e-6) break;
        status = bough_traffic_at_rate(run->point.traffic, rate, &traffic, error);
        TRY(measure(run, traffic, rate * (double)senders, key, w, r, error));
        if (!status && (r->saturated || r->stuck || r->cut_off))
            high = rate;
        else
            low = rate;
        bough_traffic_destroy(traffic);
    }
    if (status) return status;
    double found = (low + high) / 2;
    const answer_line lines[] = {
        {true, BOUGH_METRIC_SATURATION, found * flits},
        {true, BOUGH_METRIC_SATURATION_MESSAGES, found},
    };
    return answer_add(rows, lines, 2, error);
}

static bough_status run_trial(const bough_run *run, const answer *a, answer_space *space, bough_key key,
                              measure_result *result, bough_rows *rows, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    worker w = {.a = a, .engine = space->engine, .series = &space->series};
    uint64_t senders = 0;
    bough_status status =
        traffic->law ? count_senders(traffic->law->pattern, key, &senders, error) : BOUGH_OK;
    if (status) return status;
    if (a->saturation) return find_saturation(run, senders, key, &w, result, rows, error);
    double rate = traffic->law ? traffic->law->rate * (double)senders : 0;
    status = measure(run, traffic, rate, key, &w, result, error);
    TRY(report(run, a, result, senders, rows, error));
    return status || !w.schedule ? status : report_schedule(run, &w, result, rows, error);
}

bough_status answer_trial(const bough_run *run, const answer *a,
                          bough_status (*make)(const bough_run *run, sim_engine **engine, bough_error *error),
                          void **space, bough_key key, measure_result *result, bough_rows *rows,
                          bough_error *error) {
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(answer_space), error);
    if (status) return status;
    answer_space *w = *space;
    if (!w->engine) status = make(run, &w->engine, error);
    return status ? status : run_trial(run, a, w, key, result, rows, error);
}

void answer_space_free(void *space) {
    answer_space *w = space;
    if (w->engine) w->engine->ops->destroy(w->engine);
    free(w->series.latency);
    free(w);
}
