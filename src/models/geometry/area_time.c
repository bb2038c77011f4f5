#include "models/geometry/area_time.h"

#include "base/status/try.h"
#include "method/rows.h"
#include "models/link_load/tree_crossings.h"
#include "network/layout/layout.h"

#include <inttypes.h>

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

static double area_of(const bough_layout_size *size) {
    const bough_layout_step *top = &size->step[size->steps];
    double pitch = size->rules.pitch_nm;
    return (double)top->width_nm / pitch * ((double)top->height_nm / pitch);
}

bough_status at2_area(const bough_net *net, const bough_layout_rules *rules, double *area,
                      bough_error *error) {
    bough_layout_size size;
    bough_status status = bough_layout_measure(net, rules, &size, error);
    if (!status) *area = area_of(&size);
    return status;
}

void note_sorters(const bough_layout_size *size, bough_rows *rows) {
    bough_sorter_time time;
    bough_error error;
    const bough_sorter *s = &size->sorter;
    if (!s->lines || bough_sorter_measure(s, s->capacity, &time, &error)) return;
    rows_note_append(rows,
                     "the area has flexible sorters of words of b = %" PRIu64
                     " bits; at the root s = %" PRIu64 " lines, l = %" PRIu64 " words, K = %" PRIu64
                     " phases for l words%s%s",
                     s->bits, s->lines, s->capacity, time.phases,
                     size->rules.formula ? ", which Theorem 2 with constant 1 does not pay for" : "",
                     size->rules.circuit ? "; the circuit for s words is Columnsort on meshes of trees" : "");
}

bough_status at2_add(const method_trial *trial, const at2_run *measured, bough_rows *rows,
                     bough_error *error) {
    double eta = 0;
    bough_layout_size size;
    bough_status status = bough_layout_measure(trial->run->point.net, &measured->rules, &size, error);
    TRY(at2_eta(trial, &eta, error));
    if (status) return status;
    double area = area_of(&size), at2 = area * measured->steps * measured->steps;
    double unit = measured->body * eta, n = (double)trial->run->point.net->endpoints;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_AREA_GRID, area},
        {true, BOUGH_METRIC_AT2, at2},
        {unit > 0, BOUGH_METRIC_AT2_ETA, at2 / (unit * unit * n)},
    };
    note_sorters(&size, rows);
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}
