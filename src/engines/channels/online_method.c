/* The method: a batch, and the cycles until it has arrived. */
#include "base/status/try.h"
#include "engines/channels/channel_setting.h"
#include "engines/channels/online.h"
#include "engines/method_list.h"
#include "method/batch_trial.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"

enum { P_R = CHANNEL_PARAMS, P_K1, P_K2, P_AREA };

static const bough_param params[] = {
    CHANNEL_PARAM_LIST,
    [P_R] = {"r", "r: a message is sent with probability 1 / (r guess)", BOUGH_REAL, "1", 0.1, 1000,
             .echo = true},
    [P_K1] = {"k1", "k1: cycles per guess, divided by the guess", BOUGH_REAL, "2", 0.1, 1000, .echo = true},
    [P_K2] = {"k2", "k2: cycles per small guess, divided by lg n", BOUGH_REAL, "1", 0.1, 1000, .echo = true},
    [P_AREA] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

typedef struct workspace {
    channel_work shared;
    online_engine *engine;
} workspace;

static bough_status online_open(bough_run *run, bough_error *error) {
    run->draws = true;
    return channel_open(run, online_bytes(run->point.net, run->point.traffic->messages), P_AREA, error);
}

static void online_free(void *space) {
    workspace *w = space;
    online_destroy(w->engine);
    channel_work_destroy(&w->shared);
}

static bough_status create(const bough_run *run, void **space, bough_error *error) {
    bough_status status = channel_work_create(run->point.net, sizeof(workspace), space, error);
    if (status) return status;
    workspace *w = *space;
    return online_create(&w->shared.tree, &w->engine, error);
}

/* Bit steps of a cycle: a presence bit, lg n bits of destination and b of body through at most 2 lg n wires;
 * then one bit back as acknowledgement. */
static double cycle_bits(const bough_net *net, double body) {
    unsigned lg = tree_height(net->endpoints), levels = net->levels;
    return 2 * levels + 1 + lg + body + 2 * levels + 1;
}

static bough_status route(const method_trial *trial, const bough_batch *batch, void *space, bough_rows *rows,
                          bough_error *error) {
    workspace *w = space;
    const bough_run *run = trial->run;
    const bough_value *v = run->args.value;
    const online_options options = {v[P_R].real, v[P_K1].real, v[P_K2].real, trial->key, run->stop};
    double body = channel_body(run);
    online_result r;
    channel_load load = channel_tree_load(&w->shared.tree, batch, w->shared.up, w->shared.down);
    bough_status status = online_run(w->engine, batch, &options, &r, error);
    if (status) return status;
    const channel_result result = {&load, (double)r.cycles,
                                   (double)r.cycles * cycle_bits(run->point.net, body)};
    status = channel_work_rows(&w->shared, batch, &result, rows, error);
    if (load.moving)
        TRY(bough_rows_add(rows, BOUGH_METRIC_ATTEMPTS, BOUGH_NO_ROW_INDEX,
                           (double)r.sent / (double)load.moving, error));
    if (v[P_AREA].integer) TRY(at2_add(trial, result.bit_steps, body, rows, error));
    return status;
}

static bough_status online_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                 bough_error *error) {
    static const batch_steps steps = {create, route};
    return batch_trial(&(method_trial){run, key}, &steps, space, rows, error);
}

const bough_method bough_method_online = {
    .name = "online",
    .summary = "randomised on-line routing on any fat-tree: random attempts controlled by a guess of the "
               "load factor",
    .source = "Greenberg, Leiserson: Randomized routing on fat-trees, 1989 (bay1991's baseline)",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_HAS_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .open = online_open,
    .trial = online_trial,
    .free_workspace = online_free,
};
