/* The fast path of `circuit` for the binary fat-tree of strumpen2005 under random: paths are labels, no graph
 * is needed. It gives the same results as the generic engine, trial by trial, with the same keys. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_H

#include "engines/circuit/circuit.h"

typedef struct circuit_labels circuit_labels;

/* The point and options are ones that the fast path can do. */
bool circuit_labels_fit(const bough_point *point, const circuit_options *options);
uint64_t circuit_labels_bytes(const bough_point *point, const circuit_options *options);
bough_status circuit_labels_run(const bough_run *run, const circuit_options *options, bough_key key,
                                circuit_labels **workspace, circuit_result *result, bough_error *error);
void circuit_labels_free(circuit_labels *workspace);

/* Links asked for in the last trial, up and down: for benchmarks. */
uint64_t circuit_labels_claims(const circuit_labels *workspace);

#endif
