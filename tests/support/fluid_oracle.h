/* The fluid model, slow and plain: textbook progressive filling of everything at every event, in long double,
 * from the definition of max-min fairness alone. It shares nothing with the engine. */
#ifndef BOUGH_TESTS_FLUID_ORACLE_H
#define BOUGH_TESTS_FLUID_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define FLUID_HOPS 192

/* A flow over links path[0 .. hops-1]; a link that stands in it twice is used twice. part[i]: how much of it
 * crosses path[i]; 0: all, which is 1. */
typedef struct fluid_flow {
    uint32_t path[FLUID_HOPS], hops;
    long double part[FLUID_HOPS];
    bool runs;           /* takes part in the sharing */
    long double rate;    /* what fluid_share finds, */
    uint32_t bottleneck; /* and the link that it stopped at */
    /* fluid_run: */
    long double start, volume; /* start: time; volume: rate x time, at least 0 */
    long double left, end;     /* end: when the last of it has left */
    uint32_t phases;           /* stretches of one rate it went through */
} fluid_flow;

/* Max-min fair rates of the flows that run. */
void fluid_share(const long double *capacity, uint32_t links, fluid_flow *flow, uint32_t flows);

/* Every flow from its start to its end. */
void fluid_run(const long double *capacity, uint32_t links, fluid_flow *flow, uint32_t flows);

#endif
