/* The methods `offline` and `online`: a batch, the delivery cycles until it has arrived, their bit steps. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/channels/offline.h"
#include "engines/channels/online.h"
#include "engines/engine_list.h"
#include "method/batch_trial.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"

#include <inttypes.h>

enum { P_BODY, P_VERIFY, P_LEVELS, P_AREA_OFFLINE };  /* of offline */
enum { P_R = P_BODY + 1, P_K1, P_K2, P_AREA_ONLINE }; /* of online */

#define BODY_PARAM [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20}

static const bough_param offline_params[] = {
    BODY_PARAM,
    [P_VERIFY] = {"verify", "check that halves are balanced on every channel, and Leiserson's bound",
                  BOUGH_FLAG, "0"},
    [P_LEVELS] = {"levels", "report cycles by the nearest common ancestor (NCA) level of messages",
                  BOUGH_FLAG, "0"},
    [P_AREA_OFFLINE] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

static const bough_param online_params[] = {
    BODY_PARAM,
    [P_R] = {"r", "r: a message is sent with probability 1 / (r guess)", BOUGH_REAL, "1", 0.1, 1000,
             .echo = true},
    [P_K1] = {"k1", "k1: cycles per guess, divided by the guess", BOUGH_REAL, "2", 0.1, 1000, .echo = true},
    [P_K2] = {"k2", "k2: cycles per small guess, divided by lg n", BOUGH_REAL, "1", 0.1, 1000, .echo = true},
    [P_AREA_ONLINE] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

/* ---- what both share ---- */

typedef struct workspace {
    channel_tree tree;
    uint32_t *up, *down;
    offline_splitter *splitter; /* of offline */
    online_engine *engine;      /* of online */
} workspace;

/* b: the value of body=, or lg n. */
static double body_bits(const bough_run *run) {
    const bough_value *body = &run->args.value[P_BODY];
    return body->set ? (double)body->integer : tree_height(run->point.net->endpoints);
}

/* Memory of a workspace without splitter and engine, and of the batch. */
static uint64_t shared_bytes(const bough_point *p) {
    uint64_t bytes = bough_add(channel_tree_bytes(p->net), bough_mul(p->traffic->messages, 8));
    bytes = bough_add(bytes, bough_mul(p->net->endpoints, 5 * sizeof(uint32_t)));
    return bough_add(bytes, UINT64_C(16) << tree_height(p->net->endpoints));
}

static bough_status create(const bough_run *run, void **space, bough_error *error) {
    const bough_net *net = run->point.net;
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    status = channel_tree_make(net, &w->tree, error);
    TRY(bough_alloc(&w->up, w->tree.channels, sizeof *w->up, error));
    TRY(bough_alloc(&w->down, w->tree.channels, sizeof *w->down, error));
    return status;
}

static void free_workspace(void *space) {
    workspace *w = space;
    offline_destroy(w->splitter);
    online_destroy(w->engine);
    channel_tree_fini(&w->tree);
    FREE_ALL(w->up, w->down, w);
}

/* Result of a batch. */
typedef struct delivery {
    channel_load load;
    double cycles, bit_steps;
} delivery;

static bough_status add_rows(workspace *w, const bough_batch *batch, const delivery *d, bough_rows *rows,
                             bough_error *error) {
    const bough_net *net = w->tree.net;
    double factor = d->load.both, height = tree_height(net->endpoints);
    message_difficulty difficulty;
    bough_status status = message_difficulty_measure(net, batch, &difficulty, error);
    if (status) return status;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_PASSES, d->cycles},
        {true, BOUGH_METRIC_BIT_STEPS, d->bit_steps},
        {true, BOUGH_METRIC_LOAD_FACTOR, factor},
        {true, BOUGH_METRIC_ETA, difficulty.eta},
        {true, BOUGH_METRIC_DEGREE, (double)difficulty.degree},
        {factor + height > 0, BOUGH_METRIC_NORM_PASSES, d->cycles / (factor + height)},
        {true, BOUGH_METRIC_MESSAGES, (double)batch->count},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

/* ---- offline ---- */

static bough_status offline_open(bough_run *run, bough_error *error) {
    const bough_point *p = &run->point;
    run->bytes = bough_add(offline_bytes(p->net, p->traffic->messages), shared_bytes(p));
    return run->args.value[P_AREA_OFFLINE].integer ? at2_open(run, error) : BOUGH_OK;
}

static bough_status create_offline(const bough_run *run, void **space, bough_error *error) {
    bough_status status = create(run, space, error);
    workspace *w = *space;
    TRY(offline_create(&w->tree, run->args.value[P_VERIFY].integer, run->point.traffic->messages,
                       &w->splitter, error));
    return status;
}

/* A set of messages with NCA level p goes up and down p levels. */
static double offline_bit_steps(const offline_result *r, unsigned levels, double body) {
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

static bough_status route_offline(const method_trial *trial, const bough_batch *batch, void *space,
                                  bough_rows *rows, bough_error *error) {
    workspace *w = space;
    const bough_value *v = trial->run->args.value;
    unsigned levels = w->tree.levels;
    double body = body_bits(trial->run);
    offline_result r;
    delivery d = {.load = channel_tree_load(&w->tree, batch, w->up, w->down)};
    bough_status status = offline_split(w->splitter, batch, NULL, &r, error);
    if (v[P_VERIFY].integer) TRY(check_bound(&r, &d.load, levels, error));
    if (status) return status;
    d.cycles = (double)r.cycles;
    d.bit_steps = offline_bit_steps(&r, levels, body);
    status = add_rows(w, batch, &d, rows, error);
    for (unsigned p = 1; p <= levels && v[P_LEVELS].integer && !status; p++)
        status = bough_rows_add(rows, BOUGH_METRIC_LEVEL_PASSES, p, (double)r.level_cycles[p], error);
    if (v[P_AREA_OFFLINE].integer)
        TRY(at2_add(trial, &(at2_run){.steps = d.bit_steps, .body = body}, rows, error));
    return status;
}

static bough_status offline_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    static const batch_steps steps = {create_offline, route_offline};
    return batch_trial(&(method_trial){run, key}, &steps, space, rows, error);
}

const bough_method bough_method_offline = {
    .name = "offline",
    .summary =
        "off-line routing on any fat-tree: messages partitioned into sets that channels can carry at once",
    .source = "Leiserson: Fat-trees, 1985, Theorem 1 (bay1991's baseline)",
    .params = offline_params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_HAS_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = offline_open,
    .trial = offline_trial,
    .free_workspace = free_workspace,
};

/* ---- online ---- */

static bough_status online_open(bough_run *run, bough_error *error) {
    const bough_point *p = &run->point;
    run->draws = true;
    run->bytes = bough_add(online_bytes(p->net, p->traffic->messages), shared_bytes(p));
    return run->args.value[P_AREA_ONLINE].integer ? at2_open(run, error) : BOUGH_OK;
}

static bough_status create_online(const bough_run *run, void **space, bough_error *error) {
    bough_status status = create(run, space, error);
    workspace *w = *space;
    TRY(online_create(&w->tree, run->point.traffic->messages, &w->engine, error));
    return status;
}

/* Bit steps of a cycle: a presence bit, lg n bits of destination and b of body through at most 2 lg n wires;
 * then one bit back as acknowledgement. */
static double cycle_bits(const bough_net *net, double body) {
    unsigned lg = tree_height(net->endpoints), levels = net->levels;
    return 2 * levels + 1 + lg + body + 2 * levels + 1;
}

static bough_status route_online(const method_trial *trial, const bough_batch *batch, void *space,
                                 bough_rows *rows, bough_error *error) {
    workspace *w = space;
    const bough_run *run = trial->run;
    const bough_value *v = run->args.value;
    const online_options options = {v[P_R].real, v[P_K1].real, v[P_K2].real, trial->key, run->stop};
    double body = body_bits(run);
    online_result r;
    delivery d = {.load = channel_tree_load(&w->tree, batch, w->up, w->down)};
    bough_status status = online_run(w->engine, batch, &options, &r, error);
    if (status) return status;
    d.cycles = (double)r.cycles;
    d.bit_steps = (double)r.cycles * cycle_bits(run->point.net, body);
    status = add_rows(w, batch, &d, rows, error);
    if (d.load.moving)
        TRY(bough_rows_add(rows, BOUGH_METRIC_ATTEMPTS, BOUGH_NO_ROW_INDEX,
                           (double)r.sent / (double)d.load.moving, error));
    if (v[P_AREA_ONLINE].integer)
        TRY(at2_add(trial, &(at2_run){.steps = d.bit_steps, .body = body}, rows, error));
    return status;
}

static bough_status online_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                 bough_error *error) {
    static const batch_steps steps = {create_online, route_online};
    return batch_trial(&(method_trial){run, key}, &steps, space, rows, error);
}

const bough_method bough_method_online = {
    .name = "online",
    .summary = "randomised on-line routing on any fat-tree: random attempts controlled by a guess of the "
               "load factor",
    .source = "Greenberg, Leiserson: Randomized routing on fat-trees, 1989 (bay1991's baseline)",
    .params = online_params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_HAS_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = online_open,
    .trial = online_trial,
    .free_workspace = free_workspace,
};
