#include "method/steady_state.h"

#include "base/compare.h"
#include "base/memory/memory.h"
#include "base/statistics.h"
#include "base/status/try.h"
#include "method/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MSER_FIRST   4096 /* messages after which MSER first examines the run */
#define MSER_BATCHES 64   /* batch means that it examines */
#define GRAIN        4096 /* deliveries requested from the engine per call */
/* Growth of the backlog in a round of the warm-up that may mean saturation: of the offered rate, and of the
 * growth in each of the two rounds before. */
#define GROWTH_WARMUP 0.02
#define GROWTH_LASTS  0.8

typedef struct meter {
    sim_engine *engine;
    const bough_run *run;
    const measurement_plan *plan;
    latency_series *series;
    measurement *r;
    bough_error *error;
    uint64_t slice; /* cycles simulated per call */
    uint64_t last;  /* latest arrival, cycle */
    double warmed;  /* deliveries of the warm-up; 0: it has not ended */
    bool over;      /* no more deliveries will come or are needed */
} meter;

static double backlog(const meter *m) {
    return (double)(m->engine->offered - m->engine->arrived);
}

/* ---- deliveries ---- */

static bough_status look_for_stuck(meter *m) {
    if (!m->engine->ops->stuck) return BOUGH_OK;
    bough_status status = m->engine->ops->stuck(m->engine, &m->r->stuck, &m->r->stuck_link, m->error);
    if (m->r->stuck) m->over = true;
    return status;
}

static bough_status append_wide(meter *m, const sim_advance *part) {
    const sim_delivery *d = part->deliveries;
    latency_series *s = m->series;
    bough_status status =
        bough_grow(&s->wide, &s->wide_capacity, s->count + part->count, sizeof *s->wide, m->error);
    for (uint64_t i = 0; i < part->count && !status; i++) {
        s->wide[s->count++] = d[i].arrived - d[i].offered;
        m->r->hops += d[i].hops;
        if (d[i].arrived > m->last) m->last = d[i].arrived;
    }
    return status;
}

static bough_status append(meter *m, const sim_advance *part) {
    if (m->plan->wide) return append_wide(m, part);
    const sim_delivery *d = part->deliveries;
    latency_series *s = m->series;
    bough_status status =
        bough_grow(&s->latency, &s->capacity, s->count + part->count, sizeof *s->latency, m->error);
    if (status) return status;
    for (uint64_t i = 0; i < part->count; i++) {
        uint64_t latency = d[i].arrived - d[i].offered;
        s->latency[s->count++] = latency < UINT32_MAX ? (uint32_t)latency : UINT32_MAX;
        m->r->hops += d[i].hops;
        if (d[i].arrived > m->last) m->last = d[i].arrived;
    }
    return BOUGH_OK;
}

/* The warm-up is expected to take as long again as it has taken. */
static void report_progress(const meter *m) {
    const measurement_plan *plan = m->plan;
    double arrived = (double)m->engine->arrived, share = 0;
    if (!m->run->progress) return;
    if (plan->rate > 0)
        share = arrived / ((m->warmed > 0 ? m->warmed : 2 * arrived) + (double)plan->messages);
    else if (plan->total)
        share = arrived / (double)plan->total;
    m->run->progress(m->run->progress_context, plan->part > 0 ? plan->from + plan->part * share : share);
}

/* Simulates until the series has `target` latencies and the cycle is at least `until`. */
static bough_status collect(meter *m, uint64_t target, uint64_t until) {
    sim_engine *e = m->engine;
    while (!m->over && (m->series->count < target || e->now < until)) {
        sim_advance part = {.until = bough_add(e->now, m->slice), .want = GRAIN};
        if (bough_run_stopped(m->run)) return bough_fail(m->error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (m->series->count < target && target - m->series->count < GRAIN)
            part.want = target - m->series->count;
        if (m->series->count >= target && part.until > until) part.until = until;
        if (part.until > m->plan->limit) part.until = m->plan->limit;
        bough_status status = e->ops->advance(e, &part, m->error);
        TRY(append(m, &part));
        report_progress(m);
        bool idle = e->now < part.until && part.count < part.want;
        if (!status && backlog(m) > 0 && (idle || (m->plan->detect && part.count == 0)))
            status = look_for_stuck(m);
        if (status) return status;
        if (idle) m->over = true;
        if (e->now >= m->plan->limit) m->over = m->r->cut_off = true;
        if (backlog(m) > (double)m->plan->backlog) m->over = m->r->saturated = true;
    }
    return BOUGH_OK;
}

/* ---- the steady state ---- */

uint64_t mser_truncation(const double *value, uint64_t count) {
    double sum = 0, squares = 0, best = INFINITY;
    uint64_t cut = 0;
    for (uint64_t k = count; k-- > 0;) { /* statistics of value[k ..] */
        double rest = (double)(count - k);
        sum += value[k];
        squares += value[k] * value[k];
        if (count - k < 5) continue;
        double mser = (squares - sum * sum / rest) / (rest * rest);
        if (mser <= best) best = mser, cut = k;
    }
    return cut;
}

static void batch_means(const meter *m, uint64_t batches, double *mean) {
    const latency_series *s = m->series;
    const bool wide = m->plan->wide;
    for (uint64_t b = 0; b < batches; b++) {
        uint64_t from = s->count * b / batches, to = s->count * (b + 1) / batches;
        double sum = 0;
        for (uint64_t i = from; i < to; i++) sum += wide ? (double)s->wide[i] : s->latency[i];
        mean[b] = to > from ? sum / (double)(to - from) : 0;
    }
}

/* Of the last rounds of the warm-up, the latest first. Queues that fill up to a steady state grow more slowly
 * in each round, those beyond saturation equally fast. */
typedef struct round_growth {
    double last, before;
} round_growth;

/* Whether the growth in this round may be that of saturation; remembers it. */
static bool keeps_growing(round_growth *g, double growth, double rate) {
    const bool keeps =
        growth > GROWTH_WARMUP * rate && growth > GROWTH_LASTS * g->last && growth > GROWTH_LASTS * g->before;
    *g = (round_growth){growth, g->last};
    return keeps;
}

static bough_status warm_up(meter *m) {
    sim_engine *e = m->engine;
    const measurement_plan *plan = m->plan;
    unsigned settled = 0, grew = 0;
    round_growth rounds = {0};
    bough_status status = BOUGH_OK;
    if (plan->warmup) {
        status = collect(m, 0, plan->warmup);
        if (e->now)
            m->r->growth = backlog(m) / (double)e->now; /* stands if the backlog's limit has ended the run */
    }
    for (uint64_t round = 0; !plan->warmup && settled < 2 && !m->over && !status; round++) {
        double mean[MSER_BATCHES], before = backlog(m), since = (double)e->now;
        status = collect(m, (uint64_t)MSER_FIRST << round, (20 * plan->alone) << round);
        batch_means(m, MSER_BATCHES, mean);
        settled = mser_truncation(mean, MSER_BATCHES) <= MSER_BATCHES / 2 ? settled + 1 : 0;
        double growth = (backlog(m) - before) / ((double)e->now - since);
        const bool keeps = keeps_growing(&rounds, growth, plan->rate);
        grew = round && keeps ? grew + 1 : 0;
        m->r->growth = growth;
        if (grew >= 2 && !settled) m->over = m->r->saturated = true;
        if (m->series->count >= plan->patience) break;
    }
    m->r->warmup = e->now;
    m->warmed = (double)e->arrived;
    return status;
}

/* The backlog after each batch. */
typedef struct backlog_series {
    double time[MEASUREMENT_BATCHES], queued[MEASUREMENT_BATCHES];
    unsigned batches;
} backlog_series;

typedef struct trend {
    double slope, error;
} trend;

/* Linear regression over the batches. */
static trend find_trend(const backlog_series *b) {
    double t = 0, q = 0, tt = 0, tq = 0;
    const unsigned count = b->batches;
    for (unsigned i = 0; i < count; i++) t += b->time[i] / count, q += b->queued[i] / count;
    for (unsigned i = 0; i < count; i++) {
        tt += (b->time[i] - t) * (b->time[i] - t);
        tq += (b->time[i] - t) * (b->queued[i] - q);
    }
    double slope = tt > 0 ? tq / tt : 0, residue = 0;
    for (unsigned i = 0; i < count; i++) {
        double off = b->queued[i] - q - slope * (b->time[i] - t);
        residue += off * off;
    }
    return (trend){slope, sqrt(residue / (count - 2) / tt)};
}

/* Whether the rest of the run would not change whether it is saturated. A backlog near saturation wanders, so
 * that a short run may show a trend by chance: it must be far from the one that means saturation. */
static bool is_clear(const meter *m, const backlog_series *b) {
    if (!m->plan->early || b->batches < 4 || b->batches % 2) return false;
    const trend found = find_trend(b);
    const double limit = m->plan->growth * m->plan->rate;
    return found.slope - 6 * found.error > 3 * limit || found.slope + 6 * found.error < limit / 2;
}

static bough_status steady(meter *m) {
    sim_engine *e = m->engine;
    backlog_series b = {.batches = 0};
    double mean[MEASUREMENT_BATCHES];
    bough_status status = warm_up(m);
    if (status || m->over) return status;
    m->series->count = 0;
    m->r->hops = 0;
    e->ops->reset(e);
    while (b.batches < MEASUREMENT_BATCHES && !m->over && !status && !is_clear(m, &b)) {
        status = collect(m, m->plan->messages * (b.batches + 1) / MEASUREMENT_BATCHES, 0);
        b.time[b.batches] = (double)e->now;
        b.queued[b.batches++] = backlog(m);
    }
    if (status || m->over) return status;
    const trend found = find_trend(&b);
    m->r->growth = found.slope;
    m->r->saturated |= found.slope > m->plan->growth * m->plan->rate && found.slope > 4 * found.error;
    batch_means(m, b.batches, mean);
    bough_stats stats = {0};
    for (unsigned i = 0; i < b.batches; i++) bough_stats_add(&stats, mean[i]);
    m->r->ci95 = bough_stats_ci95(&stats);
    if (!m->r->saturated && m->plan->detect) status = look_for_stuck(m);
    return status;
}

/* ---- results ---- */

uint32_t nth_smallest(const uint32_t *value, uint64_t count, uint64_t rank) {
    uint32_t prefix = 0, known = 0; /* the bits of the result found so far, from the top; their mask */
    for (int shift = 24; shift >= 0; shift -= 8) {
        uint64_t digit[256] = {0};
        for (uint64_t i = 0; i < count; i++)
            if ((value[i] & known) == prefix) digit[value[i] >> shift & 255]++;
        uint32_t d = 0;
        while (rank >= digit[d]) rank -= digit[d++];
        prefix |= d << shift;
        known |= UINT32_C(255) << shift;
    }
    return prefix;
}

/* The largest values that a quantile leaves out: a half, 1 in 10, in 20, in 100. */
enum { QUANTILES = 4 };
static const uint64_t one_in[QUANTILES] = {2, 10, 20, 100};

/* Nearest rank, from 0, among count values. */
static uint64_t rank_of(unsigned quantile, uint64_t count) {
    return quantile == 0 ? (count - 1) / 2 : (count - 1) - (count - 1) / one_in[quantile];
}

/* Latencies are mostly small, so one histogram serves all quantiles. */
static void quantiles(const latency_series *s, measurement *r) {
    enum { SMALL = 4096 };
    uint64_t of[SMALL] = {0}, rank[QUANTILES], below = 0,
             *out[QUANTILES] = {&r->p50, &r->p90, &r->p95, &r->p99};
    for (unsigned q = 0; q < QUANTILES; q++) rank[q] = rank_of(q, s->count);
    for (size_t i = 0; i < s->count; i++) of[s->latency[i] < SMALL ? s->latency[i] : SMALL - 1]++;
    for (uint32_t v = 0; v < SMALL - 1; v++) {
        for (unsigned q = 0; q < QUANTILES; q++)
            if (below <= rank[q] && rank[q] < below + of[v]) *out[q] = v;
        below += of[v];
    }
    for (unsigned q = 0; q < QUANTILES; q++)
        if (rank[q] >= below) *out[q] = nth_smallest(s->latency, s->count, rank[q]);
}

static void summarise_wide(meter *m) {
    const latency_series *s = m->series;
    measurement *r = m->r;
    unsigned __int128 sum = 0;
    qsort(s->wide, s->count, sizeof *s->wide, bough_compare_u64);
    for (size_t i = 0; i < s->count; i++) sum += s->wide[i];
    r->latency = (double)sum / (double)s->count;
    r->p50 = s->wide[rank_of(0, s->count)];
    r->p99 = s->wide[rank_of(QUANTILES - 1, s->count)];
    r->max = s->wide[s->count - 1];
}

void latency_summarise(const latency_series *s, measurement *r) {
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += s->latency[i];
        if (s->latency[i] > r->max) r->max = s->latency[i];
    }
    r->latency = sum / (double)s->count;
    quantiles(s, r);
}

static void summarise(meter *m) {
    const latency_series *s = m->series;
    measurement *r = m->r;
    r->messages = s->count;
    r->left = (uint64_t)backlog(m);
    r->unrouted = m->engine->unrouted;
    m->engine->ops->tally(m->engine, &r->tally);
    r->cycles = m->plan->rate > 0 ? r->tally.cycles : m->last;
    if (s->count == 0) return;
    if (m->plan->wide) {
        summarise_wide(m);
        return;
    }
    latency_summarise(s, r);
}

bough_status measure_engine(engine_workspace *space, const bough_run *run, const measurement_plan *plan,
                            measurement *result, bough_error *error) {
    meter m = {space->engine, run, plan, &space->series, result, error, .slice = 65536};
    *result = (measurement){0};
    space->series.count = 0;
    if (plan->rate > 1) m.slice = 64 + (uint64_t)(65536 / plan->rate);
    if (plan->slice) m.slice = plan->slice;
    bough_status status = plan->rate > 0 ? steady(&m) : collect(&m, UINT64_MAX, 0);
    if (!status) summarise(&m);
    return status;
}

void sim_name_links(const bough_net *net, const uint64_t *link, unsigned count, char note[BOUGH_NOTE_MAX]) {
    char name[128];
    for (unsigned i = 0; i < count; i++)
        index_name_put(note, "link", (int64_t)link[i], bough_link_name(net, link[i], name, sizeof name));
}

void sim_tally_hot(sim_tally *t, uint64_t link, uint64_t held) {
    for (unsigned i = 0; i < SIM_HOT && held; i++) {
        if (held < t->hot_held[i] || (held == t->hot_held[i] && link > t->hot_link[i])) continue;
        uint64_t l = t->hot_link[i], h = t->hot_held[i];
        t->hot_link[i] = link, t->hot_held[i] = held;
        link = l, held = h;
    }
}

void sim_tally_link(sim_tally *t, uint64_t link, unsigned kind, uint64_t held) {
    t->links[kind]++;
    t->held[kind] += held;
    sim_tally_hot(t, link, held);
}
