/* The permuter of bay1991, Figure 4: s cycles of cells, joined by an Omega network. It realizes any
 * permutation of s w words, w cells of each cycle being in use, by simulating the Benes network of s w lines.
 *
 * Word p is in cell p / s of cycle p % s. The dimensions within a cycle come first, lowest first: exchanges
 * between neighbours interleave the two halves of every block of 2^(j+1) cells, so that words 2^j cells apart
 * become neighbours (Preparata, Vuillemin: The cube-connected cycles, 1981). Then the cycles turn once
 * through the Omega network, which contributes the lg s dimensions between cycles from highest to lowest, and
 * once more in the other direction. Finally the interleaving within the cells is undone. An even cell has 2
 * lg w control bits and a switch of the Omega network 2 w, as in the paper: together those of a Benes
 * network, with one of the 2 lg s stages passed without a choice. */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_PERMUTER_H
#define BOUGH_NETWORK_SORTING_HARDWARE_PERMUTER_H

#include "network/sorting_hardware/benes.h"

typedef struct bough_permuter {
    uint64_t lines, cells; /* s cycles, w cells of each: powers of two, s >= 2 */
    uint64_t bits;         /* b, per word */
} bough_permuter;

/* Steps of one permutation. A word step moves words to a neighbour or through the Omega network. */
typedef struct bough_permuter_steps {
    uint64_t neighbour; /* word steps that exchange neighbours in a cycle: 2 (w - 1) */
    uint64_t turn;      /* word steps that turn the cycles: 2 w */
    uint64_t words;     /* total: 4 w - 2 */
    /* (b + 1) neighbour + b turn + 2 lg s: words of b bits move bit by bit, registers are exchanged in one
     * step, and the lg s switches of the Omega network are passed twice. */
    uint64_t bits;
} bough_permuter_steps;

/* Computes the steps. Source: section 4.1, "O(w b + log s) time". */
bough_permuter_steps bough_permuter_time(const bough_permuter *permuter);

/* Creates the Benes network that a permuter simulates. Errors: INVALID unless 2 <= s and s w <= 2^26, powers
 * of two. */
bough_status bough_permuter_network(const bough_permuter *permuter, bough_benes *benes, bough_error *error);

/* Moves word[0 .. s w - 1] through the simulated permuter under the settings of benes (from
 * bough_permuter_network). space: work space of w words. Returns the steps taken. */
bough_permuter_steps bough_permuter_run(const bough_permuter *permuter, const bough_benes *benes,
                                        uint64_t *word, uint32_t *space);

#endif
