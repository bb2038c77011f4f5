/* The fast engine of `circuit` for the binary fat-tree of strumpen2005 under random routing. Paths are labels
 * and no graph is needed. With the same keys it gives the same results as the generic engine, trial by
 * trial. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_H

#include "engines/circuit/circuit.h"

typedef struct circuit_labels circuit_labels;

/* True if the fast engine supports the point and the options. */
bool circuit_labels_fit(const bough_point *point, const circuit_options *options);
uint64_t circuit_labels_bytes(const bough_point *point, const circuit_options *options);
/* Of each further thread. */
uint64_t circuit_labels_bytes_each(const bough_point *point, const circuit_options *options);
bough_status circuit_labels_run(const circuit_trial *trial, circuit_labels **workspace,
                                circuit_result *result, bough_error *error);
void circuit_labels_free(circuit_labels *workspace);

#endif
