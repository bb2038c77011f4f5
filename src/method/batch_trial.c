#include "method/batch_trial.h"

#include "base/status/try.h"

bough_status batch_trial(const bough_run *run, bough_key key, const batch_steps *steps, void **space,
                         bough_rows *rows, bough_error *error) {
    bough_batch batch;
    bough_status status = *space ? BOUGH_OK : steps->make(run, space, error);
    TRY(bough_batch_read(run->point.traffic, key, &batch, error));
    if (status) return status;
    status = steps->route(run, key, &batch, *space, rows, error);
    bough_batch_fini(&batch);
    return status;
}
