/* One router in place of another: what is refused, that its figures are those of the two runs it is made of,
 * and universality (bay1991, Proposition 1), which real hosts pass and a broken one fails. */
#include "network/layout/layout.h"
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
    bough_point p = point_make("pruned:n=256", "free", "bitcomp");
    run_refused(&p, "simulate", BOUGH_INVALID, "no guest");
    run_refused(&p, "simulate:guest=\"fattree:n=256\",tau=-1", BOUGH_INVALID, "tau");
    run_refused(&p, "simulate:guest=fattree", BOUGH_INVALID, "n");
    run_refused(&p, "simulate:guest=\"fattree:n=128\"", BOUGH_INVALID, "128 endpoints");
    run_refused(&p, "simulate:guest=\"cube:n=256\"", BOUGH_UNSUPPORTED, "cube");
    run_refused(&p, "simulate:guest=\"fattree:n=256\",by=sidetrack", BOUGH_UNSUPPORTED, "pruned butterfly");
    run_refused(&p, "simulate:guest=\"fattree:n=256\",host=sidetrak", BOUGH_INVALID, "sidetrack");
    trial_refused(&p, "simulate:guest=\"fattree:n=256\",by=linkload", BOUGH_INVALID,
                  "does not report bit_steps");
    point_free(&p);
}

static double ask(const char *network, const char *traffic, const char *method, bough_metric_id metric) {
    bough_point p = point_make(network, "free", traffic);
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
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_TAU_HERE), here / (8 * eta), 1e-12);
        double tau = ask(host, traffic[t], spec, BOUGH_METRIC_TAU);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_TAU_SHARE), here / (8 * eta) / tau, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_SLOWDOWN_BOUND), sqrt(area / 256) * tau, 1e-12);
        assert_close(ask(host, traffic[t], spec, BOUGH_METRIC_GUEST_CROSSING),
                     8 * eta / (sqrt(area / 256) * there), 1e-12);
    }
}

/* tau is what the search for the hardest set finds, and tau= replaces it. */
static void tau_of_the_search(void **state) {
    (void)state;
    double found = ask("pruned:n=64", "bitrev", "hardest:method=sidetrack,metric=bit_steps,per=eta,sets=300",
                       BOUGH_METRIC_HARDEST);
    assert_close(ask("pruned:n=64", "edges:of=cube:n=64", "simulate", BOUGH_METRIC_TAU), found / 6, 1e-12);
    assert_close(ask("pruned:n=64", "edges:of=cube:n=64", "simulate:tau=7.5", BOUGH_METRIC_TAU), 7.5, 1e-12);
}

static const char *const graph[] = {"cube:n=256", "meshoftrees:n=64", "expander:side=16",
                                    "\"xgft:down=4x4x4,up=1x2x2\"", "fattree:n=64"};

/* Every host keeps its promise on the graphs, and the slowdown is the product of the two inequalities. The
 * graphs have degree 8 at most, and a vertex of degree d alone crosses its own border 2 d times. */
static void hosts_are_universal(void **state) {
    (void)state;
    static const char *const host[][2] = {{"pruned:n=256", "simulate"},
                                          {"pruned:n=256", "simulate:host=offline"},
                                          {"pruned:n=256", "simulate:host=online,sets=60"},
                                          {"bft:n=256", "simulate"},
                                          {"fattree:n=256", "simulate"}};
    for (unsigned h = 0; h < 5; h++)
        for (unsigned g = 0; g < 5; g++) {
            char traffic[80];
            snprintf(traffic, sizeof traffic, "edges:of=%s", graph[g]);
            bough_point p = point_make(host[h][0], "free", traffic);
            bough_rows rows = rows_of(&p, host[h][1]);
            double share = row_value(&rows, BOUGH_METRIC_TAU_SHARE, BOUGH_NO_ROW_INDEX);
            double crossing = row_value(&rows, BOUGH_METRIC_GUEST_CROSSING, BOUGH_NO_ROW_INDEX);
            double slowdown = row_value(&rows, BOUGH_METRIC_SLOWDOWN, BOUGH_NO_ROW_INDEX);
            double bound = row_value(&rows, BOUGH_METRIC_SLOWDOWN_BOUND, BOUGH_NO_ROW_INDEX);
            if (share > 1 || crossing > 16)
                fail_msg("%s %s %s: %g of tau, crossing %g", host[h][0], host[h][1], traffic, share,
                         crossing);
            assert_close(slowdown, bound * share * crossing, 1e-9);
            bough_rows_fini(&rows);
            point_free(&p);
        }
}

/* A guest that is laid out: b eta is at most 3 sqrt 2 sqrt(A / N) of its bit steps. */
static void guests_with_a_layout(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitcomp",   "bitrev",       "transpose",     "randperm",
                                          "shift:k=1", "motexp:eta=2", "motexp:eta=16", "hrelation:h=8"};
    static const char *const guest[] = {"fattree:n=256", "bft:n=256", "pruned:n=256"};
    for (unsigned t = 0; t < 8; t++)
        for (unsigned g = 0; g < 3; g++) {
            char spec[80];
            snprintf(spec, sizeof spec, "simulate:guest=\"%s\"", guest[g]);
            assert_true(ask("pruned:n=256", traffic[t], spec, BOUGH_METRIC_TAU_SHARE) <= 1);
            assert_true(ask("pruned:n=256", traffic[t], spec, BOUGH_METRIC_GUEST_CROSSING) <= 3 * sqrt(2));
        }
}

/* A host that is no fat-tree: every channel has one wire. It breaks what the pruned butterfly promises, and
 * says so; and what it can promise itself grows as sqrt n, where that of the others grows as lg n at most. */
static void a_broken_host(void **state) {
    (void)state;
    const char *thin = "xgft:down=2x2x2x2x2x2x2x2,up=1x1x1x1x1x1x1x1",
               *small = "xgft:down=2x2x2x2,up=1x1x1x1";
    double tau = ask("pruned:n=256", "edges:of=cube:n=256", "simulate:host=offline", BOUGH_METRIC_TAU);
    char spec[80];
    snprintf(spec, sizeof spec, "simulate:host=offline,tau=%.17g", tau);
    bough_point p = point_make(thin, "free", "edges:of=cube:n=256");
    bough_rows rows = rows_of(&p, spec);
    assert_true(row_value(&rows, BOUGH_METRIC_TAU_SHARE, BOUGH_NO_ROW_INDEX) > 1);
    assert_non_null(strstr(rows.note, "not universal here"));
    bough_rows_fini(&rows);
    point_free(&p);

    double broken = ask(thin, "edges:of=cube:n=16", "simulate:host=offline", BOUGH_METRIC_TAU) /
                    ask(small, "edges:of=cube:n=16", "simulate:host=offline", BOUGH_METRIC_TAU);
    double real = tau / ask("pruned:n=16", "edges:of=cube:n=16", "simulate:host=offline", BOUGH_METRIC_TAU);
    if (broken < 3) fail_msg("tau grows by %g only where every channel has one wire", broken);
    if (real > 2.2) fail_msg("tau grows by %g on the pruned butterfly", real);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(made_of_two_runs),
        cmocka_unit_test(tau_of_the_search),    cmocka_unit_test(hosts_are_universal),
        cmocka_unit_test(guests_with_a_layout), cmocka_unit_test(a_broken_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
