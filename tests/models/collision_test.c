#include "models/collision/collision.h"

#include "support/engine_pairs.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static bough_rows answers(unsigned lg_n, const char *method) {
    char spec[40];
    snprintf(spec, sizeof spec, "fattree:n=2^%u", lg_n);
    bough_point point = point_make(spec, NULL, NULL);
    bough_run *run = run_make(&point, method);
    bough_rows rows = run_once(run, 0);
    bough_run_destroy(run);
    point_free(&point);
    return rows;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("kary:k=4,levels=2", NULL, NULL);
    run_refused(&point, "collision:matrix=1", BOUGH_UNSUPPORTED, "binary fat-tree of strumpen2005");
    run_refused(&point, "collision:engine=enumerate", BOUGH_UNSUPPORTED, "needs a routing");
    run_refused(&point, "collision:pairs=traffic", BOUGH_UNSUPPORTED, "needs traffic");
    run_refused(&point, "collision:pairs=both", BOUGH_INVALID, "uniform");
    point_free(&point);
    point = point_make("bft:n=64", "free", NULL);
    run_refused(&point, "collision", BOUGH_TOO_LARGE, "bft:n=64 has 8e+06 pairs of messages to enumerate");
    point_free(&point);
    point = point_make("fattree:n=8", "valiant", "poisson:load=0.1");
    run_refused(&point, "collision:engine=enumerate", BOUGH_UNSUPPORTED, "via an intermediate node");
    run_refused(&point, "collision:pairs=traffic", BOUGH_UNSUPPORTED, "needs a batch of messages");
    point_free(&point);
    point = point_make("fattree:n=8", "random", "transpose");
    run_refused(&point, "collision:engine=enumerate", BOUGH_UNSUPPORTED,
                "random selects links by another rule");
    run_refused(&point, "collision:pairs=traffic,matrix=1", BOUGH_UNSUPPORTED, "closed form");
    point_free(&point);
    point = point_make("fattree:n=8", NULL, NULL);
    run_refused(&point, "collision:matrix=2", BOUGH_INVALID, "not 0 or 1");
    run_refused(&point, "colision", BOUGH_INVALID, "did you mean 'collision'");
    point_free(&point);
}

static void lemma_1_gives_the_fractions_of_the_paper(void **state) {
    (void)state;
    static const struct {
        unsigned lg_n;
        double numerator, denominator;
    } cases[] = {{1, 0, 1}, {2, 2, 9}, {3, 54, 343}, {4, 38, 375}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_rows rows = answers(cases[i].lg_n, "collision");
        assert_near(row_value(&rows, BOUGH_METRIC_PR_C2_NUMERATOR, NONE), cases[i].numerator, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_PR_C2_DENOMINATOR, NONE), cases[i].denominator, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_PR_C2, NONE), cases[i].numerator / cases[i].denominator,
                    1e-16);
        bough_rows_fini(&rows);
    }
}

/* ---- by enumeration, from the meaning of the labels alone (strumpen2005) ---- */

enum { COINS = 3, UNIT = 1 << 2 * COINS }; /* up to n = 16 a message makes at most three choices */

static unsigned apex(unsigned s, unsigned t) {
    return 31 - (unsigned)__builtin_clz(s ^ t);
}

/* Going up from s, choice l stands at bit l of p; a router that both pass tosses one coin for the two. */
static unsigned choices(unsigned coins, unsigned levels) {
    return coins & ((1u << levels) - 1);
}

static bool collide(unsigned s1, unsigned t1, unsigned p1, unsigned s2, unsigned t2, unsigned p2) {
    unsigned a1 = apex(s1, t1), a2 = apex(s2, t2), top = a1 < a2 ? a1 : a2;
    p1 = choices(p1, a1);
    p2 = choices(p2, a2);
    for (unsigned l = 0; l <= top; l++)
        if (t1 >> l == t2 >> l && choices(p1 ^ p2, l) == 0) return true;
    return false;
}

/* Of all UNIT outcomes of six fair coins: how many let the two messages collide. */
static unsigned collisions_of(unsigned s1, unsigned t1, unsigned s2, unsigned t2) {
    unsigned count = 0, a1 = apex(s1, t1), a2 = apex(s2, t2);
    for (unsigned coins = 0; coins < UNIT; coins++) {
        unsigned p1 = coins % (1 << COINS), p2 = coins >> COINS;
        for (unsigned l = 0; l < a1 && l < a2; l++) /* both still going up at level l, in one router */
            if (s1 >> (l + 1) == s2 >> (l + 1) && choices(p1 ^ p2, l) == 0)
                p2 = (p2 & ~(1u << l)) | (~p1 & 1u << l);
        count += collide(s1, t1, p1, s2, t2, p2);
    }
    return count;
}

static void lemma_1_and_eq_2_are_what_enumeration_counts(void **state) {
    (void)state;
    for (unsigned h = 1; h <= 4; h++) {
        unsigned n = 1u << h;
        uint64_t total = 0, by_class[4][4][4] = {{{0}}};
        for (unsigned s2 = 1; s2 < n; s2++)
            for (unsigned t1 = 1; t1 < n; t1++)
                for (unsigned t2 = 0; t2 < n; t2++) {
                    if (t2 == s2) continue;
                    unsigned hits = collisions_of(0, t1, s2, t2);
                    total += hits;
                    by_class[apex(0, s2)][apex(0, t1)][apex(s2, t2)] += hits;
                }
        collision_int numerator, denominator;
        assert_true(collision_fraction(h, &numerator, &denominator));
        uint64_t all = (uint64_t)(n - 1) * (n - 1) * (n - 1) * UNIT;
        assert_true(total * denominator == numerator * all);
        bough_rows rows = answers(h, "collision:matrix=1");
        for (unsigned k = 0; k < h; k++)
            for (unsigned i = 0; i < h; i++)
                for (unsigned j = 0; j < h; j++) {
                    double members = (double)(UINT64_C(1) << (k + i + j)),
                           counted = (double)by_class[k][i][j];
                    assert_near(row_value(&rows, BOUGH_METRIC_PR_KIJ, (k * h + i) * h + j),
                                counted / UNIT / members, 0);
                }
        bough_rows_fini(&rows);
    }
}

/* Eq. 1: the weighted sum of the matrix, exact in doubles, is the whole number over (n-1)^3. */
static void eq_1_sums_the_matrix_to_lemma_1(void **state) {
    (void)state;
    for (unsigned h = 1; h <= 10; h++) {
        bough_rows rows = answers(h, "collision:matrix=1");
        double sum = 0, others = ldexp(1, (int)h) - 1;
        size_t entries = 0;
        for (size_t r = 0; r < rows.count; r++) {
            if (rows.row[r].metric != BOUGH_METRIC_PR_KIJ) continue;
            unsigned index = (unsigned)rows.row[r].index, k = index / h / h, i = index / h % h, j = index % h;
            assert_int_equal(index, entries);
            sum += ldexp(rows.row[r].value, (int)(k + i + j));
            entries++;
        }
        assert_int_equal(entries, h * h * h);
        assert_near(sum / (others * others * others), row_value(&rows, BOUGH_METRIC_PR_C2, NONE), 1e-16);
        bough_rows_fini(&rows);
    }
}

static collision_int gcd(collision_int a, collision_int b) {
    return b ? gcd(b, a % b) : a;
}

static void fractions_are_in_lowest_terms_and_agree_with_the_double(void **state) {
    (void)state;
    collision_int numerator, denominator;
    for (unsigned h = 1; h <= 41; h++) {
        assert_true(collision_fraction(h, &numerator, &denominator));
        assert_true(gcd(numerator, denominator) == 1);
        double value = (double)((long double)numerator / (long double)denominator);
        assert_near(collision_probability(h), value, 4e-16 * value);
    }
    assert_false(collision_fraction(42, &numerator, &denominator));
}

/* A term beyond 2^53 is no row: rounded it would be another fraction. */
static void only_exact_terms_are_given(void **state) {
    (void)state;
    for (unsigned h = 1; h <= 30; h++) {
        collision_int numerator, denominator;
        assert_true(collision_fraction(h, &numerator, &denominator));
        bough_rows rows = answers(h, "collision");
        bool given = row_given(&rows, BOUGH_METRIC_PR_C2_NUMERATOR, NONE);
        assert_int_equal(given, denominator <= (collision_int)1 << 53);
        assert_int_equal(given, row_given(&rows, BOUGH_METRIC_PR_C2_DENOMINATOR, NONE));
        if (given)
            assert_true((collision_int)row_value(&rows, BOUGH_METRIC_PR_C2_DENOMINATOR, NONE) == denominator);
        bough_rows_fini(&rows);
    }
}

static void the_bounds_hold_except_the_lower_one_at_two(void **state) {
    (void)state;
    for (unsigned h = 1; h <= 46; h++) {
        bough_rows rows = answers(h, "collision");
        double pr = row_value(&rows, BOUGH_METRIC_PR_C2, NONE),
               lower = row_value(&rows, BOUGH_METRIC_PR_C2_LOWER, NONE);
        assert_near(lower, h / ldexp(3, (int)h), 1e-17);
        assert_near(row_value(&rows, BOUGH_METRIC_PR_C2_UPPER, NONE), h / ldexp(2, (int)h), 1e-17);
        assert_true(pr <= row_value(&rows, BOUGH_METRIC_PR_C2_UPPER, NONE));
        assert_int_equal(pr >= lower, h != 1);
        bough_rows_fini(&rows);
    }
}

static void one_trial_says_all_whatever_the_traffic(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=16", NULL, "uniform");
    bough_run *run = run_make(&point, "collision:matrix=1");
    assert_true(bough_run_exact(run));
    assert_string_equal(run->spec, "collision:matrix=1");
    bough_rows a = run_once(run, 0), b = run_once(run, 1);
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) assert_true(a.row[i].value == b.row[i].value);
    bough_rows_fini(&a);
    bough_rows_fini(&b);
    bough_run_destroy(run);
    point_free(&point);
}

/* ---- any network ---- */

static double pr_c2(const char *network, const char *routing, const char *traffic, const char *method) {
    bough_point point = point_make(network, routing, traffic);
    bough_rows rows = rows_of(&point, method);
    double p = row_value(&rows, BOUGH_METRIC_PR_C2, NONE);
    bough_rows_fini(&rows);
    point_free(&point);
    return p;
}

/* One switch and three hosts: the sources differ, so only equal destinations collide. From s1, s2 = 0, 1: t1
 * in {1, 2}, t2 in {0, 2}; 1 of 4 has t1 = t2. Two switches of two hosts and one cable between them: s1, s2
 * = 0, 1: both cross with probability 4/9 and collide on the cable up; one crosses: never; none: never.
 * s1, s2 = 0, 2: both cross (4/9): no; message 1 goes to 1 (1/3): collides with t2 = 1 (1/3); message 2 to 3
 * the same. So 1/3 4/9 + 2/3 2/9. With two cables, the first case collides if t1 = t2 (1/2 4/9), since the
 * messages take different ones on both ways. */
static void small_trees_by_hand(void **state) {
    (void)state;
    assert_near(pr_c2("xgft:down=3,up=1", NULL, NULL, "collision"), 0.25, 1e-15);
    assert_near(pr_c2("xgft:down=3,up=1", "free", NULL, "collision:engine=enumerate"), 0.25, 1e-15);
    static const char *const method[] = {"collision", "collision:engine=enumerate"};
    for (int i = 0; i < 2; i++) {
        assert_near(pr_c2("xgft:down=2x2,up=1x1", "free", NULL, method[i]), 4.0 / 27 + 4.0 / 27, 1e-15);
        assert_near(pr_c2("xgft:down=2x2,up=1x1,links=1x2", "free", NULL, method[i]), 2.0 / 27 + 4.0 / 27,
                    1e-15);
        assert_near(pr_c2("kary:k=2,levels=2", "free", NULL, method[i]), 2.0 / 9, 1e-15);
    }
}

/* Two messages that always cross: 0 to 2 and 1 to 3 on two switches with one cable; all others do not meet. A
 * shift by 2 of 4 has 6 pairs: {0,1} and {2,3} share a cable. Under hash and dmodk two cables are one or two
 * for them. */
static void two_messages_of_a_batch_by_hand(void **state) {
    (void)state;
    assert_near(pr_c2("xgft:down=2x2,up=1x1", "free", "shift:k=2", "collision:pairs=traffic"), 1.0 / 3,
                1e-15);
    assert_near(pr_c2("xgft:down=2x2,up=1x2", "free", "shift:k=2", "collision:pairs=traffic"), 0, 0);
    assert_near(pr_c2("xgft:down=2x2,up=1x2", "first", "shift:k=2", "collision:pairs=traffic"), 0, 0);
    assert_near(pr_c2("xgft:down=2x2,up=1x2", "dmodk", "shift:k=2", "collision:pairs=traffic"), 0, 0);
    /* all to endpoint 0: every pair collides */
    assert_near(pr_c2("fattree:n=8", "free", "incast", "collision:pairs=traffic"), 1, 1e-15);
    assert_near(pr_c2("fattree:n=8", "free", "uniform:m=3", "collision:pairs=traffic"), 54.0 / 343, 1e-15);
}

static void compare_levels(const bough_rows *a, const bough_rows *b, const char *network);

/* Pairs of a batch: the class of every pair against its enumeration; hrelation: sources send twice. */
static void batches_in_trees_are_what_enumeration_counts(void **state) {
    (void)state;
    static const char *const point[][2] = {{"fattree:n=8", "randperm"},
                                           {"fattree:n=16", "bitrev"},
                                           {"kary:k=4,levels=2", "transpose"},
                                           {"xgft:down=4x3,up=1x1", "shift:k=5"},
                                           {"fattree:n=8", "hrelation:h=2"},
                                           {"xgft:down=2x2x2,up=2x1x2,links=2x1x1", "hrelation:h=2"},
                                           {"xgft:down=3x2x2,up=1x2x1,links=1x2x1", "alltoall"}};
    for (size_t i = 0; i < sizeof point / sizeof *point; i++) {
        bough_point p = point_make(point[i][0], "free", point[i][1]);
        bough_rows closed = rows_of(&p, "collision:pairs=traffic,levels=1");
        bough_rows all = rows_of(&p, "collision:pairs=traffic,levels=1,engine=enumerate");
        compare_levels(&closed, &all, point[i][0]);
        bough_rows_fini(&closed);
        bough_rows_fini(&all);
        point_free(&p);
    }
}

static void compare_levels(const bough_rows *a, const bough_rows *b, const char *network) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->row[i].metric, b->row[i].metric);
        assert_int_equal(a->row[i].index, b->row[i].index);
        if (fabs(a->row[i].value - b->row[i].value) > 1e-12)
            fail_msg("%s, %s[%d]: %.15g and %.15g", network, bough_metrics[a->row[i].metric].name,
                     (int)a->row[i].index, a->row[i].value, b->row[i].value);
    }
}

static void the_closed_form_is_what_enumeration_counts(void **state) {
    (void)state;
    static const char *const networks[] = {"kary:k=2,levels=3",
                                           "kary:k=3,levels=2",
                                           "xgft:down=1x4,up=1x2",
                                           "kary:k=4,levels=2",
                                           "xgft:down=4x2,up=1x2",
                                           "xgft:down=4x3,up=1x1",
                                           "xgft:down=2x3x2,up=1x1x3",
                                           "xgft:down=2x2x3,up=1x3x1,links=1x1x2",
                                           "xgft:down=3x2x2,up=1x2x1,links=1x2x1",
                                           "xgft:down=2x2x2x1,up=1x2x2x2",
                                           "xgft:down=2x3,up=2x2",
                                           "xgft:down=2x2x2,up=2x1x2,links=2x1x1",
                                           "clos:radix=8,hosts=16,taper=2"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        bough_point point = point_make(networks[i], "free", NULL);
        bough_rows closed = rows_of(&point, "collision:levels=1"), all;
        all = rows_of(&point, "collision:engine=enumerate,levels=1");
        if (strncmp(networks[i], "kary:k=2", 8) == 0) { /* with the bounds and the fraction of Lemma 1 */
            memmove(closed.row + 1, closed.row + 5, (closed.count - 5) * sizeof *closed.row);
            closed.count -= 4;
        }
        compare_levels(&closed, &all, networks[i]);
        bough_rows_fini(&closed);
        bough_rows_fini(&all);
        point_free(&point);
    }
}

/* Levels of fattree by both ways, and their sum: every meeting down is a collision. */
static void levels_of_the_binary_tree_add_up(void **state) {
    (void)state;
    for (unsigned h = 2; h <= 20; h++) {
        bough_rows rows = answers(h, "collision:levels=1");
        double sum = 0;
        for (unsigned l = 0; l < h; l++) sum += row_value(&rows, BOUGH_METRIC_MEET_DOWN, l);
        assert_close(sum, collision_probability(h), 1e-12);
        bough_rows_fini(&rows);
    }
}

/* Networks of other kinds: the engine itself, with its choices enumerated. */
static void enumeration_is_what_the_engine_does(void **state) {
    (void)state;
    static const char *const networks[] = {"fattree:n=8",
                                           "bft:n=4",
                                           "pruned:n=16",
                                           "xgft:down=4x2,up=1x2",
                                           "kary:k=2,levels=3,hosts=6",
                                           "xgft:down=2x2x2,up=2x1x2,links=2x1x1"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        bough_net *net;
        assert_int_equal(bough_net_create(networks[i], &net, NULL), BOUGH_OK);
        double engine = engine_pairs_uniform(net, "circuit:mode=attempt,engine=generic");
        assert_near(pr_c2(networks[i], "free", NULL, "collision:engine=enumerate"), engine, 1e-12);
        bough_net_destroy(net);
    }
    bough_net *cube; /* heads in step */
    assert_int_equal(bough_net_create("cube:n=8", &cube, NULL), BOUGH_OK);
    assert_near(pr_c2("cube:n=8", "free", NULL, "collision"),
                engine_pairs_uniform(cube, "circuit:mode=rounds,limit=1,engine=generic"), 1e-12);
    bough_net_destroy(cube);
}

/* Fixed paths collide if they share a link. minhop has no order of groups on the tree, so heads go in step.
 */
static void fixed_paths_collide_where_they_share_a_link(void **state) {
    (void)state;
    static const char *const routings[] = {"dmodk", "smodk", "minhop", "updn"};
    enum { N = 8, HOPS = 16 };
    for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
        bough_point point = point_make("kary:k=2,levels=3", routings[r], NULL);
        uint64_t path[N][N][HOPS], shared = 0, pairs = 0;
        int length[N][N];
        for (unsigned s = 0; s < N; s++)
            for (unsigned t = 0; t < N; t++) {
                const bough_flow flow = {s, bough_endpoint_address(point.net, t), 0};
                length[s][t] = s == t ? 0 : bough_path(point.routing, &flow, path[s][t], HOPS);
            }
        for (unsigned all = 0; all < N * N * N * N; all++) {
            unsigned s1 = all % N, t1 = all / N % N, s2 = all / N / N % N, t2 = all / N / N / N;
            if (s1 == s2 || s1 == t1 || s2 == t2) continue;
            bool share = false;
            for (int i = 0; i < length[s1][t1]; i++)
                for (int j = 0; j < length[s2][t2]; j++) share |= path[s1][t1][i] == path[s2][t2][j];
            shared += share;
            pairs++;
        }
        bough_rows rows = rows_of(&point, "collision:engine=enumerate");
        assert_near(row_value(&rows, BOUGH_METRIC_PR_C2, NONE), (double)shared / (double)pairs, 1e-12);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* A ring of four switches with a host each: two ways to the opposite switch, and no order of groups. */
static void heads_go_in_step_without_an_order(void **state) {
    (void)state;
    FILE *f = fopen("collision_ring.csv", "w");
    assert_non_null(f);
    fputs("node,port,node,port,rate\n", f);
    for (int i = 0; i < 4; i++)
        fprintf(f, "h%d,1,s%d,1,100Gb/s\ns%d,2,s%d,3,100Gb/s\n", i, i, i, (i + 1) % 4);
    fclose(f);
    bough_point point = point_make("ibnet:collision_ring.csv", "free", NULL);
    assert_false(bough_routing_ordered(point.routing));
    bough_rows rows = rows_of(&point, "collision");
    double engine =
        engine_pairs_uniform((bough_net *)point.net, "circuit:mode=rounds,limit=1,engine=generic");
    assert_near(row_value(&rows, BOUGH_METRIC_PR_C2, NONE), engine, 1e-12);
    assert_true(engine > 0.25); /* beyond equal destinations */
    bough_rows_fini(&rows);
    point_free(&point);
    remove("collision_ring.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(lemma_1_gives_the_fractions_of_the_paper),
        cmocka_unit_test(lemma_1_and_eq_2_are_what_enumeration_counts),
        cmocka_unit_test(eq_1_sums_the_matrix_to_lemma_1),
        cmocka_unit_test(fractions_are_in_lowest_terms_and_agree_with_the_double),
        cmocka_unit_test(only_exact_terms_are_given),
        cmocka_unit_test(the_bounds_hold_except_the_lower_one_at_two),
        cmocka_unit_test(one_trial_says_all_whatever_the_traffic),
        cmocka_unit_test(small_trees_by_hand),
        cmocka_unit_test(two_messages_of_a_batch_by_hand),
        cmocka_unit_test(batches_in_trees_are_what_enumeration_counts),
        cmocka_unit_test(the_closed_form_is_what_enumeration_counts),
        cmocka_unit_test(levels_of_the_binary_tree_add_up),
        cmocka_unit_test(enumeration_is_what_the_engine_does),
        cmocka_unit_test(fixed_paths_collide_where_they_share_a_link),
        cmocka_unit_test(heads_go_in_step_without_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
