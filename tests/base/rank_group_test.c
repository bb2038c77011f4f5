/* Exchanges of a group of ranks, which are threads here: what arrives, sums, loops, and failures of one rank.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/thread_team.h"
#include "base/threads.h"
#include "support/rank_threads.h"

#include <stdlib.h>
#include <string.h>

typedef struct shared {
    rank_threads team;
    unsigned fails; /* this rank passes a status to the second exchange */
    bough_status status[TEAM_MOST];
    bough_error error[TEAM_MOST];
    bool wrong[TEAM_MOST];
    uint64_t length;
} shared;

/* Rank r sends r + k + 1 bytes of value 16 r + k to rank k. */
static bough_status send_once(const rank_group *g, bough_status status, bool *wrong, bough_error *error) {
    uint64_t size[TEAM_MOST];
    rank_parts out = {0}, in = {0};
    for (unsigned k = 0; k < g->ranks; k++) size[k] = g->rank + k + 1;
    if (rank_parts_make(&out, g->ranks, size, NULL)) abort();
    for (unsigned k = 0; k < g->ranks; k++) memset(out.bytes + out.at[k], (int)(16 * g->rank + k), size[k]);
    status = group_exchange(g, status, &out, &in, error);
    for (unsigned k = 0; k < g->ranks && !status; k++) {
        *wrong |= in.at[k + 1] - in.at[k] != g->rank + k + 1;
        for (uint64_t i = in.at[k]; i < in.at[k + 1]; i++) *wrong |= in.bytes[i] != 16 * k + g->rank;
    }
    rank_parts_fini(&out);
    rank_parts_fini(&in);
    return status;
}

/* Ranks r and k swap r + k bytes of value 16 r + k, of which both know the number. */
static bough_status swap_known(const rank_group *g, bough_status status, bool *wrong, bough_error *error) {
    unsigned char sent[TEAM_MOST][2 * TEAM_MOST], got[TEAM_MOST][2 * TEAM_MOST] = {{0}};
    rank_block out[TEAM_MOST], in[TEAM_MOST];
    for (unsigned k = 0; k < g->ranks; k++) {
        memset(sent[k], (int)(16 * g->rank + k), sizeof sent[k]);
        out[k] = (rank_block){sent[k], g->rank + k};
        in[k] = (rank_block){got[k], g->rank + k};
    }
    status = group_swap(g, status, out, in, error);
    for (unsigned k = 0; k < g->ranks && !status; k++)
        for (unsigned i = 0; i < sizeof got[k] && k != g->rank; i++)
            *wrong |= got[k][i] != (i < g->rank + k ? 16 * k + g->rank : 0);
    return status;
}

/* Rank r has r + 2 bytes of an array, and rank 1 none. */
static bough_status gather_once(const rank_group *g, bool *wrong, bough_error *error) {
    unsigned char bytes[64];
    uint64_t at[TEAM_MOST + 1] = {0};
    memset(bytes, (int)g->rank, sizeof bytes);
    for (unsigned k = 0; k < g->ranks; k++) at[k + 1] = at[k] + (k == 1 ? 0 : k + 2);
    bough_status status = group_gather(g, BOUGH_OK, bytes, at, error);
    for (unsigned k = 0; k < g->ranks && !status; k++)
        for (uint64_t i = at[k]; i < at[k + 1]; i++) *wrong |= bytes[i] != k;
    *wrong |= !status && bytes[at[g->ranks]] != g->rank;
    return status;
}

/* Rank k receives the sums of k elements, and of one more in the middle of the array. */
static bough_status sum_parts(const rank_group *g, bough_status status, bool *wrong, bough_error *error) {
    uint16_t value[64];
    uint64_t at[TEAM_MOST + 1] = {5};
    for (unsigned k = 0; k < g->ranks; k++) at[k + 1] = at[k] + k + (k == g->ranks / 2);
    for (unsigned i = 0; i < 64; i++) value[i] = (uint16_t)(i + 100 * g->rank + 7000);
    status = group_sum_parts16(g, status, value, at, error);
    const unsigned base = 100 * (g->ranks * (g->ranks - 1) / 2) + 7000 * g->ranks;
    for (uint64_t i = at[g->rank]; i < at[g->rank + 1] && !status; i++)
        *wrong |= value[i] != base + g->ranks * i;
    for (uint64_t i = 0; i < at[0] && !status; i++) *wrong |= value[i] != i + 100 * g->rank + 7000;
    return status;
}

static void work(void *context, unsigned rank) {
    shared *s = context;
    const rank_group *g = rank_threads_group(&s->team, rank);
    bough_error *error = &s->error[rank];
    bough_status status = send_once(g, BOUGH_OK, &s->wrong[rank], error);
    if (!status && rank == s->fails) status = bough_fail(error, BOUGH_TOO_LARGE, "here", "it is too large");
    status = send_once(g, status, &s->wrong[rank], error);
    status = swap_known(g, status, &s->wrong[rank], error);
    status = sum_parts(g, status, &s->wrong[rank], error);
    double value[9];
    uint64_t count[9], bits[3] = {UINT64_C(1) << rank, 0, rank == 1};
    for (uint64_t i = 0; i < s->length; i++) value[i] = (double)(count[i] = 100 * rank + i);
    /* after a failure these return at once */
    bough_status sum = group_sum(g, value, s->length, error);
    if (!sum) sum = group_sum_counts(g, count, s->length, error);
    if (!sum) sum = group_or(g, bits, 3, error);
    uint16_t max16[GROUP_ROOM16(9)] = {0};
    for (uint64_t i = 0; i < s->length; i++)
        max16[i] = (uint16_t)((rank + i) % g->ranks == 0 ? 60000 + i : i);
    if (!sum) sum = group_max16(g, max16, s->length, error);
    for (uint64_t i = 0; i < s->length && !sum; i++) s->wrong[rank] |= max16[i] != 60000 + i;
    if (!sum) sum = gather_once(g, &s->wrong[rank], error);
    if (!sum) sum = group_compare(g, BOUGH_OK, 17, error);
    uint64_t ranks = g->ranks, base = 100 * (ranks * (ranks - 1) / 2);
    for (uint64_t i = 0; i < s->length && !sum; i++)
        s->wrong[rank] |= count[i] != base + ranks * i || value[i] != (double)(base + ranks * i);
    if (!sum) s->wrong[rank] |= bits[0] != (UINT64_C(1) << ranks) - 1 || bits[1] || bits[2] != (ranks > 1);
    s->wrong[rank] |= sum != status;
    s->status[rank] = group_agree(g, BOUGH_OK, error);
}

/* One rank has another number. */
static void compare(void *context, unsigned rank) {
    shared *s = context;
    s->status[rank] = group_compare(rank_threads_group(&s->team, rank), BOUGH_OK,
                                    rank == s->fails ? 5 : UINT64_MAX, &s->error[rank]);
}

static void run(shared *s, unsigned ranks, uint64_t length, unsigned fails) {
    memset(s, 0, sizeof *s);
    rank_threads_init(&s->team, ranks);
    s->fails = fails;
    s->length = length;
}

static void test_exchange(void **state) {
    (void)state;
    shared s;
    for (unsigned ranks = 1; ranks <= 5; ranks++)
        for (uint64_t length = 0; length <= 9; length += 3) {
            run(&s, ranks, length, TEAM_MOST);
            rank_threads_run(ranks, work, &s);
            for (unsigned r = 0; r < ranks; r++) {
                assert_int_equal(s.status[r], BOUGH_OK);
                assert_false(s.wrong[r]);
            }
            rank_threads_fini(&s.team);
        }
}

static void test_compare(void **state) {
    (void)state;
    static const char *const reason[] = {"rank 1 has another question than rank 0",
                                         "rank 1 has another question than rank 0",
                                         "rank 2 has another question than rank 0"};
    shared s;
    for (unsigned fails = 0; fails < 3; fails++) {
        run(&s, 3, 0, fails);
        rank_threads_run(3, compare, &s);
        for (unsigned r = 0; r < 3; r++) {
            assert_int_equal(s.status[r], BOUGH_INVALID);
            assert_ptr_equal(strstr(s.error[r].reason, reason[fails]), s.error[r].reason);
        }
        rank_threads_fini(&s.team);
    }
}

static void test_failure_of_one(void **state) {
    (void)state;
    shared s;
    for (unsigned ranks = 2; ranks <= 4; ranks++)
        for (unsigned fails = 0; fails < ranks; fails++) {
            run(&s, ranks, 5, fails);
            rank_threads_run(ranks, work, &s);
            for (unsigned r = 0; r < ranks; r++) {
                assert_int_equal(s.status[r], BOUGH_TOO_LARGE);
                assert_string_equal(s.error[r].reason, "it is too large");
                assert_string_equal(s.error[r].place, "here");
                assert_false(s.wrong[r]);
            }
            rank_threads_fini(&s.team);
        }
}

static void test_broken_and_stopped(void **state) {
    (void)state;
    shared s;
    for (uint64_t after = 0; after < 12; after++) {
        run(&s, 3, 5, TEAM_MOST);
        s.team.breaks = 2;
        s.team.break_after = after;
        rank_threads_run(3, work, &s);
        for (unsigned r = 0; r < 3; r++) {
            assert_int_equal(s.status[r], BOUGH_FAILED);
            assert_string_equal(s.error[r].reason, "rank 2 does not answer");
        }
        rank_threads_fini(&s.team);
    }
}

/* Rank r has 1000 r + i. Parts of several pieces, of different lengths. */
static void sum_part(void *context, unsigned rank) {
    shared *s = context;
    const rank_group *g = rank_threads_group(&s->team, rank);
    const uint64_t ranks = g->ranks, base = 1000 * (ranks * (ranks - 1) / 2);
    double *value = malloc((s->length + 1) * sizeof *value);
    if (!value) abort();
    for (uint64_t i = 0; i < s->length; i++) value[i] = (double)(1000 * rank + i);
    s->status[rank] = group_sum_part(g, value, s->length, &s->error[rank]);
    const uint64_t end = team_part(s->length, ranks, rank + 1);
    for (uint64_t i = team_part(s->length, ranks, rank); i < end; i++)
        s->wrong[rank] |= value[i] != (double)(base + ranks * i);
    free(value);
}

static void test_sum_of_parts(void **state) {
    (void)state;
    static const uint64_t length[] = {0, 1, 7, 1000, 2000003};
    shared s;
    for (unsigned ranks = 1; ranks <= 5; ranks += 2)
        for (unsigned i = 0; i < sizeof length / sizeof *length; i++) {
            run(&s, ranks, length[i], TEAM_MOST);
            rank_threads_run(ranks, sum_part, &s);
            for (unsigned r = 0; r < ranks; r++) assert_int_equal(s.status[r], BOUGH_OK);
            for (unsigned r = 0; r < ranks; r++) assert_false(s.wrong[r]);
            rank_threads_fini(&s.team);
        }
}

/* ---- loops ---- */

enum { STEPS = 1000, LOOPS = 3 };

typedef struct looping {
    rank_threads team;
    bool apart, in_turn; /* ranks share no memory; steps are dealt in any case */
    unsigned fails;      /* this rank leaves the second loop at once, with a status */
    atomic_uint done[LOOPS][STEPS], wrong;
    bough_status status[TEAM_MOST];
} looping;

typedef struct loop_thread {
    looping *all;
    group_loop *loop;
    unsigned rank, number;
} loop_thread;

static void claim_steps(void *context, unsigned thread) {
    loop_thread *l = context;
    (void)thread;
    for (uint64_t i; (i = group_loop_claim(l->loop)) < l->loop->steps;) {
        atomic_fetch_add(&l->all->done[l->number][i], 1);
        if ((l->all->apart || l->all->in_turn) && i % l->all->team.ranks != l->rank)
            atomic_fetch_add(&l->all->wrong, 1);
    }
}

/* Loops of different lengths, one after another, with two threads on each rank. */
static void run_loops(void *context, unsigned rank) {
    looping *all = context;
    rank_group g = *rank_threads_group(&all->team, rank);
    bough_status status = BOUGH_OK;
    if (all->apart) g.claimed = NULL;
    for (unsigned i = 0; i < LOOPS; i++) {
        group_loop loop = {.group = &g, .steps = STEPS - i, .in_turn = all->in_turn};
        bough_status begun = group_loop_begin(&loop, status, NULL);
        if (begun) {
            all->status[rank] = begun;
            return;
        }
        if (i == 1 && rank == all->fails)
            status = BOUGH_TOO_LARGE;
        else
            parallel_run(2, claim_steps, &(loop_thread){all, &loop, rank, i});
    }
}

static void loops(looping *all, unsigned ranks) {
    rank_threads_init(&all->team, ranks);
    rank_threads_run(ranks, run_loops, all);
    rank_threads_fini(&all->team);
}

static void test_loops(void **state) {
    (void)state;
    for (unsigned ranks = 1; ranks <= 4; ranks++)
        for (unsigned kind = 0; kind < 3; kind++) {
            looping all = {.apart = kind == 1, .in_turn = kind == 2, .fails = TEAM_MOST};
            loops(&all, ranks);
            assert_int_equal(all.wrong, 0);
            for (unsigned r = 0; r < ranks; r++) assert_int_equal(all.status[r], BOUGH_OK);
            for (unsigned k = 0; k < LOOPS; k++)
                for (unsigned i = 0; i < STEPS; i++) assert_int_equal(all.done[k][i], i < STEPS - k);
        }
}

/* The others do all steps of a loop that one leaves, and fail at the next one. */
static void test_loop_that_one_leaves(void **state) {
    (void)state;
    for (unsigned fails = 0; fails < 3; fails++) {
        looping all = {.fails = fails};
        loops(&all, 3);
        for (unsigned r = 0; r < 3; r++) assert_int_equal(all.status[r], BOUGH_TOO_LARGE);
        for (unsigned i = 0; i < STEPS; i++) assert_int_equal(all.done[1][i], i < STEPS - 1);
        assert_int_equal(all.done[2][0], 0);
    }
}

static void test_no_group(void **state) {
    (void)state;
    double one = 3;
    uint64_t at[] = {0, 4}, bits = 5;
    rank_parts out = {(unsigned char *)"abcd", at}, in;
    bough_error error;
    group_loop loop = {.steps = 2};
    assert_int_equal(group_agree(NULL, BOUGH_IO, &error), BOUGH_IO);
    assert_int_equal(group_loop_begin(&loop, BOUGH_IO, &error), BOUGH_IO);
    assert_int_equal(group_loop_begin(&loop, BOUGH_OK, &error), BOUGH_OK);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(group_loop_claim(&loop), i);
    assert_int_equal(group_swap(NULL, BOUGH_IO, NULL, NULL, &error), BOUGH_IO);
    assert_int_equal(group_swap(NULL, BOUGH_OK, NULL, NULL, &error), BOUGH_OK);
    assert_int_equal(group_sum(NULL, &one, 1, &error), BOUGH_OK);
    assert_int_equal(group_or(NULL, &bits, 1, &error), BOUGH_OK);
    assert_int_equal(group_exchange(NULL, BOUGH_OK, &out, &in, &error), BOUGH_OK);
    assert_memory_equal(in.bytes, "abcd", 4);
    assert_true(in.at[0] == 0 && in.at[1] == 4 && one == 3 && bits == 5);
    rank_parts_fini(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),       cmocka_unit_test(test_compare),
        cmocka_unit_test(test_failure_of_one), cmocka_unit_test(test_broken_and_stopped),
        cmocka_unit_test(test_sum_of_parts),   cmocka_unit_test(test_no_group),
        cmocka_unit_test(test_loops),          cmocka_unit_test(test_loop_that_one_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
