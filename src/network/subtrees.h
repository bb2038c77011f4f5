/* Subtrees of a tree as ranges of places, to find endpoints by the level of their nearest common ancestor
 * (NCA). */
#ifndef BOUGH_NETWORK_SUBTREES_H
#define BOUGH_NETWORK_SUBTREES_H

#include "network/net.h"

enum { SUBTREES_LEVELS = 64 };

typedef struct subtree_range {
    uint32_t first, count;
} subtree_range;

/* Endpoints have places 0 .. n-1 such that every subtree is a contiguous range of places. */
typedef struct subtrees {
    const bough_net *net;
    unsigned levels;                /* at this level all endpoints are in one subtree */
    uint64_t size[SUBTREES_LEVELS]; /* regular: subtree i of a level has places size i .. size (i + 1) - 1 */
    /* place of an endpoint; endpoint at a place. NULL: regular, both are the identity */
    uint32_t *place, *endpoint;
    subtree_range *row[SUBTREES_LEVELS]; /* not regular: by id */
} subtrees;

/* Requires BOUGH_HAS_CHANNELS and fewer than 2^32 endpoints; borrows net. O(endpoints x levels), or
 * O(endpoints x levels x log endpoints) if subtrees are not contiguous. Errors: UNSUPPORTED (too many
 * levels), NO_MEMORY. */
bough_status subtrees_make(const bough_net *net, subtrees *s, bough_error *error);
void subtrees_fini(subtrees *s);

/* The places of the subtree of this level that contains a place. */
static inline bough_range subtrees_around(const subtrees *s, unsigned level, uint64_t place) {
    if (level >= s->levels) return (bough_range){0, s->net->endpoints};
    if (!s->endpoint) return (bough_range){place / s->size[level] * s->size[level], s->size[level]};
    subtree_range row = s->row[level][s->net->ops->subtree(s->net, level, s->endpoint[place])];
    return (bough_range){row.first, row.count};
}

static inline uint64_t subtrees_place(const subtrees *s, uint64_t endpoint) {
    return s->place ? s->place[endpoint] : endpoint;
}

/* The number of endpoints whose NCA with the endpoint at `place` is at this level. level >= 1. */
static inline uint64_t subtrees_nca_count(const subtrees *s, unsigned level, uint64_t place) {
    return subtrees_around(s, level, place).count - subtrees_around(s, level - 1, place).count;
}

/* The i-th of these endpoints. */
static inline uint64_t subtrees_nca_endpoint(const subtrees *s, unsigned level, uint64_t place, uint64_t i) {
    bough_range outer = subtrees_around(s, level, place), inner = subtrees_around(s, level - 1, place);
    uint64_t at = outer.first + i;
    if (at >= inner.first) at += inner.count;
    return s->endpoint ? s->endpoint[at] : at;
}

/* The NCA level of two endpoints; 0: they are equal. */
unsigned subtrees_nca_level(const subtrees *s, uint64_t a, uint64_t b);

/* The same of two nodes that are endpoints, without the places of all. Requires BOUGH_HAS_CHANNELS. O(log
 * levels). */
unsigned subtrees_common_level(const bough_net *net, uint64_t a, uint64_t b);

#endif
