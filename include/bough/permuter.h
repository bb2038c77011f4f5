/* The permuter of bay1991, Figure 4: s cycles of cells, joined by an Omega network, that do any
 * permutation of s w words, w of the cells of each cycle being closed off, by simulating the Benes network of
 * s w lines.
 *
 * Word p stands in cell p / s of cycle p % s. The dimensions within a cycle come first, lowest first: the two
 * halves of every block of 2^(j+1) cells are interleaved by exchanges between neighbours, so that words 2^j
 * cells apart become neighbours, and meet (Preparata, Vuillemin: The cube-connected cycles, 1981). Then the
 * cycles turn round once through the Omega network, which has the lg s dimensions between cycles from the
 * highest to the lowest, and once more through it in the other direction; then the cells again, undoing what
 * was interleaved. A cell with an even number has 2 lg w control bits, a switch of the Omega network 2 w, as
 * the paper says: together those of a Benes network, with one stage of the 2 lg s passed without a choice.
 */
#ifndef BOUGH_PERMUTER_H
#define BOUGH_PERMUTER_H

#include "bough/benes.h"

/* Steps of one permutation. A word step moves words to a neighbour or past the Omega network. */
typedef struct bough_permuter_steps {
    uint64_t neighbour; /* word steps in which neighbours in a cycle exchange words: 2 (w - 1) */
    uint64_t turn;      /* word steps in which the cycles turn: 2 w */
    uint64_t words;     /* both: 4 w - 2 */
    uint64_t bits; /* (b + 1) neighbour + b turn + 2 lg s: a word of b bits passes bit by bit, two registers
                      are exchanged in one step, and lg s switches of the Omega network are passed twice */
} bough_permuter_steps;

/* lines s >= 2 and cells w >= 1: powers of two; bits: of a word. Source: section 4.1, "O(w b + log s) time".
 */
bough_permuter_steps bough_permuter_time(uint64_t lines, uint64_t cells, uint64_t bits);

/* The Benes network that a permuter simulates. Errors: INVALID unless 2 <= s, s w <= 2^26, powers of two. */
bough_status bough_permuter_network(uint32_t lines, uint32_t cells, bough_benes *benes, bough_error *error);

/* Moves word[0 .. s w - 1], neighbour by neighbour and switch by switch, as benes (made by the function
 * above) says; space: w words. Returns the steps it took, for words of so many bits. */
bough_permuter_steps bough_permuter_run(uint32_t lines, uint32_t cells, uint64_t bits,
                                        const bough_benes *benes, uint64_t *word, uint32_t *space);

#endif
