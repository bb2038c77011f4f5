/* Slow links and hosts, and jitter: wrong specs, cases by hand, what holds for all schedules. */
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FREE     ",o=0ns,g=0ns,S=0"

/* A network with faults, under dmodk, and a traffic. */
typedef struct scene {
    bough_net *whole, *net;
    bough_routing *routing;
    bough_traffic *traffic;
} scene;

static scene scene_make(const char *network, const char *faults, const char *traffic) {
    scene s = {.whole = net_make(network)};
    bough_error error = {0};
    if (bough_net_with_faults(s.whole, faults, &s.net, &error)) fail_msg("%s: %s", faults, error.reason);
    s.routing = routing_make(s.net, "dmodk");
    if (bough_traffic_create(s.net, traffic, &s.traffic, &error)) fail_msg("%s: %s", traffic, error.reason);
    return s;
}

static void scene_free(scene *s) {
    bough_traffic_destroy(s->traffic);
    bough_routing_destroy(s->routing);
    bough_net_destroy(s->net);
    bough_net_destroy(s->whole);
}

static bough_rows ask(const scene *s, const char *method) {
    const bough_point point = {s->net, s->routing, s->traffic};
    return rows_of(&point, method);
}

static double value_of(const scene *s, const char *method, bough_metric_id metric) {
    bough_rows rows = ask(s, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    return value;
}

static double time_under(const char *network, const char *faults, const char *traffic, const char *method) {
    scene s = scene_make(network, faults, traffic);
    bool bound = strcmp(method, "linkload") == 0;
    double time = value_of(&s, method, bound ? BOUGH_METRIC_BOUND_TIME : BOUGH_METRIC_COMPLETION_TIME);
    scene_free(&s);
    return time;
}

/* ---- wrong ones ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"slow", "expected one of name= and what="},
        {"slow:hosts,name=h1,rate=50%", "expected one of name= and what="},
        {"slow:hosts,count=1", "how slow is missing"},
        {"slow:cables,count=1,compute=2", "compute= applies to hosts"},
        {"slow:name=s1.1,compute=2", "none of these parts is one"},
        {"slow:name=h0,count=1,rate=10%", "draw parts, and name= names them"},
        {"slow:hosts,count=17,rate=50%", "has 16 hosts"},
        {"slow:hosts,rate=50%", "neither a share nor a count"},
        {"slow:hosts,count=1,rate=0%", "rate=0% is out of range"},
        {"slow:hosts,count=1,rate=150%", "is not between 0 and 1"},
        {"slow:hosts,count=1,compute=0.5", "compute=0.5 is out of range"},
        {"slow:hosts,count=1,level=1,rate=50%", "level= applies to links, cables and switches"},
        {"slow:name=h77,rate=50%", "nothing named 'h77'"},
        {"slow:knots,count=1,rate=50%", "what=knots is unknown"},
        {"slow:cables,count=1,rate=50%,mode=blind", "no parameter 'mode'"},
    };
    bough_net *net = net_make("xgft:down=4x4,up=1x4");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        bough_net *made;
        bough_error error = {0};
        assert_int_equal(bough_net_with_faults(net, wrong[i][0], &made, &error), BOUGH_INVALID);
        assert_null(made);
        if (!strstr(error.reason, wrong[i][1]))
            fail_msg("%s: expected '%s' in: %s", wrong[i][0], wrong[i][1], error.reason);
    }
    bough_net_destroy(net);
}

static void wrong_jitter_is_refused(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"normal:5%", "no distribution 'normal'"},
        {"lognormal", "needs share="},
        {"lognormal:-1", "not between"},
        {"spike:share=1%", "needs time="},
        {"spike:share=1%,time=5", "unit"},
        {"exponential:5%,time=1us", "no parameter 'time'"},
        {"lognormel:5%", "did you mean 'lognormal'"},
    };
    bough_jitter jitter;
    bough_error error;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(bough_jitter_read(wrong[i][0], &jitter, &error), BOUGH_INVALID);
        if (!strstr(error.reason, wrong[i][1]))
            fail_msg("%s: expected '%s' in: %s", wrong[i][0], wrong[i][1], error.reason);
    }
    char text[80];
    assert_int_equal(bough_jitter_read("spike:share=1%,time=1ms", &jitter, &error), BOUGH_OK);
    assert_string_equal(bough_jitter_text(&jitter, text, sizeof text), "spike:share=1%,time=1ms");
}

/* ---- which parts ---- */

static const bough_fault_report *report_of(const bough_net *base, const char *faults, bough_net **net) {
    bough_error error = {0};
    if (bough_net_with_faults(base, faults, net, &error)) fail_msg("%s: %s", faults, error.reason);
    return (*net)->faults;
}

static void parts_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *faults;
        uint64_t links, cables, hosts, dead;
    } want[] = {
        {"slow:name=h3,rate=50%", 2, 1, 0, 0},
        {"slow:name=h3,rate=50%,compute=2", 2, 1, 1, 0},
        {"slow:name=h3,compute=2", 0, 0, 1, 0},
        {"slow:name=\"h[0-3]\",rate=50%", 8, 4, 0, 0},
        {"slow:name=s1.0,rate=50%", 16, 8, 0, 0}, /* four hosts, four spines */
        {"slow:name=s1.0/5,rate=50%", 2, 1, 0, 0},
        {"slow:links,count=3,rate=50%", 3, 3, 0, 0},
        {"slow:cables,count=3,rate=50%", 6, 3, 0, 0},
        {"slow:hosts,share=100%,rate=50%", 32, 16, 0, 0},
        {"slow:switches,level=2,count=1,rate=50%", 8, 4, 0, 0},
        {"slow:cables,level=0,share=100%,rate=50%", 32, 16, 0, 0},
        {"slow:hosts,share=0%,rate=50%", 0, 0, 0, 0},
        {"slow:name=h3,rate=100%", 0, 0, 0, 0},
        {"name:name=s1.0/5+slow:name=s1.0,rate=50%", 14, 7, 0, 2}, /* the dead cable is not slow */
    };
    bough_net *base = net_make("xgft:down=4x4,up=1x4");
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_net *net;
        const bough_fault_report *r = report_of(base, want[i].faults, &net);
        if (r->slow_links != want[i].links || r->slow_cables != want[i].cables ||
            r->slow_hosts != want[i].hosts || r->links != want[i].dead)
            fail_msg("%s: %" PRIu64 " links, %" PRIu64 " cables, %" PRIu64 " hosts, %" PRIu64 " dead",
                     want[i].faults, r->slow_links, r->slow_cables, r->slow_hosts, r->links);
        bough_net_destroy(net);
    }
    bough_net_destroy(base);
}

/* Of several on one part the slowest counts, in any order; a larger share has the links of a smaller one. */
static void the_slowest_counts(void **state) {
    (void)state;
    bough_net *base = net_make("xgft:down=4x4,up=1x4"), *a, *b, *few, *many;
    report_of(base, "slow:name=h3,rate=50%,compute=2+slow:name=h3,rate=25%,compute=1.5", &a);
    report_of(base, "slow:name=h3,rate=25%,compute=1.5+slow:name=h3,rate=50%,compute=2", &b);
    uint64_t link = bough_injection_link(base, 3);
    assert_int_equal(bough_net_link_rate(a, link), UINT64_C(25000000000));
    assert_int_equal(bough_net_link_rate(b, link), UINT64_C(25000000000));
    assert_int_equal(bough_net_compute_time(a, 3, 100), 200);
    assert_int_equal(bough_net_compute_time(b, 3, 100), 200);
    assert_int_equal(bough_net_compute_time(b, 2, 100), 100);
    report_of(base, "slow:cables,share=20%,rate=50%", &few);
    report_of(base, "slow:cables,share=60%,rate=50%", &many);
    for (uint64_t l = 0; l < base->links; l++)
        assert_true(bough_net_link_rate(many, l) <= bough_net_link_rate(few, l));
    bough_net_destroy(few);
    bough_net_destroy(many);
    bough_net_destroy(a);
    bough_net_destroy(b);
    bough_net_destroy(base);
}

/* ---- by hand ---- */

/* n hosts on a switch; the vector of m bytes takes m / n a step. The host with a quarter of the rate sends
 * and receives a part in 4 m / (n r); all others wait for it in every step. */
static void a_ring_has_the_pace_of_its_slow_host(void **state) {
    (void)state;
    const double part = 1e6 / 4 * 8 / 100e9, delay = 2 * 100e-9;
    const char *traffic =
        "allreduce:ring,size=1MB,o=0ns,g=0ns,S=1"; /* a part leaves after the one before it */
    assert_near(time_under("xgft:down=4,up=1", "none", traffic, "flow"), 6 * (part + delay), 1e-11);
    assert_near(time_under("xgft:down=4,up=1", "slow:name=h1,rate=25%", traffic, "flow"),
                6 * (4 * part + delay), 1e-11);
    /* the cable in the middle of the ring: the same pace, as every part crosses it once */
    double cable = time_under("xgft:down=2x2,up=1x1", "slow:name=s1.0/3,rate=25%", traffic, "flow");
    assert_true(cable > 6 * 4 * part && cable < 6 * (4 * part + 3 * delay));
    assert_near(time_under("xgft:down=4,up=1", "slow:name=h1,rate=25%", traffic, "linkload"), 6 * 4 * part,
                1e-11);
    /* rate= of a method is that of all links, and a slow one has a fraction of it */
    assert_near(time_under("xgft:down=4,up=1", "slow:name=h1,rate=25%", traffic, "flow:rate=50Gb/s"),
                6 * (8 * part + delay), 1e-11);
}

static const char calc_and_send[] =
    "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 1000b to 1\nl2 requires l1\n}\n"
    "rank 1 {\nl1: recv 1000b from 0\nl2: calc 500\nl2 requires l1\n}\n";

static void a_slow_host_computes_longer(void **state) {
    (void)state;
    static const struct {
        const char *faults;
        double more;
    } want[] = {{"slow:name=h0,compute=1.3", 300e-9},
                {"slow:name=h1,compute=3", 1000e-9},
                {"slow:name=h2,compute=3", 0},
                {"slow:hosts,share=100%,compute=2", 1500e-9}};
    static const char *const methods[] = {"flow", "loggops", "packet", "worm"};
    char traffic[300];
    snprintf(traffic, sizeof traffic, "goal:file=\"%s\"" FREE, temporary_file("slow.goal", calc_and_send, 0));
    for (size_t i = 0; i < COUNT(want); i++)
        for (size_t k = 0; k < COUNT(methods); k++) {
            double base = time_under("xgft:down=4,up=1", "none", traffic, methods[k]);
            assert_near(time_under("xgft:down=4,up=1", want[i].faults, traffic, methods[k]),
                        base + want[i].more, 2e-12);
        }
    snprintf(traffic, sizeof traffic, "goal:file=\"%s\",L=1us,G=1ns" FREE,
             temporary_file("slow.goal", calc_and_send, 0));
    assert_near(time_under("xgft:down=4,up=1", "slow:name=h0,compute=1.3", traffic, "loggops"),
                1.3e-6 + 1e-6 + 999e-9 + 500e-9, 1e-12);
    scene s = scene_make("xgft:down=4,up=1", "slow:name=h0,compute=1.3", traffic);
    assert_near(value_of(&s, "linkload", BOUGH_METRIC_BOUND_CHAIN), 1.3e-6, 1e-15);
    assert_near(value_of(&s, "linkload", BOUGH_METRIC_BOUND_CPU), 1.3e-6, 1e-15);
    scene_free(&s);
}

/* The start of a job is a time of the clock, not work. */
static void a_job_starts_in_time_on_a_slow_host(void **state) {
    (void)state;
    char traffic[300];
    snprintf(traffic, sizeof traffic, "jobs:file=\"%s\"" FREE,
             temporary_file("slow.jobs", "traffic,hosts,start\n\"allreduce:ring,size=1MB\",4,1ms\n", 0));
    double base = time_under("xgft:down=4,up=1", "none", traffic, "flow");
    assert_true(base > 1e-3);
    assert_true(time_under("xgft:down=4,up=1", "slow:name=h0,compute=3", traffic, "flow") == base);
}

/* ---- what holds for all ---- */

static const char *const schedules[] = {
    "allreduce:ring,size=100kB",    "allreduce:doubling,size=100kB",
    "alltoall:pairwise,size=20000", "halo:dims=4x4,size=50kB,compute=10us,rounds=2",
    "reduce:binomial,size=100kB",
};
static const char *const all_methods[] = {"flow", "loggops", "packet", "worm", "linkload"};

static void full_speed_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(schedules); i++)
        for (size_t k = 0; k < COUNT(all_methods); k++) {
            scene one = scene_make("xgft:down=4x4,up=1x2", "none", schedules[i]);
            scene two =
                scene_make("xgft:down=4x4,up=1x2", "slow:hosts,share=100%,rate=100%,compute=1", schedules[i]);
            bough_rows a = ask(&one, all_methods[k]), b = ask(&two, all_methods[k]);
            assert_int_equal(a.count, b.count);
            for (size_t r = 0; r < a.count; r++) {
                assert_int_equal(a.row[r].metric, b.row[r].metric);
                assert_memory_equal(&a.row[r].value, &b.row[r].value, sizeof(double));
            }
            bough_rows_fini(&a);
            bough_rows_fini(&b);
            scene_free(&one);
            scene_free(&two);
        }
}

/* loggops has no links within the network, so only those of hosts slow it down. */
static void slower_is_never_faster(void **state) {
    (void)state;
    static const char *const rates[] = {"100", "75", "50", "10", "1"};
    static const char *const what[] = {"slow:hosts,count=2,rate=", "slow:cables,count=3,rate=",
                                       "slow:switches,level=2,count=1,rate=", "slow:links,share=30%,rate="};
    for (size_t i = 0; i < COUNT(schedules); i++)
        for (size_t w = 0; w < COUNT(what); w++) {
            double before = 0;
            for (size_t r = 0; r < COUNT(rates); r++) {
                char faults[100];
                snprintf(faults, sizeof faults, "%s%s%%", what[w], rates[r]);
                double bound = time_under("xgft:down=4x4,up=1x2", faults, schedules[i], "linkload");
                assert_true(bound >= before);
                before = bound;
                double flow = time_under("xgft:down=4x4,up=1x2", faults, schedules[i], "flow");
                double packet = time_under("xgft:down=4x4,up=1x2", faults, schedules[i], "packet");
                double worm = time_under("xgft:down=4x4,up=1x2", faults, schedules[i], "worm");
                if (flow < bound * (1 - 1e-9) || packet < bound * (1 - 1e-9) || worm < bound * (1 - 1e-9))
                    fail_msg("%s, %s: flow %g, packet %g, worm %g, bound %g", schedules[i], faults, flow,
                             packet, worm, bound);
            }
        }
}

/* ---- jitter ---- */

static bough_stats draws_of(const char *jitter, uint64_t trials, double *least) {
    char traffic[400];
    snprintf(traffic, sizeof traffic, "goal:file=\"%s\"" FREE ",jitter=\"%s\"",
             temporary_file("calc.goal", "num_ranks 1\nrank 0 {\nl1: calc 1000000\n}\n", 0), jitter);
    bough_point point = point_make("xgft:down=4,up=1", "dmodk", traffic);
    bough_run *run = run_make(&point, "loggops");
    assert_false(bough_run_exact(run));
    *least = INFINITY;
    bough_stats stats = run_trials(run, 1, trials, BOUGH_METRIC_COMPLETION_TIME);
    for (uint64_t t = 0; t < 200; t++) {
        bough_rows rows = run_once(run, t);
        *least = fmin(*least, row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX));
        bough_rows_fini(&rows);
    }
    bough_run_destroy(run);
    point_free(&point);
    return stats;
}

/* Means and standard deviations of 1 ms; the tolerance is five standard errors, with seed 1. */
static void jitter_has_its_mean_and_spread(void **state) {
    (void)state;
    enum { TRIALS = 4000 };
    static const struct {
        const char *jitter;
        double mean, spread, least;
    } want[] = {
        {"lognormal:20%", 1e-3, 0.2e-3, 0},
        {"exponential:10%", 1.1e-3, 0.1e-3, 1e-3},
        {"spike:share=10%,time=1ms", 1.1e-3, 0.3e-3, 1e-3}, /* sqrt(0.1 0.9) */
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        double least, error = want[i].spread / sqrt(TRIALS);
        bough_stats s = draws_of(want[i].jitter, TRIALS, &least);
        assert_near(s.mean, want[i].mean, 5 * error);
        assert_close(sqrt(bough_stats_variance(&s)), want[i].spread, 0.15);
        assert_true(least >= want[i].least);
    }
}

/* All methods draw the same times; no engine is faster than the bound of the same trial. */
static void methods_see_the_same_jitter(void **state) {
    (void)state;
    static const char traffic[] = "halo:dims=4x4,size=1,compute=1ms,rounds=3,jitter=lognormal:30%" FREE;
    bough_point point = point_make("xgft:down=4x4,up=1x4", "dmodk", traffic);
    bough_run *flow = run_make(&point, "flow"), *loggops = run_make(&point, "loggops"),
              *bound = run_make(&point, "linkload");
    double before = 0;
    for (uint64_t t = 0; t < 20; t++) {
        bough_rows a = run_once(flow, t), b = run_once(loggops, t), c = run_once(bound, t);
        double x = row_value(&a, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX),
               y = row_value(&b, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX),
               least = row_value(&c, BOUGH_METRIC_BOUND_CPU, BOUGH_NO_ROW_INDEX);
        assert_close(x, y, 1e-3);
        assert_true(x >= least && x != before);
        before = x;
        bough_rows_fini(&a);
        bough_rows_fini(&b);
        bough_rows_fini(&c);
    }
    bough_run_destroy(flow);
    bough_run_destroy(loggops);
    bough_run_destroy(bound);
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(wrong_jitter_is_refused),
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(the_slowest_counts),
        cmocka_unit_test(a_ring_has_the_pace_of_its_slow_host),
        cmocka_unit_test(a_slow_host_computes_longer),
        cmocka_unit_test(a_job_starts_in_time_on_a_slow_host),
        cmocka_unit_test(full_speed_changes_nothing),
        cmocka_unit_test(slower_is_never_faster),
        cmocka_unit_test(jitter_has_its_mean_and_spread),
        cmocka_unit_test(methods_see_the_same_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
