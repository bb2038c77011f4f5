#include "engines/circuit/labels/labels_class.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* Flags of a label: a refused label stores its level; one that lost its link in the previous level is
 * dead. A dead label keeps its link, so that what is read and written for it stays in its tile. */
#define LEVEL_SHIFT 58
#define DEAD        (UINT64_C(1) << 63)

/* One unit of the current class, on one thread. */
typedef struct unit_run {
    const class_run *c;
    label_worker *k;
    label_losses *losses;
    unit_result *result;
} unit_run;

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

static void block(label_lists *w, unsigned l, const label *who, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        set_bit(w->blocked, labels_place(&w->places, l, label_link(l, who[i])), ~who[i] >> 63);
}

/* shared: another thread may release a link of the same word at the same time. */
static inline void release_link(label_lists *w, unsigned l, label who, const bool shared) {
    who &= (UINT64_C(1) << LEVEL_SHIFT) - 1;
    uint64_t place = labels_place(&w->places, l, label_link(l, who));
    uint64_t keep = ~(UINT64_C(1) << (place & 63));
    if (shared)
        __atomic_fetch_and(&w->blocked[place >> 6], keep, __ATOMIC_RELAXED);
    else
        w->blocked[place >> 6] &= keep;
}

/* Frees the links that messages of class L hold d levels above the one that refused them. */
static void release_above(label_lists *w, const label_losses *some, unsigned L, unsigned d) {
    for (uint64_t i = 0; i < some->refused; i++) {
        label who = some->item[i];
        unsigned l = (unsigned)(who >> LEVEL_SHIFT) + d;
        if (l <= L) release_link(w, l, who, w->team && l >= w->places.cut);
    }
}

/* Frees the links of level l that delivered messages hold. */
static void release_acknowledged(label_lists *w, const label_losses *some, unsigned l) {
    const label *done = some->item + some->refused;
    for (uint64_t i = 0; i < some->acknowledged; i++)
        release_link(w, l, done[i], w->team && l >= w->places.cut);
}

/* The links held by messages of one unit. */
static void release_unit(const class_run *c, uint64_t unit) {
    for (unsigned L = 0; L + 2 <= c->L; L++) {
        const label_losses *some = &c->w->losses[L][unit];
        unsigned later = c->L - L; /* relative to L: 4 later >= 3 d, 4 (later - 1) < 3 d */
        if (!some->refused && !some->acknowledged) continue;
        for (unsigned d = 4 * (later - 1) / 3 + 1; d <= 4 * later / 3; d++) release_above(c->w, some, L, d);
        for (unsigned l = 0; l <= L && some->acknowledged; l++)
            if (labels_blocks(c->r, l, later - 1) && !labels_blocks(c->r, l, later))
                release_acknowledged(c->w, some, l);
    }
}

static void release_step(void *context, unsigned worker, uint64_t unit) {
    (void)worker;
    release_unit(context, unit);
}

void labels_release(const class_run *c) {
    uint64_t units = c->w->low_units + c->w->high_units;
    class_run run = *c;
    team_each(c->w->team, units, release_step, &run);
}

/* ---- one level of one class in one tile ---- */

static inline void refuse(unit_run *u, unsigned l, label who) {
    u->losses->item[u->losses->refused++] = who | (uint64_t)l << LEVEL_SHIFT;
}

/* Of two labels that request one link, the coin selects the winner by input port. The loser stays in the
 * list, marked dead, until the next level skips it. */
static void arbitrate(unit_run *u, unsigned l, label *in) {
    const class_run *c = u->c;
    uint64_t first = c->r->order_first + ((uint64_t)l << c->w->places.h),
             occasion = c->r->occasion + (4 * c->L - 2 * l);
    for (uint64_t k = 0; k < u->k->rivals; k++) {
        uint32_t a = u->k->rival[k][0], b = u->k->rival[k][1];
        uint32_t x = label_link(l, in[a]), low = (UINT32_C(1) << l) - 1;
        uint32_t group = (x & ~low & ~(low + 1)) | (x & low) << 1 | (x >> l & 1);
        unsigned face = bough_bit(c->r->key, BOUGH_DRAW_ORDER_BIT, first + group, occasion);
        uint32_t loser = (label_choices(in[a]) >> l & 1) == face ? b : a;
        if (!c->last) refuse(u, l, in[loser]);
        in[loser] |= DEAD;
    }
}

/* Keeps the labels whose links at level l are open, in place, and lists those that request one link. To avoid
 * unpredictable branches, each label is written to all output lists, and only the end of the right one
 * advances. */
static inline void sieve(unit_run *u, unsigned l, tile_labels *t, const bool high, const bool last) {
    const labels_places places = u->c->w->places;
    const uint64_t *restrict closed = u->c->w->blocked + labels_tile_first(&places, l, t->tile);
    label *restrict in = t->item, *restrict lost = u->losses->item + u->losses->refused;
    label_worker *k = u->k;
    uint32_t *restrict holder = k->holder, (*restrict rival)[2] = k->rival, stamp = k->stamp += LABELS_LOCAL;
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
        rival[met][1] = other & (LABELS_LOCAL - 1);
        met += open & (other >= stamp);
        holder[x] = other ^ ((other ^ (stamp | (uint32_t)won)) & -open);
        won += open;
    }
    u->losses->refused += gone;
    k->rivals = met;
    t->count = won;
}

/* The levels from cut on (high) or below it, in one tile, in place. Dead labels of the last level remain. */
static inline void descend(unit_run *u, tile_labels *t, const bool high, const bool last) {
    const class_run *c = u->c;
    label_worker *k = u->k;
    const unsigned cut = c->w->places.cut, from = high || c->L < cut ? c->L : cut, to = high ? cut : 0;
    k->rivals = 0;
    for (unsigned l = from; l-- > to && t->count;) {
        if (k->stamp >= UINT32_MAX - 2 * LABELS_LOCAL) {
            memset(k->holder, 0, sizeof k->holder);
            k->stamp = 0;
        }
        k->claims += t->count - k->rivals; /* dead labels do not request links */
        if (l < u->result->reached && t->count > k->rivals) u->result->reached = l;
        if (!last && l + 2 <= c->L) block(c->w, l + 2, t->item, t->count);
        sieve(u, l, t, high, last);
        arbitrate(u, l, t->item);
    }
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

/* ---- one unit ---- */

static uint64_t tiles_of(const label_lists *w, const bool high) {
    return high ? w->places.high_tiles : w->places.low_tiles;
}

static unsigned units_of(const label_lists *w, const bool high) {
    return high ? w->high_units : w->low_units;
}

/* Where the losses of a unit are listed. Of another unit's losses they are one element apart, because a list
 * is written to beyond its end. `at`: place of the labels of the unit among those of the class. */
static void begin_losses(unit_run *u, uint64_t unit, uint64_t at, const bool high) {
    const class_run *c = u->c;
    label_lists *w = c->w;
    unsigned index = high ? w->low_units + (unsigned)unit : (unsigned)unit;
    u->losses = &w->losses[c->L][index];
    u->result = &w->result[c->L][index];
    *u->result = (unit_result){0, c->L};
    label *lost = w->lost[!high] + w->first[c->L] + (uint64_t)c->L * LABELS_UNITS_MAX;
    if (!high && w->low_units == 1) lost += w->losses[c->L][1].refused; /* behind those of the levels above */
    *u->losses = (label_losses){.item = lost + at + unit};
}

/* The tiles of a unit. Their labels are compacted. */
static inline label_span descend_tiles(unit_run *u, uint64_t unit, label *work, const bool high) {
    const label_lists *w = u->c->w;
    uint64_t tiles = tiles_of(w, high), units = units_of(w, high), tile = team_part(tiles, units, unit),
             end = team_part(tiles, units, unit + 1);
    label_span left = {w->tile[tile].first, 0};
    for (; tile < end; tile++) {
        tile_labels t = {tile, work + w->tile[tile].first, w->tile[tile].count};
        if (t.count == 0) continue;
        if (u->c->last)
            descend(u, &t, high, true);
        else
            descend(u, &t, high, false);
        left.count += (uint32_t)remove_dead(t.item, t.count, work + left.first + left.count);
    }
    return left;
}

/* Blocks the last links of the delivered labels for the next class; those of higher levels already are. */
static void keep_delivered(unit_run *u, const label *who, uint64_t count) {
    const class_run *c = u->c;
    for (unsigned l = 0; l < 2 && l <= c->L; l++)
        if (labels_blocks(c->r, l, 1)) block(c->w, l, who, count);
    if (c->r->hold == LABELS_TO_END) return;
    memcpy(u->losses->item + u->losses->refused, who, count * sizeof *who);
    u->losses->acknowledged = count;
}

/* The labels have arrived. */
static void deliver(unit_run *u, const label *who, uint64_t count) {
    const class_run *c = u->c;
    uint64_t *arrived = c->w->arrived;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = label_link(c->L, who[i]);
        if (c->w->team && c->L >= c->w->places.cut)
            __atomic_fetch_or(&arrived[x >> 6], UINT64_C(1) << (x & 63), __ATOMIC_RELAXED);
        else
            set_bit(arrived, x, 1);
    }
    if (!c->last) keep_delivered(u, who, count);
    u->result->arrived = count;
}

/* Removes the messages that arrived from the live messages of the class. */
static void remove_arrived(const class_run *c, uint64_t unit) {
    label_span *some = &c->w->span[c->L][unit];
    uint32_t *s = c->w->s + some->first;
    label *message = c->w->message + some->first;
    uint64_t left = 0;
    for (uint64_t i = 0; i < some->count; i++) {
        uint32_t x = label_link(c->L, message[i]);
        uint64_t there = c->w->arrived[x >> 6] >> (x & 63) & 1;
        s[left] = s[i];
        message[left] = message[i];
        left += !there;
    }
    some->count = (uint32_t)left;
}

/* ---- classes below cut ---- */

typedef struct low_classes {
    const class_run *c;
    unsigned to;
} low_classes;

static uint32_t tile_of(const labels_places *p, label who, const bool high) {
    return labels_tile_of(p, high, high ? label_choices(who) : label_target(who));
}

/* Sorts the labels of one class and unit by tile. */
static void sort_unit(unit_run *u, label_span some, uint64_t unit, label *to) {
    label_lists *w = u->c->w;
    const labels_places places = w->places;
    const label *from = w->message + some.first;
    uint64_t first = team_part(places.low_tiles, w->low_units, unit),
             tiles = team_part(places.low_tiles, w->low_units, unit + 1) - first;
    uint32_t *next = u->k->next, place = some.first;
    memset(next, 0, tiles * sizeof *next);
    for (uint32_t i = 0; i < some.count; i++) next[tile_of(&places, from[i], false) - first]++;
    for (uint64_t b = 0; b < tiles; b++) {
        w->tile[first + b] = (label_span){place, next[b]};
        next[b] = place;
        place += w->tile[first + b].count;
    }
    for (uint32_t i = 0; i < some.count; i++) to[next[tile_of(&places, from[i], false) - first]++] = from[i];
}

/* One class below cut, in one unit. */
static void run_low(const class_run *c, label_worker *k, uint64_t unit) {
    label_lists *w = c->w;
    const labels_places *p = &w->places;
    label_span some = w->span[c->L][unit];
    unit_run u = {c, k, NULL, NULL};
    begin_losses(&u, unit, some.first - w->first[c->L], false);
    if (!some.count) return;
    labels_climb_all(&w->climb, w->s + some.first, some.count, c->L, w->message + some.first);
    label_span left = some;
    const label *done = w->message;
    if (c->L) {
        sort_unit(&u, some, unit, w->work[0]);
        left = descend_tiles(&u, unit, w->work[0], false);
        done = w->work[0];
    }
    uint64_t word = team_part(p->low_tiles, w->low_units, unit) * p->low_words,
             end = team_part(p->low_tiles, w->low_units, unit + 1) * p->low_words;
    memset(w->arrived + word, 0, (end - word) * sizeof *w->arrived);
    deliver(&u, done + left.first, left.count);
    remove_arrived(c, unit);
}

static void low_step(void *context, unsigned worker, uint64_t unit) {
    const low_classes *some = context;
    class_run c = *some->c;
    for (; c.L < some->to; c.L++) {
        c.last = c.L == c.r->highest;
        release_unit(&c, unit);
        run_low(&c, c.w->worker[worker], unit);
    }
}

void labels_run_low(const class_run *c, unsigned to) {
    low_classes some = {c, to};
    team_each(c->w->team, c->w->low_units, low_step, &some);
}

/* ---- classes from cut on ---- */

/* The labels of a class before they are sorted by the tiles of the levels of one kind. */
typedef struct class_sort {
    const class_run *c;
    const label *from;
    const label_span *span; /* where they are in `from` */
    label *to;
    unsigned spans, ranges;
    bool high, climb; /* climb: the choices are made first */
} class_sort;

static uint32_t *tally_of(const class_sort *s, uint64_t range) {
    return s->c->w->tally + range * tiles_of(s->c->w, s->high);
}

static inline void count_span(const class_sort *s, label_span some, uint32_t *at, const bool high) {
    const labels_places places = s->c->w->places;
    for (uint32_t i = 0; i < some.count; i++) at[tile_of(&places, s->from[some.first + i], high)]++;
}

static inline void scatter_span(const class_sort *s, label_span some, uint32_t *at, const bool high) {
    const labels_places places = s->c->w->places;
    label *restrict to = s->to;
    for (uint32_t i = 0; i < some.count; i++) {
        label who = s->from[some.first + i];
        to[at[tile_of(&places, who, high)]++] = who;
    }
}

/* Counts the labels of a range by tile. */
static void count_step(void *context, unsigned worker, uint64_t range) {
    const class_sort *s = context;
    const class_run *c = s->c;
    label_lists *w = c->w;
    uint32_t *at = tally_of(s, range);
    (void)worker;
    memset(at, 0, tiles_of(w, s->high) * sizeof *at);
    for (uint64_t i = team_part(s->spans, s->ranges, range); i < team_part(s->spans, s->ranges, range + 1);
         i++) {
        label_span some = s->span[i];
        if (s->climb)
            labels_climb_all(&w->climb, w->s + some.first, some.count, c->L, w->message + some.first);
        if (s->high)
            count_span(s, some, at, true);
        else
            count_span(s, some, at, false);
    }
}

/* Copies the labels of a range to their tiles; clears a part of `arrived`. */
static void scatter_step(void *context, unsigned worker, uint64_t range) {
    const class_sort *s = context;
    label_lists *w = s->c->w;
    uint32_t *at = tally_of(s, range);
    uint64_t word = team_part(w->places.words, s->ranges, range),
             end = team_part(w->places.words, s->ranges, range + 1);
    (void)worker;
    if (!s->high) memset(w->arrived + word, 0, (end - word) * sizeof *w->arrived);
    for (uint64_t i = team_part(s->spans, s->ranges, range); i < team_part(s->spans, s->ranges, range + 1);
         i++) {
        if (s->high)
            scatter_span(s, s->span[i], at, true);
        else
            scatter_span(s, s->span[i], at, false);
    }
}

/* Turns counts into places. */
static void place_tiles(const class_sort *s) {
    label_lists *w = s->c->w;
    uint64_t tiles = tiles_of(w, s->high);
    uint32_t place = (uint32_t)w->first[s->c->L];
    for (uint64_t tile = 0; tile < tiles; tile++) {
        uint32_t first = place;
        for (uint64_t range = 0; range < s->ranges; range++) {
            uint32_t *at = w->tally + range * tiles + tile, count = *at;
            *at = place;
            place += count;
        }
        w->tile[tile] = (label_span){first, place - first};
    }
}

static void high_step(void *context, unsigned worker, uint64_t unit) {
    const class_sort *s = context;
    label_lists *w = s->c->w;
    unit_run u = {s->c, w->worker[worker], NULL, NULL};
    uint64_t tile = team_part(w->places.high_tiles, w->high_units, unit);
    begin_losses(&u, unit, w->tile[tile].first - w->first[s->c->L], true);
    w->left[unit] = descend_tiles(&u, unit, s->to, true);
}

static void low_units_step(void *context, unsigned worker, uint64_t unit) {
    const class_sort *s = context;
    label_lists *w = s->c->w;
    unit_run u = {s->c, w->worker[worker], NULL, NULL};
    uint64_t tile = team_part(w->places.low_tiles, w->low_units, unit);
    begin_losses(&u, unit, w->tile[tile].first - w->first[s->c->L], false);
    label_span left = descend_tiles(&u, unit, s->to, false);
    deliver(&u, s->to + left.first, left.count);
}

static void remove_step(void *context, unsigned worker, uint64_t unit) {
    const class_sort *s = context;
    (void)worker;
    remove_arrived(s->c, unit);
}

/* A class with fewer messages is run by one thread. */
enum { FEW = 2048 };

static void sort(class_sort *s, thread_team *team) {
    team_each(team, s->ranges, count_step, s);
    place_tiles(s);
    team_each(team, s->ranges, scatter_step, s);
}

void labels_run_class(const class_run *c) {
    label_lists *w = c->w;
    bool few = w->live[c->L] < FEW;
    thread_team *team = few ? NULL : w->team;
    class_sort s = {c, w->message, w->span[c->L], w->work[0], w->low_units, few ? 1 : w->ranges, true, true};
    if (c->L > w->places.cut) {
        sort(&s, team);
        team_each(team, w->high_units, high_step, &s);
        s = (class_sort){c, w->work[0], w->left, w->work[1], w->high_units, s.ranges, false, false};
    }
    s.high = false;
    sort(&s, team);
    team_each(team, w->low_units, low_units_step, &s);
    team_each(team, w->low_units, remove_step, &s);
}

uint64_t labels_class_result(const class_run *c) {
    const label_lists *w = c->w;
    uint64_t arrived = 0;
    unsigned units = w->low_units + (c->L > w->places.cut ? w->high_units : 0);
    for (unsigned i = 0; i < units; i++) {
        const unit_result *result = &w->result[c->L][i];
        arrived += result->arrived;
        if (result->reached < c->r->reached) c->r->reached = result->reached;
    }
    return arrived;
}

/* ---- trials ---- */

bough_status label_lists_make(label_lists *w, const labels_places *places, uint64_t m, bough_error *error) {
    w->places = *places;
    uint64_t words = places->words, tiles = places->low_tiles;
    w->lost_size = m + (LABELS_CLASSES + 1) * LABELS_UNITS_MAX;
    if (tiles < places->high_tiles) tiles = places->high_tiles;
    bough_status status = labels_climb_make(&w->climb, &w->places, error);
    TRY(bough_alloc(&w->s, m, sizeof *w->s, error));
    TRY(bough_alloc(&w->message, m, sizeof *w->message, error));
    TRY(bough_alloc(&w->work[0], m, sizeof *w->work[0], error));
    TRY(bough_alloc(&w->work[1], m, sizeof *w->work[1], error));
    TRY(bough_alloc(&w->lost[0], w->lost_size, sizeof *w->lost[0], error));
    TRY(large_alloc(&w->blocked, places->h * words, sizeof *w->blocked, error));
    TRY(large_alloc(&w->arrived, words, sizeof *w->arrived, error));
    TRY(bough_alloc(&w->tile, tiles, sizeof *w->tile, error));
    TRY(bough_alloc(&w->tally, tiles * LABELS_RANGES_MAX, sizeof *w->tally, error));
    w->lost[1] = w->lost[0];
    return status;
}

void label_lists_fini(label_lists *w) {
    labels_climb_fini(&w->climb);
    for (unsigned i = 0; i < w->workers; i++) free(w->worker[i]);
    if (w->lost[1] != w->lost[0]) free(w->lost[1]);
    FREE_ALL(w->worker, w->s, w->message, w->work[0], w->work[1], w->lost[0], w->blocked, w->arrived, w->tile,
             w->tally);
}

static bough_status make_workers(label_lists *w, unsigned count, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (count <= w->workers) return status;
    label_worker **more = realloc(w->worker, count * sizeof *more);
    if (!more) return bough_fail_memory(error, count * sizeof *more);
    w->worker = more;
    for (; w->workers < count && !status; w->workers += !status)
        status = bough_alloc(&w->worker[w->workers], 1, sizeof **w->worker, error);
    return status;
}

bough_status label_lists_start(label_lists *w, thread_team *team, bough_error *error) {
    const labels_places *p = &w->places;
    bool several = team && p->low_tiles >= 4;
    uint64_t low = p->low_tiles / 2, most = LABELS_UNITS_MAX, ranges = 4 * (uint64_t)team_size(team);
    w->team = several ? team : NULL;
    w->low_units = (unsigned)(!several ? 1 : low < most ? low : most);
    w->high_units = (unsigned)(!several ? 1 : p->high_tiles < most ? p->high_tiles : most);
    w->ranges = (unsigned)(!several ? 1 : ranges < LABELS_RANGES_MAX ? ranges : LABELS_RANGES_MAX);
    w->unit_shift = p->h - (31 - (unsigned)__builtin_clz(w->low_units));
    bough_status status = make_workers(w, team_size(w->team), error);
    if (several && w->lost[1] == w->lost[0])
        TRY(bough_alloc(&w->lost[1], w->lost_size, sizeof *w->lost[1], error));
    for (unsigned i = 0; i < w->workers; i++) w->worker[i]->claims = 0;
    return status;
}

static void clear_step(void *context, unsigned worker, uint64_t part) {
    label_lists *w = context;
    uint64_t words = w->places.h * w->places.words, first = team_part(words, w->low_units, part),
             end = team_part(words, w->low_units, part + 1);
    (void)worker;
    memset(w->blocked + first, 0, (end - first) * sizeof *w->blocked);
}

void label_lists_round(label_lists *w) {
    team_each(w->team, w->low_units, clear_step, w);
    for (unsigned L = 0; L < w->places.h; L++)
        memset(w->losses[L], 0, (w->low_units + w->high_units) * sizeof *w->losses[L]);
}
