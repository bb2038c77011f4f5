/* circuit:mode=rounds on the binary fat-tree, with paths as labels. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_ROUNDS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_ROUNDS_H

#include "engines/circuit/circuit.h"

typedef struct labels_rounds labels_rounds;

/* Internal layout, which does not affect results. 0: the fastest as measured. For tests. */
typedef struct labels_tuning {
    unsigned cut;     /* as in labels_positions.h */
    unsigned classes; /* number of classes, those with the highest apexes, that may be kept in planes */
    uint64_t share;   /* classes with more than n / share messages are kept in planes */
} labels_tuning;

uint64_t labels_rounds_bytes(unsigned h, uint64_t messages);
/* Of each further thread. */
uint64_t labels_rounds_bytes_each(unsigned h, uint64_t messages);
/* tuning may be NULL. */
bough_status labels_rounds_make(unsigned h, uint64_t messages, const labels_tuning *tuning,
                                labels_rounds **rounds, bough_error *error);
void labels_rounds_free(labels_rounds *rounds); /* NULL is allowed */
bough_status labels_rounds_run(labels_rounds *rounds, const circuit_trial *trial, circuit_result *result,
                               bough_error *error);

#endif
