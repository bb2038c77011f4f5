/* The event-driven engine of `worm` against a program that moves every flit in every cycle: every delivery
 * the same, on every kind of network, for worms shorter and longer than their paths, up to overload. */
#include "engines/wormhole/worm_events.h"
#include "support/listed.h"
#include "support/places.h"
#include "support/switch_oracle.h"
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
    {"fattree:n=16", "free", 0.5},
    {"fattree:n=16", "least", 0.5},
    {"fattree:n=64", "dmodk", 0.5},
    {"fattree:n=16", "hash", 0.5},
    {"xgft:down=4x4,up=1x2,links=1x2", "free", 0.4},
    {"xgft:down=4x4,up=1x2,links=1x2", "random", 0.3},
    {"xgft:down=4x4x4,up=1x2x2", "free", 0.1},
    {"kary:k=4,levels=3", "first", 0.5},
    {"cube:4", "free", 0.3},
    {"cube:5", "first", 0.3},
    {"torus:dims=4x3,oneway=1,classes=2", "first", 0.3},
    {FABRIC, "free", 0.3},
    {FABRIC, TABLES, 0.3},
};
static const uint64_t lengths[] = {1, 2, 3, 5, 8, 16, 40, 64};

/* All of f through the engine; fate by id. */
static worm_result run_events(const place *p, listed *f, const worm_options *o, bough_key key,
                              uint64_t cycles, uint64_t step) {
    sim_engine *e;
    bough_error error = {0};
    worm_result r = {.fate = calloc(f->count + 1, sizeof *r.fate)};
    if (worm_events_make(p->routing, o, 64, &e, &error)) fail_msg("%s", error.reason);
    e->ops->start(e, key, &f->base);
    for (;;) {
        sim_advance part = {.until = e->now + step < cycles ? e->now + step : cycles, .want = 7};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint64_t i = 0; i < part.count; i++) {
            const sim_delivery *d = &part.deliveries[i];
            r.fate[d->id] =
                (worm_fate){d->offered, d->arrived, 0, d->source, d->address, d->hops, d->arrived < cycles};
        }
        if (part.count == 0 && e->now < part.until) break; /* all done */
        if (e->now == cycles) break;
    }
    r.crossings = e->moves;
    e->ops->destroy(e);
    return r;
}

static void compare(const place *p, listed *f, uint64_t flits, bough_key key, uint64_t cycles, bool told,
                    const char *what) {
    worm_options o = {.flits = flits, .buffer = 1, .vcs = 1};
    worm_result slow, fast;
    listed_again(f);
    void (*tell)(bough_source *, uint32_t, uint64_t) = f->base.delivered;
    worm_step(p->routing, &f->base, flits, f->count, cycles, key, &slow);
    listed_again(f);
    if (!told) f->base.delivered = NULL;
    fast = run_events(p, f, &o, key, cycles, told ? 3 : 1000);
    f->base.delivered = tell;
    assert_false(f->trouble);
    for (uint32_t i = 0; i < f->count; i++) {
        if (slow.fate[i].arrived != fast.fate[i].arrived ||
            (slow.fate[i].arrived &&
             (slow.fate[i].delivered != fast.fate[i].delivered || slow.fate[i].hops != fast.fate[i].hops)))
            fail_msg("%s, %llu flits, message %u: arrived %d %d at %llu, engine %llu", what,
                     (unsigned long long)flits, i, slow.fate[i].arrived, fast.fate[i].arrived,
                     (unsigned long long)slow.fate[i].delivered, (unsigned long long)fast.fate[i].delivered);
        if (told && fast.fate[i].arrived) assert_int_equal(f->told[i], fast.fate[i].delivered + 1);
    }
    free(slow.fate);
    free(fast.fate);
}

static void test_every_delivery(void **state) {
    (void)state;
    static const double loads[] = {0.3, 0.9, 1.3};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++)
            for (size_t j = 0; j < COUNT(loads); j++) {
                bough_key key = bough_key_make(5, i * 100 + k * 10 + j);
                double rate = loads[j] * places[i].capacity / (double)lengths[k];
                listed f = listed_poisson(p.net, rate, 1500, 1, key);
                compare(&p, &f, lengths[k], key, 1 << 20, (i + k + j) % 2, places[i].net);
                compare(&p, &f, lengths[k], key, 200, (i + k + j) % 2, places[i].net); /* cut off */
                listed_fini(&f);
            }
        place_free(&p);
    }
}

/* Messages of many lengths in one run. */
static void test_mixed_lengths(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (uint64_t trial = 0; trial < 4; trial++) {
            bough_key key = bough_key_make(6, i * 10 + trial);
            listed f = listed_poisson(p.net, places[i].capacity / 6, 2000, trial < 2 ? 12 : 3, key);
            compare(&p, &f, 1, key, 1 << 20, trial % 2, places[i].net);
            listed_fini(&f);
        }
        place_free(&p);
    }
}

/* Buffers of more than a flit, and messages that know of each other: against the oracle of switches, which
 * are plain wormhole routing with one virtual channel and credits at once. */
static void test_buffers(void **state) {
    (void)state;
    static const uint32_t buffers[] = {1, 2, 3, 4, 7, 16, 80};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++)
            for (size_t b = 0; b < COUNT(buffers); b++) {
                bough_key key = bough_key_make(8, i * 100 + k * 10 + b);
                double load = (b % 3 == 0 ? 0.5 : b % 3 == 1 ? 0.9 : 1.3) * places[i].capacity;
                worm_options o = {.flits = lengths[k], .buffer = buffers[b], .vcs = 1};
                listed f = listed_poisson(p.net, load / (double)lengths[k] / (k % 2 ? 1 : 2), 100,
                                          k % 2 ? 1 : 3, key);
                switch_result slow;
                f.chained = b == 6 && k < 4;
                listed_again(&f);
                switch_run(p.routing, &f.base, &o, f.count, 1 << 20, key, &slow);
                listed_again(&f);
                worm_result fast = run_events(&p, &f, &o, key, 1 << 20, 50);
                for (uint32_t m = 0; m < f.count; m++)
                    if (!fast.fate[m].arrived || slow.fate[m].arrived != fast.fate[m].delivered)
                        fail_msg("%s, %d flits, buffers of %d, message %u: %d, engine %d", places[i].net,
                                 (int)lengths[k], (int)buffers[b], m, (int)slow.fate[m].arrived,
                                 (int)fast.fate[m].delivered);
                switch_result_fini(&slow);
                free(fast.fate);
                listed_fini(&f);
            }
        place_free(&p);
    }
}

/* F + D - 1 over D links when nobody is in the way, however big the buffers. */
static void test_alone(void **state) {
    (void)state;
    place p = place_make("fattree:n=16", "free");
    bough_key key = bough_key_make(7, 0);
    for (uint32_t buffer = 1; buffer < 9; buffer++)
        for (uint64_t flits = 1; flits < 20; flits++) {
            listed f = listed_poisson(p.net, 1e-6, 50, 1, key);
            f.base.delivered = NULL;
            worm_options o = {.flits = flits, .buffer = buffer, .vcs = 1};
            worm_result r = run_events(&p, &f, &o, key, UINT64_MAX, 1 << 30);
            for (uint32_t i = 0; i < f.count; i++)
                assert_int_equal(r.fate[i].delivered - r.fate[i].offered, flits + r.fate[i].hops - 1);
            free(r.fate);
            listed_fini(&f);
        }
    place_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_delivery),
        cmocka_unit_test(test_mixed_lengths),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
