/* Loads of links under all shifts: shift k sends endpoint i to i + k, so the shifts k = 1 .. N-1 contain
 * every pair once, and their sum is all-to-all.
 *
 * Where all flows to an address follow one tree (address_tree.h), the endpoints h of one switch load a link
 * of the path to d in the shifts d - h, which are consecutive for consecutive endpoints. So paths are
 * followed from switches, and every link adds intervals of shifts. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_LOADS_H
#define BOUGH_LOADS_SHIFTS_SHIFT_LOADS_H

#include "loads/pair_tally.h"

#include <stdatomic.h>

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
} shift_question;

typedef struct shift_loads {
    uint64_t *total; /* [links]: flows under all-to-all; owned */
    /* [class * endpoints + k]: flows on the most loaded link of a class under shift k; owned */
    uint16_t *max;
    pair_tally pairs; /* loads are those of the first addresses */
} shift_loads;

/* Results are the same for any number of threads. Cost: endpoints x (nodes + switches with endpoints x hops)
 * + endpoints x links. Errors: TOO_LARGE above SHIFT_ENDPOINTS_MAX endpoints, or of memory; INTERRUPTED. */
bough_status shift_loads_find(const shift_question *question, shift_loads *loads, bough_error *error);
void shift_loads_fini(shift_loads *loads);

#endif
