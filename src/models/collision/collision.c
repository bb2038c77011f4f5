/* The collision model of strumpen2005, section 4. */
#include "models/collision/collision.h"

#include "method/premises.h"
#include "method/rows.h"
#include "models/model_list.h"

#include <math.h>

enum { P_MATRIX };

/* With the common denominator 6 (n-1)^3, Lemma 1's numerator n^2 (lg n / 2 - 2/3) + 2/3 is an integer. */
static collision_int whole_numerator(unsigned lg_n) {
    collision_int square = (collision_int)1 << 2 * lg_n;
    return lg_n == 1 ? 0 : square * (3 * lg_n - 4) + 4; /* n = 2: 4 (3 - 4) + 4 */
}

double collision_probability(unsigned lg_n) {
    double others = ldexp(1, (int)lg_n) - 1;
    return (double)whole_numerator(lg_n) / (6 * others * others * others);
}

bool collision_fraction(unsigned lg_n, collision_int *numerator, collision_int *denominator) {
    if (lg_n > 41) return false;
    collision_int others = ((collision_int)1 << lg_n) - 1;
    collision_int top = whole_numerator(lg_n), bottom = 6 * others * others * others, a = bottom, b = top;
    while (b) { /* Euclid */
        collision_int rest = a % b;
        a = b;
        b = rest;
    }
    *numerator = top / a;
    *denominator = bottom / a;
    return true;
}

/* Pr[k,i,j] of Eq. 2: message 1 goes from endpoint 0 into the i-subtree, message 2 from the k-subtree into
 * the j-subtree of its own source (a v-subtree: the 2^v endpoints whose nearest common ancestor has level
 * v). The paper labels all entries of the matrix after its diagonal. The proof and Eq. 1 require: row i = k
 * (left of the diagonal), column j = k (above it), and the diagonal below them. */
static double of_subtrees(unsigned k, unsigned i, unsigned j) {
    if (i == k && j < k) return ldexp(j + 2, -(int)(i + 1));
    if (j == k && i < k) return ldexp(i + 2, -(int)(k + 1));
    if (i == j && i > k) return ldexp(k + 2, -(int)(i + 1));
    return 0;
}

static const bough_param params[] = {
    [P_MATRIX] = {"matrix", "1: also report every Pr[k,i,j] of Eq. 2, index (k lg n + i) lg n + j",
                  BOUGH_FLAG, "0"},
    BOUGH_PARAMS_END,
};

static unsigned lg_endpoints(const bough_run *run) {
    /* a power of two, as the capability LABELS implies */
    return (unsigned)__builtin_ctzll(run->point.net->endpoints);
}

static bough_status open_collision(bough_run *run, bough_error *error) {
    (void)error;
    uint64_t h = lg_endpoints(run), rows = 5 + (run->args.value[P_MATRIX].integer ? h * h * h : 0);
    run->bytes = rows * sizeof(bough_row);
    return BOUGH_OK;
}

static bough_status add_matrix(unsigned h, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    int64_t index = 0;
    for (unsigned k = 0; k < h; k++)
        for (unsigned i = 0; i < h; i++)
            for (unsigned j = 0; j < h && !status; j++, index++)
                status = bough_rows_add(rows, BOUGH_METRIC_PR_KIJ, index, of_subtrees(k, i, j), error);
    return status;
}

static bough_status trial_collision(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                    bough_error *error) {
    (void)key;
    (void)workspace;
    unsigned h = lg_endpoints(run);
    double n = (double)run->point.net->endpoints;
    collision_int numerator = 0, denominator = 0, most = (collision_int)1 << 53;
    /* A row holds a double: terms that it would round are omitted. */
    bool exact = collision_fraction(h, &numerator, &denominator) && numerator <= most && denominator <= most;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_PR_C2, collision_probability(h)},
        /* The paper's bounds as printed. It states the lower one for n > 0, but at n = 2 Pr[C2] = 0 is below
         * lg n / 3n = 1/6; it holds from n = 4 on. */
        {true, BOUGH_METRIC_PR_C2_LOWER, h / (3 * n)},
        {true, BOUGH_METRIC_PR_C2_UPPER, h / (2 * n)},
        {exact, BOUGH_METRIC_PR_C2_NUMERATOR, (double)numerator},
        {exact, BOUGH_METRIC_PR_C2_DENOMINATOR, (double)denominator},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (!status && run->args.value[P_MATRIX].integer) status = add_matrix(h, rows, error);
    return status;
}

const bough_method bough_method_collision = {
    .name = "collision",
    .summary = "the probability that two random messages collide, exactly (its lower bound fails at n = 2)",
    .source = "strumpen2005, section 4: Lemma 1, Eqs. 1 and 2",
    .params = params,
    .headline = BOUGH_METRIC_PR_C2,
    .lacks = method_lacks_binary,
    .exact = true,
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_UNIFORM | BOUGH_ASSUMES_RANDOM_LINKS,
    .open = open_collision,
    .trial = trial_collision,
};
