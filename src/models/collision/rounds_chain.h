/* The distribution of the number of rounds of Model I, as a Markov chain on the number of remaining balls,
 * and its fluid limit. */
#ifndef BOUGH_MODELS_COLLISION_ROUNDS_CHAIN_H
#define BOUGH_MODELS_COLLISION_ROUNDS_CHAIN_H

#include "method/method.h"

typedef struct rounds_law {
    double *within; /* [r], r = 0 .. rounds: probability that at most r rounds are needed */
    unsigned rounds;
    double mean;
    double missing; /* 1 - within[rounds]: the probability that was left out; all errors but rounding */
} rounds_law;

/* Memory of the chain in bytes. O(rounds). */
uint64_t rounds_chain_bytes(uint64_t balls, uint64_t bins);
/* `run` is asked whether to stop. The caller frees law->within. Time: balls x sqrt(bins) for the occupancy of
 * bins, and for each of the O(rounds sqrt(bins)) numbers of balls that can remain, sqrt(bins) x rounds.
 * Errors: NO_MEMORY, INTERRUPTED. */
bough_status rounds_chain_solve(const bough_run *run, uint64_t balls, uint64_t bins, rounds_law *law,
                                bough_error *error);
/* The least number of rounds r with within[r] >= probability. */
unsigned rounds_law_quantile(const rounds_law *law, double probability);

/* E[D], Eq. 4, for any number of balls: b (1 - (1 - 1/b)^x). */
double rounds_expected_delivery(double balls, double bins);
/* The recurrence x -> x - E[D](x) from `balls`. Returns the number of steps until less than half a ball
 * remains; writes the first `count` values of x to left, left[0] = balls. */
uint64_t rounds_fluid(double balls, double bins, double *left, uint64_t count);

#endif
