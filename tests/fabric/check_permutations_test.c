/* Random permutations of `check` against their paths, followed one by one: where the check follows several
 * together (dmodk, updn), one alone (hash), and on a broken network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/faults/faults.h"
#include "support/checked.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <stdlib.h>
#include <string.h>

enum { PERMUTATIONS = 140, HOPS = 64 };

/* The number of flows on the most loaded link of permutation `trial` of seed 1, which checked_make uses. */
static uint64_t most_loaded(const bough_routing *routing, uint64_t trial) {
    const bough_net *net = routing->net;
    const uint64_t n = net->endpoints;
    uint64_t *to = calloc(n, sizeof *to), *load = calloc(net->links, sizeof *load), path[HOPS], most = 0;
    bough_stream stream = bough_stream_make(bough_key_make(1, trial), BOUGH_DRAW_PERMUTATION, 0, 0);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t j = bough_stream_below(&stream, i + 1);
        to[i] = to[j];
        to[j] = i;
    }
    for (uint64_t i = 0; i < n; i++) {
        bough_flow flow = {i, bough_endpoint_address(net, to[i]), 0};
        if (to[i] == i) continue;
        int64_t hops = bough_path(routing, &flow, path, HOPS);
        for (int64_t k = 0; k < hops; k++)
            if (++load[path[k]] > most) most = load[path[k]];
    }
    free(to);
    free(load);
    return most;
}

static void agree(const bough_routing *routing) {
    checked c = checked_make(routing, PERMUTATIONS, 3);
    bough_stats want = {0};
    assert_int_equal(c.r.random.count, PERMUTATIONS);
    for (uint64_t trial = 0; trial < PERMUTATIONS; trial++) {
        uint64_t most = most_loaded(routing, trial);
        bough_stats_add(&want, (double)most);
        if (!bough_is_switch(routing->net, 0)) assert_same(c.r.random_time[trial], (double)most);
    }
    assert_memory_equal(&c.r.random, &want, sizeof want);
    checked_free(&c);
}

static void test_paths(void **state) {
    (void)state;
    static const char *const nets[] = {"xgft:down=3x5x3,up=1x2x3,links=1x2x1", "kary:k=2,levels=4",
                                       "clos:radix=8,hosts=60", "cube:n=32"};
    static const char *const routings[] = {"dmodk", "updn", "hash:key=3"};
    for (size_t n = 0; n < sizeof nets / sizeof *nets; n++)
        for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
            bough_net *net = net_make(nets[n]);
            if (r || (net->capabilities & BOUGH_HAS_MODK)) {
                bough_routing *routing = routing_make(net, routings[r]);
                agree(routing);
                bough_routing_destroy(routing);
            }
            bough_net_destroy(net);
        }
}

static void test_broken(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=2"), *broken;
    bough_error error;
    assert_int_equal(bough_net_with_faults(net, "cables:count=3,key=2", &broken, &error), BOUGH_OK);
    for (int i = 0; i < 2; i++) { /* dmodk has no way around: some pairs have no route */
        bough_routing *routing = routing_make(broken, i ? "updn" : "dmodk");
        agree(routing);
        bough_routing_destroy(routing);
    }
    bough_net_destroy(broken);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
