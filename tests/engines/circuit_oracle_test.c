/* Method circuit against the oracle of tests/support, trial by trial. */
#include "method/method.h"
#include "network/layout/layout.h"
#include "support/circuit_bench.h"
#include "support/circuit_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct setting {
    const char *method; /* without engine */
    oracle_ask ask;     /* slot 0: the default */
    uint64_t across;    /* cycles in wires across the diameter */
} setting;

static const setting settings[] = {
    {"mode=attempt", {ORACLE_ATTEMPT}},
    {"mode=rounds", {ORACLE_ROUNDS}},
    {"mode=rounds,release=end", {ORACLE_ROUNDS, .keep = true}},
    {"mode=rounds,hold=ack", {ORACLE_ROUNDS, .hold = ORACLE_ACK}},
    {"mode=rounds,hold=ack,release=end", {ORACLE_ROUNDS, .hold = ORACLE_ACK, .keep = true}},
    {"mode=cycles", {ORACLE_CYCLES}},
    {"mode=cycles,payload=1", {ORACLE_CYCLES, .payload = 1}},
    {"mode=cycles,payload=37", {ORACLE_CYCLES, .payload = 37}},
    {"mode=cycles,retry=round", {ORACLE_CYCLES, ORACLE_ROUND}},
    {"mode=cycles,retry=round,payload=20", {ORACLE_CYCLES, ORACLE_ROUND, .payload = 20}},
    {"mode=cycles,retry=round,hold=end", {ORACLE_CYCLES, ORACLE_ROUND, .hold = ORACLE_END}},
    {"mode=cycles,retry=round,hold=end,payload=3",
     {ORACLE_CYCLES, ORACLE_ROUND, .payload = 3, .hold = ORACLE_END}},
    {"mode=cycles,retry=backoff", {ORACLE_CYCLES, ORACLE_BACKOFF}},
    {"mode=cycles,retry=backoff,slot=1,payload=3", {ORACLE_CYCLES, ORACLE_BACKOFF, .payload = 3, .slot = 1}},
    {"mode=cycles,retry=backoff,slot=2,bound=3", {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 2, .bound = 3}},
    {"mode=cycles,retry=backoff,slot=7,bound=1,jitter=9",
     {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 7, .bound = 1, .jitter = 9}},
    {"mode=cycles,jitter=4", {ORACLE_CYCLES, .jitter = 4}},
    {"mode=cycles,retry=persistent", {ORACLE_CYCLES, ORACLE_PERSISTENT, .p = 0.5}},
    {"mode=cycles,retry=persistent,p=0.125,slot=1,jitter=1",
     {ORACLE_CYCLES, ORACLE_PERSISTENT, .p = 0.125, .slot = 1, .jitter = 1}},
    {"mode=cycles,retry=persistent,p=1", {ORACLE_CYCLES, ORACLE_PERSISTENT, .p = 1}},
    {"mode=cycles,priority=attempts", {ORACLE_CYCLES, .veterans = true}},
    {"mode=cycles,retry=backoff,slot=1,priority=attempts",
     {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 1, .veterans = true}},
    {"mode=cycles,same_path=1", {ORACLE_CYCLES, .same_way = true}},
    {"mode=rounds,same_path=1", {ORACLE_ROUNDS, .same_way = true}},
    {"mode=cycles,retry=round,same_path=1,priority=attempts",
     {ORACLE_CYCLES, ORACLE_ROUND, .same_way = true, .veterans = true}},
    {"mode=cycles,forward=1", {ORACLE_CYCLES, .forward = 1}},
    {"mode=cycles,forward=1,back=5,payload=3", {ORACLE_CYCLES, .payload = 3, .forward = 1, .back = 5}},
    {"mode=rounds,forward=3,back=2", {ORACLE_ROUNDS, .forward = 3, .back = 2}},
    {"mode=cycles,retry=round,forward=1,back=3", {ORACLE_CYCLES, ORACLE_ROUND, .forward = 1, .back = 3}},
    {"mode=cycles,retry=backoff,forward=4,back=4", {ORACLE_CYCLES, ORACLE_BACKOFF, .forward = 4, .back = 4}},
    {"mode=cycles,blocked=discard", {ORACLE_CYCLES, .discard = true}},
    {"mode=cycles,blocked=discard,payload=9", {ORACLE_CYCLES, .payload = 9, .discard = true}},
    {"mode=cycles,blocked=discard,payload=3,retry=round",
     {ORACLE_CYCLES, ORACLE_ROUND, .payload = 3, .discard = true}},
    {"mode=cycles,give_up=1", {ORACLE_CYCLES, .give_up = 1}},
    {"mode=cycles,give_up=3,payload=5,blocked=discard,latency=1",
     {ORACLE_CYCLES, .payload = 5, .discard = true, .give_up = 3}},
    {"mode=cycles,retry=backoff,slot=2,give_up=2,latency=1",
     {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 2, .give_up = 2}},
    {"mode=cycles,payload=3,latency=1", {ORACLE_CYCLES, .payload = 3}},
    {"mode=cycles,retry=round,latency=1", {ORACLE_CYCLES, ORACLE_ROUND}},
    {"mode=cycles,blocked=wait", {ORACLE_CYCLES, .wait = true}},
    {"mode=cycles,blocked=wait,payload=9,forward=1",
     {ORACLE_CYCLES, .payload = 9, .forward = 1, .wait = true}},
};

static int by_time(const void *a, const void *b) {
    const oracle_fate *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* delivered, and quantiles of the latency over the delivered messages, which come first afterwards. Sorts
 * fate. */
static void latencies_agree(const bench *b, const oracle_ask *ask, oracle_fate *fate, uint32_t *m,
                            const char *what) {
    static const bough_metric_id metric[] = {BOUGH_METRIC_LATENCY_P50, BOUGH_METRIC_LATENCY_P95,
                                             BOUGH_METRIC_LATENCY_P99, BOUGH_METRIC_LATENCY_MAX};
    uint32_t all = *m, count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < all && ask->give_up; i++)
        if (fate[i].delivered) fate[count++] = fate[i];
    if (ask->give_up) *m = count;
    if (!strstr(what, "latency=1") || all == 0) return;
    qsort(fate, *m, sizeof *fate, by_time);
    for (uint32_t i = 0; i < *m; i++) sum += (double)fate[i].time;
    bench_same(bench_plain(b, BOUGH_METRIC_DELIVERED), (double)*m / all, what);
    if (*m) bench_same(bench_plain(b, BOUGH_METRIC_LATENCY), sum / *m, what);
    uint32_t last = *m - 1, rank[] = {last / 2, last - last / 20, last - last / 100, last};
    for (size_t i = 0; i < COUNT(metric) && *m; i++)
        bench_same(bench_plain(b, metric[i]), (double)fate[rank[i]].time, what);
}

static int by_attempts(const void *a, const void *b) {
    const oracle_fate *x = a, *y = b;
    return (x->attempts > y->attempts) - (x->attempts < y->attempts);
}

/* Quantiles over messages, from the sorted attempts. Sorts fate. */
static void attempts_agree(const bench *b, const oracle_ask *ask, oracle_fate *fate, uint32_t m,
                           const char *what) {
    static const bough_metric_id metric[] = {BOUGH_METRIC_ATTEMPTS_P50, BOUGH_METRIC_ATTEMPTS_P90,
                                             BOUGH_METRIC_ATTEMPTS_P99, BOUGH_METRIC_ATTEMPTS_P999};
    static const uint32_t share[] = {500, 900, 990, 999};
    qsort(fate, m, sizeof *fate, by_attempts);
    for (size_t i = 0; i < COUNT(metric); i++) {
        double found = bench_plain(b, metric[i]);
        uint32_t rank = (share[i] * m + 999) / 1000; /* rounded up */
        if (ask->mode == ORACLE_ATTEMPT)
            assert_false(found > 1); /* those that are delivered */
        else if (m)
            bench_same(found, (double)fate[rank - 1].attempts, what);
    }
}

/* One trial, both ways, everything that both can say. */
static void agree(bench *b, const setting *s, uint64_t seed, uint64_t number, const char *what) {
    bough_batch batch;
    oracle_result r;
    oracle_ask ask = s->ask;
    bough_key key = bough_key_make(seed, number);
    assert_int_equal(bough_batch_read(b->traffic, key, &batch, NULL), BOUGH_OK);
    uint32_t m = (uint32_t)batch.count;
    oracle_fate *fate = calloc(m + 1, sizeof *fate);
    assert_non_null(fate);
    uint64_t router = (ask.forward ? ask.forward : 2) + (ask.back ? ask.back : 1);
    uint64_t diameter = router * ((uint64_t)b->net->hops_max - 1) + 2 * s->across;
    if (!ask.slot) ask.slot = diameter;
    circuit_oracle(b->net, &ask, batch.source, batch.address, m, key, fate, &r);
    bench_trial(b, seed, number);
    bench_same(bench_plain(b, BOUGH_METRIC_MESSAGES), m, what);
    if (m == 0) { /* there are no shares of nothing */
        assert_true(isnan(bench_plain(b, BOUGH_METRIC_FIRST_SUCCESS)) &&
                    isnan(bench_plain(b, BOUGH_METRIC_ATTEMPTS)));
    } else {
        bench_same(bench_plain(b, BOUGH_METRIC_FIRST_SUCCESS), (double)r.first / m, what);
        if (ask.mode != ORACLE_ATTEMPT)
            bench_same(bench_plain(b, BOUGH_METRIC_ATTEMPTS), (double)r.attempts / m, what);
    }
    if (ask.mode == ORACLE_CYCLES) {
        bench_same(bench_plain(b, BOUGH_METRIC_CYCLES), (double)r.cycles, what);
        bench_same(bench_plain(b, BOUGH_METRIC_NORM_CYCLES),
                   (double)r.cycles / (double)(diameter + ask.payload), what);
    }
    if (ask.mode == ORACLE_ROUNDS || ask.retry == ORACLE_ROUND) {
        bench_same(bench_plain(b, BOUGH_METRIC_ROUNDS), (double)r.rounds, what);
        for (uint64_t round = 1; round <= r.rounds; round++) {
            double delivered = 0;
            for (uint32_t i = 0; i < m; i++) delivered += fate[i].delivered && fate[i].round == round;
            bench_same(bench_value(b, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)round), delivered, what);
        }
        assert_true(isnan(bench_value(b, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)r.rounds + 1)));
    }
    for (int i = 0; i < 4 && strstr(what, "scenarios"); i++)
        bench_same(bench_value(b, BOUGH_METRIC_COLLISIONS, i), (double)r.scenario[i], what);
    latencies_agree(b, &ask, fate, &m, what);
    attempts_agree(b, &ask, fate, m, what);
    free(fate);
    bough_batch_fini(&batch);
}

static void agrees_with_the_oracle(void **state) {
    (void)state;
    static const struct {
        const char *traffic;
        unsigned trials;
    } traffic[] = {{"uniform", 40}, {"uniform:m=2", 20}, {"uniform:m=%n/2", 20},  {"randperm", 20},
                   {"bitrev", 10},  {"transpose", 10},   {"bitcomp", 10},         {"shift:k=1", 10},
                   {"incast", 10},  {"tornado", 10},     {"hotspot:hot=%n/2", 10}};
    for (unsigned n = 2; n <= 64; n *= 2)
        for (size_t t = 0; t < COUNT(traffic); t++)
            for (size_t i = 0; i < COUNT(settings); i++)
                for (int path = 0; path < 2; path++) {
                    char net[32], pattern[64], method[128], what[256];
                    const char *half = strstr(traffic[t].traffic, "%n/2");
                    snprintf(net, sizeof net, "fattree:n=%u", n);
                    if (half)
                        snprintf(pattern, sizeof pattern, "%.*s%u", (int)(half - traffic[t].traffic),
                                 traffic[t].traffic, n / 2);
                    else
                        snprintf(pattern, sizeof pattern, "%s", traffic[t].traffic);
                    snprintf(method, sizeof method, "circuit:%s,history=1%s", settings[i].method,
                             path ? "" : ",scenarios=1,engine=generic");
                    snprintf(what, sizeof what, "%s %s %s", net, pattern, method);
                    bench b;
                    bench_open(&b, net, NULL, pattern, method);
                    for (unsigned k = 0; k < traffic[t].trials; k++)
                        agree(&b, &settings[i], n + k % 3, k, what);
                    bench_close(&b);
                }
}

/* The engines keep no times of single messages, but runs cut off after each cycle say how many of them have
 * gone through their last router by then. */
static void agrees_on_delivery_times(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        bough_batch batch;
        oracle_result r;
        oracle_fate fate[32];
        bool cut = true;
        oracle_ask ask = {ORACLE_CYCLES, k & 1 ? ORACLE_BACKOFF : ORACLE_IMMEDIATE, .payload = k, .slot = 27};
        for (unsigned limit = 1; cut; limit++) {
            char method[128];
            bench b;
            snprintf(method, sizeof method, "circuit:mode=cycles,retry=%s,payload=%d,limit=%u,engine=%s",
                     k & 1 ? "backoff" : "immediate", (int)k, limit, k & 2 ? "auto" : "generic");
            bench_open(&b, "fattree:n=32", NULL, "uniform", method);
            bough_key key = bough_key_make(5, k);
            assert_int_equal(bough_batch_read(b.traffic, key, &batch, NULL), BOUGH_OK);
            assert_int_equal(batch.count, 32);
            circuit_oracle(b.net, &ask, batch.source, batch.address, 32, key, fate, &r);
            unsigned left = 0;
            for (int i = 0; i < 32; i++) left += fate[i].time - ask.payload - 2 > limit;
            bench_trial(&b, 5, k);
            cut = left > 0;
            assert_int_equal(b.rows.outcome, cut ? BOUGH_RUN_PARTIAL : BOUGH_RUN_OK);
            if (cut) bench_same(bench_plain(&b, BOUGH_METRIC_UNDELIVERED), left, method);
            bough_batch_fini(&batch);
            bench_close(&b);
        }
    }
}

/* ---- wires ---- */

static const setting wired[] = {
    {"mode=cycles", {ORACLE_CYCLES}},
    {"mode=cycles,payload=5", {ORACLE_CYCLES, .payload = 5}},
    {"mode=cycles,payload=7,blocked=discard", {ORACLE_CYCLES, .payload = 7, .discard = true}},
    {"mode=cycles,blocked=wait,payload=2", {ORACLE_CYCLES, .payload = 2, .wait = true}},
    {"mode=cycles,forward=2,back=3", {ORACLE_CYCLES, .forward = 2, .back = 3}},
    {"mode=cycles,retry=round,payload=3", {ORACLE_CYCLES, ORACLE_ROUND, .payload = 3}},
    {"mode=cycles,retry=round,hold=end", {ORACLE_CYCLES, ORACLE_ROUND, .hold = ORACLE_END}},
    {"mode=cycles,retry=backoff,slot=3", {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 3}},
    {"mode=cycles,retry=backoff", {ORACLE_CYCLES, ORACLE_BACKOFF}},
    {"mode=cycles,same_path=1,priority=attempts", {ORACLE_CYCLES, .same_way = true, .veterans = true}},
    {"mode=rounds", {ORACLE_ROUNDS}},
    {"mode=rounds,hold=ack", {ORACLE_ROUNDS, .hold = ORACLE_ACK}},
    {"mode=rounds,release=end", {ORACLE_ROUNDS, .keep = true}},
};

/* 0 to 33 ft, different for every link, and 0 for one in ten. */
static double odd_length(const bough_net *net, uint64_t link) {
    (void)net;
    uint64_t drawn = bough_word(bough_key_make(link % 7, link), BOUGH_DRAW_TEST, (uint32_t)link, 0);
    return drawn % 10 ? (double)(drawn % 997) / 30 : 0;
}

/* Whole clocks of 10 ns, at 1 ns a foot. */
static void wires_of_odd_lengths(const bough_net *net, uint16_t *wire) {
    for (uint64_t l = 0; l < net->links; l++) wire[l] = (uint16_t)ceil(odd_length(net, l) / 10);
}

/* A wire above level l is the longest that ends at level l + 1 of the layout. 30 ps a nanometre. */
static void wires_of_a_chip(const bough_net *net, uint16_t *wire) {
    bough_layout_size size;
    assert_int_equal(bough_layout_measure(net, NULL, &size, NULL), BOUGH_OK);
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t longest = 0;
        for (unsigned i = 1; i <= size.steps; i++)
            if (size.step[i].joins && size.step[i].level == bough_link_level(net, l) + 1 &&
                size.step[i].wire_max_nm > longest)
                longest = size.step[i].wire_max_nm;
        wire[l] = (uint16_t)ceil((double)longest * 1e-4);
    }
}

/* 1 clock of 10 ns a 10 um. */
#define CHIP "foot=304800ns"

static void wired_agree(const char *spec, bool odd, const char *traffic, const setting *s) {
    bench b = {0};
    bough_net_ops ops;
    setting is = *s;
    char method[160], what[256];
    assert_int_equal(bough_net_create(spec, &b.net, NULL), BOUGH_OK);
    uint16_t *wire = calloc(b.net->links, sizeof *wire), most = 0;
    assert_non_null(wire);
    ops = *b.net->ops;
    if (odd) ops.link_length = odd_length;
    b.net->ops = &ops;
    snprintf(method, sizeof method, "circuit:%s,clock=layout,%s,history=1,scenarios=1", s->method,
             odd ? "foot=1ns" : CHIP);
    snprintf(what, sizeof what, "%s %s %s", spec, traffic, method);
    (odd ? wires_of_odd_lengths : wires_of_a_chip)(b.net, wire);
    for (uint64_t l = 0; l < b.net->links; l++) most = wire[l] > most ? wire[l] : most;
    assert_true(most > 0 || b.net->links == 0);
    is.ask.wire = wire;
    if (!is.ask.forward) is.ask.forward = 1;
    is.across = (uint64_t)most * b.net->hops_max;
    if (!odd) { /* up and down again, level by level */
        uint64_t link = bough_injection_link(b.net, 0);
        is.across = 0;
        for (unsigned level = 0; level < b.net->levels; level++)
            for (link = 0; link < b.net->links; link++)
                if (bough_link_level(b.net, link) == level && bough_link_direction(b.net, link) > 0) {
                    is.across += 2 * wire[link];
                    break;
                }
    }
    assert_int_equal(bough_routing_create(b.net, NULL, &b.routing, NULL), BOUGH_OK);
    assert_int_equal(bough_traffic_create(b.net, traffic, &b.traffic, NULL), BOUGH_OK);
    bough_point point = {b.net, b.routing, b.traffic};
    bough_error error = {0};
    if (bough_run_create(method, &point, &b.run, &error)) fail_msg("%s: %s", what, error.reason);
    for (unsigned k = 0; k < 12; k++) agree(&b, &is, 3, k, what);
    bench_close(&b);
    free(wire);
}

/* Wires of a chip by level, and of any lengths. */
static void agrees_with_wires(void **state) {
    (void)state;
    static const char *const traffic[] = {"uniform", "bitrev", "incast", "shift:k=1"};
    static const char *const net[] = {"fattree:n=2", "fattree:n=8", "fattree:n=32", "fattree:n=64"};
    for (size_t n = 0; n < COUNT(net); n++)
        for (size_t t = 0; t < COUNT(traffic); t++)
            for (size_t i = 0; i < COUNT(wired); i++)
                for (int odd = 0; odd < 2; odd++) wired_agree(net[n], odd, traffic[t], &wired[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_oracle),
        cmocka_unit_test(agrees_on_delivery_times),
        cmocka_unit_test(agrees_with_wires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
