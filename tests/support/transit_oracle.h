/* One attempt of circuit switching on a full transit fat-tree of RN1 routers, router by router and wire by
 * wire: slow, plain, and written from the rules alone. It draws its own wiring, traffic and coins, and
 * shares nothing with the library. */
#ifndef BOUGH_TESTS_TRANSIT_ORACLE_H
#define BOUGH_TESTS_TRANSIT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { TRANSIT_ORACLE_LEVELS = 9 };

typedef struct transit_oracle transit_oracle;

/* 64^stages processors; seed: of everything that is drawn. NULL when out of memory. */
transit_oracle *transit_oracle_make(unsigned stages, uint64_t seed);
void transit_oracle_free(transit_oracle *oracle);

/* One round: every processor (line: each of its wires) has a request with probability p, to a level with
 * probability share[level], level = 1 .. 3 stages. Adds to asked[level] and delivered[level]. */
void transit_oracle_attempt(transit_oracle *oracle, double p, bool line, const double *share, uint64_t *asked,
                            uint64_t *delivered);

#endif
