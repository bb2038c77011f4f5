/* Deals wires to places (routers of a set, or unit trees of a tree node) in rounds: in each round every place
 * gets one wire, so that all get equally many. Wires come in runs (the wires of one direction of a router),
 * and those of a run go to different places.
 *
 *     random         a round is a random permutation. Where the end of a round divides a run, places of the
 *                    next round are exchanged until the run's differ
 *     checked        the same; a round is drawn again until no more runs lead to the same places than the
 * limit deterministic  a round is the next one of a tournament (the circle method; with an odd number of
 * places multiples of 1, 2, ..), so that runs of two lead to each pair of places once before any pair has two
 */
#ifndef BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_DEALER_H
#define BOUGH_NETWORK_FAMILIES_TRANSIT_TRANSIT_DEALER_H

#include "base/random/random.h"
#include "bough/status.h"
#include "network/families/transit/transit.h"

/* Counts of sets of places, by hash. */
typedef struct transit_sets {
    uint64_t *key; /* 0: free */
    uint32_t *count;
    uint64_t size, used_size; /* powers of two: allocated; in use */
} transit_sets;

bough_status transit_sets_init(transit_sets *sets, uint64_t most, bough_error *error);
void transit_sets_fini(transit_sets *sets);
void transit_sets_clear(transit_sets *sets, uint64_t most); /* before at most so many different sets */
/* Identifies a set of places, in any order; not 0. */
uint64_t transit_set_key(const uint32_t *place, unsigned count);
uint32_t transit_sets_add(transit_sets *sets, uint64_t key); /* the count with it */

/* The most runs that lead to the same places, if they are spread evenly: runs over the sets of `width` of
 * `places`. */
uint32_t transit_sets_limit(uint64_t runs, uint64_t places, unsigned width);

typedef struct transit_dealer {
    uint32_t places; /* per round */
    uint32_t run;    /* wires of a run */
    uint64_t dealt, end;
    uint32_t *place; /* the present round */
    transit_wires wires;
    bough_stream *stream;
    bool fresh;         /* a distribution begins within a round */
    transit_sets *sets; /* checked: of the present distribution; NULL: no check */
    uint32_t limit;
} transit_dealer;

/* The wires of a distribution: `before` precede it and form whole runs, `end` is the number of the last one,
 * plus one. A round that two distributions share is divided between them: the first gets its first places. */
typedef struct transit_deal_range {
    uint64_t before, end;
} transit_deal_range;
void transit_dealer_start(transit_dealer *d, uint64_t places, unsigned run, transit_deal_range wires);
/* The place of the next wire. */
uint32_t transit_deal(transit_dealer *d);

#endif
