/* An answer (`bough sim`) or a study as a document: what it says, of which methods assume what, its tables,
 * comparisons and notes; and charts, for a page. */
#ifndef BOUGH_REPORT_TABLES_RESULT_DOCUMENT_H
#define BOUGH_REPORT_TABLES_RESULT_DOCUMENT_H

#include "document/document.h"
#include "report/charts/chart.h"
#include "report/tables/table_labels.h"

enum { RESULT_CHARTS = 60 }; /* that a page draws */

typedef struct result_options {
    bool single; /* as of bough_table_options */
    metric_choice choice;
    bool figures;         /* charts are drawn */
    const charts *charts; /* of the study, where they are made already; NULL: not yet */
    /* Adds what stands behind the summary; NULL: nothing. */
    bough_status (*insert)(document *d, void *context, bough_error *error);
    void *context;
} result_options;

/* Appends to d. Where the study merges an axis, its table has the merged points. */
bough_status result_document_make(const bough_study *study, const result_options *options, document *d,
                                  bough_error *error);

/* ---- its parts ---- */

/* The table, and what marks in it mean. pool: the merged axis; NULL: none. */
void result_table_describe(document *d, const table_labels *labels, bool single, const char *pool);
/* All metrics of all answers of a study, where another table leaves some out: for readers of the details. */
void result_table_describe_all(document *d, const bough_study *study, const table_labels *shown, bool single);

/* ---- of a point ---- */

/* Two answers side by side, metric by metric. */
void comparison_describe(document *d, const bough_study_point *point, const metric_choice *choice);

#endif
