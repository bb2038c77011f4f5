/* Points and runs from spec strings, for the tests of methods. A failure that a test did not ask for ends it.
 */
#ifndef TESTS_SUPPORT_POINTS_H
#define TESTS_SUPPORT_POINTS_H

#include "base/statistics.h"
#include "method/method.h"

/* routing and traffic may be NULL: the point has none. Freed with point_free. */
bough_point point_make(const char *network, const char *routing, const char *traffic);
void point_free(bough_point *point);

/* A method bound to a point, which must be possible. */
bough_run *run_make(const bough_point *point, const char *method);
/* Binding must fail with this status, and the reason (or the place) must hold the text. */
void run_refused(const bough_point *point, const char *method, bough_status status, const char *text);

/* The same for a list; routing and traffic as for point_make. */
typedef struct refused_run {
    const char *network, *routing, *traffic, *method;
    bough_status status;
    const char *text;
} refused_run;
void runs_refused(const refused_run *run, size_t count);
/* Binding must be possible, and trial 0 fail as above. */
void trial_refused(const bough_point *point, const char *method, bough_status status, const char *text);

/* The value of a metric in a trial's rows; it must be there once. */
double row_value(const bough_rows *rows, bough_metric_id metric, int64_t index);
bool row_given(const bough_rows *rows, bough_metric_id metric, int64_t index);

/* One trial of seed 1, and the statistics of one metric (without index) over trials 0 .. trials-1 of a seed.
 */
bough_rows run_once(const bough_run *run, uint64_t trial);
bough_stats run_trials(const bough_run *run, uint64_t seed, uint64_t trials, bough_metric_id metric);

/* Trial 0 of seed 1 of a method. */
bough_rows rows_of(const bough_point *point, const char *method);

void assert_near(double have, double want, double tolerance);
void assert_close(double have, double want, double relative);
/* Up to rounding: 1e-9 of 1 + |want|. */
void assert_same(double have, double want);

#endif
