/* Loads of a batch of random permutations, where all flows to an address follow one tree: address by address,
 * for all permutations together, as they use the same entries of the tables. */
#ifndef BOUGH_FABRIC_CHECK_PAIRS_PERMUTATION_LOADS_H
#define BOUGH_FABRIC_CHECK_PAIRS_PERMUTATION_LOADS_H

#include "fabric/check/pairs/check_pass.h"
#include "loads/shifts/shift_loads.h"

enum { PERMUTATION_BATCH = 128 };

/* Zero-initialise. */
typedef struct permutation_loads {
    check_pass *pass; /* its ranks have added the flows to different endpoints */
    origin_list origins;
    unsigned count, workers;
    uint64_t first, end; /* links before and from these are those of adapters */
    double *rate;        /* [endpoints]: of the link to its origin, if it is another node */
    uint32_t *source;    /* [k * endpoints + endpoint]: who sends to it in permutation k */
    struct permutation_worker {
        uint16_t *load;   /* [(link - first) * count + k]; without the links below */
        uint32_t *source; /* [endpoint of a line][count]: the same, for a few neighbours */
        uint64_t line;    /* which */
        /* Of the links of adapters, which have one flow each: the lowest rate; 0: no flow. */
        double slowest[PERMUTATION_BATCH];
        outcome found[PERMUTATION_BATCH]; /* of the links that it settles */
        uint32_t target;                  /* the endpoint whose flows are added */
    } * worker;
} permutation_loads;

/* Permutations first .. first + count - 1. Errors: TOO_LARGE, NO_MEMORY. */
bough_status permutation_loads_make(check_pass *pass, uint64_t first, unsigned count,
                                    permutation_loads *loads, bough_error *error);
void permutation_loads_fini(permutation_loads *loads);
/* Adds the flows to an endpoint; the tree is that of its first address. */
void permutation_loads_add(permutation_loads *loads, unsigned worker, address_tree *tree, uint32_t target);
/* found[count]: what the flows of all endpoints come to. Called once. A link must not have 65536
 * flows. */
void permutation_loads_settle(permutation_loads *loads, outcome *found);

#endif
