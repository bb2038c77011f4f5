/* Where packets are kept. Slots are in the order of the packets' numbers, always: when they are full and half
 * of the packets in them have been delivered, the others move together. */
#include "sim/packet_state.h"

#include <string.h>

#define COMPACT_FROM 1024

uint32_t slots_take(slots *s, uint64_t *from, uint32_t *out, uint32_t limit) {
    uint32_t got = 0;
    if (limit > s->count) limit = (uint32_t)s->count;
    while (got < limit) {
        uint64_t used = s->used[*from];
        if (!used) {
            ++*from;
            continue;
        }
        uint64_t w = *from << 6 | (uint64_t)__builtin_ctzll(used), bits = s->word[w];
        for (; bits && got < limit; bits &= bits - 1)
            out[got++] = (uint32_t)(w << 6 | (uint64_t)__builtin_ctzll(bits));
        s->word[w] = bits;
        if (!bits) s->used[*from] = used & (used - 1);
    }
    s->count -= got;
    return got;
}

static bool grow_words(engine *e, uint64_t **word, size_t *capacity, uint64_t need) {
    size_t had = *capacity;
    e->status = bough_grow(word, capacity, need, sizeof **word, e->error);
    if (e->status) return false;
    memset(*word + had, 0, (*capacity - had) * sizeof **word);
    return true;
}

static bool slots_reserve(engine *e, slots *s, uint64_t need) {
    return (need >> 6 < s->word_capacity || grow_words(e, &s->word, &s->word_capacity, (need >> 6) + 1)) &&
           (need >> 12 < s->used_capacity || grow_words(e, &s->used, &s->used_capacity, (need >> 12) + 1));
}

/* ---- moving together ---- */

static uint32_t moved(const engine *e, uint32_t slot) {
    return slot == NOBODY ? NOBODY : e->map[slot];
}

static void move_held(engine *e) {
    uint64_t from = 0;
    uint32_t some[64], got;
    while ((got = slots_take(&e->held, &from, some, 64)))
        for (uint32_t i = 0; i < got; i++) slots_add(&e->moving, e->map[some[i]]);
    slots now_held = e->moving;
    e->moving = e->held; /* empty */
    e->held = now_held;
}

/* Nobody is crossing a link. */
static void compact(engine *e) {
    uint32_t to = 0;
    if (!GROW(e, map, e->used)) return;
    for (uint32_t from = 0; from < e->used; from++) {
        if (e->hot[from].aim == NOBODY) continue;
        e->map[from] = to;
        e->hot[to] = e->hot[from];
        e->cold[to] = e->cold[from];
        if (e->other) e->other[to] = e->other[from];
        to++;
    }
    e->used = to;
    for (uint64_t i = 0; i < e->actives; i++) e->queue[e->active[i]] = moved(e, e->queue[e->active[i]]);
    for (uint32_t slot = 0; slot < to; slot++) {
        e->hot[slot].next = moved(e, e->hot[slot].next);
        if (e->other) e->other[slot] = moved(e, e->other[slot]);
    }
    move_held(e);
}

/* ---- new ones ---- */

static bool make_room(engine *e) {
    if (e->used == e->hot_capacity && !e->o.trace && e->used >= COMPACT_FROM && e->live <= e->used / 2)
        compact(e);
    uint64_t need = (uint64_t)e->used + 1;
    if (need >= NOBODY && !e->status)
        e->status = bough_fail(e->error, BOUGH_TOO_LARGE, NULL, "2^32 packets are under way");
    if (e->status) return false;
    if (!GROW(e, hot, need) || !GROW(e, cold, need) || !GROW(e, active, need)) return false;
    if (!slots_reserve(e, &e->moving, need) || !slots_reserve(e, &e->held, need)) return false;
    if (e->o.queue >= PACKET_FARTHEST && !GROW(e, other, need)) return false;
    return !e->o.trace ||
           (GROW(e, route, bough_mul(need, e->limit)) && GROW(e, length, need) && GROW(e, late, need));
}

uint32_t packet_new(engine *e) {
    if (!make_room(e)) return NOBODY;
    uint32_t slot = e->used++;
    e->live++;
    e->born++;
    if (e->o.trace) {
        memset(e->length[slot], 0, sizeof e->length[slot]);
        memset(e->late[slot], 0, sizeof e->late[slot]);
    }
    e->hot[slot] = (hot){.next = NOBODY, .spot = NOBODY};
    if (e->other) e->other[slot] = NOBODY;
    return slot;
}

uint32_t packet_new_many(engine *e) {
    if (e->free_manies) return e->free_many[--e->free_manies];
    uint64_t need = (uint64_t)e->manies + 1;
    return GROW(e, many, need) && GROW(e, free_many, need) ? e->manies++ : NOBODY;
}
