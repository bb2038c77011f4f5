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
    case BOUGH_METRIC_ROUNDS:
    case BOUGH_METRIC_FIRST_SUCCESS:
    case BOUGH_METRIC_ATTEMPTS:
    case BOUGH_METRIC_CYCLES:
    case BOUGH_METRIC_DELIVERED:
    case BOUGH_METRIC_GIVEN_UP:
    case BOUGH_METRIC_UNDELIVERED:
    case BOUGH_METRIC_LINK_LOAD_MAX:
    case BOUGH_METRIC_LINK_TIME_MAX:
    case BOUGH_METRIC_LOAD_FACTOR:
    case BOUGH_METRIC_UNROUTED:
    case BOUGH_METRIC_LATENCY:
    case BOUGH_METRIC_LATENCY_P99:
    case BOUGH_METRIC_OFFERED:
    case BOUGH_METRIC_ACCEPTED:
    case BOUGH_METRIC_SATURATION:
    case BOUGH_METRIC_CONNECTED:
    case BOUGH_METRIC_PAIRS_LOST:
    case BOUGH_METRIC_LINK_USE_MAX:
    case BOUGH_METRIC_STUCK:
    case BOUGH_METRIC_PASSES:
    case BOUGH_METRIC_STEPS:
    case BOUGH_METRIC_COMPLETION_TIME:
    case BOUGH_METRIC_FCT_P99:
    case BOUGH_METRIC_THROUGHPUT_ENDPOINT:
    case BOUGH_METRIC_BUS_BANDWIDTH:
    case BOUGH_METRIC_TOKEN_RATE:
    case BOUGH_METRIC_MFU:
    case BOUGH_METRIC_GPU_RATE:
    case BOUGH_METRIC_JOB_TIME:
    case BOUGH_METRIC_JOB_SLOWDOWN:
    case BOUGH_METRIC_SENSITIVITY:
    case BOUGH_METRIC_BOUND_TIME:
    case BOUGH_METRIC_EXPOSED_COMMUNICATION:
    case BOUGH_METRIC_IDEAL_SHARE:
    case BOUGH_METRIC_SLOWDOWN:
    case BOUGH_METRIC_HARDEST:
    case BOUGH_METRIC_AREA:
    case BOUGH_METRIC_WIRE_MAX:
    case BOUGH_METRIC_CHIPS:
    case BOUGH_METRIC_PARTS:
    case BOUGH_METRIC_CUBE_VOLUME:
    case BOUGH_METRIC_STACK_VOLUME:
        return true;
    default:
        return false;
    }
}
