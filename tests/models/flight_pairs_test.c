/* dehon1991: one message alone, simulated by circuit, takes the time of flight of its pair, and flight by
 * level is that of its pairs. */
#include "models/geometry/time_of_flight.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- traffic of one message, whose ends the test sets ---- */

static uint32_t sender, receiver;

typedef struct one_source {
    bough_source base;
    bool sent;
} one_source;

static uint64_t one_time(bough_source *s) {
    return ((one_source *)s)->sent ? BOUGH_NONE : 0;
}

static uint32_t one_pop(bough_source *s, uint64_t now, bough_message *out, uint32_t capacity) {
    one_source *one = (one_source *)s;
    (void)now;
    if (one->sent || !capacity) return 0;
    one->sent = true;
    *out = (bough_message){.source = sender, .address = receiver};
    return 1;
}

static void one_close(bough_source *s) {
    free(s);
}

static bough_status one_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                             bough_source **out, bough_error *error) {
    (void)t, (void)key, (void)clock, (void)error;
    one_source *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->base = (bough_source){.next_time = one_time, .pop = one_pop, .close = one_close};
    *out = &s->base;
    return BOUGH_OK;
}

static bough_status one_bind(bough_args *args, const bough_net *net, bough_traffic *traffic,
                             bough_error *error) {
    (void)args, (void)net, (void)error;
    traffic->messages = 1;
    traffic->distinct = true;
    return BOUGH_OK;
}

static const bough_param no_params[] = {BOUGH_PARAMS_END};
static const bough_traffic_kind one_kind = {.name = "one",
                                            .params = no_params,
                                            .shape = BOUGH_BATCH,
                                            .random = true,
                                            .bind = one_bind,
                                            .open = one_open};

/* ---- agreement ---- */

typedef struct world {
    bough_point point;
    bough_traffic *traffic;
    bough_run *run;
    flight f;
    void *workspace;
    bough_rows rows;
} world;

static void world_open(world *w, const char *net, const char *method, const char *clock) {
    bough_spec spec;
    *w = (world){.point = point_make(net, "free", NULL)};
    assert_int_equal(bough_spec_parse("one", &spec, NULL), BOUGH_OK);
    assert_int_equal(bough_traffic_make(w->point.net, &one_kind, &spec, &w->traffic, NULL), BOUGH_OK);
    bough_spec_fini(&spec);
    bough_point p = {w->point.net, w->point.routing, w->traffic};
    w->run = run_make(&p, method);
    link_clock_rules rules = {LINK_WIRES_LONGEST, 10000, 1250, 1};
    if (strstr(clock, "layout")) rules.wires = LINK_WIRES_LAYOUT;
    if (strstr(clock, "cube") == clock) rules.wires = LINK_WIRES_CUBE;
    if (strstr(clock, "plane")) rules.arrange = BOUGH_ARRANGE_PLANE;
    if (strstr(clock, "solid")) rules.arrange = BOUGH_ARRANGE_SOLID;
    if (strstr(clock, "cubes")) rules.arrange = BOUGH_ARRANGE_CUBES;
    if (strstr(clock, "room")) rules.room = 9;
    assert_int_equal(flight_make(w->point.net, &rules, &w->f, NULL), BOUGH_OK);
}

static void world_close(world *w) {
    bough_rows_fini(&w->rows);
    bough_run_free_workspace(w->run, w->workspace);
    bough_run_destroy(w->run);
    flight_fini(&w->f);
    bough_traffic_destroy(w->traffic);
    point_free(&w->point);
}

/* Cycles of the message, and of the acknowledgement when it is back. */
static double alone(world *w, uint64_t from, uint64_t to, uint64_t trial, double *all) {
    sender = (uint32_t)from;
    receiver = (uint32_t)to;
    assert_int_equal(bough_run_trial(w->run, bough_key_make(1, trial), &w->workspace, &w->rows, NULL),
                     BOUGH_OK);
    double arrival = row_value(&w->rows, BOUGH_METRIC_ARRIVAL, BOUGH_NO_ROW_INDEX);
    *all = row_value(&w->rows, BOUGH_METRIC_CYCLES, BOUGH_NO_ROW_INDEX);
    assert_same(row_value(&w->rows, BOUGH_METRIC_ARRIVAL_NS, BOUGH_NO_ROW_INDEX), 10 * arrival);
    assert_same(row_value(&w->rows, BOUGH_METRIC_ARRIVAL_MEAN_NS, BOUGH_NO_ROW_INDEX), 10 * arrival);
    return arrival;
}

/* All destinations of six endpoints. With wires that are all the longest, the flight is the same on
 * every route; the acknowledgement takes as long again. */
static void all_pairs(void **state) {
    (void)state;
    static const char *const net[] = {"transit:leaf=12", "transit:n=64", "transit:flat=1024",
                                      "transit:flat=768"};
    static const char *const clock[] = {"longest",
                                        "layout",
                                        "cube",
                                        "longest,arrange=plane",
                                        "layout,arrange=plane,room=9",
                                        "layout,arrange=solid",
                                        "longest,arrange=cubes,room=9"};
    for (size_t i = 0; i < COUNT(net); i++)
        for (size_t k = 0; k < COUNT(clock); k++) {
            char method[96];
            world w;
            snprintf(method, sizeof method, "circuit:mode=cycles,clock=%s", clock[k]);
            world_open(&w, net[i], method, clock[k]);
            uint64_t n = w.point.net->endpoints;
            for (uint64_t from = 0; from<n; from += n> 64 ? n / 16 + 3 : 1)
                for (uint64_t to = 0; to < n; to++) {
                    flight_clocks c;
                    double all, arrival;
                    if (from == to) continue;
                    assert_int_equal(flight_measure(&w.f, from, to, &c, NULL), BOUGH_OK);
                    arrival = alone(&w, from, to, from + to, &all);
                    if (!strstr(clock[k], "layout")) assert_int_equal(c.longest, c.shortest);
                    if (arrival < (double)c.shortest || arrival > (double)c.longest)
                        fail_msg("%s, %s, %d to %d: %g, not %d to %d", net[i], clock[k], (int)from, (int)to,
                                 arrival, (int)c.shortest, (int)c.longest);
                    assert_same(all, 2 * arrival);
                }
            world_close(&w);
        }
}

/* Where wires differ, trials take the routes with the probabilities of the mean, up to the longest and down
 * to the shortest. 4 standard deviations. */
static void routes_of_a_pair(void **state) {
    (void)state;
    enum { TRIALS = 3000 };
    static const uint64_t pair[][2] = {{0, 4095}, {17, 3000}, {4000, 65}};
    world w;
    world_open(&w, "transit:n=4096", "circuit:mode=cycles,clock=layout,foot=20ns,period=10ns", "layout");
    w.f.clocks.rules.foot_ps = 20000;
    for (size_t i = 0; i < COUNT(pair); i++) {
        bough_stats s = {0};
        double low = INFINITY, high = 0, all;
        flight_clocks c;
        assert_int_equal(flight_measure(&w.f, pair[i][0], pair[i][1], &c, NULL), BOUGH_OK);
        for (uint64_t k = 0; k < TRIALS; k++) {
            double t = alone(&w, pair[i][0], pair[i][1], k, &all);
            bough_stats_add(&s, t);
            low = fmin(low, t);
            high = fmax(high, t);
        }
        assert_true(c.shortest < c.longest);
        assert_near(low, (double)c.shortest, 0);
        assert_near(high, (double)c.longest, 0);
        assert_near(s.mean, c.mean, 4 * bough_stats_ci95(&s) / 1.96);
    }
    world_close(&w);
}

/* Table 3, from the simulation of one message alone on the worst and on the best path: the longest wire for
 * all, 10 ns a router, one more clock for the turn. */
static void table_3(void **state) {
    (void)state;
    static const struct {
        const char *net;
        uint32_t worst, best;
    } cases[] = {{"transit:n=262144", 23, 3}, {"transit:leaf=192,stages=2", 32, 4}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        world w;
        double all;
        world_open(&w, cases[i].net, "circuit:mode=cycles,clock=longest", "longest");
        assert_same(alone(&w, 0, w.point.net->endpoints - 1, 0, &all), cases[i].worst);
        assert_same(alone(&w, 0, 1, 0, &all), cases[i].best);
        world_close(&w);
    }
}

/* The method, over all pairs of a level, against its pairs one by one. */
static void levels_are_their_pairs(void **state) {
    (void)state;
    bough_point p = point_make("transit:leaf=12", NULL, NULL);
    bough_rows rows = rows_of(&p, "flight:wires=layout,pairs=1000000");
    const link_clock_rules rules = {LINK_WIRES_LAYOUT, 10000, 1250, 1};
    flight f;
    double sum[5] = {0}, longest[5] = {0}, shortest[5], count[5] = {0};
    assert_int_equal(flight_make(p.net, &rules, &f, NULL), BOUGH_OK);
    for (int l = 0; l < 5; l++) shortest[l] = INFINITY;
    for (uint64_t a = 0; a < p.net->endpoints; a++)
        for (uint64_t b = 0; b < p.net->endpoints; b++) {
            unsigned level = 0;
            flight_clocks c;
            while (p.net->ops->subtree(p.net, level, a) != p.net->ops->subtree(p.net, level, b)) level++;
            if (a == b) continue;
            assert_int_equal(flight_measure(&f, a, b, &c, NULL), BOUGH_OK);
            sum[level] += c.mean;
            count[level]++;
            longest[level] = fmax(longest[level], (double)c.longest);
            shortest[level] = fmin(shortest[level], (double)c.shortest);
        }
    for (int l = 1; l < 5; l++) {
        assert_same(row_value(&rows, BOUGH_METRIC_FLIGHT, l), 10 * sum[l] / count[l]);
        assert_same(row_value(&rows, BOUGH_METRIC_FLIGHT_LONGEST, l), 10 * longest[l]);
        assert_same(row_value(&rows, BOUGH_METRIC_FLIGHT_SHORTEST, l), 10 * shortest[l]);
    }
    bough_rows_fini(&rows);
    flight_fini(&f);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(routes_of_a_pair),
        cmocka_unit_test(table_3),
        cmocka_unit_test(levels_are_their_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
