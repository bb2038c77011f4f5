/* The page of a study where there is no script: facts; charts, results, notes. */
#ifndef BOUGH_REPORT_PAGES_STUDY_HTML_H
#define BOUGH_REPORT_PAGES_STUDY_HTML_H

#include "document/html.h"
#include "report/charts/chart.h"

/* Beyond these a page counts; results.csv has everything. */
enum { STUDY_HTML_ROWS = 10000, STUDY_HTML_CHARTS = 60 };

/* The whole page, in either form. summary: markup that opens it; "": none. Errors: as of bough_report_html.
 */
bough_status study_page_write(const bough_study *study, const char *summary, char **text, bough_error *error);

void study_html_facts(html_writer *h, const bough_study *study);
/* Assumptions, broken premises, what trials say. */
void study_html_notes(html_writer *h, const bough_study *study);
/* Charts and results. */
void study_html_rest(html_writer *h, const bough_study *study, const charts *all);

#endif
