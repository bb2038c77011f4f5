/* Columnsort: sorting by sorting columns (Leighton: Tight bounds on the complexity of parallel sorting, IEEE
 * Transactions on Computers C-34(4), 1985), and its recursion (bay1991, Lemma 8).
 *
 * An array of `words` places is read in columns of `column` places, one column after the other: place p
 * stands in row p % column of column p / column. A phase sorts every column upwards and then moves the words
 * by a permutation that depends on nothing but words, column and the number of the phase. After the last
 * phase the array is sorted.
 *
 * One level sorts virtual columns of R words, C of them, four times; between these sorts the array is
 * transposed, transposed back, shifted by half a column, and shifted back. It needs R >= 2 (C-1)^2 and C to
 * divide R. Where a virtual column is higher than a column it is sorted by the next level: 4^levels phases.
 *
 * The shift wraps round: the last half column comes before the first and is sorted with it as one column,
 * whose lower half then goes to the front of the array and whose upper half to its end. */
#ifndef BOUGH_COLUMNSORT_H
#define BOUGH_COLUMNSORT_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

#define BOUGH_COLUMNSORT_LEVELS 16 /* 4^16 phases: more than anyone will run */

/* How to sort; plain data. */
typedef struct bough_columnsort {
    uint64_t words, column;                 /* of the array, of a column; column divides words */
    uint64_t phases;                        /* 4^levels */
    unsigned levels;                        /* 0: one column, and no permutation */
    uint64_t rows[BOUGH_COLUMNSORT_LEVELS]; /* R of a level, the outermost first; the last is column */
} bough_columnsort;

/* The plan with the fewest phases. words: 1 .. 2^40; column divides words. Errors: INVALID where no chain of
 * virtual columns meets the condition (of powers of two: only column = 1 < words). Cost O(d^2) for d divisors
 * of words / column. */
bough_status bough_columnsort_plan(uint64_t words, uint64_t column, bough_columnsort *plan,
                                   bough_error *error);

/* One level: `columns` columns of `rows` words. Errors: INVALID below the condition, unless `below` asks for
 * the plan all the same, to see it fail. */
bough_status bough_columnsort_level(uint64_t rows, uint64_t columns, bool below, bough_columnsort *plan,
                                    bough_error *error);

/* Where the word at a place goes after the columns were sorted in a phase (0 .. phases-1). O(levels). */
uint64_t bough_columnsort_target(const bough_columnsort *plan, uint64_t phase, uint64_t place);

/* Sorts key[0 .. words-1] upwards by the plan, phase by phase. space: words more. Cost: phases times words
 * times (log of column). */
void bough_columnsort_run(const bough_columnsort *plan, uint64_t *key, uint64_t *space);

#endif
