/* Draws from a discrete distribution in O(1): Walker's alias method, in the form of Vose (1991). */
#ifndef BOUGH_BASE_RANDOM_ALIAS_TABLE_H
#define BOUGH_BASE_RANDOM_ALIAS_TABLE_H

#include "bough/status.h"

#include <stdint.h>

/* A column is itself for remainders below `below`, else `other`. */
typedef struct alias_column {
    uint64_t below;
    uint32_t other;
} alias_column;

/* Fills the columns of a distribution. weight: [count], finite and >= 0, with a positive sum; count > 0. An
 * item of weight 0 is never drawn. O(count). Errors: NO_MEMORY. */
bough_status alias_fill(const double *weight, uint32_t count, alias_column *column, bough_error *error);

/* The item that a random word selects. */
static inline uint32_t alias_draw(const alias_column *column, uint32_t count, uint64_t word) {
    const unsigned __int128 product = (unsigned __int128)word * count;
    const uint32_t i = (uint32_t)(product >> 64);
    return (uint64_t)product < column[i].below ? i : column[i].other;
}

#endif
