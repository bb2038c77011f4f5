/* Open-loop streams of circuits: mode=cycles without an end. Each endpoint sends its messages one at a time,
 * in order; the next starts in the cycle after the acknowledgement of the last, or when it is offered. */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_STREAM_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_STREAM_H

#include "engines/circuit/circuit.h"
#include "method/engine.h"

/* Makes an engine for measure_engine (method/steady_state.h). Borrows run and options. */
bough_status circuit_stream_make(const bough_run *run, const circuit_options *options, sim_engine **engine,
                                 bough_error *error);
/* Since the last reset. */
typedef struct circuit_counts {
    uint64_t attempts, first;    /* of the deliveries: attempts; messages that needed one */
    uint64_t delivered, lost;    /* lost: without a route, or given up */
    uint64_t given_up;           /* after their last attempt */
    const uint64_t *per_attempt; /* history: as in circuit_result; NULL: none */
    uint64_t attempts_most;
} circuit_counts;
void circuit_stream_counts(const sim_engine *engine, circuit_counts *counts);

#endif
