/* Schedules made and matched on several threads are those of one, and so are their errors. */
#include "traffic/collectives/collective_build.h"
#include "traffic/schedules/send_recv_match.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { RANKS = 100, OPS = 30000, THREADS = 5 };

static void assert_same(const bough_schedule *s, const bough_schedule *want) {
    assert_true(s->ranks == want->ranks && s->ops == want->ops && s->bytes == want->bytes);
    assert_true(s->sends == want->sends && s->recvs == want->recvs && s->calcs == want->calcs);
    assert_true(s->cpus == want->cpus && s->nics == want->nics && s->streams == want->streams);
    assert_memory_equal(s->first, want->first, (s->ranks + 1) * sizeof *s->first);
    assert_memory_equal(s->op, want->op, s->ops * sizeof *s->op);
    assert_memory_equal(s->then, want->then, (s->ops + 1) * sizeof *s->then);
    assert_memory_equal(s->waits, want->waits, s->ops * sizeof *s->waits);
    assert_memory_equal(s->follower, want->follower, s->then[s->ops] * sizeof *s->follower);
    assert_string_equal(s->name, want->name);
}

/* ---- builders of some ranks each ---- */

static bough_schedule_builder *begin(void) {
    bough_schedule_builder *b;
    bough_error error;
    if (bough_schedule_begin("test", RANKS, &b, &error)) fail_msg("%s", error.reason);
    return b;
}

/* Draws operations of ranks in any order, each waiting for up to two earlier ones of its rank, and adds those
 * of the ranks first .. end - 1. */
static bough_schedule_builder *draw(uint32_t first, uint32_t end, uint64_t key) {
    bough_stream random = bough_stream_make(bough_key_make(key, 0), BOUGH_DRAW_TEST, 0, 0);
    bough_schedule_builder *b = begin();
    uint32_t last[RANKS][2], id;
    memset(last, 0xff, sizeof last);
    bough_schedule_only(b, first, end);
    for (int i = 0; i < OPS; i++) {
        uint32_t rank = (uint32_t)bough_stream_below(&random, RANKS);
        bough_op op = {.size = (uint64_t)i,
                       .peer = (uint32_t)bough_stream_below(&random, RANKS),
                       .kind = (uint8_t)bough_stream_below(&random, 3),
                       .cpu = (uint8_t)bough_stream_below(&random, 1 + rank % 7)};
        if (rank < first || rank >= end) continue;
        assert_int_equal(bough_schedule_add(b, rank, op, &id, NULL), BOUGH_OK);
        for (int k = 0; k < 2; k++)
            if (last[rank][k] != UINT32_MAX)
                assert_int_equal(bough_schedule_wait(b, id, last[rank][k], k, NULL), BOUGH_OK);
        last[rank][i % 2] = id;
    }
    return b;
}

static void joined_builders(void **state) {
    (void)state;
    for (uint64_t key = 0; key < 3; key++) {
        bough_schedule *want, *s;
        assert_int_equal(bough_schedule_finish(draw(0, RANKS, key), &want, NULL), BOUGH_OK);
        for (uint32_t parts = 1; parts <= THREADS; parts++) {
            bough_schedule_builder *b[THREADS];
            for (uint32_t i = 0; i < parts; i++) b[i] = draw(RANKS * i / parts, RANKS * (i + 1) / parts, key);
            assert_int_equal(bough_schedule_join(b, parts, &s, NULL), BOUGH_OK);
            assert_same(s, want);
            bough_schedule_destroy(s);
        }
        bough_schedule_destroy(want);
    }
}

static void refused(void **state) {
    (void)state;
    bough_error error;
    bough_schedule *s;
    bough_schedule_builder *b[2] = {begin(), begin()};
    const bough_op calc = {.kind = BOUGH_OP_CALC}, half = {.kind = BOUGH_OP_SEND, .size = UINT64_MAX / 2 + 1};
    uint32_t one, two;
    bough_schedule_only(b[0], 0, 10);
    bough_schedule_only(b[1], 10, RANKS);
    assert_int_equal(bough_schedule_add(b[0], 10, calc, NULL, &error), BOUGH_INVALID);
    assert_string_equal(error.reason, "rank 10 is not one of 0 .. 9, which this builder has");
    assert_int_equal(bough_schedule_add(b[1], 9, calc, NULL, &error), BOUGH_INVALID);
    assert_int_equal(bough_schedule_add(b[0], 9, half, NULL, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_add(b[1], 10, half, NULL, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_join(b, 2, &s, &error), BOUGH_INVALID);
    assert_string_equal(error.reason, "total size of all sends exceeds 2^64 bytes");
    assert_null(s);
    b[0] = begin(), b[1] = begin();
    bough_schedule_only(b[0], 0, 10);
    bough_schedule_only(b[1], 10, RANKS);
    assert_int_equal(bough_schedule_add(b[1], 10, calc, &one, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_add(b[1], 10, calc, &two, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_wait(b[1], one, two, false, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_wait(b[1], two, one, false, &error), BOUGH_OK);
    assert_int_equal(bough_schedule_join(b, 2, &s, &error), BOUGH_INVALID);
    assert_string_equal(error.reason,
                        "rank 10: a cycle of 2 operations that wait for each other: calc (number 0) "
                        "waits for calc (number 1) waits for calc (number 0)");
}

/* ---- collectives ---- */

static bough_status build_rounds(const collective_algorithm *a, uint64_t size, uint32_t rounds,
                                 unsigned threads, bough_schedule **s, bough_error *error) {
    uint32_t last[RANKS][2];
    collective c = {.n = RANKS,
                    .size = size,
                    .root = a->blocks == collective_one_block ? 7 : 0,
                    .segment = size / 150,
                    .reduce_ps = 3,
                    .gpu = {.gpus = 4},
                    .last = last,
                    .error = error};
    const collective_building how = {rounds, threads, a->name};
    *error = (bough_error){0};
    return collective_build(a, &c, &how, s);
}

static bough_status build(const collective_algorithm *a, uint64_t size, unsigned threads, bough_schedule **s,
                          bough_error *error) {
    return build_rounds(a, size, 2, threads, s, error);
}

static void collectives(void **state) {
    (void)state;
    static const collective_kind *const kind[] = {
        &collective_allreduce, &collective_allgather, &collective_reducescatter, &collective_alltoall,
        &collective_broadcast, &collective_reduce,    &collective_barrier};
    bough_error error;
    bough_schedule *want, *s;
    for (size_t k = 0; k < COUNT(kind); k++)
        for (const collective_algorithm *a = kind[k]->algorithm; a->name && !a->program; a++) {
            if (!a->exchanges) continue;
            if (build(a, 123457, 1, &want, &error)) fail_msg("%s: %s", a->name, error.reason);
            for (unsigned threads = 2; threads <= THREADS; threads++) {
                if (build(a, 123457, threads, &s, &error)) fail_msg("%s: %s", a->name, error.reason);
                assert_same(s, want);
                bough_schedule_destroy(s);
            }
            bough_schedule_destroy(want);
        }
}

/* Of 2 (n - 1) n sends of size / n bytes: two rounds exceed 2^64 bytes in all threads, or only together. */
static void too_large(void **state) {
    (void)state;
    const collective_algorithm *ring = collective_find(&collective_allreduce, "ring");
    bough_error want, error;
    bough_schedule *s;
    for (unsigned digits = 55; digits <= 60; digits++) {
        bough_status status = build(ring, UINT64_C(1) << digits, 1, &s, &want);
        assert_int_equal(status, digits < 56 ? BOUGH_OK : BOUGH_INVALID);
        for (unsigned threads = 2; threads <= THREADS; threads++) {
            bough_schedule_destroy(s);
            assert_int_equal(build(ring, UINT64_C(1) << digits, threads, &s, &error), status);
            assert_string_equal(error.reason, want.reason);
            assert_string_equal(error.place, want.place);
        }
        bough_schedule_destroy(s);
    }
}

/* Each of 100 ranks sends 198 times, receives as often, and adds up in half of these: 49,500 a round. Threads
 * count their parts, and the sum is refused before anything is built. */
static void too_many(void **state) {
    (void)state;
    bough_error error;
    bough_schedule *s;
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        bough_status status = build_rounds(collective_find(&collective_allreduce, "ring"), 123457, 1 << 20,
                                           threads, &s, &error);
        assert_int_equal(status, BOUGH_TOO_LARGE);
        assert_string_equal(error.reason, "51904512000 operations; the limit of a schedule is 2^31");
        assert_null(s);
    }
}

/* ---- matching ---- */

/* Messages in random order; receives name source and tag, or some of ranks that are multiples of 10 neither.
 * spoilt: receives of these ranks are left out. */
static bough_schedule *messages(uint64_t key, uint32_t wild, const uint32_t spoilt[2]) {
    bough_stream random = bough_stream_make(bough_key_make(key, 0), BOUGH_DRAW_TEST, 0, 0);
    bough_schedule_builder *b = begin();
    bough_schedule *s;
    uint32_t count = OPS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = (uint32_t)bough_stream_below(&random, RANKS), tag = i % 3,
                 to = (uint32_t)bough_stream_below(&random, RANKS);
        bool any = wild && to % wild == 0 && i % 2;
        bough_op send = {.kind = BOUGH_OP_SEND, .peer = to, .tag = tag, .size = i},
                 recv = {.kind = BOUGH_OP_RECV,
                         .peer = any && i % 4 == 1 ? BOUGH_ANY_RANK : from,
                         .tag = any ? BOUGH_ANY_TAG : tag,
                         .size = i};
        assert_int_equal(bough_schedule_add(b, from, send, NULL, NULL), BOUGH_OK);
        if (to == spoilt[0] || to == spoilt[1]) continue;
        assert_int_equal(bough_schedule_add(b, to, recv, NULL, NULL), BOUGH_OK);
    }
    assert_int_equal(bough_schedule_finish(b, &s, NULL), BOUGH_OK);
    return s;
}

static void matches(void **state) {
    (void)state;
    static const uint32_t wild[] = {0, 1, 10, 90}, whole[] = {RANKS, RANKS};
    for (size_t i = 0; i < COUNT(wild); i++) {
        bough_schedule *s = messages(i, wild[i], whole);
        match_plan want, m;
        assert_int_equal(match_make(s, 1, &want, NULL), BOUGH_OK);
        assert_true(want.channels > RANKS && !want.also == !wild[i]);
        for (unsigned threads = 2; threads <= THREADS; threads++) {
            assert_int_equal(match_make(s, threads, &m, NULL), BOUGH_OK);
            assert_int_equal(m.channels, want.channels);
            assert_memory_equal(m.channel, want.channel, s->ops * sizeof *m.channel);
            assert_memory_equal(m.rank, want.rank, s->ops * sizeof *m.rank);
            if (want.also) assert_memory_equal(m.also, want.also, s->ops * sizeof *m.also);
            match_fini(&m);
        }
        match_fini(&want);
        bough_schedule_destroy(s);
    }
}

/* Two ranks receive nothing: the error is of the first, whichever thread finds one. */
static void unmatched(void **state) {
    (void)state;
    static const uint32_t spoilt[][2] = {{3, 97}, {55, 56}, {99, 30}};
    bough_error want, error;
    match_plan m;
    for (size_t i = 0; i < COUNT(spoilt); i++) {
        bough_schedule *s = messages(i, 0, spoilt[i]);
        assert_int_equal(match_make(s, 1, &m, &want), BOUGH_INVALID);
        for (unsigned threads = 2; threads <= THREADS; threads++) {
            assert_int_equal(match_make(s, threads, &m, &error), BOUGH_INVALID);
            assert_string_equal(error.reason, want.reason);
            assert_null(m.channel);
        }
        bough_schedule_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_builders), cmocka_unit_test(refused),  cmocka_unit_test(collectives),
        cmocka_unit_test(too_large),       cmocka_unit_test(too_many), cmocka_unit_test(matches),
        cmocka_unit_test(unmatched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
