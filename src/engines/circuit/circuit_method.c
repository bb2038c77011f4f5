#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "engines/circuit/circuit.h"
#include "engines/circuit/circuit_stream.h"
#include "engines/circuit/labels/labels.h"
#include "engines/engine_list.h"
#include "method/assumptions.h"
#include "method/engine_trial.h"
#include "method/premises.h"
#include "method/round_rows.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "network/subtrees.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- circuit rows ---- */

/* The rows of a trial of `circuit`. */

typedef struct circuit_report {
    const bough_run *run;
    const circuit_options *o;
    uint64_t alone;  /* cycles of one message across the diameter */
    uint64_t within; /* rounds_within for 1 .. this number of rounds */
    bool arrivals;   /* the engine knows when tails arrive */
    bool in_ns;      /* in nanoseconds too */
} circuit_report;

static double period_ns(const circuit_options *o) {
    return (double)o->clock.period_ps / 1000;
}

/* ---- batches ---- */

static void write_note(const circuit_options *o, const circuit_result *r, bough_rows *rows) {
    bool cycles = o->mode == CIRCUIT_CYCLES;
    if (r->deadlocked)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " messages are deadlocked: each waits for a link that another holds",
                 r->undelivered);
    else if (r->locked)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64
                 " messages remain that block each other or have no free path; %sretry=backoff may help",
                 r->undelivered, cycles ? "" : "mode=cycles,");
    else if (r->cut_off)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " messages remained when the run reached limit=", r->undelivered);
    else if (r->given_up)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " of %" PRIu64 " messages have no route, and %" PRIu64
                 " were given up after %" PRIu64 " attempt%s; latencies and arrivals are of the others",
                 r->unrouted, r->messages, r->given_up, o->give_up, bough_s(o->give_up));
    else if (r->unrouted)
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " of %" PRIu64 " messages have no route; the %s are of the others", r->unrouted,
                 r->messages, cycles ? "cycles" : "rounds");
}

/* delivered, and the latencies of those that are. */
static bough_status add_latencies(const circuit_report *p, const circuit_result *r, bough_rows *rows,
                                  bough_error *error) {
    double ns = period_ns(p->o);
    measurement m = {0};
    bool any = r->latency->count > 0 && !r->deadlocked;
    if (any) latency_summarise(r->latency, &m);
    const optional_row lines[] = {
        {r->messages > 0, BOUGH_METRIC_DELIVERED,
         r->messages ? (double)r->latency->count / (double)r->messages : 0},
        {any, BOUGH_METRIC_LATENCY, m.latency},
        {any, BOUGH_METRIC_LATENCY_P50, (double)m.p50},
        {any, BOUGH_METRIC_LATENCY_P95, (double)m.p95},
        {any, BOUGH_METRIC_LATENCY_P99, (double)m.p99},
        {any, BOUGH_METRIC_LATENCY_MAX, (double)m.max},
        {any && p->in_ns, BOUGH_METRIC_LATENCY_NS, m.latency * ns},
        {any && p->in_ns, BOUGH_METRIC_LATENCY_P50_NS, (double)m.p50 * ns},
        {any && p->in_ns, BOUGH_METRIC_LATENCY_P95_NS, (double)m.p95 * ns},
        {any && p->in_ns, BOUGH_METRIC_LATENCY_P99_NS, (double)m.p99 * ns},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status circuit_rows_batch(const circuit_report *p, const circuit_result *r, bough_rows *rows,
                                       bough_error *error) {
    const circuit_options *o = p->o;
    double m = r->messages ? (double)r->messages : 1, ns = period_ns(o);
    uint64_t delivered = r->messages - r->undelivered;
    bool in_ns = p->in_ns && !r->deadlocked, arrives = in_ns && p->arrivals && delivered > 0;
    const optional_row lines[] = {
        {o->mode == CIRCUIT_ROUNDS || o->retry == CIRCUIT_ROUND, BOUGH_METRIC_ROUNDS, (double)r->rounds},
        {o->mode == CIRCUIT_CYCLES && !r->deadlocked, BOUGH_METRIC_CYCLES, (double)r->cycles},
        {o->mode == CIRCUIT_CYCLES && !r->deadlocked, BOUGH_METRIC_NORM_CYCLES,
         (double)r->cycles / (double)p->alone},
        {in_ns, BOUGH_METRIC_CYCLES_NS, (double)r->cycles * ns},
        {arrives, BOUGH_METRIC_ARRIVAL, (double)r->arrived},
        {arrives, BOUGH_METRIC_ARRIVAL_NS, (double)r->arrived * ns},
        {arrives, BOUGH_METRIC_ARRIVAL_MEAN_NS, delivered ? r->arrivals / (double)delivered * ns : 0},
        {r->messages > 0, BOUGH_METRIC_FIRST_SUCCESS, (double)r->first / m},
        {o->mode != CIRCUIT_ATTEMPT && r->messages > 0, BOUGH_METRIC_ATTEMPTS, (double)r->attempts / m},
        {true, BOUGH_METRIC_MESSAGES, (double)r->messages},
        {r->unrouted > 0, BOUGH_METRIC_UNROUTED, (double)r->unrouted},
        {o->give_up > 0, BOUGH_METRIC_GIVEN_UP, (double)r->given_up},
        {r->cut_off, BOUGH_METRIC_UNDELIVERED, (double)r->undelivered},
        {r->deadlocked, BOUGH_METRIC_STUCK, (double)r->undelivered},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (r->latency) TRY(add_latencies(p, r, rows, error));
    for (int i = 0; i < 4 && o->scenarios && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_COLLISIONS, i, (double)r->scenario[i], error);
    if (o->history && r->per_round) TRY(round_rows_history(r->per_round, r->rounds, rows, error));
    if (o->history && r->per_attempt) TRY(round_rows_attempts(r->per_attempt, r->attempts_most, rows, error));
    if (o->mode == CIRCUIT_ROUNDS)
        TRY(round_rows_within(r->cut_off ? UINT64_MAX : r->rounds, p->within, rows, error));
    if (r->cut_off || r->unrouted || r->given_up) rows->outcome = BOUGH_RUN_PARTIAL;
    if (r->deadlocked) rows->outcome = BOUGH_RUN_DEADLOCK;
    write_note(o, r, rows);
    return status;
}

/* first_success by the level of the nearest common ancestor, of the first `messages` messages of the last
 * run. */
/* Omits levels without messages, whose ratio is undefined. */
static bough_status circuit_rows_levels(const subtrees *tree, const circuit_generic *w, uint64_t count,
                                        bough_rows *rows, bough_error *error) {
    uint64_t messages[SUBTREES_LEVELS + 1] = {0}, first[SUBTREES_LEVELS + 1] = {0};
    for (uint64_t i = 0; i < count; i++) {
        circuit_fate fate = circuit_generic_fate(w, i);
        unsigned level = subtrees_nca_level(tree, fate.source, fate.target);
        messages[level]++;
        first[level] += fate.first;
    }
    bough_status status = BOUGH_OK;
    for (unsigned l = 1; l <= tree->levels && !status; l++)
        if (messages[l])
            status = bough_rows_add(rows, BOUGH_METRIC_FIRST_SUCCESS_LEVEL, l,
                                    (double)first[l] / (double)messages[l], error);
    for (unsigned l = 1; l <= tree->levels && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_MESSAGES_LEVEL, l, (double)messages[l], error);
    return status;
}

static bough_status circuit_rows_stages(const circuit_result *r, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < r->stages && !status; i++) {
        const circuit_stage *stage = &r->stage[i];
        if (!stage->requests) continue;
        status =
            bough_rows_add(rows, BOUGH_METRIC_STAGE_REQUESTS, (int64_t)i, (double)stage->requests, error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_STAGE_SUCCESS, (int64_t)i,
                           (double)stage->granted / (double)stage->requests, error));
    }
    return status;
}

/* ---- streams ---- */

/* What the rows of all engines leave out. */
/* attempts and first_success are of the measured deliveries. */
static bough_status circuit_rows_stream(const circuit_report *p, const measurement *m,
                                        const circuit_counts *counts, bough_rows *rows, bough_error *error) {
    const circuit_options *o = p->o;
    bool in_ns = p->in_ns && !m->saturated && !m->stuck, loses = p->run->point.net->faults || o->give_up;
    uint64_t ended = counts->delivered + counts->lost;
    double ns = period_ns(o);
    const optional_row lines[] = {
        {in_ns, BOUGH_METRIC_LATENCY_NS, m->latency * ns, m->ci95 * ns},
        {in_ns, BOUGH_METRIC_LATENCY_P50_NS, (double)m->p50 * ns},
        {in_ns, BOUGH_METRIC_LATENCY_P95_NS, (double)m->p95 * ns},
        {in_ns, BOUGH_METRIC_LATENCY_P99_NS, (double)m->p99 * ns},
        {true, BOUGH_METRIC_FIRST_SUCCESS, (double)counts->first / (double)m->messages},
        {true, BOUGH_METRIC_ATTEMPTS, (double)counts->attempts / (double)m->messages},
        {loses && ended, BOUGH_METRIC_DELIVERED, (double)counts->delivered / (double)ended},
        {o->give_up > 0, BOUGH_METRIC_GIVEN_UP, (double)counts->given_up},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (counts->per_attempt)
        TRY(round_rows_attempts(counts->per_attempt, counts->attempts_most, rows, error));
    if (!counts->given_up) return status;
    rows_note_append(rows, "%s%" PRIu64 " of %" PRIu64 " messages were given up after %" PRIu64 " attempt%s",
                     rows->note[0] ? "; " : "", counts->given_up, ended, o->give_up, bough_s(o->give_up));
    if (rows->outcome == BOUGH_RUN_OK) rows->outcome = BOUGH_RUN_PARTIAL;
    return status;
}

/* ---- circuit method ---- */

enum {
    P_MODE,
    P_RETRY,
    P_RELEASE,
    P_HOLD,
    P_PAYLOAD,
    P_SLOT,
    P_BOUND,
    P_JITTER,
    P_P,
    P_GIVE_UP,
    P_PRIORITY,
    P_SAME_PATH,
    P_BLOCKED,
    P_FORWARD,
    P_BACK,
    P_CLOCK,
    P_PERIOD,
    P_FOOT,
    P_LATERAL,
    P_ARRANGE,
    P_ROOM,
    P_TURNAROUND,
    P_SCENARIOS,
    P_HISTORY,
    P_LATENCY,
    P_LIMIT,
    P_ENGINE,
    P_LEVELS,
    P_REPLY,
    P_REPLY_PAYLOAD,
    P_STAGES,
    P_AREA,
    P_FIND,
    P_MESSAGES,
    P_WARMUP,
    P_HOT,
    P_WITHIN
};

enum { BLOCKED_REJECT, BLOCKED_WAIT, BLOCKED_DISCARD };
enum { CLOCK_UNIFORM, CLOCK_LAYOUT, CLOCK_LONGEST, CLOCK_CUBE };

static const bough_param params[] = {
    [P_MODE] = {"mode",
                "attempt: each message tries once, without a clock; rounds: rejected messages retry "
                "together; cycles: clock cycles",
                BOUGH_CHOICE, "rounds", .choices = "attempt|rounds|cycles", .echo = true},
    [P_RETRY] = {"retry", "cycles: when a rejected message tries again", BOUGH_CHOICE, "immediate",
                 .choices = "immediate|round|backoff|persistent"},
    [P_RELEASE] = {"release",
                   "rounds: a rejected head releases its links when it is notified (timed) or when the round "
                   "ends (end)",
                   BOUGH_CHOICE, "timed", .choices = "timed|end"},
    [P_HOLD] = {"hold",
                "rounds: the links of a delivered message are held until the round ends (end) or its "
                "acknowledgement frees them (ack); default: end, with mode=cycles ack",
                BOUGH_CHOICE, "", .choices = "end|ack"},
    [P_PAYLOAD] = {"payload", "cycles: flits that follow the head", BOUGH_INT, "0", 0, 0x1p20},
    [P_SLOT] = {"slot",
                "backoff, persistent: cycles of a slot; default: the time of one message across the diameter",
                BOUGH_INT, "", 1, 0x1p20},
    [P_BOUND] = {"bound", "backoff: slots of the largest range to draw from", BOUGH_INT, "1024", 1, 0x1p20},
    [P_JITTER] = {"jitter", "cycles: every retry waits 0 to this many random cycles more", BOUGH_INT, "0", 0,
                  0x1p20},
    [P_P] = {"p", "persistent: probability of a retry in a slot", BOUGH_REAL, "0.5", 1e-3, 1},
    [P_GIVE_UP] = {"give_up", "cycles: attempts after which a message is given up; default: never", BOUGH_INT,
                   "", 1, 1e9},
    [P_PRIORITY] = {"priority",
                    "of heads that request one link in one cycle, the one that is served first: random, or "
                    "the one with the most attempts",
                    BOUGH_CHOICE, "random", .choices = "random|attempts"},
    [P_SAME_PATH] = {"same_path",
                     "a retry takes the links of its last attempt, where they are free, instead of others",
                     BOUGH_FLAG, "0"},
    [P_BLOCKED] = {"blocked",
                   "cycles: a head whose link is taken is refused and releases its links (reject), keeps "
                   "them and waits (wait), or is refused when the rest of its message has arrived and been "
                   "discarded (discard: RN1)",
                   BOUGH_CHOICE, "reject", .choices = "reject|wait|discard"},
    [P_FORWARD] = {"forward", "cycles in which a head passes a router; default 2, with clock= 1", BOUGH_INT,
                   "", 1, 0x1p10},
    [P_BACK] = {"back", "cycles in which an acknowledgement or a refusal passes a router", BOUGH_INT, "1", 1,
                0x1p10},
    [P_CLOCK] =
        {"clock",
         "uniform: routers alone take cycles; wires take whole cycles too: each by its own length in the "
         "network's layout (layout), the longest of its stage (longest), or those of a solid cube (cube)",
         BOUGH_CHOICE, "uniform", .choices = "uniform|layout|longest|cube"},
    [P_PERIOD] = {"period", "a cycle, for results in nanoseconds; 100 MHz in dehon1991", BOUGH_TIME, "10ns",
                  1, 1e15},
    [P_FOOT] = {"foot", "clock=: signal delay of a foot of wire", BOUGH_TIME, "1250ps", 0, 1e12},
    [P_LATERAL] = {"lateral", "clock=: cycles of a turn within a stack", BOUGH_INT, "1", 0, 1000},
    [P_ARRANGE] = {"arrange", "clock=: " LINK_ARRANGE_TEXT, BOUGH_CHOICE, "hollow",
                   .choices = LINK_ARRANGE_CHOICES},
    [P_ROOM] = {"room", LINK_ROOM_TEXT, BOUGH_REAL, "1", 1, 1e6},
    [P_TURNAROUND] = {"turnaround", "reply=reverse: cycles in which a destination reverses the connection",
                      BOUGH_INT, "0", 0, 0x1p20},
    [P_SCENARIOS] = {"scenarios", "count collisions by scenario", BOUGH_FLAG, "0"},
    [P_HISTORY] = {"history", "report deliveries per round, and quantiles of attempts over messages",
                   BOUGH_FLAG, "0"},
    [P_LATENCY] = {"latency",
                   "batches, cycles: latency of the delivered messages, from the start to the arrival of the "
                   "tail, with quantiles, and the fraction that is delivered",
                   BOUGH_FLAG, "0"},
    [P_LIMIT] = {"limit", "rounds or cycles after which a run is stopped", BOUGH_INT, "1e9", 1, 1e9},
    [P_ENGINE] = {"engine",
                  "auto: fast engine where the network allows it; generic: always the generic engine",
                  BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    [P_LEVELS] =
        {"levels",
         "report first_success also by the level of the nearest common ancestor of source and destination",
         BOUGH_FLAG, "0"},
    [P_REPLY] =
        {"reply",
         "cycles: reverse: the reply returns over the opened path; message: the reply is a separate message",
         BOUGH_CHOICE, "none", .choices = "none|reverse|message"},
    [P_REPLY_PAYLOAD] = {"reply_payload", "flits that follow the head of a reply", BOUGH_INT, "0", 0, 0x1p20},
    [P_STAGES] = {"stages", "attempt: requests and success of every stage (groups of one order)", BOUGH_FLAG,
                  "0"},
    [P_AREA] = {"area",
                "cycles: also area x time^2 of the H-tree layout (method layout), with one bit step per "
                "cycle and payload bits per body",
                BOUGH_FLAG, "0"},
    [P_FIND] = {"find",
                "streams: measure the latency at the traffic's rate, or search for the saturation rate",
                BOUGH_CHOICE, "latency", .choices = "latency|saturation"},
    [P_MESSAGES] = {"messages", "streams: deliveries to measure; default: 2^17, or 4 per endpoint", BOUGH_INT,
                    "", 64, 0x1p32},
    [P_WARMUP] = {"warmup", "streams: cycles to discard first; default: determined from the data (MSER)",
                  BOUGH_INT, "", 1, 1e12},
    [P_HOT] = {"hot", "streams: number of hottest links to name", BOUGH_INT, "0", 0, SIM_HOT},
    [P_WITHIN] = {"within", "rounds: also report rounds_within for 1 .. this number of rounds", BOUGH_INT,
                  "0", 0, 10000},
    BOUGH_PARAMS_END,
};

typedef struct setup {
    circuit_options o;
    engine_settings stream; /* for traffic with a rate */
    uint64_t wires;         /* cycles in wires and turns across the diameter */
    bool labels;
    subtrees tree; /* for levels= */
} setup;

typedef struct workspace {
    void *stream; /* an engine_workspace */
    circuit_generic *generic;
    circuit_labels *labels;
} workspace;

/* Cycles of one message across the diameter, forward and back (3 (2h - 1) in strumpen2005). A
 * source that is not a switch does not count as a router of the path. */
static uint64_t transit(const bough_net *net, const setup *s) {
    unsigned routers = net->hops_max - !bough_is_switch(net, 0);
    return (s->o.forward + s->o.back) * (uint64_t)(net->hops_max > 1 ? routers : 1) + 2 * s->wires;
}

/* transit plus payload and reply. */
static uint64_t alone(const bough_net *net, const setup *s) {
    const circuit_options *o = &s->o;
    return transit(net, s) * (o->reply == CIRCUIT_MESSAGE ? 2 : 1) + o->payload + o->turnaround + o->answer;
}

static bool in_rounds(const circuit_options *o) {
    return o->mode == CIRCUIT_ROUNDS || (o->mode == CIRCUIT_CYCLES && o->retry == CIRCUIT_ROUND);
}

/* Parameters that apply to some retries only. */
static bough_status check_retry(const bough_run *run, const circuit_options *o, bough_error *error) {
    const bough_value *v = run->args.value;
    const bool cycles = o->mode == CIRCUIT_CYCLES, single = cycles && o->retry != CIRCUIT_ROUND && !o->wait;
    const bool backoff = cycles && o->retry == CIRCUIT_BACKOFF, timed = o->mode != CIRCUIT_ATTEMPT;
    const bool persistent = cycles && o->retry == CIRCUIT_PERSISTENT;
    const struct {
        unsigned parameter;
        bool applies;
        const char *to;
    } rule[] = {
        {P_BOUND, backoff, "retry=backoff"},
        {P_JITTER, single, "mode=cycles with retry=immediate, backoff or persistent"},
        {P_P, persistent, "retry=persistent"},
        {P_GIVE_UP, single, "mode=cycles with retry=immediate, backoff or persistent, and blocked= not wait"},
        {P_LATENCY, cycles && o->reply != CIRCUIT_MESSAGE, "mode=cycles without reply=message"},
        {P_PRIORITY, timed && !o->wait, "mode=rounds or cycles, with blocked=reject"},
        {P_SAME_PATH, timed && !o->wait, "mode=rounds or cycles, with blocked=reject"},
        {P_BLOCKED, cycles, "mode=cycles"},
        {P_RETRY, !o->wait, "blocked=reject: a head that waits is not refused"},
        {P_FORWARD, timed, "mode=rounds or cycles"},
        {P_BACK, timed, "mode=rounds or cycles"},
        {P_CLOCK, timed, "mode=rounds or cycles"},
        {P_PERIOD, cycles, "mode=cycles"},
        {P_FOOT, o->wires, "clock=layout, longest or cube"},
        {P_LATERAL, o->wires, "clock=layout, longest or cube"},
        {P_ARRANGE, o->wires, "clock=layout or longest"},
        {P_ROOM, o->wires, "clock=layout or longest"},
        {P_TURNAROUND, o->reply == CIRCUIT_REVERSE, "reply=reverse"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (v[rule[i].parameter].given && !rule[i].applies)
            return bough_fail(error, BOUGH_INVALID, NULL, "circuit: %s= applies to %s",
                              params[rule[i].parameter].key, rule[i].to);
    return BOUGH_OK;
}

static bough_status check(bough_run *run, const circuit_options *o, bough_error *error) {
    const bough_net *net = run->point.net;
    const bough_args *a = &run->args;
    if (a->value[P_RETRY].given && o->mode != CIRCUIT_CYCLES)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: retry= applies to mode=cycles");
    if (o->payload && o->mode != CIRCUIT_CYCLES)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: payload= applies to mode=cycles");
    if (a->value[P_WITHIN].integer && o->mode != CIRCUIT_ROUNDS)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: within= applies to mode=rounds");
    if (a->value[P_RELEASE].given && o->mode != CIRCUIT_ROUNDS)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: release= applies to mode=rounds");
    if (a->value[P_HOLD].given && !in_rounds(o))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "circuit: hold= applies to rounds: mode=rounds, or mode=cycles,retry=round");
    if (o->reply && o->mode != CIRCUIT_CYCLES)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: reply= applies to mode=cycles");
    if (o->answer && !o->reply)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "circuit: reply_payload= applies to reply=reverse or message");
    if (o->reply == CIRCUIT_MESSAGE && o->retry == CIRCUIT_ROUND)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "circuit: with reply=message, replies start when requests arrive, which excludes "
                          "retry=round; use retry=immediate or backoff");
    if (a->value[P_AREA].integer && (o->mode != CIRCUIT_CYCLES || o->payload == 0))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "circuit: area= applies to mode=cycles with a payload=");
    if (a->value[P_AREA].integer) {
        bough_status status = at2_open(run, error);
        if (status) return status;
    }
    if (o->stages && o->mode != CIRCUIT_ATTEMPT)
        return bough_fail(error, BOUGH_INVALID, NULL, "circuit: stages= applies to mode=attempt");
    if (o->levels && !(net->capabilities & BOUGH_HAS_CHANNELS))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "circuit: levels=1 needs a tree; %s is not one",
                          net->spec);
    const bough_routing *routing = run->point.routing;
    if (o->mode == CIRCUIT_ATTEMPT && (routing->kind->via || !bough_routing_ordered(routing)))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "circuit:mode=attempt needs an acyclic order of the groups, which %s on %s does not have",
            routing->spec, net->spec);
    return BOUGH_OK;
}

/* engine_settings_bind expects these parameters first, in its order. */
static bough_status bind_measurement(const bough_run *run, engine_settings *settings, bough_error *error) {
    static const unsigned from[ENGINE_PARAMS] = {
        [ENGINE_FIND] = P_FIND,     [ENGINE_MESSAGES] = P_MESSAGES, [ENGINE_WARMUP] = P_WARMUP,
        [ENGINE_LEVELS] = P_LEVELS, [ENGINE_HOT] = P_HOT,           [ENGINE_LIMIT] = P_LIMIT,
    };
    bough_run view = *run;
    for (unsigned i = 0; i < ENGINE_PARAMS; i++) view.args.value[i] = run->args.value[from[i]];
    return engine_settings_bind(&view, 1, false, settings, error);
}

static bough_status check_stream(const bough_run *run, const circuit_options *o, bough_error *error) {
    const bough_point *p = &run->point;
    if (!p->traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "circuit takes streams with a rate (poisson, bernoulli); %s has none",
                          p->traffic->spec);
    if (o->mode != CIRCUIT_CYCLES || o->retry == CIRCUIT_ROUND)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "circuit: %s never ends; use mode=cycles with retry=immediate, backoff or persistent",
            p->traffic->spec);
    if (o->payload || o->reply || o->wait || o->scenarios || o->levels || o->latency ||
        run->args.value[P_AREA].integer)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "circuit: payload=, reply=, blocked=wait, scenarios=, levels=, latency= and area= apply "
            "to batches; the size of a stream's messages is its flits=");
    return BOUGH_OK;
}

static bough_status open_stream(bough_run *run, bough_error *error) {
    setup *s = run->data;
    bough_status status = check_stream(run, &s->o, error);
    if (status) return status;
    s->o.payload = bough_law_longest(run->point.traffic->law) - 1;
    s->stream.plan.alone = alone(run->point.net, s);
    uint64_t live = engine_live_messages(run, &s->stream), links = run->point.net->links;
    run->bytes = bough_add(circuit_generic_bytes(&run->point, &s->o), bough_mul(links, 16));
    run->bytes = bough_add(run->bytes, bough_add(engine_series_bytes(run, &s->stream), bough_mul(live, 128)));
    return BOUGH_OK;
}

static void bind_clock(const bough_run *run, setup *s) {
    const bough_value *v = run->args.value;
    int64_t clock = v[P_CLOCK].integer;
    s->o.wires = clock != CLOCK_UNIFORM;
    s->o.forward = v[P_FORWARD].set ? (uint64_t)v[P_FORWARD].integer : s->o.wires ? 1 : 2;
    s->o.turnaround = (uint64_t)v[P_TURNAROUND].integer;
    s->o.clock = (link_clock_rules){.wires = clock == CLOCK_LAYOUT    ? LINK_WIRES_LAYOUT
                                             : clock == CLOCK_LONGEST ? LINK_WIRES_LONGEST
                                                                      : LINK_WIRES_CUBE,
                                    .period_ps = (uint64_t)v[P_PERIOD].integer,
                                    .foot_ps = (uint64_t)v[P_FOOT].integer,
                                    .lateral = (uint64_t)v[P_LATERAL].integer,
                                    .arrange = (bough_arrangement)v[P_ARRANGE].integer,
                                    .room = v[P_ROOM].real};
}

static void assume_clock(bough_run *run, const circuit_options *o) {
    static const char *const length[] = {
        [LINK_WIRES_LONGEST] = "as long as the longest of their stage",
        [LINK_WIRES_LAYOUT] = "of their own lengths",
        [LINK_WIRES_CUBE] = "across a solid cube of all stacks",
    };
    char period[32], foot[32];
    if (!o->wires) return;
    bough_format_measure(BOUGH_TIME, (int64_t)o->clock.period_ps, period, sizeof period);
    bough_format_measure(BOUGH_TIME, (int64_t)o->clock.foot_ps, foot, sizeof foot);
    run_assume(run, "time", "cycles of %s, %" PRIu64 " a router", period, o->forward);
    run_assume(run, "delay", "wires %s, %s a foot", length[o->clock.wires], foot);
    if (o->clock.arrange)
        run_assume(run, "arrangement", "%s", link_arrangement_text(&o->clock, period, sizeof period));
}

static bough_status circuit_open(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->o = (circuit_options){.mode = (circuit_mode)v[P_MODE].integer,
                             .retry = (circuit_retry)v[P_RETRY].integer,
                             .release_at_end = v[P_RELEASE].integer == 1,
                             .hold_to_end =
                                 v[P_HOLD].set ? v[P_HOLD].integer == 0 : v[P_MODE].integer != CIRCUIT_CYCLES,
                             .scenarios = v[P_SCENARIOS].integer,
                             .history = v[P_HISTORY].integer,
                             .levels = v[P_LEVELS].integer,
                             .stages = v[P_STAGES].integer,
                             .reply = (circuit_reply)v[P_REPLY].integer,
                             .payload = (uint64_t)v[P_PAYLOAD].integer,
                             .answer = (uint64_t)v[P_REPLY_PAYLOAD].integer,
                             .slot = (uint64_t)v[P_SLOT].integer,
                             .bound = (uint64_t)v[P_BOUND].integer,
                             .jitter = (uint64_t)v[P_JITTER].integer,
                             .p = v[P_P].real,
                             .give_up = v[P_GIVE_UP].set ? (uint64_t)v[P_GIVE_UP].integer : 0,
                             .latency = v[P_LATENCY].integer,
                             .veterans = v[P_PRIORITY].integer,
                             .same_path = v[P_SAME_PATH].integer,
                             .wait = v[P_BLOCKED].integer == BLOCKED_WAIT,
                             .discard = v[P_BLOCKED].integer == BLOCKED_DISCARD,
                             .back = (uint64_t)v[P_BACK].integer,
                             .round_limit = (uint64_t)v[P_LIMIT].integer,
                             .cycle_limit = (uint64_t)v[P_LIMIT].integer};
    bind_clock(run, s);
    if (s->o.wires) status = link_arrangement_fits("circuit", &s->o.clock, v[P_ROOM].given, error);
    if (s->o.wires && !status) status = link_clocks_diameter(run->point.net, &s->o.clock, &s->wires, error);
    if (status) return status;
    assume_clock(run, &s->o);
    if (!v[P_SLOT].set) s->o.slot = transit(run->point.net, s);
    if (s->o.mode != CIRCUIT_CYCLES) s->o.cycle_limit = UINT64_MAX;
    if (s->o.mode == CIRCUIT_CYCLES) s->o.round_limit = UINT64_MAX;
    status = check_retry(run, &s->o, error);
    TRY(check(run, &s->o, error));
    TRY(bind_measurement(run, &s->stream, error));
    if (status || run->point.traffic->shape == BOUGH_STREAM) return status ? status : open_stream(run, error);
    if (s->o.levels) status = subtrees_make(run->point.net, &s->tree, error);
    if (status) return status;
    s->labels = v[P_ENGINE].integer == 0 && circuit_labels_fit(&run->point, &s->o);
    run->bytes =
        s->labels ? circuit_labels_bytes(&run->point, &s->o) : circuit_generic_bytes(&run->point, &s->o);
    run->parallel = s->labels || circuit_generic_divides(&s->o);
    run->bytes_each = s->labels       ? circuit_labels_bytes_each(&run->point, &s->o)
                      : run->parallel ? circuit_generic_bytes_each(&run->point)
                                      : 0;
    if (!s->labels && run->point.net->links >= UINT32_MAX) {
        char bytes[32];
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "circuit on %s has more than 2^32 links; it would take %s", run->point.net->spec,
                          bough_format_bytes(run->bytes, bytes, sizeof bytes));
    }
    return BOUGH_OK;
}

static bough_status make_stream(const bough_run *run, sim_engine **engine, bough_error *error) {
    const setup *s = run->data;
    return circuit_stream_make(run, &s->o, engine, error);
}

static circuit_report report_of(const bough_run *run) {
    const setup *s = run->data;
    return (circuit_report){.run = run,
                            .o = &s->o,
                            .alone = alone(run->point.net, s),
                            .within = (uint64_t)run->args.value[P_WITHIN].integer,
                            .arrivals = !s->labels,
                            .in_ns = s->o.mode == CIRCUIT_CYCLES &&
                                     (s->o.wires || run->args.value[P_PERIOD].given)};
}

static bough_status run_stream(const circuit_trial *t, workspace *w, bough_rows *rows, bough_error *error) {
    const setup *s = t->run->data;
    const engine_trial trial = {t->run, t->key, &s->stream, make_stream};
    const circuit_report report = report_of(t->run);
    circuit_counts counts;
    measurement result = {0};
    bough_status status = engine_trial_run(&trial, &w->stream, &result, rows, error);
    if (status || s->stream.saturation || !result.messages) return status;
    circuit_stream_counts(((const engine_workspace *)w->stream)->engine, &counts);
    return circuit_rows_stream(&report, &result, &counts, rows, error);
}

/* A trial of a batch, on the threads of a team. */
typedef struct batch_trial {
    const bough_run *run;
    workspace *w;
    bough_key key;
    circuit_result result;
    bough_status status;
    bough_error *error;
} batch_trial;

static void simulate(void *context, thread_team *team) {
    batch_trial *b = context;
    const setup *s = b->run->data;
    const circuit_trial trial = {b->run, &s->o, b->key, team};
    b->status = s->labels ? circuit_labels_run(&trial, &b->w->labels, &b->result, b->error)
                          : circuit_generic_run(&trial, &b->w->generic, &b->result, b->error);
}

static bough_status run_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                              bough_error *error) {
    const setup *s = run->data;
    workspace *w = *space;
    bough_status status;
    if (!w) {
        status = bough_alloc(space, 1, sizeof *w, error);
        if (status) return status;
        w = *space;
    }
    if (run->point.traffic->shape == BOUGH_STREAM)
        return run_stream(&(circuit_trial){run, &s->o, key, NULL}, w, rows, error);
    batch_trial trial = {.run = run, .w = w, .key = key, .error = error};
    team_run(run->threads, simulate, &trial);
    status = trial.status;
    const circuit_result *result = &trial.result;
    const circuit_report report = report_of(run);
    TRY(circuit_rows_batch(&report, result, rows, error));
    if (!status && s->o.levels)
        status = circuit_rows_levels(&s->tree, w->generic, result->messages, rows, error);
    if (!status && run->args.value[P_AREA].integer)
        status =
            at2_add(&(method_trial){run, key},
                    &(at2_run){.steps = (double)result->cycles, .body = (double)s->o.payload}, rows, error);
    return status || !s->o.stages ? status : circuit_rows_stages(result, rows, error);
}

static void circuit_free(void *space) {
    workspace *w = space;
    if (w->stream) engine_workspace_free(w->stream);
    circuit_generic_free(w->generic);
    circuit_labels_free(w->labels);
    free(w);
}

static void circuit_close(bough_run *run) {
    setup *s = run->data;
    if (s) subtrees_fini(&s->tree);
    free(s);
}

const bough_method bough_method_circuit = {
    .name = "circuit",
    .summary = "circuit switching, simulated: heads reserve links, collide, release them and retry",
    .source = "strumpen2005, sections 3 and 7; dehon1991",
    .params = params,
    .headline = BOUGH_METRIC_ROUNDS,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM,
    .needs_routing = true,
    .takes_lost = true,
    .takes_via = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .random_links = METHOD_LINK_BY_LINK,
    .open = circuit_open,
    .trial = run_trial,
    .free_workspace = circuit_free,
    .close = circuit_close,
};
