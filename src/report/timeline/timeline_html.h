/* The part of a page that shows where the time of a schedule goes: the critical path by cause, label and
 * link, a picture of the ranks over time, the longest parts of the path. The same on all pages: markup. */
#ifndef BOUGH_REPORT_TIMELINE_TIMELINE_HTML_H
#define BOUGH_REPORT_TIMELINE_TIMELINE_HTML_H

#include "document/html.h"
#include "report/timeline/recorded_trial.h"
#include "traffic/timeline/critical_path.h"

/* Errors: NO_MEMORY, FAILED. */
bough_status timeline_html_put(html_writer *h, const recorded_trial *trial, bough_error *error);

/* timeline_picture.c. Ranks beyond 64 are merged in groups. end: of the picture, ps, not 0. */
bough_status timeline_picture_put(html_writer *h, const recorded_trial *trial, const critical_path *path,
                                  uint64_t end, bough_error *error);
/* "12.34 us" */
enum { TIMELINE_TIME_TEXT = 80 };
const char *timeline_time_text(double picoseconds, char text[TIMELINE_TIME_TEXT]);

#endif
