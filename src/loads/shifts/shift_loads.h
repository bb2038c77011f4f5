/* Loads of links under all shifts: shift k sends endpoint i to i + k, so the shifts k = 1 .. N-1 contain
 * every pair once, and their sum is all-to-all.
 *
 * Where all flows to an address follow one tree (address_tree.h), the endpoints h of one switch load a link
 * of the path to d in the shifts d - h, which are consecutive for consecutive endpoints. So paths are
 * followed from switches, and every link adds intervals of shifts. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_LOADS_H
#define BOUGH_LOADS_SHIFTS_SHIFT_LOADS_H

#include "base/rank_group.h"
#include "loads/address_tree.h"

#include <stdatomic.h>

#define SHIFT_HOPS_MAX      64
#define SHIFT_EXAMPLES      5
#define SHIFT_CLASSES_MAX   256
#define SHIFT_ENDPOINTS_MAX 65536

/* Endpoints that a thread takes at once: their entries of a table row are two cache lines, as processors
 * fetch the neighbour of a line, too. */
enum { SHIFT_GRAIN = 128 };

typedef struct shift_question {
    const bough_routing *routing; /* address_tree_fits */
    /* [links]: the largest loads are found for each class of links, below classes */
    const uint8_t *class_of;
    unsigned classes, threads;
    uint64_t budget;   /* memory of the paths that are kept at once, in bytes; 0: 512 MiB */
    atomic_bool *stop; /* may be NULL */
    /* Reports the finished fraction, one call at a time; may be NULL. */
    void (*progress)(void *context, double share);
    /* Called once for every endpoint, by thread worker < threads, with the tree of its first address; may be
     * NULL. */
    void (*visit)(void *context, unsigned worker, address_tree *tree, uint32_t target);
    void *context;
    /* Ranks divide the endpoints, and then the nodes; all have the loads. An endpoint is visited by one of
     * them. NULL: one. */
    const rank_group *group;
} shift_question;

/* A pair that is not routed. */
typedef struct shift_pair {
    uint64_t shift, source;
} shift_pair;

typedef struct shift_loads {
    uint64_t *total; /* [links]: flows under all-to-all; owned */
    /* [class * endpoints + k], GROUP_ROOM16: flows on the most loaded link of a class under shift k; owned */
    uint16_t *max;
    /* Pairs (of all addresses of an endpoint: all must be reached; loads are those of the first). */
    uint64_t ended[SPREAD_LOOP + 1];
    uint64_t hops[SHIFT_HOPS_MAX]; /* routed pairs by links on the path - 1 */
    /* By the way they end: the first ones, by shift, then by source. */
    shift_pair failed[SPREAD_LOOP + 1][SHIFT_EXAMPLES];
    unsigned failures[SPREAD_LOOP + 1];
} shift_loads;

/* Results are the same for any number of threads. Cost: endpoints x (nodes + switches with endpoints x hops)
 * + endpoints x links. Errors: TOO_LARGE above SHIFT_ENDPOINTS_MAX endpoints, or of memory; INTERRUPTED. */
bough_status shift_loads_find(const shift_question *question, shift_loads *loads, bough_error *error);
void shift_loads_fini(shift_loads *loads);

#endif
