/* The collision model of strumpen2005, section 4, and its question asked of other networks. */
#include "models/collision/collision.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/model_list.h"

#include <inttypes.h>
#include <math.h>

enum { P_MATRIX, P_ENGINE, P_PAIRS, P_LEVELS, P_LIMIT };

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
    [P_ENGINE] = {"engine",
                  "auto: closed form where the network has one (fattree, kary, clos, xgft); enumerate: all "
                  "pairs of messages and their choices, under the given routing",
                  BOUGH_CHOICE, "auto", .choices = "auto|enumerate"},
    [P_PAIRS] = {"pairs",
                 "uniform: two random messages of Lemma 1; traffic: two different messages of the traffic",
                 BOUGH_CHOICE, "uniform", .choices = "uniform|traffic"},
    [P_LEVELS] = {"levels", "1: also report where the two messages meet, by level", BOUGH_FLAG, "0"},
    [P_LIMIT] = {"limit", "pairs of messages that an enumeration may examine", BOUGH_INT, "1e6", 1, 1e12},
    BOUGH_PARAMS_END,
};

typedef struct setup {
    bool binary, closed;
    bool batch; /* two messages of the traffic */
} setup;

static unsigned lg_endpoints(const bough_run *run) {
    return (unsigned)__builtin_ctzll(run->point.net->endpoints); /* of the binary fat-tree: a power of two */
}

static bough_status check_traffic(const bough_run *run, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    if (!traffic) return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "collision: pairs=traffic needs traffic");
    if (traffic->shape != BOUGH_BATCH)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "collision: pairs=traffic needs a batch of messages; %s is none", traffic->spec);
    return BOUGH_OK;
}

/* The pairs of Lemma 1 are known before the trial, those of a batch only then. */
static bough_status check_pairs(const bough_run *run, bough_error *error) {
    uint64_t pairs = collision_pairs(run->point.net->endpoints);
    uint64_t limit = (uint64_t)run->args.value[P_LIMIT].integer;
    if (pairs <= limit) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "collision: %s has %.3g pairs of messages to enumerate, more than limit=%" PRIu64
                      " (a million take about a second)",
                      run->point.net->spec, (double)pairs, limit);
}

static bough_status open_collision(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_traffic *traffic = run->point.traffic;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->binary = collision_is_binary(run->point.net);
    s->batch = v[P_PAIRS].integer == 1;
    if (s->batch) status = check_traffic(run, error);
    if (s->batch && !status && premise_uniform_holds(traffic)) s->batch = false; /* its pairs are Lemma 1's */
    collision_pair pair;
    const bough_routing *routing = run->point.routing;
    s->closed = v[P_ENGINE].integer == 0 && collision_of_tree(run->point.net, &pair);
    if (s->batch && routing && !premise_random_links_hold(routing)) s->closed = false;
    if (!status && v[P_MATRIX].integer && !(s->binary && s->closed && !s->batch))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "collision: matrix=1 needs the closed form of the binary fat-tree of strumpen2005 "
                          "(fattree:n=...)");
    if (!status && !s->closed) status = collision_enumerable(run, error);
    if (!status && !s->closed && !s->batch) status = check_pairs(run, error);
    if (status) return status;
    if (!s->closed) run->waived |= BOUGH_ASSUMES_RANDOM_LINKS;
    if (s->batch) run->waived |= BOUGH_ASSUMES_UNIFORM;
    run->draws = s->batch && traffic->kind->random;
    uint64_t h = s->binary ? lg_endpoints(run) : 0;
    uint64_t rows = 5 + 2 * COLLISION_LEVELS + (v[P_MATRIX].integer ? h * h * h : 0);
    run->bytes = bough_add(rows * sizeof(bough_row), s->batch ? bough_mul(traffic->messages, 8) : 0);
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

static bough_status add_levels(const collision_pair *pair, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned l = 0; l <= pair->levels && l < COLLISION_LEVELS && !status; l++) {
        if (l == pair->levels && pair->up[l] == 0) break; /* links between switches of the last level */
        status = bough_rows_add(rows, BOUGH_METRIC_MEET_UP, l, pair->up[l], error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_MEET_DOWN, l, pair->down[l], error));
    }
    return status;
}

static bough_status add_lemma(unsigned h, bough_rows *rows, bough_error *error) {
    double n = ldexp(1, (int)h);
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
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

/* Sets *pair by the closed form or by enumeration. */
static bough_status find_pair(const bough_run *run, bough_key key, collision_pair *pair, bough_error *error) {
    const setup *s = run->data;
    uint64_t limit = (uint64_t)run->args.value[P_LIMIT].integer;
    if (s->closed && !s->batch) collision_of_tree(run->point.net, pair);
    if (!s->batch) return s->closed ? BOUGH_OK : collision_enumerate(run, NULL, limit, pair, error);
    bough_batch batch = {0};
    bough_status status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (s->closed && !status)
        collision_of_batch(run->point.net, &batch, pair);
    else
        TRY(collision_enumerate(run, &batch, limit, pair, error));
    bough_batch_fini(&batch);
    return status;
}

static bough_status trial_collision(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                    bough_error *error) {
    (void)workspace;
    const setup *s = run->data;
    collision_pair pair = {0};
    bough_status status = find_pair(run, key, &pair, error);
    if (!status && s->binary && s->closed && !s->batch)
        status = add_lemma(lg_endpoints(run), rows, error);
    else
        TRY(bough_rows_add(rows, BOUGH_METRIC_PR_C2, BOUGH_NO_ROW_INDEX, pair.probability, error));
    if (run->args.value[P_MATRIX].integer) TRY(add_matrix(lg_endpoints(run), rows, error));
    if (run->args.value[P_LEVELS].integer) TRY(add_levels(&pair, rows, error));
    return status;
}

const bough_method bough_method_collision = {
    .name = "collision",
    .summary = "the probability that two random messages collide, exactly (its lower bound fails at n = 2)",
    .source = "strumpen2005, section 4: Lemma 1, Eqs. 1 and 2",
    .params = params,
    .headline = BOUGH_METRIC_PR_C2,
    .exact = true,
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_UNIFORM | BOUGH_ASSUMES_RANDOM_LINKS,
    .open = open_collision,
    .trial = trial_collision,
    .close = run_free_data,
};
