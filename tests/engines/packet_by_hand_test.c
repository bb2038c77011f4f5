/* What can be done by hand of `packet`: queues in every discipline, cables that take turns, full queues, the
 * exact steps of permutations on cubes, and which routes meet. */
#include "engines/packet/packet.h"
#include "engines/packet/packet_meetings.h"
#include "support/listed.h"
#include "support/packet_engines.h"
#include "support/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Time, source, destination. */
static listed pairs(const bough_net *net, const uint32_t (*pair)[3], uint32_t count) {
    listed l = listed_make(count);
    for (uint32_t i = 0; i < count; i++) {
        l.message[i].time = pair[i][0];
        l.message[i].source = pair[i][1];
        l.message[i].address = (uint32_t)bough_endpoint_address(net, pair[i][2]);
    }
    return l;
}

typedef struct hand {
    place p;
    listed l;
    uint64_t arrived[8];
} hand;

static hand by_hand_with(const char *net, packet_options o, const uint32_t (*pair)[3], uint32_t count) {
    hand h = {.p = place_make(net, NULL)};
    sim_advance part = {.until = 1000, .want = UINT64_MAX};
    sim_engine *e = packet_engine_with(&h.p, o);
    h.l = pairs(h.p.net, pair, count);
    e->ops->start(e, bough_key_make(1, 0), &h.l.base);
    assert_int_equal(e->ops->advance(e, &part, NULL), BOUGH_OK);
    assert_int_equal(part.count, count);
    for (uint64_t i = 0; i < count; i++) h.arrived[part.deliveries[i].id] = part.deliveries[i].arrived;
    e->ops->destroy(e);
    listed_fini(&h.l);
    place_free(&h.p);
    return h;
}

static hand by_hand(const char *net, packet_discipline queue, const uint32_t (*pair)[3], uint32_t count) {
    return by_hand_with(net, (packet_options){.queue = queue}, pair, count);
}

static void expect(hand h, const uint64_t *want, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) assert_int_equal(h.arrived[i], want[i]);
}

/* Time, source, destination, on the cube of 8 with the most significant bit first. Three packets of node 0
 * over the link to node 4, to 4, 6 and 7: the first that came first, the last, and the farthest. */
static void three_in_a_queue(void **state) {
    (void)state;
    static const uint32_t three[][3] = {{5, 0, 4}, {5, 0, 6}, {5, 0, 7}};
    expect(by_hand("cube:n=8", PACKET_FIFO, three, 3), (const uint64_t[]){6, 8, 10}, 3);
    expect(by_hand("cube:n=8", PACKET_LIFO, three, 3), (const uint64_t[]){8, 8, 8}, 3);
    expect(by_hand("cube:n=8", PACKET_FARTHEST, three, 3), (const uint64_t[]){8, 8, 8}, 3);
    static const uint32_t late[][3] = {{0, 0, 7}, {0, 0, 4}, {0, 0, 6}, {1, 0, 5}};
    /* fifo: 0, 1, 2, 3; lifo: 2 at time 0, then 3, 1, 0; farthest: 0, then 2 (of 2 and 3 the smaller), 3, 1
     */
    expect(by_hand("cube:n=8", PACKET_FIFO, late, 4), (const uint64_t[]){3, 2, 4, 5}, 4);
    expect(by_hand("cube:n=8", PACKET_LIFO, late, 4), (const uint64_t[]){6, 3, 2, 3}, 4);
    expect(by_hand("cube:n=8", PACKET_FARTHEST, late, 4), (const uint64_t[]){3, 4, 3, 4}, 4);
}

/* Who comes by links is before who is born, and by number. 2 and 4 send to 1, and meet in node 0 at time 1,
 * where 0 sends to 1 then. */
static void who_comes_first(void **state) {
    (void)state;
    static const uint32_t three[][3] = {{0, 4, 1}, {0, 2, 1}, {1, 0, 1}};
    expect(by_hand("cube:n=8", PACKET_FIFO, three, 3), (const uint64_t[]){2, 3, 4}, 3);
    expect(by_hand("cube:n=8", PACKET_LIFO, three, 3), (const uint64_t[]){4, 3, 2}, 3);
    expect(by_hand("cube:n=8", PACKET_FARTHEST, three, 3), (const uint64_t[]){2, 3, 4}, 3);
}

/* One cable with two packets each way takes turns; a coin decides who begins. Two on other cables go along.
 */
static void a_cable_takes_turns(void **state) {
    (void)state;
    static const uint32_t both[][3] = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}};
    hand h = by_hand_with("cube:n=2", (packet_options){.half = true}, both, 4);
    bool up = h.arrived[0] == 1;
    expect(h, up ? (const uint64_t[]){1, 3, 2, 4} : (const uint64_t[]){2, 4, 1, 3}, 4);
    /* a direction alone loses nothing; then the other one goes first */
    static const uint32_t later[][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 1, 0}};
    expect(by_hand_with("cube:n=2", (packet_options){.half = true}, later, 4), (const uint64_t[]){1, 3, 4, 2},
           4);
    uint32_t ups = 0;
    place p = place_make("cube:n=2", NULL);
    sim_engine *e = packet_engine_with(&p, (packet_options){.half = true});
    listed l = pairs(p.net, both, 4);
    for (uint64_t k = 0; k < 400; k++) { /* a fair coin, within 5 standard deviations */
        sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
        listed_again(&l);
        e->ops->start(e, bough_key_make(8, k), &l.base);
        assert_int_equal(e->ops->advance(e, &part, NULL), BOUGH_OK);
        ups += part.deliveries[0].source == 0;
    }
    assert_in_range(ups, 150, 250);
    listed_fini(&l);
    e->ops->destroy(e);
    place_free(&p);
}

/* Queues of one packet. 4 and 2 send to 1 and meet at node 0 at time 1; the one from 2 stays at the end of
 * its link, so that the next one of 2, to 0, which entered its queue at time 1, leaves at 2. */
static void a_full_queue_stops_the_link_before(void **state) {
    (void)state;
    static const uint32_t four[][3] = {{0, 4, 1}, {0, 2, 1}, {0, 2, 0}, {1, 0, 1}};
    expect(by_hand_with("cube:n=8", (packet_options){.buffer = 1}, four, 4), (const uint64_t[]){2, 3, 3, 4},
           4);
    expect(by_hand_with("cube:n=8", (packet_options){.buffer = 2}, four, 4), (const uint64_t[]){2, 3, 2, 4},
           4);
    expect(by_hand("cube:n=8", PACKET_FIFO, four, 4), (const uint64_t[]){2, 3, 2, 4}, 4);
    /* first come, first served: the second packet of node 0 waits for a full queue, the third behind it */
    static const uint32_t three[][3] = {{0, 0, 4}, {0, 0, 4}, {0, 0, 1}};
    expect(by_hand_with("cube:n=8", (packet_options){.buffer = 1}, three, 3), (const uint64_t[]){1, 2, 2}, 3);
    expect(by_hand("cube:n=8", PACKET_FIFO, three, 3), (const uint64_t[]){1, 2, 1}, 3);
}

/* Every packet of the first queue is as likely to be sent: 3000 runs, each of 3 a third +- 5 standard
 * deviations (a failure by chance: 2e-6). */
static void random_is_fair(void **state) {
    (void)state;
    static const uint32_t three[][3] = {{0, 0, 4}, {0, 0, 4}, {0, 0, 4}};
    place p = place_make("cube:n=8", NULL);
    sim_engine *e = packet_engine_make(&p, PACKET_RANDOM, false);
    listed l = pairs(p.net, three, 3);
    int first[3] = {0}, second[3] = {0};
    for (uint64_t k = 0; k < 3000; k++) {
        sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
        listed_again(&l);
        e->ops->start(e, bough_key_make(7, k), &l.base);
        assert_int_equal(e->ops->advance(e, &part, NULL), BOUGH_OK);
        assert_int_equal(part.count, 3);
        first[part.deliveries[0].id]++;
        second[part.deliveries[1].id]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_in_range(first[i], 870, 1130);
        assert_in_range(second[i], 870, 1130);
    }
    listed_fini(&l);
    e->ops->destroy(e);
    place_free(&p);
}

/* ---- exact figures of an independent program ---- */

static void cubes_take_exactly_so_many_steps(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev", "transpose"};
    for (unsigned d = 2; d <= 14; d++)
        for (size_t i = 0; i < 2 * COUNT(traffic); i++) {
            char spec[32];
            snprintf(spec, sizeof spec, "cube:n=2^%u", d);
            place p = place_make(spec, NULL);
            bough_traffic *t;
            bough_source *source;
            sim_advance part = {.until = UINT64_MAX, .want = UINT64_MAX};
            packet_figures f;
            unsigned half = d / 2;
            sim_engine *e = packet_engine_make(&p, i < 2 ? PACKET_FIFO : PACKET_RANDOM, false);
            assert_int_equal(bough_traffic_create(p.net, traffic[i % 2], &t, NULL), BOUGH_OK);
            assert_int_equal(bough_traffic_open(t, bough_key_make(1, 0), NULL, &source, NULL), BOUGH_OK);
            e->ops->start(e, bough_key_make(1, 0), source);
            assert_int_equal(e->ops->advance(e, &part, NULL), BOUGH_OK);
            packet_figures_of(e, &f);
            if (i < 2) assert_int_equal(f.phase[0].end, (1u << (half - 1)) + half);
            assert_int_equal(f.queue_max, half < 2 ? 1 : 1u << (half - 2));
            source->close(source);
            bough_traffic_destroy(t);
            e->ops->destroy(e);
            place_free(&p);
        }
}

/* ---- which routes share links ---- */

/* Routes 0: links 1 2 3; 1: 2 3; 2: 1 4 3, which leaves 0 and comes back; 3: 5. Of the second phase only: 0
 * and 3 over link 0. */
static void routes_by_hand(void **state) {
    (void)state;
    static const uint32_t route[4][4] = {{1, 2, 3, 0}, {2, 3}, {1, 4, 3}, {5, 0}};
    static const uint16_t length[4][2] = {{3, 4}, {2, 2}, {3, 3}, {1, 2}};
    static const uint32_t delay[4][2] = {{2, 0}, {3, 0}, {0, 0}, {1, 1}};
    packet_trace t = {4, 6, 4, &route[0][0], length, delay};
    packet_meetings m;
    assert_int_equal(packet_meet(&t, 0, &m, NULL), BOUGH_OK);
    assert_int_equal(m.pairs, 3); /* 0 1, 0 2, 1 2 */
    assert_int_equal(m.sharers, 6);
    assert_int_equal(m.sharers_max, 2);
    assert_true(m.returns == 2 && m.back[0] == 0 && m.back[1] == 2 && m.back_link == 3); /* seen from both */
    assert_true(m.late == 2 && m.late_packet == 1 && m.late_by == 3 && m.late_sharers == 2);
    assert_int_equal(packet_meet(&t, 1, &m, NULL), BOUGH_OK);
    assert_true(m.pairs == 1 && m.sharers == 2 && m.sharers_max == 1 && m.returns == 0 && m.late == 0);
}

/* Two routes that go the same way backwards, and two of which one takes the longer way: each sees it. */
static void backwards_and_around(void **state) {
    (void)state;
    static const uint32_t route[4][3] = {{1, 2}, {2, 1}, {3, 4, 5}, {3, 5}};
    static const uint16_t length[4][2] = {{2, 2}, {2, 2}, {3, 3}, {2, 2}};
    static const uint32_t delay[4][2] = {{0}};
    packet_trace t = {2, 6, 3, &route[0][0], length, delay};
    packet_meetings m;
    assert_int_equal(packet_meet(&t, 0, &m, NULL), BOUGH_OK);
    assert_true(m.pairs == 1 && m.returns == 2 && m.back_link == 2);
    t = (packet_trace){2, 6, 3, &route[2][0], &length[2], &delay[2]};
    assert_int_equal(packet_meet(&t, 0, &m, NULL), BOUGH_OK);
    assert_true(m.pairs == 1 && m.returns == 2 && m.back_link == 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_in_a_queue),
        cmocka_unit_test(who_comes_first),
        cmocka_unit_test(random_is_fair),
        cmocka_unit_test(a_cable_takes_turns),
        cmocka_unit_test(a_full_queue_stops_the_link_before),
        cmocka_unit_test(cubes_take_exactly_so_many_steps),
        cmocka_unit_test(routes_by_hand),
        cmocka_unit_test(backwards_and_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
