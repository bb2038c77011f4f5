/* The flexible sorter of bay1991 (section 4.1, Theorem 2, Figures 4 and 5): a (b, s, l)-flexible sorter
 * sorts any r <= l words of b bits in a time that grows with r. It is a circuit that sorts s words (Lemma 9),
 * and a permuter of s cycles of l/s cells. The r words enter in groups of s and fill the first ceil(r/s)
 * cells of each cycle; the cycles are closed off at w cells, the next power of two; then the w columns are
 * sorted by Columnsort, each phase a turn of the cycles through the sorting circuit and a permutation through
 * the permuter. */
#ifndef BOUGH_SORTER_H
#define BOUGH_SORTER_H

#include "bough/status.h"

#include <stdint.h>

typedef struct bough_sorter {
    uint64_t lines;    /* s, a power of two from 2 */
    uint64_t capacity; /* l, s times a power of two; at most 2^40 */
    uint64_t bits;     /* b, of a word; at least 1 */
} bough_sorter;

/* What sorting takes, operation by operation. Steps of a bit are those of a bit-serial wire.
 *
 *   columns      w = the power of two from ceil(r/s) on ("closed off at the next larger power of two"); twice
 * as many as are needed where r/s is just above a power of two phases       K = 4^levels of Columnsort on w
 * columns of s words (Lemma 8) permutations K, or 0 for one column passes       K w columns through the
 * sorting circuit word_steps   ceil(r/s) to enter + K w + (4 w - 2) a permutation (bough/permuter.h) load b
 * ceil(r/s): "shifting the input into the cell array takes time O(b r / s)" setup        bits that stand
 * before the field of w in the control register of an Omega switch, 2 w' K(w') for every smaller w' ("all
 * control registers are shifted so that the appropriate field is at the front"; those of the cells are
 * shorter and shift at the same time) sort         K w (b + lg s): "each sorting step takes O(w (b + log
 * s))", Lemma 9 with constant 1 permute      K (2 (w-1) (b+1) + 2 w b + 2 lg s): "O(w b + log s)", as the
 * permuter counts it bit_steps    their sum */
typedef struct bough_sorter_time {
    uint64_t words, columns, phases, permutations, passes, word_steps;
    uint64_t load, setup, sort, permute, bit_steps;
} bough_sorter_time;

/* The time to sort so many words (0: none at all). Errors: INVALID where the sorter is none, or words exceed
 * its capacity. Cost: O(lg^3 w). */
bough_status bough_sorter_measure(const bough_sorter *sorter, uint64_t words, bough_sorter_time *time,
                                  bough_error *error);

/* Sorts key[0 .. words-1] upwards by the machine itself, column by column and neighbour by neighbour, and
 * counts the steps it takes. At most 2^26 words; keys may be equal. Errors: as above, and NO_MEMORY. */
bough_status bough_sorter_run(const bough_sorter *sorter, uint64_t *key, uint64_t words,
                              bough_sorter_time *time, bough_error *error);

/* The sorter at the root of a subtree of n terminals of the sorting fat-tree (section 4.2), n a power of two:
 * (b, 2 sqrt n, n) where lg n is even, (b, sqrt 2n, n) where it is odd. s is what both children's channels
 * bring in. degree: messages that one terminal may send or receive; the capacity is n of them, times the
 * power of two from degree on (the paper says it for 1). */
bough_sorter bough_sorter_at(uint64_t terminals, uint64_t degree, uint64_t bits);

/* The circuit of Figure 4 along one of its lines, in bits of registers; a line is one switch high, and the
 * circuit s lines.
 *
 *   circuit  s ceil(b / lg s) places of the sorting circuit (Lemma 9, with constant 1)
 *   words    b of each of the l/s cells (two registers, one above the other)
 *   cells    control registers of the cells with even labels: sum of 2 K(2^k) k over the 2^k that use the
 * cell omega    those of the lg s stages of the Omega network: lg s times the sum of 2 K(2^k) 2^k wires
 * columns of wires between the lines: 1 + 2 + ... + s/2 over the stages formula  s ceil(b / lg s) + (l/s) (b
 * + lg l): Theorem 2 with constant 1, where K is one */
typedef struct bough_sorter_length {
    uint64_t circuit, words, cells, omega, wires, formula;
} bough_sorter_length;

/* Errors: as measuring. Cost: O(lg^3 (l/s)). */
bough_status bough_sorter_lay_out(const bough_sorter *sorter, bough_sorter_length *length,
                                  bough_error *error);

#endif
