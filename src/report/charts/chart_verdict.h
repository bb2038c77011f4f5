/* What charts say in a few words: where each series saturates, or how much one is of another. */
#ifndef BOUGH_REPORT_CHARTS_CHART_VERDICT_H
#define BOUGH_REPORT_CHARTS_CHART_VERDICT_H

#include "document/document.h"
#include "report/charts/chart.h"

/* A card for each series. Where any saturates there are no ratios: those of the points that are left would
 * say little. */
void charts_describe(document *d, const charts *all);

#endif
