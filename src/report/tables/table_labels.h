/* The columns at the left of a table of results, which name the point of a row: those that vary. */
#ifndef BOUGH_REPORT_TABLES_TABLE_LABELS_H
#define BOUGH_REPORT_TABLES_TABLE_LABELS_H

#include "document/text_table.h"
#include "study/study.h"

enum { LABEL_AXES_MAX = 32 };

/* Which metrics a table has. Zero: all. */
typedef struct metric_choice {
    bool brief;       /* those that are main (method/metric.h) */
    const bool *only; /* [BOUGH_METRIC_COUNT]: these; NULL: no such list */
} metric_choice;
bool metric_is_chosen(const metric_choice *choice, const bough_answer *answer, bough_metric_id metric);

typedef struct table_labels {
    const bough_study *study;
    size_t axes; /* of the study, at most LABEL_AXES_MAX */
    bool axis[LABEL_AXES_MAX];
    bool network, faults, traffic, routing;
    bool status; /* a column at the right: a trial did not end normally */
    bool few;    /* an answer has few trials */
    metric_choice choice;
} table_labels;

table_labels table_labels_of(const bough_study *study);
/* Headings and a row of the labels of a point: all but routing and method. */
void table_labels_head(text_table *t, const table_labels *labels);
void table_labels_add(text_table *t, const table_labels *labels, const bough_study_point *point);
/* The same with routing and method. These columns label a row. */
void table_answer_head(text_table *t, const table_labels *labels);
void table_answer_add(text_table *t, const table_labels *labels, const bough_study_point *point,
                      const bough_answer *answer);
/* The metrics of a table: x of the plot where it is a metric, then y; none if the plot has no y. Returns
 * their number. */
enum { TABLE_METRICS = BOUGH_PLOT_METRICS + 1 };
unsigned table_metrics(const bough_study *study, bough_metric_id metric[TABLE_METRICS]);
/* One of them. */
bool table_is_plotted(const bough_study *study, bough_metric_id metric);
/* NULL: none. */
const bough_cell *table_find_cell(const bough_answer *answer, bough_metric_id metric, int64_t index);
/* "latency", "label_wait[tensor]", "limit_up[level 2]", "delivered_round[3]". */
void table_add_metric(text_table *t, const bough_answer *answer, const bough_cell *cell);

/* ---- what a reader has to know of a row ---- */

/* Random results of so few trials that their intervals are rough. */
bool table_has_few_trials(const bough_answer *answer);
/* Red: saturated, deadlock, hangs; yellow: partial, few trials. */
text_style table_style(const bough_answer *answer);
/* Headings and cells of the columns at the right: "exact", "16", "2 few"; "saturated". */
void table_head_trials(text_table *t, const table_labels *labels);
void table_add_trials(text_table *t, const table_labels *labels, const bough_answer *answer, uint64_t trials);
/* Appends the method without its parameters if that tells the methods of the point apart. */
void table_put_method(bough_text *out, const bough_study_point *point, const bough_answer *answer);

#endif
