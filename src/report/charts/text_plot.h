/* A chart in a terminal: braille dots for lines and intervals, a letter for each point of a series, so that
 * series can be distinguished without colours. */
#ifndef BOUGH_REPORT_CHARTS_TEXT_PLOT_H
#define BOUGH_REPORT_CHARTS_TEXT_PLOT_H

#include "base/text/text.h"
#include "report/charts/chart.h"

typedef struct plot_options {
    size_t width, height; /* total characters; the legend adds to height. 0: 80, 20. At least 40 by 8 */
    bool ascii;           /* ASCII characters only */
    bool colours; /* escape sequences for colours; titles and labels are filtered by bough_text_put_shown */
} plot_options;

/* Ends with a line end. Overlapping points of several series are shown as `=`. O(points + width x height). */
bough_status plot_chart(const chart *c, const plot_options *options, bough_text *out, bough_error *error);

#endif
