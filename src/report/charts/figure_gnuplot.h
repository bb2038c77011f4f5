/* Figures for papers: a chart as a CSV file and a gnuplot script that draws it. Produces texts only; the
 * command writes files and runs gnuplot. */
#ifndef BOUGH_REPORT_CHARTS_FIGURE_GNUPLOT_H
#define BOUGH_REPORT_CHARTS_FIGURE_GNUPLOT_H

#include "base/text/text.h"
#include "report/charts/chart.h"

/* The base name of the files of chart i: study (NULL: none), metric, "ratio", facet, of letters, digits and
 * .=_- only, different from those of all earlier charts. At most size - 1 bytes. Returns buffer. */
char *figure_name(const charts *all, const char *study, size_t i, char *buffer, size_t size);
#define FIGURE_NAME 128

/* What figure_csv begins with. */
#define FIGURE_CSV_HEAD "series,x,mean,low,high,ci95,min,max,trials,hollow,label,name"

/* RFC 4180, a line per point: number of the series from 0, x, mean, low, high (of the 95 % interval; the mean
 * if there is none), ci95 (empty then), min, max, trials, label of x, name of the series. */
bough_status figure_csv(const chart *c, bough_text *out, bough_error *error);

/* A script that reads NAME.csv and writes NAME.svg, or the format and file set by -e "out='pdf'" and -e
 * "file='...'"; to be run in its own directory: gnuplot NAME.gp. Series differ in colours safe for colour
 * blindness, and in shapes and dashes. */
bough_status figure_script(const chart *c, const char *name, bough_text *out, bough_error *error);

#endif
