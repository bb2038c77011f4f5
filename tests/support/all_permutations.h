/* What adversary must not be beaten by: every permutation there is, on networks of at most 8 endpoints;
 * beyond, matchings by the plainest of ways, of every link. Loads come from following bough_route_at with
 * probabilities, message by message. */
#ifndef BOUGH_TESTS_ALL_PERMUTATIONS_H
#define BOUGH_TESTS_ALL_PERMUTATIONS_H

#include "routing/routing.h"

/* Expected flows per link (of a deterministic routing: flows) from source to destination, added to load;
 * false, and nothing added, where the flow does not arrive. Its key is the source's number. By an
 * intermediate node: the mean over all endpoints. */
bool flow_loads(const bough_routing *routing, uint64_t source, uint64_t destination, double *load);

/* The load of each link under a permutation; fixed points send nothing. */
void permutation_loads(const bough_routing *routing, const uint32_t *destination, double *load);

/* Per link the most that any permutation puts on it. */
void worst_loads(const bough_routing *routing, double *worst);

/* Per link the largest t for which t destinations are reached over it by t sources or more each. */
void counted_loads(const bough_routing *routing, uint64_t *counted);

/* Per link its largest matching, of a deterministic routing with up to some hundred endpoints: each source in
 * turn takes a destination, whose source looks for another one where it has to. */
void matched_loads(const bough_routing *routing, uint64_t *matched);

#endif
