/* The method: a batch, and the cycles until it has arrived. */
#include "base/memory/memory.h"
#include "engines/channels/channel_setting.h"
#include "engines/channels/online.h"
#include "engines/method_list.h"
#include "method/batch_trial.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"

#include <stdlib.h>

enum { P_BODY, P_R, P_K1, P_K2, P_AREA };

static const bough_param params[] = {
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
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
    const bough_net *net = run->point.net;
    run->draws = true;
    run->bytes = bough_add(online_bytes(net, run->point.traffic->messages), channel_work_bytes(run));
    return run->args.value[P_AREA].integer ? at2_open(run, error) : BOUGH_OK;
}

static void online_free(void *space) {
    workspace *w = space;
    online_destroy(w->engine);
    channel_work_fini(&w->shared);
    free(w);
}

static bough_status make(const bough_run *run, void **space, bough_error *error) {
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    status = channel_work_init(&w->shared, run->point.net, error);
    return status ? status : online_create(&w->shared.tree, &w->engine, error);
}

/* Bit steps of a cycle: a presence bit, lg n bits of destination and b of body through at most 2 lg n wires;
 * then one bit back as acknowledgement. */
static double cycle_bits(const bough_run *run) {
    unsigned lg = tree_height(run->point.net->endpoints), levels = run->point.net->levels;
    return 2 * levels + 1 + lg + channel_body(run, &run->args.value[P_BODY]) + 2 * levels + 1;
}

static bough_status route(const bough_run *run, bough_key key, const bough_batch *batch, void *space,
                          bough_rows *rows, bough_error *error) {
    workspace *w = space;
    const bough_value *v = run->args.value;
    online_options options = {v[P_R].real, v[P_K1].real, v[P_K2].real, run->stop};
    online_result r;
    channel_load load = channel_tree_load(&w->shared.tree, batch, w->shared.up, w->shared.down);
    bough_status status = online_run(w->engine, batch, key, &options, NULL, &r, error);
    if (status) return status;
    status = channel_work_rows(&w->shared, batch, &load, (double)r.cycles, (double)r.cycles * cycle_bits(run),
                               rows, error);
    if (!status && load.moving)
        status = bough_rows_add(rows, BOUGH_METRIC_ATTEMPTS, BOUGH_NO_ROW_INDEX,
                                (double)r.sent / (double)load.moving, error);
    if (!status && run->args.value[P_AREA].integer)
        status = at2_add(run, key, (double)r.cycles * cycle_bits(run),
                         channel_body(run, &run->args.value[P_BODY]), rows, error);
    return status;
}

static bough_status online_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                 bough_error *error) {
    static const batch_steps steps = {make, route};
    return batch_trial(run, key, &steps, space, rows, error);
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
