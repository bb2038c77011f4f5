/* Decides which trials of a study are computed next and by which rank, folds their results in the order of
 * trials, evaluates the stopping rule, and keeps the store. A process without other ranks is rank 0 of 1, and
 * computes points and answers in their order.
 *
 * Work is dealt in blocks: trials of one answer, none beyond the next checkpoint of the stopping rule. With
 * several ranks, points are opened by descending work, and a rank stays with its point while this has trials
 * to give out, so that it rarely binds another; then it opens the next point, and when all are open it helps
 * with another one. A block takes a rank about half a second, and it has the next one before it ends. */
#ifndef BOUGH_STUDY_RUN_TRIAL_DEALER_H
#define BOUGH_STUDY_RUN_TRIAL_DEALER_H

#include "study/store/store.h"
#include "study/store/trial_chunk.h"

/* Trials first .. first + count - 1 of an answer. */
typedef struct trial_block {
    uint64_t point, answer, first, count;
} trial_block;

/* Results of a block, or of its first trials. */
typedef struct block_result {
    trial_block block;   /* the trials that are there */
    double seconds;      /* of one of them on its thread; 0: unknown */
    double bind;         /* seconds that binding the point took; 0: unknown, or it was bound */
    bough_status status; /* of the trial behind them */
    bough_error error;
} block_result;

/* Results as records, with the layouts that the records refer to. */
typedef struct trial_records {
    chunk chunk;
    const layout_book *book; /* borrowed until the end of the dealer */
    unsigned char *bytes;    /* what the chunk borrows; the dealer frees it */
} trial_records;

typedef struct trial_dealer trial_dealer;

/* The study and the options must outlive it. */
bough_status dealer_create(bough_study *study, const bough_study_options *options, unsigned ranks,
                           trial_dealer **dealer, bough_error *error);
/* Copies the statistics of answers that are not finished to the study. Returns the first failure. */
bough_status dealer_end(trial_dealer *d, bough_error *error);

/* From now on the rank gets blocks. threads: at least 1; may be called again. */
void dealer_join(trial_dealer *d, unsigned rank, unsigned threads);
/* The next block of a rank; false: none now. The only rank must have finished the one before; others get a
 * second one before they have finished the first. */
bool dealer_next(trial_dealer *d, unsigned rank, trial_block *block);

/* The next trial of the block of rank 0, if this is the only rank. Errors: those of the store. */
bough_status dealer_add(trial_dealer *d, const bough_rows *rows, bough_error *error);
/* Results of the oldest block of a rank; they may come in parts, in their order. records: NULL if the trials
 * were added; takes ownership of their bytes, unless it returns false: the rank has no such block. */
bool dealer_take(trial_dealer *d, unsigned rank, const block_result *result, const trial_records *records);

/* Reports the progress a few times per second. running: finished fractions of trials of rank 0. */
void dealer_report(trial_dealer *d, double running);
/* A failure ends the study; the first one counts. */
void dealer_fail(trial_dealer *d, bough_status status, const bough_error *error);
/* All points are complete, or there was a failure. */
bool dealer_done(const trial_dealer *d);

#endif
