/* Progress of bough_check: the phases in the order in which they run, each with the work that it is expected
 * to take, so that the share that is reported grows about in proportion to the time. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_PROGRESS_H
#define BOUGH_FABRIC_CHECK_CHECK_PROGRESS_H

#include "fabric/check/check.h"
#include "fabric/check/check_faults.h"

typedef enum check_phase_kind {
    CHECK_FOLLOW,  /* all pairs under a routing */
    CHECK_WORST,   /* the worst permutation of a routing */
    CHECK_PREPARE, /* tables and loads for failures under a routing */
    CHECK_LIST,    /* one list of failures */
    CHECK_CURVE,   /* one curve of degradation */
    CHECK_OLD,     /* all pairs in the old fabric */
    CHECK_JOB      /* one job, once */
} check_phase_kind;

typedef struct check_phase {
    check_phase_kind kind;
    double work; /* about nanoseconds */
} check_phase;

/* Zero-initialise. */
typedef struct check_progress {
    const bough_check_question *question;
    arena *memory;      /* of the report */
    check_phase *phase; /* [phases] */
    size_t phases;
    size_t next;        /* the first phase that has not begun */
    double total, done; /* work of all phases, of those before the one at hand */
    double share;       /* the largest that was reported */
} check_progress;

/* Fills the phases. The report has its network and routings. O(links). */
bough_status check_progress_plan(const bough_check_question *question, const check_faults *faults,
                                 bough_check_report *report, check_progress *progress, bough_error *error);

/* The next phase of this kind begins. Phases before it that did not run count as finished. */
void check_progress_begin(check_progress *progress, check_phase_kind kind);
/* share: of the phase at hand. A callback; context: the check_progress. What is reported is the share of all
 * work; it never falls. */
void check_progress_show(void *context, double share);

/* At least 1. */
unsigned check_threads(const bough_check_question *question);
/* Whether the worst permutation is looked for under a routing. */
bool check_worst_wanted(const bough_check_question *question, const bough_routing *routing);

#endif
