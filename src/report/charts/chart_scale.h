/* The scale of an axis, for all that draw charts. */
#ifndef BOUGH_REPORT_CHARTS_CHART_SCALE_H
#define BOUGH_REPORT_CHARTS_CHART_SCALE_H

#include "report/charts/chart.h"

#include <math.h>

typedef struct axis {
    double low, high; /* transformed values */
    chart_scale scale;
    double from, to; /* positions of low and high, in pixels; charts of text have none */
} axis;

static inline double axis_transform(chart_scale scale, double value) {
    if (scale == CHART_LOG2) return log2(value);
    if (scale == CHART_LOG10) return log10(value);
    return value;
}

static inline void axis_widen(axis *a, double value) {
    double t = axis_transform(a->scale, value);
    if (!isfinite(t)) return;
    a->low = fmin(a->low, t);
    a->high = fmax(a->high, t);
}

/* Makes the range of an axis without values, or with one, wide enough to draw. */
static inline void axis_end_range(axis *a) {
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    if (a->low == a->high) {
        double half = a->low == 0 ? 1 : 0.1 * fabs(a->low);
        a->low -= half;
        a->high += half;
    }
}

#endif
