/* bough check on several ranks, which are threads here: what is refused, then reports that are those of one
 * process to the last byte. */
#define _GNU_SOURCE /* asprintf */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric/check/check.h"
#include "report/report.h"
#include "support/rank_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FABRIC "ibnet:file=" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define FTREE  "lft:file=" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"
#define UPDN   "lft:file=" SOURCE_DIR "/examples/fabric/cluster.updn.lfts.gz"

/* A question to all ranks, and what each has to say. */
typedef struct asked {
    rank_threads team;
    bough_check_question question, last; /* of the last rank, if it has a network */
    atomic_bool *stop_last;
    bool apart;           /* ranks share no memory */
    unsigned local;       /* ranks on the machine, as the group says; 0: not known */
    uint64_t break_after; /* swaps of the last rank until one fails; 0: none does */
    bough_status status[TEAM_MOST];
    bough_error error[TEAM_MOST];
    char *json[TEAM_MOST];
} asked;

/* The report as JSON and as text. */
static char *answer(const bough_check_question *q, bough_status *status, bough_error *error) {
    bough_check_report *report;
    char *json = NULL, *text = NULL, *both = NULL;
    *status = bough_check(q, &report, error);
    if (!*status) *status = bough_report_check_json(report, &json, error);
    if (!*status) *status = bough_report_check_text(report, NULL, &text, error);
    if (!*status && asprintf(&both, "%s%s", json, text) < 0) *status = BOUGH_NO_MEMORY;
    bough_check_report_destroy(report);
    free(json);
    free(text);
    return both;
}

static void run_rank(void *context, unsigned rank) {
    asked *a = context;
    const bool last = rank + 1 == a->team.ranks;
    bough_check_question q = last && a->last.network ? a->last : a->question;
    rank_group group = *rank_threads_group(&a->team, rank);
    if (last) group.stop = a->stop_last;
    if (a->apart) group.claimed = NULL;
    group.local = a->local;
    q.group = &group;
    a->json[rank] = answer(&q, &a->status[rank], &a->error[rank]);
}

static void ask(asked *a, unsigned ranks) {
    rank_threads_init(&a->team, ranks);
    a->team.breaks = ranks - 1;
    if (a->break_after) a->team.break_after = a->break_after;
    rank_threads_run(ranks, run_rank, a);
    rank_threads_fini(&a->team);
}

/* ---- what is refused ---- */

static void refused(asked *a, unsigned ranks, bough_status status, const char *reason) {
    ask(a, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        assert_int_equal(a->status[r], status);
        assert_null(a->json[r]);
        if (!strstr(a->error[r].reason, reason)) fail_msg("rank %u: %s", r, a->error[r].reason);
    }
}

static const char *const ftree[] = {FTREE}, *const updn[] = {UPDN}, *const both[] = {FTREE, "updn"};

static void test_bad_question(void **state) {
    (void)state;
    asked a = {.question = {.network = "nosuch"}};
    refused(&a, 3, BOUGH_INVALID, "no network family");
    a = (asked){.question = {.network = FABRIC, .routing = both, .routings = 2},
                .last = {.network = "nosuch"}}; /* one rank alone */
    refused(&a, 3, BOUGH_INVALID, "no network family");
}

static void test_other_question(void **state) {
    (void)state;
    asked a = {.question = {.network = FABRIC, .routing = ftree, .routings = 1},
               .last = {.network = FABRIC, .routing = updn, .routings = 1}};
    refused(&a, 3, BOUGH_INVALID, "rank 2 has another question than rank 0");
    a.last = (bough_check_question){.network = "fattree:n=128", .routing = ftree, .routings = 0};
    refused(&a, 2, BOUGH_INVALID, "rank 1 has another question than rank 0");
}

static void test_stopped(void **state) {
    (void)state;
    atomic_bool stop = true;
    asked a = {.question = {.network = FABRIC, .routing = ftree, .routings = 1}, .stop_last = &stop};
    refused(&a, 4, BOUGH_INTERRUPTED, "interrupted");
}

/* A rank that sends nothing any more, sooner or later. */
static void test_broken(void **state) {
    (void)state;
    for (uint64_t after = 1; after <= 40; after += 3) {
        asked a = {.question = {.network = FABRIC, .routing = ftree, .routings = 1, .permutations = 5},
                   .break_after = after};
        refused(&a, 3, BOUGH_FAILED, "rank 2 does not answer");
    }
}

/* Each of so many ranks of the machine has a small part of its memory. */
static void test_memory(void **state) {
    (void)state;
    static const char *const routing[] = {"dmodk", "updn", "hash"}, *const each[] = {"each:cable"};
    for (size_t i = 0; i < sizeof routing / sizeof *routing; i++) {
        asked a = {.question = {.network = "clos:radix=32,hosts=4096",
                                .routing = &routing[i],
                                .routings = 1,
                                .permutations = 100},
                   .local = 1000000};
        refused(&a, 2, BOUGH_TOO_LARGE, "of memory in each rank");
        refused(&a, 3, BOUGH_TOO_LARGE, "1000000 ranks share the");
    }
    asked a = {.question = {.network = "clos:radix=32,hosts=4096", .faults = each, .faults_count = 1},
               .local = 1000000};
    refused(&a, 2, BOUGH_TOO_LARGE, "the check of failures would take");
}

/* ---- reports ---- */

static const char *const failures[] = {"each:switch", "each:cable", "links:share=0..10% step 5%"};

/* On 1 to 4 ranks of 1 and 2 threads, which share memory or not. */
static void agrees(const bough_check_question *question) {
    asked a = {.question = *question};
    bough_status status;
    bough_error error;
    a.question.seed = 1;
    a.question.threads = 1;
    char *alone = answer(&a.question, &status, &error);
    if (status) fail_msg("%s: %s", question->network, error.reason);
    for (unsigned ranks = 1; ranks <= 4; ranks++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            a.question.threads = threads;
            a.apart = (ranks + threads) % 2;
            ask(&a, ranks);
            for (unsigned r = 0; r < ranks; r++) {
                if (a.status[r]) fail_msg("%s: rank %u: %s", question->network, r, a.error[r].reason);
                if (strcmp(a.json[r], alone) != 0)
                    fail_msg("%s: rank %u of %u has another report", question->network, r, ranks);
                free(a.json[r]);
            }
        }
    free(alone);
}

/* Defects, several routings, single failures and a curve; more permutations than are found with the shifts.
 */
static void test_fabric(void **state) {
    (void)state;
    agrees(&(bough_check_question){.network = FABRIC,
                                   .routing = both,
                                   .routings = 2,
                                   .faults = failures,
                                   .faults_count = 3,
                                   .draws = 3,
                                   .permutations = 150,
                                   .worst = BOUGH_CHECK_WORST_CHEAP});
}

/* Pairs followed one by one, as the path depends on source and address, or all paths are taken; messages
 * across channels; trees. */
static void test_routings(void **state) {
    (void)state;
    static const char *const point[][2] = {{"xgft:down=4x6,up=1x3", "hash"},
                                           {"xgft:down=4x6,up=2x3", "random"},
                                           {FABRIC, "random"},
                                           {"kary:k=2,levels=3", "smodk"},
                                           {"xgft:down=8x4x5,up=1x4x2", "dmodk"},
                                           {"clos:radix=8,hosts=60", "updn"},
                                           {"cube:n=32", "minhop"}};
    for (size_t i = 0; i < sizeof point / sizeof *point; i++)
        agrees(&(bough_check_question){
            .network = point[i][0], .routing = &point[i][1], .routings = 1, .permutations = 20});
}

/* So many switches with hosts that ranks search for paths of updn in two rounds. */
static void test_rounds(void **state) {
    (void)state;
    static const char *const routing[] = {"updn"};
    agrees(&(bough_check_question){.network = "xgft:down=1x2050,up=1x1", .routing = routing, .routings = 1});
}

/* Too many endpoints to find the worst permutation: a bound of it, from a link up and one down. */
static void test_worst_bound(void **state) {
    (void)state;
    static const char *const hash[] = {"hash"};
    agrees(
        &(bough_check_question){.network = "xgft:down=1025x2,up=1x3", /* that of rank 1 is the larger one */
                                .routing = hash,
                                .routings = 1,
                                .worst = BOUGH_CHECK_WORST_CHEAP});
}

/* Groups of adaptive routing stay as they are when something dies. */
static void test_adaptive(void **state) {
    (void)state;
    static const char *const groups[] = {"adaptive:groups=minimal"};
    agrees(&(bough_check_question){
        .network = FABRIC, .routing = groups, .routings = 1, .faults = failures, .faults_count = 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_question), cmocka_unit_test(test_other_question),
        cmocka_unit_test(test_stopped),      cmocka_unit_test(test_broken),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_fabric),
        cmocka_unit_test(test_routings),     cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_rounds),       cmocka_unit_test(test_worst_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
