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

bool bough_metric_is_main(bough_metric_id metric) {
    switch (metric) {
    case BOUGH_METRIC_ROUNDS_P50:
    case BOUGH_METRIC_ROUNDS_P90:
    case BOUGH_METRIC_ROUNDS_P99:
    case BOUGH_METRIC_ROUNDS_P999:
    case BOUGH_METRIC_ATTEMPTS_P50:
    case BOUGH_METRIC_ATTEMPTS_P90:
    case BOUGH_METRIC_ATTEMPTS_P99:
    case BOUGH_METRIC_ATTEMPTS_P999:
    case BOUGH_METRIC_CYCLES_NS:
    case BOUGH_METRIC_ARRIVAL_NS:
    case BOUGH_METRIC_ARRIVAL_MEAN_NS:
    case BOUGH_METRIC_MESSAGES:
    case BOUGH_METRIC_LINK_LOAD_MEAN:
    case BOUGH_METRIC_LINK_LOAD_UNUSED:
    case BOUGH_METRIC_LATENCY_P50:
    case BOUGH_METRIC_LATENCY_P90:
    case BOUGH_METRIC_LATENCY_P95:
    case BOUGH_METRIC_LATENCY_MAX:
    case BOUGH_METRIC_LATENCY_NS:
    case BOUGH_METRIC_LATENCY_P50_NS:
    case BOUGH_METRIC_LATENCY_P95_NS:
    case BOUGH_METRIC_LATENCY_P99_NS:
    case BOUGH_METRIC_OFFERED_MESSAGES:
    case BOUGH_METRIC_ACCEPTED_MESSAGES:
    case BOUGH_METRIC_SATURATION_MESSAGES:
    case BOUGH_METRIC_SOURCE_WAIT:
    case BOUGH_METRIC_WAIT_UP:
    case BOUGH_METRIC_WAIT_DOWN:
    case BOUGH_METRIC_SERVICE_UP:
    case BOUGH_METRIC_SERVICE_DOWN:
    case BOUGH_METRIC_DISTANCE:
    case BOUGH_METRIC_LINK_USE_UP:
    case BOUGH_METRIC_LINK_USE_DOWN:
    case BOUGH_METRIC_BACKLOG_GROWTH:
    case BOUGH_METRIC_WARMUP:
    case BOUGH_METRIC_FCT:
    case BOUGH_METRIC_FCT_P50:
    case BOUGH_METRIC_FCT_MAX:
    case BOUGH_METRIC_QUEUE_DELAY:
    case BOUGH_METRIC_QUEUE_DELAY_MAX:
    case BOUGH_METRIC_QUEUE_MAX:
    case BOUGH_METRIC_THROUGHPUT:
    case BOUGH_METRIC_THROUGHPUT_INSIDE:
    case BOUGH_METRIC_ALGO_BANDWIDTH:
    case BOUGH_METRIC_LAMBDA_A:
    case BOUGH_METRIC_LAMBDA_D:
    case BOUGH_METRIC_ETA:
    case BOUGH_METRIC_DEGREE:
    case BOUGH_METRIC_DELAY_MAX:
    case BOUGH_METRIC_CONGESTION:
        return false;
    default:
        return true;
    }
}
