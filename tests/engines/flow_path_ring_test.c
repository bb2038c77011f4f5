/* A ring of paths: what is given is taken once, in order, by the message that it belongs to and by no other;
 * what finds no room is left out. The runs that use it are in flow_threads_test. */
#include "engines/flow/flow_path_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 40, HOPS = 6 };

static bough_message message_of(uint32_t id) {
    return (bough_message){.id = id, .source = 3 * id + 1, .address = 7 * id + 2};
}

/* Its path, of 0 .. HOPS links. */
static message_links links_of(uint32_t id) {
    message_links l = {
        .hops = id % (HOPS + 1), .at = 1000 + id, .end = id % 2 ? FLOW_ARRIVES : FLOW_NO_ROUTE};
    l.count = l.hops;
    for (uint32_t i = 0; i < l.hops; i++) l.path[i] = 100 * id + i;
    return l;
}

static flow_path_ring *make(uint64_t messages) {
    flow_path_ring *ring;
    bough_error error;
    assert_int_equal(flow_path_ring_make(messages, HOPS, &ring, &error), BOUGH_OK);
    return ring;
}

static void give(flow_path_ring *ring, uint32_t first, uint32_t count) {
    bough_message message[MANY];
    message_links links[MANY];
    for (uint32_t i = 0; i < count; i++) message[i] = message_of(first + i), links[i] = links_of(first + i);
    flow_path_ring_give(ring, message, links, count);
}

/* One message takes its path, or there is none. */
static bool takes(flow_path_ring *ring, bough_message m) {
    const message_links want = links_of(m.id);
    message_links l;
    bool has = true;
    const uint32_t others = flow_path_ring_take(ring, &m, &l, 1, &has);
    assert_int_equal(others, !has);
    if (!has) return false;
    assert_int_equal(l.hops, want.hops);
    assert_int_equal(l.count, want.hops);
    assert_int_equal(l.at, want.at);
    assert_int_equal(l.end, want.end);
    assert_memory_equal(l.path, want.path, want.hops * sizeof *want.path);
    return true;
}

/* Around the ring several times. */
static void test_in_order(void **state) {
    (void)state;
    flow_path_ring *ring = make(8);
    for (uint32_t first = 0; first < 5 * MANY; first += 5) {
        give(ring, first, 5);
        for (uint32_t i = first; i < first + 5; i++) assert_true(takes(ring, message_of(i)));
        assert_false(takes(ring, message_of(first + 4)));
    }
    flow_path_ring_free(ring);
}

/* Room for 8: the rest of a block is left out. What is taken makes room for later ones. */
static void test_full(void **state) {
    (void)state;
    flow_path_ring *ring = make(8);
    give(ring, 0, MANY);
    for (uint32_t i = 0; i < 3; i++) assert_true(takes(ring, message_of(i)));
    give(ring, MANY, 10);
    for (uint32_t i = 3; i < MANY + 10; i++)
        assert_int_equal(takes(ring, message_of(i)), i < 8 || (i >= MANY && i < MANY + 3));
    flow_path_ring_free(ring);
}

/* Those of messages that do not come are passed; one that has not been given finds none, and leaves the
 * others. */
static void test_gaps(void **state) {
    (void)state;
    flow_path_ring *ring = make(64);
    give(ring, 10, 10);
    assert_false(takes(ring, message_of(4)));
    assert_true(takes(ring, message_of(10)));
    assert_true(takes(ring, message_of(15)));
    assert_false(takes(ring, message_of(12)));
    assert_true(takes(ring, message_of(16)));
    give(ring, 30, 2);
    assert_false(takes(ring, message_of(29)));
    assert_true(takes(ring, message_of(30)));
    flow_path_ring_clear(ring);
    assert_false(takes(ring, message_of(31)));
    give(ring, 5, 1);
    assert_true(takes(ring, message_of(5)));
    flow_path_ring_free(ring);
}

/* Runs of a schedule may number their messages differently. */
static void test_other_ends(void **state) {
    (void)state;
    flow_path_ring *ring = make(64);
    bough_message from = message_of(1), to = message_of(2);
    from.source++;
    to.address++;
    give(ring, 0, 4);
    assert_true(takes(ring, message_of(0)));
    assert_false(takes(ring, from));
    assert_false(takes(ring, to));
    assert_true(takes(ring, message_of(3)));
    flow_path_ring_free(ring);
}

/* A path with more links than others usually have is left out. */
static void test_long_path(void **state) {
    (void)state;
    flow_path_ring *ring = make(64);
    bough_message message[3] = {message_of(1), message_of(2), message_of(3)};
    message_links links[3] = {links_of(1), links_of(2), links_of(3)};
    links[1].hops = links[1].count = MAX_MIN_HOPS_MAX;
    flow_path_ring_give(ring, message, links, 3);
    assert_true(takes(ring, message[0]));
    assert_false(takes(ring, message[1]));
    assert_true(takes(ring, message[2]));
    flow_path_ring_free(ring);
}

/* At most 64 MiB and little more, and enough for few messages. */
static void test_bytes(void **state) {
    (void)state;
    assert_true(flow_path_ring_bytes(UINT64_C(1) << 40, 20) < UINT64_C(65) << 20);
    assert_true(flow_path_ring_bytes(UINT64_C(1) << 40, 20) > UINT64_C(32) << 20);
    assert_true(flow_path_ring_bytes(8, 20) >= UINT64_C(8) * 20 * sizeof(uint32_t));
    assert_true(flow_path_ring_bytes(0, 20) < 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),   cmocka_unit_test(test_full),      cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_other_ends), cmocka_unit_test(test_long_path), cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
