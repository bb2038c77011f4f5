#include "engines/circuit/circuit_rows.h"

#include "base/status/try.h"
#include "method/round_rows.h"
#include "method/rows.h"

#include <inttypes.h>
#include <stdio.h>

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
                 " were given up after %" PRIu64 " attempts; latencies and arrivals are of the others",
                 r->unrouted, r->messages, r->given_up, o->give_up);
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

bough_status circuit_rows_batch(const circuit_report *p, const circuit_result *r, bough_rows *rows,
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

/* Omits levels without messages, whose ratio is undefined. */
bough_status circuit_rows_levels(const subtrees *tree, const circuit_generic *w, uint64_t count,
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

bough_status circuit_rows_stages(const circuit_result *r, bough_rows *rows, bough_error *error) {
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

/* attempts and first_success are of the measured deliveries. */
bough_status circuit_rows_stream(const circuit_report *p, const measurement *m, const circuit_counts *counts,
                                 bough_rows *rows, bough_error *error) {
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
    rows_note_append(rows, "%s%" PRIu64 " of %" PRIu64 " messages were given up after %" PRIu64 " attempts",
                     rows->note[0] ? "; " : "", counts->given_up, ended, o->give_up);
    if (rows->outcome == BOUGH_RUN_OK) rows->outcome = BOUGH_RUN_PARTIAL;
    return status;
}
