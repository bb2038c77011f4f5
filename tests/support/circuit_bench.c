#include "support/circuit_bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

bough_status bench_try(bench *b, const char *net, const char *routing, const char *traffic,
                       const char *method, bough_error *error) {
    *b = (bench){0};
    bough_status status = bough_net_create(net, &b->net, error);
    if (!status) status = bough_routing_create(b->net, routing, &b->routing, error);
    if (!status) status = bough_traffic_create(b->net, traffic, &b->traffic, error);
    bough_point point = {b->net, b->routing, b->traffic};
    return status ? status : bough_run_create(method, &point, &b->run, error);
}

void bench_close(bench *b) {
    bough_rows_fini(&b->rows);
    if (b->run) bough_run_free_workspace(b->run, b->workspace);
    bough_run_destroy(b->run);
    bough_traffic_destroy(b->traffic);
    bough_routing_destroy(b->routing);
    bough_net_destroy(b->net);
}

void bench_open(bench *b, const char *net, const char *routing, const char *traffic, const char *method) {
    bough_error error = {0};
    if (bench_try(b, net, routing, traffic, method, &error)) fail_msg("%s %s: %s", net, method, error.reason);
}

void bench_trial(bench *b, uint64_t seed, uint64_t number) {
    bough_error error = {0};
    if (bough_run_trial(b->run, bough_key_make(seed, number), &b->workspace, &b->rows, &error))
        fail_msg("%s", error.reason);
}

double bench_value(const bench *b, bough_metric_id metric, int64_t index) {
    for (size_t i = 0; i < b->rows.count; i++)
        if (b->rows.row[i].metric == metric && b->rows.row[i].index == index) return b->rows.row[i].value;
    return NAN;
}

double bench_plain(const bench *b, bough_metric_id metric) {
    return bench_value(b, metric, BOUGH_NO_ROW_INDEX);
}

void bench_same(double got, double want, const char *what) {
    if (!(got == want)) fail_msg("%s: %.17g, should be %.17g", what, got, want);
}
