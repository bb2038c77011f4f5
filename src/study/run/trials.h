/* Runs the trials of one answer on threads and folds them in trial order. */
#ifndef BOUGH_STUDY_RUN_TRIALS_H
#define BOUGH_STUDY_RUN_TRIALS_H

#include "study/run/answer_stats.h"

/* Which trials to run, and who else receives them; calls are sequential, in trial order. */
typedef struct trial_request {
    uint64_t seed;
    unsigned threads; /* trials that run at a time */
    uint64_t until;   /* trials from this one on come from another source; 0: none do */
    void *context;
    bough_status (*take)(void *context, uint64_t trial, const bough_rows *rows,
                         bough_error *error); /* may be NULL */
    /* Called after some trials, and from time to time during long ones. running: the sum of the finished
     * fractions of the trials that are running. May be NULL. */
    void (*pulse)(void *context, const answer_stats *t, double running);
    unsigned team; /* threads of one trial (bough_run.threads); 0: one */
} trial_request;

/* Continues from t->trials until t is done or reaches request->until. Returns INTERRUPTED if run->stop was
 * set. After an error t and the other receiver have all trials before some trial, and none from it on. */
bough_status trials_run(const bough_run *run, const trial_request *request, answer_stats *t,
                        bough_error *error);

#endif
