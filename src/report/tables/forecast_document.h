/* What a study would run, how long that takes and in how much memory (`bough run --dry-run`). */
#ifndef BOUGH_REPORT_TABLES_FORECAST_DOCUMENT_H
#define BOUGH_REPORT_TABLES_FORECAST_DOCUMENT_H

#include "document/document.h"
#include "study/study.h"

/* All borrowed. */
typedef struct planned_run {
    const bough_study *study; /* resolved */
    const bough_forecast *forecast;
    const char *directory; /* of the results */
} planned_run;

/* Eight facts; the points where there are few; broken premises. */
void planned_run_describe(document *d, const planned_run *run);
/* One object with all points: the forecast of docs/json.md. */
void planned_run_put_json(bough_text *out, const planned_run *run);

#endif
