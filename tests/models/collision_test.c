#include "models/collision/collision.h"

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
    run_refused(&point, "collision", BOUGH_UNSUPPORTED, "binary fat-tree of strumpen2005");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
