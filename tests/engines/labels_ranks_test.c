/* Trials of `circuit` that ranks compute together, as threads: the rows of one rank, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bough/method.h"
#include "support/rank_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 6 };

/* A point, and its trials on each rank. */
typedef struct question {
    rank_threads team;
    const char *traffic, *method;
    uint64_t n, trials;
    unsigned threads;
    bough_rows rows[TRIALS_MAX];
    group_state state; /* of rank 0 */
    bough_status status[TEAM_MOST];
    bough_error error[TEAM_MOST];
    bool skipped;
} question;

/* As the study does. alone: without a group. */
static bough_status run_trials(question *q, const rank_group *group, bough_rows *rows, bough_error *error) {
    bough_net *net = NULL;
    bough_routing *routing = NULL;
    bough_traffic *traffic = NULL;
    bough_run *run = NULL;
    void *workspace = NULL;
    char spec[64];
    snprintf(spec, sizeof spec, "fattree:n=%llu", (unsigned long long)q->n);
    if (bough_net_create(spec, &net, error) || bough_routing_create(net, "random", &routing, error)) abort();
    q->skipped = bough_traffic_create(net, q->traffic, &traffic, error) != BOUGH_OK;
    bough_status status = BOUGH_OK;
    if (!q->skipped) {
        bough_point point = {net, routing, traffic};
        status = bough_run_create(q->method, &point, &run, error);
        if (!status && run->joint != 1) abort();
        if (!status) run->group = group;
        if (!status) run->threads = q->threads;
        for (uint64_t t = 0; t < q->trials && !status; t++) {
            bough_rows none = {0}, *to = group_rank(group) ? &none : &rows[t];
            status = bough_run_trial(run, bough_key_make(5, t), &workspace, to, error);
            status = group_agree(group, status, error);
            bough_rows_fini(&none);
        }
        if (run) bough_run_free_workspace(run, workspace);
        bough_run_destroy(run);
    }
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return status;
}

static void run_rank(void *context, unsigned rank) {
    question *q = context;
    const rank_group *group = rank_threads_group(&q->team, rank);
    q->status[rank] = run_trials(q, group, q->rows, &q->error[rank]);
    if (rank == 0) q->state = *group->state;
}

static void free_rows(bough_rows *rows) {
    for (int i = 0; i < TRIALS_MAX; i++) bough_rows_fini(&rows[i]);
    memset(rows, 0, TRIALS_MAX * sizeof *rows);
}

static void same_rows(const bough_rows *have, const bough_rows *want, const char *what) {
    if (have->count != want->count || have->outcome != want->outcome) fail_msg("%s: other rows", what);
    for (size_t i = 0; i < want->count; i++) {
        const bough_row *h = &have->row[i], *w = &want->row[i];
        if (h->metric != w->metric || h->index != w->index ||
            memcmp(&h->value, &w->value, sizeof h->value) != 0)
            fail_msg("%s: %s is %.17g, not %.17g", what, bough_metrics[w->metric].name, h->value, w->value);
    }
}

static void compare(uint64_t n, const char *traffic, const char *method, uint64_t trials, unsigned ranks) {
    question q = {.n = n, .traffic = traffic, .method = method, .trials = trials, .threads = 1};
    bough_rows alone[TRIALS_MAX] = {{0}};
    bough_error error = {0};
    char what[256];
    if (run_trials(&q, NULL, alone, &error)) fail_msg("%s %s: %s", traffic, method, error.reason);
    if (q.skipped) return;
    snprintf(what, sizeof what, "n=%d %s %s on %u ranks", (int)n, traffic, method, ranks);
    rank_threads_init(&q.team, ranks);
    q.threads = ranks == 2 ? 2 : 1;
    rank_threads_run(ranks, run_rank, &q);
    for (unsigned r = 0; r < ranks; r++)
        if (q.status[r]) fail_msg("%s: rank %u: %s", what, r, q.error[r].reason);
    for (uint64_t t = 0; t < trials; t++) same_rows(&q.rows[t], &alone[t], what);
    rank_threads_fini(&q.team);
    free_rows(q.rows);
    free_rows(alone);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
