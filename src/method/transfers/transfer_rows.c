#include "method/transfers/transfer_rows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "method/rows.h"
#include "traffic/schedules/workload.h"

#include <stdlib.h>

/* ---- messages and links ---- */

/* Number of links, and sum of their use, by kind. */
typedef struct kinds {
    double links[SIM_KINDS], use[SIM_KINDS];
} kinds;

static void rank_link(transfer_links *t, uint64_t link, double use) {
    unsigned i = SIM_HOT;
    for (; i > 0 && use > t->use[i - 1]; i--)
        if (i < SIM_HOT) t->use[i] = t->use[i - 1], t->link[i] = t->link[i - 1];
    if (i < SIM_HOT) t->use[i] = use, t->link[i] = link;
}

static void count_range(const transfer_result *r, uint64_t first, uint64_t end, transfer_links *t, kinds *k) {
    for (uint64_t l = first; l < end; l++) {
        double use = r->use(r->engine, l, r->end);
        if (use > 0) rank_link(t, l, use);
        if (!r->levels) continue;
        k->links[sim_kind(r->net, l)]++;
        k->use[sim_kind(r->net, l)] += use;
    }
}

/* The most used links of each part of the links. */
enum { PARTS = 32, FEW = 1 << 16 };
typedef struct use_parts {
    const transfer_result *result;
    transfer_links of[PARTS];
} use_parts;

static void count_part(void *context, unsigned thread, uint64_t i) {
    use_parts *p = context;
    const uint64_t links = p->result->net->links;
    (void)thread;
    count_range(p->result, team_part(links, PARTS, i), team_part(links, PARTS, i + 1), &p->of[i], NULL);
}

/* Sums of use are added in the order of links. Of equal use, the first link comes first. */
static void count_use(const transfer_result *r, transfer_links *t, kinds *k) {
    const bool counts = r->end > 0 && !r->hangs;
    if (counts && (r->levels || r->threads < 2 || r->net->links < FEW)) {
        count_range(r, 0, r->net->links, t, k);
    } else if (counts) {
        use_parts parts = {.result = r};
        team_loop(r->threads, PARTS, count_part, &parts);
        for (unsigned i = 0; i < PARTS; i++)
            for (unsigned h = 0; h < SIM_HOT && parts.of[i].use[h] > 0; h++)
                rank_link(t, parts.of[i].link[h], parts.of[i].use[h]);
    }
    while (t->hot < r->hot && t->use[t->hot] > 0) t->hot++;
}

static bough_status add_use(const transfer_result *r, const transfer_links *t, const kinds *k,
                            bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned kind = 0; kind < 2 * r->net->levels + 2 && kind < SIM_KINDS && !status; kind++)
        if (k->links[kind] > 0)
            status = bough_rows_add(rows, kind % 2 ? BOUGH_METRIC_LINK_USE_DOWN : BOUGH_METRIC_LINK_USE_UP,
                                    kind / 2, k->use[kind] / k->links[kind], error);
    for (unsigned i = 0; i < t->hot && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_HOT, (int64_t)t->link[i], t->use[i], error);
    return status;
}

static double mean(const uint64_t *value, uint64_t count) {
    unsigned __int128 sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += value[i];
    return (double)sum / (double)count;
}

static uint64_t largest(const uint64_t *value, uint64_t count) {
    uint64_t most = 0;
    for (uint64_t i = 0; i < count; i++)
        if (value[i] > most) most = value[i];
    return most;
}

/* The value at a place of the ascending order, found digit by digit. most: the largest. */
static uint64_t value_at(const uint64_t *value, uint64_t count, uint64_t place, uint64_t most) {
    enum { BITS = 8, DIGITS = 1 << BITS };
    uint64_t known = 0; /* its digits so far */
    unsigned shift = 0;
    while (most >> shift >> BITS) shift += BITS;
    for (;; shift -= BITS) {
        uint64_t with[DIGITS] = {0}, digit = 0; /* values with these digits and another one */
        for (uint64_t i = 0; i < count; i++)
            if ((value[i] ^ known) >> shift >> BITS == 0) with[value[i] >> shift & (DIGITS - 1)]++;
        while (place >= with[digit]) place -= with[digit++];
        known |= digit << shift;
        if (!shift) return known;
    }
}

/* Places of the ascending order, and their values. */
typedef struct quantiles {
    const transfer_result *result;
    uint64_t most, place[2], value[2];
} quantiles;

static void find_quantile(void *context, unsigned thread, uint64_t i) {
    quantiles *q = context;
    (void)thread;
    q->value[i] = value_at(q->result->time, q->result->arrived, q->place[i], q->most);
}

bough_status transfer_rows(const transfer_result *r, transfer_links *links, bough_rows *rows,
                           bough_error *error) {
    kinds k = {0};
    const uint64_t *time = r->time;
    uint64_t last = r->arrived ? r->arrived - 1 : 0;
    bool some = !r->hangs && r->arrived > 0;
    bool took = !r->hangs && r->end > 0;
    double rate = took ? (r->bits - r->inside) * 1e3 / (double)r->end : 0; /* bit/ps to Gb/s */
    *links = (transfer_links){0};
    count_use(r, links, &k);
    quantiles q = {r, some ? largest(time, r->arrived) : 0, {last / 2, last - last / 100}, {0}};
    if (some) team_loop(r->arrived < FEW ? 1 : r->threads, 2, find_quantile, &q);
    const optional_row lines[] = {
        {r->ends, BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(r->end)},
        {some, BOUGH_METRIC_FCT, some ? mean(time, r->arrived) / 1e12 : 0},
        {some, BOUGH_METRIC_FCT_P50, schedule_seconds(q.value[0])},
        {some, BOUGH_METRIC_FCT_P99, schedule_seconds(q.value[1])},
        {some, BOUGH_METRIC_FCT_MAX, schedule_seconds(q.most)},
        {took, BOUGH_METRIC_THROUGHPUT, rate},
        {took && r->inside > 0, BOUGH_METRIC_THROUGHPUT_INSIDE, took ? r->inside * 1e3 / (double)r->end : 0},
        {took, BOUGH_METRIC_THROUGHPUT_ENDPOINT, rate / (double)(r->senders ? r->senders : 1)},
        {took, BOUGH_METRIC_LINK_USE_MAX, links->use[0]},
        {true, BOUGH_METRIC_MESSAGES, (double)r->arrived},
        {some, BOUGH_METRIC_DISTANCE, (double)r->hops / (double)r->arrived},
        {r->unrouted > 0, BOUGH_METRIC_UNROUTED, (double)r->unrouted},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    return status ? status : add_use(r, links, &k, rows, error);
}

void transfer_name_links(const bough_net *net, const transfer_links *links, bough_rows *rows) {
    sim_name_links(net, links->link, links->hot, rows->note);
}

void transfer_name_most_used(const bough_net *net, const transfer_links *links, bough_rows *rows) {
    char name[128];
    if (links->use[0] > 0)
        index_name_put(rows->note, MOST_USED_LINK, (int64_t)links->link[0],
                       bough_link_name(net, links->link[0], name, sizeof name));
}

/* ---- schedules ---- */

bough_status transfer_schedule_init(const bough_traffic *traffic, transfer_schedule *s, bough_error *error) {
    if (!traffic->workload) return BOUGH_OK;
    bough_status status = bough_alloc(&s->job_time, traffic->workload->jobs, sizeof *s->job_time, error);
    TRY(bough_alloc(&s->totals, 1, sizeof *s->totals, error));
    return status;
}

void transfer_schedule_fini(transfer_schedule *s) {
    FREE_ALL(s->job_time, s->totals);
}

bough_status transfer_schedule_read(const bough_traffic *traffic, bough_source *source, transfer_schedule *s,
                                    bough_error *error) {
    bough_status status = schedule_ask(source, &s->schedule, &s->report, error);
    if (status || !traffic->workload) return status;
    const rank_engine *ranks = workload_ranks(source);
    for (uint32_t j = 0; s->job_time && j < traffic->workload->jobs; j++)
        s->job_time[j] = workload_job_time(traffic, ranks, j);
    if (s->totals) *s->totals = *ranks_result(ranks);
    return BOUGH_OK;
}

bough_status transfer_label_rows(const bough_traffic *traffic, const transfer_schedule *s, bough_rows *rows,
                                 bough_error *error) {
    const bough_workload *w = traffic->workload;
    return s->totals && !w->jobs && !s->report.waiting
               ? schedule_label_rows(w->schedule, s->totals, rows, error)
               : BOUGH_OK;
}
