/* The messages of a stage are sorted by leaf (in order of arrival) and numbered from left to right in each
 * subtree: slot g of T belongs to batch g mod lambda_T, with rank g / lambda_T. The slots of a leaf are not
 * its messages in order: its queue releases them batch by batch. Then all are sorted by destination and
 * distributed to their batches. So every batch is sorted, stably and in linear time. */
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "network/families/pruned_shape.h"
#include "papers/bay1991/sidetrack.h"

#include <string.h>

/* ---- sidetrack expand ---- */

/* Expansion with sidetracking: the messages of one batch on their way down, and the persistent direction
 * bits. */

/* All messages descend one height together. The vertex of a message within a node is its rank in binary
 * without the upper bits, one bit less at every second height, whatever edges it took. So in bit-reversed
 * order of ranks, messages of one vertex are adjacent at every height, the one from the lower-indexed parent
 * first. Splitting the messages of a node into left and right preserves that order, so only direction bits
 * have to be looked up. */

typedef struct sidetrack_expander {
    uint64_t *direction;              /* one bit per vertex; 0: left */
    uint64_t base[SIDETRACK_HEIGHTS]; /* first bit of each height */
    const uint32_t *target;           /* per message */
    sidetrack_head *head, *next, *right;
    uint64_t sidetracked; /* times that a message was sidetracked */
} sidetrack_expander;

/* A batch of a subtree: message[0 .. count - 1], sorted by destination. */
typedef struct sidetrack_batch {
    const sidetrack_subtree *tree;
    unsigned top; /* height of the node on top, which has at least count vertices */
    const uint32_t *message;
    uint32_t count;
} sidetrack_batch;

static uint64_t direction_words(unsigned lg) {
    uint64_t vertices = 0;
    for (unsigned h = 0; h <= lg; h++) vertices += (UINT64_C(1) << (lg - h)) << pruned_lg_vertices(h);
    return vertices / 64 + 1;
}

static uint64_t sidetrack_expander_bytes(unsigned lg) {
    uint64_t heads = UINT64_C(3) << pruned_lg_vertices(lg);
    return direction_words(lg) * 8 + heads * sizeof(sidetrack_head);
}

static bough_status sidetrack_expander_init(sidetrack_expander *x, unsigned lg, bough_error *error) {
    uint64_t most = UINT64_C(1) << pruned_lg_vertices(lg);
    *x = (sidetrack_expander){0};
    for (unsigned h = 0; h < lg; h++)
        x->base[h + 1] = x->base[h] + ((UINT64_C(1) << (lg - h)) << pruned_lg_vertices(h));
    bough_status status = bough_alloc(&x->direction, direction_words(lg), sizeof *x->direction, error);
    TRY(bough_alloc(&x->head, most, sizeof *x->head, error));
    TRY(bough_alloc(&x->next, most, sizeof *x->next, error));
    TRY(bough_alloc(&x->right, most, sizeof *x->right, error));
    return status;
}

static void sidetrack_expander_fini(sidetrack_expander *x) {
    FREE_ALL(x->direction, x->head, x->next, x->right);
}

/* Starts a run, which borrows the messages' targets: sets all direction bits to left. */
static void sidetrack_expander_reset(sidetrack_expander *x, unsigned lg, const uint32_t *target) {
    memset(x->direction, 0, direction_words(lg) * sizeof *x->direction);
    x->target = target;
    x->sidetracked = 0;
}

/* Places the messages at the vertices of the top node, by the reversed bits of their ranks: 0, 4, 2, 6, 1, 5,
 * 3, 7. */
static void line_up(sidetrack_expander *x, const sidetrack_batch *batch) {
    const uint32_t *message = batch->message, *target = x->target;
    uint32_t node = batch->top == batch->tree->peak ? batch->tree->index / 2 : batch->tree->index ^ 1;
    uint32_t count = batch->count, top = 1, rank = 0, got = 0;
    while (top < count) top *= 2;
    while (got < count) {
        if (rank < count)
            x->head[got++] = (sidetrack_head){node, rank, message[rank], target[message[rank]], 0};
        uint32_t bit = top / 2; /* adds one to the bit-reversed number */
        for (; rank & bit; bit /= 2) rank ^= bit;
        rank |= bit;
    }
}

static unsigned flip_direction(sidetrack_expander *x, uint64_t vertex) {
    uint64_t *word = &x->direction[vertex / 64], bit = UINT64_C(1) << (vertex & 63);
    unsigned side = (*word & bit) != 0;
    *word ^= bit;
    return side;
}

/* The edge of the first of two messages; the other takes the other edge. An active message goes to its
 * destination; of two that request one edge, the one with the smaller rank takes it; of two sidetracked ones,
 * that of the lower-indexed parent goes left. */
static unsigned resolve_conflict(sidetrack_expander *x, unsigned height, sidetrack_head *a,
                                 sidetrack_head *b) {
    unsigned side_a = a->target >> (height - 1) & 1, side_b = b->target >> (height - 1) & 1;
    if (a->sidetracked) return b->sidetracked ? 0 : !side_b;
    if (b->sidetracked || side_a != side_b) return side_a;
    x->sidetracked++;
    if (a->rank < b->rank) {
        b->sidetracked = 1;
        return side_a;
    }
    a->sidetracked = 1;
    return !side_b;
}

/* Moves the messages from the vertices of a height to the next lower ones. */
static void descend(sidetrack_expander *x, unsigned height, uint32_t count) {
    unsigned lg_vertices = pruned_lg_vertices(height);
    uint32_t low = (UINT32_C(1) << lg_vertices) - 1;
    sidetrack_head *in = x->head, *end = in + count, *left = x->next;
    while (in < end) {
        uint32_t node = in->node;
        sidetrack_head *right = x->right;
        while (in < end && in->node == node) {
            unsigned side;
            sidetrack_head a = *in++;
            bool two = in < end && in->node == node && ((in->rank ^ a.rank) & low) == 0;
            if (two) {
                sidetrack_head b = *in++;
                side = resolve_conflict(x, height, &a, &b);
                b.node = 2 * node + !side;
                *(side ? left++ : right++) = b;
            } else {
                side = a.sidetracked ? flip_direction(x, x->base[height] +
                                                             ((uint64_t)node << lg_vertices | (a.rank & low)))
                                     : a.target >> (height - 1) & 1;
            }
            a.node = 2 * node + side;
            *(side ? right++ : left++) = a;
        }
        size_t rights = (size_t)(right - x->right);
        memcpy(left, x->right, rights * sizeof *left);
        left += rights;
    }
    sidetrack_head *swap = x->head;
    x->head = x->next;
    x->next = swap;
}

/* Moves the messages of a batch from vertices 0, 1, .. of the node on top down to the leaves. They arrive in
 * x->head, in the order described at sidetrack_front. */
static bough_status sidetrack_expand(sidetrack_expander *x, const sidetrack_batch *batch,
                                     const sidetrack_watch *watch, bough_error *error) {
    bough_status status = BOUGH_OK;
    line_up(x, batch);
    for (unsigned height = batch->top; !status; height--) {
        const sidetrack_front front = {batch->tree, height, x->head, batch->count};
        if (watch && watch->descent) status = watch->descent(watch->context, &front, error);
        if (height == 0) break;
        descend(x, height, batch->count);
    }
    return status;
}

/* ---- sidetrack engine ---- */

#define NO_MESSAGE UINT32_MAX

/* Messages whose peak has one height, in order of arrival. */
typedef struct queue {
    uint32_t first, last, count;
} queue;

struct sidetrack_engine {
    unsigned lg;
    uint32_t leaves;
    const uint32_t *target;  /* per message */
    uint32_t *next;          /* next message in its queue */
    uint32_t *leaf;          /* its position */
    uint8_t *moved;          /* it has been sidetracked */
    uint32_t *order;         /* stage: by leaf, in order of arrival; then counters of batches */
    uint32_t *slot;          /* stage: by subtree and slot */
    uint32_t *sorted;        /* stage: slots by destination */
    uint32_t *dealt;         /* stage: by subtree, batch and destination */
    sidetrack_subtree *tree; /* stage: subtrees with messages, from left to right */
    uint32_t *alive;         /* stage: those with remaining batches */
    uint32_t alive_count;
    uint32_t *end;    /* stage: end of a leaf's messages in `order`, then of a target's in `sorted` */
    uint32_t *load;   /* partition: per channel */
    uint32_t *stored; /* sidetracked messages per leaf */
    queue queue[SIDETRACK_HEIGHTS];
    sidetrack_expander x;
};

/* ---- memory ---- */

enum { BYTES_A_MESSAGE = 8 * sizeof(uint32_t) + sizeof(sidetrack_subtree) };

uint64_t sidetrack_bytes(unsigned lg, uint64_t messages) {
    uint64_t bytes = bough_mul(messages, BYTES_A_MESSAGE);
    bytes = bough_add(bytes, bough_mul(UINT64_C(3) << lg, sizeof(uint32_t)));
    return bough_add(bytes, sidetrack_expander_bytes(lg));
}

bough_status sidetrack_create(unsigned lg, uint64_t messages, sidetrack_engine **out, bough_error *error) {
    sidetrack_engine *e;
    bough_status status = bough_alloc(out, 1, sizeof *e, error);
    if (status) return status;
    e = *out;
    e->lg = lg;
    e->leaves = UINT32_C(1) << lg;
    status = sidetrack_expander_init(&e->x, lg, error);
    TRY(bough_alloc(&e->end, e->leaves, sizeof *e->end, error));
    TRY(bough_alloc(&e->load, e->leaves, sizeof *e->load, error));
    TRY(bough_alloc(&e->stored, e->leaves, sizeof *e->stored, error));
    uint32_t **const array[] = {&e->next, &e->leaf, &e->order, &e->slot, &e->sorted, &e->dealt, &e->alive};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        TRY(bough_alloc(array[i], messages, sizeof **array[i], error));
    TRY(bough_alloc(&e->moved, messages, sizeof *e->moved, error));
    TRY(bough_alloc(&e->tree, messages, sizeof *e->tree, error));
    if (status) {
        sidetrack_destroy(e);
        *out = NULL;
    }
    return status;
}

void sidetrack_destroy(sidetrack_engine *e) {
    if (!e) return;
    FREE_ALL(e->next, e->leaf, e->moved, e->order, e->slot, e->sorted, e->dealt, e->tree, e->alive);
    sidetrack_expander_fini(&e->x);
    FREE_ALL(e->end, e->load, e->stored, e);
}

/* ---- queues ---- */

/* A message arrives at a leaf that is not its destination. */
static void store(sidetrack_engine *e, uint32_t message, uint32_t leaf) {
    queue *q = &e->queue[32 - (unsigned)__builtin_clz(leaf ^ e->target[message])];
    e->next[message] = NO_MESSAGE;
    if (q->count++)
        e->next[q->last] = message;
    else
        q->first = message;
    q->last = message;
}

static void load_batch(sidetrack_engine *e, const bough_batch *batch) {
    memset(e->stored, 0, e->leaves * sizeof *e->stored);
    memset(e->queue, 0, sizeof e->queue);
    e->target = batch->address;
    for (uint64_t m = 0; m < batch->count; m++) {
        e->leaf[m] = batch->source[m];
        e->moved[m] = 0;
        if (batch->source[m] != batch->address[m]) store(e, (uint32_t)m, batch->source[m]);
    }
}

/* ---- partition ---- */

/* Converts counts of keys to the first place of each key; after all are placed, these are the ends. */
static void begin_at(uint32_t *count, uint32_t keys) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t here = count[k];
        count[k] = sum;
        sum += here;
    }
}

/* Empties a queue into `order`, by leaf, in order of arrival. */
static void gather(sidetrack_engine *e, queue *q) {
    memset(e->end, 0, e->leaves * sizeof *e->end);
    for (uint32_t m = q->first, i = 0; i < q->count; m = e->next[m], i++) e->end[e->leaf[m]]++;
    begin_at(e->end, e->leaves);
    for (uint32_t m = q->first, i = 0; i < q->count; m = e->next[m], i++) e->order[e->end[e->leaf[m]]++] = m;
    *q = (queue){0};
}

static uint32_t begin_of(const sidetrack_engine *e, uint32_t key) {
    return key ? e->end[key - 1] : 0;
}

/* lambda_T: leaf-to-root sums of the leaves' counters, over capacity, rounded up; maximum over the channels
 * of T, including the one above its root. */
static uint32_t count_batches(sidetrack_engine *e, uint32_t first, unsigned height, sidetrack_top top) {
    uint32_t lambda = 0, *load = e->load;
    for (uint32_t l = 0; l < UINT32_C(1) << height; l++) load[l] = e->end[first + l] - begin_of(e, first + l);
    for (unsigned h = 0;; h++) {
        unsigned lg_capacity = pruned_lg_capacity(h);
        if (h == height && top == SIDETRACK_ROOT) lg_capacity = pruned_lg_vertices(h);
        uint32_t round_up = (UINT32_C(1) << lg_capacity) - 1;
        for (uint32_t node = 0; node < UINT32_C(1) << (height - h); node++) {
            uint32_t batches = (load[node] >> lg_capacity) + ((load[node] & round_up) != 0);
            if (batches > lambda) lambda = batches;
        }
        if (h == height) return lambda;
        for (uint32_t node = 0; node < UINT32_C(1) << (height - h - 1); node++)
            load[node] = load[2 * node] + load[2 * node + 1];
    }
}

/* Slots x .. x + y - 1 of T belong to a leaf, which releases its messages in the order of their batches. */
static void fill_slots(const uint32_t *order, uint32_t *slot, uint32_t x, uint32_t y, uint32_t lambda) {
    uint32_t batch = x % lambda, left = lambda - batch; /* slots before batch 0 starts */
    if (y <= lambda) {
        uint32_t wrapped = y > left ? y - left : 0;
        memcpy(slot + (y - wrapped), order, wrapped * sizeof *slot);
        memcpy(slot, order + wrapped, (y - wrapped) * sizeof *slot);
        return;
    }
    for (uint32_t b = 0; b < lambda; b++)
        for (uint32_t i = b < batch ? b + left : b - batch; i < y; i += lambda) slot[i] = *order++;
}

static uint32_t find_subtrees(sidetrack_engine *e, unsigned peak, sidetrack_top top) {
    unsigned height = peak - 1;
    uint32_t trees = 0;
    for (uint32_t index = 0; index < e->leaves >> height; index++) {
        uint32_t first = index << height, begin = begin_of(e, first);
        uint32_t count = e->end[first + (UINT32_C(1) << height) - 1] - begin;
        if (count == 0) continue;
        uint32_t lambda = count_batches(e, first, height, top);
        for (uint32_t l = first, at = begin; at < begin + count; at = e->end[l++])
            fill_slots(e->order + at, e->slot + at, at - begin, e->end[l] - at, lambda);
        e->tree[trees++] = (sidetrack_subtree){peak, index, lambda, count, e->slot + begin};
    }
    return trees;
}

/* ---- batches ---- */

static void sort_slots(sidetrack_engine *e, uint32_t count) {
    memset(e->end, 0, e->leaves * sizeof *e->end);
    for (uint32_t g = 0; g < count; g++) e->end[e->target[e->slot[g]]]++;
    begin_at(e->end, e->leaves);
    for (uint32_t g = 0; g < count; g++) e->sorted[e->end[e->target[e->slot[g]]]++] = g;
}

/* Start of batch b of T among the messages of T; b = lambda: their number. */
static uint32_t batch_begin(const sidetrack_subtree *t, uint32_t b) {
    uint32_t rest = t->count % t->lambda;
    return b * (t->count / t->lambda) + (b < rest ? b : rest);
}

/* All destinations of T are in its sibling, and no other subtree has destinations there: they are contiguous
 * in `sorted`. */
static void deal(sidetrack_engine *e, const sidetrack_subtree *t) {
    uint32_t begin = (uint32_t)(t->slot - e->slot), *next = e->order + begin;
    const uint32_t *sorted = e->sorted + begin_of(e, (t->index ^ 1) << (t->peak - 1));
    for (uint32_t b = 0; b < t->lambda; b++) next[b] = batch_begin(t, b);
    for (uint32_t i = 0; i < t->count; i++)
        e->dealt[begin + next[(sorted[i] - begin) % t->lambda]++] = e->slot[sorted[i]];
}

static sidetrack_batch batch_of(const sidetrack_engine *e, const sidetrack_subtree *t, uint32_t b,
                                sidetrack_top top) {
    uint32_t first = batch_begin(t, b);
    return (sidetrack_batch){.tree = t,
                             .top = top == SIDETRACK_PEAK ? t->peak : t->peak - 1,
                             .message = e->dealt + (t->slot - e->slot) + first,
                             .count = batch_begin(t, b + 1) - first};
}

/* The messages of a batch leave their leaves. */
static void leave(sidetrack_engine *e, const sidetrack_batch *batch) {
    for (const uint32_t *m = batch->message; m < batch->message + batch->count; m++)
        if (e->moved[*m]) e->stored[e->leaf[*m]]--;
}

static void arrive(sidetrack_engine *e, uint32_t count, sidetrack_result *result) {
    for (const sidetrack_head *head = e->x.head; head < e->x.head + count; head++) {
        uint32_t leaf = head->node, message = head->message;
        e->leaf[message] = leaf;
        if (e->target[message] == leaf) continue;
        e->moved[message] = 1;
        if (++e->stored[leaf] > result->queue_max) result->queue_max = e->stored[leaf];
        store(e, message, leaf);
    }
}

/* ---- stages ---- */

static bough_status run_pass(sidetrack_engine *e, const sidetrack_options *o, uint32_t pass,
                             sidetrack_result *result, bough_error *error) {
    bough_status status = BOUGH_OK;
    uint32_t left = 0;
    for (uint32_t i = 0; i < e->alive_count; i++) {
        sidetrack_batch batch = batch_of(e, &e->tree[e->alive[i]], pass, o->top);
        leave(e, &batch);
    }
    for (uint32_t i = 0; i < e->alive_count && !status; i++) {
        sidetrack_batch batch = batch_of(e, &e->tree[e->alive[i]], pass, o->top);
        status = sidetrack_expand(&e->x, &batch, o->watch, error);
        if (!status) arrive(e, batch.count, result);
        if (pass + 1 < batch.tree->lambda) e->alive[left++] = e->alive[i];
    }
    e->alive_count = left;
    return status;
}

static bough_status run_stage(sidetrack_engine *e, const sidetrack_options *o, unsigned peak,
                              sidetrack_result *result, bough_error *error) {
    const sidetrack_watch *w = o->watch;
    bough_status status = BOUGH_OK;
    uint32_t count = e->queue[peak].count, pass = 0;
    gather(e, &e->queue[peak]);
    uint32_t trees = find_subtrees(e, peak, o->top);
    sort_slots(e, count);
    for (uint32_t i = 0; i < trees && !status; i++) {
        deal(e, &e->tree[i]);
        e->alive[i] = i;
        if (w && w->subtree) status = w->subtree(w->context, &e->tree[i], e->leaf, error);
    }
    for (e->alive_count = trees; e->alive_count && !status; pass++) {
        if (stop_asked(o->stop)) return stop_check(o->stop, error);
        status = run_pass(e, o, pass, result, error);
        if (!status && w && w->pass) status = w->pass(w->context, peak, pass, e->leaf, error);
    }
    if (!status && w && w->stage) status = w->stage(w->context, peak, error);
    result->stage_passes[peak] = pass;
    result->passes += pass;
    if (pass > result->lambda_max) result->lambda_max = pass;
    return status;
}

bough_status sidetrack_run(sidetrack_engine *e, const bough_batch *batch, const sidetrack_options *o,
                           sidetrack_result *result, bough_error *error) {
    *result = (sidetrack_result){0};
    bough_status status = BOUGH_OK;
    load_batch(e, batch);
    sidetrack_expander_reset(&e->x, e->lg, e->target);
    for (unsigned peak = e->lg; peak > 0 && !status; peak--)
        if (e->queue[peak].count) status = run_stage(e, o, peak, result, error);
    result->sidetracked = e->x.sidetracked;
    return status;
}
