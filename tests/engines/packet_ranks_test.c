/* Batches of `packet` that ranks compute together, as threads: the rows of one rank, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/rank_trials.h"

#include <stdio.h>

/* All figures of links: those of each rank have to be added up. */
#define ALL "levels=1,hot=8"

/* Every queue discipline, one phase and two, with and without a wait between them. */
static void test_cubes(void **state) {
    (void)state;
    static const char *const routing[] = {"bitfix", "valiant", "valiant:phase2=async"};
    static const char *const method[] = {"packet:orders=1," ALL, "packet:queue=lifo," ALL,
                                         "packet:queue=farthest," ALL, "packet:queue=random," ALL};
    static const char *const traffic[] = {"uniform", "bitrev", "hotspot", "shift:k=0", "incast:m=1"};
    for (unsigned r = 0; r < 3; r++)
        for (unsigned m = 0; m < 4; m++)
            for (unsigned t = 0; t < 5; t++) {
                if (m == 0)
                    rank_trials_teams(
                        (rank_question){"cube:n=2", routing[r], traffic[t], method[m], .trials = 1});
                rank_trials_teams(
                    (rank_question){"cube:n=64", routing[r], traffic[t], method[m], .trials = 2});
            }
}

/* Steps of so many packets that the threads of a rank divide them. */
static void test_many(void **state) {
    (void)state;
    rank_trials_teams((rank_question){"cube:n=8192", "valiant", "randperm", "packet:" ALL, .trials = 2});
    rank_trials_teams(
        (rank_question){"cube:n=8192", "bitfix", "randperm", "packet:queue=random," ALL, .trials = 1});
}

static void test_other_networks(void **state) {
    (void)state;
    static const char *const net[] = {"fattree:n=32", "xgft:down=4x4x3,up=1x2x2,links=1x1x2",
                                      "kary:k=4,levels=3", "clos:radix=4,hosts=12"};
    static const char *const traffic[] = {"uniform", "shift:k=5", "incast:m=1"};
    for (unsigned n = 0; n < 4; n++)
        for (unsigned t = 0; t < 3; t++)
            rank_trials_teams((rank_question){net[n], "dmodk", traffic[t], "packet:" ALL, .trials = 1});
    rank_trials_teams(
        (rank_question){"clos:radix=4,hosts=12", "dmodk", "alltoall", "packet:" ALL, .trials = 1});
    /* loads of many links are equal, or overflow a byte */
    rank_trials_teams(
        (rank_question){"kary:k=2,levels=5", "dmodk", "shift:k=7", "packet:orders=1," ALL, .trials = 1});
    rank_trials_teams((rank_question){"fattree:n=512", "dmodk", "hotspot", "packet:" ALL, .trials = 1});
    rank_trials_teams(
        (rank_question){"cube:n=64", "valiant", "alltoall", "packet:orders=1," ALL, .trials = 1});
    for (unsigned t = 0; t < 3; t++) {
        rank_trials_teams((rank_question){"torus:dims=5x6", NULL, traffic[t], "packet:" ALL, .trials = 1});
        rank_trials_teams(
            (rank_question){"fattree:n=32", "hash", traffic[t], "packet:queue=farthest", .trials = 1});
    }
}

/* Messages of several packets: ranks count the packets that are left. */
static void test_sizes(void **state) {
    (void)state;
    static const char path[] = "packet_ranks_test.csv", traffic[] = "messages:file=packet_ranks_test.csv";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "source,destination,size\n");
    for (unsigned i = 0; i < 200; i++) fprintf(file, "%u,%u,%u\n", i % 16, i * 7 % 16, 1 + i % 9);
    fclose(file);
    rank_trials_teams((rank_question){"cube:n=16", "valiant", traffic, "packet:" ALL, .trials = 2});
    rank_trials_teams(
        (rank_question){"cube:n=16", "bitfix", traffic, "packet:queue=farthest," ALL, .trials = 1});
    rank_trials_teams((rank_question){"fattree:n=16", "dmodk", traffic, "packet:" ALL, .trials = 1});
    remove(path);
}

/* A rank is lost during a trial: all end with one error, none waits. */
static void test_lost_rank(void **state) {
    (void)state;
    rank_question q = {"cube:n=64", "valiant", "randperm", "packet", .trials = 1, .ranks = 3, .threads = 1};
    rank_trials_lost(q, 39);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes), cmocka_unit_test(test_many),      cmocka_unit_test(test_other_networks),
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_lost_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
