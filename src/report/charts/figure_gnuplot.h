/* Figures for papers: a chart as a CSV file and a gnuplot script that draws it. Texts only; who writes files
 * and runs gnuplot is the command. */
#ifndef BOUGH_REPORT_CHARTS_FIGURE_GNUPLOT_H
#define BOUGH_REPORT_CHARTS_FIGURE_GNUPLOT_H

#include "base/text/text.h"
#include "report/charts/chart.h"

/* The name that the files of chart i share, without an ending: metric, "ratio", facet, of letters, digits and
 * .=_- only, different from those of all charts before it. At most size - 1 bytes. Returns buffer. */
char *figure_name(const charts *all, size_t i, char *buffer, size_t size);
#define FIGURE_NAME 128

/* RFC 4180, a line for each point: number of the series from 0, x, mean, low, high (of the 95 % interval; the
 * mean where there is none), ci95 (empty there), min, max, trials, label of x, name of the series. */
bough_status figure_csv(const chart *c, bough_text *out, bough_error *error);

/* Reads NAME.csv beside it and writes NAME.svg, or what -e "out='pdf'" and -e "file='...'" ask for; to be run
 * in its own directory: gnuplot NAME.gp. Series have colours that the colour-blind tell apart, and shapes and
 * dashes as well. */
bough_status figure_script(const chart *c, const char *name, bough_text *out, bough_error *error);

#endif
