/* Records of trials: by hand, what must hold in every record, and the critical path and exposed communication
 * of random schedules under all engines. */
#include "base/memory/memory.h"
#include "traffic/schedules/workload.h"
#include "traffic/timeline/critical_path.h"
#include "traffic/timeline/exposed_time.h"

#include "support/fabrics.h"
#include "support/goal_files.h"
#include "support/loggops_oracle.h"
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

/* ---- records ---- */

/* Trial 0 of seed 1 of a method, recorded with the use of links. */
static timeline *record(const bough_point *p, const char *method, bough_rows *rows) {
    bough_run *run = run_make(p, method);
    timeline *t;
    void *workspace = NULL;
    assert_true(run->method->takes_timeline);
    assert_int_equal(timeline_make(p->traffic->workload->schedule, p->net->links, &t, &error), BOUGH_OK);
    run->timeline = t;
    if (bough_run_trial(run, bough_key_make(1, 0), &workspace, rows, &error)) fail_msg("%s", error.reason);
    bough_run_free_workspace(run, workspace);
    bough_run_destroy(run);
    return t;
}

static uint64_t last_end(const timeline *t) {
    uint64_t end = 0;
    for (uint32_t o = 0; o < t->ops; o++)
        if (t->op[o].end != BOUGH_NONE && t->op[o].end > end) end = t->op[o].end;
    return end;
}

/* The parts of the path join from the end of the schedule to 0. Adds up their times by cause. */
static void check_path(const bough_workload *w, const timeline *t, uint64_t cause[CRITICAL_CAUSES]) {
    critical_path path = {0};
    if (critical_path_find(w, t, &path, &error)) fail_msg("%s", error.reason);
    uint64_t at = last_end(t);
    memset(cause, 0, CRITICAL_CAUSES * sizeof *cause);
    for (size_t i = 0; i < path.parts; i++) {
        const critical_part *p = &path.part[i];
        assert_int_equal(p->to, at);
        assert_true(p->from < p->to);
        cause[p->cause] += p->to - p->from;
        at = p->from;
        if (p->cause == CRITICAL_COMPUTE) {
            assert_int_equal(w->schedule->op[p->op].kind, BOUGH_OP_CALC);
            assert_true(p->from >= t->op[p->op].start && p->to <= t->op[p->op].free);
        }
    }
    assert_int_equal(at, 0);
    critical_path_fini(&path);
}

typedef struct use {
    uint64_t from, to;
} use;

static int by_start(const void *a, const void *b) {
    const use *x = a, *y = b;
    if (x->from != y->from) return x->from > y->from ? 1 : -1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Nothing overlaps on a CPU. */
static void check_cpus(const bough_schedule *s, const timeline *t) {
    use *all = malloc(sizeof *all * (2 * (size_t)s->ops + 1));
    assert_non_null(all);
    for (uint32_t c = 0; c < s->ranks * s->cpus; c++) {
        size_t count = 0;
        for (uint32_t o = 0; o < s->ops; o++) {
            const timeline_op *p = &t->op[o];
            uint32_t rank = timeline_rank(s, o);
            if (p->free != BOUGH_NONE && rank * s->cpus + s->op[o].cpu == c)
                all[count++] = (use){p->start, p->free};
            if (p->taken != BOUGH_NONE && s->op[o].peer * s->cpus + s->op[o].cpu == c)
                all[count++] = (use){p->taken, p->done};
        }
        qsort(all, count, sizeof *all, by_start);
        for (size_t i = 1; i < count; i++) assert_true(all[i].from >= all[i - 1].to);
    }
    free(all);
}

/* An operation starts when those that it waits for have ended, and ends when it has started. Messages leave
 * after their send has started, arrive, and are taken, in this order. */
static void check_order(const bough_schedule *s, const timeline *t) {
    for (uint32_t o = 0; o < s->ops; o++) {
        const timeline_op *p = &t->op[o];
        if (p->end != BOUGH_NONE) assert_true(p->start <= p->end);
        for (uint64_t i = s->then[o]; i < s->then[o + 1]; i++) {
            uint64_t start = t->op[s->follower[i] >> 1].start;
            if (start != BOUGH_NONE) assert_true(start >= (s->follower[i] & 1 ? p->start : p->end));
        }
        if (s->op[o].kind != BOUGH_OP_SEND || p->taken == BOUGH_NONE) continue;
        assert_true(p->start <= p->left && p->left <= p->arrived && p->arrived <= p->taken);
        if (p->partner == TIMELINE_NONE) continue;
        const timeline_op *recv = &t->op[p->partner];
        assert_int_equal(recv->partner, o);
        assert_int_equal(s->op[p->partner].kind, BOUGH_OP_RECV);
        assert_true(recv->end >= p->done && recv->end >= recv->start);
    }
}

/* Exposed communication, counted between every two instants at which anything starts or ends. */
static void check_exposed(const bough_schedule *s, const timeline *t) {
    uint64_t have[256] = {0}, want[256] = {0};
    assert_int_equal(exposed_time_add(s, t, have, &error), BOUGH_OK);
    for (uint32_t r = 0; r < s->ranks; r++)
        for (uint64_t now = 0, next; now != BOUGH_NONE; now = next) {
            const timeline_op *first = NULL;
            bool works = false;
            uint8_t label = 0;
            next = BOUGH_NONE;
            for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
                const timeline_op *p = &t->op[o];
                if (p->end == BOUGH_NONE) continue;
                if (p->start > now && p->start < next) next = p->start;
                if (p->end > now && p->end < next) next = p->end;
                if (p->start > now || p->end <= now) continue;
                if (s->op[o].kind == BOUGH_OP_CALC)
                    works = true;
                else if (!first || p->end < first->end || (p->end == first->end && s->op[o].label < label))
                    first = p, label = s->op[o].label;
            }
            if (first && !works && next != BOUGH_NONE) want[label] += next - now;
        }
    assert_memory_equal(have, want, sizeof want);
}

static void check_record(const bough_workload *w, const timeline *t) {
    uint64_t cause[CRITICAL_CAUSES];
    check_order(w->schedule, t);
    check_cpus(w->schedule, t);
    check_exposed(w->schedule, t);
    check_path(w, t, cause);
}

/* ---- by hand ---- */

static const char *two_ranks = "num_ranks 2\n"
                               "rank 0 {\n"
                               "a: calc 1000\n"
                               "b: send 1000b to 1\n"
                               "c: recv 1000b from 1\n"
                               "b requires a\n"
                               "}\n"
                               "rank 1 {\n"
                               "a: recv 1000b from 0\n"
                               "b: send 1000b to 0\n"
                               "b requires a\n"
                               "}\n";

static bough_point of_goal(const char *network, const char *goal, const char *more) {
    char spec[400];
    snprintf(spec, sizeof spec, "goal:file=\"%s\"%s", temporary_file("hand.goal", goal, strlen(goal)), more);
    return point_make(network, "dmodk", spec);
}

/* 1 us of computation; twice o at each end, and there and back 1000 bytes at 100 Gb/s (80 ns) and two links
 * with a switch. */
static void ping_pong(void **state) {
    (void)state;
    bough_point p = of_goal("xgft:down=4,up=1", two_ranks, ",o=500ns,g=0ps");
    static const char *const method[] = {"flow", "loggops", "packet", "worm"};
    uint64_t wire[] = {280000, 280000, 360000, 0}; /* two links of 100 ns; packets are stored once */
    for (unsigned i = 0; i < 4; i++) {
        bough_rows rows = {0};
        timeline *t = record(&p, method[i], &rows);
        uint64_t cause[CRITICAL_CAUSES];
        check_record(p.traffic->workload, t);
        check_path(p.traffic->workload, t, cause);
        assert_int_equal(cause[CRITICAL_COMPUTE], 1000000);
        assert_int_equal(cause[CRITICAL_OVERHEAD], 4 * 500000);
        assert_int_equal(cause[CRITICAL_SHARING], 0);
        if (wire[i]) assert_int_equal(cause[CRITICAL_TRANSFER], 2 * wire[i]);
        timeline_destroy(t);
        bough_rows_fini(&rows);
    }
    point_free(&p);
}

/* Without a network: o, L and G (s - 1) of LogGOPS. */
static void constant_costs(void **state) {
    (void)state;
    bough_point p = of_goal("xgft:down=4,up=1", two_ranks, ",o=500ns,g=0ps,L=2us,G=1ns");
    bough_rows rows = {0};
    uint64_t cause[CRITICAL_CAUSES];
    timeline *t = record(&p, "loggops", &rows);
    check_record(p.traffic->workload, t);
    check_path(p.traffic->workload, t, cause);
    assert_int_equal(cause[CRITICAL_COMPUTE], 1000000);
    assert_int_equal(cause[CRITICAL_OVERHEAD], 4 * 500000);
    assert_int_equal(cause[CRITICAL_TRANSFER], 2 * (2000000 + 999 * 1000));
    assert_int_equal(cause[CRITICAL_SHARING], 0);
    timeline_destroy(t);
    bough_rows_fini(&rows);
    point_free(&p);
}

static const char *two_messages = "num_ranks 4\n"
                                  "rank 0 { send 1000000b to 2 }\n"
                                  "rank 1 { send 1000000b to 3 }\n"
                                  "rank 2 { recv 1000000b from 0 }\n"
                                  "rank 3 { recv 1000000b from 1 }\n";

/* The link that both cross carries 2 MB, from 1 MB each at half the rate: they lose 80 us there. */
static void two_on_a_link(void **state) {
    (void)state;
    bough_point p = of_goal("xgft:down=2x2,up=1x1", two_messages, ",o=0ps,g=0ps");
    const bough_net *net = p.net;
    bough_rows rows = {0};
    uint64_t cause[CRITICAL_CAUSES];
    timeline *t = record(&p, "flow", &rows);
    check_record(p.traffic->workload, t);
    check_path(p.traffic->workload, t, cause);
    assert_int_equal(cause[CRITICAL_TRANSFER], 80000000 + 4 * 100000);
    assert_int_equal(cause[CRITICAL_SHARING], 80000000);
    for (uint32_t o = 0; o < 2; o++) {
        assert_int_not_equal(t->op[o].link, TIMELINE_NONE);
        assert_true(bough_is_switch(net, bough_link_start(net, t->op[o].link)));
        double bits = 0;
        for (unsigned b = 0; b < TIMELINE_BINS; b++)
            bits += t->bits[(uint64_t)t->op[o].link * TIMELINE_BINS + b];
        assert_near(bits, 16e6, 1e-3);
    }
    assert_int_equal(t->op[0].link, t->op[1].link);
    timeline_destroy(t);
    bough_rows_fini(&rows);
    /* packets take turns: one of the messages ends a packet earlier; both lose about as much */
    rows = (bough_rows){0};
    t = record(&p, "packet", &rows);
    check_record(p.traffic->workload, t);
    check_path(p.traffic->workload, t, cause);
    assert_true(cause[CRITICAL_SHARING] > 79000000 && cause[CRITICAL_SHARING] < 81000000);
    assert_true(bough_is_switch(net, bough_link_start(net, t->op[0].link)));
    timeline_destroy(t);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* A message divided over two paths: a switch's two uplinks carry half of it each. Alone it loses nothing; two
 * from different hosts fill both uplinks, and lose nothing either. */
static void divided(void **state) {
    (void)state;
    bough_point p = point_make("xgft:down=2x2,up=1x2", "free", NULL);
    bough_traffic *traffic;
    char spec[400];
    snprintf(spec, sizeof spec, "goal:file=\"%s\",o=0ps,g=0ps",
             temporary_file("hand.goal", two_messages, strlen(two_messages)));
    assert_int_equal(bough_traffic_create(p.net, spec, &traffic, &error), BOUGH_OK);
    p.traffic = traffic;
    bough_rows rows = {0};
    uint64_t cause[CRITICAL_CAUSES];
    timeline *t = record(&p, "flow:spray=1", &rows);
    check_record(p.traffic->workload, t);
    check_path(p.traffic->workload, t, cause);
    assert_int_equal(cause[CRITICAL_TRANSFER], 80000000 + 4 * 100000);
    assert_int_equal(cause[CRITICAL_SHARING], 0);
    unsigned used = 0;
    for (uint64_t l = 0; l < p.net->links; l++) {
        double bits = 0;
        for (unsigned b = 0; b < TIMELINE_BINS; b++) bits += t->bits[l * TIMELINE_BINS + b];
        if (bits > 0) assert_near(bits, 8e6, 100);
        used += bits > 0;
    }
    assert_int_equal(used, 4 + 2 + 2);
    timeline_destroy(t);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* The rows of critical=1 add up to the completion time. */
static void rows_add_up(void **state) {
    (void)state;
    static const char *const method[] = {"flow:critical=1", "packet:critical=1", "worm:critical=1",
                                         "loggops:critical=1"};
    bough_point p = point_make("xgft:down=4x4,up=1x1", "dmodk", "alltoall:algo=pairwise,size=1MB");
    for (unsigned i = 0; i < 4; i++) {
        bough_rows rows = rows_of(&p, method[i]);
        double sum = row_value(&rows, BOUGH_METRIC_CRITICAL_COMPUTE, BOUGH_NO_ROW_INDEX) +
                     row_value(&rows, BOUGH_METRIC_CRITICAL_OVERHEAD, BOUGH_NO_ROW_INDEX) +
                     row_value(&rows, BOUGH_METRIC_CRITICAL_TRANSFER, BOUGH_NO_ROW_INDEX) +
                     row_value(&rows, BOUGH_METRIC_CRITICAL_SHARING, BOUGH_NO_ROW_INDEX);
        assert_close(sum, row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 1e-12);
        assert_true(row_value(&rows, BOUGH_METRIC_EXPOSED_COMMUNICATION, BOUGH_NO_ROW_INDEX) > 0);
        if (i < 3) assert_true(row_value(&rows, BOUGH_METRIC_CRITICAL_SHARING, BOUGH_NO_ROW_INDEX) > 0);
        bough_rows_fini(&rows);
    }
    point_free(&p);
    static const refused_run refused[] = {
        {"xgft:down=4x4,up=1x1", "dmodk", "shift:k=1", "flow:critical=1", BOUGH_UNSUPPORTED, "schedule"},
        {"xgft:down=4x4,up=1x1", "dmodk", "shift:k=1", "packet:critical=1", BOUGH_UNSUPPORTED, "schedule"},
        {"xgft:down=4x4,up=1x1", "dmodk", "shift:k=1", "worm:critical=1", BOUGH_UNSUPPORTED, "schedule"},
    };
    runs_refused(refused, sizeof refused / sizeof *refused);
}

/* ---- at random ---- */

/* Hosts without a network, with all of their costs; some schedules hang. */
static void random_hosts(void **state) {
    (void)state;
    static const bough_host hosts[] = {
        {2500000, 1500000, 1000000, 6000, 0, 65535},
        {0, 0, 0, 0, 0, 0},
        {1000, 1000, 5000, 1000, 1000, 50},
        {10000, 100000, 0, 0, 2000, 0},
        {1000, 10, 2000, 3000, 0, 999},
        {0, 100, 50, 0, 70, 7},
        {2500000, 1500000, 1000000, 6000, 9000, 1},
    };
    for (uint64_t seed = 0; seed < 2000; seed++) {
        random_schedule how = {.ranks = 2 + (uint32_t)(seed % 7),
                               .messages = 5 + (uint32_t)(seed % 40),
                               .cpus = 1 + seed % 3,
                               .nics = 1 + seed / 3 % 2,
                               .starts = seed % 2,
                               .wildcards = seed % 5 == 0};
        uint32_t endpoint[8];
        match_plan match;
        rank_engine *ranks;
        timeline *t;
        bough_schedule *s = schedule_random(&how, seed);
        bough_workload w = {.schedule = s, .endpoint = endpoint, .host = hosts[seed / 5 % 7]};
        for (uint32_t k = 0; k < how.ranks; k++) endpoint[k] = (uint32_t)(seed % 4 ? k : k / 2);
        assert_int_equal(match_make(s, 1, &match, &error), BOUGH_OK);
        assert_int_equal(timeline_make(s, 0, &t, &error), BOUGH_OK);
        assert_int_equal(ranks_make(&w, &match, false, &ranks, &error), BOUGH_OK);
        ranks_observe(ranks, t);
        ranks_start(ranks);
        while (ranks_go(ranks, 7)) continue;
        check_record(&w, t);
        ranks_destroy(ranks);
        timeline_destroy(t);
        match_fini(&match);
        bough_schedule_destroy(s);
    }
}

/* What links carried is what the messages of the schedule put on them; the engine rounds up to units. */
static void check_bits(const bough_point *p, const timeline *t, uint64_t unit) {
    const bough_net *net = p->net;
    const bough_schedule *s = p->traffic->workload->schedule;
    bough_run *run = run_make(p, "flow");
    bough_link_loads loads = {0};
    assert_int_equal(bough_alloc(&loads.flows, net->links, 8, &error), BOUGH_OK);
    assert_int_equal(bough_alloc(&loads.bytes, net->links, 8, &error), BOUGH_OK);
    assert_int_equal(bough_alloc(&loads.rate, net->links, 8, &error), BOUGH_OK);
    assert_int_equal(run->method->links(run, bough_key_make(1, 0), &loads, &error), BOUGH_OK);
    for (uint64_t l = 0; l < net->links; l++) {
        double bits = 0;
        for (unsigned b = 0; b < TIMELINE_BINS; b++) bits += t->bits[l * TIMELINE_BINS + b];
        /* flow rounds phases to a ps: less than a bit */
        assert_true(bits >= 8 * loads.bytes[l] - (double)s->sends);
        assert_true(bits <= 8 * (loads.bytes[l] + (double)unit * (double)s->sends) + (double)s->sends);
    }
    FREE_ALL(loads.flows, loads.bytes, loads.rate);
    bough_run_destroy(run);
}

static void random_networks(void **state) {
    (void)state;
    static const char *const method[] = {"flow", "packet", "worm", "loggops"};
    static const char *const hosts[] = {"", ",o=0ps,g=0ps", ",S=999,o=10ps", ",o=1ns,O=1ps,g=5ns"};
    unsigned ended = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        random_schedule how = {.ranks = 8,
                               .messages = 5 + (uint32_t)(seed % 40),
                               .cpus = 1 + seed % 2,
                               .nics = 1 + seed / 2 % 2,
                               .starts = seed % 3 == 0,
                               .wildcards = seed % 5 == 0};
        bough_schedule *s = schedule_random(&how, seed);
        char spec[400];
        snprintf(spec, sizeof spec, "goal:file=\"%s\"%s%s", goal_file(s), hosts[seed % 4],
                 seed % 7 ? "" : ",gpus=2");
        bough_point p = point_make("xgft:down=4x2,up=1x1", "dmodk", spec);
        for (unsigned i = 0; i < 4; i++) {
            bough_rows rows = {0};
            timeline *t = record(&p, method[i], &rows);
            check_record(p.traffic->workload, t);
            bool ends = row_given(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
            ended += ends;
            for (uint32_t o = 0; ends && o < s->ops; o++)
                if (s->op[o].kind == BOUGH_OP_SEND && !t->op[o].inside)
                    assert_true(t->op[o].arrived - t->op[o].left + 4 >= t->op[o].alone);
            if (ends && i < 3) check_bits(&p, t, i == 2 ? 64 : 0);
            timeline_destroy(t);
            bough_rows_fini(&rows);
        }
        point_free(&p);
        bough_schedule_destroy(s);
    }
    assert_true(ended > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong),       cmocka_unit_test(constant_costs), cmocka_unit_test(two_on_a_link),
        cmocka_unit_test(divided),         cmocka_unit_test(rows_add_up),    cmocka_unit_test(random_hosts),
        cmocka_unit_test(random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
