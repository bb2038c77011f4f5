#include "bough/metric.h"

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
