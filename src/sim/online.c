/* Randomised on-line routing (Greenberg, Leiserson, 1989), which document 002 compares its routers with. A
 * message that was not delivered yet is sent in a cycle with probability min(1, 1 / (thin z)), where z stands
 * for the load factor of what is left, which nobody knows. A try begins with a guess of it, z = lg n at
 * first, and takes repeat z cycles for every z, which is halved, as what is left is, down to lg n; then lg n
 * cycles each for the square root, and its root, down to 2, and for 1. The next try has twice the guess. In
 * all O(lambda + lg n lg lg n) cycles, as the document quotes; the constants are ours. */
#include "sim/at2.h"
#include "sim/methods.h"
#include "sim/online_cycle.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { P_BODY, P_THIN, P_REPEAT, P_AREA };

static const bough_param params[] = {
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
    [P_THIN] = {"thin", "messages are sent with probability 1 / (thin z)", BOUGH_REAL, "1", 0.01, 100},
    [P_REPEAT] = {"repeat", "cycles for each unit of z", BOUGH_REAL, "1", 0.01, 100},
    [P_AREA] = AT2_PARAM,
    BOUGH_PARAMS_END,
};

static uint64_t body_of(const bough_run *run) {
    const bough_value *body = &run->args.value[P_BODY];
    return body->set ? (uint64_t)body->integer : run->point.net->levels;
}

static bough_status online_open(bough_run *run, bough_error *error) {
    one_cycle_tree tree;
    bough_status status = one_cycle_tree_of(run->point.net, &tree, error);
    if (!status && run->args.value[P_AREA].integer) status = at2_open(run, error);
    if (!status && run->point.traffic->messages >= UINT32_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, NULL, "online: %" PRIu64 " messages; 2^32 - 2 at most",
                            run->point.traffic->messages);
    run->draws = true;
    run->bytes = bough_add(bough_mul(run->point.traffic->messages, 8 + 9 + sizeof(online_contender)),
                           bough_mul(run->point.net->endpoints, 20));
    return status;
}

/* ---- the schedule ---- */

typedef struct schedule {
    double guess, z, thin, repeat;
    uint64_t left; /* cycles of this z */
    unsigned lg;
} schedule;

static void set_z(schedule *s, double z) {
    s->z = z;
    s->left = z > s->lg ? (uint64_t)ceil(s->repeat * z) : s->lg;
}

static schedule begin(const bough_run *run) {
    unsigned lg = run->point.net->levels;
    schedule s = {lg, lg, run->args.value[P_THIN].real, run->args.value[P_REPEAT].real, 0, lg};
    set_z(&s, s.guess);
    return s;
}

/* The probability of the next cycle. */
static double next_cycle(schedule *s) {
    if (s->left == 0) {
        if (s->z <= 1)
            set_z(s, s->guess *= 2);
        else
            set_z(s, s->z > s->lg ? fmax(s->z / 2, s->lg) : s->z > 2 ? fmax(sqrt(s->z), 2) : 1);
    }
    s->left--;
    return fmin(1, 1 / (s->thin * s->z));
}

/* ---- a trial ---- */

typedef struct state {
    bough_batch batch;
    uint32_t *waiting, *sent; /* in order of sources */
    uint8_t *delivered;
    online_contender *space;
    uint32_t left;
} state;

static int by_key(const void *a, const void *b) {
    const online_contender *x = a, *y = b;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

static bough_status prepare(const bough_run *run, bough_key key, state *s, bough_error *error) {
    bough_status status = bough_batch_read(run->point.traffic, key, &s->batch, error);
    uint64_t n = s->batch.count;
    if (!status) status = bough_alloc(&s->waiting, n, sizeof *s->waiting, error);
    if (!status) status = bough_alloc(&s->sent, n, sizeof *s->sent, error);
    if (!status) status = bough_alloc(&s->delivered, n, 1, error);
    if (!status) status = bough_alloc(&s->space, n, sizeof *s->space, error);
    if (status) return status;
    for (uint64_t i = 0; i < n; i++)
        if (s->batch.source[i] != s->batch.address[i])
            s->space[s->left++].draw = (uint64_t)s->batch.source[i] << 32 | i;
    qsort(s->space, s->left, sizeof *s->space, by_key);
    for (uint32_t i = 0; i < s->left; i++) s->waiting[i] = (uint32_t)s->space[i].draw;
    return BOUGH_OK;
}

static void run_cycle(state *s, const one_cycle_tree *tree, bough_key key, uint64_t cycle, double share) {
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < s->left; i++)
        if (bough_unit(bough_word(key, BOUGH_DRAW_SEND, s->waiting[i], cycle)) < share)
            s->sent[count++] = s->waiting[i];
    count = online_cycle(tree, &s->batch, key, cycle, s->sent, count, s->space);
    for (uint32_t i = 0; i < count; i++) s->delivered[s->sent[i]] = 1;
    for (uint32_t i = 0; i < s->left; i++)
        if (!s->delivered[s->waiting[i]]) s->waiting[kept++] = s->waiting[i];
    s->left = kept;
}

/* A cycle is as long for everybody: up and down 2 lg n vertices, the address and the body behind, and a bit
 * back that says that it arrived. */
static uint64_t cycle_steps(const bough_run *run) {
    return 4 * run->point.net->levels + run->point.net->levels + body_of(run) + 1;
}

static bough_status report(const bough_run *run, bough_key key, const state *s, uint64_t cycles,
                           bough_rows *rows, bough_error *error) {
    double steps = (double)(cycles * cycle_steps(run));
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_PASSES, BOUGH_NO_ROW_INDEX, (double)cycles, error);
    if (!status) status = bough_rows_add(rows, BOUGH_METRIC_BIT_STEPS, BOUGH_NO_ROW_INDEX, steps, error);
    if (!status)
        status =
            bough_rows_add(rows, BOUGH_METRIC_MESSAGES, BOUGH_NO_ROW_INDEX, (double)s->batch.count, error);
    if (!status && run->args.value[P_AREA].integer)
        status = at2_add(run, key, steps, (double)body_of(run), rows, error);
    return status;
}

static bough_status online_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    one_cycle_tree tree;
    state s = {0};
    schedule plan = begin(run);
    uint64_t cycles = 0;
    (void)workspace;
    bough_status status = one_cycle_tree_of(run->point.net, &tree, error);
    if (!status) status = prepare(run, key, &s, error);
    while (!status && s.left) {
        run_cycle(&s, &tree, key, cycles++, next_cycle(&plan));
        if (bough_run_stopped(run)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    }
    if (!status) status = report(run, key, &s, cycles, rows, error);
    bough_batch_fini(&s.batch);
    free(s.waiting);
    free(s.sent);
    free(s.delivered);
    free(s.space);
    return status;
}

const bough_method bough_method_online = {
    .name = "online",
    .summary = "randomised on-line routing on binary fat-trees: delivery cycles, each message sent with some "
               "probability",
    .source = "Greenberg, Leiserson: Randomized routing on fat-trees, 1989; document 002, section 1",
    .params = params,
    .headline = BOUGH_METRIC_PASSES,
    .needs_net = BOUGH_GIVES_CHANNELS,
    .needs_traffic = 1 << BOUGH_BATCH,
    .open = online_open,
    .trial = online_trial,
};
