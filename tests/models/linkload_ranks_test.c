/* Trials of `linkload` that ranks compute together, as threads: the rows of one rank, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/rank_trials.h"

#include <stdio.h>

/* All figures that ranks have to join. */
#define ALL "linkload:levels=1,histogram=1"

/* All pairs: by residues, and by one tree for each address; networks with fewer links than ranks. */
static void test_all_pairs(void **state) {
    (void)state;
    static const char *const points[][2] = {
        {"fattree:n=2", "dmodk"},
        {"kary:k=4,levels=4", "dmodk"},
        {"xgft:down=4x6x3,up=2x3x2,links=1x2x3", "dmodk"},
        {"clos:radix=8,hosts=100", "dmodk"},
        {"clos:radix=8,hosts=100", "updn"},
        {"cube:n=64", "minhop"},
        {"transit:n=64", "minhop"},
    };
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++)
        rank_trials_teams((rank_question){points[i][0], points[i][1], "alltoall", ALL, .trials = 1});
}

/* Few messages: ranks send each other the links of their paths. */
static void test_links(void **state) {
    (void)state;
    static const char *const traffic[] = {"randperm", "uniform:m=5", "shift:k=0", "hotspot", "incast:m=3"};
    for (unsigned t = 0; t < 5; t++) {
        rank_trials_teams((rank_question){"kary:k=4,levels=5", "dmodk", traffic[t], ALL, .trials = 2});
        rank_trials_teams((rank_question){"cube:n=256", "minhop", traffic[t], ALL, .trials = 2});
        rank_trials_teams((rank_question){"fattree:n=2", "dmodk", traffic[t], ALL, .trials = 1});
    }
    rank_trials_teams((rank_question){"kary:k=4,levels=7", "smodk", "randperm", ALL, .trials = 1});
    /* several blocks, of which ranks have different numbers of messages; the most that are sent as links */
    rank_trials_teams((rank_question){"fattree:n=4096", "hash", "hrelation:h=16", ALL, .trials = 1});
}

/* Figures that nobody asked for are not joined. */
static void test_few_figures(void **state) {
    (void)state;
    static const char *const methods[] = {"linkload", "linkload:levels=1", "linkload:histogram=1"};
    for (unsigned m = 0; m < 3; m++) {
        rank_trials_teams((rank_question){"kary:k=4,levels=3", "dmodk", "randperm", methods[m], .trials = 2});
        rank_trials_teams((rank_question){"cube:n=64", "minhop", "alltoall", methods[m], .trials = 1});
    }
}

/* Many messages on a link: ranks add loads. */
static void test_loads(void **state) {
    (void)state;
    rank_trials_teams((rank_question){"fattree:n=4096", "hash", "hrelation:h=17", ALL, .trials = 1});
    rank_trials_teams(
        (rank_question){"fattree:n=128", "hash", "alltoall", ALL ",engine=generic", .trials = 1});
    rank_trials_teams(
        (rank_question){"torus:dims=5x6", "minhop", "alltoall", ALL ",engine=generic", .trials = 1});
}

/* A rank is lost during a trial: all end with one error, none waits. */
static void test_lost_rank(void **state) {
    (void)state;
    static const char *const points[][3] = {{"kary:k=4,levels=3", "dmodk", "alltoall"},
                                            {"cube:n=64", "minhop", "alltoall"},
                                            {"kary:k=4,levels=3", "dmodk", "randperm"},
                                            {"fattree:n=64", "hash", "alltoall"}};
    for (unsigned i = 0; i < 4; i++) {
        rank_question q = {points[i][0], points[i][1], points[i][2], ALL, .trials = 1};
        q.ranks = 3;
        q.threads = 1;
        rank_trials_lost(q, 11);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs),   cmocka_unit_test(test_links),
        cmocka_unit_test(test_few_figures), cmocka_unit_test(test_loads),
        cmocka_unit_test(test_lost_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
