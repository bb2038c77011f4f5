/* Which links of a group are left, and for which addresses: only of groups where not all of them are for all.
 * A group is looked up by its place among the restricted ones, which a bit each and running counts give. */
#ifndef BOUGH_NETWORK_FAULTS_REMAINING_LINKS_H
#define BOUGH_NETWORK_FAULTS_REMAINING_LINKS_H

#include "bough/net.h"

#define CHOICES_LISTED UINT32_C(0x80000000) /* of count: the links stand in a list, at `first` */

/* From address `from` to the next piece's: the links from the first-th of the group on, or a list of ids. */
typedef struct choices_piece {
    uint32_t from, first, count;
} choices_piece;

typedef struct choices_group {
    uint32_t first, count; /* pieces */
} choices_group;

typedef struct choices {
    uint64_t groups; /* of the network; 0: nothing is restricted */
    uint64_t *restricted;
    uint32_t *before; /* per 64 groups: restricted ones before them */
    choices_group *group;
    choices_piece *piece;
    uint32_t *list;
    /* while it is made */
    uint32_t *made;                       /* group ids, in the order of choices_put */
    uint64_t count, pieces, listed, base; /* base: the first link of the group at hand */
    uint64_t own, *taken;                 /* bytes, of everything that is made at the same time; NULL: own */
    size_t group_capacity, made_capacity, piece_capacity, list_capacity;
} choices;

/* As bough_grow, within the memory of the machine: taken are the bytes of all arrays so far. What faults take
 * is not known before. Errors: TOO_LARGE. */
bough_status budget_grow(uint64_t *taken, void *array, size_t *capacity, uint64_t need, size_t size,
                         bough_error *error);

/* Begins the pieces of a group, whose links begin with base; the first one is from address 0. */
bough_status choices_begin(choices *c, uint64_t group, uint64_t base, bough_error *error);
/* A group with the same pieces as the one before, of its own links. */
bough_status choices_repeat(choices *c, uint64_t group, uint64_t base, bough_error *error);
/* The next piece: `count` of links (ids, ascending). A piece that repeats the one before is left out. */
bough_status choices_add(choices *c, uint32_t from, const uint32_t *link, uint32_t count, bough_error *error);
/* Sorted, and ready to be asked. Groups must not have been begun twice. */
bough_status choices_end(choices *c, uint64_t groups, bough_error *error);
void choices_fini(choices *c);
uint64_t choices_bytes(const choices *c);

/* The group's record; NULL: not restricted. */
static inline const choices_group *choices_find(const choices *c, uint64_t group) {
    if (!c->groups) return NULL;
    uint64_t word = c->restricted[group >> 6], bit = group & 63;
    if (!(word >> bit & 1)) return NULL;
    return &c->group[c->before[group >> 6] +
                     (uint32_t)__builtin_popcountll(word & ((UINT64_C(1) << bit) - 1))];
}

/* The piece that has an address. */
static inline const choices_piece *choices_at(const choices *c, const choices_group *g, uint64_t address) {
    uint32_t low = g->first, high = g->first + g->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->piece[middle].from <= address)
            low = middle;
        else
            high = middle;
    }
    return &c->piece[low];
}

#endif
