/* Planes are stored tile by tile (labels_positions.h), and within one in this order: presence, then bits 0,
 * 1,
 * .. of the targets. All classes climb together, since no two messages are ever at one position. The class of
 * a message follows from the bits of position and target from L on, which climbing to L does not change. Bits
 * at unoccupied positions are undefined and move along.
 *
 * Each class then descends alone. It records at which level which message crossed and which had a link. This
 * record leads back up: arrived messages to their apex, where they wait for the other classes and return to
 * the sources with them; and, for each later class, the messages that still block their links. Let G_d[l] be
 * the links of level l whose messages also had a link of level l - d, or arrived. Class L + k finds G_f(k)[l]
 * blocked, f(k) = floor(4k/3); the messages of G_f(k)[l] with f(k) > l have arrived, and block until they
 * are acknowledged. Hence G_1 is blocked for the next class, and G_f(k-1) without G_f(k) is freed before
 * class L + k. A link is blocked by one message at a time, so each freed bit belongs to one message. */
#include "engines/circuit/labels/labels_dense.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "engines/circuit/labels/labels_bitplanes.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRAIL_MAX = LABELS_LEVELS_MAX * 4 / 3 + 1,
    SCRATCH = TRAIL_MAX + 2, /* planes; more than levels + 1 */
    TOGETHER = 8,            /* tiles that are transposed together: words of a cache line */
    AHEAD = 16               /* cache lines */
};

/* The planes of all tiles of one kind, `stride` words for each tile. */
typedef struct all_tiles {
    uint64_t *word, stride;
} all_tiles;

/* What a thread needs. */
typedef struct plane_worker {
    uint64_t *block;
    uint64_t *scratch[2]; /* planes of a tile */
    uint64_t *stage;      /* the same for TOGETHER consecutive tiles */
    uint64_t claims;
    /* of the current class */
    uint64_t arrivals;
    unsigned reached;
    uint64_t apart[8]; /* of what other threads write */
} plane_worker;

struct labels_planes {
    thread_team *team;
    plane_worker *worker;
    unsigned workers;
    const labels_places *places;
    const labels_climb *climb;
    unsigned lowest;
    unsigned at;                          /* current level of joint; 0: not computed in this round */
    uint32_t ran;                         /* classes of this round */
    uint32_t owed[LABELS_LEVELS_MAX + 1]; /* [class]: the levels of due that are filled */
    uint64_t *block;                      /* all that follows */
    uint64_t *home;                       /* at the sources: presence, targets */
    all_tiles joint;                      /* the same while climbing, from level cut on */
    all_tiles down;                       /* the current class at level cut */
    all_tiles rise;                       /* the current class on its way back */
    uint64_t *cross, *held;               /* [place]: of the current class */
    uint64_t *arrived;                    /* [class][tile]: at the apex */
    uint64_t *due;                        /* [class][place]: links to free before the class runs */
};

/* Planes of one tile. */
typedef struct tile_planes {
    uint64_t *plane;
    uint64_t tile;
    bool high; /* a tile of the levels from cut on */
} tile_planes;

/* Run of the current class. */
typedef struct pass {
    labels_planes *p;
    labels_round *r;
    plane_worker *k;   /* of this thread */
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
    uint64_t h = s->h, classes = h - p->lowest, two_kinds = s->cut < h ? 1 : 0;
    const struct {
        uint64_t **array, words;
    } part[] = {
        {&p->home, (h + 1) * s->words},
        {&p->joint.word, s->high_tiles * p->joint.stride},
        {&p->down.word, two_kinds * s->low_tiles * p->down.stride},
        {&p->rise.word, two_kinds * (reach((unsigned)classes - 1) + 2) * s->words},
        {&p->cross, h * s->words},
        {&p->held, h * s->words},
        {&p->arrived, classes * s->words},
        {&p->due, classes > 2 ? (classes - 2) * h * s->words : 0},
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
                           .joint.stride = stride_of(places->h + 1, places->high_words),
                           .down.stride = stride_of(places->cut + 1, places->low_words)};
}

uint64_t labels_planes_bytes(const labels_places *places, unsigned lowest) {
    labels_planes p = shape(places, NULL, lowest);
    return sizeof p + lay_out(&p, NULL) * sizeof(uint64_t) + labels_planes_bytes_each(places);
}

/* The larger kind of tile. */
static uint64_t tile_words(const labels_places *s) {
    return s->low_words > s->high_words ? s->low_words : s->high_words;
}

static uint64_t stage_words(const labels_places *s) {
    return s->cut < s->h ? TOGETHER * stride_of(SCRATCH, tile_words(s)) : 0;
}

uint64_t labels_planes_bytes_each(const labels_places *s) {
    return sizeof(plane_worker) + (2 * SCRATCH * tile_words(s) + stage_words(s)) * sizeof(uint64_t);
}

static bough_status make_worker(const labels_places *s, plane_worker *k, bough_error *error) {
    uint64_t tile = SCRATCH * tile_words(s);
    *k = (plane_worker){0};
    bough_status status = large_alloc(&k->block, 2 * tile + stage_words(s), sizeof *k->block, error);
    k->scratch[0] = k->block;
    k->scratch[1] = k->block + tile;
    k->stage = k->block + 2 * tile;
    return status;
}

bough_status labels_planes_start(labels_planes *p, thread_team *team, bough_error *error) {
    bough_status status = BOUGH_OK;
    unsigned count = team_size(team);
    p->team = team;
    for (unsigned i = 0; i < p->workers; i++) p->worker[i].claims = 0;
    if (count <= p->workers) return BOUGH_OK;
    plane_worker *more = realloc(p->worker, count * sizeof *more);
    if (!more) return bough_fail_memory(error, count * sizeof *more);
    p->worker = more;
    for (; p->workers < count && !status; p->workers++)
        status = make_worker(p->places, &p->worker[p->workers], error);
    return status;
}

uint64_t labels_planes_claims(const labels_planes *p) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < p->workers; i++) sum += p->worker[i].claims;
    return sum;
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
    for (unsigned i = 0; i < p->workers; i++) free(p->worker[i].block);
    FREE_ALL(p->block, p->worker, p);
}

/* ---- at the sources ---- */

static uint64_t *home_of(const labels_planes *p, uint64_t tile) {
    return p->home + tile * (p->places->h + 1) * p->places->low_words;
}

/* Calls step for each TOGETHER consecutive tiles. */
static void each_group(const labels_planes *p, uint64_t tiles,
                       void (*step)(void *context, unsigned worker, uint64_t group), void *context) {
    team_each(p->team, (tiles + TOGETHER - 1) / TOGETHER, step, context);
}

/* The tile behind the last one of a group. */
static uint64_t end_of(uint64_t group, uint64_t tiles) {
    uint64_t end = (group + 1) * TOGETHER;
    return end < tiles ? end : tiles;
}

/* A batch that is loaded. */
typedef struct batch_load {
    labels_planes *p;
    const bough_batch *batch;
    uint32_t classes;
} batch_load;

/* The first message whose source is at least s. */
static uint64_t first_from(const bough_batch *batch, uint64_t s) {
    uint64_t from = 0, to = batch->count;
    while (from < to) {
        uint64_t middle = (from + to) / 2;
        if (batch->source[middle] < s)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void load_group(void *context, unsigned worker, uint64_t group) {
    const batch_load *load = context;
    const bough_batch *batch = load->batch;
    const labels_places *s = load->p->places;
    uint64_t w = group * TOGETHER * s->low_words, end = end_of(group, s->low_tiles) * s->low_words,
             i = first_from(batch, w * 64);
    (void)worker;
    for (; w < end; w++) {
        uint32_t target[64] = {0};
        uint64_t bits[32], present = 0, *to = home_of(load->p, w / s->low_words) + w % s->low_words;
        for (; i < batch->count && batch->source[i] >> 6 == w; i++) {
            unsigned slot = batch->source[i] & 63, L = labels_apex(batch->source[i], batch->address[i]);
            present |= (uint64_t)(load->classes >> L & 1) << slot;
            target[slot] = batch->address[i];
        }
        plane_transpose(target, bits);
        to[0] = present;
        for (unsigned j = 0; j < s->h; j++) to[(j + 1) * s->low_words] = bits[j];
    }
}

void labels_planes_load(labels_planes *p, const bough_batch *batch, uint32_t classes) {
    batch_load load = {p, batch, classes};
    each_group(p, p->places->low_tiles, load_group, &load);
}

/* Stores in `set` the messages of class L in the planes of a tile: the high bits of target and position are
 * equal, bit L differs. Planes are at level L or below. */
static void find_class(const labels_planes *p, const tile_planes *t, unsigned L, uint64_t *set) {
    const labels_places *s = p->places;
    uint64_t words = t->high ? s->high_words : s->low_words;
    memcpy(set, t->plane, words * sizeof *set);
    for (unsigned j = L; j < s->h; j++) {
        bool same = j > L, beyond = !t->high && j >= s->cut;
        if (beyond) same ^= t->tile >> (j - s->cut) & 1;
        plane_match(set, t->plane + (j + 1) * words, words, beyond ? 63 : labels_tile_bit(s, j), same);
    }
}

/* The target of the message of class L at a position of a tile of sources. Its bits from L on follow from the
 * source. */
static inline uint32_t target_at(const uint64_t *home, uint64_t words, uint64_t position, uint32_t source,
                                 unsigned L) {
    const uint64_t *bits = home + words + (position >> 6);
    uint32_t target = (source >> L ^ 1) << L;
    for (unsigned j = 0; j < L; j++) target |= (uint32_t)(bits[j * words] >> (position & 63) & 1) << j;
    return target;
}

/* A class that is taken from the planes. */
typedef struct class_take {
    labels_planes *p;
    unsigned L;
    uint32_t *s;
    label *message;
    uint32_t *end;
} class_take;

static void count_group(void *context, unsigned worker, uint64_t group) {
    const class_take *c = context;
    const labels_places *s = c->p->places;
    uint64_t *set = c->p->worker[worker].scratch[0];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        find_class(c->p, &(tile_planes){home_of(c->p, tile), tile, false}, c->L, set);
        c->end[tile] = (uint32_t)plane_count(set, s->low_words);
    }
}

/* end[tile]: in: where the messages of the tile begin. */
static void take_group(void *context, unsigned worker, uint64_t group) {
    const class_take *c = context;
    const labels_places *s = c->p->places;
    uint64_t words = s->low_words, *set = c->p->worker[worker].scratch[0];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        uint64_t *home = home_of(c->p, tile), count = c->end[tile];
        find_class(c->p, &(tile_planes){home, tile, false}, c->L, set);
        for (uint64_t i = 0; i < words; i++)
            for (uint64_t who = set[i]; who; who &= who - 1, count++) {
                uint64_t position = i << 6 | (uint64_t)__builtin_ctzll(who);
                c->s[count] = (uint32_t)(tile * words * 64 + position);
                c->message[count] = target_at(home, words, position, c->s[count], c->L);
            }
        c->end[tile] = (uint32_t)count;
    }
}

/* The messages also stay in the planes, where their class is not used again. */
void labels_planes_take(labels_planes *p, unsigned L, uint32_t *s, label *message, uint32_t *end) {
    class_take c = {p, L, s, message, end};
    uint64_t tiles = p->places->low_tiles;
    uint32_t before = 0;
    each_group(p, tiles, count_group, &c);
    for (uint64_t tile = 0; tile < tiles; tile++) {
        uint32_t count = end[tile];
        end[tile] = before;
        before += count;
    }
    each_group(p, tiles, take_group, &c);
}

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
    find_class(c->p, from, c->L, set);
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
    plane_flip(trail, c->p->arrived + (c->L - c->p->lowest) * s->words + tile * words, 1, words,
               labels_tile_bit(s, c->L));
}

/* Moves the trail from level `from` to level `to`. */
static void go_back(const pass *c, uint64_t *trail, unsigned from, unsigned to, uint64_t tile) {
    for (unsigned l = from;; l++) {
        if (c->trail) block(c, l, tile, trail);
        if (l == to) return;
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
    go_back(c, trail, 0, crosses ? s->cut - 1 : c->L, tile);
    if (!crosses) {
        leave_at_apex(c, tile, trail);
    } else {
        lift(c, s->cut - 1, tile, trail);
        transpose(c, &back, c->trail + 2, &p->rise);
    }
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
