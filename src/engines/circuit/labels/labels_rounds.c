/* Simulation of rounds with paths as labels.
 *
 * A message is (source, destination, L): L is its apex, the highest bit in which the two differ. Its choices
 * going up are the bits p_0 .. p_{L-1}. On the way down it requests, for l = L .. 0, link x = (t >> l) << l |
 * (p mod 2^l) of level l (docs/strumpen2005.md; levels as in the paper).
 *
 * Classes. Level l is requested in cycle 4L - 2l, so requests for one link are simultaneous only within one
 * L, and smaller L come first. A message of apex L that is refused at level l frees its link at level l + d
 * in cycle 4L - 2l + d, so apex L' finds that link free if and only if 4 (L' - L) >= 3 d. A message that is
 * delivered, with its tail `payload` cycles behind the head, frees its link at level l in cycle 4L + 3 +
 * payload + l, as if refused below level 0: 4 (L' - L) >= 3 (l + 1) + payload. Otherwise (hold=end) it blocks
 * them until the round ends. Hence a round consists of classes of ascending L, and each class descends level
 * by level. A class needs one bit per link about the classes before it: blocked or not. When a class reaches
 * level l, its links at level l + 2 are blocked for the next class in any case; the link at level l + 1 is
 * free again for the next class if the message is refused. Blocked links are freed before the first class
 * that finds them free (release). At most two messages of a class request one link, one from each link above
 * it.
 *
 * Cost. A request takes a few instructions if its bytes are in the first-level cache, and a cache miss
 * otherwise. So the labels of a class are first sorted by their tiles in the levels >= cut, by the low bits
 * of p (labels_positions.h), and the survivors then by those in the levels < cut, by the high bits of t.
 * Classes with many messages use bit planes instead of labels (labels_dense.h). */
#include "engines/circuit/labels/labels_rounds.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/labels/labels_dense.h"
#include "engines/circuit/labels/labels_up.h"

#include <string.h>

#define LOCAL (1u << LABELS_TILE_BITS)

/* Flags of a label: a refused label stores its level; one that lost its link in the previous level is
 * dead. */
#define LEVEL_SHIFT 58
#define DEAD        (UINT64_C(1) << 63)

struct labels_rounds {
    labels_places places;
    uint64_t share;        /* a class in planes has more than this fraction of all endpoints */
    unsigned lowest;       /* lowest class that may be kept in planes */
    labels_planes *planes; /* NULL: no class can be that large */
    uint32_t dense;        /* the classes kept in planes */
    uint32_t *s;           /* live messages by class: sources */
    label *message;        /* their labels */
    label *work[2];        /* the current class, sorted */
    label *lost;           /* by class: refused in this round, then acknowledged in it */
    uint64_t first[LABELS_LEVELS_MAX + 1], live[LABELS_LEVELS_MAX + 1], refused[LABELS_LEVELS_MAX + 1];
    uint64_t acknowledged[LABELS_LEVELS_MAX + 1];
    uint64_t *blocked;            /* [place]: bits, for the current class */
    uint64_t *arrived;            /* [link at the apex]: bits, of the current class */
    uint64_t *bucket;             /* one per tile, and 2 */
    uint32_t rival[LOCAL + 1][2]; /* pairs of labels that request one link at the current level */
    uint64_t rivals;
    uint32_t holder[LOCAL]; /* per link of a tile: stamp of the step | the label that holds it */
    uint32_t stamp;
    uint64_t claims;
    labels_climb climb;
    uint64_t *per_round; /* history */
    size_t round_capacity;
};

/* Cycles of a round, and the arrivals up to the cycle limit. */
typedef struct round_times {
    uint64_t base, limit, payload;
    uint64_t decided, notified; /* the last decision of a router; the last notification of a source */
    uint64_t acknowledged;      /* the last acknowledgement of an arrival that counts */
    uint64_t arrived;
} round_times;

/* The current class. */
typedef struct class_run {
    labels_rounds *w;
    labels_round *r;
    round_times t;
    unsigned L;
    bool last; /* no later class, so the time at which its links become free does not matter */
} class_run;

/* The labels of the current class in one tile. */
typedef struct tile_labels {
    uint64_t tile;
    label *item;
    uint64_t count;
} tile_labels;

/* ---- links ---- */

static inline void set_bit(uint64_t *bits, uint64_t i, uint64_t bit) {
    bits[i >> 6] |= bit << (i & 63);
}

static void block(labels_rounds *r, unsigned l, const label *who, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        set_bit(r->blocked, labels_place(&r->places, l, label_link(l, who[i])), ~who[i] >> 63);
}

static inline void release_link(labels_rounds *r, unsigned l, label who) {
    who &= (UINT64_C(1) << LEVEL_SHIFT) - 1;
    uint64_t place = labels_place(&r->places, l, label_link(l, who));
    r->blocked[place >> 6] &= ~(UINT64_C(1) << (place & 63));
}

/* Frees the links that messages of class L hold d levels above the one that refused them. */
static void release_above(labels_rounds *r, unsigned L, unsigned d) {
    for (uint64_t i = 0; i < r->refused[L]; i++) {
        label who = r->lost[r->first[L] + i];
        unsigned l = (unsigned)(who >> LEVEL_SHIFT) + d;
        if (l <= L) release_link(r, l, who);
    }
}

/* Frees the links of level l that delivered messages of class L hold. */
static void release_acknowledged(labels_rounds *r, unsigned L, unsigned l) {
    const label *done = r->lost + r->first[L] + r->refused[L];
    for (uint64_t i = 0; i < r->acknowledged[L]; i++) release_link(r, l, done[i]);
}

/* Frees the links that class L is the first to find free. */
static void release(const class_run *c) {
    for (unsigned L = 0; L + 2 <= c->L; L++) {
        unsigned later = c->L - L; /* relative to L: 4 later >= 3 d, 4 (later - 1) < 3 d */
        for (unsigned d = 4 * (later - 1) / 3 + 1; d <= 4 * later / 3; d++) release_above(c->w, L, d);
        for (unsigned l = 0; l <= L && c->w->acknowledged[L]; l++)
            if (labels_blocks(c->r, l, later - 1) && !labels_blocks(c->r, l, later))
                release_acknowledged(c->w, L, l);
    }
}

/* ---- one level of one class in one tile ---- */

static inline void refuse(const class_run *c, unsigned l, label who) {
    labels_rounds *r = c->w;
    r->lost[r->first[c->L] + r->refused[c->L]++] = who | (uint64_t)l << LEVEL_SHIFT;
}

/* Of two labels that request one link, the coin selects the winner by input port. The loser stays in the
 * list, marked dead, until the next level skips it. */
static void arbitrate(const class_run *c, unsigned l, label *in) {
    uint64_t first = c->r->order_first + ((uint64_t)l << c->w->places.h),
             occasion = c->r->occasion + (4 * c->L - 2 * l);
    for (uint64_t k = 0; k < c->w->rivals; k++) {
        uint32_t a = c->w->rival[k][0], b = c->w->rival[k][1];
        uint32_t x = label_link(l, in[a]), low = (UINT32_C(1) << l) - 1;
        uint32_t group = (x & ~low & ~(low + 1)) | (x & low) << 1 | (x >> l & 1);
        unsigned face = bough_bit(c->r->key, BOUGH_DRAW_ORDER_BIT, first + group, occasion);
        uint32_t loser = (label_choices(in[a]) >> l & 1) == face ? b : a;
        if (!c->last) refuse(c, l, in[loser]);
        in[loser] = DEAD;
    }
}

/* Keeps the labels whose links at level l are open, in place, and lists those that request one link. To avoid
 * unpredictable branches, each label is written to all output lists, and only the end of the right one
 * advances. */
static inline void sieve(const class_run *c, unsigned l, tile_labels *t, const bool high, const bool last) {
    labels_rounds *r = c->w;
    const labels_places places = r->places;
    const uint64_t *restrict closed = r->blocked + labels_tile_first(&places, l, t->tile);
    label *restrict in = t->item, *restrict lost = r->lost + r->first[c->L] + r->refused[c->L];
    uint32_t *restrict holder = r->holder, (*restrict rival)[2] = r->rival, stamp = r->stamp += LOCAL;
    uint64_t won = 0, met = 0, gone = 0;
    for (uint64_t i = 0, count = t->count; i < count; i++) {
        label who = in[i];
        uint32_t x = labels_tile_offset(&places, high, label_link(l, who)), other = holder[x];
        uint32_t shut = (closed[x >> 6] & UINT64_C(1) << (x & 63)) != 0, dead = (uint32_t)(who >> 63);
        uint32_t open = (shut | dead) ^ 1;
        if (!last) {
            lost[gone] = who | (uint64_t)l << LEVEL_SHIFT;
            gone += shut & ~dead;
        }
        in[won] = who;
        rival[met][0] = (uint32_t)won;
        rival[met][1] = other & (LOCAL - 1);
        met += open & (other >= stamp);
        holder[x] = other ^ ((other ^ (stamp | (uint32_t)won)) & -open);
        won += open;
    }
    r->refused[c->L] += gone;
    r->rivals = met;
    t->count = won;
}

/* The levels from cut on (high) or below it, in one tile, in place. Dead labels of the last level remain. */
static inline void descend(const class_run *c, tile_labels *t, const bool high, const bool last) {
    labels_rounds *r = c->w;
    const unsigned cut = r->places.cut, from = high || c->L < cut ? c->L : cut, to = high ? cut : 0;
    r->rivals = 0;
    for (unsigned l = from; l-- > to && t->count;) {
        if (r->stamp >= UINT32_MAX - 2 * LOCAL) {
            memset(r->holder, 0, sizeof r->holder);
            r->stamp = 0;
        }
        r->claims += t->count - r->rivals; /* dead labels do not request links */
        if (l < c->r->reached && t->count > r->rivals) c->r->reached = l;
        if (!last && l + 2 <= c->L) block(r, l + 2, t->item, t->count);
        sieve(c, l, t, high, last);
        arbitrate(c, l, t->item);
    }
}

/* ---- a class ---- */

/* Copies from[0 .. count-1] to `to`, sorted by tile; bucket[b] .. bucket[b+1] is the b-th. */
static inline void sort(labels_rounds *r, const label *from, uint64_t count, label *to, const bool high) {
    const labels_places places = r->places;
    uint64_t buckets = high ? places.high_tiles : places.low_tiles, *at = r->bucket;
    memset(at, 0, (buckets + 2) * sizeof *at);
    for (uint64_t i = 0; i < count; i++)
        at[labels_tile_of(&places, high, high ? label_choices(from[i]) : label_target(from[i])) + 2]++;
    for (uint64_t b = 0; b < buckets; b++) at[b + 2] += at[b + 1];
    for (uint64_t i = 0; i < count; i++)
        to[at[labels_tile_of(&places, high, high ? label_choices(from[i]) : label_target(from[i])) + 1]++] =
            from[i];
}

/* Removes dead labels. */
static uint64_t remove_dead(label *in, uint64_t count, label *out) {
    uint64_t alive = 0;
    for (uint64_t i = 0; i < count; i++) {
        out[alive] = in[i];
        alive += ~in[i] >> 63;
    }
    return alive;
}

/* The levels from cut on (high) or below it, tile by tile. The result is left in work, sorted and compacted.
 * Returns the number of labels. */
static inline uint64_t descend_all(const class_run *c, const label *in, uint64_t count, label *work,
                                   const bool high) {
    labels_rounds *r = c->w;
    uint64_t left = 0;
    sort(r, in, count, work, high);
    for (uint64_t tile = 0; tile < (high ? r->places.high_tiles : r->places.low_tiles); tile++) {
        tile_labels t = {tile, work + r->bucket[tile], r->bucket[tile + 1] - r->bucket[tile]};
        if (t.count == 0) continue;
        if (c->last)
            descend(c, &t, high, true);
        else
            descend(c, &t, high, false);
        left += remove_dead(t.item, t.count, work + left);
    }
    return left;
}

/* Removes the messages that arrived from the live messages of the class; returns the number of remaining
 * ones. */
static uint64_t remove_arrived(const class_run *c, uint32_t *s, label *message, uint64_t live) {
    uint64_t left = 0;
    for (uint64_t i = 0; i < live; i++) {
        uint32_t x = label_link(c->L, message[i]);
        uint64_t there = c->w->arrived[x >> 6] >> (x & 63) & 1;
        s[left] = s[i];
        message[left] = message[i];
        left += !there;
    }
    return left;
}

/* Blocks the last links of the delivered labels for the next class; those of higher levels already are. */
static void keep_delivered(const class_run *c, const label *who, uint64_t count) {
    labels_rounds *r = c->w;
    for (unsigned l = 0; l < 2 && l <= c->L; l++)
        if (labels_blocks(c->r, l, 1)) block(r, l, who, count);
    if (c->r->hold == LABELS_TO_END) return;
    memcpy(r->lost + r->first[c->L] + r->refused[c->L], who, count * sizeof *who);
    r->acknowledged[c->L] = count;
}

/* Runs one class in one round; returns the number of arrivals. No message is refused a link of level L: the
 * links within a class are distinct, and no earlier class reaches this level. */
static uint64_t run_class(const class_run *c) {
    labels_rounds *r = c->w;
    uint32_t *s = r->s + r->first[c->L];
    label *message = r->message + r->first[c->L], *in = message, *out = r->work[0];
    uint64_t live = r->live[c->L], count = live;
    labels_climb_all(&r->climb, s, live, c->L, message);
    if (c->L > r->places.cut) {
        count = descend_all(c, in, count, out, true);
        in = out;
        out = r->work[1];
    }
    if (c->L) {
        count = descend_all(c, in, count, out, false);
        in = out;
    }
    memset(r->arrived, 0, r->places.words * sizeof *r->arrived);
    for (uint64_t i = 0; i < count; i++) set_bit(r->arrived, label_link(c->L, in[i]), 1);
    if (!c->last) keep_delivered(c, in, count);
    r->live[c->L] = remove_arrived(c, s, message, live);
    return count;
}

/* ---- the run ---- */

/* True if planes are faster than labels for a class of `messages` messages: planes cost as much as labels
 * of this fraction of all endpoints (bench/README.md). */
static bool is_dense(const labels_rounds *r, unsigned L, uint64_t messages) {
    return r->planes && L >= r->lowest && messages * r->share > UINT64_C(1) << r->places.h;
}

/* Sorts the batch by class. Classes in planes reserve room for the labels they become when few are left. */
static void sort_by_class(labels_rounds *r, const bough_batch *batch) {
    uint64_t at[LABELS_LEVELS_MAX + 2] = {0}, few = (UINT64_C(1) << r->places.h) / r->share, first = 0;
    bool ascend = true;
    r->dense = 0;
    memset(r->live, 0, sizeof r->live);
    for (uint64_t i = 0; i < batch->count; i++) {
        r->live[labels_apex(batch->source[i], batch->address[i])]++;
        ascend &= i == 0 || batch->source[i - 1] < batch->source[i];
    }
    for (unsigned L = 0; L < r->places.h; L++) {
        bool dense = ascend && is_dense(r, L, r->live[L]);
        if (dense) r->dense |= UINT32_C(1) << L;
        r->first[L] = at[L] = first;
        first += dense ? few : r->live[L];
    }
    if (r->dense) labels_planes_load(r->planes, batch, r->dense);
    for (uint64_t i = 0; i < batch->count; i++) {
        unsigned L = labels_apex(batch->source[i], batch->address[i]);
        if (r->dense >> L & 1) continue;
        r->s[at[L]] = batch->source[i];
        r->message[at[L]++] = batch->address[i];
    }
}

/* Drawing the coins of a whole level costs as much as drawing those of this fraction of all endpoints one by
 * one. */
#define DRAWN_SHARE 256

/* The levels that many messages pass, whose coins are drawn in advance. */
static unsigned drawn_levels(const labels_rounds *r) {
    uint64_t through = 0;
    for (unsigned L = r->places.h; L-- > 1;) {
        through += r->live[L];
        if ((r->dense >> L & 1) || through * DRAWN_SHARE > UINT64_C(1) << r->places.h) return L;
    }
    return 0;
}

static inline void advance_to(uint64_t *cycle, uint64_t to) {
    if (to > *cycle) *cycle = to;
}

/* Adds the current class, of whose messages so many arrived. If none did, the last one was refused at the
 * lowest level that they reached. */
static void add_times(class_run *c, uint64_t arrived) {
    round_times *t = &c->t;
    uint64_t turned = t->base + 4 * c->L;
    if (!arrived) {
        advance_to(&t->decided, turned - 2 * c->r->reached);
        advance_to(&t->notified, turned + 2 * c->L + 1 - 3 * c->r->reached);
        return;
    }
    uint64_t acknowledged = turned + 2 * c->L + 3 + t->payload;
    advance_to(&t->decided, turned);
    advance_to(&t->notified, acknowledged);
    if (turned > t->limit) return;
    advance_to(&t->acknowledged, acknowledged);
    t->arrived += arrived;
}

static void run_round(class_run *c, const bough_run *run) {
    labels_rounds *r = c->w;
    for (unsigned L = 0; L < r->places.h; L++) {
        if (r->live[L]) c->r->highest = L;
        if (!(r->dense >> L & 1) || is_dense(r, L, r->live[L])) continue;
        r->dense ^= UINT32_C(1) << L;
        labels_planes_take(r->planes, L, r->s + r->first[L], r->message + r->first[L]);
    }
    labels_climb_start(&r->climb, c->r->key, c->r->occasion, drawn_levels(r));
    memset(r->blocked, 0, r->places.h * r->places.words * sizeof *r->blocked);
    memset(r->refused, 0, sizeof r->refused);
    memset(r->acknowledged, 0, sizeof r->acknowledged);
    for (c->L = 0; c->L <= c->r->highest && !bough_run_stopped(run); c->L++) {
        c->last = c->L == c->r->highest;
        r->claims += r->live[c->L] * (c->L + 1); /* up, and the first link down */
        release(c);
        c->r->reached = c->L;
        if (r->dense >> c->L & 1) {
            uint64_t some = labels_planes_run(r->planes, c->r, c->L);
            r->live[c->L] -= some;
            add_times(c, some);
            continue;
        }
        if (r->planes) labels_planes_release(r->planes, c->r, c->L);
        if (r->live[c->L]) add_times(c, run_class(c));
    }
    if (r->planes) labels_planes_end(r->planes);
}

/* The deliveries of the round that ends. */
static bough_status add_history(labels_rounds *r, uint64_t arrived, circuit_result *result,
                                bough_error *error) {
    bough_status status =
        bough_grow(&r->per_round, &r->round_capacity, result->rounds + 1, sizeof *r->per_round, error);
    if (status) return status;
    r->per_round[result->rounds] = arrived;
    result->per_round = r->per_round;
    return BOUGH_OK;
}

bough_status labels_rounds_run(labels_rounds *r, const circuit_trial *trial, circuit_result *result,
                               bough_error *error) {
    const bough_run *run = trial->run;
    const circuit_options *o = trial->options;
    bough_batch batch;
    bough_status status = bough_batch_read(run->point.traffic, trial->key, &batch, error);
    if (status) return status;
    sort_by_class(r, &batch);
    r->claims = 0;
    uint64_t left = result->messages = batch.count, n = UINT64_C(1) << r->places.h;
    bough_batch_fini(&batch);
    labels_round round = {.key = trial->key,
                          .order_first = n + (r->places.h - 1) * (n / 2),
                          .hold = LABELS_TO_END,
                          .shut = r->blocked,
                          .claims = o->count_claims ? &r->claims : NULL};
    if (!o->hold_to_end) round.hold = o->payload;
    class_run c = {.w = r, .r = &round, .t = {.limit = o->cycle_limit, .payload = o->payload}};
    if (c.t.limit > CIRCUIT_CYCLES_MAX) c.t.limit = CIRCUIT_CYCLES_MAX;
    for (; left && !result->cut_off && result->rounds < o->round_limit; result->rounds++) {
        bool clock = o->mode == CIRCUIT_CYCLES;
        if (clock && result->rounds) c.t.base = c.t.notified + 1;
        c.t.arrived = 0;
        round.occasion = clock ? c.t.base : result->rounds << 32;
        run_round(&c, run);
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (result->rounds == 0) result->first = c.t.arrived;
        result->attempts += left;
        left -= c.t.arrived;
        status = o->history ? add_history(r, c.t.arrived, result, error) : BOUGH_OK;
        if (status) return status;
        result->cut_off = c.t.decided > c.t.limit;
    }
    if (o->mode == CIRCUIT_CYCLES) result->cycles = c.t.acknowledged;
    result->claims = r->claims;
    result->undelivered = left;
    result->cut_off = left > 0;
    return BOUGH_OK;
}

/* ---- memory ---- */

#define SHARE   96 /* figures in bench/README.md */
#define CLASSES 5

/* Default tuning: as many planes as there are dense classes in a uniform batch of m messages. */
static labels_tuning completed(const labels_tuning *given, unsigned h, uint64_t m) {
    labels_tuning t = given ? *given : (labels_tuning){0};
    bool chosen = t.classes;
    if (!t.share) t.share = SHARE;
    while (!chosen && t.classes < CLASSES && t.classes < h &&
           (m >> (t.classes + 1)) * t.share > UINT64_C(1) << h)
        t.classes++;
    if (t.classes > h) t.classes = h;
    return t;
}

/* In a uniform batch of m messages there are at most the labels of small classes and the remainder of large
 * ones. The arrays of labels are partly unused: `work` is filled up to the largest class, its second half by
 * survivors only, and `lost` by all classes but the last. Together this is a third of them if half of the
 * messages are in the last class. */
uint64_t labels_rounds_bytes(unsigned h, uint64_t m) {
    labels_tuning t = completed(NULL, h, m);
    labels_places places = labels_places_make(h, t.cut);
    uint64_t bits = (h + 1) * places.words * sizeof(uint64_t);
    uint64_t bytes = sizeof(labels_rounds) + labels_climb_bytes(&places) + bits;
    if (t.classes) bytes = bough_add(bytes, labels_planes_bytes(&places, h - t.classes));
    uint64_t labels = (m >> t.classes) + t.classes * ((UINT64_C(1) << h) / t.share);
    return bough_add(bytes, bough_mul(labels, 12 + 8));
}

bough_status labels_rounds_make(unsigned h, uint64_t m, const labels_tuning *tuning, labels_rounds **out,
                                bough_error *error) {
    labels_rounds *r;
    labels_tuning t = completed(tuning, h, m);
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    *out = r;
    r->places = labels_places_make(h, t.cut);
    r->share = t.share;
    r->lowest = h - t.classes;
    uint64_t words = r->places.words, tiles = r->places.low_tiles;
    if (tiles < r->places.high_tiles) tiles = r->places.high_tiles;
    status = labels_climb_make(&r->climb, &r->places, error);
    if (!status && t.classes)
        status = labels_planes_make(&r->places, &r->climb, r->lowest, &r->planes, error);
    TRY(bough_alloc(&r->s, m, sizeof *r->s, error));
    TRY(bough_alloc(&r->message, m, sizeof *r->message, error));
    TRY(bough_alloc(&r->work[0], m, sizeof *r->work[0], error));
    TRY(bough_alloc(&r->work[1], m, sizeof *r->work[1], error));
    TRY(bough_alloc(&r->lost, m + 1, sizeof *r->lost, error));
    TRY(large_alloc(&r->blocked, h * words, sizeof *r->blocked, error));
    TRY(large_alloc(&r->arrived, words, sizeof *r->arrived, error));
    TRY(bough_alloc(&r->bucket, tiles + 2, sizeof *r->bucket, error));
    return status;
}

void labels_rounds_free(labels_rounds *r) {
    if (!r) return;
    labels_climb_fini(&r->climb);
    labels_planes_free(r->planes);
    FREE_ALL(r->per_round, r->s, r->message, r->work[0], r->work[1], r->lost, r->blocked, r->arrived,
             r->bucket, r);
}
