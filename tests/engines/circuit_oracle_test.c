/* Method circuit against the oracle of tests/support, trial by trial. */
#include "bough/method.h"
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
    {"mode=cycles,blocked=wait", {ORACLE_CYCLES, .wait = true}},
    {"mode=cycles,blocked=wait,payload=9,forward=1",
     {ORACLE_CYCLES, .payload = 9, .forward = 1, .wait = true}},
};

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
    uint64_t diameter = router * ((uint64_t)b->net->hops_max - 1);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_oracle),
        cmocka_unit_test(agrees_on_delivery_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
