/* The method `queueing`: latency and saturation of wormhole routing from the queueing model of
 * greenberg1997. */
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "loads/flow_spread.h"
#include "method/assumptions.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/model_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { P_VARIANT, P_TURNS, P_FIND, P_LEVELS, P_ENGINE, P_VARIANCE, P_RATES };
enum { FIND_LATENCY, FIND_SATURATION };

static const bough_param params[] = {
    [P_VARIANT] = {"variant",
                   "distribution: a link has at most one message at a queue, by whole distributions; use it "
                   "for latency and percentiles at any load. finite: the same by three moments; use it for "
                   "the saturation load. published: waits corrected by Eq. 10; use it for the figures of the "
                   "paper. uncorrected: without Eq. 10; use it to see what Eq. 10 adds. conditional: the "
                   "probability that Eq. 10 approximates; use it for endpoints with several links",
                   BOUGH_CHOICE, "published",
                   .choices = "published|uncorrected|conditional|finite|distribution"},
    [P_TURNS] = {"turns",
                 "fraction of a link's traffic that goes up, for uniform traffic on regular trees: Eq. 12 as "
                 "printed, or exact",
                 BOUGH_CHOICE, "printed", .choices = "printed|exact"},
    [P_FIND] = {"find", "compute the latency at the traffic's rate, or the saturation rate", BOUGH_CHOICE,
                "latency", .choices = "latency|saturation"},
    [P_LEVELS] = {"levels", "report waits, service times and utilization of the links of each level",
                  BOUGH_FLAG, "0"},
    [P_ENGINE] = {"engine", "auto: one class per level if all its links are alike; generic: link by link",
                  BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    [P_VARIANCE] =
        {"variance",
         "published, uncorrected, conditional: variance of service times of mean x: eq5: (x - F)^2; "
         "lengths: this and the variance of the lengths F",
         BOUGH_CHOICE, "lengths", .choices = "eq5|lengths"},
    [P_RATES] =
        {"rates",
         "published, uncorrected, conditional: rate in the wait before a group of m links: corrected: that "
         "of the group (the margin of greenberg1997 inserts 2 in Eqs. 21 and 23); printed: that of one link",
         BOUGH_CHOICE, "corrected", .choices = "corrected|printed"},
    BOUGH_PARAMS_END,
};

static queueing_variant variant_of(const bough_run *run) {
    return (queueing_variant)run->args.value[P_VARIANT].integer;
}

static bool by_levels(const bough_run *run) {
    return run->args.value[P_ENGINE].integer == 0 && queueing_alike_usable(&run->point);
}

static bough_status open_queueing(bough_run *run, bough_error *error) {
    const bough_stream_law *law = run->point.traffic->law;
    bough_status status = spread_check(run->point.routing, "queueing", error);
    if (status) return status;
    if (law->flits == 0)
        return bough_fail(error, BOUGH_INVALID, "key 'flits'", "a message needs at least 1 flit");
    if (!(law->rate >= 0) || isinf(law->rate))
        return bough_fail(error, BOUGH_INVALID, "key 'rate'", "a rate must be a number >= 0");
    if (!law->pattern || !law->pattern->kind->pattern)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "queueing needs the destinations of the messages, which %s does not provide",
                          run->point.traffic->spec);
    if (run->args.value[P_VARIANCE].given && variant_of(run) >= QUEUEING_FINITE)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "queueing: variance= applies to variant=published, uncorrected and conditional; the "
            "others find variances from the waits");
    if (run->args.value[P_RATES].integer && variant_of(run) >= QUEUEING_FINITE)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "queueing: rates=printed applies to variant=published, uncorrected and conditional");
    run_assume_flit_cycles(run);
    run_assume_wormhole(run, 1, 1);
    if (by_levels(run)) {
        run->bytes = queueing_alike_bytes(&run->point, variant_of(run));
        return BOUGH_OK;
    }
    if (run->point.net->links >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "queueing, link by link, supports fewer than 2^32 links; %s has %" PRIu64,
                          run->point.net->spec, run->point.net->links);
    run->bytes = queueing_flows_bytes(&run->point, variant_of(run));
    return bough_memory_check(run->bytes, "queueing, link by link,", error);
}

/* ---- results ---- */

/* Mean conditions of the messages over the links of one level and direction. */
typedef struct totals {
    double messages, waited, crossed, held, links;
} totals;

typedef struct answer {
    const queueing_net *q;
    const queueing_state *s;
    double rate;
    double quantile[QUEUEING_QUANTILES]; /* NAN: not known */
    bough_rows *rows;
} answer;

static bough_status add(const answer *a, bough_metric_id metric, int64_t index, double value,
                        bough_error *error) {
    return bough_rows_add(a->rows, metric, index, value, error);
}

static double waited(double messages, double wait) {
    return messages > 0 ? messages * wait : 0;
}

/* A queue is counted at the first of its links. */
static const queueing_channel *served(const queueing_net *q, uint64_t queue) {
    return &q->channel[q->member[q->queue[queue].first]];
}

static totals *of(totals *t, const queueing_channel *c) {
    return &t[3 * c->level + (unsigned)(c->direction + 1)];
}

static void sum_up(const answer *a, totals *t) {
    const queueing_net *q = a->q;
    for (uint64_t i = 0; i < q->queues; i++) {
        const queueing_queue *to = &q->queue[i];
        totals *at = of(t, served(q, i));
        at->messages += to->enters * to->copies;
        at->waited += waited(to->enters * to->copies, a->s->source_wait[i]);
    }
    for (uint64_t i = 0; i < q->channels; i++) {
        const queueing_channel *c = &q->channel[i];
        of(t, c)->links += c->links;
        of(t, c)->crossed += c->links * c->rate;
        of(t, c)->held += c->links * c->rate * a->s->service[i];
        for (uint32_t k = 0; k < c->turns; k++) {
            const queueing_turn *turn = &q->turn[c->first + k];
            totals *at = of(t, served(q, turn->queue));
            at->messages += c->links * turn->rate;
            at->waited += waited(c->links * turn->rate, a->s->turn_wait[c->first + k]);
        }
    }
}

/* At saturation the waits of the sources are unbounded. */
static bough_status add_levels(const answer *a, bool saturated, bough_error *error) {
    static const struct {
        unsigned direction;
        bough_metric_id wait, service, use;
    } metric[] = {
        {2, BOUGH_METRIC_WAIT_UP, BOUGH_METRIC_SERVICE_UP, BOUGH_METRIC_LINK_USE_UP},
        {0, BOUGH_METRIC_WAIT_DOWN, BOUGH_METRIC_SERVICE_DOWN, BOUGH_METRIC_LINK_USE_DOWN},
    };
    unsigned levels = a->q->net->levels;
    totals *t;
    bough_status status = bough_alloc(&t, 3 * ((uint64_t)levels + 1), sizeof *t, error);
    if (!status) sum_up(a, t);
    for (size_t i = 0; i < sizeof metric / sizeof *metric; i++)
        for (unsigned l = 0; l < levels && !status; l++) {
            const totals *at = &t[3 * l + metric[i].direction];
            if (!(at->crossed > 0)) continue;
            if (!saturated) status = add(a, metric[i].wait, l, at->waited / at->messages, error);
            TRY(add(a, metric[i].service, l, at->held / at->crossed, error));
            TRY(add(a, metric[i].use, l, a->rate * at->held / at->links, error));
        }
    free(t);
    return status;
}

/* Service times that did not converge were still growing: this does not happen at loads far from
 * saturation. */
static bool is_saturated(const queueing_state *s) {
    return s->full != UINT32_MAX || !s->converged;
}

/* Of the links that are full, the waits before the one that is nearest to the destinations are infinite, so
 * that no other is looked at. It need not be the one that fills first. */
static void note_full(const answer *a, uint32_t queue) {
    char name[160];
    bool source = a->q->queue[queue].enters > 0;
    snprintf(
        a->rows->note, sizeof a->rows->note, "%.4g flits/cycle/endpoint exceed the capacity of %s%s",
        a->rate * a->q->flits, bough_link_name(a->q->net, served(a->q, queue)->link, name, sizeof name),
        source ? ", where messages start"
               : ", of the full links the nearest to the destinations (the first to fill: find=saturation)");
}

/* The most heavily used links. */
static bough_status add_limit(const answer *a, bough_error *error) {
    static const bough_metric_id metric[] = {BOUGH_METRIC_LIMIT_DOWN, BOUGH_METRIC_LIMIT_ACROSS,
                                             BOUGH_METRIC_LIMIT_UP};
    uint32_t most = a->s->full;
    for (uint32_t i = 0; i < a->q->queues && a->s->full == UINT32_MAX; i++)
        if (most == UINT32_MAX || a->s->use[i] > a->s->use[most]) most = i;
    const queueing_channel *c = served(a->q, most);
    if (is_saturated(a->s)) note_full(a, most);
    return add(a, metric[c->direction + 1], c->level, a->s->use[most], error);
}

static bough_status add_saturation(const answer *a, bough_error *error) {
    bough_status status = add(a, BOUGH_METRIC_SATURATION, BOUGH_NO_ROW_INDEX, a->rate * a->q->flits, error);
    TRY(add(a, BOUGH_METRIC_SATURATION_MESSAGES, BOUGH_NO_ROW_INDEX, a->rate, error));
    return status ? status : add_limit(a, error);
}

/* Eq. 2, with the wait and the service time of the queue where each message starts. */
static bough_status add_latency(const answer *a, bough_error *error) {
    const queueing_net *q = a->q;
    bool full = is_saturated(a->s);
    double wait = 0, service = 0, use = 0, distance = q->crossings / q->messages;
    double routed = q->messages / (q->messages + q->unrouted);
    for (uint64_t i = 0; i < q->queues; i++) {
        const queueing_queue *to = &q->queue[i];
        wait += waited(to->enters * to->copies, a->s->source_wait[i]) / q->messages;
        if (to->enters > 0) service += to->enters * to->copies * a->s->mean[i] / q->messages;
    }
    for (uint64_t c = 0; c < q->channels; c++)
        if (q->channel[c].rate > 0) use = fmax(use, a->rate * q->channel[c].rate * a->s->service[c]);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_LATENCY, full ? NAN : wait + service + distance - 1},
        {!isnan(a->quantile[0]), BOUGH_METRIC_LATENCY_P50, a->quantile[0]},
        {!isnan(a->quantile[1]), BOUGH_METRIC_LATENCY_P90, a->quantile[1]},
        {!isnan(a->quantile[2]), BOUGH_METRIC_LATENCY_P95, a->quantile[2]},
        {!isnan(a->quantile[3]), BOUGH_METRIC_LATENCY_P99, a->quantile[3]},
        {true, BOUGH_METRIC_DISTANCE, distance},
        {true, BOUGH_METRIC_OFFERED, a->rate * q->flits},
        {true, BOUGH_METRIC_OFFERED_MESSAGES, a->rate},
        {!full, BOUGH_METRIC_ACCEPTED, a->rate * q->flits * routed},
        {!full, BOUGH_METRIC_ACCEPTED_MESSAGES, a->rate * routed},
        {!full, BOUGH_METRIC_SOURCE_WAIT, wait},
        {!full, BOUGH_METRIC_LINK_USE_MAX, use},
    };
    bough_status status = rows_add_present(a->rows, lines, sizeof lines / sizeof *lines, error);
    if (!full && q->unrouted > 0) {
        a->rows->outcome = BOUGH_RUN_PARTIAL;
        snprintf(a->rows->note, sizeof a->rows->note, "%.3g %% of the messages have no route and are omitted",
                 100 * (1 - routed));
    }
    if (!full || status) return status;
    a->rows->outcome = BOUGH_RUN_SATURATED;
    return add_limit(a, error);
}

/* ---- a trial ---- */

static bough_status build(const bough_run *run, bough_key key, queueing_net *q, bough_error *error) {
    const bough_traffic *pattern = run->point.traffic->law->pattern;
    const bough_pattern *p = pattern->kind->pattern;
    void *state = NULL;
    bough_status status;
    q->net = run->point.net;
    q->law = run->point.traffic->law;
    q->flits = bough_law_mean_flits(q->law);
    for (int k = 0; k < 3; k++)
        q->length[k] = q->law->lengths ? q->law->lengths->moment[k] : pow(q->flits, k + 1);
    q->variant = variant_of(run);
    q->variance = (queueing_variance)run->args.value[P_VARIANCE].integer;
    q->printed_rates = run->args.value[P_RATES].integer == 1;
    q->printed = run->args.value[P_TURNS].integer == 0 && q->variant < QUEUEING_FINITE &&
                 queueing_eq12_applies(&run->point);
    if (by_levels(run)) {
        status = queueing_alike_build(&run->point, q, error);
    } else {
        status = p->open ? p->open(pattern, key, &state, error) : BOUGH_OK;
        TRY(queueing_flows_build(run, state, q, error));
        if (p->close && state) p->close(state);
    }
    TRY(queueing_finish(q, error));
    if (!status && !(q->messages > 0))
        status = bough_fail(error, BOUGH_INVALID, NULL, "%s: no endpoint sends", run->point.traffic->spec);
    return status;
}

static void find_latency(const queueing_net *q, answer *a, queueing_state *s) {
    static const double share[QUEUEING_QUANTILES] = {0.5, 0.9, 0.95, 0.99};
    queueing_solve(q, a->rate, s);
    if (s->distribution && !is_saturated(s))
        queueing_distribution_quantiles(q, a->rate, s, share, a->quantile);
}

static bough_status solve(const bough_run *run, const queueing_net *q, bough_rows *rows, bough_error *error) {
    bool latency = run->args.value[P_FIND].integer == FIND_LATENCY;
    queueing_state s;
    answer a = {.q = q, .s = &s, .rate = run->point.traffic->law->rate, .rows = rows};
    for (int k = 0; k < QUEUEING_QUANTILES; k++) a.quantile[k] = NAN;
    bough_status status = queueing_state_make(q, &s, error);
    if (!status && latency)
        find_latency(q, &a, &s);
    else if (!status)
        a.rate = queueing_saturation(q, &s);
    TRY(latency ? add_latency(&a, error) : add_saturation(&a, error));
    if (!status && run->args.value[P_LEVELS].integer && !is_saturated(&s))
        status = add_levels(&a, !latency, error);
    queueing_state_fini(&s);
    return status;
}

static bough_status trial_queueing(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                   bough_error *error) {
    queueing_net q = {0};
    (void)workspace;
    bough_status status = build(run, key, &q, error);
    TRY(solve(run, &q, rows, error));
    queueing_fini(&q);
    return status;
}

const bough_method bough_method_queueing = {
    .name = "queueing",
    .summary = "latency of wormhole routing by M/G/m queues, where each link's service time includes the "
               "rest of the path",
    .source = "greenberg1997, Eqs. 1 to 26",
    .params = params,
    .headline = BOUGH_METRIC_LATENCY,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_STREAM,
    .needs_law = true,
    .reads_law = true,
    /* The service time of a link lasts until the tail has passed the rest of the path. */
    .assumes = BOUGH_ASSUMES_ONE_RATE | BOUGH_ASSUMES_LONG_WORMS | BOUGH_ASSUMES_POISSON,
    .random_links = METHOD_LINK_BY_LINK,
    .needs_routing = true,
    .exact = true,
    .open = open_queueing,
    .trial = trial_queueing,
};
