/* A placement is judged by the time that the slowest link takes for its share of the traffic, over that of
 * the slowest link of a host: at 1 nothing but the hosts' own cables limits. Placements are compared by the
 * time.
 *
 * Contiguous placements are N free hosts in a row, in the order of the leaves in the tree of switches. For a
 * number of hosts all subsets are tried if there are few; else rows, hosts of as few leaves as possible, and
 * hosts spread evenly over the leaves. The search ends early when the ratio is 1. */
#include "fabric/placement/placement.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/placement/place_load.h"
#include "fabric/placement/placement_hosts.h"

#include <stdlib.h>
#include <string.h>

/* Subsets that are tried one by one, and links that flows visit in one search. */
#define SUBSETS_MAX 20000
#define STEPS_MAX   UINT64_C(300000000)
#define EQUAL       1e-9

typedef struct search {
    const bough_check_question *question;
    const placement_hosts *hosts;
    place_job job;
    place_loads loads;
    uint32_t *endpoint;  /* [ranks]: of the hosts that are tried */
    uint32_t *pick;      /* [wanted]: hosts that are tried */
    uint32_t *best;      /* [wanted] */
    uint64_t *leaf_mark; /* [leaves]: the try that has seen it */
    uint64_t tries, step_limit;
    uint64_t host_rate;  /* of the fastest link of a host, bit/s */
    place_result result; /* of best */
    uint32_t leaves;     /* of best; 0: nothing was tried */
    bough_check_placement *out;
    arena *memory; /* of the report */
    bough_error *error;
} search;

/* ---- one placement ---- */

static uint32_t wanted(const search *s) {
    return s->hosts->askeds;
}

static uint32_t count_leaves(search *s, const uint32_t *host) {
    uint32_t leaves = 0;
    s->tries++;
    for (uint32_t i = 0; i < wanted(s); i++) {
        uint64_t *mark = &s->leaf_mark[s->hosts->tree.host_leaf[host[i]]];
        leaves += *mark != s->tries;
        *mark = s->tries;
    }
    return leaves;
}

static uint64_t count_ranks(const placement_hosts *h, const uint32_t *host, uint32_t count) {
    uint64_t ranks = 0;
    for (uint32_t i = 0; i < count; i++) ranks += rows_count(&h->machines.endpoints, host[i]);
    return ranks;
}

/* False: the hosts have another number of endpoints than the job has ranks. */
static bool evaluate(search *s, const uint32_t *host, place_result *result) {
    const placement_hosts *h = s->hosts;
    const compressed_rows *all = &h->machines.endpoints;
    uint64_t ranks = 0;
    if (count_ranks(h, host, wanted(s)) != s->job.ranks) return false;
    for (uint32_t i = 0; i < wanted(s); i++)
        for (uint32_t e = all->first[host[i]]; e < all->first[host[i] + 1]; e++)
            s->endpoint[ranks++] = all->item[e];
    place_loads_of(&s->loads, &s->job, s->endpoint, result);
    return true;
}

/* Tries s->pick; of equally good placements the one with fewer leaves is kept, then the first. */
static bough_status try_pick(search *s) {
    place_result result;
    if (s->question->stop && atomic_load(s->question->stop))
        return bough_fail(s->error, BOUGH_INTERRUPTED, NULL, "stopped");
    if (!evaluate(s, s->pick, &result)) return BOUGH_OK;
    const uint32_t leaves = count_leaves(s, s->pick);
    s->out->tried++;
    const double time = s->result.time;
    const bool better =
        result.lost < s->result.lost ||
        (result.lost == s->result.lost &&
         (result.time < time * (1 - EQUAL) || (result.time <= time * (1 + EQUAL) && leaves < s->leaves)));
    if (s->leaves && !better) return BOUGH_OK;
    memcpy(s->best, s->pick, wanted(s) * sizeof *s->best);
    s->result = result;
    s->leaves = leaves;
    return BOUGH_OK;
}

/* Nothing but links of hosts limits, and none of the fabric is faster. */
static bool is_fastest(const search *s) {
    const place_result *r = &s->result;
    return s->leaves && r->lost == 0 &&
           (r->link == BOUGH_NONE ||
            (r->ratio <= 1 + EQUAL && bough_net_link_rate(s->loads.routing->net, r->link) >= s->host_rate));
}

static bool is_ideal(const search *s) {
    return s->leaves == 1 && is_fastest(s);
}

static bool has_time(const search *s) {
    return s->loads.steps < s->step_limit;
}

/* ---- rows of hosts ---- */

/* Rows that start with a leaf first, as they cross the fewest leaves. */
static bough_status try_rows(search *s) {
    const placement_hosts *h = s->hosts;
    const uint32_t rows = h->frees - wanted(s) + 1;
    bough_status status = BOUGH_OK;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < rows && !status && has_time(s); i++) {
            const bool first = i == 0 || h->tree.host_leaf[h->free[i]] != h->tree.host_leaf[h->free[i - 1]];
            if (first != (pass == 0)) continue;
            memcpy(s->pick, h->free + i, wanted(s) * sizeof *s->pick);
            status = try_pick(s);
        }
    s->out->possible = rows;
    s->out->exact = s->out->tried == rows;
    return status;
}

/* ---- any hosts ---- */

/* n over k, up to a limit. */
static uint64_t subsets(uint64_t n, uint64_t k, uint64_t limit) {
    uint64_t count = 1;
    if (k > n - k) k = n - k;
    for (uint64_t i = 1; i <= k; i++) {
        count = bough_mul(count, n - k + i) / i;
        if (count > limit) return limit + 1;
    }
    return count;
}

/* The next subset in lexicographic order; false behind the last. */
static bool next_subset(uint32_t *at, uint32_t n, uint32_t k) {
    uint32_t i = k;
    while (i > 0 && at[i - 1] == n - k + i - 1) i--;
    if (i == 0) return false;
    at[i - 1]++;
    for (; i < k; i++) at[i] = at[i - 1] + 1;
    return true;
}

static bough_status try_subsets(search *s) {
    const placement_hosts *h = s->hosts;
    uint32_t *at = NULL;
    bool more = true;
    bough_status status = bough_alloc(&at, wanted(s), sizeof *at, s->error);
    for (uint32_t i = 0; i < wanted(s) && !status; i++) at[i] = i;
    while (more && !status && has_time(s)) {
        for (uint32_t i = 0; i < wanted(s); i++) s->pick[i] = h->free[at[i]];
        status = try_pick(s);
        more = next_subset(at, h->frees, wanted(s));
    }
    s->out->exact = !more;
    free(at);
    return status;
}

/* Free hosts of a leaf. */
typedef struct leaf_row {
    uint32_t first, count; /* in hosts->free */
    uint32_t taken;
} leaf_row;

static int by_count(const void *a, const void *b) {
    const leaf_row *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static uint32_t list_leaves(const placement_hosts *h, leaf_row *row) {
    uint32_t rows = 0;
    for (uint32_t i = 0; i < h->frees; i++) {
        if (i == 0 || h->tree.host_leaf[h->free[i]] != h->tree.host_leaf[h->free[i - 1]])
            row[rows++] = (leaf_row){.first = i};
        row[rows - 1].count++;
    }
    if (rows) qsort(row, rows, sizeof *row, by_count);
    return rows;
}

static int by_number(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Takes up to `each` hosts of each leaf in turn, until there are enough; they stay in the order of leaves. */
static void pick_by_leaves(search *s, leaf_row *row, uint32_t rows, uint32_t each) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++) row[i].taken = 0;
    while (count < wanted(s))
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = 0; k < each && count < wanted(s) && row[i].taken < row[i].count; k++)
                s->pick[count++] = row[i].first + row[i].taken++;
    qsort(s->pick, count, sizeof *s->pick, by_number);
    for (uint32_t i = 0; i < count; i++) s->pick[i] = s->hosts->free[s->pick[i]];
}

/* The smallest leaf that the whole job fits, as Slurm chooses it. */
static bough_status try_best_fit(search *s, const leaf_row *row, uint32_t rows) {
    while (rows > 0 && row[rows - 1].count < wanted(s)) rows--;
    if (rows == 0) return BOUGH_OK;
    memcpy(s->pick, s->hosts->free + row[rows - 1].first, wanted(s) * sizeof *s->pick);
    return try_pick(s);
}

/* 1, 2, 4, ... hosts of each leaf: from spread evenly to as few leaves as possible. */
static bough_status try_spreads(search *s) {
    leaf_row *row = NULL;
    bough_status status = bough_alloc(&row, s->hosts->frees, sizeof *row, s->error);
    uint32_t rows = status ? 0 : list_leaves(s->hosts, row);
    TRY(try_best_fit(s, row, rows));
    for (uint32_t each = wanted(s); each > 0 && !status && has_time(s) && !is_ideal(s); each /= 2) {
        pick_by_leaves(s, row, rows, each);
        status = try_pick(s);
    }
    free(row);
    return status;
}

static bough_status try_any(search *s) {
    const uint64_t count = subsets(s->hosts->frees, wanted(s), SUBSETS_MAX);
    bough_status status = try_spreads(s);
    if (status || is_ideal(s)) return status;
    if (count <= SUBSETS_MAX) status = try_subsets(s);
    if (status || s->out->exact) return status;
    status = try_rows(s);
    s->out->exact = false;
    s->out->possible = 0;
    return status;
}

/* ---- results ---- */

typedef struct named_host {
    const char *name;
    uint32_t host;
} named_host;

static int by_name(const void *a, const void *b) {
    return host_name_compare(((const named_host *)a)->name, ((const named_host *)b)->name);
}

static bool is_slower(const place_result *a, const place_result *b) {
    return a->lost > b->lost || (a->lost == b->lost && a->time > b->time * (1 + EQUAL));
}

/* Ranks are numbered in the order of the hosts, which is that of names where these are no slower so. */
static bough_status take(search *s, const uint32_t *host, const place_result *r, bough_placed *placed) {
    named_host *sorted = NULL;
    const char **name = NULL;
    bough_text text = {0};
    place_result other = *r;
    const bough_array array[] = {{&sorted, wanted(s), sizeof *sorted}, {&name, wanted(s), sizeof *name}};
    bough_status status = bough_alloc_all(array, 2, s->error);
    for (uint32_t i = 0; i < wanted(s) && !status; i++) {
        name[i] = s->hosts->tree.host[host[i]];
        sorted[i] = (named_host){name[i], host[i]};
    }
    if (!status) {
        qsort(sorted, wanted(s), sizeof *sorted, by_name);
        for (uint32_t i = 0; i < wanted(s); i++) s->pick[i] = sorted[i].host;
        evaluate(s, s->pick, &other);
    }
    const bool asked = host == s->hosts->asked;
    const bool named = !is_slower(&other, r) && !(asked && is_slower(r, &other));
    if (named) r = &other;
    for (uint32_t i = 0; i < wanted(s) && !status && named && !asked; i++) name[i] = sorted[i].name;
    TRY(host_list_put_in_order(&text, name, wanted(s), s->error));
    *placed = (bough_placed){.leaves = count_leaves(s, host),
                             .load = r->load,
                             .link = r->link,
                             .limits = r->limits,
                             .ratio = r->ratio,
                             .by_name = other.ratio,
                             .named = named,
                             .lost = r->lost};
    FREE_ALL(sorted, name);
    TRY(bough_text_keep(&text, s->memory, &placed->hosts, s->error));
    return status;
}

static bough_status judge_asked(search *s) {
    place_result result;
    if (!s->hosts->asked) return BOUGH_OK;
    s->out->given = true;
    evaluate(s, s->hosts->asked, &result);
    return take(s, s->hosts->asked, &result, &s->out->asked);
}

/* Ranks: endpoints of the hosts that are asked for; for a number, of the first free ones. */
static bough_status prepare(search *s, const char *traffic, const bough_routing *routing) {
    const placement_hosts *h = s->hosts;
    const uint64_t ranks = count_ranks(h, h->asked ? h->asked : h->free, wanted(s));
    const bough_array array[] = {{&s->endpoint, ranks, sizeof *s->endpoint},
                                 {&s->pick, wanted(s), sizeof *s->pick},
                                 {&s->best, wanted(s), sizeof *s->best},
                                 {&s->leaf_mark, h->tree.leaves, sizeof *s->leaf_mark}};
    bough_status status = place_job_make(s->question, traffic, ranks, &s->job, s->error);
    TRY(place_loads_make(routing, s->question->seed, "--place", &s->loads, s->error));
    TRY(bough_alloc_all(array, 4, s->error));
    TRY(arena_copy(s->memory, &s->out->traffic, s->job.traffic ? s->job.traffic->spec : "alltoall",
                   s->error));
    s->out->bytes = s->job.bytes;
    s->out->ranks = ranks;
    s->out->hosts = wanted(s);
    s->out->free = h->frees;
    s->step_limit = STEPS_MAX;
    return status;
}

static bough_status find_one(search *s, const char *traffic, const bough_routing *routing) {
    bough_status status = prepare(s, traffic, routing);
    TRY(judge_asked(s));
    if (!status) status = s->hosts->asked ? try_rows(s) : try_any(s);
    if (!status && s->leaves) status = take(s, s->best, &s->result, &s->out->best);
    if (!status) s->out->ideal = is_fastest(s);
    place_job_fini(&s->job);
    place_loads_fini(&s->loads);
    FREE_ALL(s->endpoint, s->pick, s->best, s->leaf_mark);
    return status;
}

bough_status placement_read(const bough_check_question *question, bough_error *error) {
    if (question->busy && !question->place)
        return bough_fail(error, BOUGH_INVALID, NULL, "--busy needs --place N, or --place HOSTLIST");
    return BOUGH_OK;
}

static uint64_t fastest_host(const bough_net *net) {
    uint64_t fastest = 0;
    for (uint64_t l = 0; l < net->links; l++)
        if (bough_link_of_endpoint(net, l) && bough_net_link_rate(net, l) > fastest)
            fastest = bough_net_link_rate(net, l);
    return fastest;
}

bough_status placement_find(const bough_check_question *question, bough_check_report *report,
                            bough_error *error) {
    placement_hosts hosts = {.frees = 0};
    const size_t jobs = question->jobs ? question->jobs : 1;
    bough_status status = placement_hosts_make(report->net, question->place, question->busy, &hosts, error);
    TRY(arena_alloc(&report->memory, &report->placement, report->parts * jobs, sizeof *report->placement,
                    error));
    for (size_t i = 0; i < report->parts && !status; i++)
        for (size_t k = 0; k < jobs && !status; k++) {
            bough_check_placement *out = &report->placement[report->placements++];
            search s = {
                .question = question, .hosts = &hosts, .out = out, .memory = &report->memory, .error = error};
            s.host_rate = fastest_host(report->net);
            out->part = i;
            status = find_one(&s, question->jobs ? question->job[k] : NULL, report->part[i].routing);
        }
    placement_hosts_fini(&hosts);
    return status;
}
