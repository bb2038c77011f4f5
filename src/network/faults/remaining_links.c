#include "network/faults/remaining_links.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

bough_status budget_grow(uint64_t *taken, growing_array a, uint64_t need, bough_error *error) {
    uint64_t before = *a.capacity;
    if (need <= before) return BOUGH_OK;
    uint64_t grown = bough_mul(need + need / 2 + 16, a.size); /* the old array exists while it is copied */
    bough_status status = bough_memory_check(need > UINT32_MAX ? UINT64_MAX : bough_add(*taken, grown),
                                             "the remaining routes", error);
    TRY(bough_grow(a.array, a.capacity, need, a.size, error));
    if (!status) *taken += (*a.capacity - before) * a.size;
    return status;
}

#define GROW(array, capacity, need)                                                                          \
    budget_grow(c->taken ? c->taken : &c->own, GROWING(array, capacity), need, error)

bough_status choices_begin(choices *c, uint64_t group, uint64_t base, bough_error *error) {
    bough_status status = GROW(c->group, c->group_capacity, c->count + 1);
    TRY(GROW(c->made, c->made_capacity, c->count + 1));
    if (status) return status;
    c->made[c->count] = (uint32_t)group;
    c->group[c->count++] = (choices_group){(uint32_t)c->pieces, 0};
    c->base = base;
    return BOUGH_OK;
}

static bool is_listed(const choices *c, const choices_group *g) {
    for (uint32_t k = 0; k < g->count; k++)
        if (c->piece[g->first + k].count & CHOICES_LISTED) return true;
    return false;
}

/* Lists contain ids and are rebuilt; positions relative to the first link of a group are shared. */
bough_status choices_repeat(choices *c, uint64_t group, uint64_t base, bough_error *error) {
    choices_group last = c->group[c->count - 1];
    uint64_t before = c->base;
    bough_status status = choices_begin(c, group, base, error);
    if (status) return status;
    if (!is_listed(c, &last)) {
        c->group[c->count - 1] = last;
        return BOUGH_OK;
    }
    status = GROW(c->piece, c->piece_capacity, c->pieces + last.count);
    for (uint32_t k = 0; k < last.count && !status; k++) {
        choices_piece p = c->piece[last.first + k];
        uint32_t count = p.count & ~CHOICES_LISTED;
        if (p.count & CHOICES_LISTED) {
            status = GROW(c->list, c->list_capacity, c->listed + count);
            for (uint32_t i = 0; i < count && !status; i++)
                c->list[c->listed + i] = (uint32_t)(c->list[p.first + i] - before + base);
            p.first = (uint32_t)c->listed;
            c->listed += count;
        }
        c->piece[c->pieces++] = p;
        c->group[c->count - 1].count++;
    }
    return status;
}

static bool same_links(const choices *c, const choices_piece *p, const uint32_t *link, uint32_t count) {
    if ((p->count & ~CHOICES_LISTED) != count) return false;
    if (count == 0) return true;
    if (!(p->count & CHOICES_LISTED))
        return p->first == link[0] - c->base && link[count - 1] - link[0] == count - 1;
    return memcmp(c->list + p->first, link, count * sizeof *link) == 0;
}

bough_status choices_add(choices *c, uint32_t from, const uint32_t *link, uint32_t count,
                         bough_error *error) {
    choices_group *g = &c->group[c->count - 1];
    if (g->count && same_links(c, &c->piece[c->pieces - 1], link, count)) return BOUGH_OK;
    bough_status status = GROW(c->piece, c->piece_capacity, c->pieces + 1);
    choices_piece piece = {from, count ? (uint32_t)(link[0] - c->base) : 0, count};
    if (!status && count && link[count - 1] - link[0] != count - 1) {
        status = GROW(c->list, c->list_capacity, c->listed + count);
        if (status) return status;
        piece = (choices_piece){from, (uint32_t)c->listed, count | CHOICES_LISTED};
        memcpy(c->list + c->listed, link, count * sizeof *link);
        c->listed += count;
    }
    if (status) return status;
    c->piece[c->pieces++] = piece;
    g->count++;
    return BOUGH_OK;
}

typedef struct entry {
    uint32_t id;
    choices_group group;
} entry;

static int by_id(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

bough_status choices_end(choices *c, uint64_t groups, bough_error *error) {
    entry *sorted = NULL;
    uint64_t words = (groups + 63) / 64;
    bough_status status = BOUGH_OK;
    if (c->count) status = bough_alloc(&sorted, c->count, sizeof *sorted, error);
    if (!status && c->count) status = bough_alloc(&c->restricted, words, sizeof *c->restricted, error);
    if (!status && c->count) status = bough_alloc(&c->before, words, sizeof *c->before, error);
    if (!status && c->count) {
        for (uint64_t i = 0; i < c->count; i++) sorted[i] = (entry){c->made[i], c->group[i]};
        qsort(sorted, c->count, sizeof *sorted, by_id);
        for (uint64_t i = 0; i < c->count; i++) {
            c->group[i] = sorted[i].group;
            set_bit(c->restricted, sorted[i].id);
        }
        for (uint64_t w = 1; w < words; w++)
            c->before[w] = c->before[w - 1] + (uint32_t)__builtin_popcountll(c->restricted[w - 1]);
        c->groups = groups;
    }
    FREE_ALL(sorted, c->made);
    c->made = NULL;
    c->made_capacity = 0;
    return status;
}

void choices_fini(choices *c) {
    FREE_ALL(c->restricted, c->before, c->group, c->piece, c->list, c->made);
    *c = (choices){0};
}

uint64_t choices_bytes(const choices *c) {
    return c->groups / 64 * 12 + c->group_capacity * sizeof *c->group + c->piece_capacity * sizeof *c->piece +
           c->list_capacity * sizeof *c->list;
}
