/* A flag that stops trials when the calling thread has used so much CPU time, or when another flag is set. */
#ifndef BOUGH_STUDY_FORECAST_TRIAL_LIMIT_H
#define BOUGH_STUDY_FORECAST_TRIAL_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct trial_limit {
    atomic_bool over;        /* the `stop` of runs */
    atomic_bool reached;     /* the CPU time is used: `over` was not set by the other flag */
    atomic_bool ended;       /* asks the thread to return */
    const atomic_bool *stop; /* the other flag; may be NULL */
    double end;              /* on the clock of the watched thread, in seconds */
    clockid_t clock;
    pthread_t thread;
    bool watched; /* the thread was started */
} trial_limit;

/* Starts a thread that watches the calling one for `seconds` of its CPU time. The struct must not move. Where
 * no thread can be started, as in a browser, nothing is limited. */
void trial_limit_start(trial_limit *limit, double seconds, const atomic_bool *stop);
/* Waits for that thread. */
void trial_limit_end(trial_limit *limit);

#endif
