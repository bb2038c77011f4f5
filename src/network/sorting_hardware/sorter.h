/* The flexible sorter of bay1991 (section 4.1, Theorem 2, Figures 4 and 5). A (b, s, l)-flexible sorter sorts
 * any r <= l words of b bits in a time that increases with r. It consists of a circuit that sorts s words
 * (Lemma 9) and a permuter of s cycles of l/s cells. The r words enter in groups of s and fill the first
 * ceil(r/s) cells of each cycle. The cycles are closed off at w cells, the next power of two, and the w
 * columns are sorted by Columnsort. Each phase turns the cycles through the sorting circuit and applies one
 * permutation. */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_SORTER_H
#define BOUGH_NETWORK_SORTING_HARDWARE_SORTER_H

#include "bough/status.h"

#include <stdint.h>

typedef struct bough_sorter {
    uint64_t lines;    /* s, a power of two, at least 2 */
    uint64_t capacity; /* l, s times a power of two; at most 2^40 */
    uint64_t bits;     /* b, bits per word; at least 1 */
} bough_sorter;

/* clang-format off */
/* Cost of sorting, by operation. A bit step is one step of a bit-serial wire.
 *
 *   columns       w = the next power of two of ceil(r/s) ("closed off at the next larger power of two");
 *                 twice the necessary number if r/s is just above a power of two
 *   phases        K = 4^levels of Columnsort on w columns of s words (Lemma 8)
 *   permutations  K, or 0 for one column
 *   passes        K w columns through the sorting circuit
 *   word_steps    ceil(r/s) to enter + K w + (4 w - 2) per permutation (network/sorting_hardware/permuter.h)
 *   load          b ceil(r/s): "shifting the input into the cell array takes time O(b r / s)"
 *   setup         bits before the field of w in the control register of an Omega switch: 2 w' K(w') for
 *                 every smaller w' ("all control registers are shifted so that the appropriate field is at
 *                 the front"); the registers of the cells are shorter and shift at the same time
 *   sort          K w (b + lg s): "each sorting step takes O(w (b + log s))", Lemma 9 with constant 1
 *   permute       K (2 (w-1) (b+1) + 2 w b + 2 lg s): "O(w b + log s)", as in permuter.h
 *   bit_steps     sum of the above */
/* clang-format on */
typedef struct bough_sorter_time {
    uint64_t words, columns, phases, permutations, passes, word_steps;
    uint64_t load, setup, sort, permute, bit_steps;
} bough_sorter_time;

/* Computes the time to sort `words` words (0 words take none). Errors: INVALID for invalid sorters or words
 * above the capacity. Cost: O(lg^3 w). */
bough_status bough_sorter_measure(const bough_sorter *sorter, uint64_t words, bough_sorter_time *time,
                                  bough_error *error);

/* Words to sort on a sorting circuit that moves bit by bit (network/sorting_hardware/sorting_circuit.h), made
 * for the lines and bits of the sorter. Keys are below 2^b and may be equal. */
typedef struct bough_sorter_words {
    uint64_t *key, words;
    struct sorting_circuit *circuit;
} bough_sorter_words;

/* Sorts the keys in ascending order by simulating the machine, cell by cell, each column on the circuit, and
 * counts its steps. At most 2^26 words. time->sort has the steps that the circuit counted: K w times those of
 * its longest sort. Errors: as above, NO_MEMORY, and FAILED if the circuit loses bits or does not sort. */
bough_status bough_sorter_run(const bough_sorter *sorter, const bough_sorter_words *words,
                              bough_sorter_time *time, bough_error *error);

/* The sorter at the root of a subtree of n terminals of the sorting fat-tree (section 4.2), n a power of two:
 * (b, 2 sqrt n, n) if lg n is even, (b, sqrt 2n, n) if it is odd. s is the capacity of both children's
 * channels. degree: messages that one terminal may send or receive; the capacity is n times the next power of
 * two of degree (the paper: n). */
bough_sorter bough_sorter_at(uint64_t terminals, uint64_t degree, uint64_t bits);

/* Length of the circuit of Figure 4 along one of its lines, in register bits. A line is one switch high, and
 * the circuit has s lines.
 *
 *   circuit  s ceil(b / lg s) places of the sorting circuit (Lemma 9, with constant 1)
 *   words    b per cell, l/s cells (two registers, one above the other)
 *   cells    control registers of the even cells: sum of 2 K(2^k) k over the 2^k that use the cell
 *   omega    control registers of the lg s stages of the Omega network: lg s times the sum of 2 K(2^k) 2^k
 *   wires    columns of wires between the lines: 1 + 2 + ... + s/2 over the stages
 *   formula  s ceil(b / lg s) + (l/s) (b + lg l): Theorem 2 with constant 1, where K is one */
typedef struct bough_sorter_length {
    uint64_t circuit, words, cells, omega, wires, formula;
} bough_sorter_length;

/* Computes the length. Errors: as bough_sorter_measure. Cost: O(lg^3 (l/s)). */
bough_status bough_sorter_lay_out(const bough_sorter *sorter, bough_sorter_length *length,
                                  bough_error *error);

#endif
