/* Theorem 1 of strumpen2005 with its constants (section 6), and the curve and the line of its Fig. 5. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/collision/collision.h"
#include "models/model_list.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- load bounds ---- */

/* Leiserson's load factor of a batch, for bounds on rounds that hold for any set of messages. */

static void count_ends(const bough_net *net, const bough_batch *batch, unsigned level, uint64_t *crossing) {
    memset(crossing, 0, net->endpoints * sizeof *crossing);
    for (uint64_t i = 0; i < batch->count; i++) {
        uint64_t from = net->ops->subtree(net, level, batch->source[i]);
        uint64_t to = net->ops->subtree(net, level, bough_address_node(net, batch->address[i]));
        if (from == to) continue;
        crossing[from]++;
        crossing[to]++;
    }
}

/* The largest (up + down messages) / capacity of a channel. The network must have channels. O(levels x
 * (messages + endpoints)). */
static bough_status load_factor_measure(const bough_net *net, const bough_batch *batch, double *factor,
                                        bough_error *error) {
    uint64_t *crossing;
    bough_status status = bough_alloc(&crossing, net->endpoints, sizeof *crossing, error);
    if (status) return status;
    *factor = 0;
    for (unsigned level = 0; level < net->levels; level++) {
        count_ends(net, batch, level, crossing);
        for (uint64_t e = 0; e < net->endpoints; e++) {
            uint64_t s = net->ops->subtree(net, level, e);
            uint64_t cables = net->ops->channel_capacity(net, level, s);
            double load = cables ? (double)crossing[s] / (double)cables : 0;
            if (load > *factor) *factor = load;
        }
    }
    free(crossing);
    return BOUGH_OK;
}

/* ---- rounds bound ---- */

enum { P_EPS, P_BINS, P_LOAD };

static const bough_param params[] = {
    [P_EPS] = {"eps", "probability that a phase takes longer than its bound", BOUGH_REAL, "0.01", 1e-300, 1,
               .echo = true},
    [P_BINS] =
        {"b",
         "collision bins; default: 2n / lg n on the binary fat-tree, else 1 / Pr[C2] of the network, by "
         "method collision",
         BOUGH_REAL, "", 1, 0x1p48},
    [P_LOAD] =
        {"load",
         "1: also the bounds by the load factor of the messages, on any tree and for any batch, without "
         "their constants",
         BOUGH_FLAG, "0"},
    BOUGH_PARAMS_END,
};

typedef struct phase {
    double successes, rounds; /* S and R */
} phase;

/* With probability 1 - eps, R rounds contain S successful ones if each succeeds with probability p. */
static phase with_chernoff(double successes, double p, double eps) {
    return (phase){successes, (2 * successes - 4 * log(eps)) / p};
}

/* Section 6.1: from m to b messages. Eq. 6 with b = 2n / lg n as printed (on other networks b = 1 / Pr[C2]),
 * not rounded to whole bins as in the game; Eq. 7, which replaces m / b - 1 by lg m / 2 - 1, bounds it for 2
 * <= m <= n. With m <= b there is no Phase I: no success is needed and no round is spent, so the term - 4 ln
 * eps is omitted too. */
static phase phase_one(double m, double b, double eps) {
    if (m <= b) return (phase){0, 0};
    return with_chernoff((m / b - 1) / (1 - 2 / M_E), 0.5, eps);
}

/* Section 6.2, for the messages that Phase I leaves: m if m <= b, else b. (The paper's S ends with one
 * remaining message, whose own round is not counted; R has room for it.) */
static phase phase_two(double m, double b, double eps) {
    return with_chernoff(log2(fmin(m, b)), 1 - 2 / M_E, eps);
}

static double bins_of(const bough_run *run) {
    const bough_value *given = &run->args.value[P_BINS];
    return given->set ? given->real : collision_bins(run->point.net);
}

/* Whether Theorem 1 bounds anything at the point. */
static bough_status check_theorem(const bough_run *run, bough_error *error) {
    uint64_t n = run->point.net->endpoints, m = run->point.traffic->messages;
    if (m < 1 || m > n)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method bound: Theorem 1 needs 1 <= m <= n messages; %s has m=%" PRIu64
                          ", the network n=%" PRIu64,
                          run->point.traffic->spec, m, n);
    if (!premise_uniform_holds(run->point.traffic))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method bound: Theorem 1 needs uniformly random destinations (uniform:m=...), and "
                          "bounds nothing under %s",
                          run->point.traffic->spec);
    if (run->point.routing && !premise_random_links_hold(run->point.routing))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method bound: Theorem 1 needs --routing free, and bounds nothing under %s",
                          run->point.routing->spec);
    if (!(bins_of(run) > 0))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method bound: %s has no closed form of Pr[C2]; give the number of bins as b=, for "
                          "example 1 / pr_c2 of method collision",
                          run->point.net->spec);
    return BOUGH_OK;
}

static bough_status open_bound(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    if (!run->args.value[P_LOAD].integer) return check_theorem(run, error);
    if (!(net->capabilities & BOUGH_HAS_CHANNELS))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "bound: load=1 needs a tree; %s is not one",
                          net->spec);
    run->waived = run->method->assumes; /* Theorem 1 is omitted where it does not apply */
    run->draws = run->point.traffic->kind->random;
    run->bytes = bough_add(bough_mul(run->point.traffic->messages, 8), bough_mul(net->endpoints, 8));
    return BOUGH_OK;
}

/* Leiserson 1985, O(lambda lg n), and Greenberg and Leiserson 1985, O(lambda + lg n lg lg n), with the
 * constant 1. */
static bough_status add_load_bounds(const bough_run *run, bough_key key, bough_rows *rows,
                                    bough_error *error) {
    bough_batch batch = {0};
    double factor = 0, lg_n = log2((double)run->point.net->endpoints);
    bough_status status = bough_batch_read(run->point.traffic, key, &batch, error);
    TRY(load_factor_measure(run->point.net, &batch, &factor, error));
    bough_batch_fini(&batch);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_LOAD_FACTOR, factor},
        {true, BOUGH_METRIC_LAMBDA_LG_N, factor * lg_n},
        {lg_n > 0, BOUGH_METRIC_LAMBDA_LG_LG_N, factor + lg_n * log2(lg_n)},
    };
    TRY(rows_add_present(rows, lines, sizeof lines / sizeof *lines, error));
    return status;
}

/* The total is the sum of the phases, as in the paper. Each phase stays within its R with probability 1 -
 * eps, so both do with at least 1 - 2 eps: for Theorem 1's 1 - eps at m > b use half of eps. */
static bough_status trial_bound(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                bough_error *error) {
    (void)workspace;
    bool load = run->args.value[P_LOAD].integer;
    if (load && check_theorem(run, NULL)) return add_load_bounds(run, key, rows, error);
    double m = (double)run->point.traffic->messages;
    double eps = run->args.value[P_EPS].real, b = bins_of(run);
    phase one = phase_one(m, b, eps), two = phase_two(m, b, eps);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_ROUNDS, one.rounds + two.rounds},
        {true, BOUGH_METRIC_PHASE1_SUCCESSES, one.successes},
        {true, BOUGH_METRIC_PHASE1_ROUNDS, one.rounds},
        {true, BOUGH_METRIC_PHASE2_SUCCESSES, two.successes},
        {true, BOUGH_METRIC_PHASE2_ROUNDS, two.rounds},
        {true, BOUGH_METRIC_CURVE, log2(m) / 10 + m / b + 1}, /* section 7, item 7 */
        {true, BOUGH_METRIC_LG_M, log2(m)},                   /* section 7, item 3 */
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    return status || !load ? status : add_load_bounds(run, key, rows, error);
}

const bough_method bough_method_bound = {
    .name = "bound",
    .summary = "proven bound on delivery rounds: both phases, their sum, and the fitted curve",
    .source = "strumpen2005, section 6: Theorem 1, Eqs. 6 and 7; section 7",
    .params = params,
    .headline = BOUGH_METRIC_ROUNDS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .ignores_traffic = true,
    .assumes = BOUGH_ASSUMES_UNIFORM | BOUGH_ASSUMES_RANDOM_LINKS, /* refused otherwise */
    .open = open_bound,
    .trial = trial_bound,
};
