/* The worst permutation that bough_adversary_find finds, and what must hold of it. A failure that a test did
 * not ask for ends it. */
#ifndef TESTS_SUPPORT_WORST_CHECK_H
#define TESTS_SUPPORT_WORST_CHECK_H

#include "loads/worst/adversary.h"

bough_adversary_result worst_find(const bough_routing *routing);
bough_adversary_result worst_find_with(const bough_routing *routing, unsigned threads);

/* Its permutations are some, and come to the loads that it tells. */
void worst_check(const bough_routing *routing, const bough_adversary_result *r);
/* Counting, link by link. */
void worst_check_counted(const bough_routing *routing, const bough_adversary_result *r);
/* The link and load of a plain matching of every link. */
void worst_check_plain(const bough_routing *routing, const bough_adversary_result *r);

#endif
