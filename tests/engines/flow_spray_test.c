/* Messages that are divided over all their paths: parts by hand, that nothing of a message is lost by
 * rounding, and ends without a route. flow_agree_test compares times with an enumeration of paths. */
#include "engines/flow/flow_spray.h"

#include "network/faults/faults.h"
#include "support/faulty_nets.h"
#include "support/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

static flow_spray spray_make(const bough_routing *routing) {
    flow_spray s;
    if (flow_spray_init(&s, routing, &error)) fail_msg("%s", error.reason);
    return s;
}

static bough_message message_of(const bough_net *net, uint32_t id, uint32_t source, uint64_t destination) {
    return (bough_message){
        .id = id, .source = source, .address = (uint32_t)bough_endpoint_address(net, destination)};
}

static uint64_t link_between(const bough_net *net, uint64_t from, uint64_t to) {
    uint64_t link = 0;
    while (link < net->links &&
           (bough_link_start(net, link) != from || net->ops->link_end(net, link).node != to))
        link++;
    assert_true(link < net->links);
    return link;
}

static void parts_by_hand(void **state) {
    (void)state;
    static const uint32_t from[] = {0, 4, 4, 6, 7, 5},
                          to[] = {4, 6, 7, 5, 5, 3}; /* h0, leaf, spines, leaf, h3 */
    place p = place_make("xgft:down=2x2,up=1x2", "random");
    flow_spray s = spray_make(p.routing);
    bough_message m = message_of(p.net, 0, 0, 3);
    uint64_t at;
    assert_int_equal(flow_spray_find(&s, &m, &at), FLOW_ARRIVES);
    assert_true(s.parts == 6 && s.hops == 4 && at == 3);
    for (uint32_t i = 0; i < s.parts; i++) {
        assert_int_equal(s.link[i], link_between(p.net, from[i], to[i]));
        assert_int_equal(s.weight[i], i == 0 || i == 5 ? FLOW_WHOLE : FLOW_WHOLE / 2);
    }
    flow_spray_ends(&s, &m);
    assert_true(s.parts == 2 && s.link[1] == link_between(p.net, 5, 3) && s.weight[1] == FLOW_WHOLE);
    m = message_of(p.net, 1, 2, 2); /* to itself */
    assert_int_equal(flow_spray_find(&s, &m, &at), FLOW_ARRIVES);
    assert_true(s.parts == 0 && s.hops == 0);
    assert_int_equal(flow_spray_usual(p.routing), 6);
    flow_spray_fini(&s);
    place_free(&p);
}

/* 17 links up, then 17 again: parts differ by one, add up at every level, and the larger ones rotate. */
static void rounding(void **state) {
    (void)state;
    place p = place_make("xgft:down=2x2x2,up=1x17x17", "random");
    flow_spray s = spray_make(p.routing);
    uint64_t at;
    uint32_t last[17] = {0};
    for (uint32_t id = 0; id < 3; id++) {
        bough_message m = message_of(p.net, id, 0, 7);
        uint64_t sum[4] = {0}; /* links up, by the level from which they start */
        assert_int_equal(flow_spray_find(&s, &m, &at), FLOW_ARRIVES);
        assert_int_equal(s.parts, 2 * (1 + 17 + 17 * 17));
        for (uint32_t i = 0; i < 1 + 17 + 17 * 17; i++) {
            unsigned level = i == 0 ? 0 : i < 18 ? 1 : 2;
            sum[level] += s.weight[i];
            if (level == 1) assert_true(s.weight[i] == FLOW_WHOLE / 17 || s.weight[i] == FLOW_WHOLE / 17 + 1);
        }
        for (unsigned level = 0; level < 3; level++) assert_int_equal(sum[level], FLOW_WHOLE);
        assert_int_equal(s.weight[s.parts - 1], FLOW_WHOLE);
        assert_true(memcmp(last, s.weight + 1, sizeof last) != 0);
        memcpy(last, s.weight + 1, sizeof last);
    }
    flow_spray_fini(&s);
    place_free(&p);
}

/* A part that does not arrive ends all, also the next time; other messages are not affected. */
static void no_route(void **state) {
    (void)state;
    place p = place_make("xgft:down=2x2,up=1x2", "random");
    uint64_t down = link_between(p.net, 7, 5), at;
    uint64_t dead[1] = {UINT64_C(1) << down};
    bough_net *net;
    bough_routing *routing;
    net = net_without(p.net, (fault_bits){.dead = dead});
    assert_int_equal(bough_routing_create(net, "random", &routing, &error), BOUGH_OK);
    flow_spray s = spray_make(routing);
    for (uint32_t id = 0; id < 4; id++) {
        bough_message lost = message_of(net, id, 0, 3), arrives = message_of(net, id, 3, 0);
        assert_int_equal(flow_spray_find(&s, &lost, &at), FLOW_NO_ROUTE);
        assert_int_equal(at, 7);
        assert_int_equal(flow_spray_find(&s, &arrives, &at), FLOW_ARRIVES);
        assert_int_equal(s.parts, 6);
    }
    flow_spray_fini(&s);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    place_free(&p);
}

static void too_wide(void **state) {
    (void)state;
    place p = place_make("xgft:down=2x2x2,up=1x200x200", "random");
    flow_spray s = spray_make(p.routing);
    bough_message m = message_of(p.net, 0, 0, 7), near = message_of(p.net, 0, 0, 2);
    uint64_t at;
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(flow_spray_find(&s, &m, &at), FLOW_TOO_WIDE);
        assert_int_equal(flow_spray_find(&s, &near, &at), FLOW_ARRIVES);
        assert_int_equal(s.parts, 2 * (1 + 200));
    }
    flow_spray_fini(&s);
    place_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_by_hand),
        cmocka_unit_test(rounding),
        cmocka_unit_test(no_route),
        cmocka_unit_test(too_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
