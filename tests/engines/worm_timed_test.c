/* The engine of `worm` for schedules against a program that moves every flit in every tick: every delivery
 * the same, on every kind of network, with delays and rates that differ from link to link. */
#include "engines/wormhole/timed/worm_timed.h"
#include "support/listed.h"
#include "support/places.h"
#include "support/rings.h"
#include "support/timed_oracle.h"
#include "support/worm_stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

static const struct {
    const char *net, *routing; /* net "cube:D": the test family */
    double capacity;           /* flits a tick and endpoint that saturate it, roughly */
} places[] = {
    {"fattree:n=16", "free", 0.5},
    {"fattree:n=16", "least", 0.5},
    {"fattree:n=32", "dmodk", 0.5},
    {"fattree:n=16", "hash", 0.5},
    {"xgft:down=4x4,up=1x2,links=1x2", "free", 0.4},
    {"xgft:down=4x4,up=1x2,links=1x2", "random", 0.3},
    {"xgft:down=4x4x2,up=1x2x2", "free", 0.1},
    {"kary:k=4,levels=2", "first", 0.5},
    {"xgft:down=8,up=1", "dmodk", 0.5},
    {"cube:4", "free", 0.3},
    {FABRIC, "free", 0.3},
    {FABRIC, TABLES, 0.3},
};

/* Ticks of links: of a flit, delay, delay for messages that go on. */
static timed_link *draw_links(const bough_net *net, unsigned rates, uint64_t delay, bough_key key) {
    static const uint64_t flit[] = {1, 2, 4, 5, 8};
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 1, 0);
    timed_link *link = calloc(net->links, sizeof *link);
    assert_non_null(link);
    for (uint64_t l = 0; l < net->links; l++)
        link[l] =
            (timed_link){flit[bough_stream_below(&stream, rates)], bough_stream_below(&stream, delay + 1),
                         bough_stream_below(&stream, delay / 2 + 1)};
    return link;
}

/* A flit of one byte takes so many ps. */
static worm_wire *wires_of(const bough_net *net, const timed_link *link) {
    worm_wire *wire = calloc(net->links, sizeof *wire);
    assert_non_null(wire);
    for (uint64_t l = 0; l < net->links; l++)
        wire[l] = (worm_wire){UINT64_C(8000000000000) / link[l].flit, link[l].delay, link[l].onward};
    return wire;
}

/* All of f through the engine; fate by id. */
static timed_fate *run_timed(const place *p, listed *f, const worm_options *o, bough_key key, uint64_t step) {
    sim_engine *e;
    bough_error error = {0};
    timed_fate *fate = calloc(f->count + 1, sizeof *fate);
    assert_non_null(fate);
    for (uint32_t i = 0; i < f->count; i++) fate[i].arrived = BOUGH_NONE;
    if (worm_timed_make(p->routing, o, 32, &e, &error)) fail_msg("%s", error.reason);
    for (int twice = 0; twice < 2; twice++) { /* what a trial leaves behind does not matter */
        listed_again(f);
        e->ops->start(e, key, &f->base);
        for (;;) {
            sim_advance part = {.until = e->now + step, .want = 7};
            if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
            for (uint64_t i = 0; i < part.count; i++) {
                const sim_delivery *d = &part.deliveries[i];
                fate[d->id] = (timed_fate){d->entered, d->arrived, d->hops};
            }
            if (part.count == 0 && e->now < part.until) break; /* all done */
        }
    }
    e->ops->destroy(e);
    return fate;
}

/* The setting of a comparison. */
typedef struct setting {
    const char *what;
    unsigned rates;
    uint64_t delay;
    uint32_t buffer;
} setting;

static void compare(const place *p, listed *f, const setting *s, bough_key key) {
    timed_link *link = draw_links(p->net, s->rates, s->delay, key);
    worm_wire *wire = wires_of(p->net, link);
    worm_options o = {.flits = 1, .flit = 1, .buffer = s->buffer, .vcs = 1, .wires = wire};
    timed_result slow;
    listed_again(f);
    timed_run(p->routing, &f->base, link, s->buffer, f->count, key, &slow);
    assert_false(slow.stuck || f->trouble);
    timed_fate *fast = run_timed(p, f, &o, key, f->count % 2 ? 3 : 1000);
    assert_false(f->trouble);
    for (uint32_t i = 0; i < f->count; i++) {
        if (memcmp(&slow.fate[i], &fast[i], sizeof *fast))
            fail_msg(
                "%s, buffer %u, rates %u, delay %d, message %u: entered %lld arrived %lld, engine %lld %lld",
                s->what, s->buffer, s->rates, (int)s->delay, i, (long long)slow.fate[i].entered,
                (long long)slow.fate[i].arrived, (long long)fast[i].entered, (long long)fast[i].arrived);
        if (f->base.delivered) assert_int_equal(f->told[i], fast[i].arrived + 1);
    }
    free(slow.fate);
    free(fast);
    free(link);
    free(wire);
}

static void test_every_delivery(void **state) {
    (void)state;
    static const unsigned rates[] = {1, 2, 5};
    static const uint64_t delays[] = {0, 1, 3, 20}, lengths[] = {1, 3, 40};
    static const uint32_t buffers[] = {1, 2, 7};
    uint64_t trial = 0;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t r = 0; r < COUNT(rates); r++)
            for (size_t d = 0; d < COUNT(delays); d++)
                for (size_t k = 0; k < COUNT(lengths); k++) {
                    bough_key key = bough_key_make(15, trial++);
                    double load[] = {0.3, 0.9, 1.5};
                    double rate =
                        load[trial % 3] * places[i].capacity / (double)(lengths[k] + 1) * 2 / (double)(r + 1);
                    setting s = {places[i].net, rates[r], delays[d], buffers[trial / 3 % 3]};
                    listed f = listed_poisson(p.net, rate, 120, (uint32_t)lengths[k], key);
                    f.chained = trial % 7 == 0;
                    compare(&p, &f, &s, key);
                    listed_fini(&f);
                }
        place_free(&p);
    }
}

/* Without delays, with buffers of one flit and equal rates: plain wormhole routing. */
static void test_cycles(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (uint64_t k = 0; k < 4; k++) {
            bough_key key = bough_key_make(16, i * 10 + k);
            timed_link *link = draw_links(p.net, 1, 0, key);
            worm_wire *wire = wires_of(p.net, link);
            worm_options o = {.flits = 1 + k * 7, .flit = 1, .buffer = 1, .vcs = 1, .wires = wire};
            listed f = listed_poisson(p.net, places[i].capacity / (1 + (double)k * 14), 1500, 3, key);
            worm_result slow;
            worm_step(p.routing, &f.base, o.flits, f.count, 1 << 24, key, &slow);
            timed_fate *fast = run_timed(&p, &f, &o, key, 1000);
            for (uint32_t m = 0; m < f.count; m++) assert_int_equal(slow.fate[m].delivered, fast[m].arrived);
            free(slow.fate);
            free(fast);
            free(link);
            free(wire);
            listed_fini(&f);
        }
        place_free(&p);
    }
}

/* A message alone takes the sum of the flit times and delays of its links, and the rest of its flits at the
 * rate of the slowest: to the ps for any rates, however small the buffers. */
static void test_alone(void **state) {
    (void)state;
    static const uint64_t rate[] = {56000000000, 40000000000, 100000000000, 25000000000, 6000000000000};
    place p = place_make("xgft:down=4x4x2,up=1x2x2", "dmodk");
    worm_wire *wire = calloc(p.net->links, sizeof *wire);
    assert_non_null(wire);
    for (uint64_t k = 0; k < 200; k++) {
        bough_stream stream = bough_stream_make(bough_key_make(17, k), BOUGH_DRAW_ARRIVAL, 2, 0);
        for (uint64_t l = 0; l < p.net->links; l++)
            wire[l] = (worm_wire){rate[bough_stream_below(&stream, 5)], bough_stream_below(&stream, 300000),
                                  bough_stream_below(&stream, 300000)};
        worm_options o = {.flits = 1, .flit = 64, .buffer = 1 + k % 3, .vcs = 1, .wires = wire};
        listed f = listed_make(1);
        uint64_t to = 1 + k % (p.net->endpoints - 1), time = 0, slowest = UINT64_MAX;
        uint64_t flits = k % 5 == 4 ? 10000000 : 1 + k % 40;
        f.message[0] = (bough_message){7, flits, 0, (uint32_t)bough_endpoint_address(p.net, to), 0};
        for (uint64_t node = 0; node != to;) {
            bough_route route;
            bough_route_at(p.routing, node, &(bough_flow){0, f.message[0].address, 0}, &route);
            uint64_t link = bough_route_link(&route, 0);
            node = p.net->ops->link_end(p.net, link).node;
            time +=
                worm_wire_time(64, wire[link].rate) + wire[link].delay + (node == to ? 0 : wire[link].onward);
            if (wire[link].rate < slowest) slowest = wire[link].rate;
        }
        timed_fate *fate = run_timed(&p, &f, &o, bough_key_make(17, k), UINT64_MAX / 2);
        uint64_t want = 7 + time + worm_wire_time((flits - 1) * 64, slowest);
        if (fate[0].arrived > want + 1 || fate[0].arrived < want)
            fail_msg("%llu flits: %llu ps, want %llu", (unsigned long long)flits,
                     (unsigned long long)fate[0].arrived, (unsigned long long)want);
        free(fate);
        listed_fini(&f);
    }
    free(wire);
    place_free(&p);
}

/* Messages of one flit follow each other without a gap over a delay of 50 flits, with a buffer of one. */
static void test_delay_costs_no_throughput(void **state) {
    (void)state;
    enum { N = 1000, DELAY = 50 };
    place p = place_make("xgft:down=2,up=1", "dmodk");
    worm_wire *wire = calloc(p.net->links, sizeof *wire);
    assert_non_null(wire);
    for (uint64_t l = 0; l < p.net->links; l++) wire[l] = (worm_wire){UINT64_C(8000000000000), DELAY, 0};
    worm_options o = {.flits = 1, .flit = 1, .buffer = 1, .vcs = 1, .wires = wire};
    listed f = listed_make(N);
    for (uint32_t i = 0; i < N; i++)
        f.message[i] = (bough_message){0, 1, 0, (uint32_t)bough_endpoint_address(p.net, 1), i};
    timed_fate *fate = run_timed(&p, &f, &o, bough_key_make(18, 0), 1000);
    uint64_t last = 0;
    for (uint32_t i = 0; i < N; i++)
        if (fate[i].arrived > last) last = fate[i].arrived;
    assert_int_equal(last, 2 * (1 + DELAY) + N - 1);
    free(fate);
    free(wire);
    listed_fini(&f);
    place_free(&p);
}

/* Clockwise around a ring worms can deadlock: the engine stops where the oracle does. */
static void test_deadlock(void **state) {
    (void)state;
    uint32_t stuck = 0, runs = 0;
    for (uint32_t size = 3; size <= 5; size++) {
        bough_routing *ring = ring_routing(size, 2);
        place p = {(bough_net *)ring->net, ring};
        for (uint32_t k = 0; k < 60; k++, runs++) {
            bough_key key = bough_key_make(19, size * 100 + k);
            timed_link *link = draw_links(p.net, 1 + k % 2, 1 + k % 6, key);
            worm_wire *wire = wires_of(p.net, link);
            worm_options o = {
                .flits = 1, .flit = 1, .buffer = 1 + k % 3, .vcs = 1, .detect = true, .wires = wire};
            listed f = listed_poisson(p.net, 0.0008 * (1 + k % 6), 60, 30, key);
            timed_result slow;
            bough_error error = {0};
            sim_engine *e;
            uint64_t count, where, left = 0;
            timed_run(p.routing, &f.base, link, o.buffer, f.count, key, &slow);
            for (uint32_t i = 0; i < f.count; i++) left += slow.fate[i].arrived == BOUGH_NONE;
            listed_again(&f);
            assert_int_equal(worm_timed_make(p.routing, &o, 32, &e, &error), BOUGH_OK);
            e->ops->start(e, key, &f.base);
            sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
            assert_int_equal(e->ops->advance(e, &part, &error), BOUGH_OK);
            assert_int_equal(part.count, f.count - left);
            assert_int_equal(e->ops->stuck(e, &count, &where, &error), BOUGH_OK);
            assert_int_equal(count, left);
            assert_int_equal(slow.stuck, left > 0);
            stuck += slow.stuck;
            e->ops->destroy(e);
            free(slow.fate);
            free(link);
            free(wire);
            listed_fini(&f);
        }
        place_free(&p);
    }
    print_message("%u of %u runs on rings got stuck\n", stuck, runs);
    assert_true(stuck > runs / 10 && stuck < runs - runs / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),   cmocka_unit_test(test_every_delivery),
        cmocka_unit_test(test_alone),    cmocka_unit_test(test_delay_costs_no_throughput),
        cmocka_unit_test(test_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
