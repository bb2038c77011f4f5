/* Loads of all shifts: sizes that are refused, a network small enough for hand, then agreement with the flows
 * of every pair, on routings with tables at random: loops, missing entries and wrong adapters among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/address_tree.h"
#include "loads/shifts/shift_loads.h"
#include "support/random_tables.h"
#include "support/specs.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 61 };

static uint8_t *classes_of(const bough_net *net) {
    uint8_t *class_of = calloc(net->links, 1);
    for (uint64_t l = 0; l < net->links; l++) class_of[l] = (uint8_t)(l * 2654435761U >> 7) % CLASSES;
    return class_of;
}

static shift_loads loads_of(const bough_routing *r, unsigned threads, uint64_t budget) {
    uint8_t *class_of = classes_of(r->net);
    shift_question question = {
        .routing = r, .class_of = class_of, .classes = CLASSES, .threads = threads, .budget = budget};
    shift_loads loads;
    bough_error error;
    assert_true(address_tree_fits(r));
    if (shift_loads_find(&question, &loads, &error)) fail_msg("%s: %s", r->spec, error.reason);
    free(class_of);
    return loads;
}

/* ---- the slow way: every pair ---- */

typedef struct tally {
    uint32_t *now; /* loads of the current shift */
    uint64_t *total;
} tally;

static void add_link(void *context, uint64_t link, double share) {
    tally *t = context;
    assert_true(share == 1);
    t->now[link]++;
    t->total[link]++;
}

static void ignore_link(void *context, uint64_t link, double share) {
    (void)context;
    (void)link;
    (void)share;
}

static spread_end follow_pair(const bough_routing *r, shift_pair pair, tally *t, unsigned *hops) {
    const bough_net *net = r->net;
    uint64_t target = (pair.source + pair.shift) % net->endpoints;
    bough_flow flow = {pair.source, bough_endpoint_address(net, target), 0};
    spread_result result;
    spread_end end = spread_flow(r, &flow, add_link, t, &result);
    *hops = result.hops;
    while (end == SPREAD_ARRIVES && ++flow.address < net->addresses &&
           bough_address_node(net, flow.address) == target)
        end = spread_flow(r, &flow, ignore_link, NULL, &result);
    return end;
}

static shift_loads oracle(const bough_routing *r) {
    const bough_net *net = r->net;
    const uint64_t n = net->endpoints;
    uint8_t *class_of = classes_of(net);
    shift_loads loads = {.total = calloc(net->links, sizeof(uint64_t)),
                         .max = calloc(n * CLASSES, sizeof(uint16_t))};
    tally t = {calloc(net->links, sizeof(uint32_t)), loads.total};
    for (uint64_t k = 1; k < n; k++) {
        memset(t.now, 0, net->links * sizeof *t.now);
        for (uint64_t e = 0; e < n; e++) {
            unsigned hops;
            spread_end end = follow_pair(r, (shift_pair){k, e}, &t, &hops);
            pair_tally *pairs = &loads.pairs;
            pairs->ended[end]++;
            if (end == SPREAD_ARRIVES)
                pairs->hops[hops - 1 < PAIR_HOPS_MAX ? hops - 1 : PAIR_HOPS_MAX - 1]++;
            else if (pairs->failures[end] < PAIR_EXAMPLES)
                pairs->failed[end][pairs->failures[end]++] = (shift_pair){k, e};
        }
        for (uint64_t l = 0; l < net->links; l++) {
            uint16_t *max = &loads.max[class_of[l] * n + k];
            if (t.now[l] > *max) *max = (uint16_t)t.now[l];
        }
    }
    free(t.now);
    free(class_of);
    return loads;
}

static void same(const bough_routing *r, const shift_loads *have, const shift_loads *want) {
    const uint64_t n = r->net->endpoints;
    for (uint64_t l = 0; l < r->net->links; l++)
        if (have->total[l] != want->total[l])
            fail_msg("%s on %s: link %d has %d flows, not %d", r->spec, r->net->spec, (int)l,
                     (int)have->total[l], (int)want->total[l]);
    for (unsigned c = 0; c < CLASSES; c++)
        for (uint64_t k = 1; k < n; k++)
            if (have->max[c * n + k] != want->max[c * n + k])
                fail_msg("%s on %s: class %u, shift %d: %u, not %u", r->spec, r->net->spec, c, (int)k,
                         have->max[c * n + k], want->max[c * n + k]);
    assert_memory_equal(&have->pairs, &want->pairs, sizeof want->pairs);
}

/* With one to three threads, and on small networks with so little memory that few nodes are taken at once. */
static void agrees(const bough_routing *r) {
    shift_loads want = oracle(r);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (uint64_t budget = 0; budget <= (r->net->nodes < 200 ? 4000 : 0); budget += 2000) {
            shift_loads have = loads_of(r, threads, budget);
            same(r, &have, &want);
            shift_loads_fini(&have);
        }
    shift_loads_fini(&want);
}

static void test_tables_at_random(void **state) {
    (void)state;
    random_tables_each(agrees);
}

static void test_routings(void **state) {
    (void)state;
    static const char *const points[][2] = {
        {"fattree:n=64", "dmodk"}, {"xgft:down=4x4x4,up=1x4x2", "dmodk"}, {"kary:k=3,levels=3", "updn"},
        {"bft:n=64", "minhop"},    {"xgft:down=5x7,up=1x3", "minhop"},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        bough_net *net = net_make(points[i][0]);
        bough_routing *r = routing_make(net, points[i][1]);
        agrees(r);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

/* Two leaf switches of two endpoints under one spine, by one cable each. Shift 1: 0>1, 1>2, 2>3, 3>0: one
 * flow up from each leaf. Shift 2: all four cross: two. Shift 3: as shift 1. */
static void test_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x1");
    bough_routing *r = routing_make(net, "dmodk");
    uint8_t class_of[16] = {0};
    shift_question question = {.routing = r, .class_of = class_of, .classes = 1, .threads = 1};
    shift_loads loads;
    bough_error error;
    assert_int_equal(net->links, 12);
    assert_int_equal(shift_loads_find(&question, &loads, &error), BOUGH_OK);
    assert_int_equal(loads.max[1], 1);
    assert_int_equal(loads.max[2], 2);
    assert_int_equal(loads.max[3], 1);
    assert_int_equal(loads.pairs.ended[SPREAD_ARRIVES], 12);
    assert_int_equal(loads.pairs.hops[1], 4); /* two links: 0>1, 1>0, 2>3, 3>2 */
    assert_int_equal(loads.pairs.hops[3], 8);
    for (uint64_t l = 0; l < net->links; l++) {
        bool inner = bough_link_start(net, l) >= 4 && net->ops->link_end(net, l).node >= 4;
        assert_int_equal(loads.total[l], inner ? 4 : 3);
    }
    shift_loads_fini(&loads);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const others[] = {"random", "hash", "smodk", "valiant"};
    bough_net *net = net_make("xgft:down=4x4,up=2x4");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bough_routing *r = routing_make(net, others[i]);
        assert_false(address_tree_fits(r));
        bough_routing_destroy(r);
    }
    bough_net_destroy(net);
    net = net_make("fattree:n=131072");
    bough_routing *r = routing_make(net, "dmodk");
    shift_question question = {.routing = r, .classes = 1, .threads = 1};
    shift_loads loads;
    bough_error error;
    assert_int_equal(shift_loads_find(&question, &loads, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "131072 endpoints; at most 65536"));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void test_stops(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=256");
    bough_routing *r = routing_make(net, "dmodk");
    uint8_t *class_of = classes_of(net);
    atomic_bool stop = true;
    shift_question question = {
        .routing = r, .class_of = class_of, .classes = CLASSES, .threads = 2, .stop = &stop};
    shift_loads loads;
    bough_error error;
    assert_int_equal(shift_loads_find(&question, &loads, &error), BOUGH_INTERRUPTED);
    assert_null(loads.total);
    free(class_of);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_routings), cmocka_unit_test(test_tables_at_random),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
