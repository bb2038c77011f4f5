/* From an engine's deliveries to results: whole batches, and the steady state of streams.
 *
 * Steady state. The warm-up is found from the data: the run is looked at after 4096 messages (and at least
 * twenty times the latency without load), then after twice as many, and so on; it is over when MSER (White:
 * "An effective truncation heuristic for bias reduction in simulation output", 1997) on 64 batch means of the
 * latency would cut off no more than half, twice in a row. All of it is discarded. Then `messages` deliveries
 * are measured, in 32 batches. Offered more than the network can carry, queues grow without end: that is
 * recognised by a backlog that grows by more than a small share of what is offered, and said, instead of a
 * latency that only depends on when one stops. */
#ifndef BOUGH_METHOD_STEADY_STATE_H
#define BOUGH_METHOD_STEADY_STATE_H

#include "method/engine.h"

#define MEASURE_BATCHES 32

/* What to measure. */
typedef struct measure_plan {
    double rate;       /* messages a cycle in all; 0: unknown, run to the end */
    uint64_t messages; /* to measure; to the end: ignored */
    uint64_t warmup;   /* cycles; 0: from the data */
    uint64_t patience; /* messages after which the measurement begins whether or not the warm-up seems over */
    uint64_t alone;    /* latency without load, across the diameter */
    double growth;     /* of the backlog, as a share of what is offered, that is overload */
    uint64_t backlog;  /* more than this is overload, whatever the trend */
    uint64_t limit;    /* cycles after which the run is cut off */
    bool detect;       /* look for messages that can never move */
} measure_plan;

typedef struct measure_result {
    uint64_t messages, hops; /* measured: deliveries, and their links in all */
    uint64_t warmup, cycles; /* discarded; measured */
    double latency, ci95;    /* mean, and half the width of its interval by batch means */
    uint64_t p50, p99, max;
    double growth;     /* of the backlog, messages a cycle */
    uint64_t left;     /* not delivered when the run was cut off */
    uint64_t unrouted; /* dropped by their sources in the whole run, which know no way */
    uint64_t stuck, stuck_link;
    bool saturated, cut_off;
    sim_tally tally;
} measure_result;

/* Latencies in order of delivery; reused from trial to trial. Zero-initialise. */
typedef struct measure_series {
    uint32_t *latency;
    size_t count, capacity;
} measure_series;

/* The engine has been started. Errors: the engine's; INTERRUPTED. */
bough_status measure_run(sim_engine *engine, const bough_run *run, const measure_plan *plan,
                         measure_series *series, measure_result *result, bough_error *error);

/* Where MSER would cut: the number of leading values to drop. O(count). */
uint64_t measure_mser(const double *value, uint64_t count);
/* The rank-th smallest (from 0) of count > 0 values. O(count). */
uint32_t measure_nth(const uint32_t *value, uint64_t count, uint64_t rank);

#endif
