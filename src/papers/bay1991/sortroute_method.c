/* The method `sortroute`: converts the results of sortroute_run.c to metrics. */
#include "papers/bay1991/bitserial/sorter_bits.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "papers/paper_list.h"

#include <inttypes.h>

enum { P_DEGREE, P_BODY, P_STAGES, P_STEPS, P_VERIFY, P_AREA, P_ENGINE };

static const bough_param params[] = {
    [P_DEGREE] = {"degree",
                  "maximum messages that a terminal sends or receives: the constant degree of the paper's "
                  "message sets",
                  BOUGH_INT, "4", 1, 1024},
    [P_BODY] = {"body",
                "bits of a message's body per unit of its size; default: lg n; at most 4 lg n in total",
                BOUGH_INT, "", 1, 1024},
    [P_STAGES] = {"stages",
                  "steps 4 and 7: even and odd levels alternate, or every level works in every stage",
                  BOUGH_CHOICE, "alternate", .choices = "alternate|every"},
    [P_STEPS] = {"steps", "report waves, sorter passes and bit steps of each of the eight steps", BOUGH_FLAG,
                 "0"},
    [P_VERIFY] = {"verify", "assert Lemma 10, storage and delivery on the run", BOUGH_FLAG, "0"},
    [P_AREA] = AT2_PARAM,
    [P_ENGINE] =
        {"engine",
         "auto: bit steps by formulas; bits: every sort also on sorting circuits that move bit by bit, which "
         "counts their steps and must agree (n=4096: seconds a trial)",
         BOUGH_CHOICE, "auto", .choices = "auto|bits"},
    BOUGH_PARAMS_END,
};

static bough_status check(const bough_run *run, const sortroute_options *o, bough_error *error) {
    const bough_traffic *traffic = run->point.traffic;
    uint64_t n = run->point.net->endpoints, lg = sorting_shape_of(run->point.net)->lg_n;
    if (n > UINT32_MAX || traffic->messages > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "sortroute on %s: at most 2^31 terminals and 2^32 - 1 messages are supported",
                          run->point.net->spec);
    if (o->body > SORTROUTE_BODY_MAX * lg)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sortroute: body=%" PRIu64
                          " bits; bodies have O(lg n) bits, here %d lg n = %" PRIu64 " at most",
                          o->body, SORTROUTE_BODY_MAX, SORTROUTE_BODY_MAX * lg);
    if (traffic->messages > n * o->degree)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sortroute needs message sets of constant degree: %s sends %" PRIu64
                          " messages, so some terminal %" PRIu64 " or more; the limit is %" PRIu64
                          " (degree=)",
                          traffic->spec, traffic->messages, (traffic->messages + n - 1) / n, o->degree);
    return BOUGH_OK;
}

static bough_status sortroute_open(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const sorting_shape *shape = sorting_shape_of(run->point.net);
    sortroute_options *o;
    bough_status status = bough_alloc(&o, 1, sizeof *o, error);
    if (status) return status;
    run->data = o;
    *o = (sortroute_options){.degree = (uint64_t)v[P_DEGREE].integer,
                             .body = v[P_BODY].set ? (uint64_t)v[P_BODY].integer : shape->lg_n,
                             .gap = v[P_STAGES].integer == 0 ? 2 : 1,
                             .verify = v[P_VERIFY].integer,
                             .bits = v[P_ENGINE].integer};
    run->bytes = sortroute_bytes(shape, run->point.traffic->messages, o->verify);
    if (o->bits) run->bytes = bough_add(run->bytes, sorter_bits_bytes(shape, run->point.traffic->messages));
    return check(run, o, error);
}

static uint64_t total(const uint64_t *of_step) {
    uint64_t all = 0;
    for (unsigned step = 1; step <= SORTROUTE_STEPS; step++) all += of_step[step];
    return all;
}

static bough_status add_steps(const sortroute_result *r, bool bits, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (int64_t step = 1; step <= SORTROUTE_STEPS && !status; step++)
        if (r->waves[step])
            status = bough_rows_add(rows, BOUGH_METRIC_STEP_WAVES, step, (double)r->waves[step], error);
    for (int64_t step = 1; step <= SORTROUTE_STEPS && !status; step++)
        if (r->passes[step])
            status = bough_rows_add(rows, BOUGH_METRIC_STEP_PASSES, step, (double)r->passes[step], error);
    for (int64_t step = 1; step <= SORTROUTE_STEPS && !status; step++)
        status = bough_rows_add(rows, BOUGH_METRIC_STEP_BITS, step, (double)r->bits[step], error);
    for (int64_t step = 1; step <= SORTROUTE_STEPS && !status && bits; step++)
        status = bough_rows_add(rows, BOUGH_METRIC_STEP_COUNTED, step, (double)r->counted[step], error);
    return status;
}

static bough_status report(const method_trial *trial, const sortroute_result *r, bough_rows *rows,
                           bough_error *error) {
    const bough_run *run = trial->run;
    const sortroute_options *o = run->data;
    uint64_t waves = total(r->waves), passes = total(r->passes), bits = total(r->bits);
    uint64_t counted = total(r->counted);
    double unit = r->load_factor + sorting_shape_of(run->point.net)->lg_n;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_PASSES, (double)(waves + passes)},
        {true, BOUGH_METRIC_WAVES, (double)waves},
        {true, BOUGH_METRIC_SORTER_PASSES, (double)passes},
        {true, BOUGH_METRIC_BIT_STEPS, (double)bits},
        {o->bits, BOUGH_METRIC_BIT_STEPS_COUNTED, (double)counted},
        {o->bits && r->circuit_ratio > 0, BOUGH_METRIC_CIRCUIT_RATIO, r->circuit_ratio},
        {true, BOUGH_METRIC_LOAD_FACTOR, r->load_factor},
        {true, BOUGH_METRIC_NORM_WAVES, (double)waves / unit},
        {true, BOUGH_METRIC_NORM_PASSES, (double)(waves + passes) / unit},
        {true, BOUGH_METRIC_QUEUE_MAX, (double)r->queue_max},
        {true, BOUGH_METRIC_STORAGE, r->storage},
        {true, BOUGH_METRIC_DEGREE, (double)r->degree},
        {true, BOUGH_METRIC_MESSAGES, (double)r->messages},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    if (run->args.value[P_STEPS].integer) TRY(add_steps(r, o->bits, rows, error));
    if (run->args.value[P_AREA].integer) {
        const bough_layout_rules sorters = {
            .bits = (uint32_t)r->word_bits, .degree = UINT32_C(1) << ceil_lg(r->degree), .circuit = o->bits};
        TRY(at2_add(trial, &(at2_run){(double)(o->bits ? counted : bits), (double)o->body, sorters}, rows,
                    error));
    }
    return status;
}

static bough_status sortroute_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                    bough_error *error) {
    const method_trial trial = {run, key};
    sortroute *workspace = *space;
    sortroute_result result;
    bough_status status = sortroute_run(&trial, run->data, &workspace, &result, error);
    *space = workspace;
    TRY(report(&trial, &result, rows, error));
    return status;
}

static void sortroute_free_space(void *space) {
    sortroute_free(space);
}

const bough_method bough_method_sortroute = {
    .name = "sortroute",
    .summary =
        "deterministic on-line routing on the sorting fat-tree, simulated: waves, sorter passes, bit steps",
    .source = "bay1991, section 4.3",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .lacks = method_lacks_sorting,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .open = sortroute_open,
    .trial = sortroute_trial,
    .free_workspace = sortroute_free_space,
    .close = run_free_data,
};
