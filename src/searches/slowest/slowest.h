/* clang-format off */
/* The slowest permutation: the one whose packets need most steps under the engine of `packet`, or the slowest
 * that a search finds. `adversary` finds the permutation with the largest load of one link, exactly; delays at
 * several links add up, so others can be slower.
 *
 * Up to SLOWEST_ALL endpoints, all permutations can be tried. Otherwise each start is the begin of a climb: a
 * swap of two destinations is kept if the score does not fall. The score is the number of steps, then the sum of
 * the cubes of all arrival times, so that a climb has a direction where the number of steps does not change.
 * Random swaps seldom concern the slowest packet: up to SLOWEST_DRAWS are drawn until one leads a packet over
 * a link of its path. Swaps depend on the key, the number of the start and the number of the swap alone. */
/* clang-format on */
#ifndef BOUGH_ENGINES_SLOWEST_SLOWEST_H
#define BOUGH_ENGINES_SLOWEST_SLOWEST_H

#include "engines/packet/packet.h"
#include "method/method.h"

#define SLOWEST_ALL   9 /* endpoints */
#define SLOWEST_DRAWS 64

/* Evaluates permutations. The network's routing must be deterministic, and all pairs routed. */
typedef struct slowest_clock slowest_clock;

typedef struct slowest_time {
    uint64_t steps, cubes; /* cubes: sum of (arrival time)^3, at most 2^64 - 1 */
    uint32_t last;         /* source of the last packet; of several the smallest; endpoints: no packet */
} slowest_time;

/* Errors: TOO_LARGE, NO_MEMORY. */
bough_status slowest_clock_make(const bough_routing *routing, const packet_options *options,
                                slowest_clock **clock, bough_error *error);
void slowest_clock_free(slowest_clock *clock); /* NULL is allowed */
/* destination: [endpoints], a permutation; fixed points send nothing. */
bough_status slowest_time_of(slowest_clock *clock, const uint32_t *destination, slowest_time *time,
                             bough_error *error);

typedef struct slowest_climb {
    const bough_run *run; /* for its stop flag */
    bough_key key;
    uint32_t number;       /* of the start */
    uint64_t swaps;        /* to try */
    uint32_t *destination; /* in: the start; out: the slowest one found */
    slowest_time time;     /* out */
} slowest_climb;

/* Errors: INTERRUPTED, NO_MEMORY. */
bough_status slowest_climb_from(slowest_clock *clock, slowest_climb *climb, bough_error *error);
/* All permutations, in lexicographic order; the first of the slowest. climb: key, number and swaps are not
 * used. *count: permutations. */
bough_status slowest_of_all(slowest_clock *clock, slowest_climb *climb, uint64_t *count, bough_error *error);

#endif
