/* Runs trials of one answer on threads and hands on their rows in trial order. */
#ifndef BOUGH_STUDY_RUN_TRIALS_H
#define BOUGH_STUDY_RUN_TRIALS_H

#include "method/method.h"

/* What is run, and who receives the results; calls are sequential. */
typedef struct trial_request {
    const bough_run *run; /* borrowed */
    uint64_t seed;
    unsigned threads; /* trials that run at a time */
    unsigned team;    /* threads of one trial (bough_run.threads); 0: one */
    void *context;
    /* Receives all trials in their order. */
    bough_status (*take)(void *context, uint64_t trial, const bough_rows *rows, bough_error *error);
    /* Called after some trials, and from time to time during long ones. running: the sum of the finished
     * fractions of the trials that are running. May be NULL. */
    void (*pulse)(void *context, double running);
} trial_request;

/* The threads' workspaces, which are kept from one block of trials to the next. */
typedef struct trial_crew trial_crew;

bough_status trial_crew_create(const trial_request *request, trial_crew **crew, bough_error *error);
/* Runs trials first .. first + count - 1, whose rows it holds in memory together. Returns INTERRUPTED if
 * run->stop was set. After an error the receiver has all trials before some trial, and none from it on. */
bough_status trial_crew_run(trial_crew *crew, uint64_t first, uint64_t count, bough_error *error);
/* Seconds of a trial of the latest block on its thread; 0: none has run. */
double trial_crew_seconds(const trial_crew *crew);
void trial_crew_destroy(trial_crew *crew);

#endif
