/* Remaining links of groups, by address. Only groups with restrictions are stored; a bit set with running
 * counts maps a group to its record. */
#ifndef BOUGH_NETWORK_FAULTS_REMAINING_LINKS_H
#define BOUGH_NETWORK_FAULTS_REMAINING_LINKS_H

#include "network/net.h"

#define CHOICES_LISTED UINT32_C(0x80000000) /* in count: the links are in a list, at `first` */

/* Applies from address `from` to the next piece: links of the group from number `first` on, or a list of
 * ids. */
typedef struct choices_piece {
    uint32_t from, first, count;
} choices_piece;

typedef struct choices_group {
    uint32_t first, count; /* pieces */
} choices_group;

typedef struct choices {
    uint64_t groups; /* of the network; 0: no restrictions */
    uint64_t *restricted;
    uint32_t *before; /* per 64 groups: number of restricted groups before them */
    choices_group *group;
    choices_piece *piece;
    uint32_t *list;
    /* during construction */
    uint32_t *made;                       /* group ids, in the order of choices_begin */
    uint64_t count, pieces, listed, base; /* base: first link of the current group */
    uint64_t own, *taken;                 /* bytes of everything built at the same time; NULL: own */
    size_t group_capacity, made_capacity, piece_capacity, list_capacity;
} choices;

typedef struct growing_array {
    void *array;
    size_t *capacity;
    size_t size; /* of an element */
} growing_array;
#define GROWING(array, capacity)                                                                             \
    (growing_array) {                                                                                        \
        &(array), &(capacity), sizeof *(array)                                                               \
    }

/* As bough_grow, limited by the memory of the machine; taken counts the bytes of all arrays so far, because
 * the total is not known in advance. Errors: TOO_LARGE. */
bough_status budget_grow(uint64_t *taken, growing_array a, uint64_t need, bough_error *error);

/* Starts the pieces of a group whose first link is base; the first piece is from address 0. */
bough_status choices_begin(choices *c, uint64_t group, uint64_t base, bough_error *error);
/* Adds a group with the same pieces as the previous one, for its own links. */
bough_status choices_repeat(choices *c, uint64_t group, uint64_t base, bough_error *error);
/* Adds a piece: `count` links (ids, ascending). A piece equal to the previous one is omitted. */
bough_status choices_add(choices *c, uint32_t from, const uint32_t *link, uint32_t count, bough_error *error);
/* Sorts the groups and enables queries. No group may occur twice. */
bough_status choices_end(choices *c, uint64_t groups, bough_error *error);
void choices_fini(choices *c);
uint64_t choices_bytes(const choices *c);

/* The record of a group; NULL: not restricted. */
static inline const choices_group *choices_find(const choices *c, uint64_t group) {
    if (!c->groups) return NULL;
    uint64_t word = c->restricted[group >> 6], bit = group & 63;
    if (!(word >> bit & 1)) return NULL;
    return &c->group[c->before[group >> 6] +
                     (uint32_t)__builtin_popcountll(word & ((UINT64_C(1) << bit) - 1))];
}

/* The piece that contains an address. */
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
