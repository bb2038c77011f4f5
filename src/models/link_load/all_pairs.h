/* Loads of all-to-all without its messages, where routes do not depend on the source and leave no choice. */
#ifndef BOUGH_MODELS_LINK_LOAD_ALL_PAIRS_H
#define BOUGH_MODELS_LINK_LOAD_ALL_PAIRS_H

#include "bough/routing.h"

#include <stdatomic.h>

/* Whether all_pairs_loads takes the routing. */
bool all_pairs_fit(const bough_routing *routing);

/* Adds the flows of every ordered pair of endpoints to load[link], and the number of those that do not
 * arrive, which load no link, to *lost. Cost: links x levels under dmodk on a full tree, else endpoints x
 * (nodes + switches with endpoints x hops). stop: may be NULL. Errors: TOO_LARGE, NO_MEMORY, INTERRUPTED. */
bough_status all_pairs_loads(const bough_routing *routing, atomic_bool *stop, double *load, double *lost,
                             bough_error *error);

/* As count_crossings (tree_crossings.h) of one message between every ordered pair of endpoints. */
void all_pairs_crossings(uint64_t endpoints, unsigned height, uint64_t *crossing);

#endif
