/* A chart as an SVG figure for a page without scripts. */
#ifndef BOUGH_REPORT_CHARTS_CHART_SVG_H
#define BOUGH_REPORT_CHARTS_CHART_SVG_H

#include "base/text/text.h"
#include "report/charts/chart.h"

/* Appends a <figure> with the title, the chart and a legend. Colours are classes of web/src/page.css (line0
 * .. line7, fill0 .. fill7), so that light and dark pages have their own. Series have different marks and
 * dashes too. Points have titles with their values, unless there are more than a thousand. Reads as XML. A
 * failed allocation leaves out->failed set. O(points). */
void chart_svg(const chart *c, bough_text *out);

/* The same as an SVG file of its own, on white, with title, y_title and legend in it, in the size and font of
 * the chart. */
void chart_svg_file(const chart *c, bough_text *out);

#endif
