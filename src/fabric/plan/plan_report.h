/* The answer to `bough plan`: trees with their loads, and the times of a job. */
#ifndef BOUGH_FABRIC_PLAN_PLAN_REPORT_H
#define BOUGH_FABRIC_PLAN_PLAN_REPORT_H

#include "base/text/text.h"
#include "fabric/plan/plan.h"
#include "fabric/plan/stack_plan.h"

typedef struct bough_plan_question {
    bough_plan_ask ask;
    bough_plan_job job; /* traffic NULL: none */
    uint64_t limit;     /* trees shown, at most; 0: 8 */
    /* A negative share begins a step: "trees", "loads", "job". NULL: none. Those of ask and job are not
     * used. */
    void (*progress)(void *context, double share, const char *what);
    void *context;
} bough_plan_question;

typedef struct bough_plan_row {
    uint64_t number; /* from 1 */
    bough_plan_tree tree;
    double cost; /* NAN: no prices */
    bough_plan_loads loads;
    bough_plan_time time; /* all zero: no job */
} bough_plan_row;

typedef struct bough_plan_report {
    const bough_plan_question *question; /* the caller's */
    bough_plan_row *row;                 /* the first tree, the last, and others evenly spaced */
    size_t rows, found;
} bough_plan_report;

/* Errors: those of bough_plan, bough_plan_job_check and bough_plan_times_find. Finish with
 * bough_plan_report_fini, also after a failure. */
bough_status bough_plan_report_find(const bough_plan_question *question, bough_plan_report *report,
                                    bough_error *error);
void bough_plan_report_fini(bough_plan_report *report);
/* The answer for people, as JSON (`plan` of docs/schema), and the trees as CSV. */
void bough_plan_report_text(const bough_plan_report *report, size_t width, bough_text *out);
void bough_plan_report_json(const bough_plan_report *report, bough_text *out);
void bough_plan_report_csv(const bough_plan_report *report, bough_text *out);

/* ---- routers in stacks ---- */

typedef struct bough_stack_row {
    uint64_t number;
    bough_stack_design design; /* success: NAN where it is not computed, above 2^16 processors */
    double routers_each;       /* routers per processor */
} bough_stack_row;

typedef struct bough_stack_report {
    bough_stack_limits limits;
    uint64_t counts[BOUGH_STACK_VERDICTS];
    bough_stack_row *row; /* the first by routers per processor */
    size_t rows, found;
} bough_stack_report;

/* limit: designs shown, at most; 0: 16. progress may be NULL. Errors: those of bough_stack_plan. Free
 * report->row, also after a failure. */
bough_status bough_stack_report_find(const bough_stack_limits *limits, uint64_t limit,
                                     void (*progress)(void *context, double share, const char *what),
                                     bough_stack_report *report, bough_error *error);
void bough_stack_report_text(const bough_stack_report *report, size_t width, bough_text *out);
void bough_stack_report_json(const bough_stack_report *report, bough_text *out);

#endif
