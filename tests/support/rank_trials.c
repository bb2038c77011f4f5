#include "support/rank_trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 6 };

/* The trials on each rank. */
typedef struct run_state {
    const rank_question *question;
    rank_threads team;
    bough_rows rows[TRIALS_MAX];
    uint64_t exchanges; /* of rank 0 */
    bough_status status[TEAM_MOST];
    bough_error error[TEAM_MOST];
    bool skipped;
} run_state;

/* As the study does. group: NULL: one rank. */
static bough_status run_trials(run_state *s, const rank_group *group, bough_rows *rows, bough_error *error) {
    const rank_question *q = s->question;
    bough_net *net = NULL;
    bough_routing *routing = NULL;
    bough_traffic *traffic = NULL;
    bough_run *run = NULL;
    void *workspace = NULL;
    if (bough_net_create(q->net, &net, error) || bough_routing_create(net, q->routing, &routing, error))
        fail_msg("%s: %s", q->net, error->reason);
    const bool skipped = bough_traffic_create(net, q->traffic, &traffic, error) != BOUGH_OK;
    if (!group || !group->rank) s->skipped = skipped;
    bough_status status = BOUGH_OK;
    if (!skipped) {
        bough_point point = {net, routing, traffic};
        status = bough_run_create(q->method, &point, &run, error);
        if (!status && run->joint != 1) fail_msg("%s %s: not joint", q->net, q->method);
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
    run_state *s = context;
    const rank_group *group = rank_threads_group(&s->team, rank);
    s->status[rank] = run_trials(s, group, s->rows, &s->error[rank]);
    if (rank == 0) s->exchanges = group->state->exchanges;
}

static void same_rows(const bough_rows *have, const bough_rows *want, const char *what) {
    if (have->count != want->count || have->outcome != want->outcome) fail_msg("%s: other rows", what);
    if (strcmp(have->note, want->note) != 0) fail_msg("%s: '%s', not '%s'", what, have->note, want->note);
    for (size_t i = 0; i < want->count; i++) {
        const bough_row *h = &have->row[i], *w = &want->row[i];
        if (h->metric != w->metric || h->index != w->index ||
            memcmp(&h->value, &w->value, sizeof h->value) != 0)
            fail_msg("%s: %s is %.17g, not %.17g", what, bough_metrics[w->metric].name, h->value, w->value);
    }
}

static void check_rank(const run_state *s, unsigned rank, const char *what) {
    char expected[64];
    const rank_question *q = s->question;
    snprintf(expected, sizeof expected, "rank %u does not answer", q->ranks - 1);
    if (q->break_after && strcmp(s->error[rank].reason, expected) != 0)
        fail_msg("%s: rank %u: '%s'", what, rank, s->error[rank].reason);
    if (!q->break_after && s->status[rank]) fail_msg("%s: rank %u: %s", what, rank, s->error[rank].reason);
}

static void run_together(run_state *s) {
    const rank_question *q = s->question;
    rank_threads_init(&s->team, q->ranks);
    s->team.breaks = q->ranks - 1;
    if (q->break_after) s->team.break_after = q->break_after;
    rank_threads_run(q->ranks, run_rank, s);
    rank_threads_fini(&s->team);
}

uint64_t rank_trials_compare(const rank_question *q) {
    run_state s = {.question = q}, alone = {.question = q};
    bough_error error = {0};
    char what[256];
    snprintf(what, sizeof what, "%s %s %s %s on %u ranks", q->net, q->routing, q->traffic, q->method,
             q->ranks);
    if (run_trials(&alone, NULL, alone.rows, &error)) fail_msg("%s: %s", what, error.reason);
    if (alone.skipped) return 0;
    run_together(&s);
    for (unsigned r = 0; r < q->ranks; r++) check_rank(&s, r, what);
    for (uint64_t t = 0; t < q->trials && !q->break_after; t++) same_rows(&s.rows[t], &alone.rows[t], what);
    for (int t = 0; t < TRIALS_MAX; t++) {
        bough_rows_fini(&s.rows[t]);
        bough_rows_fini(&alone.rows[t]);
    }
    return s.exchanges;
}

void rank_trials_teams(rank_question q) {
    static const unsigned teams[] = {1, 2, 3, 4, 5, 8};
    for (unsigned i = 0; i < sizeof teams / sizeof *teams; i++) {
        q.ranks = teams[i];
        q.threads = 1 + i % 2;
        rank_trials_compare(&q);
    }
}

void rank_trials_lost(rank_question q, uint64_t swaps) {
    for (q.break_after = 1; q.break_after <= swaps; q.break_after++) rank_trials_compare(&q);
}
