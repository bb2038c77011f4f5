#include "support/draws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

bough_source *open_source(const bough_traffic *t, uint64_t trial) {
    bough_source *source;
    bough_error error;
    if (bough_traffic_open(t, bough_key_make(1, trial), NULL, &source, &error))
        fail_msg("%s: %s", t->spec, error.reason);
    return source;
}

/* The first `count` messages of a trial. */
bough_message *first_messages(const bough_traffic *t, uint64_t trial, uint32_t count) {
    bough_source *source = open_source(t, trial);
    bough_message *m = calloc(count, sizeof *m);
    assert_non_null(m);
    assert_int_equal(source->pop(source, UINT64_MAX - 1, m, count), count);
    source->close(source);
    return m;
}

/* The 99.9 % quantile of chi-square (Wilson and Hilferty). */
static double limit(double freedom) {
    double a = 2 / (9 * freedom);
    return freedom * pow(1 - a + 3.0902 * sqrt(a), 3);
}

void assert_fits(const char *what, const double *count, const double *expected, size_t cells) {
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < cells; i++) {
        if (expected[i] == 0) {
            if (count[i] != 0) fail_msg("%s: cell %u should be empty", what, (unsigned)i);
            continue;
        }
        assert_true(expected[i] > 5);
        sum += pow(count[i] - expected[i], 2) / expected[i];
        used++;
    }
    if (used > 1 && sum > limit((double)used - 1))
        fail_msg("%s: chi-square %g with %u cells", what, sum, (unsigned)used);
}
