/* The method: a batch, its sets, their time. */
#include "base/status/try.h"
#include "engines/channels/channel_setting.h"
#include "engines/channels/offline.h"
#include "engines/method_list.h"
#include "method/batch_trial.h"
#include "models/geometry/area_time.h"

#include <inttypes.h>

enum { P_VERIFY = CHANNEL_PARAMS, P_LEVELS, P_AREA };

static const bough_param params[] = {
    CHANNEL_PARAM_LIST,
    [P_VERIFY] = {"verify", "check that halves are balanced on every channel, and Leiserson's bound",
                  BOUGH_FLAG, "0"},
    [P_LEVELS] = {"levels", "report cycles by the nearest common ancestor (NCA) level of messages",
                  BOUGH_FLAG, "0"},
    [P_AREA] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

typedef struct workspace {
    channel_work shared;
    offline_splitter *splitter;
} workspace;

static bough_status offline_open(bough_run *run, bough_error *error) {
    return channel_open(run, offline_bytes(run->point.net, run->point.traffic->messages), P_AREA, error);
}

static void offline_free(void *space) {
    workspace *w = space;
    offline_destroy(w->splitter);
    channel_work_destroy(&w->shared);
}

static bough_status create(const bough_run *run, void **space, bough_error *error) {
    bough_status status = channel_work_create(run->point.net, sizeof(workspace), space, error);
    if (status) return status;
    workspace *w = *space;
    return offline_create(&w->shared.tree, run->args.value[P_VERIFY].integer, &w->splitter, error);
}

/* A set of messages with NCA level p goes up and down p levels. */
static double bit_steps(const offline_result *r, unsigned levels, double body) {
    double steps = 0;
    for (unsigned p = 1; p <= levels; p++) steps += (double)r->level_cycles[p] * (2 * p + body);
    return steps;
}

/* Theorem 1: at every level at most lambda rounded up to a power of two. */
static bough_status check_bound(const offline_result *r, const channel_load *load, unsigned levels,
                                bough_error *error) {
    uint64_t most = 1;
    while ((double)most < load->either) most *= 2;
    if (r->cycles <= most * levels) return BOUGH_OK;
    return bough_fail(error, BOUGH_FAILED, NULL,
                      "Leiserson's Theorem 1 does not hold: %" PRIu64 " cycles, more than %" PRIu64
                      " for each of %u levels",
                      r->cycles, most, levels);
}

static bough_status route(const method_trial *trial, const bough_batch *batch, void *space, bough_rows *rows,
                          bough_error *error) {
    workspace *w = space;
    const bough_value *v = trial->run->args.value;
    unsigned levels = w->shared.tree.levels;
    double body = channel_body(trial->run);
    offline_result r;
    channel_load load = channel_tree_load(&w->shared.tree, batch, w->shared.up, w->shared.down);
    bough_status status = offline_split(w->splitter, batch, NULL, &r, error);
    if (v[P_VERIFY].integer) TRY(check_bound(&r, &load, levels, error));
    if (status) return status;
    const channel_result result = {&load, (double)r.cycles, bit_steps(&r, levels, body)};
    status = channel_work_rows(&w->shared, batch, &result, rows, error);
    for (unsigned p = 1; p <= levels && v[P_LEVELS].integer && !status; p++)
        status = bough_rows_add(rows, BOUGH_METRIC_LEVEL_PASSES, p, (double)r.level_cycles[p], error);
    if (v[P_AREA].integer) TRY(at2_add(trial, result.bit_steps, body, rows, error));
    return status;
}

static bough_status offline_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    static const batch_steps steps = {create, route};
    return batch_trial(&(method_trial){run, key}, &steps, space, rows, error);
}

const bough_method bough_method_offline = {
    .name = "offline",
    .summary =
        "off-line routing on any fat-tree: messages partitioned into sets that channels can carry at once",
    .source = "Leiserson: Fat-trees, 1985, Theorem 1 (bay1991's baseline)",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_HAS_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .open = offline_open,
    .trial = offline_trial,
    .free_workspace = offline_free,
};
