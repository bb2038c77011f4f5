/* Largest and heaviest matchings: graphs that are done by hand, then random ones against all matchings there
 * are, then large ones whose answer is known. */
#include "loads/worst/bipartite_matching.h"

#include "base/random/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 6 };

/* A small graph, written as a matrix: 0 is no edge. */
typedef struct dense {
    uint32_t lefts, rights;
    double weight[SIDE][SIDE];
} dense;

typedef struct sparse {
    matching_graph g;
    uint64_t start[SIDE + 1];
    uint32_t to[SIDE * SIDE];
    double weight[SIDE * SIDE];
} sparse;

static void make_sparse(const dense *d, sparse *s) {
    uint64_t edges = 0;
    s->start[0] = 0;
    for (uint32_t l = 0; l < d->lefts; l++) {
        for (uint32_t r = 0; r < d->rights; r++) {
            if (!(d->weight[l][r] > 0)) continue;
            s->to[edges] = r;
            s->weight[edges++] = d->weight[l][r];
        }
        s->start[l + 1] = edges;
    }
    s->g = (matching_graph){d->lefts, d->rights, s->start, s->to, s->weight};
}

/* Every left vertex with every right one that is free, or with none. */
static double try_all(const dense *d, uint32_t left, uint32_t taken, bool count) {
    if (left == d->lefts) return 0;
    double best = try_all(d, left + 1, taken, count);
    for (uint32_t r = 0; r < d->rights; r++) {
        if (taken >> r & 1 || !(d->weight[left][r] > 0)) continue;
        double with = (count ? 1 : d->weight[left][r]) + try_all(d, left + 1, taken | 1u << r, count);
        if (with > best) best = with;
    }
    return best;
}

/* Both sides agree, every pair is an edge, and size and weight are those of the pairs. */
static void check_consistent(const dense *d, const matching *m, bool weights) {
    uint32_t size = 0;
    double weight = 0;
    for (uint32_t l = 0; l < d->lefts; l++) {
        if (m->left[l] == MATCHING_NONE) continue;
        assert_true(m->left[l] < d->rights);
        assert_int_equal(m->right[m->left[l]], l);
        assert_true(d->weight[l][m->left[l]] > 0);
        weight += d->weight[l][m->left[l]];
        size++;
    }
    for (uint32_t r = 0; r < d->rights; r++)
        if (m->right[r] != MATCHING_NONE) assert_int_equal(m->left[m->right[r]], r);
    assert_int_equal(m->size, size);
    if (weights && fabs(m->weight - weight) > 1e-12) fail_msg("%g is not %g", m->weight, weight);
}

static void check_both(const dense *d, matching *m) {
    sparse s;
    bough_error error;
    make_sparse(d, &s);
    assert_int_equal(matching_largest(&s.g, m, &error), BOUGH_OK);
    check_consistent(d, m, false);
    assert_int_equal(m->size, (int)try_all(d, 0, 0, true));
    assert_int_equal(matching_heaviest(&s.g, m, &error), BOUGH_OK);
    check_consistent(d, m, true);
    double want = try_all(d, 0, 0, false);
    if (fabs(m->weight - want) > 1e-12 * (1 + want)) fail_msg("weight %.17g, not %.17g", m->weight, want);
}

/* ---- by hand ---- */

static void empty_graphs(void **state) {
    (void)state;
    static const dense graph[] = {{0, 0, {{0}}}, {3, 0, {{0}}}, {0, 3, {{0}}}, {4, 5, {{0}}}};
    matching m = {0};
    for (size_t i = 0; i < 4; i++) {
        check_both(&graph[i], &m);
        assert_int_equal(m.size, 0);
    }
    matching_fini(&m);
}

static void greed_is_not_enough(void **state) {
    (void)state;
    /* first come, first served takes right 0 for left 0 and leaves left 1 alone */
    static const dense most = {2, 2, {{1, 1}, {1, 0}}};
    /* the heaviest edge is in no heaviest matching; and a larger matching can be lighter */
    static const dense heavy = {2, 2, {{10, 9}, {9, 0}}};
    static const dense lone = {2, 2, {{1, 10}, {0, 1}}};
    matching m = {0};
    check_both(&most, &m);
    assert_int_equal(m.size, 2);
    check_both(&heavy, &m);
    assert_true(m.weight == 18 && m.left[0] == 1 && m.left[1] == 0);
    check_both(&lone, &m);
    assert_true(m.weight == 10 && m.size == 1);
    matching_fini(&m);
}

/* ---- against all matchings ---- */

static void draw(bough_stream *random, unsigned kind, dense *d) {
    *d = (dense){.lefts = 1 + (uint32_t)bough_stream_below(random, SIDE),
                 .rights = 1 + (uint32_t)bough_stream_below(random, SIDE)};
    uint64_t density = 1 + bough_stream_below(random, 8);
    for (uint32_t l = 0; l < d->lefts; l++)
        for (uint32_t r = 0; r < d->rights; r++) {
            if (bough_stream_below(random, 8) >= density) continue;
            /* all alike, few values, thirds and sevenths that rounding moves, any */
            d->weight[l][r] = kind == 0   ? 1
                              : kind == 1 ? (double)(1 + bough_stream_below(random, 3))
                              : kind == 2 ? (double)(1 + bough_stream_below(random, 9)) / (l % 2 ? 3 : 7)
                                          : 0.001 + bough_unit(bough_stream_next(random));
        }
}

static void random_graphs(void **state) {
    (void)state;
    bough_stream random = bough_stream_make(bough_key_make(3, 0), BOUGH_DRAW_TEST, 0, 0);
    matching m = {0};
    dense d;
    for (unsigned i = 0; i < 12000; i++) {
        draw(&random, i % 4, &d);
        check_both(&d, &m);
    }
    matching_fini(&m);
}

/* ---- large ones ---- */

/* Left l knows right l, which it gets first, and l + 1; the last one knows only right 0. So everybody must
 * move on by one: a path through all vertices. */
static void a_long_path(void **state) {
    (void)state;
    enum { N = 20000 };
    uint64_t *start = calloc(N + 1, sizeof *start);
    uint32_t *to = calloc(2 * N, sizeof *to);
    double *weight = calloc(2 * N, sizeof *weight);
    matching m = {0};
    bough_error error;
    uint64_t edges = 0;
    for (uint32_t l = 0; l < N; l++) {
        to[edges] = l + 1 < N ? l : 0;
        weight[edges++] = 1;
        if (l + 1 < N) to[edges] = l + 1, weight[edges++] = 1;
        start[l + 1] = edges;
    }
    matching_graph g = {N, N, start, to, weight};
    assert_int_equal(matching_largest(&g, &m, &error), BOUGH_OK);
    assert_int_equal(m.size, N);
    assert_int_equal(matching_heaviest(&g, &m, &error), BOUGH_OK);
    assert_true(m.weight == N);
    matching_fini(&m);
    free(start);
    free(to);
    free(weight);
}

/* With weights that are all 1 the heaviest matching is a largest one. */
static void unit_weights_agree(void **state) {
    (void)state;
    enum { N = 120, TRIALS = 60 };
    bough_stream random = bough_stream_make(bough_key_make(4, 0), BOUGH_DRAW_TEST, 0, 0);
    uint64_t start[N + 1] = {0};
    uint32_t *to = calloc(N * N, sizeof *to);
    double *weight = calloc(N * N, sizeof *weight);
    matching most = {0}, heavy = {0};
    bough_error error;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        uint64_t edges = 0, one_in = 1 + bough_stream_below(&random, N);
        for (uint32_t l = 0; l < N; l++) {
            for (uint32_t r = 0; r < N; r++)
                if (bough_stream_below(&random, one_in) == 0) to[edges] = r, weight[edges++] = 1;
            start[l + 1] = edges;
        }
        matching_graph g = {N, N, start, to, weight};
        assert_int_equal(matching_largest(&g, &most, &error), BOUGH_OK);
        assert_int_equal(matching_heaviest(&g, &heavy, &error), BOUGH_OK);
        assert_int_equal(most.size, heavy.size);
    }
    matching_fini(&most);
    matching_fini(&heavy);
    free(to);
    free(weight);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_graphs),       cmocka_unit_test(greed_is_not_enough),
        cmocka_unit_test(random_graphs),      cmocka_unit_test(a_long_path),
        cmocka_unit_test(unit_weights_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
