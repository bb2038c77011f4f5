/* Events come out in the order of (time, sequence), whatever the order they went in. */
#include "base/memory/event_lanes.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static bough_error error;

static void push(event_lanes *h, uint64_t time, uint32_t sequence) {
    lane_event e = lane_event_of(time, sequence, sequence ^ 5);
    assert_int_equal(event_lanes_put(h, e, &error), BOUGH_OK);
}

static void pop(event_lanes *h, uint64_t time, uint32_t sequence) {
    lane_event e = event_lanes_pop(h, event_lanes_next(h));
    assert_int_equal(e.time, time);
    assert_int_equal(lane_event_sequence(e), sequence);
    assert_int_equal(lane_event_what(e), sequence ^ 5);
}

static void empty(void **state) {
    (void)state;
    event_lanes h;
    assert_int_equal(event_lanes_make(&h, &error), BOUGH_OK);
    assert_int_equal(h.count, 0);
    assert_true(h.head[event_lanes_next(&h)].time == UINT64_MAX);
    push(&h, 7, 1);
    pop(&h, 7, 1);
    assert_true(h.head[event_lanes_next(&h)].time == UINT64_MAX);
    event_lanes_fini(&h);
}

/* Descending times: each lane takes one, the heap the rest. */
static void falling(void **state) {
    (void)state;
    event_lanes h;
    assert_int_equal(event_lanes_make(&h, &error), BOUGH_OK);
    for (uint32_t i = 0; i < 1000; i++) push(&h, 1000 - i, i);
    assert_int_equal(h.heaped, 1000 - EVENT_LANES);
    for (uint32_t i = 1000; i-- > 0;) pop(&h, 1000 - i, i);
    assert_int_equal(h.count, 0);
    event_lanes_fini(&h);
}

/* A constant time after what comes out: one lane, and it grows while its ring is wrapped around. */
static void constant(void **state) {
    (void)state;
    event_lanes h;
    uint32_t sequence = 0, next = 0;
    assert_int_equal(event_lanes_make(&h, &error), BOUGH_OK);
    for (uint32_t pending = 1; pending < 1000; pending++) {
        push(&h, sequence, sequence);
        sequence++;
        for (int i = 0; i < 3; i++) {
            push(&h, sequence, sequence);
            sequence++;
            pop(&h, next, next);
            next++;
        }
    }
    assert_int_equal(h.heaped, 0);
    assert_int_equal(h.lane[1].end, 0);
    assert_int_equal(h.count, sequence - next);
    event_lanes_fini(&h);
}

static int by_key(const void *a, const void *b) {
    return lane_event_before(a, b) ? -1 : lane_event_before(b, a);
}

/* Random delays of a few kinds, against a sorted list; twice, as a cleared one is as a new one. */
static void against_sorting(void **state) {
    (void)state;
    enum { EVENTS = 4000 };
    event_lanes h;
    assert_int_equal(event_lanes_make(&h, &error), BOUGH_OK);
    for (uint64_t seed = 0; seed < 40; seed++) {
        bough_stream coins = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_KEY, 0, 0);
        lane_event *pending = malloc(EVENTS * sizeof *pending);
        size_t count = 0, lives = 0;
        uint64_t now = 0;
        assert_non_null(pending);
        event_lanes_clear(&h);
        for (uint32_t i = 0; i < EVENTS || count; i++) {
            uint64_t coin = bough_stream_next(&coins);
            if (i < EVENTS && (coin & 1 || !count)) {
                uint64_t late = (coin >> 8) % (1 + seed % 8) * 1000 + (seed % 3 ? 0 : (coin >> 16) % 777);
                pending[count++] = lane_event_of(now + late, i, 0);
                push(&h, now + late, i);
                lives++;
                continue;
            }
            qsort(pending, count, sizeof *pending, by_key);
            now = pending[0].time;
            pop(&h, now, lane_event_sequence(pending[0]));
            for (size_t k = 1; k < count; k++) pending[k - 1] = pending[k];
            count--;
        }
        assert_true(lives > EVENTS / 3);
        assert_int_equal(h.count, 0);
        free(pending);
    }
    event_lanes_fini(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty), cmocka_unit_test(falling),
                                       cmocka_unit_test(constant), cmocka_unit_test(against_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
