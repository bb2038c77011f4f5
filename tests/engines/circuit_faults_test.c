/* Circuits that are not delivered: give_up=, latencies beside the fraction delivered, streams on networks
 * with faults. By hand, batch against stream, and against the connectivity of the network. */
#include "engines/circuit/circuit_stream.h"
#include "network/faults/faults.h"
#include "support/circuit_bench.h"
#include "support/fabrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct faulty {
    bough_net *whole;
    bench b;
} faulty;

static void open_faulty(faulty *f, const char *const spec[3], const char *traffic, const char *method) {
    bough_error error = {0};
    *f = (faulty){0};
    bough_status status = bough_net_create(spec[0], &f->whole, &error);
    if (!status) status = bough_net_with_faults(f->whole, spec[1], &f->b.net, &error);
    if (!status) status = bough_routing_create(f->b.net, spec[2], &f->b.routing, &error);
    if (!status) status = bough_traffic_create(f->b.net, traffic, &f->b.traffic, &error);
    bough_point point = {f->b.net, f->b.routing, f->b.traffic};
    if (!status) status = bough_run_create(method, &point, &f->b.run, &error);
    if (status) fail_msg("%s %s %s %s: %s", spec[0], spec[1], traffic, method, error.reason);
}

static void close_faulty(faulty *f) {
    bench_close(&f->b);
    bough_net_destroy(f->whole);
}

/* ---- by hand ---- */

/* Two leaves, two spines; leaf 1 has lost spine 0. Endpoint 0 sends to endpoint 3, and each attempt takes the
 * dead spine on the toss of a coin. An attempt that succeeds takes two cycles for each of three routers.
 * Masked, the spine (router 2) refuses in cycle 2, and the source starts again in cycle 5; blind, leaf 1
 * (router 3) refuses in cycle 4, and the source starts again in cycle 8. */
static void a_coin_decides(void **state) {
    (void)state;
    static const struct {
        const char *faults;
        unsigned attempt; /* cycles of one that fails */
    } mode[] = {{"name:s1.1/3,mode=masked", 5}, {"name:s1.1/3,mode=blind", 8}};
    const char *file = temporary_file("one.csv", "source,destination\n0,3\n", 0);
    char traffic[200];
    snprintf(traffic, sizeof traffic, "messages:file=\"%s\"", file);
    for (size_t k = 0; k < COUNT(mode); k++) {
        const char *const spec[] = {"xgft:down=2x2,up=1x2", mode[k].faults, "free"};
        double delivered[4] = {0};
        faulty f;
        open_faulty(&f, spec, traffic, "circuit:mode=cycles,give_up=3,latency=1,period=4ns");
        for (unsigned trial = 0; trial < 4000; trial++) {
            bench_trial(&f.b, 1, trial);
            double attempts = bench_plain(&f.b, BOUGH_METRIC_ATTEMPTS);
            bool arrived = bench_plain(&f.b, BOUGH_METRIC_DELIVERED) == 1;
            bench_same(bench_plain(&f.b, BOUGH_METRIC_GIVEN_UP), !arrived, "given_up");
            assert_int_equal(f.b.rows.outcome, arrived ? BOUGH_RUN_OK : BOUGH_RUN_PARTIAL);
            delivered[arrived ? (unsigned)attempts : 0]++;
            if (!arrived) {
                bench_same(attempts, 3, "all attempts");
                bench_same(bench_plain(&f.b, BOUGH_METRIC_DELIVERED), 0, "delivered");
                bench_same(bench_plain(&f.b, BOUGH_METRIC_CYCLES), 3 * mode[k].attempt - 1, "notified");
                assert_true(isnan(bench_plain(&f.b, BOUGH_METRIC_LATENCY)));
                continue;
            }
            double latency = mode[k].attempt * (attempts - 1) + 6;
            bench_same(bench_plain(&f.b, BOUGH_METRIC_LATENCY), latency, "mean");
            bench_same(bench_plain(&f.b, BOUGH_METRIC_LATENCY_P99), latency, "p99");
            bench_same(bench_plain(&f.b, BOUGH_METRIC_LATENCY_NS), 4 * latency, "ns");
            bench_same(bench_plain(&f.b, BOUGH_METRIC_LATENCY_P95_NS), 4 * latency, "p95, ns");
        }
        for (unsigned a = 0; a < 4; a++) /* four standard deviations */
            assert_true(fabs(delivered[a] / 4000 - (a ? pow(0.5, a) : 0.125)) < 0.032);
        close_faulty(&f);
    }
}

/* Without faults or give_up= streams have no fraction delivered: it is 1. */
static void streams_without_losses(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=16", NULL, "poisson:load=0.2", "circuit:mode=cycles,messages=5000,period=2ns");
    bench_trial(&b, 1, 0);
    assert_true(isnan(bench_plain(&b, BOUGH_METRIC_DELIVERED)));
    bench_same(bench_plain(&b, BOUGH_METRIC_LATENCY_P95_NS), 2 * bench_plain(&b, BOUGH_METRIC_LATENCY_P95),
               "p95");
    bench_close(&b);
    bench_open(&b, "fattree:n=16", NULL, "poisson:load=0.2", "circuit:mode=cycles,messages=5000,give_up=1");
    bench_trial(&b, 1, 0);
    double delivered = bench_plain(&b, BOUGH_METRIC_DELIVERED), lost = bench_plain(&b, BOUGH_METRIC_GIVEN_UP);
    bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, "one attempt");
    assert_true(delivered > 0.5 && delivered < 0.95);
    assert_true(fabs(delivered - 5000 / (5000 + lost)) < 0.001);
    assert_int_equal(b.rows.outcome, BOUGH_RUN_PARTIAL);
    bench_close(&b);
}

/* ---- a batch as a stream ---- */

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Arrivals of the stream that offers all messages in cycle 0, sorted. */
static uint64_t stream_arrivals(const bench *b, const circuit_options *o, bough_key key, uint64_t *time,
                                circuit_counts *counts) {
    sim_engine *engine;
    bough_source *source;
    sim_advance part = {.until = 1 << 22, .want = 1 << 22};
    assert_int_equal(circuit_stream_make(b->run, o, &engine, NULL), BOUGH_OK);
    assert_int_equal(bough_traffic_open(b->traffic, key, NULL, &source, NULL), BOUGH_OK);
    engine->ops->start(engine, key, source);
    assert_int_equal(engine->ops->advance(engine, &part, NULL), BOUGH_OK);
    for (uint64_t i = 0; i < part.count; i++) time[i] = part.deliveries[i].arrived;
    qsort(time, part.count, sizeof *time, by_size);
    circuit_stream_counts(engine, counts);
    assert_int_equal(engine->offered, engine->arrived); /* none is left */
    source->close(source);
    engine->ops->destroy(engine);
    return part.count;
}

static void same_arrivals(faulty *f, const circuit_options *o, uint64_t trial, uint64_t *lost) {
    bough_key key = bough_key_make(3, trial);
    const circuit_trial t = {f->b.run, o, key};
    circuit_generic *w = NULL;
    circuit_result r;
    circuit_counts counts;
    assert_int_equal(circuit_generic_run(&t, &w, &r, NULL), BOUGH_OK);
    assert_false(r.cut_off);
    uint64_t *batch = calloc(r.messages + 1, sizeof *batch), *stream = calloc(r.messages + 1, sizeof *stream);
    for (uint64_t i = 0; i < r.latency->count; i++) batch[i] = r.latency->latency[i];
    qsort(batch, r.latency->count, sizeof *batch, by_size);
    assert_int_equal(stream_arrivals(&f->b, o, key, stream, &counts), r.latency->count);
    for (uint64_t i = 0; i < r.latency->count; i++) assert_int_equal(stream[i], batch[i]);
    assert_int_equal(counts.delivered + counts.lost, r.messages);
    assert_int_equal(counts.delivered, r.latency->count);
    assert_int_equal(counts.given_up, r.given_up);
    assert_int_equal(counts.lost, r.given_up + r.unrouted);
    lost[0] += r.unrouted;
    lost[1] += r.given_up;
    free(batch);
    free(stream);
    circuit_generic_free(w);
}

static void a_batch_as_a_stream(void **state) {
    (void)state;
    static const char *const where[][3] = {
        {"transit:n=64", "links:share=8%,mode=masked", "free"},
        {"transit:n=64", "links:share=8%,mode=blind", "free"},
        {"transit:n=64", "links:share=8%,mode=rerouted", "first"},
        {"transit:leaf=12,stages=1", "chips:share=10%,mode=blind", "first"},
        {"transit:leaf=12,stages=1", "chips:share=10%,mode=masked", "first"},
        {"bft:n=64", "links:share=10%,mode=masked", "free"},
    };
    const circuit_options rule[] = {
        {.retry = CIRCUIT_IMMEDIATE, .slot = 64, .give_up = 1, .forward = 2, .back = 1},
        {.retry = CIRCUIT_IMMEDIATE,
         .slot = 64,
         .payload = 9,
         .discard = true,
         .give_up = 5,
         .forward = 1,
         .back = 1},
        {.retry = CIRCUIT_BACKOFF, .slot = 5, .bound = 64, .give_up = 9, .forward = 1, .back = 2},
    };
    for (size_t i = 0; i < COUNT(where); i++)
        for (size_t k = 0; k < COUNT(rule); k++) {
            circuit_options o = rule[k];
            uint64_t lost[2] = {0};
            faulty f;
            o.mode = CIRCUIT_CYCLES;
            o.latency = true;
            o.round_limit = o.cycle_limit = UINT64_MAX;
            open_faulty(&f, where[i], "randperm", "circuit:mode=cycles");
            for (uint64_t trial = 0; trial < 6; trial++) same_arrivals(&f, &o, trial, lost);
            assert_true(lost[0] > 0 || i > 2); /* the comparison covers both losses */
            assert_true(lost[1] > 0 || k > 0);
            close_faulty(&f);
        }
}

/* ---- streams ---- */

/* Where every message that has a route is delivered, the fraction delivered is that of the connected pairs.
 */
static void what_is_connected_is_delivered(void **state) {
    (void)state;
    static const char *const where[][3] = {
        {"transit:n=64", "links:share=15%,mode=masked", "free"},
        {"transit:n=64", "links:share=15%,mode=blind", "free"},
        {"transit:n=64", "links:share=15%,mode=rerouted", "free"},
        {"kary:k=4,levels=2", "links:share=15%,mode=masked", "dmodk"},
    };
    for (size_t i = 0; i < COUNT(where); i++) {
        faulty f;
        open_faulty(&f, where[i], "uniform", "connectivity");
        bench_trial(&f.b, 1, 0);
        double connected = bench_plain(&f.b, BOUGH_METRIC_CONNECTED);
        close_faulty(&f);
        if (!(connected > 0.5 && connected < 0.995))
            fail_msg("%s %s: %g", where[i][0], where[i][1], connected);
        open_faulty(&f, where[i], "poisson:load=0.02,flits=4", "circuit:mode=cycles,messages=40000,jitter=3");
        bench_trial(&f.b, 1, 0);
        double delivered = bench_plain(&f.b, BOUGH_METRIC_DELIVERED);
        double sd = sqrt(connected * (1 - connected) / 40000);
        if (!(fabs(delivered - connected) < 4 * sd))
            fail_msg("%s: %g, %g", where[i][1], delivered, connected);
        assert_int_equal(f.b.rows.outcome, BOUGH_RUN_PARTIAL);
        assert_true(bench_plain(&f.b, BOUGH_METRIC_UNROUTED) > 0);
        close_faulty(&f);
    }
}

/* A message that is refused forever holds back those behind it: queues grow. With give_up= they do not. */
static void a_source_that_is_refused_forever(void **state) {
    (void)state;
    const char *const spec[] = {"transit:n=64", "chips:share=15%,mode=blind", "first"};
    faulty f;
    open_faulty(&f, spec, "poisson:load=0.01,flits=4", "circuit:mode=cycles,messages=4096");
    bench_trial(&f.b, 1, 0);
    assert_int_equal(f.b.rows.outcome, BOUGH_RUN_SATURATED);
    close_faulty(&f);
    open_faulty(&f, spec, "poisson:load=0.01,flits=4", "circuit:mode=cycles,messages=4096,give_up=4");
    bench_trial(&f.b, 1, 0);
    assert_int_equal(f.b.rows.outcome, BOUGH_RUN_PARTIAL);
    assert_true(bench_plain(&f.b, BOUGH_METRIC_GIVEN_UP) > 0);
    close_faulty(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coin_decides),
        cmocka_unit_test(streams_without_losses),
        cmocka_unit_test(a_batch_as_a_stream),
        cmocka_unit_test(what_is_connected_is_delivered),
        cmocka_unit_test(a_source_that_is_refused_forever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
