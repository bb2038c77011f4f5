/* One router in place of another: what is refused, and that its figures are those of the two runs it is made
 * of. */
#include "bough/layout.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_is_refused(void **state) {
    (void)state;
    bough_point p = point_make("pruned:n=256", "random", "bitcomp");
    run_refused(&p, "simulate", BOUGH_INVALID, "guest");
    run_refused(&p, "simulate:guest=fattree", BOUGH_INVALID, "n");
    run_refused(&p, "simulate:guest=\"fattree:n=128\"", BOUGH_INVALID, "128 endpoints");
    run_refused(&p, "simulate:guest=\"cube:n=256\"", BOUGH_UNSUPPORTED, "cube");
    run_refused(&p, "simulate:guest=\"fattree:n=256\",by=sidetrack", BOUGH_UNSUPPORTED, "pruned butterfly");
    run_refused(&p, "simulate:guest=\"fattree:n=256\",host=sidetrak", BOUGH_INVALID, "sidetrack");
    bough_run *run = run_make(&p, "simulate:guest=\"fattree:n=256\",by=linkload");
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "does not report bit_steps"));
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&p);
}

static double ask(const char *network, const char *traffic, const char *method, bough_metric_id metric) {
    bough_point p = point_make(network, "random", traffic);
    bough_rows rows = rows_of(&p, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return value;
}

static void made_of_two_runs(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitcomp", "randperm", "motexp:eta=4", "hrelation:h=3"};
    const char *spec = "simulate:guest=\"fattree:n=256\"", *host = "pruned:n=256", *guest = "fattree:n=256";
    double area = ask(guest, "bitcomp", "layout", BOUGH_METRIC_AREA_GRID);
    for (unsigned t = 0; t < 4; t++) {
        double here = ask(host, traffic[t], "sidetrack", BOUGH_METRIC_BIT_STEPS);
        double there = ask(guest, traffic[t], "offline", BOUGH_METRIC_BIT_STEPS);
        double eta = ask(host, traffic[t], "linkload", BOUGH_METRIC_ETA);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_BIT_STEPS), here, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_GUEST_BIT_STEPS), there, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_GUEST_AREA), area, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_SLOWDOWN), here / there, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_TAU), here / (8 * eta), 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_SLOWDOWN_BOUND),
                     sqrt(area / 256) * here / (8 * eta), 1e-12);
    }
}

/* Proposition 1, with a constant of 1 to spare: nobody loses more. */
static void the_bound_holds(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitcomp",   "bitrev",       "transpose",     "randperm",
                                          "shift:k=1", "motexp:eta=2", "motexp:eta=16", "hrelation:h=8"};
    static const char *const guest[] = {"fattree:n=256", "bft:n=256", "pruned:n=256"};
    for (unsigned t = 0; t < 8; t++)
        for (unsigned g = 0; g < 3; g++) {
            char spec[80];
            snprintf(spec, sizeof spec, "simulate:guest=\"%s\"", guest[g]);
            double slowdown = ask("pruned:n=256", traffic[t], spec, BOUGH_METRIC_SLOWDOWN);
            double bound = ask("pruned:n=256", traffic[t], spec, BOUGH_METRIC_SLOWDOWN_BOUND);
            if (slowdown > bound) fail_msg("%s %s: %g > %g", traffic[t], guest[g], slowdown, bound);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused), cmocka_unit_test(made_of_two_runs),
                                       cmocka_unit_test(the_bound_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
