#include "sim/worm.h"

#include "base/memory.h"
#include "bough/deadlock.h"
#include "sim/methods.h"
#include "sim/worm_butterfly.h"
#include "sim/worm_events.h"
#include "sim/worm_measure.h"
#include "sim/worm_switch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    P_FIND,
    P_FLITS,
    P_MESSAGES,
    P_WARMUP,
    P_BUFFER,
    P_VCS,
    P_CREDIT,
    P_DEADLOCK,
    P_LEVELS,
    P_HOT,
    P_LIMIT,
    P_PATH
};

static const bough_param params[] = {
    [P_FIND] = {"find", "latency at the traffic's rate, or the rate at which the network saturates",
                BOUGH_CHOICE, "latency", .choices = "latency|saturation"},
    [P_FLITS] = {"flits", "flits per unit of a message's size", BOUGH_INT, "1", 1, 0x1p20},
    [P_MESSAGES] = {"messages", "deliveries to measure of a stream; default: 2^17, or 4 an endpoint",
                    BOUGH_INT, "", 64, 0x1p32},
    [P_WARMUP] = {"warmup", "cycles to discard first; default: found from the data (MSER)", BOUGH_INT, "", 1,
                  1e12},
    [P_BUFFER] = {"buffer", "flits that the end of a link, or of a virtual channel of it, can hold",
                  BOUGH_INT, "1", 1, WORM_SWITCH_BUFFER},
    [P_VCS] = {"vcs", "virtual channels of a link", BOUGH_INT, "1", 1, WORM_SWITCH_VCS},
    [P_CREDIT] =
        {"credit",
         "cycles until the start of a link knows of room at its end; default: 0, with virtual channels 1",
         BOUGH_INT, "", 0, 1024},
    [P_DEADLOCK] =
        {"deadlock",
         "routes that could wait for each other in a ring: refuse them, or run and report who is stuck",
         BOUGH_CHOICE, "refuse", .choices = "refuse|detect"},
    [P_LEVELS] = {"levels", "waits, holding times and use of links by level", BOUGH_FLAG, "0"},
    [P_HOT] = {"hot", "how many of the hottest links to name", BOUGH_INT, "0", 0, WORM_HOT},
    [P_LIMIT] = {"limit", "cycles after which a run is cut off", BOUGH_INT, "1e12", 1, 1e15},
    [P_PATH] = {"path", "auto: labels where the network allows it; generic: always the generic engine",
                BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    BOUGH_PARAMS_END,
};

typedef struct setup {
    worm_options o;
    worm_plan plan; /* rate is the trial's */
    bool saturation, levels;
    bool butterfly, switches; /* which engine; neither: the event-driven one */
    unsigned hot, longest;
} setup;

typedef struct workspace {
    worm_engine *engine;
    worm_series series;
} workspace;

/* ---- binding ---- */

static bough_status refuse_cycle(const bough_run *run, const bough_link_cycle *c, bough_error *error) {
    char *text = bough_link_cycle_text(run->point.net, c, 6);
    if (!text) return bough_fail_memory(error, 512);
    bough_status status = bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "worms under %s can wait for each other in a ring: %s; deadlock=detect runs them all the same",
        run->point.routing->spec, text);
    free(text);
    return status;
}

static bough_status check_deadlock(bough_run *run, bough_error *error) {
    if (run->args.value[P_DEADLOCK].integer == 1) return BOUGH_OK;
    bough_link_cycle cycle = {0};
    bough_status status = bough_deadlock_find(run->point.routing, &cycle, error);
    if (!status && cycle.count) status = refuse_cycle(run, &cycle, error);
    bough_link_cycle_fini(&cycle);
    return status;
}

static bough_status check(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_stream_law *law = run->point.traffic->law;
    if (v[P_FIND].integer == 1 && !law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "worm:find=saturation needs a stream with a rate, as poisson:load=0.1; %s has none",
                          run->point.traffic->spec);
    if ((v[P_MESSAGES].set || v[P_WARMUP].set) && !law)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "worm: messages= and warmup= belong to streams with a rate; %s runs to its end",
                          run->point.traffic->spec);
    return BOUGH_OK;
}

static uint64_t message_flits(const bough_run *run) {
    const bough_stream_law *law = run->point.traffic->law;
    return bough_mul(law ? law->flits : 1, (uint64_t)run->args.value[P_FLITS].integer);
}

static bough_status worm_open(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_traffic *traffic = run->point.traffic;
    uint64_t n = run->point.net->endpoints;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->o = (worm_options){.flits = (uint64_t)v[P_FLITS].integer,
                          .buffer = (uint32_t)v[P_BUFFER].integer,
                          .vcs = (uint32_t)v[P_VCS].integer,
                          .credit = v[P_CREDIT].set ? (uint32_t)v[P_CREDIT].integer : v[P_VCS].integer > 1,
                          .detect = v[P_DEADLOCK].integer == 1};
    s->saturation = v[P_FIND].integer == 1;
    s->levels = v[P_LEVELS].integer;
    s->hot = (unsigned)v[P_HOT].integer;
    status = check(run, error);
    if (!status) status = bough_routing_survey(run->point.routing, &s->longest, error);
    if (!status) status = check_deadlock(run, error);
    if (status) return status;
    s->switches = s->o.vcs > 1 || s->o.credit > 0;
    uint64_t share = s->saturation ? 16 : 4, least = s->saturation ? UINT64_C(1) << 19 : UINT64_C(1) << 17;
    s->plan = (worm_plan){.messages = share * n > least ? share * n : least,
                          .warmup = v[P_WARMUP].set ? (uint64_t)v[P_WARMUP].integer : 0,
                          .alone = message_flits(run) + s->longest,
                          .growth = s->saturation ? 0.002 : 0.005,
                          .backlog = UINT64_MAX,
                          .limit = (uint64_t)v[P_LIMIT].integer,
                          .detect = s->o.detect};
    if (v[P_MESSAGES].set) s->plan.messages = (uint64_t)v[P_MESSAGES].integer;
    s->plan.patience = s->saturation ? s->plan.messages / 2 : 16 * s->plan.messages;
    if (traffic->law) s->plan.backlog = 2 * n > 65536 ? 2 * n : 65536;
    uint64_t live = traffic->law ? s->plan.backlog : traffic->messages;
    s->butterfly = v[P_PATH].integer == 0 && worm_butterfly_fits(&run->point, &s->o);
    run->bytes = s->butterfly  ? worm_butterfly_bytes(run->point.net, live)
                 : s->switches ? worm_switch_bytes(run->point.routing, &s->o, live)
                               : worm_events_bytes(run->point.net, &s->o, s->longest, live);
    run->bytes = bough_add(run->bytes, bough_mul(4, traffic->law ? 2 * s->plan.messages : traffic->messages));
    return BOUGH_OK;
}

static void worm_close(bough_run *run) {
    free(run->data);
}

/* ---- rows ---- */

typedef struct line {
    bool said;
    bough_metric_id metric;
    double value;
} line;

static bough_status add_lines(bough_rows *rows, const line *l, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (l[i].said) status = bough_rows_add(rows, l[i].metric, BOUGH_NO_ROW_INDEX, l[i].value, error);
    return status;
}

static bough_status add_levels(const bough_run *run, const worm_tally *t, bough_rows *rows,
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

static bough_status add_hot(const setup *s, const worm_tally *t, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < s->hot && t->hot_held[i] && t->cycles && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_HOT, (int64_t)t->hot_link[i],
                                (double)t->hot_held[i] / (double)t->cycles, error);
    return status;
}

/* In words what figures do not say by themselves. */
static void write_note(const bough_run *run, const worm_result *r, double offered, double accepted,
                       bough_rows *rows) {
    const bough_net *net = run->point.net;
    char name[128];
    if (r->stuck)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " messages are stuck in a deadlock; the first waits for %s", r->stuck,
                 bough_link_name(net, r->stuck_link, name, sizeof name));
    else if (r->saturated)
        snprintf(rows->note, sizeof rows->note,
                 "offered %.4g, accepted %.4g flits/cycle/endpoint: queues grow by %.3g messages a cycle; "
                 "the most held link is %s",
                 offered, accepted, r->growth, bough_link_name(net, r->tally.hot_link[0], name, sizeof name));
    else if (r->cut_off)
        snprintf(rows->note, sizeof rows->note, "cut off with %" PRIu64 " messages on their way", r->left);
}

/* senders: endpoints that send at all; 0: no rate. */
static bough_status report(const bough_run *run, const worm_result *r, uint64_t senders, bough_rows *rows,
                           bough_error *error) {
    const setup *s = run->data;
    const bough_stream_law *law = run->point.traffic->law;
    const worm_tally *t = &r->tally;
    double cycles = r->cycles ? (double)r->cycles : 1, flits = (double)message_flits(run);
    double accepted = senders ? (double)r->messages / cycles / (double)senders : 0;
    double offered = law ? law->rate : 0;
    bool steady = law != NULL, known = r->messages > 0 && !r->saturated && !r->stuck;
    const line lines[] = {
        {known, BOUGH_METRIC_LATENCY, r->latency},
        {known, BOUGH_METRIC_LATENCY_P50, (double)r->p50},
        {known, BOUGH_METRIC_LATENCY_P99, (double)r->p99},
        {known, BOUGH_METRIC_LATENCY_MAX, (double)r->max},
        {steady, BOUGH_METRIC_ACCEPTED, accepted * flits},
        {steady, BOUGH_METRIC_ACCEPTED_MESSAGES, accepted},
        {steady, BOUGH_METRIC_OFFERED, offered * flits},
        {steady, BOUGH_METRIC_OFFERED_MESSAGES, offered},
        {!steady, BOUGH_METRIC_CYCLES, (double)r->cycles},
        {!steady, BOUGH_METRIC_MESSAGES, (double)r->messages},
        {r->messages > 0, BOUGH_METRIC_DISTANCE, (double)r->hops / (double)r->messages},
        {known && t->entered, BOUGH_METRIC_SOURCE_WAIT, (double)t->entry_waited / (double)t->entered},
        {t->cycles > 0, BOUGH_METRIC_LINK_USE_MAX, (double)t->hot_held[0] / (double)t->cycles},
        {steady, BOUGH_METRIC_WARMUP, (double)r->warmup},
        {r->saturated, BOUGH_METRIC_BACKLOG_GROWTH, r->growth},
        {r->cut_off, BOUGH_METRIC_UNDELIVERED, (double)r->left},
        {r->stuck > 0, BOUGH_METRIC_STUCK, (double)r->stuck},
    };
    bough_status status = add_lines(rows, lines, sizeof lines / sizeof *lines, error);
    if (!status && s->levels) status = add_levels(run, t, rows, error);
    if (!status) status = add_hot(s, t, rows, error);
    rows->outcome = r->stuck       ? BOUGH_RUN_DEADLOCK
                    : r->saturated ? BOUGH_RUN_SATURATED
                    : r->cut_off   ? BOUGH_RUN_PARTIAL
                                   : BOUGH_RUN_OK;
    write_note(run, r, offered * flits, accepted * flits, rows);
    return status;
}

/* ---- trials ---- */

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
                            workspace *w, worm_result *result, bough_error *error) {
    const setup *s = run->data;
    worm_plan plan = s->plan;
    bough_source *source;
    bough_status status = bough_traffic_open(traffic, key, &source, error);
    if (status) return status;
    plan.rate = rate;
    w->engine->ops->start(w->engine, key, source);
    status = worm_measure(w->engine, run, &plan, &w->series, result, error);
    source->close(source);
    return status;
}

#define SATURATION_WITHIN 1.004

/* Halves the load until the network stands it, then closes in. */
static bough_status find_saturation(const bough_run *run, uint64_t senders, bough_key key, workspace *w,
                                    bough_rows *rows, bough_error *error) {
    double flits = (double)message_flits(run);
    double low = 0, high = 2 / flits; /* messages a cycle and sender */
    bough_status status = BOUGH_OK;
    while (!status && (low == 0 || high / low > SATURATION_WITHIN)) {
        double rate = low == 0 ? high / 2 : (low + high) / 2;
        bough_traffic *traffic;
        worm_result r;
        if (rate * flits < 1e-6) break;
        status = bough_traffic_at_rate(run->point.traffic, rate, &traffic, error);
        if (!status) status = measure(run, traffic, rate * (double)senders, key, w, &r, error);
        if (!status && (r.saturated || r.stuck || r.cut_off))
            high = rate;
        else
            low = rate;
        bough_traffic_destroy(traffic);
    }
    if (status) return status;
    double found = (low + high) / 2;
    const line lines[] = {
        {true, BOUGH_METRIC_SATURATION, found * flits},
        {true, BOUGH_METRIC_SATURATION_MESSAGES, found},
    };
    return add_lines(rows, lines, 2, error);
}

static bough_status make_engine(const bough_run *run, worm_engine **engine, bough_error *error) {
    const setup *s = run->data;
    if (s->butterfly) return worm_butterfly_make(run->point.net, message_flits(run), engine, error);
    if (s->switches) return worm_switch_make(run->point.routing, &s->o, engine, error);
    return worm_events_make(run->point.routing, &s->o, s->longest, engine, error);
}

static bough_status worm_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                               bough_error *error) {
    const setup *s = run->data;
    const bough_traffic *traffic = run->point.traffic;
    uint64_t senders = 0;
    worm_result result;
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    if (!w->engine) status = make_engine(run, &w->engine, error);
    if (!status && traffic->law) status = count_senders(traffic->law->pattern, key, &senders, error);
    if (status) return status;
    if (s->saturation) return find_saturation(run, senders, key, w, rows, error);
    double rate = traffic->law ? traffic->law->rate * (double)senders : 0;
    status = measure(run, traffic, rate, key, w, &result, error);
    return status ? status : report(run, &result, senders, rows, error);
}

static void worm_free(void *space) {
    workspace *w = space;
    if (w->engine) w->engine->ops->destroy(w->engine);
    free(w->series.latency);
    free(w);
}

const bough_method bough_method_worm = {
    .name = "worm",
    .summary = "wormhole routing, simulated: latency against load, waits, hot links",
    .source = "document 001; Dally, Seitz, 1987",
    .params = params,
    .headline = BOUGH_METRIC_LATENCY,
    .needs_net = BOUGH_GIVES_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .open = worm_open,
    .trial = worm_trial,
    .free_workspace = worm_free,
    .close = worm_close,
};
