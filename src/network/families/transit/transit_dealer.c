#include "network/families/transit/transit_dealer.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

enum { TRIES = 4000 }; /* of a round, before the limit is raised */

/* ---- sets of places ---- */

bough_status transit_sets_init(transit_sets *sets, uint64_t most, bough_error *error) {
    sets->size = 16;
    while (sets->size < 2 * most) sets->size *= 2;
    bough_status status = bough_alloc(&sets->key, sets->size, sizeof *sets->key, error);
    TRY(bough_alloc(&sets->count, sets->size, sizeof *sets->count, error));
    return status;
}

void transit_sets_fini(transit_sets *sets) {
    FREE_ALL(sets->key, sets->count);
}

void transit_sets_clear(transit_sets *sets, uint64_t most) {
    sets->used_size = 16;
    while (sets->used_size < 2 * most && sets->used_size < sets->size) sets->used_size *= 2;
    memset(sets->key, 0, sets->used_size * sizeof *sets->key);
}

/* A sum of mixed values (splitmix64), so that the order does not matter. */
uint64_t transit_set_key(const uint32_t *place, unsigned count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = (place[i] + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
        x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
        sum += x ^ x >> 31;
    }
    return sum ? sum : 1;
}

static uint64_t slot_of(const transit_sets *sets, uint64_t key) {
    uint64_t i = key & (sets->used_size - 1);
    while (sets->key[i] && sets->key[i] != key) i = (i + 1) & (sets->used_size - 1);
    return i;
}

static uint32_t count_of(const transit_sets *sets, uint64_t key) {
    uint64_t i = slot_of(sets, key);
    return sets->key[i] ? sets->count[i] : 0;
}

uint32_t transit_sets_add(transit_sets *sets, uint64_t key) {
    uint64_t i = slot_of(sets, key);
    if (!sets->key[i]) sets->key[i] = key, sets->count[i] = 0;
    return ++sets->count[i];
}

uint32_t transit_sets_limit(uint64_t runs, uint64_t places, unsigned width) {
    double sets = 1;
    for (unsigned i = 0; i < width; i++) sets = sets * (double)(places - i) / (i + 1);
    if (width >= places || sets < 1) return UINT32_MAX; /* there is one set */
    double each = (double)runs / sets;
    return each <= 1 ? 1 : (uint32_t)each + (each > (uint32_t)each);
}

/* ---- rounds ---- */

void transit_dealer_start(transit_dealer *d, uint64_t places, unsigned run, transit_deal_range wires) {
    uint64_t runs = (wires.end - wires.before) / run;
    d->places = (uint32_t)places;
    d->run = run;
    d->dealt = wires.before;
    d->end = wires.end;
    d->fresh = wires.before % places;
    d->limit = UINT32_MAX; /* not checked */
    if (d->wires != TRANSIT_CHECKED || !d->sets || run < 2) return;
    d->limit = transit_sets_limit(runs, places, run);
    transit_sets_clear(d->sets, runs);
}

/* Durstenfeld's shuffle, inside-out variant. */
static void shuffle(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t *place = d->place + at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)bough_stream_below(d->stream, i + 1);
        place[i] = place[k];
        place[k] = at + i;
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A round of a tournament: the pairs of neighbouring places are its matches. */
static void arrange(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t n = d->places, odd = n - 1, round = (uint32_t)(d->dealt / n);
    if (count < n) {
        for (uint32_t i = 0; i < count; i++) d->place[at + i] = at + i;
    } else if (n % 2 == 0) {
        for (uint32_t i = 0; i < n / 2; i++) {
            d->place[2 * i] = i ? (round + i) % odd : odd;
            d->place[2 * i + 1] = (round % odd + odd - i) % odd;
        }
    } else {
        uint32_t step = round / 2 % n + 1; /* two rounds with each multiplier */
        while (common_divisor(step, n) > 1) step = step % n + 1;
        for (uint32_t i = 0; i < n; i++) d->place[i] = (uint32_t)((uint64_t)i * step % n);
    }
}

static bool contains(const uint32_t *list, uint32_t count, uint32_t place) {
    while (count--)
        if (list[count] == place) return true;
    return false;
}

/* The places of a run that the previous round ended with are exchanged for others in this one. */
static void part_run(transit_dealer *d, const uint32_t *recent, uint32_t before, uint32_t count) {
    uint32_t rest = d->run - before;
    bool drawn = d->wires != TRANSIT_DETERMINISTIC;
    for (uint32_t i = 0; i < rest && rest < count; i++) {
        uint32_t k = rest;
        for (uint32_t tries = 0; contains(recent, before, d->place[i]) && tries < 64 + count; tries++) {
            if (drawn)
                k = rest + (uint32_t)bough_stream_below(d->stream, count - rest);
            else if (tries)
                k = k + 1 < count ? k + 1 : rest;
            uint32_t place = d->place[i];
            d->place[i] = d->place[k];
            d->place[k] = place;
        }
    }
}

/* The runs that end in this round, of which `before` places of the first are in `recent`. add: counts them;
 * else returns whether one of them would exceed the limit. */
static bool examine(transit_dealer *d, const uint32_t *recent, uint32_t before, uint32_t count, bool add) {
    uint32_t set[TRANSIT_PORTS_MAX];
    uint64_t first = 0;
    const uint32_t *round = d->place + d->dealt % d->places;
    uint32_t i = 0;
    if (before) {
        for (; i < before; i++) set[i] = recent[i];
        for (i = 0; before + i < d->run && i < count; i++) set[before + i] = round[i];
        if (before + i < d->run) return false;
        first = transit_set_key(set, d->run);
        if (add)
            transit_sets_add(d->sets, first);
        else if (count_of(d->sets, first) >= d->limit)
            return true;
    }
    for (; i + d->run <= count; i += d->run) {
        uint64_t key = transit_set_key(round + i, d->run);
        if (add)
            transit_sets_add(d->sets, key);
        else if (count_of(d->sets, key) + (key == first) >= d->limit)
            return true;
    }
    return false;
}

static void draw_round(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t recent[TRANSIT_PORTS_MAX], before = (uint32_t)(d->dealt % d->run);
    bool part = before && d->places >= d->run && at == 0;
    if (part) memcpy(recent, d->place + d->places - before, before * sizeof *recent);
    for (unsigned tries = 1;; tries++) {
        if (d->wires == TRANSIT_DETERMINISTIC)
            arrange(d, at, count);
        else
            shuffle(d, at, count);
        if (part) part_run(d, recent, before, count);
        if (d->limit == UINT32_MAX) return;
        if (!examine(d, recent, part ? before : 0, count, false)) break;
        if (tries % TRIES == 0) d->limit++;
    }
    examine(d, recent, part ? before : 0, count, true);
}

uint32_t transit_deal(transit_dealer *d) {
    uint32_t at = (uint32_t)(d->dealt % d->places);
    bool first = at == 0 || d->fresh;
    uint64_t left = d->end - d->dealt;
    uint32_t count = left < d->places - at ? (uint32_t)left : d->places - at;
    if (first && d->places > 1) draw_round(d, at, count);
    d->fresh = false;
    d->dealt++;
    return d->places > 1 ? d->place[at] : 0;
}
