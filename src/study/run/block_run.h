/* Computes blocks of trials: binds their points and keeps what threads need from one block of an answer to
 * the next. */
#ifndef BOUGH_STUDY_RUN_BLOCK_RUN_H
#define BOUGH_STUDY_RUN_BLOCK_RUN_H

#include "study/run/trial_dealer.h"
#include "study/run/trials.h"

/* Zero-initialise, then set the first group. */
typedef struct block_runner {
    bough_study *study;
    unsigned threads;  /* as in bough_study_options */
    atomic_bool *stop; /* may be NULL */
    void *context;
    bough_status (*take)(void *context, uint64_t trial, const bough_rows *rows, bough_error *error);
    void (*pulse)(void *context, double running); /* may be NULL */
    /* private */
    trial_crew *crew; /* NULL: none is bound */
    size_t point, answer;
} block_runner;

/* Fills in all of *result but its block. The trials before one that failed are taken. */
void block_run(block_runner *b, const trial_block *block, block_result *result);
void block_runner_fini(block_runner *b);

#endif
