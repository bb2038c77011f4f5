#include "study/trial_statistics.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bough_status trial_statistic_metric(const char *key, const char *text, size_t length, bough_metric_id *metric,
                                    bough_error *error) {
    char name[64] = "";
    if (length < sizeof name) memcpy(name, text, length);
    *metric = bough_metric_find(name);
    if (*metric < BOUGH_METRIC_COUNT) return BOUGH_OK;
    const char *names[BOUGH_METRIC_COUNT];
    char hint[BOUGH_HINT_MAX];
    for (int i = 0; i < BOUGH_METRIC_COUNT; i++) names[i] = bough_metrics[i].name;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: no metric '%.*s'%s; see `bough list metrics`", key,
                      (int)length, text, bough_hint(hint, name, names, BOUGH_METRIC_COUNT));
}

/* Of statistics, metrics that have one value in a trial. */
static bough_status read_metric(const char *key, const char *text, bough_metric_id *metric,
                                bough_error *error) {
    bough_status status = trial_statistic_metric(key, text, strcspn(text, ":"), metric, error);
    if (status || !*bough_metrics[*metric].index) return status;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s: %s has a value for each %s; name a metric with one value in a trial", key,
                      bough_metrics[*metric].name, bough_metrics[*metric].index);
}

static bool same(const bough_trial_statistic *a, const bough_trial_statistic *b) {
    bool methods = a->method && b->method ? strcmp(a->method, b->method) == 0 : a->method == b->method;
    return a->metric == b->metric && a->quantile == b->quantile && a->limit == b->limit && methods;
}

bough_status trial_statistics_add(bough_study *study, bough_trial_statistic statistic, bough_error *error) {
    for (size_t i = 0; i < study->statistics; i++)
        if (same(&study->statistic[i], &statistic)) return BOUGH_OK;
    bough_status status =
        arena_grow(&study->memory, &study->statistic, study->statistics + 1, sizeof *study->statistic, error);
    TRY(arena_copy(&study->memory, &statistic.method, statistic.method, error));
    if (!status) study->statistic[study->statistics++] = statistic;
    return status;
}

bough_status bough_study_add_quantiles(bough_study *study, const char *text, bough_error *error) {
    bough_trial_statistic statistic = {0};
    bough_status status = read_metric("quantiles", text, &statistic.metric, error);
    const char *colon = strchr(text, ':'), *from = colon ? colon + 1 : "50,90,99,99.9";
    for (bool more = true; more && !status; from++) {
        char number[32] = "";
        size_t length = strcspn(from, ",");
        if (length < sizeof number) memcpy(number, from, length);
        if (bough_parse_real(number, "quantiles", &statistic.quantile, NULL) || !(statistic.quantile > 0) ||
            !(statistic.quantile < 100))
            return bough_fail(
                error, BOUGH_INVALID, NULL,
                "quantiles: '%.*s' is not between 0 and 100; write percentages of the trials, as in "
                "rounds:50,99.9",
                (int)(length < 40 ? length : 40), from);
        snprintf(number, sizeof number, "%.15g", statistic.quantile / 100); /* 0.999, not its neighbour */
        statistic.quantile = strtod(number, NULL);
        status = trial_statistics_add(study, statistic, error);
        from += length;
        more = *from;
    }
    return status;
}

bough_status bough_study_add_above(bough_study *study, const char *text, bough_error *error) {
    bough_trial_statistic statistic = {0};
    const char *colon = strchr(text, ':');
    char method[101];
    bough_status status = read_metric("above", text, &statistic.metric, error);
    if (status) return status;
    if (!colon || !colon[1] || strlen(colon) > 100)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "above: '%.80s' has no limit; write a number or the name of an exact method, as in "
                          "rounds:12 or rounds:bound",
                          text);
    if (bough_parse_real(colon + 1, "above", &statistic.limit, NULL)) {
        snprintf(method, sizeof method, "%s", colon + 1);
        statistic.method = method;
    }
    return trial_statistics_add(study, statistic, error);
}

bough_status trial_statistics_copy(bough_study *study, const bough_study *from, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < from->statistics; i++) TRY(trial_statistics_add(study, from->statistic[i], error));
    return status;
}

bool trial_statistic_limits(const bough_trial_statistic *statistic, const bough_answer *answer) {
    size_t length = strcspn(answer->method, ":");
    return answer->exact && strlen(statistic->method) == length &&
           strncmp(statistic->method, answer->method, length) == 0;
}

static bool has_limit(const bough_study_point *p, const bough_trial_statistic *statistic) {
    for (size_t i = 0; i < p->answers; i++)
        if (trial_statistic_limits(statistic, &p->answer[i])) return true;
    return false;
}

bough_status trial_statistics_check(const bough_study *study, bough_error *error) {
    for (size_t k = 0; k < study->statistics; k++) {
        const bough_trial_statistic *s = &study->statistic[k];
        for (size_t i = 0; i < study->points && s->method; i++)
            if (!has_limit(&study->point[i], s))
                return bough_fail(
                    error, BOUGH_INVALID, study->source,
                    "above: '%s' is no number, and no exact method of that name is asked; add it to "
                    "the methods",
                    s->method);
    }
    return BOUGH_OK;
}
