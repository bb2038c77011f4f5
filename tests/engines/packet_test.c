/* The engine of `packet` must be its oracle (tests/support/packet_oracle.c, written from
 * engines/packet/packet.h), packet by packet, in every discipline; and, first come first served, the packet
 * stepper, which is older than both. What can be done by hand is in packet_by_hand_test.c; the method's rows,
 * and verify=1, are in packet_method_test.c. */
#include "engines/packet/packet.h"
#include "engines/packet/packet_meetings.h"
#include "support/listed.h"
#include "support/packet_engines.h"
#include "support/packet_oracle.h"
#include "support/packet_stepper.h"
#include "support/places.h"
#include "support/rings.h"

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
    const char *net, *routing;
} places[] = {
    {"cube:n=2", "bitfix"},
    {"cube:n=16", "bitfix"},
    {"cube:n=16", "valiant"},
    {"cube:n=16,order=2x0x3x1", "valiant:phase2=async"},
    {"cube:n=32,order=right", "random"},
    {"cube:n=64", "valiant:phase2=sync"},
    {"cube:n=32", "bitfix:order=random"},
    {"cube:n=32", "valiant:order=random"},
    {"cube:n=16,order=right", "valiant:phase2=async,order=random"},
    {"cube:5", "valiant:phase2=async"}, /* the tests' own, without step */
    {"fattree:n=16", "random"},
    {"fattree:n=16", "least"},
    {"fattree:n=16", "valiant"},
    {"fattree:n=16", "dmodk"},
    {"fattree:n=8", "hash"},
    {"kary:k=3,levels=3", "least"},
    {"kary:k=4,levels=2", "valiant:phase2=async"},
    {"xgft:down=4x4,up=1x2,links=1x2", "random"},
    {"xgft:down=4x4,up=1x2,links=1x2", "smodk"},
    {"xgft:down=4x4x3,up=1x2x2,links=1x1x2", "dmodk"},
    {"xgft:down=4x1x6,up=1x1x1", "dmodk"},
    {"clos:radix=4,hosts=12", "dmodk"}, /* with free ports */
    {"bft:n=64", "random"},
    {"bft:n=4", "valiant"}, /* from its intermediate node a packet goes on by the network's step */
    {"bft:n=16", "valiant"},
    {"bft:n=16", "valiant:phase2=async"},
    {"transit:n=64", "valiant"}, /* endpoints have two links: who is its own intermediate node picks one */
    {"transit:flat=4", "valiant"},
    {FABRIC, "random"},
    {FABRIC, TABLES},
};

static const char *const names[] = {"fifo", "lifo", "farthest", "random"};

/* ---- messages ---- */

/* Several from every endpoint at time 0, to anywhere, itself too; sizes 1 .. size_max, and a size of 0. */
static listed relation(const bough_net *net, uint32_t each, uint32_t size_max, bough_key key) {
    uint32_t n = (uint32_t)(net->endpoints < 32 ? net->endpoints : 32);
    listed l = listed_make(each * n);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 1, 0);
    for (uint32_t i = 0; i < l.count; i++) {
        l.message[i].source = i % n;
        l.message[i].address =
            (uint32_t)bough_endpoint_address(net, bough_stream_below(&stream, net->endpoints));
        l.message[i].size = i == 3 ? 0 : 1 + bough_stream_below(&stream, size_max);
    }
    return l;
}

/* ---- the engine is the oracle ---- */

typedef struct context {
    const place *p;
    packet_discipline queue;
    const char *traffic;
    bough_key key;
    uint64_t step, want;   /* of one call of advance */
    packet_options limits; /* half, buffer */
} context;

static void same_message(const context *c, const sim_delivery *d, const oracle_fate *f) {
    if (d->arrived != f->arrived || d->entered != f->entered)
        fail_msg("%s %s %s, %s, message %u: %d to %d, not %d to %d", c->p->net->spec, c->p->routing->spec,
                 names[c->queue], c->traffic, d->id, (int)d->entered, (int)d->arrived, (int)f->entered,
                 (int)f->arrived);
    assert_int_equal(d->offered, f->offered);
    assert_int_equal(d->source, f->source);
    assert_int_equal(d->address, f->address);
    assert_int_equal(d->hops, f->links);
}

static void same_figures(const context *c, const sim_engine *e, const oracle_result *r) {
    packet_figures f;
    uint64_t most = 0, both = 0, delay = 0, delay_max = 0;
    packet_figures_of(e, &f);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t crossed = 0, load = 0, sum = 0, largest = 0;
        for (uint64_t l = 0; l < c->p->net->links; l++) {
            assert_int_equal(packet_crossed(e, l, i), r->crossed[i][l]);
            crossed += r->crossed[i][l];
            if (r->crossed[i][l] > load) load = r->crossed[i][l];
        }
        for (uint32_t k = 0; k < r->packets; k++) {
            sum += r->packet[k].delay[i];
            if (r->packet[k].delay[i] > largest) largest = r->packet[k].delay[i];
        }
        assert_int_equal(f.phase[i].crossings, crossed);
        assert_int_equal(f.phase[i].load_max, load);
        assert_int_equal(f.phase[i].delay, sum);
        assert_int_equal(f.phase[i].delay_max, largest);
        assert_int_equal(f.phase[i].end, r->end[i]);
        assert_int_equal(f.phase[i].packets, i == 0 || c->p->routing->kind->via ? r->packets : 0);
        delay += sum;
    }
    for (uint64_t l = 0; l < c->p->net->links; l++)
        if (r->crossed[0][l] + r->crossed[1][l] > both) both = r->crossed[0][l] + r->crossed[1][l];
    for (uint32_t k = 0; k < r->packets; k++) {
        most = r->packet[k].delay[0] + r->packet[k].delay[1];
        if (most > delay_max) delay_max = most;
    }
    assert_int_equal(f.packets, r->packets);
    assert_int_equal(f.delay, delay);
    assert_int_equal(f.delay_max, delay_max);
    assert_int_equal(f.load_max, both);
    assert_int_equal(f.queue_max, r->queue_max);
    assert_int_equal(e->moves, r->crossings);
}

static void same_tally(const context *c, const sim_engine *e, const oracle_result *r) {
    const bough_net *net = c->p->net;
    sim_tally t, want = {.cycles = r->sent_until};
    e->ops->tally(e, &t);
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t crossed = r->crossed[0][l] + r->crossed[1][l];
        unsigned kind = sim_kind(net, l);
        want.waited[kind] += r->waited[l];
        want.grants[kind] += crossed;
        sim_tally_link(&want, l, kind, crossed);
    }
    for (uint32_t m = 0; m < r->messages; m++) {
        if (!r->fate[m].links) continue;
        want.entered++;
        want.entry_waited += r->fate[m].entered - r->fate[m].offered;
    }
    for (unsigned i = 0; i < SIM_HOT && t.hot_held[i]; i++) { /* of equals it may name others */
        assert_int_equal(packet_crossed(e, t.hot_link[i], 0) + packet_crossed(e, t.hot_link[i], 1),
                         t.hot_held[i]);
        for (unsigned k = 0; k < i; k++) assert_true(t.hot_link[i] != t.hot_link[k]);
        want.hot_link[i] = t.hot_link[i];
    }
    assert_memory_equal(&t, &want, sizeof t);
}

static void same_trace(const sim_engine *e, const oracle_result *r) {
    packet_trace t;
    packet_trace_of(e, &t);
    assert_int_equal(t.packets, r->packets);
    for (uint32_t k = 0; k < r->packets; k++) {
        const oracle_packet *p = &r->packet[k];
        uint32_t source, address;
        assert_int_equal(t.length[k][0], p->turn);
        assert_int_equal(t.length[k][1], p->links);
        assert_memory_equal(t.route + (uint64_t)k * t.stride, p->route, p->links * sizeof *p->route);
        assert_int_equal(t.delay[k][0], p->delay[0]);
        assert_int_equal(t.delay[k][1], p->delay[1]);
        packet_ends_of(e, k, &source, &address);
        assert_int_equal(source, p->source);
        assert_int_equal(address, p->address);
    }
}

/* Packets that stopped for ever. */
static void same_knot(sim_engine *e, const oracle_result *r) {
    uint64_t stuck, link = BOUGH_NONE;
    packet_figures f;
    assert_int_equal(e->ops->stuck(e, &stuck, &link, NULL), BOUGH_OK);
    assert_int_equal(stuck, r->stuck);
    assert_true(link != BOUGH_NONE);
    assert_int_equal(e->moves, r->crossings);
    packet_figures_of(e, &f);
    assert_int_equal(f.queue_max, r->queue_max);
}

static void engine_agrees(const context *c, sim_engine *e, listed *l, const oracle_result *r, bool trace) {
    uint64_t got = 0, all = 0, last = 0;
    bough_error error = {0};
    e->ops->start(e, c->key, &l->base);
    for (uint64_t before = UINT64_MAX; e->now != before || got; all += got) {
        before = e->now;
        sim_advance part = {.until = e->now + c->step, .want = c->want};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        const sim_delivery *d = part.deliveries;
        got = part.count;
        for (uint64_t i = 0; i < got; i++) {
            same_message(c, &d[i], &r->fate[d[i].id]);
            assert_int_equal(l->told[d[i].id], d[i].arrived + 1);
            assert_true(d[i].arrived < e->now && d[i].arrived >= last);
            last = d[i].arrived;
        }
        assert_int_equal(e->arrived, all + got);
        assert_int_equal(e->offered, l->next);
    }
    assert_false(l->trouble);
    assert_int_equal(all, r->messages - r->stuck);
    if (r->stuck) {
        same_knot(e, r);
        return;
    }
    same_figures(c, e, r);
    same_tally(c, e, r);
    if (trace) same_trace(e, r);
}

/* True unless packets deadlock. */
static bool try_both(const context *c, sim_engine *e, listed *l, bool trace) {
    oracle_result r;
    listed_again(l);
    packet_options rules = c->limits;
    rules.queue = c->queue;
    oracle_run(c->p->routing, &l->base, &rules, l->count, 1000000, c->key, &r);
    if (!r.stuck) assert_int_equal(r.messages, l->count);
    listed_again(l);
    engine_agrees(c, e, l, &r, trace);
    bool ends = r.stuck == 0;
    oracle_fini(&r);
    return ends;
}

static void the_engine_is_the_oracle(void **state) {
    (void)state;
    static const uint64_t steps[] = {1, 3, 1000000};
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (packet_discipline queue = PACKET_FIFO; queue <= PACKET_RANDOM; queue++) {
            sim_engine *e = packet_engine_make(&p, queue, i % 2),
                       *other = packet_engine_make(&p, queue, (i + 1) % 2);
            for (uint64_t k = 0; k < 3; k++) {
                context c = {&p, queue, "relation", bough_key_make(i, k), steps[k], k == 1 ? 5 : UINT64_MAX};
                listed l = relation(p.net, 1 + (uint32_t)k * 2, k == 2 ? 4 : 1, c.key);
                try_both(&c, e, &l, i % 2);
                listed_fini(&l);
                c.traffic = "stream";
                l = listed_poisson(p.net, 0.15 + 0.2 * (double)k, 150, k == 1 ? 3 : 1, c.key);
                try_both(&c, k == 0 ? e : other, &l, k == 0 ? i % 2 : (i + 1) % 2);
                c.traffic = "chain";
                if (k == 0) l.chained = true;
                if (k == 0) try_both(&c, e, &l, i % 2);
                listed_fini(&l);
            }
            e->ops->destroy(e);
            other->ops->destroy(other);
        }
        place_free(&p);
    }
}

/* Half duplex and finite buffers. A buffer larger than all packets changes nothing. */
static void limits_are_those_of_the_oracle(void **state) {
    (void)state;
    static const packet_options limits[] = {{.half = true},
                                            {.buffer = 1},
                                            {.buffer = 2},
                                            {.half = true, .buffer = 1},
                                            {.half = true, .buffer = 3},
                                            {.buffer = 1 << 30}};
    uint32_t ended = 0, jammed = 0;
    for (size_t i = 0; i < COUNT(places) + 2; i++) {
        bough_routing *ring = i < COUNT(places) ? NULL : ring_routing(5, 1 + (unsigned)(i % 2));
        place p = {ring ? (bough_net *)ring->net : NULL, ring};
        if (!ring) p = place_make(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(limits) * 4; k++) {
            packet_options o = limits[k / 4];
            context c = {&p,
                         (packet_discipline)(k % 4),
                         "limited",
                         bough_key_make(60 + i, k),
                         k % 3 ? 1000 : 3,
                         UINT64_MAX,
                         o};
            if (o.half && !p.net->ops->link_twin) continue;
            o.queue = c.queue;
            o.trace = k % 2;
            sim_engine *e = packet_engine_with(&p, o);
            if (o.buffer == 1 << 30) c.limits.buffer = 0;
            listed l = relation(p.net, 1 + (uint32_t)k % 5 * (ring ? 4 : 1), k % 3 ? 1 : 4, c.key);
            bool ends = try_both(&c, e, &l, o.trace);
            ended += ends;
            jammed += !ends;
            listed_fini(&l);
            l = listed_poisson(p.net, 0.3, 200, k % 2 ? 3 : 1, c.key);
            try_both(&c, e, &l, o.trace);
            listed_fini(&l);
            e->ops->destroy(e);
        }
        place_free(&p);
    }
    print_message("%u runs ended, %u deadlocked\n", ended, jammed);
    assert_true(jammed > 10 && ended > 200);
}

/* First come, first served, one packet a message: an older program says the same. */
static void the_stepper_says_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        sim_engine *e = packet_engine_make(&p, PACKET_FIFO, false);
        for (uint64_t k = 0; k < 6; k++) {
            bough_key key = bough_key_make(20 + i, k);
            packet_result s;
            packet_figures f;
            sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
            listed l = k < 3 ? relation(p.net, 1 + (uint32_t)k, 1, key)
                             : listed_poisson(p.net, 0.1 * (double)k, 300, 1, key);
            packet_step(p.routing, &l.base, l.count, 1000000, key, &s);
            listed_again(&l);
            e->ops->start(e, key, &l.base);
            assert_int_equal(e->ops->advance(e, &part, NULL), BOUGH_OK);
            assert_int_equal(part.count, s.count);
            for (uint64_t m = 0; m < part.count; m++) {
                const sim_delivery *d = &part.deliveries[m];
                assert_int_equal(d->arrived, s.fate[d->id].delivered);
                assert_int_equal(d->hops, s.fate[d->id].hops);
            }
            packet_figures_of(e, &f);
            assert_int_equal(f.queue_max, s.queue_max);
            assert_int_equal(e->moves, s.crossings);
            free(s.fate);
            listed_fini(&l);
        }
        e->ops->destroy(e);
        place_free(&p);
    }
}

/* A byte counts only so many crossings; a stream outlives many packets' slots. */
static void long_runs_count_right(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        packet_discipline queue;
        double rate;
    } runs[] = {{"cube:n=4", "bitfix", PACKET_FIFO, 0.6},
                {"cube:n=4", "valiant:phase2=async", PACKET_LIFO, 0.5},
                {"cube:n=8", "valiant:phase2=sync", PACKET_RANDOM, 0.05},
                {"fattree:n=4", "random", PACKET_RANDOM, 0.9},
                {"fattree:n=4", "least", PACKET_FARTHEST, 0.9}};
    for (size_t i = 0; i < COUNT(runs); i++) {
        place p = place_make(runs[i].net, runs[i].routing);
        sim_engine *e = packet_engine_make(&p, runs[i].queue, false);
        context c = {&p, runs[i].queue, "long stream", bough_key_make(3, i), 100, 50};
        listed l = listed_poisson(p.net, runs[i].rate, 4000, 1, c.key);
        try_both(&c, e, &l, false);
        listed_fini(&l);
        e->ops->destroy(e);
        place_free(&p);
    }
}

/* ---- which routes share links ---- */

static void sets_are_those_of_the_oracle(void **state) {
    (void)state;
    uint64_t returns = 0;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        sim_engine *e = packet_engine_make(&p, PACKET_FIFO, true);
        for (uint64_t k = 0; k < 4; k++) {
            context c = {&p, PACKET_FIFO, "sets", bough_key_make(50 + i, k), UINT64_MAX / 2, UINT64_MAX};
            listed l = relation(p.net, 1 + (uint32_t)k, 2, c.key);
            oracle_result r;
            packet_trace t;
            packet_options rules = {.queue = c.queue};
            oracle_run(p.routing, &l.base, &rules, l.count, 1000000, c.key, &r);
            listed_again(&l);
            engine_agrees(&c, e, &l, &r, true);
            packet_trace_of(e, &t);
            for (unsigned phase = 0; phase < 2; phase++) {
                packet_meetings m;
                uint64_t sum = 0, most = 0, late = 0, again = 0;
                assert_int_equal(packet_meet(&t, phase, &m, NULL), BOUGH_OK);
                for (uint32_t q = 0; q < r.packets; q++) {
                    uint32_t back, sharers = oracle_sharers(&r, q, phase, &back);
                    sum += sharers;
                    if (sharers > most) most = sharers;
                    late += r.packet[q].delay[phase] > sharers;
                    again += back != UINT32_MAX;
                }
                assert_int_equal(m.sharers, sum);
                assert_int_equal(m.sharers_max, most);
                assert_int_equal(m.pairs, sum / 2);
                assert_int_equal(m.late, late);
                assert_int_equal(m.returns > 0, again > 0);
                returns += m.returns;
            }
            oracle_fini(&r);
            listed_fini(&l);
        }
        e->ops->destroy(e);
        place_free(&p);
    }
    assert_true(returns > 0); /* random picks do bring routes together again */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_is_the_oracle),     cmocka_unit_test(limits_are_those_of_the_oracle),
        cmocka_unit_test(the_stepper_says_the_same),    cmocka_unit_test(long_runs_count_right),
        cmocka_unit_test(sets_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
