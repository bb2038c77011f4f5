/* A chart as a LaTeX picture, for papers. */
#ifndef BOUGH_REPORT_CHARTS_FIGURE_PGF_H
#define BOUGH_REPORT_CHARTS_FIGURE_PGF_H

#include "base/text/text.h"
#include "report/charts/chart.h"

/* Appends a tikzpicture for the package pgfplots (1.15 or newer), with all values in it, for \input in a
 * document. Values are those of figure_csv to the last digit. Texts are escaped: they cannot be TeX code.
 * A failed allocation leaves out->failed set. O(points). */
void figure_pgf(const chart *c, bough_text *out);

#endif
