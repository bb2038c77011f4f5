/* Virtual channels with credits: what can be done by hand, invariants in every cycle, and agreement. The
 * oracle (tests/support/switch_oracle.c) must be plain wormhole routing (worm_stepper.c) where both apply;
 * the engine must be the oracle, message by message. */
#include "sim/worm_switch.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/listed.h"
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

typedef struct place {
    bough_net *net;
    bough_routing *routing;
} place;

static const struct {
    const char *net, *routing; /* net "cube:D": the test family */
} places[] = {
    {"fattree:n=16", "random"},
    {"fattree:n=16", "least"},
    {"fattree:n=32", "dmodk"},
    {"fattree:n=16", "hash"},
    {"kary:k=2,levels=3", "random"},
    {"kary:k=4,levels=2", "random"},
    {"kary:k=3,levels=3", "least"},
    {"xgft:down=4x4,up=1x2,links=1x2", "random"},
    {"xgft:down=4x4x4,up=1x2x2", "random"}, /* the butterfly fat-tree of document 001 */
    {"cube:4", "random"},
    {"cube:5", "first"},
    {FABRIC, "random"},
    {FABRIC, TABLES},
};

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

/* Flits an endpoint may send in a cycle; the butterfly's channels at the top are a fourth of those below. */
static const double loads[] = {0.1, 0.4, 0.8, 1.3};

/* ---- the oracle is plain wormhole routing ---- */

static void plain_agrees(const place *p, uint64_t flits, double load, uint32_t size_max, bough_key key) {
    uint32_t count = p->net->endpoints > 64 ? 300 : 600;
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
        place p = go(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++) {
            if (p.net->endpoints > 64 && k % 4 != 1) continue;
            for (size_t j = 0; j < COUNT(loads); j++)
                plain_agrees(&p, lengths[k], loads[j], k == 1 ? 5 : 1, bough_key_make(i, k * 4 + j));
        }
        leave(&p);
    }
}

/* ---- the engine is the oracle ---- */

static worm_switch *engine(const place *p, const worm_options *o) {
    worm_switch *w;
    bough_error error = {0};
    bough_point point = {p->net, p->routing, NULL};
    if (worm_switch_make(&point, o, &w, &error)) fail_msg("%s %s", error.place, error.reason);
    return w;
}

static void engine_agrees(const place *p, const worm_options *o, double load, uint32_t size_max,
                          uint32_t step, bough_key key) {
    uint32_t count = p->net->endpoints > 64 ? 150 : 400, got, all = 0;
    double mean = (double)o->flits * (1 + size_max) / 2;
    listed l = listed_poisson(p->net, load / mean, count, size_max, key);
    switch_result r;
    worm_delivery d[50];
    bough_error error = {0};
    worm_switch *w = engine(p, o);
    switch_run(p->routing, &l.base, o, count, 10000000, key, &r);
    listed_again(&l);
    worm_switch_start(w, key, &l.base);
    while (all < count) {
        uint64_t before = worm_switch_now(w);
        if (worm_switch_advance(w, before + step, d, 1 + step % COUNT(d), &got, NULL, &error))
            fail_msg("%s", error.reason);
        assert_true(got > 0 || worm_switch_now(w) == before + step);
        for (uint32_t i = 0; i < got; i++) {
            const switch_fate *f = &r.fate[d[i].id];
            if (d[i].arrived != f->arrived || d[i].entered != f->entered)
                fail_msg("%s %s: V %u B %u credit %u, %d flits, load %g, message %u: %d to %d, not %d to %d",
                         p->net->spec, p->routing->spec, o->vcs, o->buffer, o->credit, (int)o->flits, load,
                         d[i].id, (int)d[i].entered, (int)d[i].arrived, (int)f->entered, (int)f->arrived);
            assert_int_equal(d[i].offered, f->offered);
            assert_int_equal(d[i].source, f->source);
            assert_int_equal(d[i].address, f->address);
            assert_int_equal(d[i].hops, f->hops);
            assert_int_equal(l.told[d[i].id], d[i].arrived + 1);
        }
        all += got;
        assert_int_equal(worm_switch_backlog(w), l.next - all);
        if (worm_switch_now(w) > r.cycles + step) fail_msg("runs on: %u of %u", all, count);
    }
    assert_false(l.trouble);
    assert_false(worm_switch_stuck(w));
    const worm_counts *c = worm_switch_counts(w);
    assert_memory_equal(c->grants, r.counts.grants, p->net->links * 8);
    assert_memory_equal(c->waited, r.counts.waited, p->net->links * 8);
    assert_memory_equal(c->held, r.counts.held, p->net->links * 8);
    worm_switch_free(w);
    switch_result_fini(&r);
    listed_fini(&l);
}

static void the_engine_is_the_oracle(void **state) {
    (void)state;
    static const uint32_t vcs[] = {1, 2, 3, 4}, buffers[] = {1, 2, 4, 8}, steps[] = {1, 7, 60, 100000};
    static const uint64_t lengths[] = {1, 2, 3, 5, 16, 64};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = go(places[i].net, places[i].routing);
        for (uint32_t k = 0; k < 4 * 4 * 4; k++) {
            if (p.net->endpoints > 64 && (k + i) % 8) continue;
            worm_options o = {.flits = lengths[(k + k / 6 + i) % COUNT(lengths)],
                              .buffer = buffers[k / 4 % 4],
                              .vcs = vcs[k % 4],
                              .credit = k / 16};
            for (size_t j = 0; j < COUNT(loads); j++)
                if ((k + j) % 2 == 0)
                    engine_agrees(&p, &o, loads[j], k % 5 ? 1 : 4, steps[(k / 4 + j) % COUNT(steps)],
                                  bough_key_make(i, k * 4 + j));
        }
        leave(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_channel_of_one_flit_is_plain_wormhole_routing),
        cmocka_unit_test(the_engine_is_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
