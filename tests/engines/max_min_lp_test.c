/* Max-min fairness is the lexicographically largest sorted vector of rates that links can carry. Here it is
 * found as such, by linear programs: the least rate is made as large as can be; who cannot have more,
 * whatever the others do, is fixed; and so on with the rest. It knows nothing of bottlenecks and filling. */
#include "support/max_min_flows.h"

#include "base/random/random.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LINKS = 8, FLOWS = 10 };

typedef struct problem {
    int links, flows;
    int crosses[LINKS][FLOWS]; /* how often, or with which weight */
    double capacity[LINKS];
    double fixed[FLOWS]; /* the rate of a flow that is fixed; below 0: it is not */
} problem;

/* The largest value of one variable: of t (flow < 0), which no open flow is below, or of a flow's rate when
 * open flows have at least t. Columns: rates, then t; rows: links, then rate - t >= 0. */
static double largest(const problem *p, int flow, double t) {
    glp_prob *lp = glp_create_prob();
    int at[FLOWS + 2];
    double factor[FLOWS + 2];
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, p->flows + 1);
    glp_add_rows(lp, p->links + p->flows);
    for (int f = 0; f < p->flows; f++) {
        if (p->fixed[f] >= 0)
            glp_set_col_bnds(lp, f + 1, GLP_FX, p->fixed[f], p->fixed[f]);
        else
            glp_set_col_bnds(lp, f + 1, GLP_LO, 0, 0);
        int row = p->links + f + 1, length = p->fixed[f] >= 0 ? 0 : 2;
        at[1] = f + 1, factor[1] = 1;
        at[2] = p->flows + 1, factor[2] = -1;
        glp_set_mat_row(lp, row, length, at, factor);
        glp_set_row_bnds(lp, row, GLP_LO, 0, 0);
    }
    if (flow < 0)
        glp_set_col_bnds(lp, p->flows + 1, GLP_LO, 0, 0);
    else
        glp_set_col_bnds(lp, p->flows + 1, GLP_FX, t, t);
    for (int l = 0; l < p->links; l++) {
        int length = 0;
        for (int f = 0; f < p->flows; f++)
            if (p->crosses[l][f]) at[++length] = f + 1, factor[length] = p->crosses[l][f];
        glp_set_mat_row(lp, l + 1, length, at, factor);
        glp_set_row_bnds(lp, l + 1, GLP_UP, 0, p->capacity[l]);
    }
    glp_set_obj_coef(lp, flow < 0 ? p->flows + 1 : flow + 1, 1);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(lp, &how), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    double value = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    return value;
}

static void solve(problem *p) {
    int open = p->flows;
    for (int f = 0; f < p->flows; f++) p->fixed[f] = -1;
    while (open) {
        double t = largest(p, -1, 0), less = t * (1 - 1e-9); /* a hair below, so that it surely can be had */
        bool stuck[FLOWS] = {false};
        for (int f = 0; f < p->flows; f++)
            stuck[f] = p->fixed[f] < 0 && largest(p, f, less) <= t * (1 + 1e-6);
        int before = open;
        for (int f = 0; f < p->flows; f++)
            if (stuck[f]) p->fixed[f] = t, open--;
        assert_true(open < before);
    }
}

static void test_lexicographic_maximum(void **state) {
    (void)state;
    bough_stream draw = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    glp_term_out(GLP_OFF);
    for (int round = 0; round < 200; round++) {
        problem p = {.links = 1 + (int)bough_stream_below(&draw, LINKS),
                     .flows = 1 + (int)bough_stream_below(&draw, FLOWS)};
        max_min f;
        bough_error error;
        assert_int_equal(max_min_init(&f, (uint64_t)p.links, round % 2, &error), BOUGH_OK);
        assert_int_equal(max_min_reserve(&f, FLOWS, FLOWS * 4, &error), BOUGH_OK);
        for (int l = 0; l < p.links; l++) {
            uint64_t capacity = UINT64_C(1000000) * (1 + bough_stream_below(&draw, 20));
            p.capacity[l] = (double)capacity;
            f.link[l].capacity = (int64_t)capacity;
        }
        for (int i = 0; i < p.flows; i++) {
            uint32_t path[4], weight[4], hops = 1 + (uint32_t)bough_stream_below(&draw, 4);
            for (uint32_t h = 0; h < hops; h++) {
                path[h] = (uint32_t)bough_stream_below(&draw, (uint64_t)p.links);
                weight[h] = round % 2 ? 1 + (uint32_t)bough_stream_below(&draw, 9) : 1;
                p.crosses[path[h]][i] += (int)weight[h];
            }
            max_min_enter_parts(&f, (uint32_t)i, path, weight, hops);
            if (i % 3 == 2) max_min_solve(&f); /* some of them come later */
        }
        max_min_solve(&f);
        solve(&p);
        for (int i = 0; i < p.flows; i++)
            if (fabs((double)f.flow[i].rate / p.fixed[i] - 1) > 1e-4)
                fail_msg("round %d, flow %d: %g, by linear programs %g", round, i, (double)f.flow[i].rate,
                         p.fixed[i]);
        max_min_fini(&f);
    }
    glp_free_env();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lexicographic_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
