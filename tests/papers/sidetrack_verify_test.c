/* The lemmas' checks: told of runs that break them, one each. All with 16 leaves: lg N = 4; channels have 2,
 * 2, 4 and 4 edges, nodes 1, 2, 2, 4 and 4 vertices, from the leaves up. */
#include "papers/bay1991/sidetrack_verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MESSAGES 8

/* A run with MESSAGES messages from given leaves (the first count of them are told). */
typedef struct forged {
    sidetrack_verify *verify;
    const sidetrack_watch *watch;
    uint32_t source[MESSAGES], address[MESSAGES];
    bough_batch batch;
    bough_error error;
} forged;

static void begin(forged *f, sidetrack_top top, uint64_t lambda, uint64_t degree, const uint32_t *source,
                  const uint32_t *address) {
    const sidetrack_facts facts = {top, lambda, degree};
    *f = (forged){.batch = {f->source, f->address, MESSAGES}};
    memcpy(f->source, source, sizeof f->source);
    memcpy(f->address, address, sizeof f->address);
    assert_int_equal(sidetrack_verify_create(4, MESSAGES, &f->verify, &f->error), BOUGH_OK);
    f->watch = sidetrack_verify_begin(f->verify, &f->batch, &facts);
}

static void broken(forged *f, bough_status status, const char *text) {
    assert_int_equal(status, BOUGH_FAILED);
    if (!strstr(f->error.reason, text)) fail_msg("'%s' does not say '%s'", f->error.reason, text);
    sidetrack_verify_destroy(f->verify);
}

static bough_status subtree(forged *f, const sidetrack_subtree *t) {
    return f->watch->subtree(f->watch->context, t, f->source, &f->error);
}

static bough_status descent(forged *f, const sidetrack_subtree *t, unsigned height,
                            const sidetrack_head *head, uint32_t count) {
    const sidetrack_front front = {t, height, head, count};
    return f->watch->descent(f->watch->context, &front, &f->error);
}

static const uint32_t right_half[MESSAGES] = {8, 9, 10, 11, 12, 13, 14, 15},
                      left_half[MESSAGES] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint32_t in_order[MESSAGES] = {0, 1, 2, 3, 4, 5, 6, 7};

static void too_many_batches(void **state) {
    (void)state;
    forged f;
    const sidetrack_subtree t = {4, 1, 3, 8, in_order};
    begin(&f, SIDETRACK_PEAK, 1, 1, right_half, left_half);
    broken(&f, subtree(&f, &t),
           "Lemma 6 does not hold: stage 0, subtree of node <1,1>: lambda_T is 3, 2 ceil(lambda) is 2");
}

static void an_empty_batch(void **state) {
    (void)state;
    forged f;
    const sidetrack_subtree t = {4, 1, 2, 1, in_order};
    begin(&f, SIDETRACK_PEAK, 1, 1, right_half, left_half);
    broken(&f, subtree(&f, &t),
           "Lemma 4 does not hold: stage 0, subtree of node <1,1>: 1 messages in 2 batches");
}

static void a_batch_that_fills_a_channel(void **state) {
    (void)state;
    static const uint32_t crowd[MESSAGES] = {12, 12, 12, 15, 15, 15, 15, 15};
    forged f;
    const sidetrack_subtree one = {4, 1, 1, 4, in_order}, two = {4, 1, 2, 8, in_order};
    begin(&f, SIDETRACK_PEAK, 9, 1, crowd, left_half);
    broken(&f, subtree(&f, &one),
           "Lemma 4 does not hold: stage 0, subtree of node <1,1>: batch 0 has more than 2 messages "
           "below <4,12>");
    begin(&f, SIDETRACK_PEAK, 9, 1, crowd, left_half); /* 12, 12, 15, 15 and 12, 15, 15, 15 */
    broken(&f, subtree(&f, &two), "batch 1 has more than 2 messages below <4,15>");
}

/* Four messages from four leaves below <2,0>, whose channel has four edges, but which has two vertices. */
static void a_batch_that_is_too_many_for_the_root(void **state) {
    (void)state;
    forged f;
    const sidetrack_subtree t = {3, 0, 1, 4, in_order};
    begin(&f, SIDETRACK_ROOT, 9, 1, left_half, right_half);
    broken(&f, subtree(&f, &t),
           "The compression does not hold: stage 1, subtree of node <2,0>: batch 0 has 4 messages");
    begin(&f, SIDETRACK_PEAK, 9, 1, left_half, right_half);
    assert_int_equal(subtree(&f, &t), BOUGH_OK);
    sidetrack_verify_destroy(f.verify);
}

/* Ranks 0 and 2, both below <3,4>, want edge 0 of its channel: not from left to right. */
static void a_compression_with_a_conflict(void **state) {
    (void)state;
    static const uint32_t mixed[] = {0, 2, 1};
    forged f;
    const sidetrack_subtree t = {4, 1, 1, 3, mixed};
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    broken(&f, subtree(&f, &t),
           "Corollary 1 does not hold: stage 0, subtree of node <1,1>: two messages of batch 0 request one "
           "edge above <3,4>");
}

/* ---- expansion: heads are {node, rank, message, target, sidetracked} ---- */

static const sidetrack_subtree from_right = {4, 1, 1, 4, in_order};

static void a_conflict_where_edges_are_free(void **state) {
    (void)state;
    static const sidetrack_head top[] = {{0, 0, 0, 0, 0}, {0, 2, 2, 1, 0}, {0, 1, 1, 1, 0}};
    static const sidetrack_head below[] = {{0, 0, 0, 0, 0}, {1, 2, 2, 1, 1}, {1, 1, 1, 1, 1}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    assert_int_equal(descent(&f, &from_right, 4, top, 3), BOUGH_OK);
    broken(
        &f, descent(&f, &from_right, 1, below, 3),
        "Lemma 1 does not hold: stage 0, subtree of node <1,1>: a conflict above <3,0>, where 1 of 2 edges");
}

/* The messages for leaves 0, 2 and 4 fit everywhere, and yet one is sidetracked: two others take its channel.
 */
static void a_conflict_where_all_fits(void **state) {
    (void)state;
    static const sidetrack_head top[] = {{0, 0, 0, 0, 0}, {0, 2, 2, 4, 0}, {0, 1, 1, 2, 0}};
    static const sidetrack_head below[] = {{0, 2, 2, 4, 0}, {0, 1, 1, 2, 0}, {1, 0, 0, 0, 1}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    assert_int_equal(descent(&f, &from_right, 4, top, 3), BOUGH_OK);
    broken(&f, descent(&f, &from_right, 1, below, 3),
           "Corollary 1 does not hold: stage 0, subtree of node <1,1>: a conflict above <3,0> in an "
           "expansion of load "
           "factor 1");
}

static void two_on_an_edge(void **state) {
    (void)state;
    static const sidetrack_head top[] = {{0, 0, 0, 0, 0}, {0, 2, 2, 4, 0}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    assert_int_equal(descent(&f, &from_right, 4, top, 2), BOUGH_OK);
    assert_int_equal(descent(&f, &from_right, 2, top, 2), BOUGH_OK); /* by two edges to one vertex */
    broken(&f, descent(&f, &from_right, 1, top, 2),
           "An edge's capacity does not hold: stage 0, subtree of node <1,1>: two "
           "messages arrived by one edge at <3,0>");
}

static void an_arrival_outside(void **state) {
    (void)state;
    static const sidetrack_head head[] = {{8, 0, 0, 0, 0}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    broken(&f, descent(&f, &from_right, 0, head, 1),
           "Lemma 5 does not hold: stage 0, subtree of node <1,1>: message 0 arrived at "
           "leaf 8 outside the sibling");
}

static void a_stage_that_leaves_messages(void **state) {
    (void)state;
    forged f;
    static const sidetrack_head head[] = {{0, 0, 0, 0, 0}};
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    assert_int_equal(subtree(&f, &from_right), BOUGH_OK);
    assert_int_equal(descent(&f, &from_right, 0, head, 1), BOUGH_OK);
    broken(&f, f.watch->stage(f.watch->context, 4, &f.error),
           "Lemma 5 does not hold: stage 0: 3 messages have not moved");
}

static void an_active_message_elsewhere(void **state) {
    (void)state;
    static const sidetrack_head head[] = {{1, 0, 0, 0, 0}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    broken(&f, descent(&f, &from_right, 0, head, 1),
           "The path of an active message does not hold: stage 0, subtree of node <1,1>: "
           "message 0 arrived at leaf 1, not 0");
}

/* ---- queues: nobody is at leaf 1 for itself ---- */

static const uint32_t all_to_5[MESSAGES] = {5, 5, 5, 5, 5, 5, 5, 5};

/* Messages 6 and 7 take both edges to leaf 5, and m is sidetracked to leaf 1. */
static void sidetrack_to_1(forged *f, uint32_t m) {
    const sidetrack_head top[] = {{0, 0, 6, 5, 0}, {0, 2, m, 5, 0}, {0, 1, 7, 5, 0}};
    const sidetrack_head leaf[] = {{1, 2, m, 5, 1}, {5, 0, 6, 5, 0}, {5, 1, 7, 5, 0}};
    assert_int_equal(descent(f, &from_right, 4, top, 3), BOUGH_OK);
    assert_int_equal(descent(f, &from_right, 0, leaf, 3), BOUGH_OK);
}

static bough_status end_pass(forged *f, uint32_t pass) {
    return f->watch->pass(f->watch->context, 4, pass, NULL, &f->error);
}

/* (d + 1) lg N + d = 4 with d = 0. */
static void a_queue_that_is_too_long(void **state) {
    (void)state;
    forged f;
    assert_int_equal(sidetrack_queue_bound(4, 0), 4);
    assert_int_equal(sidetrack_queue_bound(10, 3), 43);
    begin(&f, SIDETRACK_PEAK, 9, 0, right_half, all_to_5);
    for (uint32_t m = 0; m < 5; m++) sidetrack_to_1(&f, m);
    broken(&f, end_pass(&f, 9),
           "Lemma 7 does not hold: stage 0, pass 9: leaf 1 stores 5 sidetracked messages, (d + 1) lg N + d "
           "is 4");
}

/* With d = 0 a leaf of two may have one more than their mean: 2 and 0, not 3 and 0. */
static void a_subtree_out_of_balance(void **state) {
    (void)state;
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 0, right_half, all_to_5);
    for (uint32_t m = 0; m < 2; m++) {
        sidetrack_to_1(&f, m);
        assert_int_equal(end_pass(&f, m), BOUGH_OK);
    }
    sidetrack_to_1(&f, 2);
    broken(
        &f, end_pass(&f, 2),
        "Inequality (1) of Lemma 7 does not hold: stage 0, pass 2: a leaf below <3,0> stores 3 sidetracked "
        "messages, the mean is 1.5, (d + 1) lg |T| is 1");
}

/* In a pass one comes and one leaves: between passes there are never five, which would be one too many with
 * d = 1: 5 - 2.5 > 2. */
static void a_queue_is_looked_at_between_passes(void **state) {
    (void)state;
    static const sidetrack_subtree back = {3, 0, 1, 1, in_order};
    static const sidetrack_head leaving[] = {{0, 0, 0, 5, 0}};
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, all_to_5);
    for (uint32_t m = 0; m < 5; m++) {
        sidetrack_to_1(&f, m);
        if (m == 4) assert_int_equal(descent(&f, &back, 3, leaving, 1), BOUGH_OK);
        assert_int_equal(end_pass(&f, m), BOUGH_OK);
    }
    sidetrack_to_1(&f, 5);
    broken(&f, end_pass(&f, 5), "stores 5 sidetracked messages, the mean is 2.5, (d + 1) lg |T| is 2");
}

static void a_message_that_is_lost(void **state) {
    (void)state;
    forged f;
    begin(&f, SIDETRACK_PEAK, 9, 1, right_half, left_half);
    broken(&f, sidetrack_verify_end(f.verify, &f.error), "message 0 ended at leaf 8, not 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_batches),
        cmocka_unit_test(an_empty_batch),
        cmocka_unit_test(a_batch_that_fills_a_channel),
        cmocka_unit_test(a_batch_that_is_too_many_for_the_root),
        cmocka_unit_test(a_compression_with_a_conflict),
        cmocka_unit_test(a_conflict_where_edges_are_free),
        cmocka_unit_test(a_conflict_where_all_fits),
        cmocka_unit_test(two_on_an_edge),
        cmocka_unit_test(an_arrival_outside),
        cmocka_unit_test(a_stage_that_leaves_messages),
        cmocka_unit_test(an_active_message_elsewhere),
        cmocka_unit_test(a_queue_that_is_too_long),
        cmocka_unit_test(a_subtree_out_of_balance),
        cmocka_unit_test(a_queue_is_looked_at_between_passes),
        cmocka_unit_test(a_message_that_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
