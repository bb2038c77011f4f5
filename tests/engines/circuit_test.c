/* Method circuit: cases by hand, figures of an independent program, and what must hold on every network. */
#include "base/statistics.h"
#include "method/method.h"
#include "support/circuit_bench.h"
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
        bench_open(&b, cases[i].net, NULL, message_file(cases[i].message), method);
        bench_trial(&b, 1, i);
        bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), 3 * cases[i].routers + payload, "cycles");
        bench_same(bench_plain(&b, BOUGH_METRIC_NORM_CYCLES),
                   (3 * cases[i].routers + payload) / (diameter + payload), "norm_cycles");
        bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), 1, "attempts");
        bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, "first_success");
        assert_true(isnan(bench_plain(&b, BOUGH_METRIC_UNDELIVERED)));
        assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
        bench_close(&b);
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
                     generic ? ",scenarios=1,engine=generic" : "");
            bench_open(&b, "fattree:n=4", NULL, message_file(cases[i].messages), method);
            bench_trial(&b, 7, k);
            double m = bench_plain(&b, BOUGH_METRIC_MESSAGES);
            if (!isnan(cases[i].rounds))
                bench_same(bench_plain(&b, BOUGH_METRIC_ROUNDS), cases[i].rounds, method);
            if (!isnan(cases[i].cycles))
                bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), cases[i].cycles, method);
            if (strstr(method, "attempt"))
                bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 0.5, method);
            else
                bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), cases[i].attempts / m, method);
            if (generic) {
                bench_same(bench_value(&b, BOUGH_METRIC_COLLISIONS, 0), 0, method);
                bench_same(bench_value(&b, BOUGH_METRIC_COLLISIONS, 1), cases[i].both_above, method);
                bench_same(bench_value(&b, BOUGH_METRIC_COLLISIONS, 2), cases[i].beside, method);
                bool three = strcmp(cases[i].messages, "3,2\n0,2\n1,2\n") == 0; /* one beside, two above */
                bench_same(bench_value(&b, BOUGH_METRIC_COLLISIONS, 3), three, method);
            }
            bench_close(&b);
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
        snprintf(method, sizeof method, "circuit:mode=cycles,engine=%s", paths[i]);
        bench_open(&b, "fattree:n=4", NULL, message_file("0,3\n0,2\n"), method);
        bench_trial(&b, 1, 0);
        bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), 10 + 9, method);
        bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), 1, method);
        bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS), 1, method);
        bench_close(&b);
        bench_open(&b, "fattree:n=4", NULL, message_file("0,3\n0,2\n"), "circuit:mode=rounds");
        bench_trial(&b, 1, 0);
        bench_same(bench_plain(&b, BOUGH_METRIC_ROUNDS), 2, "rounds");
        bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), 1, "attempts of rounds");
        bench_close(&b);
    }
}

/* With two leaves nobody can be in anybody's way. */
static void two_leaves(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=2", NULL, "uniform", "circuit");
    for (uint64_t k = 0; k < 50; k++) {
        bench_trial(&b, 3, k);
        bench_same(bench_plain(&b, BOUGH_METRIC_ROUNDS), 1, "rounds");
    }
    bench_close(&b);
}

/* Who wins a contested link, and which way a lone message goes up, are fair: 4000 trials, 4 standard
 * deviations. */
static void coins_are_fair(void **state) {
    (void)state;
    bench b;
    uint64_t met = 0;
    bench_open(&b, "fattree:n=8", NULL, message_file("0,4\n2,5\n"), "circuit");
    for (uint64_t k = 0; k < 4000; k++) {
        bench_trial(&b, 11, k);
        met += bench_plain(&b, BOUGH_METRIC_ROUNDS) == 2;
    }
    /* They meet above leaves 4 and 5 when their first choices agree, and nowhere else when not. */
    assert_true(fabs((double)met - 2000) < 4 * sqrt(1000));
    bench_close(&b);
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
        bench_open(&b, want[i].net, NULL, want[i].traffic, want[i].method);
        for (unsigned k = 0; k < want[i].trials; k++) {
            bench_trial(&b, 2024, k);
            bough_stats_add(&stats, bench_plain(&b, want[i].metric));
            bough_stats_add(&other, bench_plain(&b, want[i].other));
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
        bench_close(&b);
    }
}

/* ---- on every network ---- */

static void every_message_arrives_once(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        unsigned cables; /* of an endpoint */
    } world[] = {
        {"fattree:n=32", "free", 1},
        {"fattree:n=32", "first", 1},
        {"fattree:n=32", "least", 1},
        {"fattree:n=32", "dmodk", 1},
        {"fattree:n=32", "hash", 1},
        {"kary:k=3,levels=3", "free", 1},
        {"xgft:down=4x4,up=1x2,links=1x2", "free", 1},
        {"xgft:down=4x4,up=2x2,links=1x1", "free", 2}, /* two injection links */
        {"xgft:down=4x4,up=1x2,links=1x2", "smodk", 1},
        {"clos:radix=8,hosts=32,taper=2", "free", 1},
        {FABRIC, "free", 1},
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
                bench_open(&b, world[w].net, world[w].routing, traffic[t], method);
                for (uint64_t k = 0; k < 3; k++) {
                    bough_batch batch;
                    assert_int_equal(bough_batch_read(b.traffic, bough_key_make(6, k), &batch, NULL),
                                     BOUGH_OK);
                    bench_trial(&b, 6, k);
                    double m = bench_plain(&b, BOUGH_METRIC_MESSAGES), sum = 0, weighted = 0;
                    bench_same(m, (double)batch.count, "messages");
                    assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
                    assert_true(bench_plain(&b, BOUGH_METRIC_ATTEMPTS) >= 1);
                    if (i < 3) {
                        double rounds = bench_plain(&b, BOUGH_METRIC_ROUNDS);
                        for (int64_t r = 1; (double)r <= rounds; r++) {
                            double delivered = bench_value(&b, BOUGH_METRIC_DELIVERED_ROUND, r);
                            assert_true(delivered >=
                                        1); /* of those at the lowest level of any conflict one wins */
                            sum += delivered;
                            weighted += delivered * (double)r;
                        }
                        bench_same(sum, m, method);
                        bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), weighted / m, method);
                        bench_same(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS),
                                   bench_value(&b, BOUGH_METRIC_DELIVERED_ROUND, 1) / m, method);
                        if (t == 3 && i < 2)
                            assert_true(rounds * (double)world[w].cables >=
                                        m); /* held to the end: one a link */
                    } else {
                        assert_true(bench_plain(&b, BOUGH_METRIC_CYCLES) >= 3);
                    }
                    bough_batch_fini(&batch);
                }
                bench_close(&b);
            }
}

/* A trial is a function of (seed, trial): not of the trials that its workspace saw before. */
static void trials_do_not_depend_on_each_other(void **state) {
    (void)state;
    static const char *const mode[] = {"circuit:mode=attempt", "circuit", "circuit:engine=generic",
                                       "circuit:mode=cycles", "circuit:mode=cycles,limit=9"};
    for (size_t i = 0; i < COUNT(mode); i++) {
        bench one, other;
        bool differs = false;
        double before = NAN;
        bench_open(&one, "fattree:n=64", NULL, "uniform", mode[i]);
        for (uint64_t k = 0; k < 20; k++) {
            bench_trial(&one, 8, k);
            bench_open(&other, "fattree:n=64", NULL, "uniform", mode[i]);
            bench_trial(&other, 8, k);
            assert_int_equal(one.rows.count, other.rows.count);
            for (size_t r = 0; r < one.rows.count; r++) {
                assert_int_equal(one.rows.row[r].metric, other.rows.row[r].metric);
                bench_same(one.rows.row[r].value, other.rows.row[r].value, mode[i]);
            }
            double first = bench_plain(&one, BOUGH_METRIC_FIRST_SUCCESS);
            differs |= k && first != before;
            before = first;
            bench_close(&other);
        }
        assert_true(differs); /* nor are they all alike */
        bench_close(&one);
    }
}

static void limits_cut_off(void **state) {
    (void)state;
    static const char *const path[] = {"auto", "generic"};
    for (size_t i = 0; i < COUNT(path); i++) {
        bench b;
        char method[64];
        snprintf(method, sizeof method, "circuit:mode=rounds,limit=4,engine=%s", path[i]);
        bench_open(&b, "fattree:n=16", NULL, "incast", method);
        bench_trial(&b, 1, 0);
        bench_same(bench_plain(&b, BOUGH_METRIC_ROUNDS), 4, "rounds");
        bench_same(bench_plain(&b, BOUGH_METRIC_UNDELIVERED), 11, "undelivered");
        assert_int_equal(b.rows.outcome, BOUGH_RUN_PARTIAL);
        bench_close(&b);
    }
}

/* A node that is endpoint and switch in one decides itself: as many routers as links. */
/* ---- heads that wait ---- */

/* Valiant's paths on a cube, without buffers: some trials end in a deadlock and say so, the others deliver
 * all, and a trial after a deadlock starts afresh. */
static void waiting_heads_may_deadlock(void **state) {
    (void)state;
    bench b, fresh;
    unsigned deadlocks = 0;
    const char *method = "circuit:mode=cycles,blocked=wait";
    bench_open(&b, "cube:n=16", "valiant", "randperm", method);
    for (unsigned k = 0; k < 40; k++) {
        bench_trial(&b, 1, k);
        bench_open(&fresh, "cube:n=16", "valiant", "randperm", method);
        bench_trial(&fresh, 1, k);
        assert_int_equal(b.rows.outcome, fresh.rows.outcome);
        bool dead = b.rows.outcome == BOUGH_RUN_DEADLOCK;
        deadlocks += dead;
        assert_true(dead == !isnan(bench_plain(&b, BOUGH_METRIC_STUCK)));
        assert_true(dead == isnan(bench_plain(&b, BOUGH_METRIC_CYCLES)));
        if (dead)
            assert_true(bench_plain(&b, BOUGH_METRIC_STUCK) >= 2);
        else
            bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), bench_plain(&fresh, BOUGH_METRIC_CYCLES),
                       method);
        bench_close(&fresh);
    }
    assert_in_range(deadlocks, 1, 39);
    bench_close(&b);
}

/* Routes that go up and then down cannot deadlock. */
static void waiting_heads_arrive_on_trees(void **state) {
    (void)state;
    static const char *const net[] = {"fattree:n=32", "xgft:down=4x4x2,up=1x2x4",
                                      "xgft:down=4x4,up=1x2,links=1x2"};
    for (size_t i = 0; i < COUNT(net); i++) {
        bench b;
        bench_open(&b, net[i], NULL, "uniform", "circuit:mode=cycles,blocked=wait");
        for (unsigned k = 0; k < 20; k++) {
            bench_trial(&b, 2, k);
            assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
            bench_same(bench_plain(&b, BOUGH_METRIC_ATTEMPTS), 1, net[i]);
        }
        bench_close(&b);
    }
}

/* ---- an intermediate node ---- */

/* One message on a cube of two nodes: if its intermediate node is source or destination, the path is that of
 * the network, so 3 cycles. On a cube of d dimensions a message alone passes the links to its intermediate
 * node and those from there: as many as the two differ, then those that remain; 3 cycles each. */
static void one_message_by_an_intermediate_node(void **state) {
    (void)state;
    bool longer = false;
    for (unsigned k = 0; k < 40; k++) {
        bench b;
        const char *messages = message_file("0,3\n");
        bench_open(&b, "cube:n=8", "valiant", messages, "circuit:mode=cycles,payload=4");
        bough_key key = bough_key_make(3, k);
        bough_flow flow = {0, 3, 0};
        uint32_t via = (uint32_t)bough_via(b.routing, key, &flow);
        unsigned links = (unsigned)(__builtin_popcount(via) + __builtin_popcount(via ^ 3));
        bench_trial(&b, 3, k);
        bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), 3 * links + 4, "cycles");
        longer |= links > 2;
        bench_close(&b);
    }
    assert_true(longer);
}

/* Refused heads release their links and draw another intermediate node, so all messages arrive. */
static void all_arrive_by_intermediate_nodes(void **state) {
    (void)state;
    static const char *const net[] = {"cube:n=32", "fattree:n=32", "xgft:down=4x4x2,up=1x2x4", "bft:n=16"};
    static const char *const method[] = {"circuit:mode=rounds",
                                         "circuit:mode=rounds,hold=ack",
                                         "circuit:mode=cycles",
                                         "circuit:mode=cycles,retry=round",
                                         "circuit:mode=cycles,retry=backoff",
                                         "circuit:mode=cycles,reply=message"};
    for (size_t i = 0; i < COUNT(net); i++)
        for (size_t j = 0; j < COUNT(method); j++) {
            bench b;
            bench_open(&b, net[i], "valiant", "randperm", method[j]);
            for (unsigned k = 0; k < 10; k++) {
                bench_trial(&b, 4, k);
                assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
                assert_true(bench_plain(&b, BOUGH_METRIC_ATTEMPTS) >= 1);
                assert_true(isnan(bench_plain(&b, BOUGH_METRIC_UNDELIVERED)));
            }
            bench_close(&b);
        }
}

/* Two messages that keep their paths may refuse each other in every round, which the run says. */
static void same_paths_may_block_each_other(void **state) {
    (void)state;
    bench b;
    unsigned locked = 0;
    bench_open(&b, "fattree:n=32", "valiant", "randperm", "circuit:mode=cycles,retry=round,same_path=1");
    for (unsigned k = 0; k < 10; k++) {
        bench_trial(&b, 4, k);
        if (b.rows.outcome == BOUGH_RUN_OK) continue;
        assert_int_equal(b.rows.outcome, BOUGH_RUN_PARTIAL);
        assert_non_null(strstr(b.rows.note, "block each other"));
        assert_true(bench_plain(&b, BOUGH_METRIC_UNDELIVERED) >= 2);
        locked++;
    }
    assert_in_range(locked, 1, 10);
    bench_close(&b);
}

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
            bench_trial(&b, 1, t);
            assert_int_equal(b.rows.outcome, BOUGH_RUN_OK);
            if (i == 0)
                bench_same(bench_plain(&b, BOUGH_METRIC_CYCLES), 3 * __builtin_popcount(t) + 2, "cycles");
            if (i == 1)
                assert_true(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS) <
                            1); /* bit reversal collides on a cube */
            bough_run_free_workspace(b.run, b.workspace);
            bough_run_destroy(b.run);
            bough_traffic_destroy(b.traffic);
            b.workspace = NULL;
            b.run = NULL;
            b.traffic = NULL;
        }
    bench_close(&b);
}

static int remove_file(void **state) {
    (void)state;
    remove(message_path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_source_sends_one_at_a_time),
        cmocka_unit_test(two_leaves),
        cmocka_unit_test(coins_are_fair),
        cmocka_unit_test(reproduces_the_figures),
        cmocka_unit_test(every_message_arrives_once),
        cmocka_unit_test(trials_do_not_depend_on_each_other),
        cmocka_unit_test(limits_cut_off),
        cmocka_unit_test(waiting_heads_may_deadlock),
        cmocka_unit_test(waiting_heads_arrive_on_trees),
        cmocka_unit_test(one_message_by_an_intermediate_node),
        cmocka_unit_test(all_arrive_by_intermediate_nodes),
        cmocka_unit_test(same_paths_may_block_each_other),
        cmocka_unit_test(circuits_on_a_cube),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
