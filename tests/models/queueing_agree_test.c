/* queueing in agreement: greenberg1997's closed form of the butterfly fat-tree (Eqs. 12 to 26), which the
 * general solver must equal; classes of links and link by link; simulations. */
#include "support/closed_form.h"
#include "support/law.h"
#include "support/points.h"
#include "support/worm_stepper.h"

#include "models/queueing/queueing.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

/* ---- the closed form ---- */

static const char *bft(unsigned n) {
    static char spec[64];
    snprintf(spec, sizeof spec, "bft:n=4^%u", n);
    return spec;
}

static void the_closed_form_of_the_paper(void **state) {
    (void)state;
    static const char *const methods[] = {"queueing:levels=1", "queueing:levels=1,engine=generic"};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (unsigned n = 1; n <= (m ? 4 : 12); n++)
            for (unsigned flits = 8; flits <= 64; flits *= 8)
                for (double load = 0.01; load < 1; load += 0.32) {
                    double rate = load * closed_form_saturation(n, flits);
                    closed_form f = closed_form_solve(n, flits, rate);
                    bough_point point = law_point(bft(n), "free", rate, flits, "uniform");
                    bough_rows rows = rows_of(&point, methods[m]);
                    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), f.latency, 1e-12);
                    assert_close(row_value(&rows, BOUGH_METRIC_DISTANCE, NO_INDEX), f.distance, 1e-12);
                    assert_close(row_value(&rows, BOUGH_METRIC_SOURCE_WAIT, NO_INDEX), f.wait_up[0], 1e-11);
                    for (unsigned l = 0; l < n; l++) {
                        assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_UP, l), f.up[l], 1e-12);
                        assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_DOWN, l), f.down[l], 1e-12);
                        assert_close(row_value(&rows, BOUGH_METRIC_LINK_USE_UP, l), f.rate[l] * f.up[l],
                                     1e-12);
                    }
                    bough_rows_fini(&rows);
                    point_free(&point);
                }
}

/* Eqs. 21 and 23 as they are printed, without the "2" that the margin inserts. */
static void the_printed_equations(void **state) {
    (void)state;
    static const char *const methods[] = {"queueing:levels=1,rates=printed",
                                          "queueing:levels=1,rates=printed,engine=generic"};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (unsigned n = 2; n <= (m ? 4 : 8); n++)
            for (double load = 0.2; load < 1; load += 0.3) {
                double rate = load * closed_form_saturation(n, 32);
                closed_form f = closed_form_printed(n, 32, rate);
                bough_point point = law_point(bft(n), "free", rate, 32, "uniform");
                bough_rows rows = rows_of(&point, methods[m]);
                assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), f.latency, 1e-12);
                assert_true(f.latency < closed_form_solve(n, 32, rate).latency * (1 - 1e-4));
                for (unsigned l = 0; l < n; l++)
                    assert_close(row_value(&rows, BOUGH_METRIC_SERVICE_UP, l), f.up[l], 1e-12);
                bough_rows_fini(&rows);
                run_refused(&point, "queueing:variant=finite,rates=printed", BOUGH_INVALID,
                            "applies to variant=");
                point_free(&point);
            }
}

/* The corrected equations in an independent program: the paper states no numbers. */
static void figures_of_the_corrected_equations(void **state) {
    (void)state;
    static const struct {
        unsigned n, flits;
        double load, latency, distance;
    } known[] = {
        {3, 16, 0.5, 24.873, 5.428571},
        {3, 32, 0.8, 62.798, 5.428571},
        {5, 32, 0.5, 47.846, 9.343109},
        {5, 32, 0.9, 77.021, 9.343109},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        double most = law_answer(bft(known[i].n), 0, known[i].flits, "queueing:find=saturation",
                                 BOUGH_METRIC_SATURATION_MESSAGES);
        double rate = known[i].load * most;
        assert_close(most, closed_form_saturation(known[i].n, known[i].flits), 1e-12);
        assert_near(law_answer(bft(known[i].n), rate, known[i].flits, "queueing", BOUGH_METRIC_LATENCY),
                    known[i].latency, 5e-4);
        assert_near(law_answer(bft(known[i].n), rate, known[i].flits, "queueing", BOUGH_METRIC_DISTANCE),
                    known[i].distance, 5e-7);
    }
    assert_near(law_answer("bft:n=1024", 0, 32, "queueing:find=saturation", BOUGH_METRIC_SATURATION), 0.03909,
                5e-6);
    assert_near(law_answer("bft:n=256", 0, 1, "queueing", BOUGH_METRIC_DISTANCE), 7.364706, 5e-7);
}

static void latency_less_distance_depends_on_the_flits_offered(void **state) {
    (void)state;
    double least = INFINITY, most = 0;
    for (uint64_t flits = 8; flits <= 4096; flits *= 2) {
        double latency =
            law_answer("bft:n=1024", 0.03 / (double)flits, flits, "queueing", BOUGH_METRIC_LATENCY);
        double norm = (latency - (closed_form_solve(5, 1, 0.1).distance - 1)) / (double)flits;
        least = fmin(least, norm);
        most = fmax(most, norm);
    }
    assert_close(most, least, 1e-12);
}

/* ---- classes and links ---- */

static void same_rows(const bough_rows *a, const bough_rows *b, const char *what) {
    assert_int_equal(a->outcome, b->outcome);
    if (a->count != b->count) fail_msg("%s: %zu rows and %zu", what, a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *x = &a->row[i], *y = &b->row[i];
        if (x->metric != y->metric || x->index != y->index ||
            (!(isnan(x->value) && isnan(y->value)) &&
             !(fabs(x->value - y->value) <= 1e-9 * fabs(x->value) + 1e-12)))
            fail_msg("%s: %s %" PRId64 " = %.12g, %s %" PRId64 " = %.12g", what,
                     bough_metrics[x->metric].name, x->index, x->value, bough_metrics[y->metric].name,
                     y->index, y->value);
    }
}

static void classes_agree_with_link_by_link(void **state) {
    (void)state;
    static const char *const nets[] = {"bft:n=4",
                                       "bft:n=64",
                                       "bft:n=256",
                                       "fattree:n=2",
                                       "fattree:n=64",
                                       "kary:k=2,levels=4",
                                       "xgft:down=4x3x2,up=1x2x2,hosts=17",
                                       "kary:k=5,levels=2",
                                       "kary:k=1,levels=1",
                                       "kary:k=7,levels=1",
                                       "xgft:down=4x4,up=1x2,links=1x3",
                                       "xgft:down=2x4x2,up=1x2x3",
                                       "xgft:down=1x4x1,up=1x2x3",
                                       "xgft:down=3x1x4,up=1x2x3",
                                       "clos:radix=8,hosts=64,taper=3",
                                       "xgft:down=4x4,up=2x3,links=2x1"};
    static const char *const methods[] = {"find=latency",
                                          "variant=uncorrected",
                                          "variant=conditional",
                                          "turns=exact",
                                          "variant=conditional,turns=exact",
                                          "find=saturation",
                                          "find=saturation,turns=exact",
                                          "variant=finite"};
    size_t compared = 0;
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t k = 0; k < COUNT(methods); k++)
            for (double rate = 0; rate < 0.02; rate += 0.006) {
                char fast[120], generic[120];
                bough_point point = law_point(nets[n], "free", rate, 16, "uniform");
                if (point.net->endpoints == 1) { /* nobody to send to */
                    point_free(&point);
                    continue;
                }
                snprintf(fast, sizeof fast, "queueing:levels=1,%s", methods[k]);
                snprintf(generic, sizeof generic, "%s,engine=generic", fast);
                bough_rows a = rows_of(&point, fast), b = rows_of(&point, generic);
                same_rows(&a, &b, nets[n]);
                compared++;
                bough_rows_fini(&a);
                bough_rows_fini(&b);
                point_free(&point);
            }
    assert_true(compared > 400);
}

static void a_million_endpoints_take_no_time(void **state) {
    (void)state;
    bough_point point = law_point("bft:n=4^10", "free", 1e-5, 32, "uniform");
    bough_run *run = run_make(&point, "queueing");
    assert_true(queueing_alike_usable(&point));
    assert_true(run->bytes < 1 << 20);
    bough_run_destroy(run);
    bough_rows rows = rows_of(&point, "queueing");
    assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX), closed_form_solve(10, 32, 1e-5).latency,
                 1e-12);
    bough_rows_fini(&rows);
    point_free(&point);
}

/* ---- against simulators ---- */

/* Latencies of an exact simulator (greenberg1997), 95 % intervals below 0.2 %, and its
 * saturation, which is between 0.0437 and 0.0440. */
static void against_the_simulated_figures(void **state) {
    (void)state;
    static const struct {
        unsigned n, flits;
        double load, simulated, published, conditional, finite; /* by how much at most they are off */
    } known[] = {
        {3, 16, 0.5, 24.944, 0.004, 0.015, 0.01},
        {3, 32, 0.8, 60.490, 0.045, 0.02, 0.04},
        {5, 32, 0.5, 47.970, 0.004, 0.015, 0.01},
        {5, 32, 0.9, 67.307, 0.15, 0.03, 0.03},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        double rate = known[i].load * closed_form_saturation(known[i].n, known[i].flits);
        const double within[] = {known[i].published, known[i].conditional, known[i].finite};
        static const char *const variants[] = {"published", "conditional", "finite"};
        for (size_t v = 0; v < COUNT(variants); v++) {
            char method[80];
            snprintf(method, sizeof method, "queueing:variant=%s", variants[v]);
            assert_close(law_answer(bft(known[i].n), rate, known[i].flits, method, BOUGH_METRIC_LATENCY),
                         known[i].simulated, within[v]);
        }
    }
    double most =
        law_answer("bft:n=1024", 0, 32, "queueing:variant=finite,find=saturation", BOUGH_METRIC_SATURATION);
    assert_close(most, 0.04385, 0.01);
}

static void against_the_worm_stepper(void **state) {
    (void)state;
    static const struct {
        const char *network, *routing, *traffic;
    } known[] = {
        {"bft:n=16", "free", "poisson:load=0.15,flits=16"},
        {"bft:n=64", "free", "poisson:load=0.08,flits=16"},
        {"kary:k=4,levels=2", "free", "poisson:load=0.25,flits=16"},
        {"kary:k=4,levels=2", "dmodk", "poisson:load=0.25,flits=16"},
        {"kary:k=4,levels=2", "random", "poisson:load=0.2,flits=16"},
        {"xgft:down=4x4,up=1x2", "free", "poisson:load=0.15,flits=16"},
        {"fattree:n=32", "free", "poisson:load=0.15,flits=16"},
    };
    static const char *const variants[] = {"published", "conditional", "finite"};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_point point = point_make(known[i].network, known[i].routing, known[i].traffic);
        double simulated = worm_step_latency(&point);
        for (size_t v = 0; v < COUNT(variants); v++) {
            char method[80];
            snprintf(method, sizeof method, "queueing:variant=%s", variants[v]);
            bough_rows rows = rows_of(&point, method);
            double model = row_value(&rows, BOUGH_METRIC_LATENCY, NO_INDEX);
            if (fabs(model / simulated - 1) > 0.025)
                fail_msg("%s %s %s: %s says %g, the stepper %g", known[i].network, known[i].routing,
                         known[i].traffic, variants[v], model, simulated);
            bough_rows_fini(&rows);
        }
        point_free(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_of_the_paper),
        cmocka_unit_test(the_printed_equations),
        cmocka_unit_test(figures_of_the_corrected_equations),
        cmocka_unit_test(latency_less_distance_depends_on_the_flits_offered),
        cmocka_unit_test(against_the_simulated_figures),
        cmocka_unit_test(against_the_worm_stepper),
        cmocka_unit_test(classes_agree_with_link_by_link),
        cmocka_unit_test(a_million_endpoints_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
