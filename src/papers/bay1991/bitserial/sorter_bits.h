/* The sorts of `sortroute` on flexible sorters whose sorting circuits move bit by bit: a second machine
 * beside the engine. Every sort of a node is run (bough_sorter_run) on the words of its messages, in the
 * order in which they came, and must put them into the order that the engine has. The bit steps of the
 * circuits are counted; all others are those of the formulas (sortroute_time.c,
 * network/sorting_hardware/sorter.h).
 *
 * A word consists of the peak (step 4: the highest first; later 0), the batch (step 5: 0), destination,
 * source and body. The body of a message is its number. */
#ifndef BOUGH_ENGINES_BAY1991_SORTER_BITS_H
#define BOUGH_ENGINES_BAY1991_SORTER_BITS_H

#include "papers/bay1991/sortroute_state.h"

typedef struct sorter_bits sorter_bits;

uint64_t sorter_bits_bytes(const sorting_shape *shape, uint64_t messages);
/* Makes the machine of a run when its times are made (sortroute_make_times). Errors: INVALID if words are too
 * long, or bodies too short for the number of a message. */
bough_status sorter_bits_make(sortroute *r);
void sorter_bits_free(sorter_bits *bits); /* NULL is allowed */

/* What precedes the destination in a word. */
typedef struct sorter_prefix {
    uint64_t peak, batch;
} sorter_prefix;

/* The next word that the sort is given, and the next that it must yield. */
void sorter_bits_give(sortroute *r, uint64_t id, sorter_prefix prefix);
void sorter_bits_want(sortroute *r, uint64_t id, sorter_prefix prefix);
/* Sorts what was given at a node of level t. *steps: bit steps without the loading, as in
 * sortroute_sort_time. Errors: FAILED if the order is not the wanted one, or the circuit took other than its
 * steps. */
bough_status sorter_bits_sort(sortroute *r, unsigned t, uint64_t *steps);

/* The largest steps of a circuit since the last call, over b + lg s. */
double sorter_bits_ratio(sorter_bits *bits);

#endif
