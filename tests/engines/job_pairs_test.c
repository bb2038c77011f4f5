/* Jobs beside each other, what the time of a job depends on, and jobs on dead parts: by hand. */
#include "method/rows.h"
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FREE ",o=0ns,g=0ns,S=0"

static double at(const bough_rows *rows, bough_metric_id metric, int64_t index) {
    return row_value(rows, metric, index);
}

/* ---- pairs of jobs ---- */

/* One cable up from a leaf of four: a and b share it in both directions, c stays on its leaf. */
static void two_jobs_on_one_link(void **state) {
    (void)state;
    static const char text[] = "name,traffic,hosts,place\na,shift,2,list=0 4\nb,shift,2,list=1 5\n"
                               "c,shift,2,list=8 9\n";
    char traffic[300], name[BOUGH_NOTE_MAX];
    snprintf(traffic, sizeof traffic, "jobs:file=\"%s\"" FREE, temporary_file("pairs.jobs", text, 0));
    bough_point point = point_make("xgft:down=4x4,up=1x1", "dmodk", traffic);
    bough_rows rows = rows_of(&point, "flow:interference=1,delay=0ns");
    static const double slowdown[3][3] = {{0, 2, 1}, {2, 0, 1}, {1, 1, 0}},
                        shared[3][3] = {{0, 4, 0}, {4, 0, 0}, {0, 0, 0}};
    static const double links[] = {8, 8, 4};
    for (int i = 0; i < 3; i++) {
        assert_same(at(&rows, BOUGH_METRIC_JOB_LINKS, i), links[i]);
        assert_same(at(&rows, BOUGH_METRIC_JOB_SLOWDOWN, i), i < 2 ? 2 : 1);
        assert_false(row_given(&rows, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(i, i)));
        for (int j = 0; j < 3; j++) {
            if (i == j) continue;
            assert_same(at(&rows, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(i, j)), slowdown[i][j]);
            assert_same(at(&rows, BOUGH_METRIC_JOB_LINKS_SHARED, index_pair(i, j)), shared[i][j]);
        }
    }
    assert_true(index_metric_name(rows.note, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(1, 0), name));
    assert_string_equal(name, "b by a");
    assert_false(index_metric_name(rows.note, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(1, 7), name));
    bough_rows_fini(&rows);
    bough_rows alone = rows_of(&point, "flow:alone=1,delay=0ns");
    assert_false(row_given(&alone, BOUGH_METRIC_JOB_LINKS, 0));
    bough_rows_fini(&alone);
    point_free(&point);
}

/* Of two jobs the pair is all of them. */
static void a_pair_is_all_jobs(void **state) {
    (void)state;
    static const char text[] = "traffic,hosts,place,start\n\"alltoall:shift,size=100kB\",6,stride=2,\n"
                               "\"allreduce:ring,size=500kB\",6,random,20us\n";
    char traffic[300];
    snprintf(traffic, sizeof traffic, "jobs:file=\"%s\",jitter=lognormal:5%%",
             temporary_file("pairs.jobs", text, 0));
    bough_point point = point_make("xgft:down=4x4,up=1x2", "dmodk", traffic);
    bough_rows rows = rows_of(&point, "flow:interference=1");
    for (int i = 0; i < 2; i++)
        assert_true(at(&rows, BOUGH_METRIC_JOB_SLOWDOWN, i) ==
                    at(&rows, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(i, 1 - i)));
    bough_rows_fini(&rows);
    point_free(&point);
}

static void what_has_no_jobs_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("xgft:down=4x4,up=1x1", "dmodk", "allreduce:ring,size=1MB");
    run_refused(&point, "flow:interference=1", BOUGH_UNSUPPORTED, "interference=1 needs jobs");
    run_refused(&point, "flow:alone=1", BOUGH_UNSUPPORTED, "alone=1 needs jobs");
    point_free(&point);
}

/* ---- sensitivity ---- */

static const char calc_and_send[] =
    "num_ranks 2\nrank 0 {\nl1: calc 30000\nl2: send 1000000b to 1\nl2 requires "
    "l1\n}\nrank 1 {\nrecv 1000000b from 0\n}\n";

static int64_t index_of(const bough_rows *rows, const char *change) {
    char name[BOUGH_NOTE_MAX];
    for (int64_t i = 0; index_name_find(rows->note, "change", i, name); i++)
        if (strcmp(name, change) == 0) return i;
    fail_msg("no change '%s' in: %s", change, rows->note);
    return 0;
}

/* 30 us of work, 80 us on the links, 0.2 us of delay, one after the other. */
static void derivatives_by_hand(void **state) {
    (void)state;
    const double calc = 30, send = 80, delay = 0.2, all = calc + send + delay, step = log(1.25);
    const struct {
        const char *change;
        double value;
    } want[] = {{"rate of all links", log((calc + send / 1.25 + delay) / all) / step},
                {"rate of links of hosts", log((calc + send / 1.25 + delay) / all) / step},
                {"time of computations", log((1.25 * calc + send + delay) / all) / step},
                {"computations on h0", log((1.25 * calc + send + delay) / all) / step},
                {"delay of links", log((calc + send + 1.25 * delay) / all) / step},
                {"rate of cable h0/1 -> s1.0/1", 0}}; /* that of the receiver limits as well */
    char traffic[300];
    snprintf(traffic, sizeof traffic, "goal:file=\"%s\"" FREE,
             temporary_file("sensitive.goal", calc_and_send, 0));
    static const char *const methods[] = {"sensitivity:step=25%", "sensitivity:of=loggops,step=25%,top=0"};
    bough_point point = point_make("xgft:down=4,up=1", "dmodk", traffic);
    for (size_t k = 0; k < 2; k++) {
        bough_rows rows = rows_of(&point, methods[k]);
        assert_near(at(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), all * 1e-6, 1e-11);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            assert_near(at(&rows, BOUGH_METRIC_SENSITIVITY, index_of(&rows, want[i].change)), want[i].value,
                        1e-6);
        for (int64_t i = 1; row_given(&rows, BOUGH_METRIC_SENSITIVITY, i); i++)
            assert_true(fabs(at(&rows, BOUGH_METRIC_SENSITIVITY, i)) <=
                        fabs(at(&rows, BOUGH_METRIC_SENSITIVITY, i - 1)));
        bough_rows_fini(&rows);
    }
    bough_rows few = rows_of(&point, "sensitivity:top=2,hosts=0,links=0");
    assert_true(row_given(&few, BOUGH_METRIC_SENSITIVITY, 1) &&
                !row_given(&few, BOUGH_METRIC_SENSITIVITY, 2));
    bough_rows_fini(&few);
    run_refused(&point, "sensitivity:of=sensitivity", BOUGH_INVALID,
                "expected a method with a completion time");
    run_refused(&point, "sensitivity:of=flaw", BOUGH_INVALID, "no method 'flaw'");
    trial_refused(&point, "sensitivity:of=linkload", BOUGH_UNSUPPORTED, "gives no completion_time");
    point_free(&point);
}

/* Draws are those of the method: the time is that of the same trial, and the changes are rows of every trial.
 */
static void trials_are_paired(void **state) {
    (void)state;
    bough_point point = point_make("xgft:down=4x4,up=1x2", "random",
                                   "halo:dims=4x4,size=100kB,compute=100us,jitter=exponential:20%");
    bough_run *flow = run_make(&point, "flow"), *all = run_make(&point, "sensitivity");
    assert_false(bough_run_exact(all));
    size_t count = 0;
    for (uint64_t t = 0; t < 3; t++) {
        bough_rows a = run_once(flow, t), b = run_once(all, t);
        assert_true(at(&a, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX) ==
                    at(&b, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX));
        double compute = at(&b, BOUGH_METRIC_SENSITIVITY, index_of(&b, "time of computations"));
        assert_true(compute > 0.5 && compute <= 1);
        assert_true(t == 0 || count == b.count);
        count = b.count;
        bough_rows_fini(&a);
        bough_rows_fini(&b);
    }
    bough_run_destroy(flow);
    bough_run_destroy(all);
    point_free(&point);
}

/* ---- dead parts ---- */

typedef struct outcome {
    bough_outcome outcome;
    double time;
    char note[BOUGH_NOTE_MAX];
} outcome;

static outcome run_under(const char *faults, const char *traffic, const char *method) {
    bough_net *whole = net_make("xgft:down=4x4,up=1x4"), *net;
    bough_traffic *t;
    bough_error error = {0};
    if (bough_net_with_faults(whole, faults, &net, &error)) fail_msg("%s: %s", faults, error.reason);
    bough_routing *routing = routing_make(net, "dmodk");
    if (bough_traffic_create(net, traffic, &t, &error)) fail_msg("%s: %s", traffic, error.reason);
    const bough_point point = {net, routing, t};
    bough_rows rows = rows_of(&point, method);
    outcome o = {.outcome = rows.outcome};
    if (o.outcome == BOUGH_RUN_OK) o.time = at(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    snprintf(o.note, sizeof o.note, "%s", rows.note);
    bough_rows_fini(&rows);
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    bough_net_destroy(whole);
    return o;
}

static void says(const char *faults, const char *text) {
    static const char *const methods[] = {"flow", "loggops", "packet", "worm"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        outcome o = run_under(faults, "allreduce:ring,size=1MB", methods[i]);
        assert_int_equal(o.outcome, BOUGH_RUN_HANGS);
        if (!strstr(o.note, text)) fail_msg("%s: expected '%s' in: %s", methods[i], text, o.note);
    }
}

static void a_hang_names_what_is_dead(void **state) {
    (void)state;
    says("name:s1.1,mode=rerouted",
         "16 of 16 ranks never finish; the first: rank 4 on h4 waits for 62500 bytes of rank 3 "
         "on h3 that are lost on the way; 4 ranks have no live cable");
    says("name:s1.1,mode=rerouted", "as switch s1.1 is dead");
    says("name:h5,mode=rerouted",
         "rank 5 on h5 waits for 62500 bytes of rank 4 on h4 that are lost on the way; 1 rank has "
         "no live cable");
    says("name:h5,mode=rerouted", "as the cable of h5 is dead");
}

static void failover_uses_another_nic_of_the_node(void **state) {
    (void)state;
    static const char ring[] = "allreduce:ring,size=1MB,gpus=4,rails=4";
    char with[100];
    snprintf(with, sizeof with, "%s,failover=1", ring);
    outcome whole = run_under("none", ring, "flow"), same = run_under("none", with, "flow");
    assert_true(whole.outcome == BOUGH_RUN_OK && whole.time == same.time);
    assert_int_equal(run_under("name:h4,mode=rerouted", ring, "flow").outcome, BOUGH_RUN_HANGS);
    outcome over = run_under("name:h4,mode=rerouted", with, "flow");
    assert_int_equal(over.outcome, BOUGH_RUN_OK);
    assert_true(over.time >= whole.time);
    /* without a live NIC nothing helps */
    assert_int_equal(run_under("name:s1.1,mode=rerouted", with, "flow").outcome, BOUGH_RUN_HANGS);
    /* every node sends and receives through one NIC: four times the bytes */
    static const char halves[] = "alltoall:linear,size=1MB,gpus=4,rails=4,failover=1" FREE;
    double all = run_under("none", halves, "flow").time;
    double one = run_under("name:\"h(0|1|2|4|5|6|8|9|10|12|13|14)\",mode=rerouted", halves, "flow").time;
    assert_true(one > 3.9 * all && one < 4.1 * all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_jobs_is_refused),
        cmocka_unit_test(two_jobs_on_one_link),
        cmocka_unit_test(a_pair_is_all_jobs),
        cmocka_unit_test(derivatives_by_hand),
        cmocka_unit_test(trials_are_paired),
        cmocka_unit_test(a_hang_names_what_is_dead),
        cmocka_unit_test(failover_uses_another_nic_of_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
