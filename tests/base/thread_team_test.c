/* A team of threads calls every step of a loop once, and loops one after the other. */
#include "base/thread_team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 1000, LOOPS = 200 };

typedef struct loops {
    unsigned workers, most; /* wanted; the highest number of a thread, plus 1 */
    atomic_uint seen;       /* the same in steps */
    uint32_t calls[STEPS];  /* each written by one step of a loop */
    uint64_t count;
    bool led;
    atomic_bool busy[8]; /* by number of a thread: it runs a step */
    atomic_uint clashes; /* two threads had one number */
} loops;

static void count_call(void *context, unsigned worker, uint64_t i) {
    loops *l = context;
    if (atomic_exchange(&l->busy[worker], true)) atomic_fetch_add(&l->clashes, 1);
    l->calls[i]++;
    unsigned before = atomic_load(&l->seen);
    while (before < worker + 1 && !atomic_compare_exchange_weak(&l->seen, &before, worker + 1)) {
    }
    atomic_store(&l->busy[worker], false);
}

static void lead(void *context, thread_team *team) {
    loops *l = context;
    l->led = true;
    l->most = team_size(team);
    for (unsigned loop = 0; loop < LOOPS; loop++) team_each(team, l->count, count_call, l);
}

static void steps_are_called_once(void **state) {
    (void)state;
    static const unsigned workers[] = {0, 1, 2, 3, 7};
    static const uint64_t counts[] = {0, 1, 2, 5, STEPS};
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            loops l = {.count = counts[k]};
            team_run(workers[i], lead, &l);
            assert_true(l.led);
            assert_int_equal(l.most, workers[i] ? workers[i] : 1);
            assert_true(atomic_load(&l.seen) <= l.most);
            for (uint64_t s = 0; s < STEPS; s++) assert_int_equal(l.calls[s], s < counts[k] ? LOOPS : 0);

            loops single = {.count = counts[k]};
            team_loop(workers[i], counts[k], count_call, &single);
            assert_true(atomic_load(&single.seen) <= l.most);
            for (uint64_t s = 0; s < STEPS; s++) assert_int_equal(single.calls[s], s < counts[k]);
        }
}

/* Two leaders. */
typedef struct two_loops {
    loops of[2];
} two_loops;

static void lead_of(loops *l, thread_team *team) {
    l->led = !l->led; /* twice: false */
    l->most = team_size(team);
    for (unsigned loop = 0; loop < LOOPS; loop++) {
        team_each(team, l->count, count_call, l);
    }
}

static void lead_first(void *context, thread_team *team) {
    lead_of(&((two_loops *)context)->of[0], team);
}

static void lead_second(void *context, thread_team *team) {
    lead_of(&((two_loops *)context)->of[1], team);
}

static void two_teams_run_their_loops(void **state) {
    (void)state;
    static const unsigned workers[] = {0, 1, 2, 3, 7};
    static const uint64_t counts[] = {0, 1, 5, STEPS};
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            two_loops two = {{{.count = counts[k]}, {.count = STEPS - counts[k]}}};
            team_run_two(workers[i], (void (*const[2])(void *, thread_team *)){lead_first, lead_second},
                         &two);
            for (unsigned t = 0; t < 2; t++) {
                const loops *l = &two.of[t];
                assert_true(l->led);
                assert_int_equal(atomic_load(&l->clashes), 0);
                assert_int_equal(l->most, workers[i] ? workers[i] : 1);
                assert_true(atomic_load(&l->seen) <= l->most);
                for (uint64_t s = 0; s < STEPS; s++) assert_int_equal(l->calls[s], s < l->count ? LOOPS : 0);
            }
        }
}

static void parts_cover_a_range(void **state) {
    (void)state;
    for (uint64_t count = 0; count < 20; count++)
        for (uint64_t parts = 1; parts < 9; parts++) {
            assert_int_equal(team_part(count, parts, 0), 0);
            assert_int_equal(team_part(count, parts, parts), count);
            for (uint64_t i = 0; i < parts; i++) {
                uint64_t size = team_part(count, parts, i + 1) - team_part(count, parts, i);
                assert_true(size == count / parts || size == (count + parts - 1) / parts);
            }
        }
    assert_int_equal(team_part(UINT64_MAX, 4, 2), UINT64_MAX / 2);
}

/* Steps that can fail: the first failure is returned, and ends the loop soon. */
typedef struct attempts {
    uint64_t fails; /* this step */
    atomic_uint begun;
} attempts;

static bough_status attempt(void *context, unsigned worker, uint64_t i, bough_error *error) {
    attempts *a = context;
    (void)worker;
    atomic_fetch_add(&a->begun, 1);
    return i == a->fails ? bough_fail(error, BOUGH_INVALID, "here", "step %d", (int)i) : BOUGH_OK;
}

static void a_failure_ends_the_loop(void **state) {
    (void)state;
    for (unsigned workers = 0; workers < 4; workers++) {
        bough_error error = {0};
        attempts a = {.fails = 7}, none = {.fails = 100};
        assert_int_equal(team_try(workers, 100, attempt, &a, &error), BOUGH_INVALID);
        assert_string_equal(error.reason, "step 7");
        if (workers < 2) assert_int_equal(a.begun, 8);
        assert_int_equal(team_try(workers, 100, attempt, &none, NULL), BOUGH_OK);
        assert_int_equal(none.begun, 100);
        assert_int_equal(team_try(workers, 100, attempt, &a, NULL), BOUGH_INVALID);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_ends_the_loop),
        cmocka_unit_test(steps_are_called_once),
        cmocka_unit_test(two_teams_run_their_loops),
        cmocka_unit_test(parts_cover_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
