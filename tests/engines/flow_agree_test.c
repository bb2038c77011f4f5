/* The engine of `flow` against the fluid model in long double, message by message, on every kind of network
 * and routing; what links carried; and the ideal, in which only the first and the last link of a path limit.
 */
#include "engines/flow/flow_events.h"

#include "support/fluid_oracle.h"
#include "support/listed.h"
#include "support/places.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    {"fattree:n=16", "random"},
    {"fattree:n=16", "dmodk"},
    {"xgft:down=4x4,up=1x2,links=1x2", "random"},
    {"xgft:down=4x4,up=1x1", "hash"},
    {"kary:k=2,levels=4", "smodk"},
    {"kary:k=3,levels=2", "valiant"},
    {"bft:n=16", "first"},
    {"cube:4", "random"},
    {FABRIC, "random"},
    {FABRIC, TABLES},
};

/* Rates that divide by nothing much, or by many; 0: the network's own. */
static const flow_options options[] = {
    {.unit = 1000, .rate = UINT64_C(100000000000), .delay = 100000},
    {.unit = 997, .rate = UINT64_C(99999999977), .host_rate = UINT64_C(40000000003), .delay = 0},
    {.unit = 1, .rate = UINT64_C(1000000007), .host_rate = UINT64_C(5000000029), .delay = 12345},
};

static flow_engine *engine_make(const bough_routing *routing, const flow_options *o) {
    flow_engine *e;
    bough_error error;
    if (flow_make(routing, o, 0, &e, &error)) fail_msg("%s", error.reason);
    return e;
}

static void engine_run(flow_engine *e, listed *l, bough_key key, bool ends_only) {
    bough_error error;
    listed_again(l);
    if (flow_run(e, &(flow_input){&l->base, key, ends_only}, &error)) fail_msg("%s", error.reason);
    assert_false(l->trouble);
    assert_int_equal(flow_result(e)->arrived, l->count);
    assert_int_equal(flow_result(e)->unrouted, 0);
}

static listed draw_messages(const bough_net *net, uint32_t count, bough_key key) {
    bough_stream draw = bough_stream_make(key, BOUGH_DRAW_TEST, 0, 0);
    listed l = listed_make(count);
    uint64_t time = 0, gap = bough_stream_below(&draw, 3) * 20000000; /* ps; often all at once */
    for (uint32_t i = 0; i < count; i++) {
        bough_message *m = &l.message[i];
        m->time = time += gap ? bough_stream_below(&draw, gap) : 0;
        m->size = bough_stream_below(&draw, 4) ? 1 + bough_stream_below(&draw, 2000) : 1000;
        m->source = (uint32_t)bough_stream_below(&draw, net->endpoints);
        m->address = (uint32_t)bough_endpoint_address(net, bough_stream_below(&draw, net->endpoints));
    }
    return l;
}

/* The oracle's flows: paths by the same draw, each followed link by link to see that it is a path. */
static void translate(const bough_routing *routing, const flow_options *o, const listed *l, bough_key key,
                      fluid_flow *flow) {
    const bough_net *net = routing->net;
    flow_paths paths;
    max_min nothing;
    bough_error error;
    assert_int_equal(max_min_init(&nothing, net->links, false, &error), BOUGH_OK);
    assert_int_equal(flow_paths_init(&paths, routing, &nothing, &error), BOUGH_OK);
    paths.key = key;
    for (uint32_t i = 0; i < l->count; i++) {
        const bough_message *m = &l->message[i];
        uint32_t path[MAX_MIN_HOPS_MAX], hops;
        uint64_t at, node = m->source;
        assert_int_equal(flow_paths_draw(&paths, m, path, &hops, &at), FLOW_ARRIVES);
        assert_true(hops <= FLUID_HOPS);
        for (uint32_t h = 0; h < hops; h++) {
            assert_int_equal(bough_link_start(net, path[h]), node);
            node = net->ops->link_end(net, path[h]).node;
        }
        assert_int_equal(node, bough_address_node(net, m->address));
        flow[i] = (fluid_flow){.hops = hops,
                               .start = (long double)m->time,
                               .volume = (long double)(m->size * o->unit * 8) * 1e12L};
        memcpy(flow[i].path, path, hops * sizeof *path);
    }
    flow_paths_fini(&paths);
    max_min_fini(&nothing);
}

/* The part of a message at a node goes on over all live links alike: enumerates paths, so it is exponential.
 */
static void divide(const bough_routing *routing, uint64_t node, const bough_flow *m, uint64_t target,
                   long double part, fluid_flow *flow) {
    const bough_net *net = routing->net;
    uint64_t link[64];
    uint32_t alive = 0;
    bough_route route;
    if (node == target) return;
    bough_route_at(routing, node, m, &route);
    for (uint32_t i = 0; i < route.count; i++)
        if (bough_link_alive(net, bough_route_link(&route, i))) link[alive++] = bough_route_link(&route, i);
    assert_true(alive > 0);
    for (uint32_t i = 0; i < alive; i++) {
        uint32_t h = 0;
        while (h < flow->hops && flow->path[h] != link[i]) h++;
        assert_true(h < FLUID_HOPS);
        flow->hops += h == flow->hops;
        flow->path[h] = (uint32_t)link[i];
        flow->part[h] += part / alive;
        divide(routing, net->ops->link_end(net, link[i]).node, m, target, part / alive, flow);
    }
}

static uint32_t minimal_hops(const bough_routing *routing, const bough_flow *m, uint64_t target) {
    const bough_net *net = routing->net;
    uint32_t hops = 0;
    for (uint64_t at = m->source; at != target; hops++)
        at = net->ops->link_end(net, bough_next_link(routing, at, m)).node;
    return hops;
}

static void divide_all(const bough_routing *routing, const flow_options *o, const listed *l, bough_key key,
                       fluid_flow *flow, uint32_t *hops) {
    for (uint32_t i = 0; i < l->count; i++) {
        const bough_message *m = &l->message[i];
        bough_flow to = {m->source, m->address, m->id};
        uint64_t via = bough_via(routing, key, &to);
        flow[i] = (fluid_flow){.start = (long double)m->time,
                               .volume = (long double)(m->size * o->unit * 8) * 1e12L};
        hops[i] = 0;
        if (via != BOUGH_NONE) {
            bough_flow first = {to.source, via, to.key};
            const uint64_t turn = bough_turn_node(routing->net, m->source, via);
            divide(routing, to.source, &first, turn, 1, &flow[i]);
            hops[i] += minimal_hops(routing, &first, turn);
            to.source = turn;
        }
        const uint64_t end = bough_address_node(routing->net, m->address);
        divide(routing, to.source, &to, end, 1, &flow[i]);
        hops[i] += minimal_hops(routing, &to, end);
    }
}

/* Leaves what starts at the source or ends at the destination. */
static void leave_ends(const bough_net *net, const listed *l, fluid_flow *flow) {
    for (uint32_t i = 0; i < l->count; i++) {
        const bough_message *m = &l->message[i];
        uint32_t kept = 0;
        for (uint32_t h = 0; h < flow[i].hops; h++) {
            uint32_t k = flow[i].path[h];
            if (bough_link_start(net, k) != m->source &&
                net->ops->link_end(net, k).node != bough_address_node(net, m->address))
                continue;
            flow[i].path[kept] = k;
            flow[i].part[kept++] = flow[i].part[h];
        }
        flow[i].hops = kept;
    }
}

static long double worst;
static uint64_t runs, seeds = 20;

/* Every end is rounded by at most half a ps, and moves what it makes room for: within 1 ps a phase. */
static void compare(const flow_options *o, const listed *l, const fluid_flow *flow, const uint32_t *hops) {
    for (uint32_t i = 0; i < l->count; i++) {
        long double want = flow[i].end + (long double)(hops[i] * o->delay);
        long double have = (long double)l->told[i] - 1;
        worst = fmaxl(worst, fabsl(have - want));
        /* Parts are rounded to 1 / 720720, rates to bit/s. */
        long double more = o->spray ? 2e-5L * want : 0;
        if (fabsl(have - want) > 1 + flow[i].phases + more)
            fail_msg("message %u: %.0Lf ps, not %.3Lf (%u phases)", i, have, want, flow[i].phases);
    }
}

/* What links carried is what crossed them, and no more than they can. */
static void check_carried(const flow_engine *e, const bough_net *net, const fluid_flow *flow, uint32_t count,
                          bool spray) {
    double *bits = calloc(net->links, sizeof *bits), seconds = (double)flow_result(e)->end * 1e-12;
    assert_non_null(bits);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t h = 0; h < flow[i].hops; h++)
            bits[flow[i].path[h]] +=
                (double)(flow[i].volume / 1e12L) * (flow[i].part[h] > 0 ? (double)flow[i].part[h] : 1);
    for (uint64_t k = 0; k < net->links; k++) {
        assert_true(fabs(flow_carried(e, k) - bits[k]) <= (spray ? 1e-5 : 1e-12) * bits[k]);
        assert_true(bits[k] <= flow_capacity(e, k) * seconds * (1 + 1e-9));
    }
    free(bits);
}

static void agree(const char *net, const char *routing, const flow_options *o, uint64_t seed) {
    place p = place_make(net, routing);
    bough_key key = bough_key_make(seed, 0);
    listed l = draw_messages(p.net, 2 + (uint32_t)(seed % 40), key);
    fluid_flow *flow = calloc(l.count, sizeof *flow);
    long double *capacity = calloc(p.net->links, sizeof *capacity);
    uint32_t hops[64];
    flow_engine *e = engine_make(p.routing, o);
    assert_true(flow && capacity);
    for (uint64_t k = 0; k < p.net->links; k++) capacity[k] = flow_capacity(e, k);
    if (o->spray)
        divide_all(p.routing, o, &l, key, flow, hops);
    else
        translate(p.routing, o, &l, key, flow);
    for (uint32_t i = 0; i < l.count && !o->spray; i++) hops[i] = flow[i].hops;

    engine_run(e, &l, key, false);
    fluid_run(capacity, (uint32_t)p.net->links, flow, l.count);
    compare(o, &l, flow, hops);
    check_carried(e, p.net, flow, l.count, o->spray);

    engine_run(e, &l, key, true); /* the same engine once more: nothing is left of the run before */
    if (o->spray) leave_ends(p.net, &l, flow);
    for (uint32_t i = 0; i < l.count && !o->spray; i++)
        if (hops[i] > 2) flow[i].path[1] = flow[i].path[hops[i] - 1], flow[i].hops = 2;
    fluid_run(capacity, (uint32_t)p.net->links, flow, l.count);
    compare(o, &l, flow, hops);

    free(flow);
    free(capacity);
    listed_fini(&l);
    flow_destroy(e);
    place_free(&p);
}

static void test_agreement(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++)
        for (size_t k = 0; k < COUNT(options); k++)
            for (uint64_t seed = 0; seed < seeds; seed++, runs++)
                agree(places[i].net, places[i].routing, &options[k], seed);
    print_message("%" PRIu64 " runs, at most %.3Lf ps off\n", runs, worst);
}

/* Messages that are divided: all places whose routings leave a choice, and adaptive groups. */
static void test_divided(void **state) {
    (void)state;
    static const char *const adaptive[] = {"adaptive", "adaptive:same-switch,lft=" SOURCE_DIR
                                                       "/examples/fabric/cluster.ftree.lfts.gz"};
    for (size_t k = 0; k < COUNT(options); k++) {
        flow_options o = options[k];
        o.spray = true;
        for (uint64_t seed = 0; seed < (seeds + 3) / 4; seed++) {
            for (size_t i = 0; i < COUNT(places); i++) agree(places[i].net, places[i].routing, &o, seed);
            for (size_t i = 0; i < COUNT(adaptive); i++) agree(FABRIC, adaptive[i], &o, seed);
        }
    }
}

/* An argument: how many seeds a setting. */
int main(int argc, char **argv) {
    if (argc > 1) seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
