/* Where the time of a schedule goes: the critical path by cause, label and link, a picture of the ranks over
 * time, the longest parts of the path. */
#ifndef BOUGH_REPORT_TIMELINE_TIMELINE_DOCUMENT_H
#define BOUGH_REPORT_TIMELINE_TIMELINE_DOCUMENT_H

#include "document/document.h"
#include "report/timeline/recorded_trial.h"
#include "traffic/timeline/critical_path.h"

/* Errors: NO_MEMORY, FAILED. */
bough_status timeline_describe(document *d, const recorded_trial *trial, bough_error *error);

/* timeline_picture.c: adds the figure. Ranks beyond 64 are merged in groups. end: of the picture, ps, not 0.
 */
bough_status timeline_draw(document *d, const recorded_trial *trial, const critical_path *path, uint64_t end,
                           bough_error *error);
/* "12.34 us" */
enum { TIMELINE_TIME_TEXT = 80 };
const char *timeline_time_text(double picoseconds, char text[TIMELINE_TIME_TEXT]);

#endif
