/* Random permutations, a batch at a time; the threads divide a batch. Where all flows to an address follow
 * one tree, several permutations are followed together, address by address: they use the same entries of the
 * tables, which one permutation would fetch from memory each time. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/check/pairs/check_pass.h"
#include "models/link_load/trees/address_tree.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 128, TOGETHER = 32 };

/* What one thread needs. */
typedef struct follower {
    flow_scratch scratch; /* one permutation at a time */
    address_tree tree;
    uint32_t *load; /* [links * TOGETHER] */
    bough_status status;
    bough_error error;
} follower;

typedef struct batch {
    check_pass *pass;
    bool trees;
    uint64_t first;  /* permutation */
    unsigned count;  /* permutations of this batch */
    uint32_t *other; /* [BATCH * endpoints]: where an endpoint sends; with trees: who sends to it */
    outcome outcome[BATCH];
    follower *follower;
    unsigned threads;
} batch;

static uint32_t *row(const batch *b, unsigned index) {
    return b->other + index * b->pass->net->endpoints;
}

static void draw(const batch *b, unsigned index) {
    const uint64_t n = b->pass->net->endpoints, seed = b->pass->options->seed;
    uint32_t *image = row(b, index);
    bough_stream stream =
        bough_stream_make(bough_key_make(seed, b->first + index), BOUGH_DRAW_PERMUTATION, 0, 0);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t j = bough_stream_below(&stream, i + 1);
        image[i] = image[j];
        image[j] = (uint32_t)i;
    }
}

/* ---- one by one ---- */

static bough_status follow_one(const batch *b, follower *f, unsigned index, outcome *o) {
    check_pass *p = b->pass;
    const uint32_t *image = row(b, index);
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < p->net->endpoints && !status; i++)
        status = p->channels || image[i] == i ? check_flows_done(p, 1, &f->error)
                                              : check_send(p, &f->scratch, i, image[i], &f->error);
    *o = p->channels ? check_channels_permutation(p, p->channels, image) : check_settle(p, &f->scratch, NULL);
    return status;
}

/* ---- several, by trees ---- */

static void invert(uint32_t *image, uint32_t *spare, uint64_t n) {
    memcpy(spare, image, n * sizeof *spare);
    for (uint64_t i = 0; i < n; i++) image[spare[i]] = (uint32_t)i;
}

static void add_path(follower *f, uint32_t source, unsigned of) {
    address_tree *t = &f->tree;
    address_tree_reach(t, source);
    if (address_tree_end(t, source, 0) != SPREAD_ARRIVES) return;
    for (uint32_t node = source; node != t->target; node = t->to[node])
        f->load[t->link[node] * (uint64_t)TOGETHER + of]++;
}

static void settle(const batch *b, follower *f, unsigned count, outcome *o) {
    const check_pass *p = b->pass;
    memset(o, 0, count * sizeof *o);
    for (uint64_t l = 0; l < p->net->links; l++) {
        const uint32_t *load = f->load + l * TOGETHER;
        double rate = check_rate(p, l);
        bool endpoint = check_endpoint_link(p->net, l);
        for (unsigned k = 0; k < count; k++) {
            if (!load[k]) continue;
            outcome_add(&o[k], load[k], rate);
            if (endpoint) outcome_add_ideal(p, &o[k], load[k]);
        }
    }
}

static bough_status follow_together(batch *b, follower *f, unsigned first, unsigned count) {
    check_pass *p = b->pass;
    const uint64_t n = p->net->endpoints;
    bough_status status = BOUGH_OK;
    memset(f->load, 0, p->net->links * TOGETHER * sizeof *f->load);
    for (uint64_t d = 0; d < n && !status; d++) {
        address_tree_start(&f->tree, bough_endpoint_address(p->net, d));
        for (unsigned k = 0; k < count; k++) add_path(f, row(b, first + k)[d], k);
        status = check_flows_done(p, count, &f->error);
    }
    settle(b, f, count, &b->outcome[first]);
    return status;
}

/* ---- all ---- */

/* Permutations that a thread follows together: all threads have equal parts. */
static unsigned at_once(const batch *b) {
    unsigned parts = (b->count + TOGETHER - 1) / TOGETHER;
    parts = (parts + b->threads - 1) / b->threads * b->threads;
    return b->trees ? (b->count + parts - 1) / parts : 1;
}

static void follow_some(void *context, unsigned thread, uint64_t i) {
    batch *b = context;
    follower *f = &b->follower[thread];
    unsigned first = (unsigned)i * at_once(b);
    unsigned count = b->count - first < at_once(b) ? b->count - first : at_once(b);
    if (f->status) return;
    for (unsigned k = first; k < first + count; k++) {
        draw(b, k);
        if (b->trees) invert(row(b, k), f->tree.stack, b->pass->net->endpoints);
    }
    f->status = b->trees ? follow_together(b, f, first, count) : follow_one(b, f, first, &b->outcome[first]);
}

static bough_status make_follower(const batch *b, follower *f, bough_error *error) {
    const bough_net *net = b->pass->net;
    if (!b->trees) return flow_scratch_make(net, &f->scratch, error);
    bough_status status = address_tree_make(&f->tree, b->pass->routing, error);
    return status ? status : bough_alloc(&f->load, net->links, sizeof *f->load * TOGETHER, error);
}

static bough_status make(batch *b, bough_error *error) {
    const check_pass *p = b->pass;
    uint64_t each = b->trees ? bough_add(address_tree_bytes(p->net), bough_mul(p->net->links, 4 * TOGETHER))
                             : bough_mul(p->net->links, 16);
    uint64_t bytes = bough_add(bough_mul(each, b->threads), bough_mul(p->net->endpoints, 4 * BATCH));
    bough_status status = bough_memory_check(bytes, "the random permutations", error);
    TRY(bough_alloc(&b->other, p->net->endpoints, sizeof *b->other * BATCH, error));
    TRY(bough_alloc(&b->follower, b->threads, sizeof *b->follower, error));
    for (unsigned i = 0; i < b->threads && !status; i++) status = make_follower(b, &b->follower[i], error);
    return status;
}

static void fini(batch *b) {
    for (unsigned i = 0; b->follower && i < b->threads; i++) {
        flow_scratch_fini(&b->follower[i].scratch);
        address_tree_fini(&b->follower[i].tree);
        free(b->follower[i].load);
    }
    FREE_ALL(b->follower, b->other);
}

static bough_status run_batch(batch *b, bough_error *error) {
    team_loop(b->threads, (b->count + at_once(b) - 1) / at_once(b), follow_some, b);
    for (unsigned i = 0; i < b->threads; i++) {
        if (!b->follower[i].status) continue;
        if (error) *error = b->follower[i].error;
        return b->follower[i].status;
    }
    return BOUGH_OK;
}

bough_status check_permutations(check_pass *p, outcome *found, bough_error *error) {
    const uint64_t permutations = p->options->permutations;
    batch b = {.pass = p, .trees = !p->channels && check_trees_fit(p), .threads = p->options->threads};
    if (!b.threads || p->channels) b.threads = 1; /* channels count one permutation at a time */
    bough_status status = permutations ? make(&b, error) : BOUGH_OK;
    for (; b.first < permutations && !status; b.first += b.count) {
        b.count = permutations - b.first < BATCH ? (unsigned)(permutations - b.first) : BATCH;
        status = run_batch(&b, error);
        memcpy(found + b.first, b.outcome, b.count * sizeof *found);
    }
    fini(&b);
    return status;
}
