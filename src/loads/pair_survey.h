/* Whether a routing leads every pair to its end, and over how many links. */
#ifndef BOUGH_LOADS_PAIR_SURVEY_H
#define BOUGH_LOADS_PAIR_SURVEY_H

#include "routing/routing.h"

/* Follows all routes and returns the length of the longest path in links. With faults an endpoint may lack a
 * route, but no route may end on its way. Errors: INVALID with the first pair that has no route or a loop;
 * UNSUPPORTED if messages can be lost (bough_net.lost). Cost: O(1) for families with proven routes, else
 * O(addresses x nodes x eligible links); O(pairs x hops) under an oblivious routing. */
bough_status bough_routing_survey(const bough_routing *routing, unsigned *longest, bough_error *error);
/* The same for the given pairs, each address << 32 | endpoint, ascending; duplicates are allowed. */
bough_status bough_routing_survey_pairs(const bough_routing *routing, const uint64_t *pair, size_t count,
                                        unsigned *longest, bough_error *error);

#endif
