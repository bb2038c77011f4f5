/* The flows of rounds, by destination and leaf. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_ROUND_FLOWS_H
#define BOUGH_FABRIC_TUNE_TUNE_ROUND_FLOWS_H

#include "fabric/tune/objectives/tune_model.h"

/* In every round each host sends one flow at most, and receives one at most. */
typedef struct round_flows {
    const tune_graph *graph;
    uint32_t rounds;
    uint32_t *source; /* [host * rounds + round]: who sends to the host; BOUGH_NO_INDEX: nobody */
    uint64_t *first;  /* [host * leaves + leaf]: its flows to the host are round[first ..], up to the next */
    uint32_t *round;
    double *base; /* [rounds]: the largest load of a link of a host */
} round_flows;

/* Zero-initialise. Only pairs that are connected. Errors: TOO_LARGE, NO_MEMORY. */
bough_status round_flows_make(round_flows *flows, const tune_graph *graph, const tune_rounds_kind *kind,
                              bough_error *error);
void round_flows_fini(round_flows *flows);

#endif
