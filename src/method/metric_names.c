#include "method/metric.h"

#include <string.h>

const bough_metric bough_metrics[BOUGH_METRIC_COUNT] = {
#define X(id, name, unit, index, summary) {name, unit, index, summary},
    BOUGH_METRIC_MAP(X)
#undef X
};

bough_metric_id bough_metric_find(const char *name) {
    for (int i = 0; i < BOUGH_METRIC_COUNT; i++)
        if (strcmp(bough_metrics[i].name, name) == 0) return (bough_metric_id)i;
    return BOUGH_METRIC_COUNT;
}

bool bough_metric_estimates(bough_metric_id metric) {
    return metric != BOUGH_METRIC_WARMUP;
}

bough_metric_id bough_metric_weight(bough_metric_id metric) {
    static const struct {
        bough_metric_id metric, weight;
    } pair[] = {
        {BOUGH_METRIC_FIRST_SUCCESS, BOUGH_METRIC_MESSAGES},
        {BOUGH_METRIC_DELIVERED, BOUGH_METRIC_MESSAGES},
        {BOUGH_METRIC_ATTEMPTS, BOUGH_METRIC_MESSAGES},
        {BOUGH_METRIC_FIRST_SUCCESS_LEVEL, BOUGH_METRIC_MESSAGES_LEVEL},
        {BOUGH_METRIC_PHASE_SUCCESS, BOUGH_METRIC_PHASE_LENGTH},
        {BOUGH_METRIC_STAGE_SUCCESS, BOUGH_METRIC_STAGE_REQUESTS},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (pair[i].metric == metric) return pair[i].weight;
    return BOUGH_METRIC_COUNT;
}

static bool counts_crossings(const char *unit) {
    static const char *const units[] = {"rounds", "transits", "passes"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], unit) == 0) return true;
    return false;
}

bool bough_metrics_share_axis(bough_metric_id a, bough_metric_id b) {
    const char *left = bough_metrics[a].unit, *right = bough_metrics[b].unit;
    return strcmp(left, right) == 0 || (counts_crossings(left) && counts_crossings(right));
}
