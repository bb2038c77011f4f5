#include "papers/bay1991/sidetrack_verify.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/pruned_shape.h"

#include <inttypes.h>
#include <string.h>

#define NO_NODE UINT32_MAX

/* State of a message. */
enum { SIDETRACKED = 1, /* in its current or last batch */ STORED = 2 /* at a leaf that is not its own */ };

struct sidetrack_verify {
    sidetrack_watch watch;
    unsigned lg;
    sidetrack_facts facts;
    uint64_t queue_bound;
    const bough_batch *batch;
    uint8_t *message;
    uint32_t *at;      /* per message: the leaf */
    uint32_t *touched; /* leaves with arrivals or departures in this pass */
    uint64_t touched_count;
    uint32_t *node;   /* a count per node of a height, 0 between uses */
    uint32_t *stored; /* sidetracked messages per leaf */
    uint64_t *sum;    /* the same per subtree, in heap order (root 1): s(T) of Lemma 7 as of the last pass */
    uint32_t *most;   /* x(T) */
    uint64_t *edge;   /* per channel: the last sequence of messages that used it */
    uint64_t run;
    uint64_t on_way; /* messages of this stage that have not moved */
    bool fits;       /* the current expansion has load factor 1 or less */
};

/* The paper's level for a height. */
static unsigned level(const sidetrack_verify *v, unsigned height) {
    return v->lg - height;
}

#define BROKEN(lemma, t, format, ...)                                                                        \
    bough_fail(error, BOUGH_FAILED, NULL,                                                                    \
               lemma " does not hold: stage %u, subtree of node <%u,%" PRIu32 ">: " format,                  \
               level(v, (t)->peak), level(v, (t)->peak) + 1, (t)->index, __VA_ARGS__)

static uint32_t capacity_of(unsigned height) {
    return UINT32_C(1) << pruned_lg_capacity(height);
}

/* The height of the node on top of a subtree's batches. */
static unsigned top_of(const sidetrack_verify *v, const sidetrack_subtree *t) {
    return v->facts.top == SIDETRACK_PEAK ? t->peak : t->peak - 1;
}

/* ---- the batches of a subtree, and their compression ---- */

/* A batch on its way from the leaves to the node on top. */
typedef struct ascent {
    const sidetrack_subtree *tree;
    uint32_t batch, count;
    const uint32_t *leaf; /* per message */
} ascent;

/* The leaf of the message of a rank. */
static uint32_t leaf_of(const ascent *a, uint32_t rank) {
    return a->leaf[a->tree->slot[a->batch + (uint64_t)rank * a->tree->lambda]];
}

/* Checks one batch in the channels of a height: below a node there are at most as many of its messages as the
 * node's channel has edges, and no two of them use one edge; the message of rank h uses edge h mod
 * capacity. */
static bough_status check_ascent(sidetrack_verify *v, const ascent *a, unsigned height, bough_error *error) {
    uint32_t capacity = capacity_of(height), full = NO_NODE;
    for (uint32_t h = 0; h < a->count; h++) {
        uint32_t node = leaf_of(a, h) >> height;
        if (++v->node[node] > capacity) full = node;
    }
    for (uint32_t h = 0; h < a->count; h++) v->node[leaf_of(a, h) >> height] = 0;
    if (full != NO_NODE)
        return BROKEN("Lemma 4", a->tree,
                      "batch %" PRIu32 " has more than %" PRIu32 " messages below <%u,%" PRIu32 ">", a->batch,
                      capacity, level(v, height), full);
    v->run++;
    for (uint32_t h = 0; h < a->count; h++) {
        uint32_t node = leaf_of(a, h) >> height;
        uint64_t *edge = &v->edge[(uint64_t)node * capacity + (h & (capacity - 1))];
        if (*edge == v->run)
            return BROKEN("Corollary 1", a->tree,
                          "two messages of batch %" PRIu32 " request one edge above <%u,%" PRIu32 ">",
                          a->batch, level(v, height), node);
        *edge = v->run;
    }
    return BOUGH_OK;
}

static bough_status check_batch(sidetrack_verify *v, const ascent *a, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (a->count > UINT32_C(1) << pruned_lg_vertices(top_of(v, a->tree)))
        return BROKEN("The compression", a->tree,
                      "batch %" PRIu32 " has %" PRIu32 " messages, its top node fewer vertices", a->batch,
                      a->count);
    for (unsigned height = 0; height < a->tree->peak && !status; height++)
        status = check_ascent(v, a, height, error);
    return status;
}

static bough_status on_subtree(void *context, const sidetrack_subtree *t, const uint32_t *leaf,
                               bough_error *error) {
    sidetrack_verify *v = context;
    if (t->lambda > 2 * v->facts.lambda)
        return BROKEN("Lemma 6", t, "lambda_T is %" PRIu32 ", 2 ceil(lambda) is %" PRIu64, t->lambda,
                      2 * v->facts.lambda);
    if (t->lambda == 0 || t->count < t->lambda)
        return BROKEN("Lemma 4", t, "%" PRIu32 " messages in %" PRIu32 " batches", t->count, t->lambda);
    bough_status status = BOUGH_OK;
    for (uint32_t b = 0; b < t->lambda && !status; b++) {
        const ascent a = {t, b, (t->count - 1 - b) / t->lambda + 1, leaf};
        status = check_batch(v, &a, error);
    }
    v->on_way += t->count;
    return status;
}

/* ---- expansion ---- */

static void touch(sidetrack_verify *v, uint32_t leaf, int change) {
    v->stored[leaf] += (uint32_t)change;
    v->touched[v->touched_count++] = leaf;
}

static void begin_descent(sidetrack_verify *v, const sidetrack_front *f) {
    const sidetrack_head *head = f->head;
    v->fits = true;
    for (uint32_t i = 0; i < f->count; i++) {
        uint8_t *known = &v->message[head[i].message];
        if (*known & STORED) touch(v, v->at[head[i].message], -1);
        *known = 0;
    }
    for (unsigned height = 0; height < f->height; height++) {
        for (uint32_t i = 0; i < f->count; i++)
            if (++v->node[head[i].target >> height] > capacity_of(height)) v->fits = false;
        for (uint32_t i = 0; i < f->count; i++) v->node[head[i].target >> height] = 0;
    }
}

static bough_status check_edges(sidetrack_verify *v, const sidetrack_front *f, bough_error *error) {
    const sidetrack_head *head = f->head;
    uint32_t low = capacity_of(f->height) - 1;
    for (uint32_t i = 1; i < f->count; i++)
        if (head[i].node == head[i - 1].node && ((head[i].rank ^ head[i - 1].rank) & low) == 0)
            return BROKEN("An edge's capacity", f->tree,
                          "two messages arrived by one edge at <%u,%" PRIu32 ">", level(v, f->height),
                          head[i].node);
    return BOUGH_OK;
}

/* Checks the messages sidetracked since the height above, which lost an edge of the channel above the
 * target's node. */
static bough_status check_conflicts(sidetrack_verify *v, const sidetrack_front *f, bough_error *error) {
    const sidetrack_head *head = f->head;
    uint32_t capacity = capacity_of(f->height);
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < f->count; i++) v->node[head[i].node] += !head[i].sidetracked;
    for (uint32_t i = 0; i < f->count && !status; i++) {
        uint8_t *known = &v->message[head[i].message];
        uint32_t wanted = head[i].target >> f->height;
        if (!head[i].sidetracked || (*known & SIDETRACKED)) continue;
        *known |= SIDETRACKED;
        if (v->node[wanted] != capacity)
            status = BROKEN("Lemma 1", f->tree,
                            "a conflict above <%u,%" PRIu32 ">, where %" PRIu32 " of %" PRIu32
                            " edges carry active messages",
                            level(v, f->height), wanted, v->node[wanted], capacity);
        else if (v->fits)
            status = BROKEN("Corollary 1", f->tree,
                            "a conflict above <%u,%" PRIu32 "> in an expansion of load factor 1",
                            level(v, f->height), wanted);
    }
    for (uint32_t i = 0; i < f->count; i++) v->node[head[i].node] = 0;
    return status;
}

static bough_status check_arrivals(sidetrack_verify *v, const sidetrack_front *f, bough_error *error) {
    const sidetrack_head *head = f->head;
    const sidetrack_subtree *t = f->tree;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t leaf = head[i].node, message = head[i].message;
        if (leaf >> (t->peak - 1) != (t->index ^ 1))
            return BROKEN("Lemma 5", t, "message %" PRIu32 " arrived at leaf %" PRIu32 " outside the sibling",
                          message, leaf);
        if (!head[i].sidetracked && leaf != v->batch->address[message])
            return BROKEN("The path of an active message", t,
                          "message %" PRIu32 " arrived at leaf %" PRIu32 ", not %" PRIu32, message, leaf,
                          v->batch->address[message]);
        v->at[message] = leaf;
        v->on_way--;
        if (leaf == v->batch->address[message]) continue;
        v->message[message] |= STORED;
        touch(v, leaf, 1);
    }
    return BOUGH_OK;
}

static bough_status on_descent(void *context, const sidetrack_front *f, bough_error *error) {
    sidetrack_verify *v = context;
    bough_status status = BOUGH_OK;
    if (f->height == top_of(v, f->tree)) {
        begin_descent(v, f);
    } else {
        status = check_edges(v, f, error);
        TRY(check_conflicts(v, f, error));
    }
    if (f->height == 0) TRY(check_arrivals(v, f, error));
    return status;
}

/* ---- Lemma 7 ---- */

/* x(T) - s(T) / |T| <= (d + 1) lg |T| for the subtree of a node of this height. */
static bool is_balanced(const sidetrack_verify *v, uint64_t node, unsigned height) {
    uint64_t leaves = UINT64_C(1) << height, most = bough_mul(v->most[node], leaves);
    return most <= v->sum[node] ||
           most - v->sum[node] <= bough_mul(bough_mul(bough_add(v->facts.degree, 1), height), leaves);
}

static void update_above(sidetrack_verify *v, uint32_t leaf) {
    uint64_t node = (UINT64_C(1) << v->lg) + leaf;
    v->sum[node] = v->most[node] = v->stored[leaf];
    while (node /= 2) {
        const uint32_t *most = &v->most[2 * node];
        v->sum[node] = v->sum[2 * node] + v->sum[2 * node + 1];
        v->most[node] = most[0] > most[1] ? most[0] : most[1];
    }
}

/* Inequality (1) of the proof for all subtrees that contain a leaf. All leaves are brought up to date first:
 * in between, a message may be counted twice. */
static bough_status check_above(const sidetrack_verify *v, uint32_t leaf, uint32_t pass, unsigned peak,
                                bough_error *error) {
    uint64_t node = (UINT64_C(1) << v->lg) + leaf;
    for (unsigned height = 1; height <= v->lg; height++) {
        node /= 2;
        if (is_balanced(v, node, height)) continue;
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "Inequality (1) of Lemma 7 does not hold: stage %u, pass %" PRIu32
                          ": a leaf below <%u,%" PRIu64 "> stores %" PRIu32
                          " sidetracked messages, the mean is %g, (d + 1) lg |T| is %" PRIu64,
                          level(v, peak), pass, level(v, height), node - (UINT64_C(1) << (v->lg - height)),
                          v->most[node], (double)v->sum[node] / (double)(UINT64_C(1) << height),
                          bough_mul(bough_add(v->facts.degree, 1), height));
    }
    return BOUGH_OK;
}

static bough_status on_pass(void *context, unsigned peak, uint32_t pass, const uint32_t *leaf,
                            bough_error *error) {
    sidetrack_verify *v = context;
    bough_status status = BOUGH_OK;
    (void)leaf;
    for (uint64_t i = 0; i < v->touched_count; i++) {
        uint32_t at = v->touched[i];
        update_above(v, at);
        if (v->stored[at] > v->queue_bound)
            return bough_fail(error, BOUGH_FAILED, NULL,
                              "Lemma 7 does not hold: stage %u, pass %" PRIu32 ": leaf %" PRIu32
                              " stores %" PRIu32 " sidetracked messages, (d + 1) lg N + d is %" PRIu64,
                              level(v, peak), pass, at, v->stored[at], v->queue_bound);
    }
    for (uint64_t i = 0; i < v->touched_count && !status; i++)
        status = check_above(v, v->touched[i], pass, peak, error);
    v->touched_count = 0;
    return status;
}

/* ---- a run ---- */

static bough_status on_stage_end(void *context, unsigned peak, bough_error *error) {
    const sidetrack_verify *v = context;
    if (v->on_way == 0) return BOUGH_OK;
    return bough_fail(error, BOUGH_FAILED, NULL,
                      "Lemma 5 does not hold: stage %u: %" PRIu64
                      " messages have not moved after their batches",
                      level(v, peak), v->on_way);
}

uint64_t sidetrack_queue_bound(unsigned lg, uint64_t degree) {
    return bough_add(bough_mul(bough_add(degree, 1), lg), degree);
}

uint64_t sidetrack_verify_bytes(unsigned lg, uint64_t messages) {
    uint64_t bytes = bough_add(bough_mul(messages, 13), bough_mul(UINT64_C(4) << lg, sizeof(uint32_t)));
    return bough_add(bytes, (4 * sizeof(uint64_t)) << lg);
}

bough_status sidetrack_verify_create(unsigned lg, uint64_t messages, sidetrack_verify **out,
                                     bough_error *error) {
    sidetrack_verify *v;
    bough_status status = bough_alloc(out, 1, sizeof *v, error);
    if (status) return status;
    v = *out;
    v->lg = lg;
    v->watch = (sidetrack_watch){v, on_subtree, on_descent, on_pass, on_stage_end};
    status = bough_alloc(&v->node, UINT64_C(1) << lg, sizeof *v->node, error);
    TRY(bough_alloc(&v->stored, UINT64_C(1) << lg, sizeof *v->stored, error));
    TRY(bough_alloc(&v->edge, UINT64_C(2) << lg, sizeof *v->edge, error));
    TRY(bough_alloc(&v->message, messages, sizeof *v->message, error));
    TRY(bough_alloc(&v->at, messages, sizeof *v->at, error));
    TRY(bough_alloc(&v->touched, bough_mul(messages, 2), sizeof *v->touched, error));
    TRY(bough_alloc(&v->sum, UINT64_C(2) << lg, sizeof *v->sum, error));
    TRY(bough_alloc(&v->most, UINT64_C(2) << lg, sizeof *v->most, error));
    if (status) {
        sidetrack_verify_destroy(v);
        *out = NULL;
    }
    return status;
}

void sidetrack_verify_destroy(sidetrack_verify *v) {
    if (!v) return;
    FREE_ALL(v->message, v->at, v->touched, v->node, v->stored, v->sum, v->most, v->edge, v);
}

const sidetrack_watch *sidetrack_verify_begin(sidetrack_verify *v, const bough_batch *batch,
                                              const sidetrack_facts *facts) {
    v->facts = *facts;
    v->queue_bound = sidetrack_queue_bound(v->lg, facts->degree);
    v->batch = batch;
    v->touched_count = v->on_way = v->run = 0;
    memset(v->stored, 0, (sizeof *v->stored) << v->lg);
    memset(v->sum, 0, (2 * sizeof *v->sum) << v->lg);
    memset(v->most, 0, (2 * sizeof *v->most) << v->lg);
    memset(v->node, 0, (sizeof *v->node) << v->lg);
    memset(v->edge, 0, (2 * sizeof *v->edge) << v->lg);
    for (uint64_t m = 0; m < batch->count; m++) {
        v->message[m] = 0;
        v->at[m] = batch->source[m];
    }
    return &v->watch;
}

bough_status sidetrack_verify_end(sidetrack_verify *v, bough_error *error) {
    for (uint64_t m = 0; m < v->batch->count; m++)
        if (v->at[m] != v->batch->address[m])
            return bough_fail(error, BOUGH_FAILED, NULL,
                              "message %" PRIu64 " ended at leaf %" PRIu32 ", not %" PRIu32, m, v->at[m],
                              v->batch->address[m]);
    return BOUGH_OK;
}
