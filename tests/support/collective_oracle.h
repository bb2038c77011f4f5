/* A collective's schedule as movement of data. Every rank holds contributions: for each item a set of ranks
 * whose data is in it. Sends carry what the algorithm says they carry, as it is when they start; what a
 * receive took is there once something that waits for it starts, or at the end. Operations are done in a
 * random order among those that may start, so that a wait that is missing shows. */
#ifndef BOUGH_TESTS_COLLECTIVE_ORACLE_H
#define BOUGH_TESTS_COLLECTIVE_ORACLE_H

#include "traffic/collectives/collective.h"

typedef struct collective_case {
    const collective_kind *kind;
    const collective_algorithm *algorithm;
    uint32_t n, ranks;    /* members 0 .. n-1; ranks: at least as many, at most 64 */
    const uint32_t *rank; /* of members; NULL: themselves */
    uint32_t root;
    uint64_t size, segment, reduce_ps;
    uint32_t rounds;    /* 0: once; more than one: the schedule is run, what is held is not looked at */
    collective_gpu gpu; /* of the algorithms of GPU libraries */
    /* Of algorithms that need them; NULL: trees of their own, of three nodes each at a switch. */
    const struct collective_adders *adders;
} collective_case;

/* Makes the schedule, which the caller destroys; fails the test where that is refused. */
bough_schedule *collective_case_make(const collective_case *k);
/* Makes it and runs it in so many orders. NULL: every rank ends with what the collective promises. Else what
 * is wrong, in a static buffer. */
const char *collective_case_run(const collective_case *k, uint32_t orders);

#endif
