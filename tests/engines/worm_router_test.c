/* Routers with a pipeline: what is refused, what can be said by hand, the closed form without load, and the
 * engine against its oracle (tests/support/router_oracle.c), message by message and in every counter of every
 * link. */
#include "engines/wormhole/routers/worm_router_state.h"
#include "support/listed.h"
#include "support/places.h"
#include "support/points.h"
#include "support/router_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A place in which every endpoint has links of its own. */
typedef struct site {
    bough_net *base, *net;
    bough_routing *routing;
} site;

static site site_make(const char *net, const char *routing) {
    site p;
    bough_error error = {0};
    if (bough_net_create(net, &p.base, &error)) fail_msg("%s: %s", net, error.reason);
    p.net = p.base;
    if (p.base->one_port && bough_ports_create(p.base, &p.net, &error)) fail_msg("%s", error.reason);
    if (bough_routing_create(p.net, routing, &p.routing, &error)) fail_msg("%s: %s", net, error.reason);
    return p;
}

static void site_free(site *p) {
    bough_routing_destroy(p->routing);
    if (p->net != p->base) bough_net_destroy(p->net);
    bough_net_destroy(p->base);
}

static sim_engine *engine(const router_case *q) {
    sim_engine *e;
    bough_error error = {0};
    if (worm_router_make(q->routing, &q->options, &q->stages, &e, &error))
        fail_msg("%s %s", error.place, error.reason);
    return e;
}

/* ---- refused ---- */

static void bad_options_are_refused(void **state) {
    (void)state;
    const worm_options good = {.flits = 1, .buffer = 4, .vcs = 2};
    const worm_stages iq = worm_router_presets[0].stages;
    static const struct {
        size_t at; /* in worm_stages */
        uint32_t value;
        const char *place;
    } bad[] = {{offsetof(worm_stages, route), WORM_ROUTER_STAGE + 1, "route"},
               {offsetof(worm_stages, vc_alloc), 0, "vc_alloc"},
               {offsetof(worm_stages, switch_alloc), 0, "switch_alloc"},
               {offsetof(worm_stages, traverse), 0, "traverse"},
               {offsetof(worm_stages, link), WORM_ROUTER_LINK + 1, "link"},
               {offsetof(worm_stages, port), 0, "port"}};
    site p = site_make("mesh:dims=2x2", "free");
    bough_error error = {0};
    for (size_t i = 0; i < COUNT(bad); i++) {
        worm_stages s = iq;
        memcpy((char *)&s + bad[i].at, &bad[i].value, sizeof bad[i].value);
        assert_int_equal(worm_router_check(p.routing, &good, &s, &error), BOUGH_INVALID);
        assert_string_equal(error.place, bad[i].place);
    }
    worm_options o = good;
    o.vcs = WORM_ROUTER_VCS + 1;
    assert_int_equal(worm_router_check(p.routing, &o, &iq, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "vcs");
    site_free(&p);
}

static void questions_are_refused(void **state) {
    (void)state;
    static const refused_run list[] = {
        {"fattree:n=4", "free", "uniform", "worm:link=2", BOUGH_INVALID, "link= is a parameter of routers"},
        {"fattree:n=4", "free", "uniform", "worm:router=quick", BOUGH_INVALID, "lookahead"},
        {"fattree:n=4", "free", "uniform", "worm:router=iq,vc_alloc=0", BOUGH_INVALID, "between 1 and 64"},
        {"fattree:n=4", "free", "uniform", "worm:router=fast,vc_alloc=2", BOUGH_INVALID,
         "both allocations in one cycle"},
        {"fattree:n=4", "free", "uniform", "worm:router=iq,time=physical", BOUGH_UNSUPPORTED, "count cycles"},
        {"fattree:n=4", "free", "uniform", "worm:router=iq,flit=64B", BOUGH_UNSUPPORTED, "count cycles"},
        {"fattree:n=4", "free", "uniform", "worm:router=iq,deadlock=detect", BOUGH_UNSUPPORTED, "deadlock"},
        {"fattree:n=4", "free", "allreduce:algo=ring,size=1MB", "worm:router=iq", BOUGH_UNSUPPORTED,
         "schedules"},
        {"mesh:dims=3x3,ports=all", "free", "uniform", "worm:router=iq", BOUGH_UNSUPPORTED, "ports=one"},
        {"xgft:down=4x4,up=1x2", "valiant:phase2=async", "uniform", "worm:router=iq", BOUGH_UNSUPPORTED,
         "intermediate nodes"},
        {"xgft:down=65,up=1", "free", "uniform", "worm:router=iq", BOUGH_UNSUPPORTED, "at most 64 ports"},
        {"dragonfly:a=2,h=1,p=2", "random", "uniform", "worm:router=iq", BOUGH_UNSUPPORTED, "can deadlock"},
    };
    runs_refused(list, COUNT(list));
}

/* ---- by hand, on one switch with four endpoints ---- */

typedef struct by_hand {
    worm_stages stages;
    uint32_t vcs, buffer, flits, senders;
    uint64_t arrived[2]; /* of the messages from endpoints 0 and 1 to 2 */
} by_hand;

/* A flit that leaves its source in cycle 0 is at the switch in 2: routing in 2, channels in 3, switch in 4,
 * traversal in 5, and the link until 7. */
static const by_hand hands[] = {
    /* one message: its body flit is at the front in 5 */
    {{1, 1, 1, 1, 1, 1, false}, 1, 4, 1, 1, {7}},
    {{1, 1, 1, 1, 1, 1, false}, 1, 4, 2, 1, {8}},
    /* lookahead, speculation, both */
    {{0, 1, 1, 1, 1, 1, false}, 1, 4, 2, 1, {7}},
    {{1, 1, 1, 1, 1, 1, true}, 1, 4, 2, 1, {7}},
    {{0, 1, 1, 1, 1, 1, true}, 1, 4, 2, 1, {6}},
    /* one slot: flit 2 leaves when the credit of flit 1, which left in 4, is there (6), is at the switch in
     * 8, and finds the credit of flit 1, which came to the endpoint in 7, in 9. Flit 3: source 11, switch 13,
     * credit of the endpoint 14, arrival 17. */
    {{1, 1, 1, 1, 1, 1, false}, 1, 1, 3, 1, {17}},
    /* two heads, two channels: head 0 gets channel 0 in 3, head 1 channel 1 in 4; the switch serves head 0 in
     * 4, then, in turns, head 1 in 5, tail 0 in 6, tail 1 in 7 */
    {{1, 1, 1, 1, 1, 1, false}, 2, 4, 2, 2, {9, 10}},
    /* one channel: tail 0 leaves in 5, so head 1 gets it in 6, leaves in 7, and its tail in 8 */
    {{1, 1, 1, 1, 1, 1, false}, 1, 4, 2, 2, {8, 11}},
    /* speculative: head 0 leaves in 3. Head 1 gets its channel in 4, but the switch serves tail 0, which does
     * not speculate; head 1 leaves in 5, tail 1 in 6 */
    {{1, 1, 1, 1, 1, 1, true}, 2, 4, 2, 2, {7, 9}},
    /* switch allocation of 2 cycles: heads try in 4-5 and 5-6; tails in 6-7 and 7-8 */
    {{1, 1, 2, 1, 1, 1, false}, 2, 4, 2, 2, {10, 11}},
};

static void two_messages_by_hand(void **state) {
    (void)state;
    site p = site_make("xgft:down=4,up=1", "free");
    for (size_t i = 0; i < COUNT(hands); i++) {
        const by_hand *h = &hands[i];
        const router_case q = {p.routing,
                               {.flits = h->flits, .buffer = h->buffer, .vcs = h->vcs},
                               h->stages,
                               h->senders,
                               bough_key_make(1, 1)};
        listed l = listed_make(h->senders);
        for (uint32_t m = 0; m < h->senders; m++) l.message[m].source = m, l.message[m].address = 2;
        sim_engine *e = engine(&q);
        bough_error error = {0};
        sim_advance part = {.until = 1000, .want = UINT64_MAX};
        e->ops->start(e, q.key, &l.base);
        assert_int_equal(e->ops->advance(e, &part, &error), BOUGH_OK);
        assert_int_equal(part.count, h->senders);
        for (uint32_t m = 0; m < h->senders; m++)
            if (part.deliveries[m].id != m || part.deliveries[m].arrived != h->arrived[m])
                fail_msg("case %d: message %u in %d, not in %d", (int)i, part.deliveries[m].id,
                         (int)part.deliveries[m].arrived, (int)h->arrived[m]);
        e->ops->destroy(e);
        listed_fini(&l);
    }
    site_free(&p);
}

/* A permutation on one switch: messages do not meet. */
static void the_method_measures_it(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double latency; /* 2 port + 1 + cycles of the router + flits - 1 */
    } want[] = {{"worm:router=iq,flits=4", 10},
                {"worm:router=lookahead,flits=4", 9},
                {"worm:router=speculative,flits=4", 9},
                {"worm:router=fast,flits=4", 8},
                {"worm:router=iq,flits=4,vcs=1,route=2,vc_alloc=3,traverse=2,port=3", 18}};
    bough_point p = point_make("xgft:down=4,up=1", "free", "randperm");
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_rows rows = rows_of(&p, want[i].method);
        assert_same(row_value(&rows, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX), want[i].latency);
        bough_rows_fini(&rows);
    }
    point_free(&p);
}

/* ---- random settings ---- */

typedef struct dice {
    bough_stream stream;
} dice;

static uint32_t roll(dice *d, uint32_t low, uint32_t high) {
    return low + (uint32_t)bough_stream_below(&d->stream, high - low + 1);
}

/* Half of them with stages of one cycle. */
static worm_stages random_stages(dice *d) {
    worm_stages s = {.route = roll(d, 0, 1),
                     .vc_alloc = 1,
                     .switch_alloc = 1,
                     .traverse = 1,
                     .link = 1,
                     .port = 1,
                     .speculative = roll(d, 0, 2) == 0};
    if (roll(d, 0, 1)) return s;
    s.route = roll(d, 0, 3);
    s.traverse = roll(d, 1, 3);
    s.link = roll(d, 1, 4);
    s.port = roll(d, 1, 3);
    if (s.speculative) return s;
    s.vc_alloc = roll(d, 1, 4);
    s.switch_alloc = roll(d, 1, 3);
    return s;
}

/* ---- without load ---- */

static uint64_t closed_form(const router_case *q, uint64_t routers, uint64_t flits) {
    const worm_stages *s = &q->stages;
    const uint64_t pipeline = s->route + s->vc_alloc + s->switch_alloc + s->traverse - s->speculative;
    return s->port + 1 + routers * pipeline + (routers - 1) * s->link + s->port +
           (flits - 1) * s->switch_alloc;
}

/* Messages far apart, whose flits do not wait for credits. */
static void alone_it_is_the_closed_form(void **state) {
    (void)state;
    site p = site_make("mesh:dims=4x3", "free");
    for (uint32_t k = 0; k < 40; k++) {
        dice d = {bough_stream_make(bough_key_make(3, k), BOUGH_DRAW_ARRIVAL, 0, 0)};
        router_case q = {p.routing,
                         {.flits = roll(&d, 1, 9), .vcs = roll(&d, 1, 4)},
                         random_stages(&d),
                         30,
                         bough_key_make(3, k)};
        const uint32_t longest = q.stages.link > q.stages.port ? q.stages.link : q.stages.port;
        q.options.credit = roll(&d, 0, 3);
        q.options.buffer = q.stages.traverse + 2 * longest + q.options.credit + q.stages.switch_alloc + 1;
        listed l = listed_make(q.messages);
        for (uint32_t m = 0; m < q.messages; m++)
            l.message[m] = (bough_message){1000 * m, 1, roll(&d, 0, 5), roll(&d, 6, 11), m};
        sim_engine *e = engine(&q);
        bough_error error = {0};
        sim_advance part = {.until = 100000, .want = UINT64_MAX};
        e->ops->start(e, q.key, &l.base);
        assert_int_equal(e->ops->advance(e, &part, &error), BOUGH_OK);
        assert_int_equal(part.count, q.messages);
        for (uint32_t m = 0; m < part.count; m++) {
            const sim_delivery *f = &part.deliveries[m];
            assert_int_equal(f->arrived - f->offered, closed_form(&q, f->hops - 1, q.options.flits));
        }
        e->ops->destroy(e);
        listed_fini(&l);
    }
    site_free(&p);
}

/* ---- the engine is the oracle ---- */

static void same(const router_case *q, const sim_delivery *d, const router_fate *f) {
    const worm_stages *s = &q->stages;
    if (d->arrived != f->arrived || d->entered != f->entered)
        fail_msg("%s %s: V %u B %u credit %u owned %d, stages %u %u %u %u %u %u %d, message %u: %d to %d, "
                 "not %d to %d",
                 q->routing->net->spec, q->routing->spec, q->options.vcs, q->options.buffer,
                 q->options.credit, q->options.owned, s->route, s->vc_alloc, s->switch_alloc, s->traverse,
                 s->link, s->port, s->speculative, d->id, (int)d->entered, (int)d->arrived, (int)f->entered,
                 (int)f->arrived);
    assert_int_equal(d->offered, f->offered);
    assert_int_equal(d->hops, f->hops);
}

/* Deliveries come in the order (arrived, id), for any division of time. */
static uint64_t all_deliveries(const router_case *q, sim_engine *e, uint64_t step, const router_result *r) {
    uint64_t all = 0, last = 0;
    bough_error error = {0};
    for (uint64_t now = 0; e->now == now;) {
        now += step;
        sim_advance part = {.until = now, .want = UINT64_MAX};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint32_t i = 0; i < part.count; i++) {
            const sim_delivery *d = &part.deliveries[i];
            same(q, d, &r->fate[d->id]);
            assert_true(d->arrived < e->now && last <= (d->arrived << 32 | d->id));
            last = d->arrived << 32 | d->id;
        }
        all += part.count;
    }
    return all;
}

/* A link carries at most one flit in a cycle, and every flit of a message crosses every link of its path. */
static void flits_are_conserved(const router_case *q, const router_result *r) {
    uint64_t have = 0, want = 0;
    for (uint64_t l = 0; l < q->routing->net->links; l++) {
        have += r->crossed[l];
        assert_true(r->crossed[l] <= r->cycles);
    }
    for (uint32_t m = 0; m < r->count; m++) want += (uint64_t)r->fate[m].flits * r->fate[m].hops;
    assert_int_equal(have, want);
}

static void agree(const router_case *q, double load, uint64_t step) {
    const uint32_t size_max = 3;
    const uint64_t links = q->routing->net->links;
    const double mean = (double)q->options.flits * (1 + size_max) / 2;
    listed l = listed_poisson(q->routing->net, load / mean, q->messages, size_max, q->key);
    router_result r;
    router_run(q, &l.base, &r);
    flits_are_conserved(q, &r);
    sim_engine *e = engine(q);
    for (int twice = 0; twice < 2; twice++) { /* a trial leaves nothing behind */
        listed_again(&l);
        e->ops->start(e, q->key, &l.base);
        assert_int_equal(all_deliveries(q, e, twice ? 100000 : step, &r), q->messages);
        const worm_router *w = (const worm_router *)e;
        assert_memory_equal(w->grants, r.grants, links * 8);
        assert_memory_equal(w->waited, r.waited, links * 8);
        assert_memory_equal(w->crossed, r.crossed, links * 8);
    }
    e->ops->destroy(e);
    router_result_fini(&r);
    listed_fini(&l);
}

static void the_engine_is_the_oracle(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        uint32_t by_hop; /* channels; 0: free ones */
    } sites[] = {
        {"mesh:dims=4x4", "free", 0},           {"mesh:dims=3x2x2", "free", 0},
        {"xgft:down=4,up=1", "free", 0},        {"kary:k=2,levels=3", "free", 0},
        {"kary:k=2,levels=3", "random", 0},     {"kary:k=3,levels=2", "least", 0},
        {"xgft:down=4x3,up=1x2", "dmodk", 0},   {"bft:n=16", "free", 0},
        {"dragonfly:a=2,h=1,p=2", "random", 3}, {"torus:dims=5x3", "random", 3},
    };
    static const double loads[] = {0.1, 0.4, 0.9};
    for (size_t i = 0; i < COUNT(sites); i++) {
        site p = site_make(sites[i].net, sites[i].routing);
        for (uint32_t k = 0; k < 12; k++) {
            dice d = {bough_stream_make(bough_key_make(i, k), BOUGH_DRAW_ARRIVAL, 0, 0)};
            router_case q = {p.routing,
                             {.flits = roll(&d, 1, 4),
                              .buffer = roll(&d, 1, 6),
                              .vcs = roll(&d, 1, 4),
                              .credit = roll(&d, 0, 1) * roll(&d, 0, 3),
                              .owned = roll(&d, 0, 3) == 0},
                             random_stages(&d),
                             120,
                             bough_key_make(i, k)};
            if (sites[i].by_hop) q.options.vcs = sites[i].by_hop, q.options.by_hop = true;
            agree(&q, loads[k % 3], k % 2 ? 1 : 33);
        }
        site_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),     cmocka_unit_test(questions_are_refused),
        cmocka_unit_test(the_method_measures_it),      cmocka_unit_test(two_messages_by_hand),
        cmocka_unit_test(alone_it_is_the_closed_form), cmocka_unit_test(the_engine_is_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
