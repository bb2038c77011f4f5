/* The trials of one answer over threads, folded in trial order. */
#ifndef BOUGH_STUDY_RUN_TRIALS_H
#define BOUGH_STUDY_RUN_TRIALS_H

#include "study/run/tally.h"

/* Where trials go besides the tally; all calls come one at a time, in trial order. */
typedef struct trial_sink {
    void *context;
    bough_status (*take)(void *context, uint64_t trial, const bough_rows *rows,
                         bough_error *error);     /* may be NULL */
    void (*pulse)(void *context, const tally *t); /* after some trials; may be NULL */
    uint64_t until; /* trials from this one on come from elsewhere; 0: none do */
} trial_sink;

/* Goes on from t->trials until the tally is done, or comes to sink->until. Returns INTERRUPTED when run->stop
 * was set. On any error the tally and the sink hold all trials before some trial, and nothing of it or after.
 */
bough_status trials_run(const bough_run *run, uint64_t seed, unsigned threads, tally *t,
                        const trial_sink *sink, bough_error *error);

#endif
