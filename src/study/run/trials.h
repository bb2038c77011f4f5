/* Runs the trials of one answer on threads and folds them in trial order. */
#ifndef BOUGH_STUDY_RUN_TRIALS_H
#define BOUGH_STUDY_RUN_TRIALS_H

#include "study/run/tally.h"

/* Receiver of trials besides the tally; calls are sequential, in trial order. */
typedef struct trial_sink {
    void *context;
    bough_status (*take)(void *context, uint64_t trial, const bough_rows *rows,
                         bough_error *error);     /* may be NULL */
    void (*pulse)(void *context, const tally *t); /* called after some trials; may be NULL */
    uint64_t until; /* trials from this one on come from another source; 0: none do */
} trial_sink;

/* Continues from t->trials until the tally is done or reaches sink->until. Returns INTERRUPTED if run->stop
 * was set. After an error the tally and the sink contain all trials before some trial, and none from it
 * on. */
bough_status trials_run(const bough_run *run, uint64_t seed, unsigned threads, tally *t,
                        const trial_sink *sink, bough_error *error);

#endif
