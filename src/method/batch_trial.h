/* One trial of a method that routes a batch as a whole. The workspace is created on first use. */
#ifndef BOUGH_METHOD_BATCH_TRIAL_H
#define BOUGH_METHOD_BATCH_TRIAL_H

#include "bough/method.h"

typedef struct batch_steps {
    bough_status (*make)(const bough_run *run, void **space, bough_error *error);
    bough_status (*route)(const bough_run *run, bough_key key, const bough_batch *batch, void *space,
                          bough_rows *rows, bough_error *error);
} batch_steps;

bough_status batch_trial(const bough_run *run, bough_key key, const batch_steps *steps, void **space,
                         bough_rows *rows, bough_error *error);

#endif
