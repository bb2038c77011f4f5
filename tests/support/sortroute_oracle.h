/* The sorting fat-tree and its routing, vertex by vertex, as bay1991 (sections 4.1 to 4.3) and its
 * settled details tell it: slow, plain, and knowing nothing of the engine but the words for places and
 * moments in its header. */
#ifndef TESTS_SUPPORT_SORTROUTE_ORACLE_H
#define TESTS_SUPPORT_SORTROUTE_ORACLE_H

#include "papers/bay1991/sortroute.h"

typedef struct sortroute_oracle_result {
    uint64_t waves[SORTROUTE_STEPS + 1], passes[SORTROUTE_STEPS + 1];
    uint64_t routes[SORTROUTE_STEPS + 1]; /* unit routes of the mesh steps */
    uint64_t queue_max;
} sortroute_oracle_result;

/* n terminals, a power of two from 128; count messages; gap as in sortroute_options. Fails the test where a
 * mesh or a sorter does not do what it must. */
void sortroute_oracle(uint64_t n, const uint32_t *source, const uint32_t *target, uint64_t count,
                      uint64_t gap, const sortroute_observer *observer, sortroute_oracle_result *result);

#endif
