/* The fast paths of `circuit` by labels against the generic engine, and rounds also against the oracle: the
 * same results, trial by trial, whichever of their ways of working they are made to take. */
#include "engines/circuit/labels/labels_positions.h"
#include "engines/circuit/labels/labels_rounds.h"
#include "method/method.h"
#include "support/circuit_oracle.h"
#include "support/mixed_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One point under two methods; a NULL network means that it does not apply (transpose on odd lg n, ...). */
typedef struct bench {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
} bench;

static void must(bough_status status, const bough_error *error, const char *what) {
    if (status) fail_msg("%s: %s", what, error->reason);
}

static bool open_bench(bench *b, uint64_t n, const char *traffic) {
    bough_error error = {0};
    char spec[64];
    snprintf(spec, sizeof spec, "fattree:n=%llu", (unsigned long long)n);
    *b = (bench){0};
    must(bough_net_create(spec, &b->net, &error), &error, spec);
    must(bough_routing_create(b->net, "free", &b->routing, &error), &error, "free");
    return bough_traffic_create(b->net, traffic, &b->traffic, &error) == BOUGH_OK;
}

static void close_bench(bench *b) {
    bough_traffic_destroy(b->traffic);
    bough_routing_destroy(b->routing);
    bough_net_destroy(b->net);
}

static bough_run *open_run(const bench *b, const char *method) {
    bough_error error = {0};
    bough_run *run;
    bough_point point = {b->net, b->routing, b->traffic};
    must(bough_run_create(method, &point, &run, &error), &error, method);
    return run;
}

static void assert_same_rows(const bough_rows *have, const bough_rows *want, const char *what,
                             uint64_t trial) {
    assert_int_equal(have->outcome, want->outcome);
    assert_int_equal(have->count, want->count);
    for (size_t i = 0; i < want->count; i++) {
        const bough_row *h = &have->row[i], *w = &want->row[i];
        if (h->metric != w->metric || h->index != w->index ||
            memcmp(&h->value, &w->value, sizeof h->value) != 0)
            fail_msg("%s, trial %d: %s is %.17g, not %.17g", what, (int)trial, bough_metrics[w->metric].name,
                     h->value, w->value);
    }
}

/* Trials of both paths, with one workspace each, so that what one trial leaves behind would show. */
static void compare(uint64_t n, const char *traffic, const char *mode, uint64_t trials) {
    bench b;
    char fast[128], slow[128], what[256];
    const char *history = n & 0x55555555 ? ",history=1" : ""; /* 4, 16, 64, ... */
    snprintf(fast, sizeof fast, "circuit:%s%s", mode, history);
    snprintf(slow, sizeof slow, "circuit:%s%s,engine=generic", mode, history);
    snprintf(what, sizeof what, "n=%d %s %s", (int)n, traffic, mode);
    if (open_bench(&b, n, traffic)) {
        bough_error error = {0};
        bough_run *run[2] = {open_run(&b, fast), open_run(&b, slow)};
        bough_rows rows[2] = {{0}};
        void *workspace[2] = {NULL, NULL};
        assert_true(run[0]->bytes != run[1]->bytes); /* or else both are the generic engine */
        for (uint64_t trial = 0; trial < trials; trial++) {
            for (int k = 0; k < 2; k++)
                must(bough_run_trial(run[k], bough_key_make(7, trial), &workspace[k], &rows[k], &error),
                     &error, what);
            assert_same_rows(&rows[0], &rows[1], what, trial);
        }
        for (int k = 0; k < 2; k++) {
            bough_rows_fini(&rows[k]);
            bough_run_free_workspace(run[k], workspace[k]);
            bough_run_destroy(run[k]);
        }
    }
    close_bench(&b);
}

static void compare_traffics(uint64_t n, const char *mode, uint64_t trials) {
    char spec[64];
    const uint64_t some[] = {1, 2, n / 8, n - 1, n};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (some[i] == 0) continue;
        snprintf(spec, sizeof spec, "uniform:m=%llu", (unsigned long long)some[i]);
        compare(n, spec, mode, trials);
    }
    static const char *const pattern[] = {"bitrev",   "transpose", "shift:1", "shift:3",
                                          "randperm", "incast",    "hotspot"};
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) compare(n, pattern[i], mode, trials);
    snprintf(spec, sizeof spec, "hotspot:hot=%llu", (unsigned long long)(n / 2));
    compare(n, spec, mode, trials);
}

static void rounds_agree(void **state) {
    (void)state;
    for (uint64_t n = 2; n <= 256; n *= 2) compare_traffics(n, "mode=rounds", n <= 32 ? 40 : 8);
}

static void rounds_of_cycles_agree(void **state) {
    (void)state;
    static const char *const mode[] = {
        "mode=rounds,hold=ack", "mode=cycles,retry=round", "mode=cycles,retry=round,payload=2",
        "mode=cycles,retry=round,payload=11", "mode=cycles,retry=round,payload=7,hold=end"};
    for (uint64_t n = 2; n <= 256; n *= 4)
        for (size_t i = 0; i < sizeof mode / sizeof *mode; i++)
            compare_traffics(n, mode[i], n <= 32 ? 20 : 4);
    for (unsigned limit = 1; limit < 200; limit += 7) {
        char cut[64];
        snprintf(cut, sizeof cut, "mode=cycles,retry=round,limit=%u", limit);
        compare(64, "uniform", cut, 3);
        compare(64, "incast", cut, 1);
    }
    compare(16384, "uniform", "mode=cycles,retry=round", 2);
    compare(16384, "bitrev", "mode=cycles,retry=round,payload=4", 1);
}

static void rounds_agree_when_cut_off(void **state) {
    (void)state;
    compare(64, "uniform", "mode=rounds,limit=1", 10);
    compare(64, "incast", "mode=rounds,limit=3", 10);
}

/* Large enough that tiles, and coins from tables and one by one, all come up. */
static void large_rounds_agree(void **state) {
    (void)state;
    compare(4096, "uniform", "mode=rounds", 4);
    compare(16384, "uniform", "mode=rounds", 2);
    compare(32768, "uniform:m=4000", "mode=rounds", 2);
    compare(32768, "bitrev", "mode=rounds", 1);
    compare(65536, "randperm", "mode=rounds", 1);
}

/* ---- rounds: planes, labels, and both ---- */

enum { ALL = LABELS_LEVELS_MAX, ALWAYS = 1 << 30, NEVER = 1 };
static const labels_tuning ways[] = {
    {0, ALL, NEVER},  {0, ALL, ALWAYS}, {0, ALL, 2},     {0, ALL, 5},       {0, ALL, 16}, {0, ALL, 64},
    {0, 1, ALWAYS},   {0, 2, ALWAYS},   {0, 3, 8},       {0, 4, 40},        {0, 0, 0}, /* as it comes */
    {9, ALL, ALWAYS}, {9, ALL, 6},      {9, ALL, NEVER}, {10, ALL, ALWAYS}, {9, 3, 30},   {9, 1, 20},
};

/* A trial, on the threads of a team. */
typedef struct team_trial {
    labels_rounds *rounds;
    circuit_trial trial;
    circuit_result *result;
    bough_status status;
    bough_error error;
} team_trial;

static void run_team(void *context, thread_team *team) {
    team_trial *t = context;
    t->trial.team = team;
    t->status = labels_rounds_run(t->rounds, &t->trial, t->result, &t->error);
}

static void one_way(const bough_run *run, const labels_tuning *way, const circuit_options *o, uint64_t trials,
                    const circuit_result *want, uint64_t *claims, const char *what) {
    bough_error error = {0};
    labels_rounds *rounds;
    const bough_point *p = &run->point;
    must(labels_rounds_make(p->net->levels, p->traffic->messages, way, &rounds, &error), &error, what);
    /* every other time on 2, 3 or 4 threads, where there are several tiles */
    unsigned times = way->cut || p->net->levels >= 14 ? 2 : 1;
    for (uint64_t i = 0; i < times * trials; i++) {
        uint64_t trial = i / times;
        circuit_result have = {0};
        team_trial t = {rounds, {run, o, bough_key_make(3, trial), NULL}, &have, BOUGH_OK, {0}};
        team_run(i % times ? 2 + (unsigned)trial % 3 : 1, run_team, &t);
        must(t.status, &t.error, what);
        uint64_t counted = have.claims;
        have.claims = 0; /* as in the result of the generic engine */
        if (!claims[trial]) claims[trial] = counted;
        if (memcmp(&have, &want[trial], sizeof have) != 0 || counted != claims[trial])
            fail_msg(
                "%s, cut %u classes %u share %d, trial %d: %d first, %d attempts, %d rounds, %d claims, not "
                "%d, %d, %d, %d",
                what, way->cut, way->classes, (int)way->share, (int)trial, (int)have.first,
                (int)have.attempts, (int)have.rounds, (int)counted, (int)want[trial].first,
                (int)want[trial].attempts, (int)want[trial].rounds, (int)claims[trial]);
    }
    labels_rounds_free(rounds);
}

static void ask_generic(const bough_run *run, const circuit_options *o, uint64_t trials, circuit_result *want,
                        const char *what) {
    bough_error error = {0};
    circuit_generic *generic = NULL;
    for (uint64_t trial = 0; trial < trials; trial++) {
        must(circuit_generic_run(&(circuit_trial){run, o, bough_key_make(3, trial), NULL}, &generic,
                                 &want[trial], &error),
             &error, what);
        if (o->mode == CIRCUIT_ROUNDS) want[trial].cycles = 0; /* not counted by labels */
        want[trial].arrived = 0;
        want[trial].arrivals = 0;
    }
    circuit_generic_free(generic);
}

static void ask_oracle(const bough_run *run, const circuit_options *o, uint64_t trials,
                       const circuit_result *want, const char *what) {
    for (uint64_t trial = 0; trial < trials; trial++) {
        bough_batch batch;
        bough_key key = bough_key_make(3, trial);
        oracle_ask ask = {.mode = o->mode == CIRCUIT_ROUNDS ? ORACLE_ROUNDS : ORACLE_CYCLES,
                          .retry = ORACLE_ROUND,
                          .payload = o->payload,
                          .hold = o->hold_to_end ? ORACLE_END : ORACLE_ACK};
        oracle_result r;
        assert_int_equal(bough_batch_read(run->point.traffic, key, &batch, NULL), BOUGH_OK);
        oracle_fate *fate = calloc(batch.count + 1, sizeof *fate);
        assert_non_null(fate);
        circuit_oracle(run->point.net, &ask, batch.source, batch.address, (uint32_t)batch.count, key, fate,
                       &r);
        if (r.rounds != want[trial].rounds || r.attempts != want[trial].attempts ||
            r.first != want[trial].first)
            fail_msg("%s, trial %d: the oracle says otherwise", what, (int)trial);
        free(fate);
        bough_batch_fini(&batch);
    }
}

enum { TRIALS_MAX = 16 };

static void all_ways_under(const bench *b, const circuit_options *rule, uint64_t limit, uint64_t trials,
                           const char *what) {
    circuit_options o = *rule;
    o.round_limit = limit;
    o.forward = 2;
    o.back = 1;
    o.cycle_limit = UINT64_MAX;
    o.count_claims = true;
    circuit_result want[TRIALS_MAX] = {{0}};
    uint64_t claims[TRIALS_MAX] = {0};
    bough_run *run = open_run(b, "circuit:mode=rounds,engine=generic");
    ask_generic(run, &o, trials, want, what);
    if (b->net->endpoints <= 64 && limit == UINT64_MAX) ask_oracle(run, &o, trials, want, what);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].cut == 0 || ways[i].cut + 3 <= b->net->levels)
            one_way(run, &ways[i], &o, trials, want, claims, what);
    bough_run_destroy(run);
}

/* Rounds, then rounds of cycles with other times at which delivered messages free their links. */
static void all_ways(const bench *b, uint64_t limit, uint64_t trials, const char *what) {
    static const circuit_options rule[] = {
        {.mode = CIRCUIT_ROUNDS, .hold_to_end = true},
        {.mode = CIRCUIT_ROUNDS},
        {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND},
        {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND, .payload = 2},
        {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND, .payload = 9},
        {.mode = CIRCUIT_CYCLES, .retry = CIRCUIT_ROUND, .payload = 1, .hold_to_end = true},
    };
    all_ways_under(b, &rule[0], limit, trials, what);
    uint64_t fewer = trials < 2 ? trials : 2;
    if (b->net->levels % 2 || b->net->endpoints > 4096) return;
    for (size_t i = 1; i < sizeof rule / sizeof *rule; i++) all_ways_under(b, &rule[i], limit, fewer, what);
}

/* The network of the figures in docs/strumpen2005.md, under both readings of a round. */
static void the_oracle_agrees_at_1024(void **state) {
    (void)state;
    bench b;
    assert_true(open_bench(&b, 1024, "uniform"));
    bough_run *run = open_run(&b, "circuit:mode=rounds,engine=generic");
    for (int end = 0; end < 2; end++) {
        circuit_options o = {.hold_to_end = end,
                             .forward = 2,
                             .back = 1,
                             .round_limit = UINT64_MAX,
                             .cycle_limit = UINT64_MAX};
        circuit_result want[2] = {{0}};
        o.mode = CIRCUIT_ROUNDS;
        ask_generic(run, &o, 2, want, "n=1024 uniform");
        ask_oracle(run, &o, 2, want, "n=1024 uniform");
    }
    bough_run_destroy(run);
    close_bench(&b);
}

static void all_ways_of(uint64_t n, const char *traffic, uint64_t limit, uint64_t trials) {
    bench b;
    char what[128];
    snprintf(what, sizeof what, "n=%d %s", (int)n, traffic);
    if (open_bench(&b, n, traffic)) all_ways(&b, limit, trials, what);
    close_bench(&b);
}

static void all_ways_of_mixed(uint64_t n, uint64_t trials) {
    for (unsigned mode = 0; mode < 4; mode++) {
        bench b;
        char what[128];
        bough_traffic *uniform;
        snprintf(what, sizeof what, "n=%d mixed %u", (int)n, mode);
        assert_true(open_bench(&b, n, "uniform"));
        bough_traffic traffic = mixed_classes(b.net, &mode);
        uniform = b.traffic;
        b.traffic = &traffic;
        all_ways(&b, UINT64_MAX, trials, what);
        b.traffic = uniform;
        close_bench(&b);
    }
}

static void all_ways_agree(void **state) {
    (void)state;
    static const char *const pattern[] = {"bitrev", "transpose", "shift:1", "shift:3",      "bitcomp",
                                          "incast", "randperm",  "tornado", "hotspot:hot=3"};
    for (uint64_t n = 4; n <= 1024; n *= 2) {
        uint64_t trials = n <= 64 ? TRIALS_MAX : n <= 256 ? 4 : 2;
        all_ways_of(n, "uniform", UINT64_MAX, trials);
        all_ways_of(n, "uniform", 2, trials);
        char some[32];
        snprintf(some, sizeof some, "uniform:m=%d", (int)(n / 3 + 1));
        all_ways_of(n, some, UINT64_MAX, trials);
        for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
            all_ways_of(n, pattern[i], n >= 512 && strcmp(pattern[i], "incast") == 0 ? 20 : UINT64_MAX,
                        trials < 4 ? trials : 4);
        all_ways_of_mixed(n, trials < 4 ? trials : 4);
    }
}

/* Tiles of both kinds. */
static void all_ways_agree_on_large_networks(void **state) {
    (void)state;
    all_ways_of(4096, "uniform", UINT64_MAX, 2);
    all_ways_of(4096, "uniform:m=700", UINT64_MAX, 2);
    all_ways_of(4096, "bitrev", UINT64_MAX, 1);
    all_ways_of(4096, "shift:700", UINT64_MAX, 1);
    all_ways_of_mixed(4096, 1);
    all_ways_of(8192, "uniform", UINT64_MAX, 1);
    all_ways_of(8192, "hotspot:hot=3", UINT64_MAX, 1);
    all_ways_of(8192, "shift:5000", UINT64_MAX, 1);
    all_ways_of(16384, "randperm", UINT64_MAX, 1);
    all_ways_of(32768, "uniform", UINT64_MAX, 1);
}

static void cycles_agree(void **state) {
    (void)state;
    for (uint64_t n = 2; n <= 256; n *= 2) {
        compare_traffics(n, "mode=cycles", n <= 32 ? 40 : 8);
        compare_traffics(n, "mode=cycles,payload=5", n <= 32 ? 20 : 4);
    }
    compare(64, "uniform", "mode=cycles,payload=1000", 4);
}

static void cycles_agree_when_cut_off(void **state) {
    (void)state;
    for (int limit = 1; limit < 40; limit += 4) {
        char mode[64];
        snprintf(mode, sizeof mode, "mode=cycles,limit=%d", limit);
        compare(64, "uniform", mode, 3);
        compare(64, "incast", mode, 3);
    }
}

static void large_cycles_agree(void **state) {
    (void)state;
    compare(4096, "uniform", "mode=cycles", 4);
    compare(16384, "uniform", "mode=cycles", 1);
    compare(16384, "bitrev", "mode=cycles,payload=5", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_agree),
        cmocka_unit_test(rounds_of_cycles_agree),
        cmocka_unit_test(rounds_agree_when_cut_off),
        cmocka_unit_test(the_oracle_agrees_at_1024),
        cmocka_unit_test(large_rounds_agree),
        cmocka_unit_test(all_ways_agree),
        cmocka_unit_test(all_ways_agree_on_large_networks),
        cmocka_unit_test(cycles_agree),
        cmocka_unit_test(cycles_agree_when_cut_off),
        cmocka_unit_test(large_cycles_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
