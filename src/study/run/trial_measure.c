/* Quantiles of a metric over trials, and fractions of the trials above limits. */
#include "base/binomial.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_stats.h"
#include "study/trial_statistics.h"

#include <math.h>
#include <stdlib.h>

typedef struct measures {
    answer_stats *stats; /* by answer */
    const bough_study *study;
    bough_study_point *point;
    size_t capacity;
} measures;

static bough_status put(measures *m, const bough_statistic_value *value, bough_error *error) {
    bough_study_point *p = m->point;
    bough_status status =
        bough_grow(&p->statistic, &m->capacity, p->statistics + 1, sizeof *p->statistic, error);
    if (!status) p->statistic[p->statistics++] = *value;
    return status;
}

static bough_status add_quantile(measures *m, bough_statistic_value v, value_counts *values,
                                 bough_error *error) {
    double share = m->study->statistic[v.statistic].quantile;
    quantile_ranks r = quantile_ranks_of(share, values->trials);
    v.limit = v.value = v.low = v.high = NAN;
    v.needed = quantile_values_needed(share);
    if (r.low > 0) v.low = value_counts_at(values, r.low);
    if (r.high <= values->trials) v.high = value_counts_at(values, r.high);
    if (!isnan(v.low) && !isnan(v.high)) v.value = value_counts_at(values, r.rank);
    return put(m, &v, error);
}

static bough_status add_above(measures *m, bough_statistic_value v, const value_counts *values,
                              bough_error *error) {
    if (isnan(v.limit)) return BOUGH_OK;
    v.above = value_counts_above(values, v.limit);
    binomial_range r = binomial_interval(v.above, v.trials);
    v.value = (double)v.above / (double)v.trials;
    v.low = r.low;
    v.high = r.high;
    v.needed = 1;
    return put(m, &v, error);
}

/* For each exact answer that gives the limit, under the same routing if both are routed. */
static bough_status add_above_answers(measures *m, bough_statistic_value v, const value_counts *values,
                                      bough_error *error) {
    const bough_trial_statistic *s = &m->study->statistic[v.statistic];
    const bough_answer *answer = m->point->answer, *a = &answer[v.answer];
    bough_status status = BOUGH_OK;
    for (v.against = 0; v.against < m->point->answers && !status; v.against++) {
        const bough_answer *b = &answer[v.against];
        const stats_cell *limit = answer_stats_find(&m->stats[v.against], s->metric);
        bool routed = a->routed && b->routed && a->routing != b->routing;
        if (!limit || routed || !trial_statistic_limits(s, b)) continue;
        v.limit = limit->base.stats.mean;
        status = add_above(m, v, values, error);
    }
    return status;
}

static bough_status measure(measures *m, size_t answer, size_t statistic, bough_error *error) {
    const bough_trial_statistic *s = &m->study->statistic[statistic];
    stats_cell *c = answer_stats_find(&m->stats[answer], s->metric);
    if (!c || !c->values.trials) return BOUGH_OK;
    bough_statistic_value v = {statistic, answer, SIZE_MAX, s->limit, .trials = c->values.trials};
    if (s->quantile > 0) return add_quantile(m, v, &c->values, error);
    return s->method ? add_above_answers(m, v, &c->values, error) : add_above(m, v, &c->values, error);
}

bough_status answers_measure(answer_stats *stats, const bough_study *study, bough_study_point *point,
                             bough_error *error) {
    measures m = {stats, study, point, 0};
    bough_status status = BOUGH_OK;
    free(point->statistic);
    point->statistic = NULL;
    point->statistics = 0;
    for (size_t i = 0; i < point->answers; i++)
        for (size_t k = 0; k < study->statistics; k++) TRY(measure(&m, i, k, error));
    return status;
}
