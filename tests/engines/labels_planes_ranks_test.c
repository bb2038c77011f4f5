/* Rounds that ranks compute together, as threads, with planes and labels on both sides of the border, against
 * the labels of one rank: the same results, trial by trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/circuit/labels/labels_positions.h"
#include "engines/circuit/labels/labels_rounds.h"
#include "method/method.h"
#include "support/mixed_classes.h"
#include "support/rank_threads.h"

#include <stdio.h>
#include <string.h>

enum { ALL = LABELS_LEVELS_MAX, ALWAYS = 1 << 30, NEVER = 1, CUT = 9, NO_PLANES = 8 };

/* Two kinds of tile in a subtree of 2^12 endpoints, of which the high ones have a word for each of 8 ranks.
 */
static const labels_tuning tunings[] = {
    {CUT, ALL, ALWAYS}, {CUT, ALL, 2},    {CUT, ALL, 6},
    {CUT, ALL, 40},     {CUT, 3, ALWAYS}, {CUT, 4, 30},
    {CUT, 1, 20},       {CUT, 0, 0},      [NO_PLANES] = {CUT, ALL, NEVER},
};
static const circuit_options rules[] = {
    {.mode = CIRCUIT_ROUNDS, .hold_to_end = true},
    {.mode = CIRCUIT_ROUNDS},
    {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND, .payload = 9},
    {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND, .payload = 1, .hold_to_end = true},
};

/* A trial, on one rank or on several. */
typedef struct trial_run {
    const bough_run *run;
    const circuit_options *options;
    const labels_tuning *tuning;
    rank_threads team;
    unsigned ranks, threads;
    uint64_t trial;
    circuit_result result[TEAM_MOST];
    bough_status status[TEAM_MOST];
    bough_error error[TEAM_MOST];
    uint64_t exchanges; /* of rank 0 */
} trial_run;

/* On the threads of a rank. */
typedef struct rank_run {
    trial_run *all;
    labels_rounds *rounds;
    unsigned rank;
} rank_run;

static void run_team(void *context, thread_team *team) {
    const rank_run *r = context;
    trial_run *t = r->all;
    const circuit_trial trial = {t->run, t->options, bough_key_make(3, t->trial), team};
    t->status[r->rank] = labels_rounds_run(r->rounds, &trial, &t->result[r->rank], &t->error[r->rank]);
}

static void run_rank(void *context, unsigned rank) {
    trial_run *t = context;
    const unsigned top = t->run->point.net->levels;
    const rank_group *group = rank_threads_group(&t->team, rank);
    labels_part part = {top, top, group, *t->tuning};
    while (1u << (top - part.h) < t->ranks) part.h--;
    rank_run r = {t, NULL, rank};
    t->status[rank] = labels_rounds_make_part(&part, UINT64_C(1) << part.h, &r.rounds, &t->error[rank]);
    if (!t->status[rank]) team_run(t->threads, run_team, &r);
    labels_rounds_free(r.rounds);
    if (rank == 0) t->exchanges = group->state->exchanges;
}

static void run_one(trial_run *t) {
    const labels_tuning labels = {.no_planes = true};
    const bough_point *p = &t->run->point;
    rank_run r = {t, NULL, 0};
    t->status[0] = labels_rounds_make(p->net->levels, p->net->endpoints, &labels, &r.rounds, &t->error[0]);
    if (!t->status[0]) team_run(1, run_team, &r);
    labels_rounds_free(r.rounds);
}

/* Returns the exchanges. */
static uint64_t compare(const trial_run *want, const labels_tuning *tuning, unsigned ranks,
                        unsigned threads) {
    trial_run t = {want->run,      want->options,      .tuning = tuning,
                   .ranks = ranks, .threads = threads, .trial = want->trial};
    rank_threads_init(&t.team, ranks);
    rank_threads_run(ranks, run_rank, &t);
    rank_threads_fini(&t.team);
    for (unsigned r = 0; r < ranks; r++) {
        const circuit_result *have = &t.result[r], *one = &want->result[0];
        if (t.status[r]) fail_msg("rank %u: %s", r, t.error[r].reason);
        if (memcmp(have, one, sizeof *have) != 0)
            fail_msg("%s, rank %u of %u, %u threads, classes %u share %d: %d first, %d attempts, %d rounds, "
                     "%d claims, "
                     "not %d, %d, %d, %d",
                     want->run->point.traffic->kind->name, r, ranks, threads, tuning->classes,
                     (int)tuning->share, (int)have->first, (int)have->attempts, (int)have->rounds,
                     (int)have->claims, (int)one->first, (int)one->attempts, (int)one->rounds,
                     (int)one->claims);
    }
    return t.exchanges;
}

/* All tunings on ranks of 2^12 endpoints or more. */
static void compare_all(const bough_run *run, const circuit_options *rule) {
    circuit_options o = *rule;
    o.forward = 2;
    o.back = 1;
    o.round_limit = o.cycle_limit = UINT64_MAX;
    o.count_claims = true;
    trial_run one = {run, &o, .trial = 1};
    run_one(&one);
    if (one.status[0]) fail_msg("%s", one.error[0].reason);
    for (unsigned ranks = 2; ranks <= 8 && run->point.net->endpoints / ranks >= 4096; ranks *= 2) {
        uint64_t exchanges[sizeof tunings / sizeof *tunings];
        for (size_t i = 0; i < sizeof tunings / sizeof *tunings; i++)
            exchanges[i] = compare(&one, &tunings[i], ranks, 1 + (unsigned)i % 2);
        /* of two classes, in each round: eight of labels, six of planes */
        bool crosses = ranks == 4 && strcmp(run->point.traffic->kind->name, "uniform") == 0;
        if (crosses) assert_true(exchanges[0] < exchanges[NO_PLANES]);
    }
}

static void compare_traffic(const bough_point *point, bool all_rules) {
    bough_error error = {0};
    bough_run *run;
    if (bough_run_create("circuit:mode=rounds", point, &run, &error)) fail_msg("%s", error.reason);
    for (size_t i = 0; i < (all_rules ? sizeof rules / sizeof *rules : 1); i++) compare_all(run, &rules[i]);
    bough_run_destroy(run);
}

static void on_network(uint64_t n, const char *const *pattern, bool all_rules) {
    char spec[64];
    bough_error error = {0};
    bough_point p = {NULL, NULL, NULL};
    bough_net *net;
    bough_routing *routing;
    snprintf(spec, sizeof spec, "fattree:n=%llu", (unsigned long long)n);
    assert_int_equal(bough_net_create(spec, &net, &error), BOUGH_OK);
    assert_int_equal(bough_routing_create(net, "free", &routing, &error), BOUGH_OK);
    p.net = net;
    p.routing = routing;
    for (; *pattern; pattern++) {
        bough_traffic *traffic;
        if (bough_traffic_create(net, *pattern, &traffic, &error)) fail_msg("%s: %s", *pattern, error.reason);
        p.traffic = traffic;
        compare_traffic(&p, all_rules);
        bough_traffic_destroy(traffic);
    }
    for (unsigned mode = 0; mode < 4; mode++) {
        bough_traffic mixed = mixed_classes(net, &mode);
        p.traffic = &mixed;
        compare_traffic(&p, all_rules && mode < 2);
    }
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void test_two_ranks(void **state) {
    (void)state;
    on_network(8192, (const char *const[]){"uniform", "hotspot:hot=3", "uniform:m=3000", NULL}, true);
    on_network(8192, (const char *const[]){"bitrev", "shift:3", "shift:5000", "bitcomp", "tornado", NULL},
               false);
}

static void test_more_ranks(void **state) {
    (void)state;
    on_network(16384, (const char *const[]){"uniform", NULL}, true);
    on_network(16384, (const char *const[]){"transpose", "shift:5000", NULL}, false);
    on_network(32768, (const char *const[]){"uniform", "bitrev", NULL}, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_more_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
