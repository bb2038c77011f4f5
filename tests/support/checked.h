/* A routing checked, with seed 1, which must be possible. */
#ifndef TESTS_SUPPORT_CHECKED_H
#define TESTS_SUPPORT_CHECKED_H

#include "fabric/check/check_routing.h"

typedef struct checked {
    bough_check_result r;
    bough_findings findings;
    arena memory; /* of r */
} checked;

checked checked_make(const bough_routing *routing, uint64_t permutations, unsigned threads);
void checked_free(checked *c);

#endif
