/* Columnsort: sorting by sorting columns (Leighton: Tight bounds on the complexity of parallel sorting, IEEE
 * Transactions on Computers C-34(4), 1985), with the recursion of bay1991, Lemma 8.
 *
 * An array of `words` places is stored in columns of `column` places, column by column: place p is row p %
 * column of column p / column. A phase sorts every column in ascending order and then permutes the words. The
 * permutation depends only on words, column and the number of the phase. After the last phase the array is
 * sorted.
 *
 * One level sorts C virtual columns of R words, four times. Between these sorts the array is transposed,
 * transposed back, shifted by half a column, and shifted back. It requires R >= 2 (C-1)^2 and that C divides
 * R. Virtual columns higher than a column are sorted by the next level: 4^levels phases.
 *
 * The shift is cyclic: the last half column precedes the first and is sorted with it as one column. The lower
 * half of the result then moves to the front of the array, and the upper half to its end. */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_COLUMNSORT_H
#define BOUGH_NETWORK_SORTING_HARDWARE_COLUMNSORT_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

#define BOUGH_COLUMNSORT_LEVELS 16 /* 4^16 phases */

/* A plan; plain data. */
typedef struct bough_columnsort {
    uint64_t words, column;                 /* size of the array and of a column; column divides words */
    uint64_t phases;                        /* 4^levels */
    unsigned levels;                        /* 0: one column, no permutation */
    uint64_t rows[BOUGH_COLUMNSORT_LEVELS]; /* R per level, outermost first; the last is column */
} bough_columnsort;

/* Computes the plan with the fewest phases. words: 1 .. 2^40; column divides words. Errors: INVALID if no
 * chain of virtual columns satisfies the condition (for powers of two: only column = 1 < words). Cost: O(d^2)
 * for d divisors of words / column. */
bough_status bough_columnsort_plan(uint64_t words, uint64_t column, bough_columnsort *plan,
                                   bough_error *error);

/* Computes a plan with one level: `columns` columns of `rows` words. Errors: INVALID if the condition does
 * not hold, unless `below` is set (to demonstrate that such a plan fails). */
bough_status bough_columnsort_level(uint64_t rows, uint64_t columns, bool below, bough_columnsort *plan,
                                    bough_error *error);

/* Returns the place to which a phase (0 .. phases-1) moves the word at `place`, after its columns were
 * sorted. O(levels). */
uint64_t bough_columnsort_target(const bough_columnsort *plan, uint64_t phase, uint64_t place);

#endif
