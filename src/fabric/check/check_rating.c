/* The scale. All-to-all of a routing is measured against what tables can reach, so that a tapered tree is not
 * held against them: the bound that `bough tune` proves, and what the wiring allows any routing. That limit
 * comes from cuts: the h endpoints of a set of nodes exchange h (N - h) flows with the others, over the links
 * that leave the set. The sets are every endpoint, every switch with its endpoints, what hangs together below
 * each level, and the two sides of each bridge. */
#include "fabric/check/check_rating.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/bounds/tune_bound.h"
#include "network/hosts.h"
#include "network/level_sets.h"
#include "network/physical/physical.h"

#include <math.h>
#include <stdlib.h>

/* ---- the wiring ---- */

typedef struct cuts {
    const bough_net *net;
    const bough_link_rates *rates;
    bool nominal; /* single slow cables have their nominal rate */
    level_sets sets;
    double *rate;     /* [link]; 0: it does not work */
    double *capacity; /* [node]: of the links that leave a set */
    uint64_t *inside; /* [node]: endpoints of a set, */
    uint64_t *all;    /* and of its plane */
    double slowest;   /* time of the narrowest cut so far */
} cuts;

static void try_cut(cuts *c, uint64_t inside, uint64_t all, double capacity) {
    double flows = (double)inside * (double)(all - inside);
    if (capacity > 0 && flows / capacity > c->slowest) c->slowest = flows / capacity;
}

static void try_sets(cuts *c) {
    const bough_net *net = c->net;
    const uint32_t *set = c->sets.set;
    for (uint64_t v = 0; v < net->nodes; v++) c->capacity[v] = 0, c->inside[v] = c->all[v] = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        c->inside[set[e]]++;
        c->all[set[e]] = net_plane_size(net, e);
    }
    for (uint64_t l = 0; l < net->links; l++) {
        const uint32_t from = set[c->sets.from[l]], to = set[c->sets.to[l]];
        if (from != to) c->capacity[from] += c->rate[l];
    }
    for (uint64_t v = 0; v < net->nodes; v++)
        if (set[v] == v) try_cut(c, c->inside[v], c->all[v], c->capacity[v]);
}

/* An endpoint that has one switch belongs to it. */
static void try_switches(cuts *c) {
    const bough_net *net = c->net;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t only = BOUGH_NONE;
        bool several = bough_is_switch(net, e);
        for (node_links at = node_links_of(net, e); node_links_next(&at);) {
            uint64_t to = net->ops->link_end(net, at.link).node;
            several = several || (only != BOUGH_NONE && to != only);
            only = to;
        }
        if (!several && only != BOUGH_NONE && only >= net->endpoints) c->sets.set[e] = (uint32_t)only;
    }
    try_sets(c);
    level_sets_part(&c->sets);
}

static double rate_of(const cuts *c, uint64_t link) {
    return (double)(c->nominal ? bough_link_nominal : bough_link_actual)(c->net, c->rates, link);
}

static void try_bridges(cuts *c, const bough_single_points *points) {
    for (size_t i = 0; i < points->count; i++) {
        const bough_single_point *p = &points->item[i];
        if (p->link == BOUGH_NONE) continue;
        double time = (double)p->pairs / 2 / rate_of(c, p->link);
        if (time > c->slowest) c->slowest = time;
    }
}

/* Flows on the link of an endpoint under all-to-all. */
static double ideal_load(const bough_check_report *report) {
    return (double)net_partners(report->net);
}

/* The share of the ideal that the narrowest cut allows. */
static bough_status find_score(const bough_check_report *report, bool repaired, double *score,
                               bough_error *error) {
    const bough_net *net = report->net;
    cuts c = {.net = net, .rates = &report->rates, .nominal = repaired};
    bough_status status = bough_net_memory_check(net, bough_mul(bough_add(net->nodes, net->links), 24),
                                                 "the cuts of the wiring", error);
    TRY(level_sets_make(&c.sets, net, bough_link_works, error));
    TRY(bough_alloc(&c.rate, net->links, sizeof *c.rate, error));
    TRY(bough_alloc(&c.capacity, net->nodes, sizeof *c.capacity, error));
    TRY(bough_alloc(&c.inside, net->nodes, sizeof *c.inside, error));
    TRY(bough_alloc(&c.all, net->nodes, sizeof *c.all, error));
    if (!status) {
        double nominal = report->rates.equal ? 1 : (double)report->rates.nominal;
        double ideal = ideal_load(report) / nominal;
        for (uint64_t l = 0; l < net->links; l++)
            if (bough_link_works(net, l)) c.rate[l] = rate_of(&c, l);
        try_switches(&c);
        for (unsigned level = 0; level < net->levels; level++) {
            level_sets_raise(&c.sets, level);
            try_sets(&c);
        }
        try_bridges(&c, &report->single);
        *score = c.slowest > ideal ? ideal / c.slowest : 1;
    }
    level_sets_fini(&c.sets);
    FREE_ALL(c.rate, c.capacity, c.inside, c.all);
    return status;
}

bough_status check_wiring_score(bough_check_report *report, bough_error *error) {
    report->wiring_score = report->wiring_repaired = NAN;
    if (report->net->endpoints < 2) return BOUGH_OK;
    bough_status status = find_score(report, false, &report->wiring_score, error);
    report->wiring_repaired = report->wiring_score;
    if (report->rates.slows) TRY(find_score(report, true, &report->wiring_repaired, error));
    return status;
}

/* ---- the tables ---- */

bough_status check_tables_score(bough_check_report *report, bough_error *error) {
    double best = 0, bound;
    for (size_t i = 0; i < report->parts; i++) {
        const bough_check_result *r = &report->part[i].result;
        if (r->routed == r->pairs && r->alltoall_score > best) best = r->alltoall_score;
    }
    report->tables_score = report->wiring_score;
    if (report->net->endpoints < 2) return BOUGH_OK;
    const double goal = best > 0 ? ideal_load(report) / best : INFINITY;
    const tune_alltoall ask = {report->net, &report->rates, goal, BOUGH_RATING_GOOD_FROM * goal};
    bough_status status = tune_bound_alltoall(&ask, &bound, error);
    if (!status && bound > 0) report->tables_score = fmin(report->wiring_score, ideal_load(report) / bound);
    return status;
}

/* ---- one routing ---- */

const char *bough_rating_name(bough_rating_word word) {
    static const char *const name[] = {"none", "good", "usable", "bad"};
    return name[word];
}

const char *bough_rating_reason_name(bough_rating_reason reason) {
    static const char *const name[] = {"none", "unrouted", "alltoall", "cycle"};
    return name[reason];
}

static bool is_slow(const bough_check_report *report, uint64_t link) {
    return report->rates.slows &&
           bough_link_nominal(report->net, &report->rates, link) > bough_net_link_rate(report->net, link);
}

void check_rating_find(const bough_check_report *report, bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    bough_rating *rating = &part->rating;
    *rating = (bough_rating){.of_tables = NAN};
    if (!r->pairs) return;
    rating->slow_cable = r->routed && is_slow(report, r->alltoall_limit);
    rating->of_tables = fmin(1, r->alltoall_score / report->tables_score);
    rating->reason = BOUGH_RATING_ALLTOALL;
    const double measure = rating->of_tables + 1e-9; /* 176 of 220 is 80 % */
    rating->word = measure >= BOUGH_RATING_GOOD_FROM     ? BOUGH_RATING_GOOD
                   : measure >= BOUGH_RATING_USABLE_FROM ? BOUGH_RATING_USABLE
                                                         : BOUGH_RATING_BAD;
    if (r->cycle && rating->word == BOUGH_RATING_GOOD) {
        rating->word = BOUGH_RATING_USABLE;
        rating->reason = BOUGH_RATING_CYCLE;
    }
    if (r->routed == r->pairs) return;
    rating->word = BOUGH_RATING_BAD;
    rating->reason = BOUGH_RATING_UNROUTED;
    if (!r->routed) rating->of_tables = NAN;
}

/* ---- several ---- */

/* The time of a measure over that of the ideal; of the worst permutation, flows. NAN: not known. */
static double time_of(const bough_routing_report *part, bough_measure measure) {
    const bough_check_result *r = &part->result;
    double sum = 0;
    uint64_t count = 0;
    switch (measure) {
    case BOUGH_MEASURE_ALLTOALL:
        return 1 / r->alltoall_score;
    case BOUGH_MEASURE_SHIFTS:
        return r->shift_time;
    case BOUGH_MEASURE_WORST:
        return part->worst_known ? part->worst.load : NAN;
    default:
        for (uint64_t i = 0; i < r->random.count; i++)
            if (r->random_time[i] > 0) sum += r->random_time[i], count++;
        return count ? sum / (double)count : NAN;
    }
}

/* All routings get the same permutations, so their differences vary less than they do. */
static double difference_ci95(const bough_check_result *a, const bough_check_result *b) {
    bough_stats difference = {0};
    for (uint64_t i = 0; i < a->random.count && i < b->random.count; i++)
        if (a->random_time[i] > 0 && b->random_time[i] > 0)
            bough_stats_add(&difference, b->random_time[i] - a->random_time[i]);
    return difference.count > 1 ? bough_stats_ci95(&difference) : NAN;
}

static bool comparable(const bough_check_report *report, bough_measure measure) {
    for (size_t i = 0; i < report->parts; i++) {
        const bough_routing_report *part = &report->part[i];
        if (part->result.routed != part->result.pairs || isnan(time_of(part, measure))) return false;
    }
    return true;
}

static int by_ratio(const void *a, const void *b) {
    const bough_standing *x = a, *y = b;
    int order = (x->ratio > y->ratio) - (x->ratio < y->ratio);
    return order ? order : (x->part > y->part) - (x->part < y->part);
}

static bool is_slower(const bough_standing *s) {
    return s->ratio > 1 + 1e-9 && s->ratio - 1 > s->ratio_ci95;
}

/* All routings against the fastest. */
static void find_standings(const bough_check_report *report, bough_better *c) {
    double least = time_of(&report->part[c->best], c->measure);
    for (size_t i = 0; i < report->parts; i++) {
        bough_standing *s = &c->standing[i];
        const bough_routing_report *part = &report->part[i];
        *s = (bough_standing){.part = i, .ratio = time_of(part, c->measure) / least};
        if (c->measure == BOUGH_MEASURE_RANDOM && i != c->best)
            s->ratio_ci95 = difference_ci95(&report->part[c->best].result, &part->result) / least;
        s->slower = is_slower(s);
        c->bests += !s->slower;
        c->expected |= c->measure != BOUGH_MEASURE_ALLTOALL && part->result.expected;
    }
    qsort(c->standing, report->parts, sizeof *c->standing, by_ratio);
}

static bough_status compare(bough_check_report *report, bough_better *c, bough_error *error) {
    c->second = 1;
    c->ratio = NAN;
    if (!comparable(report, c->measure)) return BOUGH_OK;
    bough_status status =
        arena_alloc(&report->memory, &c->standing, report->parts, sizeof *c->standing, error);
    if (status) return status;
    for (size_t i = 1; i < report->parts; i++)
        if (time_of(&report->part[i], c->measure) < time_of(&report->part[c->best], c->measure)) c->best = i;
    find_standings(report, c);
    const bough_standing *second = &c->standing[1];
    c->second = second->part;
    c->ratio = second->ratio;
    c->ratio_ci95 = second->ratio_ci95;
    c->decided = second->slower;
    return BOUGH_OK;
}

bough_status check_ratings_compare(bough_check_report *report, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (int m = 0; m < BOUGH_MEASURES && report->parts > 1 && !status; m++) {
        report->better[m].measure = (bough_measure)m;
        status = compare(report, &report->better[m], error);
    }
    return status;
}

const char *bough_measure_name(bough_measure measure) {
    static const char *const name[] = {"alltoall", "shifts", "random", "worst_permutation"};
    return name[measure];
}
