/* Virtual channels with credits. The oracle (tests/support/switch_oracle.c) must be plain wormhole routing
 * (worm_stepper.c) where both apply; the engine must be the oracle, message by message and in every counter
 * of every link. What can be done by hand is in worm_switch_rules_test.c. */
#include "engines/wormhole/switches/worm_switch_state.h"
#include "support/fabrics.h"
#include "support/listed.h"
#include "support/places.h"
#include "support/rings.h"
#include "support/switch_oracle.h"
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
} places[] = {
    {"fattree:n=16", "free"},
    {"fattree:n=16", "least"},
    {"fattree:n=16", "dmodk"},
    {"fattree:n=8", "hash"},
    {"kary:k=2,levels=3", "free"},
    {"kary:k=4,levels=2", "free"},
    {"kary:k=4,levels=2", "random"},
    {"kary:k=3,levels=3", "least"},
    {"xgft:down=4x4,up=1x2,links=1x2", "free"},
    {"bft:n=64", "free"},
    {"cube:4", "free"},
    {"cube:5", "first"},
    {FABRIC, "free"},
    {FABRIC, TABLES},
};

/* Flits an endpoint may send in a cycle; the butterfly's channels at the top are a fourth of those below. */
static const double loads[] = {0.1, 0.4, 0.8, 1.3};

static uint32_t count_for(uint64_t flits) {
    return flits < 10 ? 400 : flits < 20 ? 200 : 100;
}

/* ---- the oracle is plain wormhole routing ---- */

static void plain_agrees(const place *p, uint64_t flits, double load, uint32_t size_max, bough_key key) {
    uint32_t count = count_for(flits);
    double mean = (double)flits * (1 + size_max) / 2;
    worm_options o = {.flits = flits, .buffer = 1, .vcs = 1};
    listed l = listed_poisson(p->net, load / mean, count, size_max, key);
    worm_result plain;
    switch_result r;
    worm_step(p->routing, &l.base, flits, count, 10000000, key, &plain);
    listed_again(&l);
    switch_run(p->routing, &l.base, &o, count, 10000000, key, &r);
    assert_int_equal(plain.count, count);
    assert_int_equal(r.count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (plain.fate[i].delivered != r.fate[i].arrived)
            fail_msg("%s %s: %d flits, load %g, message %u: %d, %d", p->net->spec, p->routing->spec,
                     (int)flits, load, i, (int)plain.fate[i].delivered, (int)r.fate[i].arrived);
        assert_int_equal(plain.fate[i].hops, r.fate[i].hops);
    }
    free(plain.fate);
    switch_result_fini(&r);
    listed_fini(&l);
}

static void one_channel_of_one_flit_is_plain_wormhole_routing(void **state) {
    (void)state;
    static const uint64_t lengths[] = {1, 2, 3, 5, 16, 64};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++) {
            for (size_t j = 0; j < COUNT(loads); j++)
                plain_agrees(&p, lengths[k], loads[j], k == 1 ? 5 : 1, bough_key_make(i, k * 4 + j));
        }
        place_free(&p);
    }
}

/* ---- the engine is the oracle ---- */

static sim_engine *engine(const place *p, const worm_options *o) {
    sim_engine *e;
    bough_error error = {0};
    if (worm_switch_make(p->routing, o, &e, &error)) fail_msg("%s %s", error.place, error.reason);
    return e;
}

typedef struct trial {
    double load;
    uint32_t size_max, step; /* messages of 1 .. size_max units; cycles of one call */
    bough_key key;
} trial;

static void same(const place *p, const worm_options *o, const trial *t, const sim_delivery *d,
                 const switch_fate *f) {
    if (d->arrived != f->arrived || d->entered != f->entered)
        fail_msg("%s %s: V %u B %u credit %u, %d flits, load %g, message %u: %d to %d, not %d to %d",
                 p->net->spec, p->routing->spec, o->vcs, o->buffer, o->credit, (int)o->flits, t->load, d->id,
                 (int)d->entered, (int)d->arrived, (int)f->entered, (int)f->arrived);
    assert_int_equal(d->offered, f->offered);
    assert_int_equal(d->source, f->source);
    assert_int_equal(d->address, f->address);
    assert_int_equal(d->hops, f->hops);
}

/* Runs the engine as long as the oracle ran; deliveries must come in order of (arrived, id). */
static void engine_agrees(const place *p, const worm_options *o, sim_engine *e, listed *l, const trial *t,
                          const switch_result *r) {
    uint64_t all = 0, arrived = 0, last = 0, stuck, link, hops = 0;
    bough_error error = {0};
    e->ops->start(e, t->key, &l->base);
    for (uint64_t now = 0; e->now == now;) {
        now += t->step;
        sim_advance part = {.until = now, .want = UINT64_MAX};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint32_t i = 0; i < part.count; i++) {
            const sim_delivery *d = &part.deliveries[i];
            same(p, o, t, d, &r->fate[d->id]);
            assert_int_equal(l->told[d->id], d->arrived + 1);
            assert_true(d->arrived < e->now);
            assert_true(last <= (d->arrived << 32 | d->id));
            last = d->arrived << 32 | d->id;
            hops += d->hops;
        }
        all += part.count;
        assert_int_equal(e->offered, l->next);
        assert_int_equal(e->arrived, all);
    }
    for (uint32_t i = 0; i < r->count; i++) arrived += r->fate[i].arrived != BOUGH_NONE;
    assert_int_equal(all, arrived);
    assert_false(l->trouble);
    assert_int_equal(e->ops->stuck(e, &stuck, &link, &error), BOUGH_OK);
    assert_int_equal(stuck, r->count - all);
    if (!stuck) assert_int_equal(hops, e->moves);
    const worm_switch *w = (const worm_switch *)e;
    assert_memory_equal(w->grants, r->counts.grants, p->net->links * 8);
    assert_memory_equal(w->waited, r->counts.waited, p->net->links * 8);
    assert_memory_equal(w->crossed, r->counts.held, p->net->links * 8);
}

/* Whether the run got stuck. */
static bool try_both(const place *p, const worm_options *o, sim_engine *e, const trial *t) {
    uint32_t count = count_for(o->flits);
    double mean = (double)o->flits * (1 + t->size_max) / 2;
    listed l = listed_poisson(p->net, t->load / mean, count, t->size_max, t->key);
    switch_result r;
    switch_run(p->routing, &l.base, o, count, 10000000, t->key, &r);
    assert_int_equal(r.count, count);
    listed_again(&l);
    engine_agrees(p, o, e, &l, t, &r);
    bool stuck = r.stuck;
    switch_result_fini(&r);
    listed_fini(&l);
    return stuck;
}

static void the_engine_is_the_oracle(void **state) {
    (void)state;
    static const uint32_t vcs[] = {1, 2, 3, 4}, buffers[] = {1, 2, 4, 8}, steps[] = {1, 7, 60, 100000};
    static const uint64_t lengths[] = {1, 2, 3, 5, 16, 64};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (uint32_t k = 0; k < 4 * 4 * 4; k++) {
            worm_options o = {.flits = lengths[(k + k / 6 + i) % COUNT(lengths)],
                              .buffer = buffers[k / 4 % 4],
                              .vcs = vcs[k % 4],
                              .credit = k / 16};
            sim_engine *e = engine(&p, &o);
            for (size_t j = 0; j < COUNT(loads); j++) {
                trial t = {loads[j], k % 5 ? 1 : 4, steps[(k / 4 + j) % COUNT(steps)],
                           bough_key_make(i, k * 4 + j)};
                if ((k + k / 4 + i + j) % 4 < 2) assert_false(try_both(&p, &o, e, &t));
            }
            e->ops->destroy(e);
        }
        place_free(&p);
    }
}

/* Channels by hop, on networks where worms need them; with fewer than cables on trees, which do not. */
static void channels_by_hop(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        uint32_t vcs;
    } at[] = {{"dragonfly:a=2,h=1,p=2", "random", 3},  {"slimfly:q=3,p=1", "random", 2},
              {"torus:dims=5x3", "random", 3},         {"torus:dims=4x4", "valiant", 8},
              {"xgft:down=3x3,up=1x2", "dmodk", 2},    {"kary:k=2,levels=3", "free", 3},
              {"dragonfly:a=3,h=1,p=1", "valiant", 6}, {"hyperx:dims=3x3,hosts=2", "random", 2}};
    for (size_t i = 0; i < COUNT(at); i++) {
        place p = place_make(at[i].net, at[i].routing);
        for (uint32_t k = 0; k < 8; k++) {
            worm_options o = {.flits = 1 + 3 * (k % 3),
                              .buffer = 1 + k % 4,
                              .vcs = at[i].vcs,
                              .credit = k % 2,
                              .by_hop = true};
            sim_engine *e = engine(&p, &o);
            for (size_t j = 0; j < COUNT(loads); j++) {
                trial t = {loads[j], k % 3 ? 1 : 4, k % 2 ? 7 : 100000, bough_key_make(i, k * 4 + j)};
                assert_false(try_both(&p, &o, e, &t));
            }
            e->ops->destroy(e);
        }
        place_free(&p);
    }
}

/* Rates and delays of links: a cycle is 1000 ps, a flit of 125 bytes takes one at 1 Tb/s. */
static worm_wire *draw_wires(const bough_net *net, bough_key key) {
    static const uint64_t rate[] = {1000, 1000, 500, 700, 400, 990, 125};
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 1, 0);
    uint64_t kinds = 1 + bough_stream_below(&stream, COUNT(rate)), delay = bough_stream_below(&stream, 12);
    worm_wire *wire = calloc(net->links, sizeof *wire);
    assert_non_null(wire);
    for (uint64_t l = 0; l < net->links; l++)
        wire[l] = (worm_wire){rate[bough_stream_below(&stream, kinds)] * 1000000000,
                              bough_stream_below(&stream, delay * 1000 + 1),
                              bough_stream_below(&stream, delay * 500 + 1)};
    return wire;
}

static void with_rates_and_delays(void **state) {
    (void)state;
    static const uint64_t lengths[] = {1, 3, 16};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (uint32_t k = 0; k < 24; k++) {
            bough_key key = bough_key_make(40 + i, k);
            worm_wire *wires = draw_wires(p.net, key);
            worm_options o = {.flits = lengths[(k + i) % COUNT(lengths)],
                              .buffer = 1 + k / 4 % 3,
                              .vcs = 1 + k % 4,
                              .credit = k / 12 * (1 + k % 2),
                              .flit = 125,
                              .tick = 1000,
                              .wires = wires};
            sim_engine *e = engine(&p, &o);
            trial t = {loads[k % 3], k % 5 ? 1 : 4, k % 2 ? 7 : 100000, key};
            assert_false(try_both(&p, &o, e, &t));
            e->ops->destroy(e);
            free(wires);
        }
        place_free(&p);
    }
}

/* By way of intermediate nodes, with channels of each phase; the same routes as places above. */
static void by_way_of_nodes(void **state) {
    (void)state;
    static const char *const nets[] = {"cube:n=16",    "cube:n=64",
                                       "fattree:n=16", "kary:k=4,levels=2",
                                       "bft:n=64",     "xgft:down=4x4,up=1x2,links=1x2",
                                       FABRIC};
    static const uint32_t vcs[] = {2, 3, 4, 8}, lengths[] = {1, 3, 16};
    for (size_t i = 0; i < COUNT(nets); i++) {
        place p = place_make(nets[i], "valiant:phase2=async");
        for (uint32_t k = 0; k < 12; k++) {
            bough_key key = bough_key_make(70 + i, k);
            worm_wire *wires = k % 3 ? NULL : draw_wires(p.net, key);
            worm_options o = {.flits = lengths[k % 3],
                              .buffer = 1 + k / 4 % 3,
                              .vcs = vcs[k % 4],
                              .credit = k / 6 * (1 + k % 2),
                              .flit = wires ? 125 : 0,
                              .tick = wires ? 1000 : 0,
                              .wires = wires};
            sim_engine *e = engine(&p, &o);
            trial t = {loads[k % 3], k % 5 ? 1 : 4, k % 2 ? 7 : 100000, key};
            assert_false(try_both(&p, &o, e, &t));
            e->ops->destroy(e);
            free(wires);
        }
        place_free(&p);
    }
}

/* With one channel for both phases they deadlock. */
static void one_class_deadlocks(void **state) {
    (void)state;
    uint32_t stuck = 0;
    place p = place_make("cube:n=64", "valiant:phase2=async");
    worm_options one = {.flits = 16, .buffer = 1, .vcs = 1},
                 two = {.flits = 16, .buffer = 1, .vcs = 2, .credit = 1};
    sim_engine *e = engine(&p, &one), *safe = engine(&p, &two);
    for (uint32_t k = 0; k < 8; k++) {
        trial t = {1.3, 1, 100000, bough_key_make(80, k)};
        stuck += try_both(&p, &one, e, &t);
        assert_false(try_both(&p, &two, safe, &t));
    }
    assert_true(stuck > 4);
    e->ops->destroy(e);
    safe->ops->destroy(safe);
    place_free(&p);
}

/* Clockwise around a ring of switches worms wait in rings, which under credit = 0 is the rule on rings; and
 * sooner or later nothing moves. */
static void on_rings_too(void **state) {
    (void)state;
    uint32_t stuck = 0, runs = 0;
    for (uint32_t size = 3; size <= 5; size++) {
        bough_routing *ring = ring_routing(size, 2);
        place p = {(bough_net *)ring->net, ring};
        for (uint32_t k = 0; k < 3 * 3 * 3; k++) {
            worm_options o = {
                .flits = 1 + k % 3 * 2, .buffer = 1 + k / 3 % 3, .vcs = 1 + k / 9, .credit = k % 2};
            sim_engine *e = engine(&p, &o);
            for (uint32_t j = 0; j < 8; j++, runs++) {
                trial t = {0.05 * (1 + j), 2, j % 2 ? 1 : 33, bough_key_make(size, k * 8 + j)};
                stuck += try_both(&p, &o, e, &t);
            }
            e->ops->destroy(e);
        }
        place_free(&p);
    }
    print_message("%u of %u runs on rings got stuck\n", stuck, runs);
    assert_true(stuck > runs / 10 && stuck < runs - runs / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_channel_of_one_flit_is_plain_wormhole_routing),
        cmocka_unit_test(the_engine_is_the_oracle),
        cmocka_unit_test(channels_by_hop),
        cmocka_unit_test(with_rates_and_delays),
        cmocka_unit_test(by_way_of_nodes),
        cmocka_unit_test(one_class_deadlocks),
        cmocka_unit_test(on_rings_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
