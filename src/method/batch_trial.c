#include "method/batch_trial.h"

#include "base/status/try.h"

bough_status batch_trial(const method_trial *trial, const batch_steps *steps, void **workspace,
                         bough_rows *rows, bough_error *error) {
    bough_batch batch;
    bough_status status = *workspace ? BOUGH_OK : steps->create(trial->run, workspace, error);
    TRY(bough_batch_read(trial->run->point.traffic, trial->key, &batch, error));
    if (status) return status;
    if (batch.count > trial->run->point.traffic->messages)
        status = bough_fail(error, BOUGH_FAILED, NULL, "%s has more messages than it declares",
                            trial->run->point.traffic->spec);
    TRY(steps->route(trial, &batch, *workspace, rows, error));
    bough_batch_fini(&batch);
    return status;
}
