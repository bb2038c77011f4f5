/* Off-line routing by Leiserson's partition (1985), which document 002 compares its routers with: the
 * messages of one peak level after the other; of each peak and direction a set, halved until every part is a
 * one-cycle set. Different peaks of a level have different channels, so a level takes as many cycles as its
 * fullest set. The partition itself takes no time: it is made before. */
#include "sim/at2.h"
#include "sim/methods.h"
#include "sim/one_cycle.h"

#include "base/memory.h"
#include "model/crossings.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_BODY, P_STAGES, P_AREA };

static const bough_param params[] = {
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
    [P_STAGES] = {"stages", "delivery cycles by peak level", BOUGH_FLAG, "0"},
    [P_AREA] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

static uint64_t body_of(const bough_run *run) {
    const bough_value *body = &run->args.value[P_BODY];
    return body->set ? (uint64_t)body->integer : run->point.net->levels;
}

static bough_status offline_open(bough_run *run, bough_error *error) {
    one_cycle_tree tree;
    bough_status status = one_cycle_tree_of(run->point.net, &tree, error);
    if (!status && run->args.value[P_AREA].integer) status = at2_open(run, error);
    if (!status && run->point.traffic->messages >= UINT32_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "offline: %" PRIu64 " messages; 2^32 - 2 at most",
                            run->point.traffic->messages);
    run->bytes = bough_add(bough_mul(run->point.traffic->messages, 8 + 21 + 16),
                           bough_mul(run->point.net->endpoints, 20));
    return status;
}

/* ---- the partition ---- */

typedef struct partition {
    const one_cycle_tree *tree;
    const bough_batch *batch;
    one_cycle_space *space;
} partition;

/* Parts that a set is halved into; a message a cycle always fits. */
static uint64_t cycles_of(const partition *p, one_cycle_set set, unsigned peak) {
    if (set.count == 0) return 0;
    if (set.count == 1 || one_cycle_fits(p->tree, p->batch, &set, peak)) return 1;
    uint32_t first = one_cycle_halve(p->batch, &set, peak, p->space);
    const one_cycle_set one = {set.by_source, set.by_destination, first};
    const one_cycle_set other = {set.by_source + first, set.by_destination + first, set.count - first};
    return cycles_of(p, one, peak) + cycles_of(p, other, peak);
}

typedef struct sorted {
    uint32_t *by_source, *by_destination;
    uint32_t count;
} sorted;

/* qsort has no context of its own in C17: keys and numbers are sorted together. */
typedef struct keyed {
    uint64_t key;
    uint32_t number;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Numbers of messages by peak, by the half their sources are in, by end. */
static void sort_by(const bough_batch *b, bool destination, keyed *space, uint32_t *order, uint32_t *count) {
    uint32_t n = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        if (b->source[i] == b->address[i]) continue;
        unsigned peak = one_cycle_peak(b->source[i], b->address[i]);
        uint64_t half = b->source[i] >> (peak - 1);
        /* sources are in order of halves anyway; destinations of a half are in its sibling */
        uint64_t end = destination
                           ? (half << (peak - 1)) | (b->address[i] & ((UINT32_C(1) << (peak - 1)) - 1))
                           : b->source[i];
        space[n++] = (keyed){(uint64_t)peak << 32 | end, (uint32_t)i};
    }
    qsort(space, n, sizeof *space, by_key);
    for (uint32_t i = 0; i < n; i++) order[i] = space[i].number;
    *count = n;
}

static bough_status sort_messages(const bough_batch *b, sorted *s, bough_error *error) {
    keyed *space = NULL;
    bough_status status = bough_alloc(&s->by_source, b->count, sizeof(uint32_t), error);
    if (!status) status = bough_alloc(&s->by_destination, b->count, sizeof(uint32_t), error);
    if (!status) status = bough_alloc(&space, b->count, sizeof *space, error);
    if (!status) {
        sort_by(b, false, space, s->by_source, &s->count);
        sort_by(b, true, space, s->by_destination, &s->count);
    }
    free(space);
    return status;
}

static void count_cycles(const partition *p, const sorted *s, uint64_t *cycles) {
    for (uint32_t from = 0, to; from < s->count; from = to) {
        uint32_t head = s->by_source[from];
        unsigned peak = one_cycle_peak(p->batch->source[head], p->batch->address[head]);
        for (to = from; to < s->count; to++) {
            uint32_t m = s->by_source[to];
            if (one_cycle_peak(p->batch->source[m], p->batch->address[m]) != peak ||
                p->batch->source[m] >> (peak - 1) != p->batch->source[head] >> (peak - 1))
                break;
        }
        const one_cycle_set set = {s->by_source + from, s->by_destination + from, to - from};
        uint64_t here = cycles_of(p, set, peak);
        if (here > cycles[peak]) cycles[peak] = here;
    }
}

/* ---- a trial ---- */

static bough_status judge(const bough_net *net, const bough_batch *b, double *lambda, double *eta,
                          bough_error *error) {
    uint64_t *crossing;
    bough_status status = bough_alloc(&crossing, 2 * net->endpoints, sizeof *crossing, error);
    if (status) return status;
    count_crossings(net, b, net->levels, crossing);
    *lambda = 0;
    for (uint64_t v = 2 * net->endpoints - 1; v > 1; v--) {
        unsigned height = net->levels - (63 - (unsigned)__builtin_clzll(v));
        double here = (double)crossing[v] / (double)net->ops->channel_capacity(net, height, 0);
        if (here > *lambda) *lambda = here;
    }
    *eta = crossing_factor(crossing, net->levels, reference_lg_weight);
    free(crossing);
    return BOUGH_OK;
}

/* A cycle of peak p: address and body go bit after bit through 2 p vertices whose switches are set. */
static bough_status report(const bough_run *run, bough_key key, const bough_batch *b, const uint64_t *cycles,
                           bough_rows *rows, bough_error *error) {
    const bough_net *net = run->point.net;
    uint64_t all = 0, steps = 0, body = body_of(run);
    double lambda = 0, eta = 0;
    bough_status status = judge(net, b, &lambda, &eta, error);
    for (unsigned p = 1; p <= net->levels; p++) {
        all += cycles[p];
        steps += cycles[p] * (2 * p + net->levels + body);
    }
    const struct {
        bough_metric_id metric;
        double value;
    } line[] = {
        {BOUGH_METRIC_PASSES, (double)all},        {BOUGH_METRIC_BIT_STEPS, (double)steps},
        {BOUGH_METRIC_LOAD_FACTOR, lambda},        {BOUGH_METRIC_ETA, eta},
        {BOUGH_METRIC_MESSAGES, (double)b->count},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line && !status; i++)
        status = bough_rows_add(rows, line[i].metric, BOUGH_NO_ROW_INDEX, line[i].value, error);
    for (unsigned i = 0; i < net->levels && run->args.value[P_STAGES].integer && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_STAGE_PASSES, i, (double)cycles[net->levels - i], error);
    if (!status && run->args.value[P_AREA].integer)
        status = at2_add(run, key, (double)steps, (double)body, rows, error);
    return status;
}

static bough_status offline_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                  bough_error *error) {
    one_cycle_tree tree;
    bough_batch batch = {0};
    sorted s = {0};
    uint64_t cycles[ONE_CYCLE_HEIGHTS] = {0};
    partition p = {.tree = &tree, .batch = &batch};
    (void)workspace;
    bough_status status = one_cycle_tree_of(run->point.net, &tree, error);
    if (!status) status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (!status) status = sort_messages(&batch, &s, error);
    if (!status) status = one_cycle_space_make((uint32_t)batch.count, &p.space, error);
    if (!status) {
        count_cycles(&p, &s, cycles);
        status = report(run, key, &batch, cycles, rows, error);
    }
    one_cycle_space_free(p.space);
    free(s.by_source);
    free(s.by_destination);
    bough_batch_fini(&batch);
    return status;
}

const bough_method bough_method_offline = {
    .name = "offline",
    .summary = "off-line routing on binary fat-trees: messages partitioned into delivery cycles beforehand",
    .source =
        "Leiserson: Fat-trees: universal networks for hardware-efficient supercomputing, 1985; document "
        "002, section 1",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_GIVES_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .open = offline_open,
    .trial = offline_trial,
};
