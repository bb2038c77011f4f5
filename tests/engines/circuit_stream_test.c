/* Streams of circuits: arrivals against the oracle of tests/support, message by message, and cases by hand.
 */
#include "engines/circuit/circuit_stream.h"
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

static void refuses_bad_input(void **state) {
    (void)state;
    static const struct {
        const char *traffic, *method;
        bough_status status;
        const char *names;
    } bad[] = {
        {"poisson:load=0.1", "circuit", BOUGH_UNSUPPORTED, "never ends"},
        {"poisson:load=0.1", "circuit:mode=cycles,retry=round", BOUGH_UNSUPPORTED, "never ends"},
        {"poisson:load=0.1", "circuit:mode=cycles,blocked=wait", BOUGH_UNSUPPORTED, "blocked"},
        {"poisson:load=0.1", "circuit:mode=cycles,payload=3", BOUGH_UNSUPPORTED, "flits"},
        {"poisson:load=0.1", "circuit:mode=cycles,latency=1", BOUGH_UNSUPPORTED, "latency="},
        {"uniform", "circuit:mode=cycles,messages=100", BOUGH_INVALID, "messages"},
        {"uniform", "circuit:mode=cycles,find=saturation", BOUGH_UNSUPPORTED, "saturation"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bench b;
        bough_error error = {0};
        bough_status status = bench_try(&b, "fattree:n=8", NULL, bad[i].traffic, bad[i].method, &error);
        if (status != bad[i].status || !strstr(error.reason, bad[i].names))
            fail_msg("%s %s: %d %s", bad[i].traffic, bad[i].method, (int)status, error.reason);
        bench_close(&b);
    }
}

/* All messages of a batch are offered in cycle 0, so that the oracle of batches says when each arrives. */
static void arrivals(const bench *b, const circuit_options *o, const oracle_ask *ask, uint64_t trial) {
    bough_batch batch;
    oracle_result r;
    sim_engine *engine;
    bough_source *source;
    bough_key key = bough_key_make(11, trial);
    assert_int_equal(bough_batch_read(b->traffic, key, &batch, NULL), BOUGH_OK);
    oracle_fate *fate = calloc(batch.count + 1, sizeof *fate);
    assert_non_null(fate);
    circuit_oracle(b->net, ask, batch.source, batch.address, (uint32_t)batch.count, key, fate, &r);
    assert_int_equal(circuit_stream_make(b->run, o, &engine, NULL), BOUGH_OK);
    for (int again = 0; again < 2; again++) { /* a second run starts afresh */
        uint64_t seen = 0, delivered = 0;
        circuit_counts counts;
        sim_advance part = {.until = 1 << 20, .want = 1 << 20};
        assert_int_equal(bough_traffic_open(b->traffic, key, NULL, &source, NULL), BOUGH_OK);
        engine->ops->start(engine, key, source);
        assert_int_equal(engine->ops->advance(engine, &part, NULL), BOUGH_OK);
        for (uint64_t i = 0; i < part.count; i++, seen++) {
            const sim_delivery *d = &part.deliveries[i];
            assert_int_equal(d->source, batch.source[d->id]);
            assert_int_equal(d->arrived, fate[d->id].time);
        }
        uint64_t arrive = 0;
        for (uint64_t i = 0; i < batch.count; i++) arrive += fate[i].delivered;
        assert_int_equal(seen, arrive);
        circuit_stream_counts(engine, &counts);
        assert_int_equal(counts.attempts + counts.given_up * o->give_up, r.attempts);
        assert_int_equal(counts.given_up, batch.count - arrive);
        assert_int_equal(counts.first, r.first);
        for (uint64_t k = 0; k < counts.attempts_most; k++) {
            uint64_t wanted = 0;
            for (uint64_t i = 0; i < batch.count; i++)
                wanted += fate[i].delivered && fate[i].attempts == k + 1;
            assert_int_equal(counts.per_attempt[k], wanted);
            delivered += wanted;
        }
        assert_int_equal(delivered, o->history ? arrive : 0);
        source->close(source);
    }
    engine->ops->destroy(engine);
    free(fate);
    bough_batch_fini(&batch);
}

static void agrees_with_the_oracle(void **state) {
    (void)state;
    static const struct {
        circuit_options o;
        oracle_ask ask;
    } rule[] = {
        {{.retry = CIRCUIT_IMMEDIATE, .forward = 2, .back = 1}, {ORACLE_CYCLES}},
        {{.retry = CIRCUIT_IMMEDIATE, .payload = 31, .forward = 2, .back = 1},
         {ORACLE_CYCLES, .payload = 31}},
        {{.retry = CIRCUIT_BACKOFF, .slot = 3, .bound = 8, .jitter = 2, .forward = 1, .back = 2},
         {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 3, .bound = 8, .jitter = 2, .forward = 1, .back = 2}},
        {{.retry = CIRCUIT_PERSISTENT, .slot = 2, .p = 0.25, .forward = 2, .back = 1},
         {ORACLE_CYCLES, ORACLE_PERSISTENT, .slot = 2, .p = 0.25}},
        {{.retry = CIRCUIT_BACKOFF, .slot = 3, .bound = 8, .give_up = 3, .forward = 2, .back = 1},
         {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 3, .bound = 8, .give_up = 3}},
        {{.retry = CIRCUIT_IMMEDIATE, .same_path = true, .veterans = true, .forward = 2, .back = 1},
         {ORACLE_CYCLES, .same_way = true, .veterans = true}},
    };
    static const char *const traffic[] = {"uniform", "randperm", "incast", "uniform:m=3"};
    for (size_t t = 0; t < COUNT(traffic); t++)
        for (unsigned n = 4; n <= 64; n *= 4) {
            bench b;
            char net[32];
            snprintf(net, sizeof net, "fattree:n=%u", n);
            bench_open(&b, net, NULL, traffic[t], "circuit:mode=cycles");
            for (size_t i = 0; i < COUNT(rule); i++) {
                circuit_options o = rule[i].o;
                o.mode = CIRCUIT_CYCLES;
                o.round_limit = o.cycle_limit = UINT64_MAX;
                o.history = i > 0;
                for (uint64_t k = 0; k < 4; k++) arrivals(&b, &o, &rule[i].ask, k);
            }
            bench_close(&b);
        }
}

/* With wires, and with messages that are discarded as a whole. 1 clock of 10 ns a 10 um of a chip. */
static void agrees_with_wires(void **state) {
    (void)state;
    static const struct {
        circuit_options o;
        oracle_ask ask;
    } rule[] = {
        {{.retry = CIRCUIT_IMMEDIATE, .payload = 5, .forward = 1, .back = 1},
         {ORACLE_CYCLES, .payload = 5, .forward = 1, .back = 1}},
        {{.retry = CIRCUIT_IMMEDIATE, .payload = 9, .discard = true, .forward = 2, .back = 1},
         {ORACLE_CYCLES, .payload = 9, .discard = true}},
        {{.retry = CIRCUIT_BACKOFF,
          .slot = 3,
          .bound = 8,
          .payload = 2,
          .discard = true,
          .forward = 1,
          .back = 2},
         {ORACLE_CYCLES, ORACLE_BACKOFF, .slot = 3, .bound = 8, .payload = 2, .discard = true, .forward = 1,
          .back = 2}},
    };
    bench b;
    bench_open(&b, "fattree:n=32", NULL, "uniform", "circuit:mode=cycles");
    uint16_t *wire = calloc(b.net->links, sizeof *wire);
    const link_clock_rules clock = {LINK_WIRES_LAYOUT, 10000, UINT64_C(304800000), 1};
    assert_int_equal(link_clocks_fill(b.net, &clock, wire, NULL), BOUGH_OK);
    assert_true(wire[bough_injection_link(b.net, 0)] > 0);
    for (size_t i = 0; i < COUNT(rule); i++) {
        circuit_options o = rule[i].o;
        oracle_ask ask = rule[i].ask;
        o.mode = CIRCUIT_CYCLES;
        o.round_limit = o.cycle_limit = UINT64_MAX;
        o.wires = true;
        o.clock = clock;
        ask.wire = wire;
        for (uint64_t k = 0; k < 8; k++) arrivals(&b, &o, &ask, k);
    }
    free(wire);
    bench_close(&b);
}

/* Two endpoints, so nothing collides: a message is 2 cycles and 31 flits on its way, and its source is free
 * again 2 cycles later. At 0.25 flits a cycle messages seldom wait; above 32 / 35 flits queues grow. */
static void two_endpoints(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=2", NULL, "poisson:load=0.01", "circuit:mode=cycles,messages=20000");
    bench_trial(&b, 1, 0);
    assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P50), 33, "p50");
    bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), 1, "attempts");
    bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, "first_success");
    assert_true(isnan(bench_plain(&b, BOUGH_METRIC_ATTEMPTS_P999)));
    bench_close(&b);
    bench_open(&b, "fattree:n=16", NULL, "poisson:load=0.1", "circuit:mode=cycles,messages=20000,history=1");
    bench_trial(&b, 1, 0);
    bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS_P50), 1, "half of them at once");
    assert_true(bench_plain(&b, BOUGH_METRIC_ATTEMPTS_P999) > bench_plain(&b, BOUGH_METRIC_ATTEMPTS_P99));
    bench_close(&b);
    bench_open(&b, "fattree:n=2", NULL, "poisson:load=0.97", "circuit:mode=cycles,messages=20000");
    bench_trial(&b, 1, 0);
    assert_int_equal(b.rows.outcome, BOUGH_RUN_SATURATED);
    assert_true(fabs(bench_plain(&b, BOUGH_METRIC_ACCEPTED) - 32.0 / 35) < 0.002);
    bench_close(&b);
}

/* Alone, a message takes 2 cycles and a cycle for every further flit. */
static void two_endpoints_two_lengths(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=2", NULL, "poisson:rate=1e-6,lengths=4:0.75+100:0.25",
               "circuit:mode=cycles,messages=20000");
    bench_trial(&b, 1, 0);
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P50), 5, "p50");
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P99), 101, "p99");
    assert_true(fabs(bench_plain(&b, BOUGH_METRIC_LATENCY) - 29) < 2);
    bench_close(&b);
}

/* Latencies in nanoseconds are those in cycles; without a period there are none. */
static void nanoseconds(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=8", NULL, "poisson:load=0.05", "circuit:mode=cycles,period=4ns,messages=2000");
    bench_trial(&b, 1, 0);
    assert_true(bench_plain(&b, BOUGH_METRIC_LATENCY) > 0);
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_NS), 4 * bench_plain(&b, BOUGH_METRIC_LATENCY), "mean");
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P50_NS), 4 * bench_plain(&b, BOUGH_METRIC_LATENCY_P50),
               "p50");
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P99_NS), 4 * bench_plain(&b, BOUGH_METRIC_LATENCY_P99),
               "p99");
    bench_close(&b);
    bench_open(&b, "fattree:n=8", NULL, "poisson:load=0.05", "circuit:mode=cycles,messages=2000");
    bench_trial(&b, 1, 0);
    assert_true(isnan(bench_plain(&b, BOUGH_METRIC_LATENCY_NS)));
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_input),         cmocka_unit_test(agrees_with_the_oracle),
        cmocka_unit_test(agrees_with_wires),         cmocka_unit_test(two_endpoints),
        cmocka_unit_test(two_endpoints_two_lengths), cmocka_unit_test(nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
