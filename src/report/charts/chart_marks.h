/* What renderers of charts share: marks of points that a reader must not take for the others, where series
 * saturate, and a range of y that one wild point does not stretch. */
#ifndef BOUGH_REPORT_CHARTS_CHART_MARKS_H
#define BOUGH_REPORT_CHARTS_CHART_MARKS_H

#include "base/text/text.h"
#include "report/charts/chart.h"

/* "#0072b2": the colours of series in figures, as on the page (web/src/page.css), after Okabe and Ito, with a
 * contrast of at least 3 to 1 with white. */
enum { CHART_COLOURS = 8 };
extern const char *const chart_colour[CHART_COLOURS];
/* The number of the colour of a style. */
static inline unsigned chart_colour_of(unsigned style) {
    return style % CHART_COLOURS;
}

/* Points with another state than "ok" have hollow marks. */
bool chart_point_is_hollow(const chart_point *point);
/* Appends "saturated, fewer than 16 trials": the states of the hollow points of a chart. */
void chart_put_hollow(bough_text *out, const chart *c);

/* "worm (saturated from 0.044)"; the name alone if the series does not saturate. */
void chart_put_series_name(bough_text *out, const chart_series *series);

/* The ends of the bar of a point: the extremes where the chart shows them, else the 95 % interval; both the
 * mean if there is none. */
typedef struct chart_bar {
    double low, high;
} chart_bar;
chart_bar chart_bar_of(const chart *c, const chart_point *p);
/* The same across, where x is a metric. */
chart_bar chart_x_bar_of(const chart *c, const chart_point *p);
/* Appends "1 line is nowhere above 0 and left out", if there are any. */
void chart_put_left_lines(bough_text *out, const chart *c);
/* Appends "3 points without area_grid are left out", if there are any. */
void chart_put_without_x(bough_text *out, const charts *all);

/* y from `low` to `high`: all means, lines and extremes, and intervals as far as they are not much wider than
 * what the means span; without lines not below 0 if all means are 0 or more. *clipped: some interval goes on
 * beyond. False if the chart has no points. */
typedef struct chart_range {
    double low, high;
    bool clipped;
} chart_range;
bool chart_y_range(const chart *c, chart_range *range);

#endif
