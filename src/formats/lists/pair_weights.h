/* Weights of pairs of nodes, for random traffic: how much of all traffic goes from one to the other. Three
 * forms, told apart by the first line:
 *   N lines of N numbers, separated by blanks or commas: line i has what node i sends to each node
 *   CSV with names of the nodes in the first line and at the start of each line (of pandas)
 *   CSV with the columns source, destination, weight, in any order
 * Lines that begin with # are comments. */
#ifndef BOUGH_FORMATS_LISTS_PAIR_WEIGHTS_H
#define BOUGH_FORMATS_LISTS_PAIR_WEIGHTS_H

#include "base/files/input.h"
#include "base/memory/arena.h"

typedef struct pair_weight {
    uint32_t source, destination; /* nodes */
    double weight;                /* > 0 */
} pair_weight;

/* Zero-initialise. Everything is in its memory, which the caller ends by arena_fini. */
typedef struct pair_weights {
    uint32_t nodes;
    char **name;       /* [nodes]; NULL: nodes are numbers */
    uint32_t *line;    /* [nodes]: where a name stands first; NULL without names */
    pair_weight *pair; /* in the order of the file; a pair may occur again; none from a node to itself */
    size_t pairs;
    arena memory;
} pair_weights;

/* Errors: INVALID with file:line; NO_MEMORY. */
bough_status pair_weights_read(const bough_input *input, pair_weights *weights, bough_error *error);

#endif
