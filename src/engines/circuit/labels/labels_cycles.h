/* circuit:mode=cycles,retry=immediate on the binary fat-tree, with paths as labels. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_CYCLES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_CYCLES_H

#include "engines/circuit/circuit.h"

#define LABELS_PAYLOAD_MAX 65536 /* size of the ring of pending tails */

typedef struct labels_cycles labels_cycles;

uint64_t labels_cycles_bytes(unsigned h, uint64_t messages, uint64_t payload);
/* Of each further thread. */
uint64_t labels_cycles_bytes_each(unsigned h, uint64_t messages, uint64_t payload);
bough_status labels_cycles_make(unsigned h, uint64_t messages, uint64_t payload, labels_cycles **cycles,
                                bough_error *error);
void labels_cycles_free(labels_cycles *cycles); /* NULL is allowed */
bough_status labels_cycles_run(labels_cycles *cycles, const circuit_trial *trial, circuit_result *result,
                               bough_error *error);

#endif
