/* Method circuit: bad input, cases by hand, agreement with the oracle of tests/support on trial after trial,
 * the reference figures, and what must hold on every network. */
#include "bough/method.h"
#include "bough/stats.h"
#include "support/circuit_oracle.h"
#include "support/cube.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

/* A point with one method bound to it, and the rows of its last trial. */
typedef struct bench {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_run *run;
    void *workspace;
    bough_rows rows;
} bench;

static bough_status try_bench(bench *b, const char *net, const char *routing, const char *traffic,
                              const char *method, bough_error *error) {
    *b = (bench){0};
    bough_status status = bough_net_create(net, &b->net, error);
    if (!status) status = bough_routing_create(b->net, routing, &b->routing, error);
    if (!status) status = bough_traffic_create(b->net, traffic, &b->traffic, error);
    bough_point point = {b->net, b->routing, b->traffic};
    return status ? status : bough_run_create(method, &point, &b->run, error);
}

static void close_bench(bench *b) {
    bough_rows_fini(&b->rows);
    if (b->run) bough_run_free_workspace(b->run, b->workspace);
    bough_run_destroy(b->run);
    bough_traffic_destroy(b->traffic);
    bough_routing_destroy(b->routing);
    bough_net_destroy(b->net);
}

static void open_bench(bench *b, const char *net, const char *routing, const char *traffic,
                       const char *method) {
    bough_error error = {0};
    if (try_bench(b, net, routing, traffic, method, &error)) fail_msg("%s %s: %s", net, method, error.reason);
}

static void trial(bench *b, uint64_t seed, uint64_t number) {
    bough_error error = {0};
    if (bough_run_trial(b->run, seed, number, &b->workspace, &b->rows, &error)) fail_msg("%s", error.reason);
}

static double value(const bench *b, bough_metric_id metric, int64_t index) {
    for (size_t i = 0; i < b->rows.count; i++)
        if (b->rows.row[i].metric == metric && b->rows.row[i].index == index) return b->rows.row[i].value;
    return NAN;
}

static double plain(const bench *b, bough_metric_id metric) {
    return value(b, metric, BOUGH_NO_ROW_INDEX);
}

/* Exact: every value here is a whole number or one division of whole numbers. NAN is never equal. */
static void same(double got, double want, const char *what) {
    if (!(got == want)) fail_msg("%s: %.17g, should be %.17g", what, got, want);
}

/* ---- bad input ---- */

static void refuses_bad_input(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *traffic, *method;
        bough_status status;
        const char *names; /* a word that the message must hold */
    } bad[] = {
        {"fattree:n=64", NULL, "uniform", "circuit:mod=rounds", BOUGH_INVALID, "mod"},
        {"fattree:n=64", NULL, "uniform", "circuits", BOUGH_INVALID, "circuit"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=round", BOUGH_INVALID, "rounds"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,retry=backoff", BOUGH_INVALID, "retry"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,retry=round", BOUGH_INVALID, "retry"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,payload=5", BOUGH_INVALID, "payload"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,release=end", BOUGH_INVALID, "release"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,payload=-1", BOUGH_INVALID, "payload"},
        {"fattree:n=64", NULL, "uniform", "circuit:limit=0", BOUGH_INVALID, "limit"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=backoff,slot=0", BOUGH_INVALID, "slot"},
        {"fattree:n=64", NULL, "uniform:m=65", "circuit", BOUGH_INVALID, "m=65"},
        {"fattree:n=64", NULL, "shift:k=1,m=65", "circuit", BOUGH_INVALID, "m=65"},
        {"fattree:n=48", NULL, "uniform", "circuit", BOUGH_INVALID, "n=48"},
        {"fattree:n=1", NULL, "uniform", "circuit", BOUGH_INVALID, "n"},
        {FABRIC, TABLES, "uniform", "circuit:mode=attempt", BOUGH_UNSUPPORTED, "attempt"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bench b;
        bough_error error = {0};
        bough_status status =
            try_bench(&b, bad[i].net, bad[i].routing, bad[i].traffic, bad[i].method, &error);
        if (status != bad[i].status ||
            (!strstr(error.reason, bad[i].names) && !strstr(error.place, bad[i].names)))
            fail_msg("%s %s %s: status %d, %s: %s", bad[i].net, bad[i].traffic, bad[i].method, (int)status,
                     error.place, error.reason);
        close_bench(&b);
    }
}

static void needs_routing_and_traffic(void **state) {
    (void)state;
    bench b;
    open_bench(&b, "fattree:n=8", NULL, "uniform", "circuit");
    bough_error error;
    bough_run *run;
    bough_point point = {b.net, NULL, b.traffic};
    assert_int_equal(bough_run_create("circuit", &point, &run, &error), BOUGH_UNSUPPORTED);
    point = (bough_point){b.net, b.routing, NULL};
    assert_int_equal(bough_run_create("circuit", &point, &run, &error), BOUGH_UNSUPPORTED);
    assert_null(run);
    close_bench(&b);
}

/* ---- by hand ---- */

static const char message_path[] = "circuit_test_messages.csv";

static const char *message_file(const char *text) {
    static char spec[64];
    FILE *f = fopen(message_path, "w");
    assert_non_null(f);
    fprintf(f, "source,destination\n%s", text);
    assert_int_equal(fclose(f), 0);
    snprintf(spec, sizeof spec, "messages:%s", message_path);
    return spec;
}

/* One message needs 2 K cycles forward, then payload, then K back. */
static void one_message(void **state) {
    (void)state;
    static const struct {
        const char *net, *message;
        double routers;
        const char *payload;
    } cases[] = {
        {"fattree:n=2", "0,1\n", 1, "0"},    {"fattree:n=8", "0,1\n", 1, "0"},
        {"fattree:n=8", "0,2\n", 3, "0"},    {"fattree:n=8", "5,0\n", 5, "0"},
        {"fattree:n=64", "0,63\n", 11, "0"}, {"fattree:n=64", "0,63\n", 11, "100"},
        {"fattree:n=8", "3,2\n", 1, "1000"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char method[64];
        bench b;
        double payload = atof(cases[i].payload),
               diameter = 3 * log2(atof(strchr(cases[i].net, '=') + 1)) * 2 - 3;
        snprintf(method, sizeof method, "circuit:mode=cycles,payload=%s", cases[i].payload);
        open_bench(&b, cases[i].net, NULL, message_file(cases[i].message), method);
        trial(&b, 1, i);
        same(plain(&b, BOUGH_METRIC_CYCLES), 3 * cases[i].routers + payload, "cycles");
        same(plain(&b, BOUGH_METRIC_NORM_CYCLES), (3 * cases[i].routers + payload) / (diameter + payload),
             "norm_cycles");
        same(plain(&b, BOUGH_METRIC_ATTEMPTS), 1, "attempts");
        same(plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, "first_success");
        assert_true(isnan(plain(&b, BOUGH_METRIC_UNDELIVERED)));
        assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
        close_bench(&b);
    }
}

/* What must happen whatever the coins say, on four leaves: 0 and 1 below one router, 2 and 3 below the other.
 *
 * 0 and 1 to 2: they climb by different ports, and meet above leaf 2 in cycle 4, both from above. The winner
 * is in in 6, and frees the link in 7. The loser learns it in 4 + 3 = 7, starts in 8, and needs 9: 17 cycles.
 *
 * 3 and 0 to 2: 3 takes the link above leaf 2 in cycle 0, is in in 2, and frees it in 3: 0, which comes by in
 * 4, goes through with mode=cycles. In a round 3 holds it: 0 needs another. Payload 1: free in 4, just in
 * time. Payload 2: free in 5; 0 learns in 7, starts in 8, and needs 9 + 2. */
static void by_hand(void **state) {
    (void)state;
    static const struct {
        const char *messages, *method;
        double rounds, cycles, attempts; /* attempts of all; NAN: not said */
        double both_above, beside;
    } cases[] = {
        {"0,2\n1,2\n", "mode=rounds", 2, NAN, 3, 1, 0},
        {"0,2\n1,2\n", "mode=rounds,release=end", 2, NAN, 3, 1, 0},
        {"0,2\n1,2\n", "mode=attempt", NAN, NAN, 2, 1, 0},
        {"0,2\n1,2\n", "mode=cycles", NAN, 17, 3, 1, 0},
        {"0,2\n1,2\n", "mode=cycles,retry=round", 2, 19, 3, 1, 0}, /* all know in 9: 10 + 9 */
        {"3,2\n0,2\n", "mode=rounds", 2, NAN, 3, 0, 1},
        {"3,2\n0,2\n", "mode=cycles", NAN, 9, 2, 0, 0},
        {"3,2\n0,2\n", "mode=cycles,payload=1", NAN, 10, 2, 0, 0},
        {"3,2\n0,2\n", "mode=cycles,payload=2", NAN, 19, 3, 0, 1},
        {"3,2\n0,2\n", "mode=cycles,retry=round,payload=2", 2, 8 + 9 + 2, 3, 0, 1},
        {"3,2\n0,2\n1,2\n", "mode=rounds", 3, NAN, 6, 1, 2}, /* round 1: 3 holds; round 2: the two meet */
        {"0,1\n1,0\n2,3\n3,2\n", "mode=rounds", 1, NAN, 4, 0, 0},
        {"0,1\n1,0\n2,3\n3,2\n", "mode=cycles", NAN, 3, 4, 0, 0},
        {"0,2\n1,3\n2,0\n3,1\n", "mode=rounds", 1, NAN, 4, 0, 0}, /* siblings never meet on their way up */
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t k = 0; k < 40; k++) {
            char method[96];
            bench b;
            bool generic = k & 1;
            snprintf(method, sizeof method, "circuit:%s%s", cases[i].method,
                     generic ? ",scenarios=1,path=generic" : "");
            open_bench(&b, "fattree:n=4", NULL, message_file(cases[i].messages), method);
            trial(&b, 7, k);
            double m = plain(&b, BOUGH_METRIC_MESSAGES);
            if (!isnan(cases[i].rounds)) same(plain(&b, BOUGH_METRIC_ROUNDS), cases[i].rounds, method);
            if (!isnan(cases[i].cycles)) same(plain(&b, BOUGH_METRIC_CYCLES), cases[i].cycles, method);
            if (strstr(method, "attempt"))
                same(plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 0.5, method);
            else
                same(plain(&b, BOUGH_METRIC_ATTEMPTS), cases[i].attempts / m, method);
            if (generic) {
                same(value(&b, BOUGH_METRIC_COLLISIONS, 0), 0, method);
                same(value(&b, BOUGH_METRIC_COLLISIONS, 1), cases[i].both_above, method);
                same(value(&b, BOUGH_METRIC_COLLISIONS, 2), cases[i].beside, method);
                bool three = strcmp(cases[i].messages, "3,2\n0,2\n1,2\n") == 0; /* one beside, two above */
                double found = value(&b, BOUGH_METRIC_COLLISIONS, 3);
                if (strstr(method, "rounds"))
                    same(found, three, method);
                else
                    assert_true(isnan(found)); /* not counted, and not said to be 0 */
            }
            close_bench(&b);
        }
}

/* Two messages of one source: the second waits for the first's acknowledgement to free their injection link
 * (0 to 3: K = 3, delivered in 6, the link is free in 6 + K + 1 = 10), and needs 9 for 0 to 2. Waiting is no
 * attempt. */
static void a_source_sends_one_at_a_time(void **state) {
    (void)state;
    static const char *const paths[] = {"auto", "generic"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        char method[64];
        bench b;
        snprintf(method, sizeof method, "circuit:mode=cycles,path=%s", paths[i]);
        open_bench(&b, "fattree:n=4", NULL, message_file("0,3\n0,2\n"), method);
        trial(&b, 1, 0);
        same(plain(&b, BOUGH_METRIC_CYCLES), 10 + 9, method);
        same(plain(&b, BOUGH_METRIC_ATTEMPTS), 1, method);
        same(plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, method);
        close_bench(&b);
        open_bench(&b, "fattree:n=4", NULL, message_file("0,3\n0,2\n"), "circuit:mode=rounds");
        trial(&b, 1, 0);
        same(plain(&b, BOUGH_METRIC_ROUNDS), 2, "rounds");
        same(plain(&b, BOUGH_METRIC_ATTEMPTS), 1, "attempts of rounds");
        close_bench(&b);
    }
}

/* With two leaves nobody can be in anybody's way. */
static void two_leaves(void **state) {
    (void)state;
    bench b;
    open_bench(&b, "fattree:n=2", NULL, "uniform", "circuit");
    for (uint64_t k = 0; k < 50; k++) {
        trial(&b, 3, k);
        same(plain(&b, BOUGH_METRIC_ROUNDS), 1, "rounds");
    }
    close_bench(&b);
}

/* Who wins a contested link, and which way a lone message goes up, are fair: 4000 trials, 4 standard
 * deviations. */
static void coins_are_fair(void **state) {
    (void)state;
    bench b;
    uint64_t met = 0;
    open_bench(&b, "fattree:n=8", NULL, message_file("0,4\n2,5\n"), "circuit");
    for (uint64_t k = 0; k < 4000; k++) {
        trial(&b, 11, k);
        met += plain(&b, BOUGH_METRIC_ROUNDS) == 2;
    }
    /* They meet above leaves 4 and 5 when their first choices agree, and nowhere else when not. */
    assert_true(fabs((double)met - 2000) < 4 * sqrt(1000));
    close_bench(&b);
}

/* ---- the oracle ---- */

typedef struct setting {
    const char *method; /* without path */
    oracle_ask ask;     /* slot 0: the default */
} setting;

static const setting settings[] = {
    {"mode=attempt", {ORACLE_ATTEMPT}},
    {"mode=rounds", {ORACLE_ROUNDS}},
    {"mode=rounds,release=end", {ORACLE_ROUNDS, .keep = true}},
    {"mode=cycles", {ORACLE_CYCLES}},
    {"mode=cycles,payload=1", {ORACLE_CYCLES, .payload = 1}},
    {"mode=cycles,payload=37", {ORACLE_CYCLES, .payload = 37}},
    {"mode=cycles,retry=round", {ORACLE_CYCLES, ORACLE_ROUND}},
    {"mode=cycles,retry=round,payload=20", {ORACLE_CYCLES, ORACLE_ROUND, .payload = 20}},
    {"mode=cycles,retry=backoff", {ORACLE_CYCLES, ORACLE_BACKOFF}},
    {"mode=cycles,retry=backoff,slot=1,payload=3", {ORACLE_CYCLES, ORACLE_BACKOFF, .payload = 3, .slot = 1}},
};

/* One trial, both ways, everything that both can say. */
static void agree(bench *b, const setting *s, uint64_t seed, uint64_t number, const char *what) {
    bough_batch batch;
    oracle_result r;
    oracle_ask ask = s->ask;
    bough_key key = bough_key_make(seed, number);
    assert_int_equal(bough_batch_read(b->traffic, key, &batch, NULL), BOUGH_OK);
    uint32_t m = (uint32_t)batch.count;
    oracle_fate *fate = calloc(m + 1, sizeof *fate);
    assert_non_null(fate);
    uint64_t diameter = 3 * ((uint64_t)b->net->hops_max - 1);
    if (!ask.slot) ask.slot = diameter;
    circuit_oracle(b->net, &ask, batch.source, batch.address, m, key, fate, &r);
    trial(b, seed, number);
    same(plain(b, BOUGH_METRIC_MESSAGES), m, what);
    if (m == 0) { /* there are no shares of nothing */
        assert_true(isnan(plain(b, BOUGH_METRIC_FIRST_SUCCESS)) && isnan(plain(b, BOUGH_METRIC_ATTEMPTS)));
    } else {
        same(plain(b, BOUGH_METRIC_FIRST_SUCCESS), (double)r.first / m, what);
        if (ask.mode != ORACLE_ATTEMPT) same(plain(b, BOUGH_METRIC_ATTEMPTS), (double)r.attempts / m, what);
    }
    if (ask.mode == ORACLE_CYCLES) {
        same(plain(b, BOUGH_METRIC_CYCLES), (double)r.cycles, what);
        same(plain(b, BOUGH_METRIC_NORM_CYCLES), (double)r.cycles / (double)(diameter + ask.payload), what);
    }
    if (ask.mode == ORACLE_ROUNDS || ask.retry == ORACLE_ROUND) {
        same(plain(b, BOUGH_METRIC_ROUNDS), (double)r.rounds, what);
        for (uint64_t round = 1; round <= r.rounds; round++) {
            double delivered = 0;
            for (uint32_t i = 0; i < m; i++) delivered += fate[i].delivered && fate[i].round == round;
            same(value(b, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)round), delivered, what);
        }
        assert_true(isnan(value(b, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)r.rounds + 1)));
    }
    for (int i = 0; i < 3 && strstr(what, "scenarios"); i++)
        same(value(b, BOUGH_METRIC_COLLISIONS, i), (double)r.scenario[i], what);
    if (ask.mode != ORACLE_ROUNDS) assert_true(isnan(value(b, BOUGH_METRIC_COLLISIONS, 3)));
    free(fate);
    bough_batch_fini(&batch);
}

static void agrees_with_the_oracle(void **state) {
    (void)state;
    static const struct {
        const char *traffic;
        unsigned trials;
    } traffic[] = {{"uniform", 40}, {"uniform:m=2", 20}, {"uniform:m=%n/2", 20},  {"randperm", 20},
                   {"bitrev", 10},  {"transpose", 10},   {"bitcomp", 10},         {"shift:k=1", 10},
                   {"incast", 10},  {"tornado", 10},     {"hotspot:hot=%n/2", 10}};
    for (unsigned n = 2; n <= 64; n *= 2)
        for (size_t t = 0; t < COUNT(traffic); t++)
            for (size_t i = 0; i < COUNT(settings); i++)
                for (int path = 0; path < 2; path++) {
                    char net[32], pattern[64], method[128], what[256];
                    const char *half = strstr(traffic[t].traffic, "%n/2");
                    snprintf(net, sizeof net, "fattree:n=%u", n);
                    if (half)
                        snprintf(pattern, sizeof pattern, "%.*s%u", (int)(half - traffic[t].traffic),
                                 traffic[t].traffic, n / 2);
                    else
                        snprintf(pattern, sizeof pattern, "%s", traffic[t].traffic);
                    snprintf(method, sizeof method, "circuit:%s,history=1%s", settings[i].method,
                             path ? "" : ",scenarios=1,path=generic");
                    snprintf(what, sizeof what, "%s %s %s", net, pattern, method);
                    bench b;
                    open_bench(&b, net, NULL, pattern, method);
                    for (unsigned k = 0; k < traffic[t].trials; k++)
                        agree(&b, &settings[i], n + k % 3, k, what);
                    close_bench(&b);
                }
}

/* The engines keep no times of single messages, but runs cut off after each cycle say how many of them have
 * gone through their last router by then. */
static void agrees_on_delivery_times(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        bough_batch batch;
        oracle_result r;
        oracle_fate fate[32];
        bool cut = true;
        oracle_ask ask = {ORACLE_CYCLES, k & 1 ? ORACLE_BACKOFF : ORACLE_IMMEDIATE, .payload = k, .slot = 27};
        for (unsigned limit = 1; cut; limit++) {
            char method[128];
            bench b;
            snprintf(method, sizeof method, "circuit:mode=cycles,retry=%s,payload=%d,limit=%u,path=%s",
                     k & 1 ? "backoff" : "immediate", (int)k, limit, k & 2 ? "auto" : "generic");
            open_bench(&b, "fattree:n=32", NULL, "uniform", method);
            bough_key key = bough_key_make(5, k);
            assert_int_equal(bough_batch_read(b.traffic, key, &batch, NULL), BOUGH_OK);
            assert_int_equal(batch.count, 32);
            circuit_oracle(b.net, &ask, batch.source, batch.address, 32, key, fate, &r);
            unsigned left = 0;
            for (int i = 0; i < 32; i++) left += fate[i].time - ask.payload - 2 > limit;
            trial(&b, 5, k);
            cut = left > 0;
            assert_int_equal(b.rows.outcome, cut ? BOUGH_RUN_PARTIAL : BOUGH_RUN_OK);
            if (cut) same(plain(&b, BOUGH_METRIC_UNDELIVERED), left, method);
            bough_batch_fini(&batch);
            close_bench(&b);
        }
    }
}

/* ---- figures ---- */

/* Seeds are fixed; a figure and a mean may differ by 3.29 standard deviations of their difference (99.9 %,
 * each). The page gives half-widths only for rounds and norm_cycles; the other figures come from the same
 * trials. */
static void reproduces_the_figures(void **state) {
    (void)state;
    static const struct {
        const char *net, *traffic, *method;
        bough_metric_id metric, other;
        double figure, half_width, other_figure;
        unsigned trials;
    } want[] = {
        {"fattree:n=64", "uniform", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS, BOUGH_METRIC_FIRST_SUCCESS,
         4.717, 0.022, 0.433, 4000},
        {"fattree:n=64", "uniform", "circuit:mode=cycles", BOUGH_METRIC_NORM_CYCLES, BOUGH_METRIC_ATTEMPTS,
         3.107, 0.011, 1.669, 2000},
        {"fattree:n=1024", "uniform", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS, BOUGH_METRIC_FIRST_SUCCESS,
         6.992, 0.055, 0.304, 400},
        {"fattree:n=1024", "uniform", "circuit:mode=cycles", BOUGH_METRIC_NORM_CYCLES, BOUGH_METRIC_ATTEMPTS,
         4.346, 0.030, 2.133, 200},
        {"fattree:n=1024", "uniform:m=128", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS,
         BOUGH_METRIC_FIRST_SUCCESS, 2.931, 0.039, 0.784, 400},
        {"fattree:n=1024", "uniform:m=128", "circuit:mode=cycles", BOUGH_METRIC_NORM_CYCLES,
         BOUGH_METRIC_ATTEMPTS, 2.306, 0.030, 1.192, 400},
        {"fattree:n=1024", "bitrev", "circuit:mode=rounds", BOUGH_METRIC_ROUNDS, BOUGH_METRIC_FIRST_SUCCESS,
         5.547, 0.056, 0.359, 400},
        {"fattree:n=1024", "bitrev", "circuit:mode=cycles", BOUGH_METRIC_NORM_CYCLES, BOUGH_METRIC_ATTEMPTS,
         3.994, 0.022, 2.035, 200},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        bench b;
        bough_stats stats = {0}, other = {0};
        open_bench(&b, want[i].net, NULL, want[i].traffic, want[i].method);
        for (unsigned k = 0; k < want[i].trials; k++) {
            trial(&b, 2024, k);
            bough_stats_add(&stats, plain(&b, want[i].metric));
            bough_stats_add(&other, plain(&b, want[i].other));
        }
        double ci = bough_stats_ci95(&stats), other_ci = bough_stats_ci95(&other);
        double widen = 3.29 / 1.96, both = widen * hypot(ci, want[i].half_width);
        double other_both = widen * hypot(other_ci, other_ci * want[i].half_width / ci) + 0.0005;
        print_message("%s %s %s: %.3f +- %.3f (page %.3f +- %.3f), %.4f (page %.3f, may differ by %.4f)\n",
                      want[i].net, want[i].traffic, want[i].method, stats.mean, ci, want[i].figure,
                      want[i].half_width, other.mean, want[i].other_figure, other_both);
        if (!(fabs(stats.mean - want[i].figure) <= both) ||
            !(fabs(other.mean - want[i].other_figure) <= other_both))
            fail_msg("%s %s %s is off", want[i].net, want[i].traffic, want[i].method);
        close_bench(&b);
    }
}

/* ---- on every network ---- */

static void every_message_arrives_once(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        unsigned cables; /* of an endpoint */
    } world[] = {
        {"fattree:n=32", "random", 1},
        {"fattree:n=32", "first", 1},
        {"fattree:n=32", "least", 1},
        {"fattree:n=32", "dmodk", 1},
        {"fattree:n=32", "hash", 1},
        {"kary:k=3,levels=3", "random", 1},
        {"xgft:down=4x4,up=1x2,links=1x2", "random", 1},
        {"xgft:down=4x4,up=2x2,links=1x1", "random", 2}, /* two injection links */
        {"xgft:down=4x4,up=1x2,links=1x2", "smodk", 1},
        {"clos:radix=8,hosts=32,taper=2", "random", 1},
        {FABRIC, "random", 1},
        {FABRIC, TABLES, 1},
    };
    static const char *const traffic[] = {"uniform", "randperm", "shift:k=3", "incast"};
    static const char *const mode[] = {"mode=rounds", "mode=rounds,release=end", "mode=cycles,retry=round",
                                       "mode=cycles", "mode=cycles,retry=backoff,payload=9"};
    for (size_t w = 0; w < COUNT(world); w++)
        for (size_t t = 0; t < COUNT(traffic); t++)
            for (size_t i = 0; i < COUNT(mode); i++) {
                bench b;
                char method[96];
                snprintf(method, sizeof method, "circuit:%s,history=1", mode[i]);
                open_bench(&b, world[w].net, world[w].routing, traffic[t], method);
                for (uint64_t k = 0; k < 3; k++) {
                    bough_batch batch;
                    assert_int_equal(bough_batch_read(b.traffic, bough_key_make(6, k), &batch, NULL),
                                     BOUGH_OK);
                    trial(&b, 6, k);
                    double m = plain(&b, BOUGH_METRIC_MESSAGES), sum = 0, weighted = 0;
                    same(m, (double)batch.count, "messages");
                    assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
                    assert_true(plain(&b, BOUGH_METRIC_ATTEMPTS) >= 1);
                    if (i < 3) {
                        double rounds = plain(&b, BOUGH_METRIC_ROUNDS);
                        for (int64_t r = 1; (double)r <= rounds; r++) {
                            double delivered = value(&b, BOUGH_METRIC_DELIVERED_ROUND, r);
                            assert_true(delivered >=
                                        1); /* of those at the lowest level of any conflict one wins */
                            sum += delivered;
                            weighted += delivered * (double)r;
                        }
                        same(sum, m, method);
                        same(plain(&b, BOUGH_METRIC_ATTEMPTS), weighted / m, method);
                        same(plain(&b, BOUGH_METRIC_FIRST_SUCCESS),
                             value(&b, BOUGH_METRIC_DELIVERED_ROUND, 1) / m, method);
                        if (t == 3 && i < 2)
                            assert_true(rounds * (double)world[w].cables >=
                                        m); /* held to the end: one a link */
                    } else {
                        assert_true(plain(&b, BOUGH_METRIC_CYCLES) >= 3);
                    }
                    bough_batch_fini(&batch);
                }
                close_bench(&b);
            }
}

/* A trial is a function of (seed, trial): not of the trials that its workspace saw before. */
static void trials_do_not_depend_on_each_other(void **state) {
    (void)state;
    static const char *const mode[] = {"circuit:mode=attempt", "circuit", "circuit:path=generic",
                                       "circuit:mode=cycles", "circuit:mode=cycles,limit=9"};
    for (size_t i = 0; i < COUNT(mode); i++) {
        bench one, other;
        bool differs = false;
        double before = NAN;
        open_bench(&one, "fattree:n=64", NULL, "uniform", mode[i]);
        for (uint64_t k = 0; k < 20; k++) {
            trial(&one, 8, k);
            open_bench(&other, "fattree:n=64", NULL, "uniform", mode[i]);
            trial(&other, 8, k);
            assert_int_equal(one.rows.count, other.rows.count);
            for (size_t r = 0; r < one.rows.count; r++) {
                assert_int_equal(one.rows.row[r].metric, other.rows.row[r].metric);
                same(one.rows.row[r].value, other.rows.row[r].value, mode[i]);
            }
            double first = plain(&one, BOUGH_METRIC_FIRST_SUCCESS);
            differs |= k && first != before;
            before = first;
            close_bench(&other);
        }
        assert_true(differs); /* nor are they all alike */
        close_bench(&one);
    }
}

static void limits_cut_off(void **state) {
    (void)state;
    static const char *const path[] = {"auto", "generic"};
    for (size_t i = 0; i < COUNT(path); i++) {
        bench b;
        char method[64];
        snprintf(method, sizeof method, "circuit:mode=rounds,limit=4,path=%s", path[i]);
        open_bench(&b, "fattree:n=16", NULL, "incast", method);
        trial(&b, 1, 0);
        same(plain(&b, BOUGH_METRIC_ROUNDS), 4, "rounds");
        same(plain(&b, BOUGH_METRIC_UNDELIVERED), 11, "undelivered");
        assert_int_equal(b.rows.outcome, BOUGH_RUN_PARTIAL);
        close_bench(&b);
    }
}

/* A node that is endpoint and switch in one decides itself: as many routers as links. */
static void circuits_on_a_cube(void **state) {
    (void)state;
    static const char *const mode[] = {"mode=attempt", "mode=rounds", "mode=cycles",
                                       "mode=cycles,retry=backoff"};
    bench b = {0};
    assert_int_equal(cube_create(4, &b.net, NULL), BOUGH_OK);
    assert_int_equal(bough_routing_create(b.net, NULL, &b.routing, NULL), BOUGH_OK);
    for (unsigned t = 1; t < 16; t++)
        for (size_t i = 0; i <= COUNT(mode); i++) {
            char spec[64];
            snprintf(spec, sizeof spec, "0,%u\n", t);
            bough_traffic_create(b.net, i ? "bitrev" : message_file(spec), &b.traffic, NULL);
            bough_point point = {b.net, b.routing, b.traffic};
            snprintf(spec, sizeof spec, "circuit:%s", i ? mode[i - 1] : "mode=cycles,payload=2");
            assert_int_equal(bough_run_create(spec, &point, &b.run, NULL), BOUGH_OK);
            trial(&b, 1, t);
            assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
            if (i == 0) same(plain(&b, BOUGH_METRIC_CYCLES), 3 * __builtin_popcount(t) + 2, "cycles");
            if (i == 1)
                assert_true(plain(&b, BOUGH_METRIC_FIRST_SUCCESS) < 1); /* bit reversal collides on a cube */
            bough_run_free_workspace(b.run, b.workspace);
            bough_run_destroy(b.run);
            bough_traffic_destroy(b.traffic);
            b.workspace = NULL;
            b.run = NULL;
            b.traffic = NULL;
        }
    close_bench(&b);
}

static int remove_file(void **state) {
    (void)state;
    remove(message_path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(needs_routing_and_traffic),
        cmocka_unit_test(one_message),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_source_sends_one_at_a_time),
        cmocka_unit_test(two_leaves),
        cmocka_unit_test(coins_are_fair),
        cmocka_unit_test(agrees_with_the_oracle),
        cmocka_unit_test(agrees_on_delivery_times),
        cmocka_unit_test(reproduces_the_figures),
        cmocka_unit_test(every_message_arrives_once),
        cmocka_unit_test(trials_do_not_depend_on_each_other),
        cmocka_unit_test(limits_cut_off),
        cmocka_unit_test(circuits_on_a_cube),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
