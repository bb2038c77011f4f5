/* Locality of traffic, as in tables of dehon1991 (Tables 4 to 7): the probability that the nearest common
 * ancestor of source and destination has a level, and the same for one particular endpoint. `digits` rounds
 * as the paper does: P_any to that many significant digits, and P_part from the rounded P_any. */
#include "models/model_list.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/subtrees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { P_DIGITS };

static const bough_param params[] = {
    [P_DIGITS] = {"digits", "significant digits; 0: exact", BOUGH_INT, "0", 0, 15},
    BOUGH_PARAMS_END,
};

static bough_status open_locality(bough_run *run, bough_error *error) {
    subtrees *tree;
    if (!run->point.traffic || !run->point.traffic->batch_law)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method locality needs traffic with one distribution for all endpoints (uniform, local)%s%s",
            run->point.traffic ? ", unlike " : "", run->point.traffic ? run->point.traffic->spec : "");
    bough_status status = bough_alloc(&tree, 1, sizeof *tree, error);
    if (status) return status;
    run->data = tree;
    return subtrees_make(run->point.net, tree, error);
}

static double rounded(double value, int64_t digits) {
    char text[40];
    if (digits == 0 || value == 0) return value;
    snprintf(text, sizeof text, "%.*e", (int)digits - 1, value);
    return strtod(text, NULL);
}

/* Number of endpoints whose NCA with a given one has a level, mean over all. */
static double mean_met(const subtrees *tree, unsigned level) {
    uint64_t n = tree->net->endpoints, sum = 0;
    if (!tree->endpoint) return (double)subtrees_nca_count(tree, level, 0);
    for (uint64_t place = 0; place < n; place++) sum += subtrees_nca_count(tree, level, place);
    return (double)sum / (double)n;
}

static bough_status trial_locality(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                   bough_error *error) {
    const subtrees *tree = run->data;
    const bough_batch_law *law = run->point.traffic->batch_law;
    double any[SUBTREES_LEVELS + 1], met[SUBTREES_LEVELS + 1], sum = 0;
    int64_t digits = run->args.value[P_DIGITS].integer;
    bough_status status = BOUGH_OK;
    (void)key;
    (void)workspace;
    for (unsigned l = 1; l <= tree->levels; l++) {
        met[l] = mean_met(tree, l);
        any[l] = law->share ? law->share[l] * law->total : met[l] / (double)(run->point.net->endpoints - 1);
        any[l] = rounded(any[l], digits);
        sum += any[l];
    }
    for (unsigned l = 1; l <= tree->levels && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_P_ANY, l, any[l], error);
    for (unsigned l = 1; l <= tree->levels && !status; l++)
        if (met[l] > 0)
            status = bough_rows_add(rows, BOUGH_METRIC_P_PART, l, rounded(any[l] / met[l], digits), error);
    return status ? status : bough_rows_add(rows, BOUGH_METRIC_P_SUM, BOUGH_NO_ROW_INDEX, sum, error);
}

static void close_locality(bough_run *run) {
    if (run->data) subtrees_fini(run->data);
    free(run->data);
}

const bough_method bough_method_locality = {
    .name = "locality",
    .summary = "locality of traffic: probability of any and of one particular endpoint at a level",
    .source = "dehon1991, section 6.2, Tables 4 to 7",
    .params = params,
    .headline = BOUGH_METRIC_P_ANY,
    .needs_net = BOUGH_HAS_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .ignores_traffic = true,
    .open = open_locality,
    .trial = trial_locality,
    .close = close_locality,
};

/* ---- channels ---- */

static const bough_param no_params[] = {BOUGH_PARAMS_END};

/* The channels of the subtree of a level that contains endpoint 0; 0 at the root. */
static double capacity(const bough_net *net, unsigned level) {
    return level < net->levels
               ? (double)net->ops->channel_capacity(net, level, net->ops->subtree(net, level, 0))
               : 0;
}

static unsigned stage_of(const bough_net *net, unsigned level) {
    return net->ops->level_stage ? net->ops->level_stage(net, level) : 1;
}

/* Growth per level from one level to another, and that of a surface: a volume r times as large has r^(2/3)
 * times the surface; with four subtrees per level that is the cube root of 16. An area has r^(1/2) times the
 * perimeter. */
static bough_status add_growth(const subtrees *tree, unsigned from, unsigned to, bough_rows *rows,
                               bough_error *error) {
    const bough_net *net = tree->net;
    unsigned stage = stage_of(net, to);
    double levels = to - from,
           size = (double)subtrees_around(tree, to, 0).count / (double)subtrees_around(tree, from, 0).count;
    double mean = pow(capacity(net, to) / capacity(net, from), 1 / levels);
    bough_status status = bough_rows_add(rows, BOUGH_METRIC_GROWTH_MEAN, stage, mean, error);
    TRY(bough_rows_add(rows, BOUGH_METRIC_GROWTH_UNIVERSAL, stage, pow(size, 2 / (3 * levels)), error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_GROWTH_AREA, stage, pow(size, 1 / (2 * levels)), error));
    return status;
}

static bough_status trial_channels(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                   bough_error *error) {
    const bough_net *net = run->point.net;
    unsigned top = 0; /* the highest level with channels */
    (void)key;
    (void)workspace;
    while (top + 1 < net->levels && capacity(net, top + 1) > 0) top++;
    bough_status status = BOUGH_OK;
    for (unsigned l = 0; l <= top && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_CHANNEL_CAPACITY, l, capacity(net, l), error);
    for (unsigned l = 1; l <= top && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_CHANNEL_GROWTH, l, capacity(net, l) / capacity(net, l - 1),
                                error);
    /* stage by stage, where parts are complete: at the root they have no wires up */
    for (unsigned l = 1, from = 0; l <= top && !status; l++) {
        bool ends = net->ops->level_stage ? stage_of(net, l + 1) != stage_of(net, l) : l == top;
        if (!ends) continue;
        status = add_growth(run->data, from, l, rows, error);
        from = l;
    }
    return status;
}

static bough_status open_channels(bough_run *run, bough_error *error) {
    subtrees *tree;
    bough_status status = bough_alloc(&tree, 1, sizeof *tree, error);
    if (status) return status;
    run->data = tree;
    return subtrees_make(run->point.net, tree, error);
}

const bough_method bough_method_channels = {
    .name = "channels",
    .summary = "channel capacities by level, and their growth compared with volume-universality",
    .source = "dehon1991, section 3.3; Leiserson: Fat-trees, 1985",
    .params = no_params,
    .headline = BOUGH_METRIC_GROWTH_MEAN,
    .needs_net = BOUGH_HAS_CHANNELS,
    .exact = true,
    .ignores_traffic = true,
    .open = open_channels,
    .trial = trial_channels,
    .close = close_locality,
};
