/* The page of a study where there is no script: facts; charts, results, notes. */
#ifndef BOUGH_REPORT_PAGES_STUDY_HTML_H
#define BOUGH_REPORT_PAGES_STUDY_HTML_H

#include "report/charts/chart.h"
#include "report/pages/html.h"

/* Beyond these a page counts; results.csv has everything. */
enum { STUDY_HTML_ROWS = 10000, STUDY_HTML_CHARTS = 60 };

/* The whole page, in either form. summary: markup that opens it; "": none. Errors: as of bough_report_html.
 */
bough_status study_page_write(const bough_study *study, const char *summary, char **text, bough_error *error);

/* What trials say in words, and where a measurement and a prediction part; nothing for most answers. */
void study_html_note(bough_text *out, const bough_study_point *point, const bough_answer *answer);
void study_html_facts(html_writer *h, const bough_study *study);
void study_html_rest(html_writer *h, const bough_study *study, const charts *all);

#endif
