/* The rows of a trial of `circuit`. */
#ifndef BOUGH_ENGINES_CIRCUIT_CIRCUIT_ROWS_H
#define BOUGH_ENGINES_CIRCUIT_CIRCUIT_ROWS_H

#include "engines/circuit/circuit.h"
#include "engines/circuit/circuit_stream.h"
#include "network/subtrees.h"

typedef struct circuit_report {
    const bough_run *run;
    const circuit_options *o;
    uint64_t alone;  /* cycles of one message across the diameter */
    uint64_t within; /* rounds_within for 1 .. this number of rounds */
    bool arrivals;   /* the engine knows when tails arrive */
    bool in_ns;      /* in nanoseconds too */
} circuit_report;

bough_status circuit_rows_batch(const circuit_report *report, const circuit_result *result, bough_rows *rows,
                                bough_error *error);
/* first_success by the level of the nearest common ancestor, of the first `messages` messages of the last
 * run. */
bough_status circuit_rows_levels(const subtrees *tree, const circuit_generic *workspace, uint64_t messages,
                                 bough_rows *rows, bough_error *error);
bough_status circuit_rows_stages(const circuit_result *result, bough_rows *rows, bough_error *error);
/* What the rows of all engines leave out. */
bough_status circuit_rows_stream(const circuit_report *report, const measurement *measured,
                                 const circuit_counts *counts, bough_rows *rows, bough_error *error);

#endif
