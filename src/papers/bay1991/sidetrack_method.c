/* The method: a batch of messages, the engine, and the time. Bit steps are passes times the time of a pass,
 * which depends on the stage alone (sidetrack_steps.h). */
#include "papers/bay1991/sidetrack.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/batch_trial.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_follow.h"
#include "papers/bay1991/sidetrack_steps.h"
#include "papers/bay1991/sidetrack_verify.h"
#include "papers/paper_list.h"

#include <inttypes.h>
#include <math.h>

enum { P_COMPRESS, P_BODY, P_VERIFY, P_STAGES, P_AREA, P_ENGINE };

static const bough_param params[] = {
    [P_COMPRESS] =
        {"compress",
         "node to which a batch goes, as the root of its subtree may have fewer vertices: peak, the node "
         "above, or root, as in the text, with more batches (docs/pruned.md)",
         BOUGH_CHOICE, "peak", .choices = "peak|root"},
    [P_BODY] = {"body", "bits of a message's body, at most 8 lg n; default: lg n", BOUGH_INT, "", 1, 0x1p20},
    [P_VERIFY] = {"verify", "check the paper's lemmas on the run, which ends at the first violation",
                  BOUGH_FLAG, "0"},
    [P_STAGES] = {"stages", "report passes and bit steps by stage, bit steps by operation", BOUGH_FLAG, "0"},
    [P_AREA] = AT2_PARAM,
    [P_ENGINE] =
        {"engine",
         "auto: bit steps by formulas; bits: also a machine that moves bit by bit, which counts them and "
         "must agree in every pass (n=4096: seconds to a minute a trial)",
         BOUGH_CHOICE, "auto", .choices = "auto|bits"},
    BOUGH_PARAMS_END,
};

typedef struct workspace {
    sidetrack_engine *engine;
    sidetrack_verify *verify;
    bit_machine *machine;
    uint64_t *crossing;
    uint32_t *count;
} workspace;

static unsigned lg_leaves(const bough_run *run) {
    return run->point.net->levels;
}

static sidetrack_top top_of(const bough_run *run) {
    return run->args.value[P_COMPRESS].integer ? SIDETRACK_ROOT : SIDETRACK_PEAK;
}

/* The default is not written into the spec, which denotes the same method for all n. */
static unsigned body_of(const bough_run *run) {
    const bough_value *body = &run->args.value[P_BODY];
    return body->set ? (unsigned)body->integer : lg_leaves(run);
}

static bool verifies(const bough_run *run) {
    return run->args.value[P_VERIFY].integer;
}

static bool moves_bits(const bough_run *run) {
    return run->args.value[P_ENGINE].integer;
}

/* ---- limits of the model ---- */

static unsigned bits_of(uint64_t n) {
    return n ? 64 - (unsigned)__builtin_clzll(n) : 1;
}

/* Counters are sized for the traffic's maximum number of messages. */
static sidetrack_machine machine_of(const bough_run *run) {
    return (sidetrack_machine){lg_leaves(run), body_of(run), bits_of(run->point.traffic->messages),
                               top_of(run)};
}

/* The machine has registers of 64 bits, and the body of a message is its number. */
static bough_status check_machine(const bough_run *run, bough_error *error) {
    const sidetrack_machine machine = machine_of(run);
    uint64_t messages = run->point.traffic->messages;
    unsigned least = bit_machine_body_min(messages), most = bit_machine_body_max(&machine);
    if (!moves_bits(run) || (machine.body >= least && machine.body <= most)) return BOUGH_OK;
    if (machine.body < least)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sidetrack: engine=bits numbers %" PRIu64
                          " messages in their bodies, which takes body=%u; here body=%u",
                          messages, least, machine.body);
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "sidetrack: engine=bits has registers of 64 bits: body=%u is too long, at most %u with "
                      "%" PRIu64 " leaves",
                      machine.body, most, run->point.net->endpoints);
}

static bough_status sidetrack_open(bough_run *run, bough_error *error) {
    const bough_value *body = &run->args.value[P_BODY];
    uint64_t messages = run->point.traffic->messages;
    unsigned lg = lg_leaves(run), most = SIDETRACK_FIELD_MAX * lg;
    if (body->set && body->integer > most)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sidetrack: body=%" PRId64
                          " is longer than the model allows: bodies have O(lg n) bits, here "
                          "at most %d lg n = %u",
                          body->integer, SIDETRACK_FIELD_MAX, most);
    if (bits_of(messages) > most)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sidetrack: %" PRIu64
                          " messages do not fit into counters of %d lg n = %u bits: the model "
                          "has messages polynomial in n",
                          messages, SIDETRACK_FIELD_MAX, most);
    run->bytes = bough_add(bough_mul(messages, 8), sidetrack_bytes(lg, messages));
    run->bytes =
        bough_add(run->bytes, bough_mul(run->point.net->endpoints, 2 * sizeof(uint64_t) + sizeof(uint32_t)));
    if (verifies(run)) run->bytes = bough_add(run->bytes, sidetrack_verify_bytes(lg, messages));
    if (moves_bits(run)) run->bytes = bough_add(run->bytes, bit_machine_bytes(lg, messages));
    return check_machine(run, error);
}

/* ---- results ---- */

/* Difficulty of a message set. */
typedef struct difficulty {
    double lambda, eta;
    uint64_t degree, messages;
} difficulty;

static difficulty measure_difficulty(const bough_run *run, const bough_batch *batch, workspace *w) {
    unsigned lg = lg_leaves(run);
    count_crossings(run->point.net, batch, lg, w->crossing);
    return (difficulty){crossing_factor(w->crossing, lg, pruned_lg_capacity),
                        crossing_factor(w->crossing, lg, reference_lg_weight),
                        message_degree(run->point.net, batch, w->count), batch->count};
}

typedef struct steps_taken {
    uint64_t all, stage[SIDETRACK_HEIGHTS], operation[SIDETRACK_OPERATIONS];
} steps_taken;

/* Checks the times stated by Lemmas 4 and 5. */
static bough_status check_times(const uint64_t *steps, unsigned lg, unsigned peak, bough_error *error) {
    uint64_t partition = sidetrack_partition_steps(steps), pass = sidetrack_pass_steps(steps);
    if (partition > (uint64_t)SIDETRACK_PARTITION_MAX * lg)
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "Lemma 4 does not hold: stage %u: the partition takes %" PRIu64
                          " bit steps, more than %d lg n",
                          lg - peak, partition, SIDETRACK_PARTITION_MAX);
    if (pass > (uint64_t)SIDETRACK_PASS_MAX * lg)
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "Lemma 5 does not hold: stage %u: a pass takes %" PRIu64
                          " bit steps, more than %d lg n",
                          lg - peak, pass, SIDETRACK_PASS_MAX);
    return BOUGH_OK;
}

/* Every stage includes the partition, even without messages to route. */
static bough_status add_up_steps(const bough_run *run, const sidetrack_result *r, steps_taken *taken,
                                 bough_error *error) {
    unsigned lg = lg_leaves(run);
    const sidetrack_machine machine = machine_of(run);
    bough_status status = BOUGH_OK;
    *taken = (steps_taken){0};
    for (unsigned peak = lg; peak > 0 && !status; peak--) {
        uint64_t steps[SIDETRACK_OPERATIONS];
        sidetrack_steps(&machine, peak, steps);
        if (verifies(run)) status = check_times(steps, lg, peak, error);
        for (int o = 0; o < SIDETRACK_OPERATIONS; o++) {
            uint64_t here =
                steps[o] * (sidetrack_in_passes((sidetrack_operation)o) ? r->stage_passes[peak] : 1);
            taken->operation[o] += here;
            taken->stage[peak] += here;
            taken->all += here;
        }
    }
    return status;
}

/* Stages are numbered as in the paper, from the root. */
static bough_status report_stages(const bough_run *run, const sidetrack_result *r, const steps_taken *taken,
                                  bough_rows *rows, bough_error *error) {
    unsigned lg = lg_leaves(run);
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < lg && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_STAGE_PASSES, i, r->stage_passes[lg - i], error);
    for (unsigned i = 0; i < lg && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_STAGE_BIT_STEPS, i, (double)taken->stage[lg - i], error);
    for (int o = 0; o < SIDETRACK_OPERATIONS && !status; o++)
        status =
            bough_rows_add(rows, BOUGH_METRIC_OPERATION_BIT_STEPS, o + 1, (double)taken->operation[o], error);
    return status;
}

/* What the machine counted, with the longest run of each operation in its stage. */
static bough_status report_counts(const bough_run *run, const bit_machine *m, bough_rows *rows,
                                  bough_error *error) {
    bough_status status = BOUGH_OK;
    uint64_t all = 0;
    for (int o = 0; o < SIDETRACK_OPERATIONS; o++) all += m->counted[o];
    TRY(bough_rows_add(rows, BOUGH_METRIC_BIT_STEPS_COUNTED, BOUGH_NO_ROW_INDEX, (double)all, error));
    if (!run->args.value[P_STAGES].integer) return status;
    for (int o = 0; o < SIDETRACK_OPERATIONS && !status; o++)
        status = bough_rows_add(rows, BOUGH_METRIC_OPERATION_COUNTED, o + 1, (double)m->counted[o], error);
    return status;
}

/* The circuits of section 3.2 whose steps are counted, with queues for the degree of the messages. */
static bough_layout_rules circuits_of(const bough_run *run, const difficulty *d) {
    unsigned lg = lg_leaves(run);
    return (bough_layout_rules){
        .record_bits = body_of(run) + lg + bits_of(lg - 1),
        .counter_bits = bits_of(run->point.traffic->messages),
        .queue = (uint32_t)sidetrack_queue_bound(lg, d->degree),
    };
}

static bough_status report(const method_trial *trial, const difficulty *d, const sidetrack_result *r,
                           bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    steps_taken taken;
    bough_status status = add_up_steps(run, r, &taken, error);
    double lambda = ceil(d->lambda), m = d->messages ? (double)d->messages : 1;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_PASSES, (double)r->passes},
        {true, BOUGH_METRIC_BIT_STEPS, (double)taken.all},
        {true, BOUGH_METRIC_LOAD_FACTOR, d->lambda},
        {true, BOUGH_METRIC_ETA, d->eta},
        {true, BOUGH_METRIC_DEGREE, (double)d->degree},
        {true, BOUGH_METRIC_LAMBDA_RATIO, lambda > 0 ? r->lambda_max / lambda : 0},
        {true, BOUGH_METRIC_QUEUE_MAX, r->queue_max},
        {true, BOUGH_METRIC_QUEUE_BOUND, (double)sidetrack_queue_bound(lg_leaves(run), d->degree)},
        {true, BOUGH_METRIC_SIDETRACKED, (double)r->sidetracked / m},
        {true, BOUGH_METRIC_MESSAGES, (double)d->messages},
    };
    TRY(rows_add_present(rows, lines, sizeof lines / sizeof *lines, error));
    if (run->args.value[P_STAGES].integer) TRY(report_stages(run, r, &taken, rows, error));
    if (run->args.value[P_AREA].integer) {
        const at2_run measured = {
            .steps = (double)taken.all, .body = body_of(run), .rules = circuits_of(run, d)};
        TRY(at2_add(trial, &measured, rows, error));
    }
    return status;
}

/* ---- a trial ---- */

static void sidetrack_free(void *space) {
    workspace *w = space;
    sidetrack_destroy(w->engine);
    sidetrack_verify_destroy(w->verify);
    bit_machine_destroy(w->machine);
    FREE_ALL(w->crossing, w->count, w);
}

static bough_status make(const bough_run *run, void **space, bough_error *error) {
    uint64_t n = run->point.net->endpoints, messages = run->point.traffic->messages;
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    status = sidetrack_create(lg_leaves(run), messages, &w->engine, error);
    TRY(bough_alloc(&w->crossing, 2 * n, sizeof *w->crossing, error));
    TRY(bough_alloc(&w->count, n, sizeof *w->count, error));
    if (verifies(run)) TRY(sidetrack_verify_create(lg_leaves(run), messages, &w->verify, error));
    if (moves_bits(run)) TRY(bit_machine_create(lg_leaves(run), messages, &w->machine, error));
    return status;
}

static bough_status route(const method_trial *trial, const bough_batch *batch, void *space, bough_rows *rows,
                          bough_error *error) {
    workspace *w = space;
    const bough_run *run = trial->run;
    difficulty d = measure_difficulty(run, batch, w);
    sidetrack_facts facts = {top_of(run), (uint64_t)ceil(d.lambda), d.degree};
    sidetrack_options options = {.top = facts.top, .stop = run->stop};
    sidetrack_result result;
    bit_follow follow = {.machine = w->machine};
    if (w->verify) options.watch = sidetrack_verify_begin(w->verify, batch, &facts);
    if (w->machine) {
        const sidetrack_machine machine = machine_of(run);
        options.watch = bit_follow_begin(&follow, &machine, batch, options.watch);
    }
    bough_status status = sidetrack_run(w->engine, batch, &options, &result, error);
    if (w->verify) TRY(sidetrack_verify_end(w->verify, error));
    if (w->machine) TRY(bit_follow_end(&follow, error));
    TRY(report(trial, &d, &result, rows, error));
    if (w->machine) TRY(report_counts(run, w->machine, rows, error));
    return status;
}

static bough_status sidetrack_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                    bough_error *error) {
    static const batch_steps steps = {make, route};
    return batch_trial(&(method_trial){run, key}, &steps, space, rows, error);
}

const bough_method bough_method_sidetrack = {
    .name = "sidetrack",
    .summary = "deterministic on-line routing on the pruned butterfly: batches, sorted and sidetracked",
    .source = "bay1991, section 3.3",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .lacks = method_lacks_pruned,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = sidetrack_open,
    .trial = sidetrack_trial,
    .free_workspace = sidetrack_free,
};
