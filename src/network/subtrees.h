/* The endpoints of every subtree of a tree, in a row: who meets whom at which level. */
#ifndef BOUGH_NETWORK_SUBTREES_H
#define BOUGH_NETWORK_SUBTREES_H

#include "bough/net.h"

enum { SUBTREES_LEVELS = 64 };

typedef struct subtrees_row {
    uint32_t first, count;
} subtrees_row;

/* Endpoints have places 0 .. n-1 such that every subtree is a row of places. */
typedef struct subtrees {
    const bough_net *net;
    unsigned levels;                /* at this level all are one subtree */
    uint64_t size[SUBTREES_LEVELS]; /* regular: subtree i of a level is places size i .. size (i + 1) - 1 */
    uint32_t *place, *endpoint;     /* of endpoint; at place. NULL: regular, and the same */
    subtrees_row *row[SUBTREES_LEVELS]; /* not regular: by id */
} subtrees;

/* net gives CHANNELS, has fewer than 2^32 endpoints and borrows on. O(endpoints x levels), where subtrees are
 * not already in a row O(endpoints x levels x log endpoints). Errors: UNSUPPORTED (too many levels),
 * NO_MEMORY. */
bough_status subtrees_make(const bough_net *net, subtrees *s, bough_error *error);
void subtrees_fini(subtrees *s);

/* The places of the subtree of a level around a place. */
static inline bough_range subtrees_around(const subtrees *s, unsigned level, uint64_t place) {
    if (level >= s->levels) return (bough_range){0, s->net->endpoints};
    if (!s->endpoint) return (bough_range){place / s->size[level] * s->size[level], s->size[level]};
    subtrees_row row = s->row[level][s->net->ops->subtree(s->net, level, s->endpoint[place])];
    return (bough_range){row.first, row.count};
}

static inline uint64_t subtrees_place(const subtrees *s, uint64_t endpoint) {
    return s->place ? s->place[endpoint] : endpoint;
}

/* How many endpoints meet one at a level: those in its subtree there, but in none below. level >= 1. */
static inline uint64_t subtrees_met(const subtrees *s, unsigned level, uint64_t place) {
    return subtrees_around(s, level, place).count - subtrees_around(s, level - 1, place).count;
}

/* The i-th of them. */
static inline uint64_t subtrees_meet(const subtrees *s, unsigned level, uint64_t place, uint64_t i) {
    bough_range outer = subtrees_around(s, level, place), inner = subtrees_around(s, level - 1, place);
    uint64_t at = outer.first + i;
    if (at >= inner.first) at += inner.count;
    return s->endpoint ? s->endpoint[at] : at;
}

/* The level at which two endpoints meet; 0: they are one. */
unsigned subtrees_level(const subtrees *s, uint64_t a, uint64_t b);

#endif
