/* The Benes network of n lines, n a power of two (bay1991, section 4.1). Its 2 lg n - 1 stages of n/2
 * switches, n lg n - n/2 in total, realize any permutation of the lines. The looping algorithm sets the
 * switches (Waksman: A permutation network, Journal of the ACM 15, 1968).
 *
 * Lines keep their numbers. A stage has a dimension, one bit of the line number, and one switch for each pair
 * of lines that differ only in that bit; a set switch exchanges their words. Stages t = 0 .. lg n - 1 have
 * dimension order[t]; stages lg n - 1 + i have dimension order[lg n - 1 - i]. The switch of lines x and y has
 * number (x without that bit) within its stage. */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_BENES_H
#define BOUGH_NETWORK_SORTING_HARDWARE_BENES_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

#define BOUGH_BENES_DIMENSIONS 26 /* n up to 2^26 */

/* Switch settings: bit t n/2 + i of control is switch i of stage t. Zero-initialise. */
typedef struct bough_benes {
    uint32_t lines;      /* n, a power of two, 2 .. 2^26 */
    unsigned dimensions; /* lg n */
    uint8_t order[BOUGH_BENES_DIMENSIONS];
    uint64_t *control; /* owned */
    uint32_t *space;   /* owned: work space, three words per line */
} bough_benes;

/* Initialises a network with all switches straight. order: lg n different dimensions; NULL: 0, 1, 2, ...
 * Errors: INVALID, NO_MEMORY. Memory: n lg n / 4 + 12 n bytes. */
bough_status bough_benes_make(uint32_t lines, const uint8_t *order, bough_benes *benes, bough_error *error);
void bough_benes_fini(bough_benes *benes);

uint64_t bough_benes_switches(uint32_t lines); /* n lg n - n/2 */
unsigned bough_benes_stages(uint32_t lines);   /* 2 lg n - 1 */

/* Sets the switches so that the word of line x arrives at line target[x]. A loop starts at its lowest line
 * whose switch is not set. Errors: INVALID with a line if target is not a permutation. O(n lg n). */
bough_status bough_benes_find(bough_benes *benes, const uint32_t *target, bough_error *error);

static inline unsigned bough_benes_dimension(const bough_benes *benes, unsigned stage) {
    unsigned last = benes->dimensions - 1;
    return benes->order[stage <= last ? stage : 2 * last - stage];
}
/* Returns whether the switch of a line (either of its two) is set in a stage. */
static inline bool bough_benes_set(const bough_benes *benes, unsigned stage, uint32_t line) {
    unsigned d = bough_benes_dimension(benes, stage);
    uint64_t i = (line >> (d + 1) << d) | (line & ((UINT32_C(1) << d) - 1));
    i += (uint64_t)stage * (benes->lines / 2);
    return benes->control[i >> 6] >> (i & 63) & 1;
}

#endif
