#include "models/geometry/area_time.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/layout.h"
#include "models/link_load/tree_crossings.h"

#include <stdlib.h>

bough_status at2_open(const bough_run *run, bough_error *error) {
    return bough_layout_known(run->point.net, error);
}

/* The reference load factor of the trial's messages. */
static bough_status find_eta(const method_trial *trial, double *eta, bough_error *error) {
    const bough_net *net = trial->run->point.net;
    unsigned height = tree_height(net->endpoints);
    uint64_t *crossing;
    bough_batch batch;
    bough_status status = bough_alloc(&crossing, UINT64_C(2) << height, sizeof *crossing, error);
    if (status) return status;
    status = bough_batch_read(trial->run->point.traffic, trial->key, &batch, error);
    if (!status) {
        count_crossings(net, &batch, height, crossing);
        *eta = crossing_factor(crossing, height, reference_lg_weight);
        bough_batch_fini(&batch);
    }
    free(crossing);
    return status;
}

bough_status at2_add(const method_trial *trial, double steps, double body, bough_rows *rows,
                     bough_error *error) {
    const bough_net *net = trial->run->point.net;
    bough_layout_size size;
    double eta = 0;
    bough_status status = bough_layout_measure(net, NULL, &size, error);
    TRY(find_eta(trial, &eta, error));
    if (status) return status;
    const bough_layout_step *top = &size.step[size.steps];
    double pitch = size.rules.pitch_nm, n = (double)net->endpoints;
    double area = (double)top->width_nm / pitch * ((double)top->height_nm / pitch);
    double at2 = area * steps * steps, unit = body * eta;
    status = bough_rows_add(rows, BOUGH_METRIC_AREA_GRID, BOUGH_NO_ROW_INDEX, area, error);
    TRY(bough_rows_add(rows, BOUGH_METRIC_AT2, BOUGH_NO_ROW_INDEX, at2, error));
    if (!status && unit > 0)
        status =
            bough_rows_add(rows, BOUGH_METRIC_AT2_ETA, BOUGH_NO_ROW_INDEX, at2 / (unit * unit * n), error);
    return status;
}
