/* Lower bounds of area x time^2 for any router and a message set, for comparison with measured values. The
 * paper states them with Omega; they are reported without the constant, in wire pitches and bit steps. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/rows.h"
#include "models/link_load/tree_crossings.h"
#include "models/model_list.h"

#include <math.h>

enum { P_BITS };

static const bough_param params[] = {
    [P_BITS] = {"b", "bits of a message's body; default: lg of the endpoints, rounded up", BOUGH_INT, "", 1,
                0x1p20, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status atbound_open(bough_run *run, bough_error *error) {
    unsigned height = tree_height(run->point.net->endpoints);
    (void)error;
    if (!run->args.value[P_BITS].set) bough_args_set_int(&run->args, "b", height ? height : 1);
    run->bytes = bough_add(bough_mul(run->point.traffic->messages, 8), UINT64_C(16) << height);
    return BOUGH_OK;
}

/* The load factor counts the traffic across the perimeter of a region of any layout in area N (section 2);
 * Theorem 4. */
static bough_status report(const bough_run *run, const message_difficulty *d, bough_rows *rows,
                           bough_error *error) {
    double eta = d->eta;
    double n = (double)run->point.net->endpoints, b = (double)run->args.value[P_BITS].integer;
    /* Without crossings (eta = 0) both bounds are 0. */
    double cuts = b * b * eta * eta * n, lg = eta > 0 ? log2(n / (eta * eta)) : 0;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_ETA, eta},
        {true, BOUGH_METRIC_DEGREE, (double)d->degree},
        {true, BOUGH_METRIC_AT2_CUTS, cuts},
        {lg >= 0, BOUGH_METRIC_AT2_CONTENT, cuts * lg * lg},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status atbound_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                  bough_error *error) {
    message_difficulty difficulty;
    bough_batch batch;
    (void)workspace;
    bough_status status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (status) return status;
    status = message_difficulty_measure(run->point.net, &batch, &difficulty, error);
    TRY(report(run, &difficulty, rows, error));
    bough_batch_fini(&batch);
    return status;
}

const bough_method bough_method_atbound = {
    .name = "atbound",
    .summary = "lower bounds of area x time^2 for a message set, without constants",
    .source = "bay1991, section 2 (cuts) and Theorem 4 (content-preserving routers)",
    .params = params,
    .headline = BOUGH_METRIC_AT2_CUTS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = atbound_open,
    .trial = atbound_trial,
};
