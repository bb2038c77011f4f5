/* A sorting circuit with the area and the time of Lemma 9 of bay1991, as a network that runs bit by bit.
 *
 * Lemma 9 takes the circuit of Bilardi and Preparata (A minimum area VLSI network for O(log n) time sorting,
 * IEEE Transactions on Computers C-34(4), 1985): s words of b bits in time O(b + lg s) and area O(s^2 ceil(b
 * / lg s)). bay1991 does not describe that circuit. This is another one, of parts that bay1991 does describe:
 * Columnsort (Lemma 8) sorts C columns of R = s / C words four times, on C meshes of trees (the network of
 * Lemma 3; sorting_mesh.h), and after each time permutes the words over fixed wires. C is the largest power
 * of two with R >= 2 (C-1)^2, about (s / 2)^(1/3).
 *
 *   time  4 (2 b + 5 lg R - 1) bit steps: O(b + lg s), at most 12 (b + lg s) if b >= lg s
 *   area  C meshes of O(R lg R) by O(R lg R), O(s^(5/3) lg^2 s) together, and O(s^2) for the wires between
 *         them; registers of b bits for s words
 *
 * Equal words are alike; which of two equal words comes first is not defined (Columnsort is not stable). */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_SORTING_CIRCUIT_H
#define BOUGH_NETWORK_SORTING_HARDWARE_SORTING_CIRCUIT_H

#include "network/sorting_hardware/columnsort.h"
#include "network/sorting_hardware/sorting_mesh.h"

typedef struct sorting_circuit sorting_circuit;

/* R, for s lines: a power of two. */
uint64_t sorting_circuit_rows(uint64_t lines);
/* The steps that a sort takes. */
uint64_t sorting_circuit_steps(uint64_t lines, uint64_t bits);
/* (b + lg s) times this are never fewer, if b >= lg s. */
#define SORTING_CIRCUIT_STEPS_MAX 12

/* The rectangle of the circuit, in tracks. switch_side: side of a leaf or an inner vertex; bit: length of a
 * bit of a register. A mesh is R (2 switches + 2 lg R + 5 tracks) wide and high: a leaf and an inner vertex
 * next to it, an edge in each direction for every level of a tree, and the wires from its line. Meshes are
 * stacked as far as the s lines, one switch high each, leave room, at least one, and joined by buses of 2 s
 * tracks if there are several stacks. The fixed wires between the sorts are 4 s columns of tracks. */
typedef struct sorting_circuit_size {
    uint64_t height, length;
} sorting_circuit_size;
sorting_circuit_size sorting_circuit_measure(uint64_t lines, uint64_t bits, uint64_t switch_side,
                                             uint64_t bit);

uint64_t sorting_circuit_bytes(uint64_t lines);
/* lines: a power of two, at least 2, for which R <= SORTING_MESH_ROWS_MAX; bits: 1 to SORTING_MESH_BITS_MAX.
 */
bough_status sorting_circuit_create(uint64_t lines, unsigned bits, sorting_circuit **circuit,
                                    bough_error *error);
void sorting_circuit_destroy(sorting_circuit *circuit); /* NULL is allowed */

/* Sorts word[0 .. s-1] in ascending order, SORTING_MESH_EMPTY last, and counts the steps. Errors: INVALID for
 * a word of more bits, FAILED if a bit is lost. Cost: O(s^(5/3) (b + lg s) / 64). */
bough_status sorting_circuit_run(sorting_circuit *circuit, uint64_t *word, uint64_t *steps,
                                 bough_error *error);

#endif
