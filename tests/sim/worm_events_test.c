/* The event-driven engine of `worm` against a program that moves every flit in every cycle: every delivery
 * the same, on every kind of network, for worms shorter and longer than their paths, up to overload. */
#include "sim/worm_events.h"
#include "support/cube.h"
#include "support/worm_stepper.h"

#include <math.h>
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
    double capacity;           /* flits a cycle and endpoint that saturate it, roughly */
} places[] = {
    {"fattree:n=16", "random", 0.5},
    {"fattree:n=16", "least", 0.5},
    {"fattree:n=64", "dmodk", 0.5},
    {"fattree:n=16", "hash", 0.5},
    {"xgft:down=4x4,up=1x2,links=1x2", "random", 0.4},
    {"xgft:down=4x4x4,up=1x2x2", "random", 0.1},
    {"kary:k=4,levels=3", "first", 0.5},
    {"cube:4", "random", 0.3},
    {"cube:5", "first", 0.3},
    {FABRIC, "random", 0.3},
    {FABRIC, TABLES, 0.3},
};
static const uint64_t lengths[] = {1, 2, 3, 5, 8, 16, 40, 64};

typedef struct place {
    bough_net *net;
    bough_routing *routing;
} place;

static place go(const char *net, const char *routing) {
    place p;
    bough_error error = {0};
    bough_status status = strncmp(net, "cube:", 5) == 0 ? cube_create((unsigned)atoi(net + 5), &p.net, &error)
                                                        : bough_net_create(net, &p.net, &error);
    if (status) fail_msg("%s: %s %s", net, error.place, error.reason);
    if (bough_routing_create(p.net, routing, &p.routing, &error))
        fail_msg("%s, %s: %s %s", net, routing, error.place, error.reason);
    return p;
}

static void leave(place *p) {
    bough_routing_destroy(p->routing);
    bough_net_destroy(p->net);
}

/* Messages with times. With a delay, message i + n is sent by who received message i, delay cycles later. */
typedef struct feed {
    bough_source base;
    bough_message *message;
    uint64_t *delivered; /* per id: 1 + the time it was reported at */
    uint32_t count, next;
} feed;

static uint64_t feed_next_time(bough_source *source) {
    feed *f = (feed *)source;
    return f->next < f->count ? f->message[f->next].time : BOUGH_NONE;
}
static uint32_t feed_pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    feed *f = (feed *)source;
    uint32_t got = 0;
    while (got < capacity && f->next < f->count && f->message[f->next].time <= now)
        out[got++] = f->message[f->next++];
    return got;
}
static void feed_delivered(bough_source *source, uint32_t id, uint64_t time) {
    feed *f = (feed *)source;
    assert_true(id < f->next && !f->delivered[id]);
    f->delivered[id] = time + 1;
}

/* Poisson, uniform; sizes 1 .. sizes at random. */
static feed poisson(const bough_net *net, double rate, uint32_t count, uint32_t sizes, bough_key key) {
    feed f = {.base = {feed_next_time, feed_pop, feed_delivered, NULL}, .count = count};
    f.message = calloc(count + 1, sizeof *f.message);
    f.delivered = calloc(count + 1, sizeof *f.delivered);
    assert_true(f.message && f.delivered);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_TEST, 0, 0);
    double time = 0;
    for (uint32_t i = 0; i < count; i++) {
        time -= log(1 - bough_unit(bough_stream_next(&stream))) / (rate * (double)net->endpoints);
        uint64_t source = bough_stream_below(&stream, net->endpoints);
        uint64_t target = bough_stream_below(&stream, net->endpoints - 1);
        target += target >= source;
        f.message[i] = (bough_message){(uint64_t)ceil(time), 1 + bough_stream_below(&stream, sizes),
                                       (uint32_t)source, (uint32_t)bough_endpoint_address(net, target), i};
    }
    return f;
}
static void again(feed *f) {
    f->next = 0;
    memset(f->delivered, 0, f->count * sizeof *f->delivered);
}
static void feed_fini(feed *f) {
    free(f->message);
    free(f->delivered);
}

/* All of f through the engine; fate by id. */
static worm_result run_events(const place *p, feed *f, const worm_options *o, bough_key key, uint64_t cycles,
                              uint64_t step) {
    worm_engine *e;
    bough_error error = {0};
    worm_result r = {.fate = calloc(f->count + 1, sizeof *r.fate)};
    if (worm_events_make(p->routing, o, 64, &e, &error)) fail_msg("%s", error.reason);
    e->ops->start(e, key, &f->base);
    for (;;) {
        const worm_delivery *d;
        uint64_t count, before = e->now;
        uint64_t until = before + step < cycles ? before + step : cycles;
        if (e->ops->advance(e, until, 7, &d, &count, &error)) fail_msg("%s", error.reason);
        for (uint64_t i = 0; i < count; i++)
            r.fate[d[i].id] = (worm_fate){d[i].offered, d[i].arrived,         0, d[i].source, d[i].address,
                                          d[i].hops,    d[i].arrived < cycles};
        if (count == 0 && e->now < until) break; /* all done */
        if (e->now == cycles) break;
    }
    r.crossings = e->moves;
    e->ops->destroy(e);
    return r;
}

static void compare(const place *p, feed *f, uint64_t flits, bough_key key, uint64_t cycles, bool told,
                    const char *what) {
    worm_options o = {.flits = flits, .buffer = 1, .vcs = 1};
    worm_result slow, fast;
    again(f);
    f->base.delivered = feed_delivered;
    worm_step(p->routing, &f->base, flits, f->count, cycles, key, &slow);
    again(f);
    f->base.delivered = told ? feed_delivered : NULL;
    fast = run_events(p, f, &o, key, cycles, told ? 3 : 1000);
    for (uint32_t i = 0; i < f->count; i++) {
        if (slow.fate[i].arrived != fast.fate[i].arrived ||
            (slow.fate[i].arrived &&
             (slow.fate[i].delivered != fast.fate[i].delivered || slow.fate[i].hops != fast.fate[i].hops)))
            fail_msg("%s, %llu flits, message %u: arrived %d %d at %llu, engine %llu", what,
                     (unsigned long long)flits, i, slow.fate[i].arrived, fast.fate[i].arrived,
                     (unsigned long long)slow.fate[i].delivered, (unsigned long long)fast.fate[i].delivered);
        if (told && fast.fate[i].arrived) assert_int_equal(f->delivered[i], fast.fate[i].delivered + 1);
    }
    free(slow.fate);
    free(fast.fate);
}

static void test_every_delivery(void **state) {
    (void)state;
    static const double loads[] = {0.3, 0.9, 1.3};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = go(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++)
            for (size_t j = 0; j < COUNT(loads); j++) {
                bough_key key = bough_key_make(5, i * 100 + k * 10 + j);
                double rate = loads[j] * places[i].capacity / (double)lengths[k];
                feed f = poisson(p.net, rate, 1500, 1, key);
                compare(&p, &f, lengths[k], key, 1 << 20, (i + k + j) % 2, places[i].net);
                compare(&p, &f, lengths[k], key, 200, (i + k + j) % 2, places[i].net); /* cut off */
                feed_fini(&f);
            }
        leave(&p);
    }
}

/* Messages of many lengths in one run. */
static void test_mixed_lengths(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = go(places[i].net, places[i].routing);
        for (uint64_t trial = 0; trial < 4; trial++) {
            bough_key key = bough_key_make(6, i * 10 + trial);
            feed f = poisson(p.net, places[i].capacity / 6, 2000, trial < 2 ? 12 : 3, key);
            compare(&p, &f, 1, key, 1 << 20, trial % 2, places[i].net);
            feed_fini(&f);
        }
        leave(&p);
    }
}

/* F + D - 1 over D links when nobody is in the way, however big the buffers. */
static void test_alone(void **state) {
    (void)state;
    place p = go("fattree:n=16", "random");
    bough_key key = bough_key_make(7, 0);
    for (uint32_t buffer = 1; buffer < 9; buffer++)
        for (uint64_t flits = 1; flits < 20; flits++) {
            feed f = poisson(p.net, 1e-6, 50, 1, key);
            f.base.delivered = NULL;
            worm_options o = {.flits = flits, .buffer = buffer, .vcs = 1};
            worm_result r = run_events(&p, &f, &o, key, UINT64_MAX, 1 << 30);
            for (uint32_t i = 0; i < f.count; i++)
                assert_int_equal(r.fate[i].delivered - r.fate[i].offered, flits + r.fate[i].hops - 1);
            free(r.fate);
            feed_fini(&f);
        }
    leave(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_delivery),
        cmocka_unit_test(test_mixed_lengths),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
