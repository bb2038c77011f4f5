/* The sorting circuit of sorting_circuit.h, slowly: an array of characters for each tree, one character per
 * edge and direction ('0', '1' or ' '), and vertices in heap order that look at their own edges alone. The
 * permutations are those of a textbook Columnsort on a matrix. */
#ifndef BOUGH_TESTS_SUPPORT_SORTING_CIRCUIT_ORACLE_H
#define BOUGH_TESTS_SUPPORT_SORTING_CIRCUIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_EMPTY UINT64_MAX

/* Sorts word[0 .. rows-1] on a mesh of trees; returns the steps until all edges are silent. */
uint64_t oracle_mesh_sort(uint64_t *word, unsigned rows, unsigned bits);
/* Sorts rows x columns words, columns one after another. */
uint64_t oracle_circuit_sort(uint64_t *word, unsigned rows, unsigned columns, unsigned bits);

#endif
