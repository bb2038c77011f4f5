/* Schedules piece by piece: what a builder refuses, how it numbers, and how it names rings. */
#include "traffic/schedules/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

static bough_schedule_builder *begin(uint32_t ranks) {
    bough_schedule_builder *b;
    assert_int_equal(bough_schedule_begin("test", ranks, &b, &error), BOUGH_OK);
    return b;
}

static uint32_t add(bough_schedule_builder *b, uint32_t rank, bough_op op) {
    uint32_t id;
    assert_int_equal(bough_schedule_add(b, rank, op, &id, &error), BOUGH_OK);
    return id;
}

static void add_wait(bough_schedule_builder *b, uint32_t after, uint32_t before, bool start) {
    assert_int_equal(bough_schedule_wait(b, after, before, start, &error), BOUGH_OK);
}

static bough_schedule *finish(bough_schedule_builder *b) {
    bough_schedule *s;
    assert_int_equal(bough_schedule_finish(b, &s, &error), BOUGH_OK);
    return s;
}

static void wrong_pieces(void **state) {
    (void)state;
    bough_schedule_builder *b;
    assert_int_equal(bough_schedule_begin("test", 0, &b, &error), BOUGH_INVALID);
    assert_null(b);
    b = begin(2);
    assert_int_equal(bough_schedule_add(b, 2, (bough_op){.kind = BOUGH_OP_CALC}, NULL, &error),
                     BOUGH_INVALID);
    assert_int_equal(bough_schedule_add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .peer = 2}, NULL, &error),
                     BOUGH_INVALID);
    assert_string_equal(error.place, "test");
    assert_string_equal(error.reason, "send to rank 2 does not exist; there are 2 ranks, counted from 0");
    assert_int_equal(
        bough_schedule_add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .peer = BOUGH_ANY_RANK}, NULL, &error),
        BOUGH_INVALID);
    assert_int_equal(
        bough_schedule_add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .tag = BOUGH_ANY_TAG}, NULL, &error),
        BOUGH_INVALID);
    assert_int_equal(bough_schedule_add(b, 0, (bough_op){.kind = 3}, NULL, &error), BOUGH_INVALID);
    assert_int_equal(bough_schedule_add(b, 0, (bough_op){.kind = BOUGH_OP_CALC, .label = 1}, NULL, &error),
                     BOUGH_INVALID);
    add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .peer = 1, .size = UINT64_MAX - 1});
    assert_int_equal(
        bough_schedule_add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .peer = 1, .size = 1}, NULL, &error),
        BOUGH_INVALID);
    uint32_t here =
        add(b, 0, (bough_op){.kind = BOUGH_OP_RECV, .peer = BOUGH_ANY_RANK, .tag = BOUGH_ANY_TAG});
    uint32_t there = add(b, 1, (bough_op){.kind = BOUGH_OP_CALC});
    assert_int_equal(bough_schedule_wait(b, here, here, false, &error), BOUGH_INVALID);
    assert_int_equal(bough_schedule_wait(b, here, there, false, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "of rank 0 cannot depend on one of rank 1"));
    assert_int_equal(bough_schedule_wait(b, here, 3, false, &error), BOUGH_INVALID);
    assert_int_equal(bough_schedule_reserve(b, BOUGH_OPS_MAX, 0, &error), BOUGH_TOO_LARGE);
    bough_schedule_abandon(b);
    bough_schedule_abandon(NULL);
    bough_schedule_destroy(NULL);
}

static void too_many_labels(void **state) {
    (void)state;
    bough_schedule_builder *b = begin(1);
    char text[16];
    uint8_t label;
    for (int i = 1; i <= 255; i++) {
        snprintf(text, sizeof text, "label %d", i);
        assert_int_equal(bough_schedule_label(b, text, &label, &error), BOUGH_OK);
        assert_int_equal(label, i);
    }
    assert_int_equal(bough_schedule_label(b, "label 7", &label, &error), BOUGH_OK);
    assert_int_equal(label, 7);
    assert_int_equal(bough_schedule_label(b, "", &label, &error), BOUGH_OK);
    assert_int_equal(label, 0);
    assert_int_equal(bough_schedule_label(b, "one more", &label, &error), BOUGH_INVALID);
    bough_schedule *s = finish(b);
    assert_string_equal(s->labels[0], "");
    assert_string_equal(s->labels[255], "label 255");
    assert_null(s->labels[256]);
    bough_schedule_destroy(s);
}

static void nothing(void **state) {
    (void)state;
    bough_schedule *s = finish(begin(3));
    assert_int_equal(s->ops, 0);
    for (int r = 0; r <= 3; r++) assert_int_equal(s->first[r], 0);
    assert_int_equal(s->then[0], 0);
    assert_int_equal(s->cpus, 1);
    assert_string_equal(s->name, "test");
    bough_schedule_destroy(s);
}

/* Ranks out of order: ids are those of ranks, operations of a rank keep theirs, waits go along. */
static void numbers(void **state) {
    (void)state;
    bough_schedule_builder *b = begin(3);
    assert_int_equal(bough_schedule_reserve(b, 5, 4, &error), BOUGH_OK);
    uint32_t a = add(b, 2, (bough_op){.kind = BOUGH_OP_CALC, .size = 10, .cpu = 3});
    uint32_t c = add(b, 0, (bough_op){.kind = BOUGH_OP_SEND, .size = 20, .peer = 2, .nic = 1});
    uint32_t d = add(b, 2, (bough_op){.kind = BOUGH_OP_RECV, .size = 20, .peer = 0});
    uint32_t e = add(b, 0, (bough_op){.kind = BOUGH_OP_CALC, .size = 40, .peer = 77});
    uint32_t f = add(b, 2, (bough_op){.kind = BOUGH_OP_CALC, .size = 50});
    add_wait(b, f, d, false);
    add_wait(b, d, a, true);
    add_wait(b, f, a, false);
    add_wait(b, c, e, false);
    bough_schedule *s = finish(b);
    static const uint32_t first[] = {0, 2, 2, 5}, waits[] = {1, 0, 0, 1, 2}, size[] = {20, 40, 10, 20, 50};
    static const uint32_t then[] = {0, 0, 1, 3, 4, 4}, follower[] = {0 << 1, 3 << 1 | 1, 4 << 1, 4 << 1};
    assert_memory_equal(s->first, first, sizeof first);
    assert_memory_equal(s->waits, waits, sizeof waits);
    assert_memory_equal(s->follower, follower, sizeof follower);
    for (int o = 0; o < 5; o++) assert_int_equal(s->op[o].size, size[o]);
    for (int o = 0; o <= 5; o++) assert_int_equal(s->then[o], then[o]);
    assert_int_equal(s->op[1].peer, 0); /* of a computation */
    assert_true(s->sends == 1 && s->recvs == 1 && s->calcs == 3 && s->bytes == 20);
    assert_true(s->cpus == 4 && s->nics == 2);
    bough_schedule_destroy(s);
}

static void ring_reads(bough_schedule_builder *b, const char *text) {
    bough_schedule *s;
    assert_int_equal(bough_schedule_finish(b, &s, &error), BOUGH_INVALID);
    assert_null(s);
    assert_string_equal(error.place, "test");
    assert_string_equal(error.reason, text);
}

static void rings(void **state) {
    (void)state;
    bough_schedule_builder *b = begin(2);
    uint32_t o[12];
    add(b, 0, (bough_op){.kind = BOUGH_OP_CALC});
    for (int i = 0; i < 4; i++)
        o[i] = add(b, 1, (bough_op){.kind = BOUGH_OP_CALC, .line = 10u + (uint32_t)i});
    add_wait(b, o[1], o[0], false); /* 0 before a ring of 1 and 2, 3 behind it */
    add_wait(b, o[1], o[2], true);
    add_wait(b, o[2], o[1], true);
    add_wait(b, o[3], o[2], false);
    ring_reads(
        b,
        "rank 1: a cycle of 2 operations that wait for each other: calc (line 12) waits for calc (line 11) "
        "waits for calc (line 12)");
    b = begin(1);
    for (int i = 0; i < 12; i++) o[i] = add(b, 0, (bough_op){.kind = i ? BOUGH_OP_SEND : BOUGH_OP_RECV});
    for (int i = 0; i < 12; i++) add_wait(b, o[(i + 1) % 12], o[i], false);
    ring_reads(
        b, "rank 0: a cycle of 12 operations that wait for each other: recv (number 0) waits for send "
           "(number 11) "
           "waits for send (number 10) waits for send (number 9) waits for send (number 8) waits for send "
           "(number 7) ... waits for recv (number 0)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_pieces), cmocka_unit_test(too_many_labels), cmocka_unit_test(nothing),
        cmocka_unit_test(numbers),      cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
