/* One delivery cycle of randomised on-line routing (R. I. Greenberg, C. E. Leiserson: Randomized routing on
 * fat-trees, 1989): messages climb to their peaks and descend all at once; where more come to a channel than
 * it has wires, as many as it has go on, drawn from all, and the others are lost. */
#ifndef BOUGH_SIM_ONLINE_CYCLE_H
#define BOUGH_SIM_ONLINE_CYCLE_H

#include "sim/one_cycle.h"

typedef struct online_contender {
    uint64_t draw;
    uint32_t number;
} online_contender;

/* message[0 .. count-1]: what is sent, in order of sources, none to its own source; what arrives stands in
 * front afterwards, in order of destinations; returns how many. space: count elements. cycle: for the draws.
 */
uint32_t online_cycle(const one_cycle_tree *tree, const bough_batch *batch, bough_key key, uint64_t cycle,
                      uint32_t *message, uint32_t count, online_contender *space);

#endif
