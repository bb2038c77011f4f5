/* Sets of addresses for the computation of reachability: ascending intervals in one pool. Sets have numbers
 * and are immutable; an unchanged result keeps its number. */
#ifndef BOUGH_NETWORK_FAULTS_ADDRESS_SETS_H
#define BOUGH_NETWORK_FAULTS_ADDRESS_SETS_H

#include "network/faults/reachability.h"
#include "network/group_coverage.h"

/* Memory accounting of growing arrays. status keeps the first failure, so only the last step needs a
 * check. */
typedef struct growth {
    uint64_t taken; /* bytes */
    bough_status status;
    bough_error *error;
} growth;

bool growth_room(growth *g, growing_array a, uint64_t need);
#define ROOM(g, array, capacity, need) growth_room(g, GROWING(array, capacity), need)

typedef struct intervals {
    interval *item;
    size_t count, capacity;
} intervals;

typedef struct address_set {
    uint32_t first, count; /* in pool */
} address_set;

typedef struct address_sets {
    growth *growth;
    address_set *set;
    interval *pool;
    uint64_t sets, pooled;
    size_t set_capacity, pool_capacity;
    intervals now; /* the set under construction; clip and unite use it */
    intervals spare;
} address_sets;

void sets_fini(address_sets *s);

void sets_begin(address_sets *s);
/* Adds from .. to - 1, if not empty, after everything added since sets_begin. */
void sets_put(address_sets *s, uint64_t from, uint64_t to);
/* Stores the set under construction and returns its number. */
uint32_t sets_keep(address_sets *s);
/* Intersects the set under construction with a set. */
void sets_intersect(address_sets *s, uint32_t set);
/* Returns a set minus the set under construction; the same number if they are disjoint. */
uint32_t sets_subtract(address_sets *s, uint32_t set);

/* Returns the part of a set in a range; the same number if that is all of it. */
uint32_t sets_clip(address_sets *s, uint32_t set, const bough_covered_range *range);
/* Returns the union of two disjoint sets. */
uint32_t sets_unite(address_sets *s, uint32_t one, uint32_t other);

static inline uint64_t lower(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline uint64_t upper(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

#endif
