/* Rounds by labels.
 *
 * A message is (source, destination, L): L is its apex, the highest bit in which the two differ. Its choices going up
 * are the bits p_0 .. p_{L-1}; on the way down it asks, for l = L .. 0, for link x = (t >> l) << l | (p mod 2^l) of level
 * l (semantics.md; levels as in document 000 here).
 *
 * What meets what. Level l is asked for in cycle 4L - 2l, so requests for one link are simultaneous only within one L,
 * and smaller L come first. A message of apex L that is refused at level l frees its link at level l' in cycle
 * 4L - 3l + l', so apex L2 finds that link free if and only if 4 (L2 - L) >= 3 (l' - l). Hence a round falls into classes
 * by ascending L: within a class levels go down together, and all that a class needs to know of those before it is, per
 * link, the smallest class that finds it free: one byte. At most two messages of a class ask for one link, one from
 * each link above it.
 *
 * What costs. A claim is a few instructions if its bytes are in the first-level cache, and a miss if not. So messages
 * of a class are first put in order of the low bits of p: the links of all levels >= cut that share these bits are few
 * and lie together. Survivors are then put in order of the high bits of t, which does the same for levels < cut. */
#include "sim/circuit_labels.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 26
#define LOCAL_BITS 13 /* links of one level that are worked on at a time: 2^13 fit the first-level cache */
#define SPARSE 2048   /* classes with fewer messages are not worth sorting */
#define HELD 31       /* no class finds it free; classes are below 31 */

/* Messages on their way down, as columns: t and p as above, id the index among the live messages of the class. */
typedef struct walkers {
    uint32_t *t, *p, *id;
} walkers;

struct circuit_labels {
    unsigned h, cut;         /* n = 2^h; levels >= cut are local in the low bits of p */
    uint32_t *s, *t;         /* live messages by class, in order of birth within a class */
    uint64_t class_first[LEVELS_MAX + 1], class_count[LEVELS_MAX + 1];
    walkers work[3];
    uint32_t *coins;         /* per level 1 .. h-1, n/2 bits: the faces of the up-routers' coins in this round */
    uint32_t *order;         /* per level, n bits: who wins at its links, for the class at hand */
    uint32_t *slot, *group, *rival; /* scratch of a step: where a walker asks, and the down group there */
    uint8_t *free_from;      /* [level][place]: base + the smallest class that finds it free */
    uint8_t *asked;          /* [place][port above]: stamp of the class and level that asked last */
    uint8_t *arrived;        /* per live message of the class at hand */
    uint64_t *bucket;        /* 2^cut + 2 */
    unsigned base;           /* of free_from: old rounds lie below it */
    unsigned stamp;
};

/* The class at hand. */
typedef struct class_work {
    circuit_labels *w;
    bough_key key;
    uint64_t round, order_first; /* id of the down group of link 0, level 0 */
    unsigned L;
    bool last;                   /* no class comes after it: nobody asks when its links are free */
    bool planes;                 /* order coins are drawn for whole levels, not one by one */
} class_work;

bool circuit_labels_fit(const bough_point *p, const circuit_options *o) {
    return (p->net->gives & BOUGH_GIVES_LABELS) && !p->net->dead && p->routing->kind == bough_routing_kinds[0] &&
           p->net->endpoints <= UINT64_C(1) << LEVELS_MAX && p->traffic->distinct &&
           o->mode == CIRCUIT_ROUNDS && !o->release_at_end && !o->scenarios && !o->history;
}

uint64_t circuit_labels_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t n = p->net->endpoints, m = p->traffic->messages, h = p->net->levels;
    (void)o;
    /* the batch and its sorted copy, walkers, coins, order, free_from, asked, arrived */
    return m * (8 + 8 + 3 * 12 + 8 + 1) + h * n / 16 + h * n / 8 + h * n + 2 * n;
}

void circuit_labels_free(circuit_labels *w) {
    if (!w) return;
    free(w->s);
    free(w->t);
    for (int i = 0; i < 3; i++) free(w->work[i].t), free(w->work[i].p), free(w->work[i].id);
    free(w->slot);
    free(w->group);
    free(w->rival);
    free(w->coins);
    free(w->order);
    free(w->free_from);
    free(w->asked);
    free(w->arrived);
    free(w->bucket);
    free(w);
}

static bough_status make(const bough_point *p, circuit_labels **out, bough_error *error) {
    circuit_labels *w;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    *out = w;
    uint64_t n = p->net->endpoints, m = p->traffic->messages;
    w->h = p->net->levels;
    w->cut = w->h > LOCAL_BITS ? w->h - LOCAL_BITS : 0;
    status = bough_alloc(&w->s, m, sizeof *w->s, error);
    if (!status) status = bough_alloc(&w->t, m, sizeof *w->t, error);
    for (int i = 0; i < 3; i++) {
        if (!status) status = bough_alloc(&w->work[i].t, m, 4, error);
        if (!status) status = bough_alloc(&w->work[i].p, m, 4, error);
        if (!status) status = bough_alloc(&w->work[i].id, m, 4, error);
    }
    if (!status) status = bough_alloc(&w->slot, m, sizeof *w->slot, error);
    if (!status) status = bough_alloc(&w->group, m, sizeof *w->group, error);
    if (!status) status = bough_alloc(&w->rival, m + 1, sizeof *w->rival, error);
    if (!status) status = bough_alloc(&w->coins, w->h * ((n / 2 + 31) / 32), sizeof *w->coins, error);
    if (!status) status = bough_alloc(&w->order, w->h * ((n + 31) / 32), sizeof *w->order, error);
    if (!status) status = bough_alloc(&w->free_from, w->h * n, 1, error);
    if (!status) status = bough_alloc(&w->asked, 2 * n, 1, error);
    if (!status) status = bough_alloc(&w->arrived, m, 1, error);
    if (!status) status = bough_alloc(&w->bucket, (UINT64_C(1) << w->cut) + 2, sizeof *w->bucket, error);
    return status;
}

/* ---- a round ---- */

static inline unsigned apex(uint32_t s, uint32_t t) { return 31 - (unsigned)__builtin_clz(s ^ t); }

/* Sorts the batch by class, stably. */
static void sort_by_class(circuit_labels *w, const bough_batch *batch) {
    uint64_t at[LEVELS_MAX + 2] = {0};
    for (uint64_t i = 0; i < batch->count; i++) at[apex(batch->source[i], batch->address[i]) + 1]++;
    for (unsigned L = 0; L <= LEVELS_MAX; L++) {
        w->class_first[L] = at[L];
        w->class_count[L] = at[L + 1];
        at[L + 1] += at[L];
    }
    for (uint64_t i = 0; i < batch->count; i++) {
        uint64_t k = at[apex(batch->source[i], batch->address[i])]++;
        w->s[k] = batch->source[i];
        w->t[k] = batch->address[i];
    }
}

/* Coins of router level l (document's; 0 .. h-2 go up) lie at coins + l * words. */
static uint64_t coin_words(const circuit_labels *w) { return ((UINT64_C(1) << (w->h - 1)) + 31) / 32; }

static void draw_coins(circuit_labels *w, bough_key key, uint64_t round, unsigned highest) {
    uint64_t half = UINT64_C(1) << (w->h - 1), first = half * 2;
    for (unsigned l = 0; l < highest; l++, first += half)
        bough_bits(key, BOUGH_DRAW_PICK_BIT, first, half, round << 32 | 2 * l, w->coins + l * coin_words(w));
}

/* The choices p of messages that turn at apex L: at each router the coin shows the face of port a. Level by level for a
 * few messages at a time, so that their look-ups do not wait for each other. */
static void climb(const circuit_labels *w, const uint32_t *s, uint64_t count, unsigned L, uint32_t *p) {
    enum { CHUNK = 512 };
    memset(p, 0, count * sizeof *p);
    for (uint64_t from = 0; from < count; from += CHUNK) {
        uint64_t to = from + CHUNK < count ? from + CHUNK : count;
        const uint32_t *coins = w->coins;
        for (unsigned l = 0; l < L; l++, coins += coin_words(w))
            for (uint64_t i = from; i < to; i++) {
                uint32_t router = s[i] >> (l + 1) << l | p[i];
                p[i] |= ((coins[router >> 5] >> (router & 31) ^ s[i] >> l) & 1) << l;
            }
    }
}

/* Where link x of level l stands in free_from and asked: levels >= cut are kept by the low cut bits of x first. */
static inline uint32_t place_of(unsigned h, unsigned cut, unsigned l, uint32_t t, uint32_t p) {
    uint32_t low = (UINT32_C(1) << l) - 1, x = (t & ~low) | (p & low);
    if (l < cut) return x;
    return (x & ((UINT32_C(1) << cut) - 1)) << (h - cut) | x >> cut;
}

static inline void move(walkers from, uint64_t i, walkers to, uint64_t k) {
    to.t[k] = from.t[i];
    to.p[k] = from.p[i];
    to.id[k] = from.id[i];
}

static inline walkers beyond(walkers a, uint64_t k) { return (walkers){a.t + k, a.p + k, a.id + k}; }

/* The apex: each comes by another link, nobody meets. */
static uint64_t turn(const class_work *c, walkers in, uint64_t count, walkers out, walkers lost) {
    const circuit_labels *w = c->w;
    const uint8_t *free_from = w->free_from + ((uint64_t)c->L << w->h);
    unsigned limit = w->base + c->L, h = w->h, cut = w->cut, L = c->L;
    uint64_t won = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool good = free_from[place_of(h, cut, L, in.t[i], in.p[i])] <= limit;
        move(in, i, lost, i - won);
        move(in, i, out, won);
        won += good;
    }
    return won;
}

/* Who asks where at level l: slot = 2 place + port above; group = the down group there, counted within the level. */
static void address(const circuit_labels *w, unsigned l, walkers in, uint64_t count) {
    uint32_t *restrict slot = w->slot, *restrict group = w->group;
    const uint32_t *restrict t = in.t, *restrict p = in.p;
    uint32_t low = (UINT32_C(1) << l) - 1;
    unsigned h = w->h, cut = w->cut;
    if (l < cut)
        for (uint64_t i = 0; i < count; i++) slot[i] = ((t[i] & ~low) | (p[i] & low)) << 1 | (p[i] >> l & 1);
    else
        for (uint64_t i = 0; i < count; i++) {
            uint32_t x = (t[i] & ~low) | (p[i] & low);
            slot[i] = ((x & ((UINT32_C(1) << cut) - 1)) << (h - cut) | x >> cut) << 1 | (p[i] >> l & 1);
        }
    for (uint64_t i = 0; i < count; i++)
        group[i] = t[i] >> (l + 1) << (l + 1) | (p[i] & low) << 1 | (t[i] >> l & 1);
}

/* One level of one class: in[0 .. count-1] ask for their links at level l. Winners go to out (which may be in), losers to
 * lost. */
static uint64_t step(const class_work *c, unsigned l, walkers in, uint64_t count, walkers out, walkers lost) {
    circuit_labels *w = c->w;
    if (l == c->L) return turn(c, in, count, out, lost);
    if (++w->stamp == 256) {
        memset(w->asked, 0, (uint64_t)2 << w->h);
        w->stamp = 1;
    }
    address(w, l, in, count);
    uint8_t *asked = w->asked, stamp = (uint8_t)w->stamp;
    const uint8_t *free_from = w->free_from + ((uint64_t)l << w->h);
    const uint32_t *slot = w->slot, *group = w->group;
    const uint32_t *order = w->order + l * (((UINT64_C(1) << w->h) + 31) / 32);
    unsigned limit = w->base + c->L;
    uint64_t occasion = c->round << 32 | (4 * c->L - 2 * l), first = c->order_first + ((uint64_t)l << w->h), won = 0;
    for (uint64_t i = 0; i < count; i++) asked[slot[i]] = stamp;
    /* Three passes without a branch that cannot be foreseen: who may have the link, but for a rival; the coins of those
     * who have a rival; who moves on. */
    uint8_t *good = w->arrived; /* not needed before the class is through */
    uint32_t *rival = w->rival;
    uint64_t rivals = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t a = slot[i];
        uint8_t open = free_from[a >> 1] <= limit;
        good[i] = open;
        rival[rivals] = (uint32_t)i;
        rivals += open & (asked[a ^ 1] == stamp);
    }
    if (c->planes)
        for (uint64_t k = 0; k < rivals; k++) {
            uint32_t i = rival[k], g = group[i];
            good[i] = ~(slot[i] ^ order[g >> 5] >> (g & 31)) & 1;
        }
    else
        for (uint64_t k = 0; k < rivals; k++) {
            uint32_t i = rival[k];
            good[i] = ~(slot[i] ^ bough_bit(c->key, BOUGH_DRAW_ORDER_BIT, first + group[i], occasion)) & 1;
        }
    if (c->last) {
        for (uint64_t i = 0; i < count; i++) {
            move(in, i, out, won);
            won += good[i];
        }
        return won;
    }
    for (uint64_t i = 0; i < count; i++) {
        move(in, i, lost, i - won);
        move(in, i, out, won);
        won += good[i];
    }
    return won;
}

static void set_free_from(const class_work *c, unsigned l, unsigned from, walkers who, uint64_t count) {
    circuit_labels *w = c->w;
    uint8_t *free_from = w->free_from + ((uint64_t)l << w->h), value = (uint8_t)(w->base + from);
    unsigned h = w->h, cut = w->cut;
    for (uint64_t i = 0; i < count; i++) free_from[place_of(h, cut, l, who.t[i], who.p[i])] = value;
}

/* Notes for later classes when the links of those refused at level l are free again. Levels >= held are already noted
 * as held, and only what some class will find free needs a word. */
static void let_go(const class_work *c, unsigned l, unsigned held, walkers lost, uint64_t count) {
    for (unsigned above = l + 1; above <= c->L; above++) {
        unsigned from = c->L + (3 * (above - l) + 3) / 4;
        if (above >= held ? from < c->w->h : from > c->L + 1)
            set_free_from(c, above, from < HELD ? from : HELD, lost, count);
    }
}

/* Levels from .. to for the walkers in[0 .. count-1], in place; the winners of the last level go to out. */
static uint64_t descend(const class_work *c, unsigned from, unsigned to, unsigned held, walkers in, uint64_t count,
                        walkers out) {
    walkers lost = c->w->work[2];
    for (unsigned l = from + 1; l-- > to && count;) {
        uint64_t won = step(c, l, in, count, l == to ? out : in, lost);
        if (!c->last) let_go(c, l, held, lost, count - won);
        count = won;
    }
    for (unsigned l = to; l <= from && !c->last; l++) set_free_from(c, l, HELD, out, count);
    return count;
}

/* from[0 .. count-1] in order of the given bits of p (by_p) or t, into to; first[b] .. first[b+1] is bucket b. */
static void sort_walkers(walkers from, uint64_t count, walkers to, bool by_p, unsigned shift, unsigned bits,
                         uint64_t *first) {
    uint64_t buckets = UINT64_C(1) << bits;
    uint32_t mask = (uint32_t)(buckets - 1);
    const uint32_t *by = by_p ? from.p : from.t;
    memset(first, 0, (buckets + 2) * sizeof *first);
    for (uint64_t i = 0; i < count; i++) first[(by[i] >> shift & mask) + 2]++;
    for (uint64_t b = 0; b < buckets; b++) first[b + 2] += first[b + 1];
    for (uint64_t i = 0; i < count; i++) move(from, i, to, first[(by[i] >> shift & mask) + 1]++);
}

/* Levels from .. to, neighbourhood by neighbourhood. The walkers are in work[0], and so are the winners. */
static uint64_t descend_sorted(const class_work *c, unsigned from, unsigned to, unsigned held, uint64_t count,
                               bool by_p) {
    circuit_labels *w = c->w;
    if (w->cut == 0 || count < SPARSE) return descend(c, from, to, held, w->work[0], count, w->work[0]);
    uint64_t won = 0;
    sort_walkers(w->work[0], count, w->work[1], by_p, by_p ? 0 : w->h - w->cut, w->cut, w->bucket);
    for (uint64_t b = 0; b < UINT64_C(1) << w->cut; b++)
        won += descend(c, from, to, held, beyond(w->work[1], w->bucket[b]), w->bucket[b + 1] - w->bucket[b],
                       beyond(w->work[0], won));
    return won;
}

static void draw_order(const class_work *c) {
    circuit_labels *w = c->w;
    uint64_t n = UINT64_C(1) << w->h;
    for (unsigned l = 0; l < c->L; l++)
        bough_bits(c->key, BOUGH_DRAW_ORDER_BIT, c->order_first + l * n, n, c->round << 32 | (4 * c->L - 2 * l),
                   w->order + l * ((n + 31) / 32));
}

/* One class in one round; returns how many arrived. */
static uint64_t run_class(class_work *c) {
    circuit_labels *w = c->w;
    uint32_t *s = w->s + w->class_first[c->L], *t = w->t + w->class_first[c->L];
    uint64_t live = w->class_count[c->L], left = 0;
    c->last = c->L == w->h - 1;
    c->planes = live > (UINT64_C(1) << w->h) / 16;
    if (c->planes) draw_order(c);
    climb(w, s, live, c->L, w->work[0].p);
    memcpy(w->work[0].t, t, live * sizeof *t);
    for (uint64_t i = 0; i < live; i++) w->work[0].id[i] = (uint32_t)i;
    uint64_t count = live;
    if (c->L >= w->cut) count = descend_sorted(c, c->L, w->cut, w->h, count, true);
    if (w->cut) count = descend_sorted(c, c->L < w->cut ? c->L : w->cut - 1, 0, w->cut, count, false);
    memset(w->arrived, 0, live);
    for (uint64_t i = 0; i < count; i++) w->arrived[w->work[0].id[i]] = 1;
    for (uint64_t i = 0; i < live; i++) {
        s[left] = s[i];
        t[left] = t[i];
        left += !w->arrived[i];
    }
    w->class_count[c->L] = left;
    return count;
}

/* Makes all links free: by moving the base above everything noted so far, or by clearing. */
static void free_all(circuit_labels *w) {
    w->base += HELD + 1;
    if (w->base + HELD > 255) {
        memset(w->free_from, 0, (uint64_t)w->h << w->h);
        w->base = 0;
    }
}

bough_status circuit_labels_run(const bough_run *run, const circuit_options *o, bough_key key,
                                circuit_labels **workspace, circuit_result *r, bough_error *error) {
    const bough_net *net = run->point.net;
    bough_batch batch;
    bough_status status = BOUGH_OK;
    *r = (circuit_result){0};
    if (!*workspace) status = make(&run->point, workspace, error);
    if (status) return status;
    circuit_labels *w = *workspace;
    status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (status) return status;
    sort_by_class(w, &batch);
    uint64_t left = r->messages = batch.count;
    bough_batch_fini(&batch);
    class_work c = {.w = w, .key = key, .order_first = net->endpoints + (w->h - 1) * (net->endpoints / 2)};
    for (; left && r->rounds < o->round_limit; r->rounds++) {
        unsigned highest = w->h;
        while (highest > 0 && w->class_count[highest - 1] == 0) highest--;
        c.round = r->rounds;
        r->attempts += left;
        free_all(w);
        draw_coins(w, key, r->rounds, highest - 1);
        for (c.L = 0; c.L < highest; c.L++) {
            if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
            if (w->class_count[c.L] == 0) continue;
            uint64_t arrived = run_class(&c);
            left -= arrived;
            if (r->rounds == 0) r->first += arrived;
        }
    }
    r->undelivered = left;
    r->cut_off = left > 0;
    return BOUGH_OK;
}
