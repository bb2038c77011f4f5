/* The method: a batch, its sets, their time. */
#include "base/memory/memory.h"
#include "engines/channels/channel_setting.h"
#include "engines/channels/offline.h"
#include "engines/method_list.h"
#include "method/batch_trial.h"
#include "models/geometry/area_time.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_BODY, P_VERIFY, P_LEVELS, P_AREA };

static const bough_param params[] = {
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
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
    const bough_net *net = run->point.net;
    run->bytes = bough_add(offline_bytes(net, run->point.traffic->messages), channel_work_bytes(run));
    return run->args.value[P_AREA].integer ? at2_open(run, error) : BOUGH_OK;
}

static void offline_free(void *space) {
    workspace *w = space;
    offline_destroy(w->splitter);
    channel_work_fini(&w->shared);
    free(w);
}

static bough_status make(const bough_run *run, void **space, bough_error *error) {
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    status = channel_work_init(&w->shared, run->point.net, error);
    return status ? status : offline_create(&w->shared.tree, &w->splitter, error);
}

/* A set of messages with NCA level p goes up and down p levels. */
static double bit_steps(const bough_run *run, const offline_result *r, unsigned levels) {
    double b = channel_body(run, &run->args.value[P_BODY]), steps = 0;
    for (unsigned p = 1; p <= levels; p++) steps += (double)r->level_cycles[p] * (2 * p + b);
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

static bough_status route(const bough_run *run, bough_key key, const bough_batch *batch, void *space,
                          bough_rows *rows, bough_error *error) {
    workspace *w = space;
    unsigned levels = w->shared.tree.levels;
    offline_result r;
    channel_load load = channel_tree_load(&w->shared.tree, batch, w->shared.up, w->shared.down);
    bool verify = run->args.value[P_VERIFY].integer;
    bough_status status = offline_split(w->splitter, batch, verify, NULL, &r, error);
    if (!status && verify) status = check_bound(&r, &load, levels, error);
    if (status) return status;
    status = channel_work_rows(&w->shared, batch, &load, (double)r.cycles, bit_steps(run, &r, levels), rows,
                               error);
    for (unsigned p = 1; p <= levels && run->args.value[P_LEVELS].integer && !status; p++)
        status = bough_rows_add(rows, BOUGH_METRIC_LEVEL_PASSES, p, (double)r.level_cycles[p], error);
    if (!status && run->args.value[P_AREA].integer)
        status = at2_add(run, key, bit_steps(run, &r, levels), channel_body(run, &run->args.value[P_BODY]),
                         rows, error);
    return status;
}

static bough_status offline_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    static const batch_steps steps = {make, route};
    return batch_trial(run, key, &steps, space, rows, error);
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
