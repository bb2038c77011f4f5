/* How the paths of pairs end, and how long they are. A pair is known by the shift that contains it: shift k
 * sends endpoint i to i + k, modulo their number. */
#ifndef BOUGH_LOADS_PAIR_TALLY_H
#define BOUGH_LOADS_PAIR_TALLY_H

#include "loads/address_tree.h"

enum { PAIR_HOPS_MAX = 64, PAIR_EXAMPLES = 5 };

typedef struct shift_pair {
    uint64_t shift, source;
} shift_pair;

/* Of pairs with all addresses of their endpoints: all must be reached. Zero-initialise. */
typedef struct pair_tally {
    uint64_t ended[SPREAD_LOOP + 1];
    uint64_t hops[PAIR_HOPS_MAX]; /* routed pairs by links on the path to the first address - 1 */
    /* Those that are not routed, by the way they end: the first ones, by shift, then by source. */
    shift_pair failed[SPREAD_LOOP + 1][PAIR_EXAMPLES];
    uint64_t failures[SPREAD_LOOP + 1]; /* such examples */
} pair_tally;

/* Pairs that are routed over so many links. */
void pair_tally_routed(pair_tally *tally, unsigned links, uint64_t pairs);
/* An example, if it is one of the first. */
void pair_tally_example(pair_tally *tally, spread_end end, shift_pair pair);
void pair_tally_join(pair_tally *tally, const pair_tally *other);

/* Adds the pairs of all origins to an endpoint. ends: [origins]: a spread_end, of all addresses; links:
 * [nodes]: on the path from a node to the first address. */
void pair_tally_count(pair_tally *tally, const origin_list *origins, const uint8_t *ends,
                      const uint32_t *links, uint32_t target);

#endif
