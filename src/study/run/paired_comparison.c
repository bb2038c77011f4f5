/* Differences and ratios of two answers for one metric. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_stats.h"

#include <math.h>
#include <stdlib.h>

static const double ROUNDING = 1e-13; /* of sums over at most BOUGH_COMPARED_TRIALS trials, relative */

/* Mean, variance and number of one answer's values; the variance of an exact answer is 0. */
typedef struct sample {
    double mean, variance, count;
    const double *value, *weight; /* by trial; weight: NULL if there are none */
    uint64_t values;
    double usual; /* mean weight */
} sample;

static sample sample_of(const answer_stats *t, const stats_cell *c) {
    const bough_stats *s = &c->base.stats;
    if (t->exact) return (sample){s->mean, 0, 1, NULL, NULL, 0, 1};
    double n = (double)s->count;
    return (sample){s->mean,  bough_stats_variance(s), n, c->column, c->weight,
                    c->count, s->weight * s->unit / n};
}

/* Contribution of a trial to the mean, relative to equal weights. */
static double value_at(const sample *s, uint64_t trial) {
    double value = s->value[trial];
    return s->weight ? s->mean + (value - s->mean) * s->weight[trial] / s->usual : value;
}

/* The covariance over the common trials; *pairs is their number. */
static double covariance(const sample *a, const sample *b, uint64_t *pairs) {
    double mean_a = 0, mean_b = 0, sum = 0;
    *pairs = 0;
    for (uint64_t t = 0; t < a->values && t < b->values; t++) {
        double x = value_at(a, t), y = value_at(b, t);
        if (isnan(x) || isnan(y)) continue;
        double n = (double)++*pairs, before = x - mean_a;
        mean_a += before / n;
        mean_b += (y - mean_b) / n;
        sum += before * (y - mean_b);
    }
    return *pairs < 2 ? 0 : sum / (double)(*pairs - 1);
}

/* Half-width of an interval from the variance `sum` - `shared`, of which rounding may have left anything near
 * zero. */
static double half_width(double sum, double shared, const sample *a, const sample *b) {
    double few = a->values && b->values ? fmin(a->count, b->count) : a->values ? a->count : b->count;
    if (few < 2) return NAN;
    double variance = sum - shared;
    return variance > ROUNDING * sum ? bough_student_975((uint64_t)few - 1) * sqrt(variance) : 0;
}

/* Uses all trials of both. The covariance of the common trials reduces the variance: that of the difference
 * is var a / n_a + var b / n_b - 2 cov(a, b) n_common / (n_a n_b), which for n_a = n_b is that of the mean of
 * the paired differences; that of the ratio r is the same with r b for b, over b^2 (the linearised ratio
 * estimator; Cochran, Sampling Techniques, 6.3). */
static bough_comparison compare(const answer_stats *ta, const stats_cell *ca, const answer_stats *tb,
                                const stats_cell *cb) {
    sample a = sample_of(ta, ca), b = sample_of(tb, cb);
    bough_comparison c = {.metric = ca->base.metric, .ratio = NAN, .ratio_ci95 = NAN, .difference_ci95 = NAN};
    bool exact = ta->exact && tb->exact;
    c.exact = exact;
    c.difference = a.mean - b.mean;
    if (!isfinite(c.difference)) { /* one of them has no such value */
        c.difference = NAN;
        return c;
    }
    double common = covariance(&a, &b, &c.trials);
    common *= (double)c.trials / (a.count * b.count);
    if (!exact)
        c.difference_ci95 = half_width(a.variance / a.count + b.variance / b.count, 2 * common, &a, &b);
    if (b.mean == 0) return c;
    double r = c.ratio = a.mean / b.mean;
    double sum = a.variance / a.count + r * r * b.variance / b.count;
    if (!exact) c.ratio_ci95 = half_width(sum, 2 * r * common, &a, &b) / fabs(b.mean);
    return c;
}

typedef struct comparison_list {
    bough_study_point *point;
    size_t capacity;
} comparison_list;

static bough_status add_pair(comparison_list *list, const answer_stats *stats, size_t answer, size_t against,
                             bough_error *error) {
    bough_study_point *point = list->point;
    for (size_t k = 0; k < stats[answer].cells; k++) {
        const stats_cell *a = &stats[answer].cell[k];
        if (a->base.index != BOUGH_NO_ROW_INDEX || !bough_metric_estimates(a->base.metric)) continue;
        const stats_cell *b = answer_stats_find(&stats[against], a->base.metric);
        if (!b) continue;
        bough_status status = bough_grow(&point->comparison, &list->capacity, point->comparisons + 1,
                                         sizeof *point->comparison, error);
        if (status) return status;
        bough_comparison c = compare(&stats[answer], a, &stats[against], b);
        c.answer = answer;
        c.against = against;
        point->comparison[point->comparisons++] = c;
    }
    return BOUGH_OK;
}

/* With the first method under the same routing, or with the first routing under the same method. */
static bool is_compared(const bough_answer *a, const bough_answer *against) {
    bool same_routing = a->routing == against->routing || !a->routed || !against->routed;
    bool other_method = against->asked == 0 && a->asked != 0 && same_routing;
    bool other_routing = a->asked == against->asked && against->routing == 0 && a->routing != 0;
    return other_method || other_routing;
}

bough_status answers_compare(const answer_stats *stats, bough_study_point *point, bough_error *error) {
    comparison_list list = {.point = point};
    bough_status status = BOUGH_OK;
    free(point->comparison);
    point->comparison = NULL;
    point->comparisons = 0;
    for (size_t i = 0; i < point->answers; i++)
        for (size_t j = 0; j < i; j++)
            if (is_compared(&point->answer[i], &point->answer[j])) TRY(add_pair(&list, stats, i, j, error));
    return status;
}
