/* A mesh of trees that sorts R words, bit by bit: one column of the Columnsort of sorting_circuit.h. R is a
 * power of two, L = lg R. In a step an edge carries 0, 1 or nothing in each direction; what a vertex reads in
 * a step was written in the step before. A vertex has a constant number of bits, except for the registers of
 * b bits at the roots of the rows, where the words are.
 *
 * The root of row i and that of column i are joined to line i. A clock tells all vertices the step t.
 *
 *   1 <= t <= b           the roots send word i down row i and down column i, its most significant bit first
 *   b + L                 leaf (i, j) has compared word i with word j, and sends up row i a 1 if word j comes
 *                         first (of equal words that of the lower line; a line without a word comes last)
 *   from b + 2 L on       the row adds these, least significant bit first: the L bits of the rank of word i
 *                         arrive at its root, which sends each down again; root j sends the bits of j down
 *                         column j at the same time
 *   from b + 3 L on       the root of row i sends word i once more
 *   from b + 4 L on       leaf (i, j), where rank i = j, hands word i on, up column j
 *   2 b + 5 L - 1         the root of column j has read the last bit of the word of rank j
 *
 * The program keeps 64 rows (or 64 vertices of a column tree) in one integer and moves them together. The two
 * children of vertex p of level k are vertices p and p + 2^k of level k + 1, so a level of a column tree is
 * twice the level above, side by side: line i of the layout is line i of the program with its bits reversed.
 */
#ifndef BOUGH_NETWORK_SORTING_HARDWARE_SORTING_MESH_H
#define BOUGH_NETWORK_SORTING_HARDWARE_SORTING_MESH_H

#include "bough/status.h"

#include <stdbool.h>
#include <stdint.h>

#define SORTING_MESH_EMPTY    UINT64_MAX /* a line without a word */
#define SORTING_MESH_BITS_MAX 63
#define SORTING_MESH_ROWS_MAX 4096

typedef struct sorting_mesh sorting_mesh;

uint64_t sorting_mesh_bytes(uint64_t rows);
/* rows: a power of two from 2 to SORTING_MESH_ROWS_MAX; bits: 1 to SORTING_MESH_BITS_MAX. */
bough_status sorting_mesh_create(uint64_t rows, unsigned bits, sorting_mesh **mesh, bough_error *error);
void sorting_mesh_destroy(sorting_mesh *mesh); /* NULL is allowed */

/* Sorts word[0 .. rows-1], each below 2^bits or EMPTY. Runs until no vertex works any more and returns in
 * *steps how many steps that took. Errors: FAILED if a bit is lost: two bits on one edge, a bit that nobody
 * expects, or a line that receives a part of a word. */
bough_status sorting_mesh_run(sorting_mesh *mesh, uint64_t *word, uint64_t *steps, bough_error *error);

/* 2 b + 5 lg R - 1. */
uint64_t sorting_mesh_steps(uint64_t rows, uint64_t bits);

#endif
