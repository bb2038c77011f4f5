/* What the parts of charts_make share. */
#ifndef BOUGH_REPORT_CHARTS_CHART_BUILD_H
#define BOUGH_REPORT_CHARTS_CHART_BUILD_H

#include "base/text/text.h"
#include "report/charts/chart.h"
#include "report/charts/chart_axes.h"

/* In addition to the dimensions and DIM_NONE: x is the metric's index, or a metric. */
#define X_INDEX  (SIZE_MAX - 1)
#define X_METRIC (SIZE_MAX - 2)

typedef struct builder {
    charts *all;
    const bough_study *asked, *study; /* study: with an axis merged, if that was asked for */
    chart_dims dims;
    size_t x, facet; /* dimensions; x == DIM_NONE: all varying ones, as a category */
    size_t series[BOUGH_PLOT_SERIES];
    unsigned serieses;
    bough_metric_id x_metric;                        /* if x == X_METRIC */
    chart_scale xscale;                              /* if x is a numeric dimension */
    bough_metric_id metric_list[BOUGH_PLOT_METRICS]; /* of the current charts; several in an overlay */
    unsigned metrics;
    bool several;           /* the plot has charts of other metrics too */
    bough_metric_id metric; /* the current one of them */
    bool indexed;           /* the metric has indices */
    size_t from;            /* the current charts start here */
    const char **style;     /* names of series and curves by style; borrowed */
    size_t styles;
    bough_text buffer;
    bough_error *error;
} builder;

/* A value, its origin and its chart. */
typedef struct cell_place {
    size_t point;
    const bough_study_point *of;
    const bough_answer *answer;
    int64_t index;
    size_t x;             /* dimension of the chart */
    const char *ratio_to; /* NULL: not a ratio */
} cell_place;

/* The name of a series; head: length of the part before the value of other dimensions than `series`; rank:
 * of its earliest part in `order` of the plot. */
typedef struct series_name {
    bough_text text;
    size_t head;
    unsigned rank;
} series_name;

/* Appends the title of a chart: that of the plot, with what tells the chart from others, else `own`. */
void build_put_title(const builder *b, bough_text *out, const char *own, const char *ratio_to);

/* A copy of the contents of b->buffer that the charts own; NULL if memory runs out. */
const char *build_keep_buffer(builder *b);
void build_clear(builder *b); /* the buffer */

/* Trials behind a ratio; common: those of both. Exact answers are constants: they have one trial, which
 * counts for nothing beside the trials of the other. */
uint64_t chart_ratio_trials(const bough_answer *a, const bough_answer *against, uint64_t common);

/* The style of a name, which is borrowed. */
bough_status build_style(builder *b, const char *name, unsigned *style);
/* "m = n/8"; NULL if the plot has no facets. answer is used only if facets are methods or routings. */
const char *build_facet(const builder *b, const cell_place *at);
/* x of the current metric: indices if the plot names no varying x, except in overlays. */
size_t build_x(const builder *b);
/* x as a category: the value of a dimension, or of all varying ones. */
void build_put_category(const builder *b, bough_text *out, const cell_place *at);

/* "rounds and norm_cycles", the metrics of an overlay; last: between the last two. */
void build_put_metrics(const builder *b, bough_text *out, const char *last);

/* Where x is a metric (chart_metric_x.c): the cell with x of an answer, which another answer of the point may
 * have, if one alone does; *of is then that answer. NULL if there is none. */
const bough_cell *build_x_cell(const builder *b, const bough_study_point *of, const bough_answer **answer);
/* Sets x, its bars and the label of a point; false if it has no x. */
bool build_metric_x(builder *b, const cell_place *at, chart_point *p, bough_status *status);
/* Adds the staircases that the plot asks for to the charts from b->from on, of which points are sorted. */
bough_status build_staircases(builder *b);

/* Scales and orders (chart_finish.c): points of the charts from b->from on, and x of those where it is a
 * metric; then all charts. */
void build_sort(builder *b);
void build_finish(charts *all, const bough_plot *plot);

/* Add to the charts from b->from on, of which points are sorted: curves and verticals of the plot; charts of
 * the ratios that the plot names. */
bough_status build_lines(builder *b);
bough_status build_ratios(builder *b);

#endif
