#include "models/geometry/area_time.h"

#include "base/status/try.h"
#include "bough/layout.h"
#include "method/rows.h"
#include "models/link_load/tree_crossings.h"

bough_status at2_open(const bough_run *run, bough_error *error) {
    return bough_layout_known(run->point.net, error);
}

bough_status at2_eta(const method_trial *trial, double *eta, bough_error *error) {
    message_difficulty difficulty = {0};
    bough_batch batch;
    bough_status status = bough_batch_read(trial->run->point.traffic, trial->key, &batch, error);
    if (status) return status;
    status = message_difficulty_measure(trial->run->point.net, &batch, &difficulty, error);
    *eta = difficulty.eta;
    bough_batch_fini(&batch);
    return status;
}

bough_status at2_area(const bough_net *net, double *area, bough_error *error) {
    bough_layout_size size;
    bough_status status = bough_layout_measure(net, NULL, &size, error);
    if (status) return status;
    const bough_layout_step *top = &size.step[size.steps];
    double pitch = size.rules.pitch_nm;
    *area = (double)top->width_nm / pitch * ((double)top->height_nm / pitch);
    return BOUGH_OK;
}

bough_status at2_add(const method_trial *trial, double steps, double body, bough_rows *rows,
                     bough_error *error) {
    double area = 0, eta = 0;
    bough_status status = at2_area(trial->run->point.net, &area, error);
    TRY(at2_eta(trial, &eta, error));
    if (status) return status;
    double at2 = area * steps * steps, unit = body * eta, n = (double)trial->run->point.net->endpoints;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_AREA_GRID, area},
        {true, BOUGH_METRIC_AT2, at2},
        {unit > 0, BOUGH_METRIC_AT2_ETA, at2 / (unit * unit * n)},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}
