/* Runs of the method circuit, trial by trial. A failure that a test did not ask for ends it. */
#ifndef TESTS_SUPPORT_CIRCUIT_BENCH_H
#define TESTS_SUPPORT_CIRCUIT_BENCH_H

#include "method/method.h"

/* A point with one method bound to it, and the rows of its last trial. */
typedef struct bench {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_run *run;
    void *workspace;
    bough_rows rows;
} bench;

bough_status bench_try(bench *b, const char *net, const char *routing, const char *traffic,
                       const char *method, bough_error *error);
void bench_close(bench *b);
void bench_open(bench *b, const char *net, const char *routing, const char *traffic, const char *method);
void bench_trial(bench *b, uint64_t seed, uint64_t number);
double bench_value(const bench *b, bough_metric_id metric, int64_t index);
double bench_plain(const bench *b, bough_metric_id metric);
/* Exact: every value here is a whole number or one division of whole numbers. NAN is never equal. */
void bench_same(double got, double want, const char *what);

#endif
