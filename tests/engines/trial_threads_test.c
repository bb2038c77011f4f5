/* One trial of `flow` or `packet` on several threads: the rows are those of one thread. */
#include "support/points.h"
#include "support/thread_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const unsigned all[] = {2, 3, 4, 7, 0}, three[] = {3, 0};

/* ---- flow: the ideal run beside the real one ---- */

static void flows(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"kary:k=4,levels=3", "free", "randperm", "flow:hot=4"},
        {"kary:k=4,levels=5", "free", "randperm", "flow:ideal=0,hot=4"}, /* many flows that share links */
        {"xgft:down=4x4x4,up=1x2x2", "dmodk", "alltoall", "flow:levels=1"},
        {"xgft:down=8x8,up=1x4", "hash", "allreduce:algo=doubling,size=1MB", "flow"},
        {"kary:k=4,levels=3", "dmodk", "allreduce:algo=ring,size=1MB,ranks=24,place=random", "flow"},
        /* hundreds of messages at once: divided loops */
        {"kary:k=4,levels=5", "dmodk", "allreduce:algo=doubling,size=1MB", "flow:hot=4,levels=1"},
        {"kary:k=8,levels=3", "free", "allreduce:algo=doubling,size=1MB", "flow:critical=1"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], all, true);
}

/* Messages without a path, and the errors of a run. */
static void flows_that_fail(void **state) {
    (void)state;
    bough_point p = point_make("kary:k=4,levels=3", "dmodk", "randperm");
    bough_run *run = run_make(&p, "flow:size=1000TB,rate=1Mb/s");
    for (run->threads = 1; run->threads < 4; run->threads++) {
        void *space = NULL;
        bough_rows rows = {0};
        bough_error error;
        assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &rows, &error), BOUGH_FAILED);
        assert_non_null(strstr(error.reason, "would take more than 53 days"));
        bough_rows_fini(&rows);
        bough_run_free_workspace(run, space);
    }
    bough_run_destroy(run);
    point_free(&p);
}

/* ---- packet: steps of many packets are divided ---- */

static void packets(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"cube:n=2^12", "valiant", "randperm", "packet:hot=8,orders=1"},
        {"cube:n=2^12", "bitfix", "bitrev", "packet:queue=lifo,hot=8"},
        {"kary:k=7,levels=4", "dmodk", "randperm", "packet:hot=8"},
    };
    threads_agree(&list[0], all, true);
    for (size_t i = 1; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], three, true);
}

static void disciplines(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"cube:n=2^12", "valiant:phase2=async", "randperm", "packet:queue=farthest"},
        {"cube:n=2^12", "valiant", "randperm", "packet:queue=random,sets=1"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], three, true);
}

/* Each phase crosses a link 64 times, and half of a byte counts to 15. */
static void overflows(void **state) {
    (void)state;
    threads_agree(&(threads_question){"cube:n=2^8", "valiant", "alltoall", "packet:hot=8"}, three, true);
}

/* Births between divided steps: few at a time, and more than are worth several threads. */
static void streams(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"cube:n=2^10", "valiant:phase2=async", "poisson:load=0.8", "packet:messages=8000,warmup=1000"},
        {"cube:n=2^11", "valiant:phase2=async", "poisson:load=20,flits=32",
         "packet:messages=4000,warmup=2000,hot=4"},
        {"cube:n=2^11", "bitfix", "poisson:load=20,flits=32",
         "packet:messages=4000,warmup=2000,queue=farthest"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], three, true);
}

/* What one thread does alone: selections among links, limits, messages of several packets. */
static void left_to_one_thread(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"kary:k=4,levels=4", "free", "randperm", "packet"},
        {"cube:n=2^8", "bitfix", "randperm", "packet:duplex=half"},
        {"cube:n=2^6", "bitfix", "randperm", "packet:buffer=4"},
        {"xgft:down=8x8,up=1x4", "hash", "allreduce:algo=doubling,size=1MB", "packet:packet=64KiB"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], three, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows),
        cmocka_unit_test(flows_that_fail),
        cmocka_unit_test(packets),
        cmocka_unit_test(disciplines),
        cmocka_unit_test(streams),
        cmocka_unit_test(overflows),
        cmocka_unit_test(left_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
