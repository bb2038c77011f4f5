/* A batch of any messages as traffic, for tests. */
#ifndef TESTS_SUPPORT_MESSAGE_SET_H
#define TESTS_SUPPORT_MESSAGE_SET_H

#include "traffic/traffic.h"

typedef struct message_list {
    uint32_t *source, *target;
    uint64_t *size; /* NULL: all 1 */
    uint64_t count;
} message_list;

/* Random lists: a partial permutation of `count` messages; `degree` random permutations one after the other,
 * without their fixed points. Freed with message_list_free. */
message_list list_partial(uint64_t n, uint64_t count, uint64_t seed);
message_list list_permutations(uint64_t n, uint64_t degree, uint64_t seed);
void message_list_free(message_list *list);

/* Borrows net and list. Freed with bough_traffic_destroy. */
bough_traffic *list_traffic(const bough_net *net, const message_list *list);

/* eta of bay1991, section 2: the largest congestion of an edge of the binary tree over the n terminals,
 * over 2^ceil(height / 2); the height of an edge is that of its upper end, or of its lower one. */
double reference_load_factor(uint64_t n, const message_list *list, bool upper);

#endif
