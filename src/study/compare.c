/* Differences and ratios of two answers in one metric, pair by pair. */
#include "base/memory.h"
#include "study/tally.h"

#include <math.h>
#include <stdlib.h>

static const tally_cell *find_metric(const tally *t, bough_metric_id metric) {
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].base.metric == metric && t->cell[i].base.index == BOUGH_NO_ROW_INDEX)
            return &t->cell[i];
    return NULL;
}

/* An exact answer is the same in every trial. */
static double value_at(const tally *t, const tally_cell *c, uint64_t trial) {
    if (t->exact) return c->base.stats.mean;
    return trial < c->count ? c->column[trial] : NAN;
}

/* The ratio is that of the means over the common trials; its interval is that of the mean of the residuals
 * a - ratio * b over the mean of b (the linearised ratio estimator; Cochran, Sampling Techniques, 6.3), which
 * keeps what the two have in common out of it. */
static bough_comparison compare(const tally *a, const tally_cell *ca, const tally *b, const tally_cell *cb) {
    bough_comparison r = {.metric = ca->base.metric};
    uint64_t limit = a->exact                            ? (b->exact ? 1 : cb->count)
                     : b->exact || ca->count < cb->count ? ca->count
                                                         : cb->count;
    bough_stats first = {0}, second = {0}, difference = {0}, residual = {0};
    for (uint64_t t = 0; t < limit; t++) {
        double x = value_at(a, ca, t), y = value_at(b, cb, t);
        if (isnan(x) || isnan(y)) continue;
        bough_stats_add(&first, x);
        bough_stats_add(&second, y);
        bough_stats_add(&difference, x - y);
    }
    bool both_exact = a->exact && b->exact;
    r.trials = both_exact ? 0 : first.count;
    r.difference = r.ratio = r.difference_ci95 = r.ratio_ci95 = NAN;
    if (first.count == 0) return r;
    r.difference = difference.mean;
    if (!both_exact) r.difference_ci95 = bough_stats_ci95(&difference);
    if (second.mean == 0) return r;
    r.ratio = first.mean / second.mean;
    if (both_exact) return r;
    for (uint64_t t = 0; t < limit; t++) {
        double x = value_at(a, ca, t), y = value_at(b, cb, t);
        if (!isnan(x) && !isnan(y)) bough_stats_add(&residual, x - r.ratio * y);
    }
    r.ratio_ci95 = bough_stats_ci95(&residual) / fabs(second.mean);
    return r;
}

static bough_status add_pair(const tally *tallies, bough_study_point *point, size_t i, size_t against,
                             size_t *capacity, bough_error *error) {
    for (size_t k = 0; k < tallies[i].cells; k++) {
        const tally_cell *a = &tallies[i].cell[k];
        if (a->base.index != BOUGH_NO_ROW_INDEX) continue;
        const tally_cell *b = find_metric(&tallies[against], a->base.metric);
        if (!b) continue;
        bough_status status = bough_grow(&point->comparison, capacity, point->comparisons + 1,
                                         sizeof *point->comparison, error);
        if (status) return status;
        bough_comparison c = compare(&tallies[i], a, &tallies[against], b);
        c.answer = i;
        c.against = against;
        point->comparison[point->comparisons++] = c;
    }
    return BOUGH_OK;
}

bough_status tally_compare(const tally *tallies, bough_study_point *point, bough_error *error) {
    free(point->comparison);
    point->comparison = NULL;
    point->comparisons = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < point->answers; i++) {
        const bough_answer *a = &point->answer[i];
        for (size_t j = 0; j < i; j++) {
            const bough_answer *b = &point->answer[j];
            bool same_routing = a->routing == b->routing || !a->routed || !b->routed;
            bool other_method = b->asked == 0 && a->asked != 0 && same_routing;
            bool other_routing = a->asked == b->asked && b->routing == 0 && a->routing != 0;
            bough_status status = BOUGH_OK;
            if (other_method || other_routing) status = add_pair(tallies, point, i, j, &capacity, error);
            if (status) return status;
        }
    }
    return BOUGH_OK;
}
