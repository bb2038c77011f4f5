/* One trial of a method that routes a batch as a whole, of at most traffic->messages messages. */
#ifndef BOUGH_METHOD_BATCH_TRIAL_H
#define BOUGH_METHOD_BATCH_TRIAL_H

#include "method/method_run.h"

typedef struct batch_steps {
    /* Creates the workspace, on first use. */
    bough_status (*create)(const bough_run *run, void **workspace, bough_error *error);
    bough_status (*route)(const method_trial *trial, const bough_batch *batch, void *workspace,
                          bough_rows *rows, bough_error *error);
} batch_steps;

bough_status batch_trial(const method_trial *trial, const batch_steps *steps, void **workspace,
                         bough_rows *rows, bough_error *error);

#endif
