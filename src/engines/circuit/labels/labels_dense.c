/* Planes are stored neighbourhood by neighbourhood (labels_positions.h), and within one in this order:
 * presence, then bits 0, 1, .. of the targets. All classes climb together, since no two messages are ever at
 * one position. The class of a message follows from the bits of position and target from L on, which climbing
 * to L does not change. Bits at unoccupied positions are undefined and move along.
 *
 * Each class then descends alone. It records at which level which message crossed and which had a link. This
 * record leads back up: arrived messages to their apex, where they wait for the other classes and return to
 * the sources with them; and, for each later class, the messages that still block their links. Let G_d[l] be
 * the links of level l whose messages also had a link of level l - d, or arrived. Class L + k finds G_f(k)[l]
 * blocked, f(k) = floor(4k/3). Hence G_1 is blocked for the next class, and G_f(k-1) without G_f(k) is freed
 * before class L + k. A link is blocked by one message at a time, so each freed bit belongs to one
 * message. */
#include "engines/circuit/labels/labels_dense.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "engines/circuit/labels/labels_bitplanes.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRAIL_MAX = LABELS_LEVELS_MAX * 4 / 3 + 1,
    SCRATCH = TRAIL_MAX + 2, /* planes; more than levels + 1 */
    TURNED = 8,              /* words of a cache line */
    AHEAD = 16               /* cache lines */
};

struct labels_planes {
    const labels_places *places;
    const labels_climb *climb;
    unsigned lowest;
    unsigned at;                          /* current level of joint; 0: not computed in this round */
    uint32_t ran;                         /* classes of this round */
    uint32_t owed[LABELS_LEVELS_MAX + 1]; /* [class]: the levels of due that are filled */
    uint64_t joint_stride, down_stride;   /* words of a neighbourhood */
    uint64_t *block;                      /* all that follows */
    uint64_t *home;                       /* at the sources: presence, targets */
    uint64_t *joint;                      /* the same while climbing, from level cut on */
    uint64_t *down;                       /* the current class at level cut */
    uint64_t *rise;                       /* the current class on its way back */
    uint64_t *cross, *held;               /* [place]: of the current class */
    uint64_t *arrived;                    /* [class][neighbourhood]: at the apex */
    uint64_t *due;                        /* [class][place]: links to free before the class runs */
    uint64_t *scratch[2];                 /* planes of a neighbourhood */
    uint64_t *stage;                      /* the same for TURNED consecutive neighbourhoods */
};

/* Run of the current class. */
typedef struct pass {
    labels_planes *p;
    const labels_round *r;
    unsigned L, trail; /* G_1 .. G_trail are needed; 0: no later class */
} pass;

/* ---- memory ---- */

/* Strides that are powers of two would map to few cache lines; they are avoided. */
static uint64_t stride_of(uint64_t planes, uint64_t words) {
    return planes * words + 8;
}

static uint64_t reach(unsigned later) {
    return 4 * later / 3;
}

/* Places all arrays in one block, so that it can use large pages. Returns the size of the block in words. */
static uint64_t lay_out(labels_planes *p, uint64_t *block) {
    const labels_places *s = p->places;
    uint64_t h = s->h, classes = h - p->lowest, turned = s->cut < h ? 1 : 0;
    uint64_t hood = s->low_words > s->high_words ? s->low_words : s->high_words;
    const struct {
        uint64_t **array, words;
    } part[] = {
        {&p->home, (h + 1) * s->words},
        {&p->joint, s->high_hoods * p->joint_stride},
        {&p->down, turned * s->low_hoods * p->down_stride},
        {&p->rise, turned * (reach((unsigned)classes - 1) + 2) * s->words},
        {&p->cross, h * s->words},
        {&p->held, h * s->words},
        {&p->arrived, classes * s->words},
        {&p->due, classes > 2 ? (classes - 2) * h * s->words : 0},
        {&p->scratch[0], SCRATCH * hood},
        {&p->scratch[1], SCRATCH * hood},
        {&p->stage, turned * TURNED * stride_of(SCRATCH, hood)},
    };
    uint64_t words = 0;
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        if (block) *part[i].array = block + words;
        words += part[i].words;
    }
    return words;
}

static labels_planes shape(const labels_places *places, const labels_climb *climb, unsigned lowest) {
    return (labels_planes){.places = places,
                           .climb = climb,
                           .lowest = lowest,
                           .joint_stride = stride_of(places->h + 1, places->high_words),
                           .down_stride = stride_of(places->cut + 1, places->low_words)};
}

uint64_t labels_planes_bytes(const labels_places *places, unsigned lowest) {
    labels_planes p = shape(places, NULL, lowest);
    return sizeof p + lay_out(&p, NULL) * sizeof(uint64_t);
}

bough_status labels_planes_make(const labels_places *places, const labels_climb *climb, unsigned lowest,
                                labels_planes **out, bough_error *error) {
    labels_planes *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    *out = p;
    *p = shape(places, climb, lowest);
    status = large_alloc(&p->block, lay_out(p, NULL), sizeof *p->block, error);
    if (!status) lay_out(p, p->block);
    return status;
}

void labels_planes_free(labels_planes *p) {
    if (!p) return;
    free(p->block);
    free(p);
}

/* ---- at the sources ---- */

static uint64_t *home_of(const labels_planes *p, uint64_t hood) {
    return p->home + hood * (p->places->h + 1) * p->places->low_words;
}

static inline unsigned apex(uint32_t s, uint32_t t) {
    return 31 - (unsigned)__builtin_clz(s ^ t);
}

void labels_planes_load(labels_planes *p, const bough_batch *batch, uint32_t classes) {
    const labels_places *s = p->places;
    uint64_t i = 0;
    for (uint64_t w = 0; w < s->words; w++) {
        uint32_t target[64] = {0};
        uint64_t bits[32], present = 0, *to = home_of(p, w / s->low_words) + w % s->low_words;
        for (; i < batch->count && batch->source[i] >> 6 == w; i++) {
            unsigned slot = batch->source[i] & 63, L = apex(batch->source[i], batch->address[i]);
            present |= (uint64_t)(classes >> L & 1) << slot;
            target[slot] = batch->address[i];
        }
        hood_transpose(target, bits);
        to[0] = present;
        for (unsigned j = 0; j < s->h; j++) to[(j + 1) * s->low_words] = bits[j];
    }
}

/* Stores in `set` the messages of class L in the planes of a neighbourhood: the high bits of target and
 * position are equal, bit L differs. Planes are at level L or below. */
static void find_class(const labels_planes *p, const uint64_t *plane, uint64_t hood, unsigned L, bool high,
                       uint64_t *set) {
    const labels_places *s = p->places;
    uint64_t words = high ? s->high_words : s->low_words;
    memcpy(set, plane, words * sizeof *set);
    for (unsigned j = L; j < s->h; j++) {
        bool same = j > L, beyond = !high && j >= s->cut;
        if (beyond) same ^= hood >> (j - s->cut) & 1;
        hood_match(set, plane + (j + 1) * words, words, beyond ? 63 : labels_hood_bit(s, j), same);
    }
}

/* Extracts the messages of one word. The bits of the target from L on follow from the source. */
static uint64_t take_word(uint64_t who, const uint64_t *bits, uint64_t apart, uint32_t first, unsigned L,
                          uint32_t *s, walker *w) {
    uint64_t count = 0;
    for (; who; who &= who - 1, count++) {
        unsigned slot = (unsigned)__builtin_ctzll(who);
        uint32_t source = first + slot, target = (source >> L ^ 1) << L;
        for (unsigned j = 0; j < L; j++) target |= (uint32_t)(bits[j * apart] >> slot & 1) << j;
        s[count] = source;
        w[count] = target;
    }
    return count;
}

/* The messages also stay in the planes, where their class is not used again. */
uint64_t labels_planes_take(labels_planes *p, unsigned L, uint32_t *s, walker *w) {
    uint64_t words = p->places->low_words, count = 0, *set = p->scratch[0];
    for (uint64_t hood = 0; hood < p->places->low_hoods; hood++) {
        const uint64_t *home = home_of(p, hood);
        find_class(p, home, hood, L, false, set);
        for (uint64_t i = 0; i < words; i++)
            count += take_word(set[i], home + words + i, words, (uint32_t)((hood * words + i) * 64), L,
                               s + count, w + count);
    }
    return count;
}

/* ---- up ---- */

static const uint64_t *coins_of(const labels_planes *p, unsigned l, uint64_t hood) {
    return p->climb->coins + labels_hood_first(p->places, l, hood);
}

static void climb_levels(const labels_planes *p, uint64_t *plane, uint64_t planes, unsigned from, unsigned to,
                         uint64_t hood) {
    const labels_places *s = p->places;
    for (unsigned l = from; l < to; l++)
        hood_move(plane, planes, labels_hood_words(s, l), labels_hood_bit(s, l), coins_of(p, l, hood));
}

/* Moves all planes of a neighbourhood of sources to level `to`. */
static void climb_from_home(const labels_planes *p, uint64_t hood, unsigned to, uint64_t *plane) {
    uint64_t planes = p->places->h + 1;
    memcpy(plane, home_of(p, hood), planes * p->places->low_words * sizeof *plane);
    climb_levels(p, plane, planes, 0, to, hood);
}

/* The buffer in which the planes of a neighbourhood are prepared for turn(). */
static uint64_t *stage_of(const labels_planes *p, uint64_t hood, uint64_t words) {
    return p->stage + hood % TURNED * stride_of(SCRATCH, words);
}

/* Transposes planes from one kind of neighbourhood to the other: word k of a plane goes to neighbourhood k,
 * to the place of this neighbourhood there. Works on several neighbourhoods at once, after the last of them
 * is prepared, so that whole cache lines are written. */
static void turn(const labels_planes *p, uint64_t planes, uint64_t words, uint64_t hood, uint64_t *to,
                 uint64_t to_stride, uint64_t to_words) {
    uint64_t stride = stride_of(SCRATCH, words);
    if (hood % TURNED != TURNED - 1) return;
    for (uint64_t j = 0; j < planes; j++)
        for (uint64_t k = 0; k < words; k++) {
            const uint64_t *from = p->stage + j * words + k;
            uint64_t *line = to + k * to_stride + j * to_words + hood - (TURNED - 1);
            if (k + AHEAD < words) __builtin_prefetch(line + AHEAD * to_stride, 1);
            for (unsigned i = 0; i < TURNED; i++) line[i] = from[i * stride];
        }
}

static void climb_to_cut(labels_planes *p) {
    const labels_places *s = p->places;
    for (uint64_t hood = 0; hood < s->low_hoods; hood++) {
        climb_from_home(p, hood, s->cut, stage_of(p, hood, s->low_words));
        turn(p, s->h + 1, s->low_words, hood, p->joint, p->joint_stride, s->high_words);
    }
    p->at = s->cut;
}

/* Prepares the planes of the class at its apex: held, and the bits of the targets below L. On the way down,
 * bit L is that of the target. */
static void begin_class(const pass *c, const uint64_t *plane, uint64_t hood, bool high, uint64_t *to) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_hood_words(s, c->L), *set = to + words;
    unsigned bit = labels_hood_bit(s, c->L);
    find_class(c->p, plane, hood, c->L, high, set);
    hood_flip(set, to, 1, words, bit);
    hood_flip(plane + words, to + words, c->L, words, bit);
}

/* ---- down ---- */

static uint64_t *due_of(const labels_planes *p, unsigned class) {
    return p->due + (class - p->lowest - 2) * p->places->h * p->places->words;
}

static void toss(const pass *c, unsigned l, uint64_t hood, const uint64_t *rivals, uint64_t *cross) {
    const labels_places *s = c->p->places;
    uint64_t first = c->r->order_first + ((uint64_t)l << s->h), words = labels_hood_words(s, l);
    bough_draw draw = {c->r->key, BOUGH_DRAW_ORDER_BIT, c->r->number << 32 | (4 * c->L - 2 * l)};
    if (s->h < 7) { /* a word of coins need not start at a block boundary */
        uint32_t bits[2] = {0};
        bough_bits(&draw, first, UINT64_C(1) << s->h, bits);
        hood_toss_word((uint64_t)bits[1] << 32 | bits[0], rivals, l, cross);
        return;
    }
    hood_coins coins = {draw, first / 128, 1};
    if (l < s->cut)
        coins.block += hood * words / 2;
    else
        coins.block += hood, coins.step = UINT64_C(1) << (s->cut - 6);
    hood_toss(&coins, rivals, words, labels_hood_bit(s, l), cross);
}

/* Prefetches words. */
static inline void fetch(const uint64_t *from, uint64_t words) {
    for (uint64_t i = 0; i < words; i += 8) __builtin_prefetch(from + i);
}

/* Levels from-1 .. to of planes that are at level `from`. */
static void descend(const pass *c, uint64_t *plane, unsigned from, unsigned to, uint64_t hood) {
    labels_planes *p = c->p;
    uint64_t words = labels_hood_words(p->places, to), rivals[HOOD_WORDS_MAX];
    for (unsigned l = from; l-- > to;) {
        uint64_t first = labels_hood_first(p->places, l, hood), *cross = p->cross + first;
        unsigned bit = labels_hood_bit(p->places, l);
        if (l > to) {
            fetch(c->r->shut + first - words, words);
            fetch(cross - words, words);
            if (c->trail) fetch(p->held + first - words, words);
        }
        if (c->r->claims) *c->r->claims += hood_count(plane, words);
        if (p->owed[c->L] >> l & 1) hood_clear(c->r->shut + first, due_of(p, c->L) + first, words);
        hood_ask(plane, plane + (l + 1) * words, c->r->shut + first, words, bit, cross, rivals);
        toss(c, l, hood, rivals, cross);
        hood_move(plane + words, l, words, bit, cross);
        if (c->trail) memcpy(p->held + first, plane, words * sizeof *plane);
    }
}

static void descend_high(const pass *c, uint64_t hood) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    uint64_t *joint = p->joint + hood * p->joint_stride, *plane = stage_of(p, hood, s->high_words);
    climb_levels(p, joint, s->h + 1, p->at, c->L, hood);
    begin_class(c, joint, hood, true, plane);
    descend(c, plane, c->L, s->cut, hood);
    turn(p, s->cut + 1, s->high_words, hood, p->down, p->down_stride, s->low_words);
}

/* ---- back up ---- */

/* trail[0]: arrived; trail[1 + d]: G_d. Records for the later classes which links of level l are blocked. */
static void block(const pass *c, unsigned l, uint64_t hood, const uint64_t *trail) {
    uint64_t words = labels_hood_words(c->p->places, l), first = labels_hood_first(c->p->places, l, hood);
    hood_add(c->r->shut + first, trail + 2 * words, words);
    for (unsigned later = 2; c->L + later <= c->r->highest && reach(later - 1) < l; later++) {
        uint64_t *due = due_of(c->p, c->L + later) + first;
        hood_less(due, trail + (1 + reach(later - 1)) * words, trail + (1 + reach(later)) * words, words,
                  !(c->p->owed[c->L + later] >> l & 1));
    }
}

/* Moves the trail, except G_0, from level l up to l + 1. */
static void lift(const pass *c, unsigned l, uint64_t hood, uint64_t *trail) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_hood_words(s, l), first = labels_hood_first(s, l, hood);
    const uint64_t *cross = c->p->cross + first;
    unsigned bit = labels_hood_bit(s, l);
    if (c->trail) memcpy(trail + words, c->p->held + first, words * sizeof *trail);
    for (unsigned d = c->trail; d > 0; d--)
        hood_back(trail + d * words, trail + (d + 1) * words, words, bit, cross);
    hood_back(trail, trail, words, bit, cross);
}

static void leave_at_apex(const pass *c, uint64_t hood, const uint64_t *trail) {
    const labels_places *s = c->p->places;
    uint64_t words = labels_hood_words(s, c->L);
    hood_flip(trail, c->p->arrived + (c->L - c->p->lowest) * s->words + hood * words, 1, words,
              labels_hood_bit(s, c->L));
}

/* Moves the trail from level `from` to level `to`. */
static void go_back(const pass *c, uint64_t *trail, unsigned from, unsigned to, uint64_t hood) {
    for (unsigned l = from;; l++) {
        if (c->trail) block(c, l, hood, trail);
        if (l == to) return;
        lift(c, l, hood, trail);
    }
}

/* Runs the levels below cut; returns the number of arrivals. */
static uint64_t low_levels(const pass *c, uint64_t hood) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    uint64_t words = s->low_words, *plane = p->down + hood * p->down_stride, *trail = p->scratch[0];
    bool turns = c->L >= s->cut;
    if (!turns) {
        plane = p->scratch[1];
        climb_from_home(p, hood, c->L, p->scratch[0]);
        begin_class(c, p->scratch[0], hood, false, plane);
    } else {
        trail = stage_of(p, hood, words);
    }
    descend(c, plane, turns ? s->cut : c->L, 0, hood);
    for (unsigned d = 0; d <= c->trail + 1; d++) memcpy(trail + d * words, plane, words * sizeof *trail);
    go_back(c, trail, 0, turns ? s->cut - 1 : c->L, hood);
    if (!turns) {
        leave_at_apex(c, hood, trail);
    } else {
        lift(c, s->cut - 1, hood, trail);
        turn(p, c->trail + 2, words, hood, p->rise, (c->trail + 2) * s->high_words, s->high_words);
    }
    return hood_count(plane, words);
}

static void go_back_high(const pass *c, uint64_t hood) {
    labels_planes *p = c->p;
    uint64_t *trail = p->rise + hood * (c->trail + 2) * p->places->high_words;
    go_back(c, trail, p->places->cut, c->L, hood);
    leave_at_apex(c, hood, trail);
}

/* ---- the round ---- */

uint64_t labels_planes_run(labels_planes *p, const labels_round *r, unsigned L) {
    const labels_places *s = p->places;
    pass c = {.p = p, .r = r, .L = L, .trail = (unsigned)reach(r->highest - L)};
    uint64_t arrived = 0;
    bool high = L >= s->cut;
    if (high && p->at == 0) climb_to_cut(p);
    for (uint64_t hood = 0; high && hood < s->high_hoods; hood++) descend_high(&c, hood);
    if (high) p->at = L;
    for (uint64_t hood = 0; hood < s->low_hoods; hood++) arrived += low_levels(&c, hood);
    for (uint64_t hood = 0; high && hood < s->high_hoods; hood++) go_back_high(&c, hood);
    for (unsigned later = 2; L + later <= r->highest; later++)
        for (unsigned l = (unsigned)reach(later - 1) + 1; l <= L; l++) p->owed[L + later] |= UINT32_C(1) << l;
    p->owed[L] = 0;
    p->ran |= UINT32_C(1) << L;
    return arrived;
}

void labels_planes_release(labels_planes *p, const labels_round *r, unsigned L) {
    const labels_places *s = p->places;
    for (unsigned l = 0; l < s->h; l++)
        for (uint64_t hood = 0; (p->owed[L] >> l & 1) && hood < labels_hoods(s, l); hood++) {
            uint64_t first = labels_hood_first(s, l, hood);
            hood_clear(r->shut + first, due_of(p, L) + first, labels_hood_words(s, l));
        }
    p->owed[L] = 0;
}

/* Joins the messages of classes that wait at levels to .. from of a neighbourhood and moves them down to
 * level `to`. any: the set is not empty. */
static void gather(const labels_planes *p, uint64_t *set, unsigned from, unsigned to, uint64_t hood,
                   bool any) {
    const labels_places *s = p->places;
    uint64_t words = labels_hood_words(s, to);
    for (unsigned l = from + 1; l-- > to;) {
        if (any) hood_move(set, 1, words, labels_hood_bit(s, l), coins_of(p, l, hood));
        if (p->ran >> l & 1) {
            hood_add(set, p->arrived + (l - p->lowest) * s->words + hood * words, words);
            any = true;
        }
    }
}

void labels_planes_end(labels_planes *p) {
    const labels_places *s = p->places;
    uint64_t *set;
    bool high = p->ran >> s->cut != 0;
    for (uint64_t hood = 0; high && hood < s->high_hoods; hood++) {
        set = memset(stage_of(p, hood, s->high_words), 0, s->high_words * sizeof *set);
        gather(p, set, s->h - 1, s->cut, hood, false);
        turn(p, 1, s->high_words, hood, p->down, p->down_stride, s->low_words);
    }
    set = p->scratch[0];
    for (uint64_t hood = 0; p->ran && hood < s->low_hoods; hood++) {
        memset(set, 0, s->low_words * sizeof *set);
        if (high) memcpy(set, p->down + hood * p->down_stride, s->low_words * sizeof *set);
        gather(p, set, s->cut - 1, 0, hood, high);
        hood_clear(home_of(p, hood), set, s->low_words);
    }
    memset(p->owed, 0, sizeof p->owed); /* a no-op unless the round was interrupted */
    p->ran = 0;
    p->at = 0;
}
