#include "support/collective_oracle.h"

#include "base/random/random.h"
#include "traffic/collectives/gpu/adder_trees.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct carried {
    uint32_t from, to, tag;
    uint64_t item;
    bool reduced;
} carried;

typedef struct cargo {
    carried *list; /* sorted by (from, to, tag) after the making */
    size_t count, capacity;
    collective_protocol protocol; /* of the messages */
} cargo;

static void note(void *context, uint32_t from, uint32_t to, uint32_t tag, uint64_t item, bool reduced) {
    cargo *c = context;
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 64;
        c->list = realloc(c->list, c->capacity * sizeof *c->list);
        assert_non_null(c->list);
    }
    c->list[c->count++] = (carried){from, to, tag, item, reduced};
}

static int by_send(const void *a, const void *b) {
    const carried *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static bough_schedule *make(const collective_case *k, cargo *loads) {
    bough_error error = {0};
    collective_watch watch = {note, loads};
    uint32_t last[256][2];
    memset(last, 0xff, sizeof last);
    collective counted = {.n = k->n,
                          .rank = k->rank,
                          .size = k->size,
                          .root = k->root,
                          .segment = k->segment,
                          .reduce_ps = k->reduce_ps,
                          .gpu = k->gpu,
                          .adders = k->adders,
                          .last = last,
                          .error = &error};
    collective c = counted;
    bough_schedule *s;
    uint32_t rounds = k->rounds ? k->rounds : 1;
    for (uint32_t i = 0; i < rounds; i++) k->algorithm->generate(&counted);
    memset(last, 0xff, sizeof last);
    if (bough_schedule_begin("test", k->ranks, &c.builder, &error)) fail_msg("%s", error.reason);
    c.watch = loads ? &watch : NULL;
    for (uint32_t i = 0; i < rounds; i++) k->algorithm->generate(&c);
    if (c.status) fail_msg("%s %s: %s", k->kind->name, k->algorithm->name, error.reason);
    assert_int_equal(c.ops, counted.ops);
    assert_int_equal(c.waits, counted.waits);
    if (bough_schedule_finish(c.builder, &s, &error)) fail_msg("%s", error.reason);
    assert_int_equal(s->ops, c.ops);
    assert_int_equal(s->then[s->ops], c.waits);
    if (loads) loads->protocol = c.made.protocol;
    if (loads && loads->count) qsort(loads->list, loads->count, sizeof *loads->list, by_send);
    return s;
}

/* ---- switches that add ---- */

/* Switch i has the children 3 i + 1 .. 3 i + 3, as far as there are any; nodes are dealt to the switches. */
static void tree_like_a_heap(adder_tree *t, uint32_t first, uint32_t nodes) {
    t->count = 1 + nodes / 3;
    t->member = calloc(t->count, sizeof *t->member);
    t->up = calloc(t->count, sizeof *t->up);
    t->leaf = calloc(nodes, sizeof *t->leaf);
    assert_true(t->member && t->up && t->leaf);
    for (uint32_t i = 0; i < t->count; i++) {
        t->member[i] = first + i;
        t->up[i] = i ? (i - 1) / 3 : COLLECTIVE_NOBODY;
    }
    for (uint32_t k = 0; k < nodes; k++) t->leaf[k] = k % t->count;
}

/* Ranks behind the others, shared by all trees; every second tree has them in the opposite order. */
static collective_adders own_adders(const collective_case *k) {
    collective_adders a = {0};
    uint32_t gpus = k->gpu.gpus ? k->gpu.gpus : 1;
    assert_null(k->rank);
    a.nodes = (k->n + gpus - 1) / gpus;
    a.trees = a.nodes > 1 ? gpus : 0;
    a.tree = calloc(a.trees + 1, sizeof *a.tree);
    assert_non_null(a.tree);
    for (uint32_t i = 0; i < a.trees; i++) {
        adder_tree *t = &a.tree[i];
        tree_like_a_heap(t, k->n, a.nodes);
        a.ranks = t->count;
        for (uint32_t x = 0; x < t->count && i % 2; x++) t->member[x] = k->n + t->count - 1 - x;
    }
    return a;
}

bough_schedule *collective_case_make(const collective_case *k) {
    return make(k, NULL);
}

/* ---- what is held ---- */

typedef struct world {
    const collective_case *k;
    const bough_schedule *s;
    const cargo *loads;
    uint64_t items;
    uint64_t *held;       /* [rank][item]: whose data is in it; 0: nothing */
    uint32_t *member;     /* [rank], or NOBODY */
    uint32_t *rank_of;    /* [op] */
    uint64_t **snapshot;  /* [op]: of a send that started, what it carries; of a receive: what it took */
    const carried **load; /* [op] */
    size_t *loaded;
    bool *done, *applied;
    uint32_t *left;
    char trouble[256];
} world;

static char said[256];

static bool is(const world *w, const collective_kind *kind) {
    return w->k->kind == kind;
}

static uint64_t item_bytes(const world *w, uint64_t item) {
    uint64_t n = w->k->n;
    if (is(w, &collective_alltoall)) return collective_bytes(w->k->size, n, item % n, 1);
    if (is(w, &collective_barrier)) return 0;
    if (strcmp(w->k->algorithm->name, "chain") == 0) { /* whole segments, then what is left */
        uint64_t before = item * w->k->segment, left = w->k->size - before;
        return left < w->k->segment ? left : w->k->segment;
    }
    return collective_bytes(w->k->size, w->items, item, 1);
}

/* The member whose block an item is a part of: algorithms divide blocks further. */
static uint64_t block_of(const world *w, uint64_t item) {
    return item / (w->items / w->k->n);
}

static uint64_t initial(const world *w, uint32_t m, uint64_t item) {
    uint64_t n = w->k->n, own = UINT64_C(1) << m;
    if (is(w, &collective_alltoall)) return item / n == m ? own : 0;
    if (is(w, &collective_allgather)) return block_of(w, item) == m ? own : 0;
    if (is(w, &collective_broadcast)) return m == w->k->root ? own : 0;
    return own;
}

/* What member m must hold of an item at the end; 0: whatever. */
static uint64_t promised(const world *w, uint32_t m, uint64_t item) {
    uint64_t n = w->k->n, all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    if (is(w, &collective_alltoall)) return item % n == m ? UINT64_C(1) << item / n : 0;
    if (is(w, &collective_allgather)) return UINT64_C(1) << block_of(w, item);
    if (is(w, &collective_broadcast)) return UINT64_C(1) << w->k->root;
    if (is(w, &collective_reduce)) return m == w->k->root ? all : 0;
    if (is(w, &collective_reducescatter)) return m == block_of(w, item) ? all : 0;
    return all;
}

static uint64_t *held(world *w, uint32_t rank, uint64_t item) {
    return &w->held[rank * w->items + item];
}

#define TROUBLE(...) (snprintf(w->trouble, sizeof w->trouble, __VA_ARGS__))

static void apply(world *w, uint32_t recv) {
    if (w->applied[recv]) return;
    w->applied[recv] = true;
    uint32_t to = w->rank_of[recv];
    for (size_t i = 0; i < w->loaded[recv]; i++) {
        const carried *c = &w->load[recv][i];
        uint64_t came = w->snapshot[recv][i], *have = held(w, to, c->item);
        if (!came) TROUBLE("rank %u sent item %" PRIu64 ", which it did not have", c->from, c->item);
        if (!c->reduced)
            *have = came;
        else if ((came & *have) && !is(w, &collective_barrier))
            TROUBLE("rank %u adds item %" PRIu64 " twice for some", to, c->item);
        else
            *have |= came;
    }
}

/* What a protocol of NCCL makes of bytes: a flag of 4 for 4, or of 8 for 120. */
static uint64_t wire_bytes(const world *w, uint64_t bytes) {
    if (w->loads->protocol == COLLECTIVE_LL) return bytes * 2;
    if (w->loads->protocol == COLLECTIVE_LL128) return (bytes * 128 + 119) / 120;
    return bytes;
}

static void start_send(world *w, uint32_t o) {
    const bough_op *op = &w->s->op[o];
    carried key = {w->rank_of[o], op->peer, op->tag, 0, false};
    const carried *list = w->loads->list;
    size_t low = 0, high = w->loads->count;
    uint64_t bytes = 0;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (by_send(&list[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    w->load[o] = list + low;
    while (low + w->loaded[o] < w->loads->count && by_send(&list[low + w->loaded[o]], &key) == 0)
        w->loaded[o]++;
    w->snapshot[o] = calloc(w->loaded[o] + 1, sizeof **w->snapshot);
    for (size_t i = 0; i < w->loaded[o]; i++) {
        w->snapshot[o][i] = *held(w, w->rank_of[o], w->load[o][i].item);
        bytes += item_bytes(w, w->load[o][i].item);
    }
    if (wire_bytes(w, bytes) != op->size)
        TROUBLE("rank %u sends %" PRIu64 " bytes that are %" PRIu64, w->rank_of[o], op->size, bytes);
}

/* The send that a receive can take, or NOBODY. */
static uint32_t find_send(const world *w, uint32_t recv) {
    const bough_op *op = &w->s->op[recv];
    for (uint32_t o = w->s->first[op->peer]; o < w->s->first[op->peer + 1]; o++) {
        const bough_op *send = &w->s->op[o];
        if (send->kind == BOUGH_OP_SEND && send->peer == w->rank_of[recv] && send->tag == op->tag)
            return w->done[o] ? o : COLLECTIVE_NOBODY;
    }
    return COLLECTIVE_NOBODY;
}

/* False: it has to wait for a message. */
static bool perform(world *w, uint32_t o) {
    const bough_schedule *s = w->s;
    if (s->op[o].kind == BOUGH_OP_RECV) {
        uint32_t send = find_send(w, o);
        if (send == COLLECTIVE_NOBODY) return false;
        if (s->op[send].size != s->op[o].size) TROUBLE("a receive of other bytes than were sent");
        w->snapshot[o] = w->snapshot[send];
        w->snapshot[send] = NULL;
        if (!w->snapshot[o]) TROUBLE("a message was received twice");
        w->load[o] = w->load[send];
        w->loaded[o] = w->loaded[send];
    }
    uint32_t rank = w->rank_of[o];
    for (uint32_t b = s->first[rank]; b < s->first[rank + 1]; b++) {
        if (!w->done[b] || s->op[b].kind != BOUGH_OP_RECV || w->applied[b]) continue;
        for (uint64_t f = s->then[b]; f < s->then[b + 1]; f++)
            if (s->follower[f] >> 1 == o) apply(w, b);
    }
    if (s->op[o].kind == BOUGH_OP_SEND) start_send(w, o);
    w->done[o] = true;
    for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) w->left[s->follower[f] >> 1]--;
    return true;
}

static void run(world *w, uint64_t order) {
    const bough_schedule *s = w->s;
    bough_stream stream = bough_stream_make(bough_key_make(7, order), BOUGH_DRAW_TEST, 0, 0);
    uint32_t *ready = calloc((size_t)s->ops + 1, sizeof *ready), count = 0, blocked = 0;
    for (uint32_t o = 0; o < s->ops; o++)
        if (w->left[o] == 0) ready[count++] = o;
    while (count > blocked && !*w->trouble) {
        /* those that wait for a message stand behind */
        uint32_t i = (uint32_t)bough_stream_below(&stream, count - blocked), o = ready[i];
        if (!perform(w, o)) {
            blocked++;
            ready[i] = ready[count - blocked];
            ready[count - blocked] = o;
            continue;
        }
        ready[i] = ready[--count];
        blocked = 0;
        for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++)
            if (w->left[s->follower[f] >> 1] == 0) ready[count++] = s->follower[f] >> 1;
    }
    if (count && !*w->trouble) TROUBLE("%u operations never finish", count);
    for (uint32_t o = 0; o < s->ops && !*w->trouble; o++)
        if (s->op[o].kind == BOUGH_OP_RECV) apply(w, o);
    free(ready);
}

static void look(world *w) {
    for (uint32_t r = 0; r < w->k->ranks && !*w->trouble; r++) {
        uint32_t m = w->member[r];
        for (uint64_t i = 0; m != COLLECTIVE_NOBODY && i < w->items && !*w->trouble; i++) {
            uint64_t want = promised(w, m, i), have = *held(w, r, i);
            if (want && want != have)
                TROUBLE("member %u ends with %" PRIx64 " in item %" PRIu64 ", not %" PRIx64, m, have, i,
                        want);
        }
    }
}

static void fill(world *w) {
    const collective_case *k = w->k;
    memset(w->member, 0xff, k->ranks * sizeof *w->member);
    for (uint32_t m = 0; m < k->n; m++) w->member[k->rank ? k->rank[m] : m] = m;
    for (uint32_t r = 0; r < k->ranks; r++) {
        for (uint64_t i = 0; i < w->items && w->member[r] != COLLECTIVE_NOBODY; i++)
            *held(w, r, i) = initial(w, w->member[r], i);
        for (uint32_t o = w->s->first[r]; o < w->s->first[r + 1]; o++) w->rank_of[o] = r;
    }
    memcpy(w->left, w->s->waits, w->s->ops * sizeof *w->left);
}

static void run_once(const collective_case *k, const bough_schedule *s, const cargo *loads, uint64_t order) {
    collective c = {.n = k->n,
                    .rank = k->rank,
                    .root = k->root,
                    .size = k->size,
                    .segment = k->segment,
                    .gpu = k->gpu,
                    .adders = k->adders};
    size_t ops = (size_t)s->ops + 1;
    world w = {.k = k, .s = s, .loads = loads, .items = k->algorithm->blocks(&c)};
    w.held = calloc(k->ranks * w.items, sizeof *w.held);
    w.member = calloc(k->ranks, sizeof *w.member);
    w.rank_of = calloc(ops, sizeof *w.rank_of);
    w.snapshot = calloc(ops, sizeof *w.snapshot);
    w.load = calloc(ops, sizeof *w.load);
    w.loaded = calloc(ops, sizeof *w.loaded);
    w.done = calloc(ops, sizeof *w.done);
    w.applied = calloc(ops, sizeof *w.applied);
    w.left = calloc(ops, sizeof *w.left);
    fill(&w);
    run(&w, order);
    if (k->rounds <= 1) look(&w);
    snprintf(said, sizeof said, "%s", w.trouble);
    for (size_t i = 0; i < ops; i++) free(w.snapshot[i]);
    free(w.held);
    free(w.member);
    free(w.rank_of);
    free(w.snapshot);
    free(w.load);
    free(w.loaded);
    free(w.done);
    free(w.applied);
    free(w.left);
}

static const char *run_case(const collective_case *k, uint32_t orders) {
    cargo loads = {0};
    bough_schedule *s = make(k, &loads);
    *said = 0;
    for (uint32_t i = 0; i < orders && !*said; i++) run_once(k, s, &loads, i);
    bough_schedule_destroy(s);
    free(loads.list);
    return *said ? said : NULL;
}

const char *collective_case_run(const collective_case *k, uint32_t orders) {
    collective_case with = *k;
    collective_adders own = {0};
    if (k->algorithm->adders && !k->adders) {
        own = own_adders(k);
        with.adders = &own;
    }
    if (with.adders) with.ranks = k->n + with.adders->ranks;
    const char *trouble = run_case(&with, orders);
    adder_trees_fini(&own);
    return trouble;
}
