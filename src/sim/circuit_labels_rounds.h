/* circuit:mode=rounds on the binary fat-tree, by labels. */
#ifndef BOUGH_SIM_CIRCUIT_LABELS_ROUNDS_H
#define BOUGH_SIM_CIRCUIT_LABELS_ROUNDS_H

#include "sim/circuit.h"

typedef struct labels_rounds labels_rounds;

uint64_t labels_rounds_bytes(unsigned h, uint64_t messages);
bough_status labels_rounds_make(unsigned h, uint64_t messages, labels_rounds **rounds, bough_error *error);
uint64_t labels_rounds_claims(const labels_rounds *rounds); /* of the last trial */
void labels_rounds_free(labels_rounds *rounds);             /* NULL is fine */
bough_status labels_rounds_run(labels_rounds *rounds, const bough_run *run, const circuit_options *options,
                               bough_key key, circuit_result *result, bough_error *error);

#endif
