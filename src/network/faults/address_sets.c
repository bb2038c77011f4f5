#include "network/faults/address_sets.h"

#include "base/memory/memory.h"

#include <string.h>

void sets_fini(address_sets *s) {
    FREE_ALL(s->set, s->pool, s->now.item, s->spare.item);
}

bool growth_room(growth *g, growing_array a, uint64_t need) {
    if (!g->status) g->status = budget_grow(&g->taken, a, need, g->error);
    return !g->status;
}

static void put(growth *g, intervals *list, uint64_t from, uint64_t to) {
    if (from >= to) return;
    if (list->count && list->item[list->count - 1].to == from) {
        list->item[list->count - 1].to = (uint32_t)to;
        return;
    }
    if (!ROOM(g, list->item, list->capacity, list->count + 1)) return;
    list->item[list->count++] = (interval){(uint32_t)from, (uint32_t)to};
}

void sets_begin(address_sets *s) {
    s->now.count = 0;
}

void sets_put(address_sets *s, uint64_t from, uint64_t to) {
    put(s->growth, &s->now, from, to);
}

static uint32_t keep(address_sets *s, const intervals *list) {
    if (!ROOM(s->growth, s->set, s->set_capacity, s->sets + 1)) return 0;
    if (!ROOM(s->growth, s->pool, s->pool_capacity, s->pooled + list->count)) return 0;
    s->set[s->sets] = (address_set){(uint32_t)s->pooled, (uint32_t)list->count};
    if (list->count) memcpy(s->pool + s->pooled, list->item, list->count * sizeof *list->item);
    s->pooled += list->count;
    return (uint32_t)s->sets++;
}

uint32_t sets_keep(address_sets *s) {
    return keep(s, &s->now);
}

/* Adds the part of from .. to that is in the range. */
static void put_in_range(address_sets *s, const bough_covered_range *range, uint64_t from, uint64_t to) {
    uint64_t hole = range->without.first, end = hole + range->without.count;
    from = upper(from, range->within.first);
    to = lower(to, range->within.first + range->within.count);
    if (range->without.count == 0 || to <= hole || from >= end) {
        sets_put(s, from, to);
        return;
    }
    sets_put(s, from, lower(to, hole));
    sets_put(s, upper(from, end), to);
}

uint32_t sets_clip(address_sets *s, uint32_t set, const bough_covered_range *range) {
    address_set whole = s->set[set];
    uint64_t before = 0, after = 0;
    sets_begin(s);
    for (uint32_t i = 0; i < whole.count; i++) {
        interval a = s->pool[whole.first + i];
        before += a.to - a.from;
        put_in_range(s, range, a.from, a.to);
    }
    for (size_t i = 0; i < s->now.count; i++) after += s->now.item[i].to - s->now.item[i].from;
    return before == after ? set : sets_keep(s);
}

uint32_t sets_unite(address_sets *s, uint32_t one, uint32_t other) {
    address_set a = s->set[one], b = s->set[other];
    uint32_t i = 0, k = 0;
    sets_begin(s);
    while (i < a.count || k < b.count) {
        bool first = k == b.count || (i < a.count && s->pool[a.first + i].from < s->pool[b.first + k].from);
        interval next = s->pool[first ? a.first + i++ : b.first + k++];
        sets_put(s, next.from, next.to);
    }
    return sets_keep(s);
}

uint32_t sets_subtract(address_sets *s, uint32_t set) {
    const intervals *list = &s->now;
    address_set old = s->set[set];
    size_t k = 0;
    s->spare.count = 0;
    for (uint32_t i = 0; i < old.count && !s->growth->status; i++) {
        interval a = s->pool[old.first + i];
        while (k < list->count && list->item[k].to <= a.from) k++;
        for (size_t j = k; j < list->count && list->item[j].from < a.to; j++) {
            put(s->growth, &s->spare, a.from, list->item[j].from);
            a.from = (uint32_t)upper(a.from, list->item[j].to);
        }
        put(s->growth, &s->spare, a.from, a.to);
    }
    bool same = s->spare.count == old.count &&
                memcmp(s->spare.item, s->pool + old.first, old.count * sizeof *s->pool) == 0;
    return same ? set : keep(s, &s->spare);
}

void sets_intersect(address_sets *s, uint32_t set) {
    address_set other = s->set[set];
    const interval *b = s->pool + other.first, *end = b + other.count;
    s->spare.count = 0;
    for (size_t i = 0; i < s->now.count && b < end;) {
        interval a = s->now.item[i];
        put(s->growth, &s->spare, upper(a.from, b->from), lower(a.to, b->to));
        if (a.to < b->to)
            i++;
        else
            b++;
    }
    intervals swap = s->now;
    s->now = s->spare;
    s->spare = swap;
}
