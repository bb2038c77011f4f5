/* Planes are stored tile by tile (labels_positions.h), and within one in this order: presence, then bits 0,
 * 1, .. of the targets. All classes climb together, since no two messages are ever at one position. The class
 * of a message follows from the bits of position and target from L on, which climbing to L does not change.
 * Bits at unoccupied positions are undefined and move along.
 *
 * Each class then descends alone. It records at which level which message crossed and which had a link. This
 * record leads back up: arrived messages to their apex, where they wait for the other classes and return to
 * the sources with them; and, for each later class, the messages that still block their links. Let G_d[l] be
 * the links of level l whose messages also had a link of level l - d, or arrived. Class L + k finds G_f(k)[l]
 * blocked, f(k) = floor(4k/3); the messages of G_f(k)[l] with f(k) > l have arrived, and block until they
 * are acknowledged. Hence G_1 is blocked for the next class, and G_f(k-1) without G_f(k) is freed before
 * class L + k. A link is blocked by one message at a time, so each freed bit belongs to one message. */
#include "engines/circuit/labels/planes/labels_dense.h"

#include "engines/circuit/labels/planes/labels_bitplanes.h"
#include "engines/circuit/labels/planes/labels_planes.h"

#include <string.h>

/* Run of the current class. */
typedef struct pass {
    labels_planes *p;
    labels_round *r;
    plane_worker *k;   /* of this thread */
    unsigned L, trail; /* G_1 .. G_trail are needed; 0: no later class */
} pass;

/* ---- up ---- */

static const uint64_t *coins_of(const labels_planes *p, unsigned l, uint64_t tile) {
    return p->climb->coins + labels_tile_first(p->places, l, tile);
}

/* Moves the first `planes` planes from level `from` to level `to`. */
static void climb_levels(const labels_planes *p, const tile_planes *t, uint64_t planes, unsigned from,
                         unsigned to) {
    const labels_places *s = p->places;
    for (unsigned l = from; l < to; l++)
        plane_move(t->plane, planes, labels_tile_words(s, l), labels_tile_bit(s, l), coins_of(p, l, t->tile));
}

/* Moves all planes of a tile of sources to level `to`; stores them in t. */
static void climb_from_home(const labels_planes *p, const tile_planes *t, unsigned to) {
    uint64_t planes = p->places->h + 1;
    memcpy(t->plane, home_of(p, t->tile), planes * p->places->low_words * sizeof *t->plane);
    climb_levels(p, t, planes, 0, to);
}

/* A tile in the buffer where its planes are prepared for transpose(). */
static tile_planes staged(const labels_planes *p, const plane_worker *k, uint64_t tile, bool high) {
    uint64_t words = high ? p->places->high_words : p->places->low_words;
    return (tile_planes){k->stage + tile % TOGETHER * stride_of(SCRATCH, words), tile, high};
}

/* Transposes planes from one kind of tile to the other: word k of a plane goes to tile k, to the place of
 * this tile there. Works on several tiles at once, after the last of them is prepared, so that whole cache
 * lines are written. */
static void transpose(const pass *c, const tile_planes *last, uint64_t planes, const all_tiles *to) {
    const labels_planes *p = c->p;
    uint64_t words = last->high ? p->places->high_words : p->places->low_words,
             to_words = last->high ? p->places->low_words : p->places->high_words,
             stride = stride_of(SCRATCH, words);
    if (last->tile % TOGETHER != TOGETHER - 1) return;
    for (uint64_t j = 0; j < planes; j++)
        for (uint64_t k = 0; k < words; k++) {
            const uint64_t *from = c->k->stage + j * words + k;
            uint64_t *line = to->word + k * to->stride + j * to_words + last->tile - (TOGETHER - 1);
            if (k + AHEAD < words) __builtin_prefetch(line + AHEAD * to->stride, 1);
            for (unsigned i = 0; i < TOGETHER; i++) line[i] = from[i * stride];
        }
}

static void climb_group(void *context, unsigned worker, uint64_t group) {
    const labels_planes *p = ((const pass *)context)->p;
    const labels_places *s = p->places;
    const pass c = {.p = ((const pass *)context)->p, .k = &p->worker[worker]};
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        tile_planes t = staged(p, c.k, tile, false);
        climb_from_home(p, &t, s->cut);
        transpose(&c, &t, s->h + 1, &p->joint);
    }
}

/* Prepares the planes of the class at its apex: held, and the bits of the targets below L. On the way down,
 * bit L is that of the target. */
static void begin_class(const pass *c, const tile_planes *from, uint64_t *to) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_tile_words(s, c->L), *set = to + words;
    unsigned bit = labels_tile_bit(s, c->L);
    planes_find_class(c->p, from, c->L, set);
    plane_flip(set, to, 1, words, bit);
    plane_flip(from->plane + words, to + words, c->L, words, bit);
}

/* ---- down ---- */

static uint64_t *due_of(const labels_planes *p, unsigned class) {
    return p->due + (class - p->lowest - 2) * p->places->h * p->places->words;
}

static void arbitrate(const pass *c, unsigned l, uint64_t tile, const uint64_t *rivals, uint64_t *cross) {
    const labels_places *s = c->p->places;
    uint64_t first = c->r->order_first + ((uint64_t)l << s->h), words = labels_tile_words(s, l);
    bough_draw draw = {c->r->key, BOUGH_DRAW_ORDER_BIT, c->r->occasion + (4 * c->L - 2 * l)};
    if (s->h < 7) { /* a word of coins need not start at a block boundary */
        uint32_t bits[2] = {0};
        bough_bits(&draw, first, UINT64_C(1) << s->h, bits);
        plane_arbitrate_word((uint64_t)bits[1] << 32 | bits[0], rivals, l, cross);
        return;
    }
    plane_coins coins = {draw, first / 128, 1};
    if (l < s->cut)
        coins.block += tile * words / 2;
    else
        coins.block += tile, coins.step = UINT64_C(1) << (s->cut - 6);
    plane_arbitrate(&coins, rivals, words, labels_tile_bit(s, l), cross);
}

/* Prefetches words. */
static inline void fetch(const uint64_t *from, uint64_t words) {
    for (uint64_t i = 0; i < words; i += 8) __builtin_prefetch(from + i);
}

/* Levels from-1 .. to of planes that are at level `from`. */
static void descend(const pass *c, const tile_planes *t, unsigned from, unsigned to) {
    labels_planes *p = c->p;
    uint64_t words = labels_tile_words(p->places, to), rivals[TILE_WORDS_MAX];
    for (unsigned l = from; l-- > to;) {
        uint64_t first = labels_tile_first(p->places, l, t->tile), *cross = p->cross + first;
        unsigned bit = labels_tile_bit(p->places, l);
        if (l > to) {
            fetch(c->r->shut + first - words, words);
            fetch(cross - words, words);
            if (c->trail) fetch(p->held + first - words, words);
        }
        if (c->r->count_claims) c->k->claims += plane_count(t->plane, words);
        if (l < c->k->reached && plane_any(t->plane, words)) c->k->reached = l;
        if (p->owed[c->L] >> l & 1) plane_clear(c->r->shut + first, due_of(p, c->L) + first, words);
        plane_links links = {c->r->shut + first, cross, rivals};
        plane_request(t->plane, t->plane + (l + 1) * words, words, bit, &links);
        arbitrate(c, l, t->tile, rivals, cross);
        plane_move(t->plane + words, l, words, bit, cross);
        if (c->trail) memcpy(p->held + first, t->plane, words * sizeof *t->plane);
    }
}

static void descend_high(const pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    tile_planes joint = {p->joint.word + tile * p->joint.stride, tile, true}, t = staged(p, c->k, tile, true);
    climb_levels(p, &joint, s->h + 1, p->at, c->L);
    begin_class(c, &joint, t.plane);
    descend(c, &t, c->L, s->cut);
    transpose(c, &t, s->cut + 1, &p->down);
}

/* ---- back up ---- */

/* Whether links of level l are freed before the class that is `later` higher: those of refused messages, or
 * of messages whose acknowledgement has come by then. */
static bool frees(const labels_round *r, unsigned l, unsigned later) {
    return reach(later - 1) < l || (labels_blocks(r, l, later - 1) && !labels_blocks(r, l, later));
}

/* The links of level l that the class that is `later` higher finds blocked; trail[1 + d]: G_d. */
static const uint64_t *blocked_for(const pass *c, unsigned l, unsigned later, const uint64_t *trail) {
    static const uint64_t none[TILE_WORDS_MAX];
    if (reach(later) > l && !labels_blocks(c->r, l, later)) return none;
    return trail + (1 + reach(later)) * labels_tile_words(c->p->places, l);
}

/* trail[0]: arrived. Records for the later classes which links of level l are blocked. */
static void block(const pass *c, unsigned l, uint64_t tile, const uint64_t *trail) {
    uint64_t words = labels_tile_words(c->p->places, l), first = labels_tile_first(c->p->places, l, tile);
    plane_add(c->r->shut + first, blocked_for(c, l, 1, trail), words);
    for (unsigned later = 2; c->L + later <= c->r->highest; later++) {
        if (!frees(c->r, l, later)) continue;
        uint64_t *due = due_of(c->p, c->L + later) + first;
        plane_less(due, blocked_for(c, l, later - 1, trail), blocked_for(c, l, later, trail), words,
                   !(c->p->owed[c->L + later] >> l & 1));
    }
}

/* Moves the trail, except G_0, from level l up to l + 1. */
static void lift(const pass *c, unsigned l, uint64_t tile, uint64_t *trail) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_tile_words(s, l), first = labels_tile_first(s, l, tile);
    const uint64_t *cross = c->p->cross + first;
    unsigned bit = labels_tile_bit(s, l);
    if (c->trail) memcpy(trail + words, c->p->held + first, words * sizeof *trail);
    for (unsigned d = c->trail; d > 0; d--)
        plane_back(trail + d * words, trail + (d + 1) * words, words, bit, cross);
    plane_back(trail, trail, words, bit, cross);
}

static void leave_at_apex(const pass *c, uint64_t tile, const uint64_t *trail) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_tile_words(s, c->L);
    if (c->trail) block(c, c->L, tile, trail);
    plane_flip(trail, c->p->arrived + (c->L - c->p->lowest) * s->words + tile * words, 1, words,
               labels_tile_bit(s, c->L));
}

/* Moves the trail from level `from` to level `to`. */
static void go_back(const pass *c, uint64_t *trail, unsigned from, unsigned to, uint64_t tile) {
    for (unsigned l = from; l < to; l++) {
        if (c->trail) block(c, l, tile, trail);
        lift(c, l, tile, trail);
    }
}

/* Runs the levels below cut; returns the number of arrivals. */
static uint64_t low_levels(const pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    bool crosses = c->L >= s->cut; /* the class comes from the levels above cut, and returns there */
    tile_planes t = {p->down.word + tile * p->down.stride, tile, false}, back = staged(p, c->k, tile, false);
    if (!crosses) {
        t.plane = c->k->scratch[1];
        back.plane = c->k->scratch[0];
        climb_from_home(p, &back, c->L);
        begin_class(c, &back, t.plane);
    }
    uint64_t words = s->low_words, *trail = back.plane;
    descend(c, &t, crosses ? s->cut : c->L, 0);
    for (unsigned d = 0; d <= c->trail + 1; d++) memcpy(trail + d * words, t.plane, words * sizeof *trail);
    go_back(c, trail, 0, crosses ? s->cut : c->L, tile);
    if (crosses)
        transpose(c, &back, c->trail + 2, &p->rise);
    else
        leave_at_apex(c, tile, trail);
    return plane_count(t.plane, words);
}

static void go_back_high(const pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    uint64_t *trail = p->rise.word + tile * p->rise.stride;
    go_back(c, trail, p->places->cut, c->L, tile);
    leave_at_apex(c, tile, trail);
}

/* ---- the round ---- */

static void high_group(void *context, unsigned worker, uint64_t group) {
    pass c = *(const pass *)context;
    c.k = &c.p->worker[worker];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, c.p->places->high_tiles); tile++)
        descend_high(&c, tile);
}

static void low_group(void *context, unsigned worker, uint64_t group) {
    pass c = *(const pass *)context;
    c.k = &c.p->worker[worker];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, c.p->places->low_tiles); tile++)
        c.k->arrivals += low_levels(&c, tile);
}

static void back_group(void *context, unsigned worker, uint64_t group) {
    const pass *c = context;
    (void)worker;
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, c->p->places->high_tiles); tile++)
        go_back_high(c, tile);
}

uint64_t labels_planes_run(labels_planes *p, labels_round *r, unsigned L) {
    const labels_places *s = p->places;
    pass c = {.p = p, .r = r, .L = L, .trail = (unsigned)reach(r->highest - L)};
    uint64_t arrived = 0;
    bool high = L >= s->cut;
    p->rise.stride = (c.trail + 2) * s->high_words;
    for (unsigned i = 0; i < p->workers; i++) p->worker[i].arrivals = 0, p->worker[i].reached = r->reached;
    if (high && p->at == 0) {
        each_group(p, s->low_tiles, climb_group, &c);
        p->at = s->cut;
    }
    if (high) each_group(p, s->high_tiles, high_group, &c);
    if (high) p->at = L;
    each_group(p, s->low_tiles, low_group, &c);
    if (high) each_group(p, s->high_tiles, back_group, &c);
    for (unsigned i = 0; i < p->workers; i++) {
        arrived += p->worker[i].arrivals;
        if (p->worker[i].reached < r->reached) r->reached = p->worker[i].reached;
    }
    for (unsigned later = 2; L + later <= r->highest; later++)
        for (unsigned l = 0; l <= L; l++) p->owed[L + later] |= (uint32_t)frees(r, l, later) << l;
    p->owed[L] = 0;
    p->ran |= UINT32_C(1) << L;
    return arrived;
}

static void release_level(void *context, unsigned worker, uint64_t l) {
    const pass *c = context;
    const labels_planes *p = c->p;
    const labels_places *s = p->places;
    uint64_t tiles = p->owed[c->L] >> l & 1 ? l < s->cut ? s->low_tiles : s->high_tiles : 0;
    (void)worker;
    for (uint64_t tile = 0; tile < tiles; tile++) {
        uint64_t first = labels_tile_first(s, (unsigned)l, tile);
        plane_clear(c->r->shut + first, due_of(p, c->L) + first, labels_tile_words(s, (unsigned)l));
    }
}

void labels_planes_release(labels_planes *p, labels_round *r, unsigned L) {
    pass c = {.p = p, .r = r, .L = L};
    if (p->owed[L]) team_each(p->team, p->places->h, release_level, &c);
    p->owed[L] = 0;
}

/* Joins the messages that wait at the levels of a tile, from the highest level down, and moves them down to
 * its lowest. The plane holds those that come from higher levels; any: there are some. */
static void gather(const labels_planes *p, const tile_planes *t, bool any) {
    const labels_places *s = p->places;
    unsigned to = t->high ? s->cut : 0;
    uint64_t words = t->high ? s->high_words : s->low_words;
    for (unsigned l = t->high ? s->h : s->cut; l-- > to;) {
        if (any) plane_move(t->plane, 1, words, labels_tile_bit(s, l), coins_of(p, l, t->tile));
        if (p->ran >> l & 1) {
            plane_add(t->plane, p->arrived + (l - p->lowest) * s->words + t->tile * words, words);
            any = true;
        }
    }
}

static void gather_high(void *context, unsigned worker, uint64_t group) {
    labels_planes *p = context;
    const labels_places *s = p->places;
    const pass c = {.p = p, .k = &p->worker[worker]};
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->high_tiles); tile++) {
        tile_planes t = staged(p, c.k, tile, true);
        memset(t.plane, 0, s->high_words * sizeof *t.plane);
        gather(p, &t, false);
        transpose(&c, &t, 1, &p->down);
    }
}

static void gather_low(void *context, unsigned worker, uint64_t group) {
    labels_planes *p = context;
    const labels_places *s = p->places;
    bool high = p->ran >> s->cut != 0;
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        tile_planes t = {p->worker[worker].scratch[0], tile, false};
        memset(t.plane, 0, s->low_words * sizeof *t.plane);
        if (high) memcpy(t.plane, p->down.word + tile * p->down.stride, s->low_words * sizeof *t.plane);
        gather(p, &t, high);
        plane_clear(home_of(p, tile), t.plane, s->low_words);
    }
}

void labels_planes_end(labels_planes *p) {
    const labels_places *s = p->places;
    if (p->ran >> s->cut) each_group(p, s->high_tiles, gather_high, p);
    if (p->ran) each_group(p, s->low_tiles, gather_low, p);
    memset(p->owed, 0, sizeof p->owed); /* a no-op unless the round was interrupted */
    p->ran = 0;
    p->at = 0;
}
