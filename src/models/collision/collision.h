/* Lemma 1 of strumpen2005: the probability that two random messages collide in the binary fat-tree of n =
 * 2^lg_n endpoints. */
#ifndef BOUGH_MODELS_COLLISION_COLLISION_H
#define BOUGH_MODELS_COLLISION_COLLISION_H

#include <stdbool.h>

typedef unsigned __int128 collision_int;

/* Pr[C2] as the nearest double or its neighbour; 1 <= lg_n <= 48. Zero at n = 2, where no collision is
 * possible. */
double collision_probability(unsigned lg_n);

/* Pr[C2] in lowest terms. Returns false without writing if lg_n > 41, where 6 (n-1)^3 needs more than 128
 * bits. */
bool collision_fraction(unsigned lg_n, collision_int *numerator, collision_int *denominator);

#endif
