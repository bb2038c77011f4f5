/* The queue of `flow` against a search through everything: puts into both lists, changes, pops and growth. */
#include "engines/flow/flow_queue.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 60, STEPS = 40000 };

typedef struct model {
    uint64_t key[ITEMS]; /* 0: not in */
    bool arrives[ITEMS];
} model;

/* The first item of the model; ITEMS: none. The tie of an item is ITEMS - item. */
static uint32_t first_of(const model *m) {
    uint32_t first = ITEMS;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (m->key[i] && (first == ITEMS || m->key[i] <= m->key[first])) first = i;
    return first;
}

static void pop(flow_queue *q, model *m, uint64_t *now) {
    uint32_t want = first_of(m);
    const heap_entry *e = flow_queue_first(q);
    if (want == ITEMS) {
        assert_null(e);
        return;
    }
    assert_non_null(e);
    assert_int_equal(e->key, m->key[want]);
    *now = e->key;
    assert_int_equal(flow_queue_pop(q, e), want);
    assert_int_equal(q->heap.at[want], HEAP_OUT);
    m->key[want] = 0;
}

/* spread 1: events are nearly in order, and both lists are used; else most go to the heap. */
static void work(uint64_t spread) {
    flow_queue q = {0};
    model m = {0};
    bough_error error;
    uint64_t now = 1, items = 3;
    uint32_t listed[FLOW_LISTS] = {0};
    bough_stream draw = bough_stream_make(bough_key_make(spread, 0), BOUGH_DRAW_TEST, 0, 0);
    assert_int_equal(flow_queue_reserve(&q, items, &error), BOUGH_OK);
    for (int step = 0; step < STEPS; step++) {
        if (step % 500 == 499 && items < ITEMS) {
            items += 1 + items / 2;
            if (items > ITEMS) items = ITEMS;
            assert_int_equal(flow_queue_reserve(&q, items, &error), BOUGH_OK);
        }
        uint32_t item = (uint32_t)bough_stream_below(&draw, items);
        if (!bough_stream_below(&draw, 3) || (m.key[item] && m.arrives[item])) {
            pop(&q, &m, &now);
            continue;
        }
        bool arrives = !m.key[item] && bough_stream_below(&draw, 2);
        m.key[item] = now + (arrives ? 2 : 5) + bough_stream_below(&draw, spread);
        m.arrives[item] = arrives;
        flow_queue_put(&q, arrives ? FLOW_ARRIVALS : FLOW_ENDS,
                       (heap_entry){m.key[item], ITEMS - item, item});
        for (unsigned i = 0; i < FLOW_LISTS; i++) listed[i] += q.list[i].count > 1;
    }
    assert_true(listed[FLOW_ENDS] > 100 && listed[FLOW_ARRIVALS] > 100);
    while (first_of(&m) < ITEMS) pop(&q, &m, &now);
    pop(&q, &m, &now);
    flow_queue_put(&q, FLOW_ENDS, (heap_entry){1, 1, 1});
    flow_queue_put(&q, FLOW_ENDS, (heap_entry){0, 0, 0});
    flow_queue_put(&q, FLOW_ARRIVALS, (heap_entry){2, 2, 2});
    flow_queue_clear(&q);
    assert_null(flow_queue_first(&q));
    for (uint32_t i = 0; i < ITEMS; i++) assert_int_equal(q.heap.at[i], HEAP_OUT);
    flow_queue_fini(&q);
}

static void test_random_work(void **state) {
    (void)state;
    work(1);
    work(4);
    work(1000);
}

/* ---- many events at one time ---- */

enum { CROWD = 3000, KEYS = 5 };

/* Events at few times, in the order of a permutation; those that are taken come again, later, as arrivals.
 * together: the first are put at once, some are changed to late times, and some of those that are taken come
 * again as ends, at once, when the list is empty. */
static void crowd(uint64_t seed, uint32_t listed, uint32_t late, uint32_t most, bool together) {
    flow_queue q = {0};
    bough_error error;
    uint64_t key[CROWD];
    uint32_t order[CROWD], item[CROWD], again[CROWD], left = CROWD, sorted = 0, comes = 0, beside = 0;
    bough_stream draw = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    assert_int_equal(flow_queue_reserve(&q, CROWD, &error), BOUGH_OK);
    flow_queue_clear(&q);
    for (uint32_t i = 0; i < CROWD; i++) {
        uint32_t k = (uint32_t)bough_stream_below(&draw, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t it = CROWD; it-- > CROWD - listed;) { /* in order: they are in a list */
        key[it] = 10;
        flow_queue_put(&q, FLOW_ENDS, (heap_entry){key[it], CROWD - it, it});
    }
    if (together) flow_queue_collect(&q);
    for (uint32_t i = 0; i < CROWD; i++) {
        uint32_t it = order[i];
        if (it >= CROWD - listed) continue;
        key[it] = 10 * (1 + bough_stream_below(&draw, KEYS)) + (bough_stream_below(&draw, 100) < late);
        flow_queue_put(&q, FLOW_ENDS, (heap_entry){key[it], CROWD - it, it});
    }
    flow_queue_order(&q);
    for (uint32_t i = 0; i < CROWD && together; i += 7) {
        key[i] = 10 * KEYS + 10 + bough_stream_below(&draw, 100);
        flow_queue_put(&q, FLOW_ENDS, (heap_entry){5, CROWD - i, i}); /* so that it is in the heap */
        flow_queue_put(&q, FLOW_ENDS, (heap_entry){key[i], CROWD - i, i});
    }
    for (uint64_t now = 0, round = 0; left; round++) {
        const heap_entry *first = flow_queue_first(&q);
        assert_non_null(first);
        assert_true(first->key >= now);
        now = first->key;
        for (uint32_t got, tie = 0; (got = flow_queue_take(&q, now, item, most)) > 0;) {
            sorted += q.due > 0;
            for (uint32_t i = 0; i < got; i++) {
                assert_int_equal(key[item[i]], now);
                assert_true(CROWD - item[i] > tie);
                tie = CROWD - item[i];
                assert_int_equal(q.heap.at[item[i]], HEAP_OUT);
                key[item[i]] = 0;
                left--;
            }
            for (uint32_t i = 0; i < got && round < 2; i++) {
                if (together && item[i] % 2) {
                    again[comes++] = item[i];
                    continue;
                }
                key[item[i]] = now + 15 + bough_stream_below(&draw, 3) * 7;
                flow_queue_put(&q, FLOW_ARRIVALS, (heap_entry){key[item[i]], CROWD - item[i], item[i]});
                left++;
            }
        }
        for (uint32_t i = 0; i < CROWD; i++) assert_int_not_equal(key[i], now);
        if (comes) flow_queue_collect(&q);
        if (!q.collects) continue;
        beside += q.heap.count > 0;
        for (; comes; left++) {
            const uint32_t it = again[--comes];
            key[it] = now + 1 + bough_stream_below(&draw, 3) * 7;
            flow_queue_put(&q, FLOW_ENDS, (heap_entry){key[it], CROWD - it, it});
        }
        flow_queue_order(&q);
    }
    assert_null(flow_queue_first(&q));
    assert_true(together || sorted > 10);
    assert_int_equal(comes, 0);
    assert_int_equal(beside > 0, together);
    flow_queue_fini(&q);
}

static void test_many_at_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        crowd(seed, 0, 0, 7, false);
        crowd(seed, 0, 10, 100, false);
        crowd(seed, CROWD / 2, 10, 100, false);
        crowd(seed, 0, 10, 100, true);
        crowd(seed, CROWD / 2, 10, 100, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_work),
        cmocka_unit_test(test_many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
