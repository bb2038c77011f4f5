/* Paths by way of an intermediate node: a search for cycles among links, and among pairs of a link and a
 * phase, over all paths of all sources, intermediate nodes and addresses. With channels for each phase there
 * is a cycle exactly if one phase has one (bough_deadlock_find_in_phase); with one channel for both there
 * always is. */
#include "routing/deadlock.h"
#include "support/fabrics.h"
#include "support/rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct graph {
    const bough_routing *routing;
    uint64_t size; /* vertices: links x classes */
    unsigned classes;
    uint8_t *edge; /* [size][size] */
} graph;

static void connect(graph *g, uint64_t held, uint64_t asked) {
    if (held != BOUGH_NONE) g->edge[held * g->size + asked] = 1;
}

static void leg(graph *g, uint64_t held, uint64_t node, const bough_flow *flow, unsigned phase,
                uint64_t then);

/* Follows all paths to an address, then (then: the own address) those of the second phase. held: the channel
 * that the head has taken last. */
static void leg(graph *g, uint64_t held, uint64_t node, const bough_flow *flow, unsigned phase,
                uint64_t then) {
    const bough_net *net = g->routing->net;
    if (node == bough_address_node(net, flow->address)) {
        bough_flow second = {flow->source, then, flow->key};
        if (phase == 0) leg(g, held, node, &second, 1, then);
        return;
    }
    bough_route route;
    bough_route_at(g->routing, node, flow, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i),
                 channel = link + (g->classes > 1 ? phase * net->links : 0);
        connect(g, held, channel);
        leg(g, channel, net->ops->link_end(net, link).node, flow, phase, then);
    }
}

static bool has_cycle(const graph *g) {
    uint8_t *gone = calloc(g->size, 1);
    bool changed = true;
    uint64_t left = g->size;
    assert_non_null(gone);
    while (changed) { /* removes vertices that lead to none */
        changed = false;
        for (uint64_t a = 0; a < g->size; a++) {
            bool leads = false;
            for (uint64_t b = 0; b < g->size && !gone[a]; b++) leads |= !gone[b] && g->edge[a * g->size + b];
            if (gone[a] || leads) continue;
            gone[a] = 1;
            left--;
            changed = true;
        }
    }
    free(gone);
    return left > 0;
}

static bool cycle_with(const bough_routing *routing, unsigned classes) {
    const bough_net *net = routing->net;
    graph g = {routing, net->links * classes, classes, NULL};
    g.edge = calloc(g.size, g.size);
    assert_non_null(g.edge);
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t via = 0; via < net->endpoints; via++)
            for (uint64_t d = 0; d < net->endpoints; d++) {
                bough_flow flow = {s, bough_endpoint_address(net, via), 0};
                if (s != d) leg(&g, BOUGH_NONE, s, &flow, 0, bough_endpoint_address(net, d));
            }
    bool found = has_cycle(&g);
    free(g.edge);
    return found;
}

static void agrees(const bough_routing *routing, bool deadlocks) {
    bough_link_cycle cycle;
    bough_error error;
    if (bough_deadlock_find_in_phase(routing, &cycle, &error))
        fail_msg("%s: %s", routing->spec, error.reason);
    assert_int_equal(cycle.count > 0, deadlocks);
    bough_link_cycle_fini(&cycle);
    assert_int_equal(cycle_with(routing, 2), deadlocks);
    assert_true(cycle_with(routing, 1));
}

static void networks_with_a_class_for_each_phase(void **state) {
    (void)state;
    static const char *const nets[] = {
        "cube:n=4", "cube:n=8",          "cube:n=16,order=2x0x3x1", "fattree:n=4",
        "bft:n=4",  "kary:k=3,levels=2", "xgft:down=2x3,up=1x2"};
    for (size_t i = 0; i < COUNT(nets); i++) {
        bough_routing *routing = routing_make(net_make(nets[i]), "valiant:phase2=async");
        agrees(routing, false);
        routing_free(routing);
    }
}

static uint64_t via_key(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    (void)key;
    return bough_endpoint_address(routing->net, flow->key % routing->net->endpoints);
}

/* Tables that go around a ring of switches deadlock in each phase. */
static void rings_deadlock_in_each_phase(void **state) {
    (void)state;
    for (unsigned size = 3; size <= 5; size++) {
        bough_routing *ring = ring_routing(size, 1);
        bough_routing_kind kind = *ring->kind;
        bough_routing by_way = *ring;
        kind.via = via_key;
        by_way.kind = &kind;
        agrees(&by_way, true);
        bough_net *net = (bough_net *)ring->net;
        bough_routing_destroy(ring);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_with_a_class_for_each_phase),
        cmocka_unit_test(rings_deadlock_in_each_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
