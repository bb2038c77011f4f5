#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

bough_point point_make(const char *network, const char *routing, const char *traffic) {
    bough_net *net;
    bough_routing *r = NULL;
    bough_traffic *t = NULL;
    bough_error error;
    if (bough_net_create(network, &net, &error) ||
        (routing && bough_routing_create(net, routing, &r, &error)) ||
        (traffic && bough_traffic_create(net, traffic, &t, &error)))
        fail_msg("%s, %s, %s: %s", network, routing, traffic, error.reason);
    return (bough_point){net, r, t};
}

void point_free(bough_point *point) {
    bough_traffic_destroy((bough_traffic *)point->traffic);
    bough_routing_destroy((bough_routing *)point->routing);
    bough_net_destroy((bough_net *)point->net);
    *point = (bough_point){0};
}

bough_run *run_make(const bough_point *point, const char *method) {
    bough_run *run;
    bough_error error;
    if (bough_run_create(method, point, &run, &error))
        fail_msg("%s: %s: %s", method, error.place, error.reason);
    return run;
}

void run_refused(const bough_point *point, const char *method, bough_status status, const char *text) {
    bough_run *run;
    bough_error error = {0};
    bough_status have = bough_run_create(method, point, &run, &error);
    if (have != status) fail_msg("%s: status %d, not %d (%s)", method, have, status, error.reason);
    if (!strstr(error.reason, text) && !strstr(error.place, text))
        fail_msg("%s: '%s: %s' does not say '%s'", method, error.place, error.reason, text);
    assert_null(run);
}

void runs_refused(const refused_run *run, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bough_point p = point_make(run[i].network, run[i].routing, run[i].traffic);
        run_refused(&p, run[i].method, run[i].status, run[i].text);
        point_free(&p);
    }
}

void trial_refused(const bough_point *point, const char *method, bough_status status, const char *text) {
    bough_run *run = run_make(point, method);
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error), status);
    if (!strstr(error.reason, text)) fail_msg("%s: '%s' does not say '%s'", method, error.reason, text);
    if (workspace) bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
}

static const bough_row *find_row(const bough_rows *rows, bough_metric_id metric, int64_t index) {
    const bough_row *found = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].metric != metric || rows->row[i].index != index) continue;
        if (found) fail_msg("%s is answered twice", bough_metrics[metric].name);
        found = &rows->row[i];
    }
    return found;
}

bool row_given(const bough_rows *rows, bough_metric_id metric, int64_t index) {
    return find_row(rows, metric, index) != NULL;
}

double row_value(const bough_rows *rows, bough_metric_id metric, int64_t index) {
    const bough_row *row = find_row(rows, metric, index);
    if (!row) fail_msg("%s (index %" PRId64 ") is not answered", bough_metrics[metric].name, index);
    return row ? row->value : NAN;
}

bough_rows run_once(const bough_run *run, uint64_t trial) {
    bough_rows rows = {0};
    bough_error error;
    void *workspace = NULL;
    if (bough_run_trial(run, bough_key_make(1, trial), &workspace, &rows, &error))
        fail_msg("%s: %s", run->spec, error.reason);
    bough_run_free_workspace(run, workspace);
    return rows;
}

bough_rows rows_of(const bough_point *point, const char *method) {
    bough_run *run = run_make(point, method);
    bough_rows rows = run_once(run, 0);
    bough_run_destroy(run);
    return rows;
}

bough_stats run_trials(const bough_run *run, uint64_t seed, uint64_t trials, bough_metric_id metric) {
    bough_stats stats = {0};
    bough_rows rows = {0};
    bough_error error;
    void *workspace = NULL;
    for (uint64_t trial = 0; trial < trials; trial++) {
        if (bough_run_trial(run, bough_key_make(seed, trial), &workspace, &rows, &error))
            fail_msg("%s: %s", run->spec, error.reason);
        bough_stats_add(&stats, row_value(&rows, metric, BOUGH_NO_ROW_INDEX));
    }
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    return stats;
}

void assert_near(double have, double want, double tolerance) {
    if (!(fabs(have - want) <= tolerance)) fail_msg("%.12g is not %.12g +- %g", have, want, tolerance);
}

void assert_close(double have, double want, double relative) {
    assert_near(have, want, relative * fabs(want));
}

void assert_same(double have, double want) {
    assert_near(have, want, 1e-9 * (1 + fabs(want)));
}
