/* Trials of `circuit` that ranks compute together, as threads: the rows of one rank, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/rank_trials.h"

#include <stdio.h>

static void compare(uint64_t n, const char *traffic, const char *method, uint64_t trials, unsigned ranks) {
    char net[64];
    snprintf(net, sizeof net, "fattree:n=%llu", (unsigned long long)n);
    rank_trials_compare(&(rank_question){.net = net,
                                         .routing = "free",
                                         .traffic = traffic,
                                         .method = method,
                                         .trials = trials,
                                         .ranks = ranks,
                                         .threads = ranks == 2 ? 2 : 1});
}

static const unsigned teams[] = {1, 2, 3, 4, 8};
static const char *const patterns[] = {"uniform", "uniform:m=3", "bitrev",     "transpose", "shift:k=3",
                                       "bitcomp", "randperm",    "incast:m=1", "hotspot",   "tornado"};

static void test_same_rows(void **state) {
    (void)state;
    for (uint64_t n = 4; n <= 512; n *= n < 64 ? 2 : 8)
        for (size_t i = 0; i < sizeof teams / sizeof *teams; i++)
            for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
                compare(n, patterns[k], "circuit:mode=rounds,history=1", n <= 64 ? 2 : 1, teams[i]);
    for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
        compare(4096, "uniform", "circuit:mode=rounds", 1, teams[i]);
        compare(1024, "uniform:m=900", "circuit:mode=rounds", 1, teams[i]);
        compare(4096, "randperm", "circuit:mode=rounds,hold=ack", 1, teams[i]);
        compare(65536, "uniform", "circuit:mode=rounds", 1, teams[i]);
    }
}

/* When delivered messages free their links, and rounds whose starts depend on all ranks. */
static void test_variants(void **state) {
    (void)state;
    static const char *const method[] = {
        "circuit:mode=rounds,hold=ack",
        "circuit:mode=rounds,limit=2",
        "circuit:mode=cycles,retry=round,history=1",
        "circuit:mode=cycles,retry=round,payload=2",
        "circuit:mode=cycles,retry=round,payload=11",
        "circuit:mode=cycles,retry=round,payload=7,hold=end",
        "circuit:mode=cycles,retry=round,limit=41",
    };
    for (uint64_t n = 4; n <= 256; n *= 4)
        for (size_t i = 1; i < sizeof teams / sizeof *teams; i++)
            for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
                compare(n, "uniform", method[k], n <= 64 ? 3 : 1, teams[i]);
                compare(n, "hotspot", method[k], 1, teams[i]);
            }
}

/* A rank is lost while planes cross the border, or between: all ranks end with one error. */
static void test_lost_rank(void **state) {
    (void)state;
    for (uint64_t after = 5; after < 60; after += 6)
        rank_trials_compare(&(rank_question){.net = "fattree:n=32768",
                                             .routing = "free",
                                             .traffic = "uniform",
                                             .method = "circuit:mode=rounds",
                                             .trials = 1,
                                             .ranks = 2,
                                             .threads = 1,
                                             .break_after = after});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_lost_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
