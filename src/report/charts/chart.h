/* clang-format off */
/* Charts as data: those of a study's `plot:`, or by default those that suit its grid. Renderers (the page,
 * figures, the terminal) draw this data and decide only its appearance.
 *
 * There is one chart for each metric of plot.y, or one for those of an overlay, and each facet. If two methods,
 * or two routings, report that metric, charts of their ratio follow (the paired numbers of bough_comparison);
 * with `ratio` of the plot, one chart of the ratios of all series to the first. A chart has series of
 * points, and lines.
 *
 *     charts all;
 *     bough_status status = charts_make(&study, &all, &error);
 *     for (size_t i = 0; i < all.count; i++) draw(&all.chart[i]);
 *     charts_fini(&all);
 *
 * The varying dimensions other than x and the facet distinguish series, `series` of the plot first, except
 * axes that are determined by others (m: n + 1). Where x is a metric, series are distinguished by `series`
 * alone, and the rest of the grid gives their points. Indices of a metric are x if the plot names no varying x,
 * else part of the names of series. */
/* clang-format on */
#ifndef BOUGH_REPORT_CHARTS_CHART_H
#define BOUGH_REPORT_CHARTS_CHART_H

#include "study/study.h"

/* CATEGORY: x is an index into chart.category. */
typedef enum chart_scale { CHART_LINEAR, CHART_LOG2, CHART_LOG10, CHART_CATEGORY } chart_scale;

typedef struct chart_point {
    double x, mean;
    double x_ci95, x_min, x_max;          /* the same of x where it is a metric; else NAN */
    double ci95;                          /* half-width of the 95 % interval; NAN if there is none */
    double min, max;                      /* over the trials; NAN in ratios */
    uint64_t trials;                      /* number of trials in mean; in ratios those of both answers */
    bool exact;                           /* the value is exact, without an interval */
    int64_t index;                        /* index of the metric, or BOUGH_NO_ROW_INDEX */
    const char *label;                    /* x as text */
    const bough_study_point *of;          /* specs and axes */
    const bough_answer *answer, *against; /* method, outcome; against: NULL except in ratios */
} chart_point;

typedef struct chart_series {
    const char *name;
    const char *rest;       /* what follows the value of `series` in the name */
    bough_metric_id metric; /* that of the chart, except in overlays */
    bool maxima;            /* the series is of ratios of maxima */
    unsigned rank;          /* in `order` of the plot: series are in ascending order of it */
    unsigned style; /* 0, 1, ...: equal names have the same style in all charts of a study, a ratio that of
                       its answer */
    chart_point *point; /* in order of ascending x; of the study where that is what joins them */
    size_t points;
    bool saturates, stable; /* at some x; at some smaller x not. Not set in ratios and where x is no number */
    double saturated_from;  /* the smallest such x; saturated answers may have no point there */
    double stable_to;       /* the largest x, below that one, with an answer that ended normally */
} chart_series;

/* A line without marks: a curve or a vertical of the plot, the mean of a series of ratios over x, or the
 * staircase of a series (join: lower, upper). */
typedef struct chart_curve {
    const char *name;
    unsigned style;      /* as of series, and different from theirs; of a mean, that of its series */
    bool mean, vertical; /* vertical: two points of equal x; y means nothing */
    double *x, *y;       /* finite; ascending x */
    size_t points;
} chart_curve;

typedef struct chart {
    const char *title, *x_title, *y_title; /* with units */
    const char *facet;                     /* "m = n/8"; NULL: none. Also part of the title */
    chart_scale xscale, yscale;
    bough_metric_id metric; /* of an overlay the first */
    bool ratio;             /* relative to 1 */
    bool overlay;           /* series have different metrics */
    bool minmax;            /* bars from minimum to maximum */
    bool metric_x;          /* x is a metric: bars in both directions */
    bool scatter;           /* points of a series are not joined */
    const char **category;
    size_t categories;
    chart_series *series;
    size_t count; /* series */
    chart_curve *curve;
    size_t curves;
    double width_cm, height_cm, font_pt; /* of figures; 0: default */
    size_t left_out;                     /* points of series or categories beyond the limits below */
    size_t left_lines; /* lines that are nowhere above 0, where the plot asks for a logarithmic y over a
                          metric */
} chart;

#define CHARTS_MAX           256
#define CHART_SERIES_MAX     64
#define CHART_CATEGORIES_MAX 512

/* Zero-initialise. Points borrow from the study. */
typedef struct charts {
    chart *chart;
    size_t count, left_out; /* left_out: charts beyond CHARTS_MAX */
    unsigned styles;        /* number of distinct series names */
    size_t without_x;       /* points that are in no chart: their answers have no x, a metric */
    const char *x_metric;   /* its name; NULL: x is an axis */
    bough_study pooled;     /* owns what points borrow if the study merges an axis */
    arena memory;           /* of all arrays and strings above */
} charts;

/* Non-finite values are omitted. A study without results has no charts. Errors: NO_MEMORY. Cost: all cells
 * times metrics of the plot. */
bough_status charts_make(const bough_study *study, charts *out, bough_error *error);
/* Of a resolved study: `labels` and `order` of its plot name values that its charts have, and no two values
 * of a dimension have one label. Errors: INVALID, NO_MEMORY. */
bough_status charts_check_names(const bough_study *study, bough_error *error);
void charts_fini(charts *all);

#endif
