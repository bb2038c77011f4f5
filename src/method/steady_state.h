/* Converts the deliveries of an engine into results: whole batches, and the steady state of streams.
 *
 * Steady state. The warm-up is determined from the data. The run is examined after 4096 messages (and at
 * least twenty times the latency without load), then after twice as many, and so on. The warm-up ends when
 * MSER (White: "An effective truncation heuristic for bias reduction in simulation output", 1997) on 64 batch
 * means of the latency truncates at most half of them, twice in a row. It is discarded completely. Then
 * `messages` deliveries are measured in 32 batches. Beyond saturation, queues grow without bound and the
 * latency depends only on the length of the run. This is detected by a backlog that grows by more than a
 * small fraction of the offered load, and the result is marked saturated: in the warm-up, where queues also
 * fill, only if it does not grow more slowly from one examination to the next. */
#ifndef BOUGH_METHOD_STEADY_STATE_H
#define BOUGH_METHOD_STEADY_STATE_H

#include "method/engine.h"

#define MEASUREMENT_BATCHES 32

/* Parameters of a measurement. */
typedef struct measurement_plan {
    double rate;       /* messages per cycle in total; 0: unknown, run to completion */
    uint64_t messages; /* deliveries to measure; ignored in runs to completion */
    uint64_t warmup;   /* cycles; 0: determined from the data */
    uint64_t patience; /* messages after which the measurement starts even if the warm-up has not ended */
    uint64_t alone;    /* latency across the diameter without load */
    double growth;     /* growth of the backlog that means saturation, as a fraction of the offered rate */
    uint64_t backlog;  /* backlog that means saturation regardless of its trend */
    uint64_t limit;    /* cycle at which the run is stopped */
    bool early;        /* stop as soon as it is clear whether the backlog grows */
    bool detect;       /* search for deadlocked messages */
    bool wide;         /* latencies of more than 32 bits */
    uint64_t slice;    /* cycles simulated at a time; 0: a default */
    uint64_t total;    /* messages of a run to completion, for its progress; 0: unknown */
    double from, part; /* the run is this part of a trial, for its progress; part 0: the whole */
} measurement_plan;

typedef struct measurement {
    uint64_t messages, hops; /* measured deliveries; total of the links they crossed */
    uint64_t warmup, cycles; /* cycles discarded; cycles measured */
    double latency, ci95;    /* mean; half-width of its 95 % interval by batch means */
    uint64_t p50, p90, p95, p99, max;
    double growth;     /* of the backlog, messages per cycle */
    uint64_t left;     /* not delivered when the run was stopped */
    uint64_t unrouted; /* dropped by their sources in the whole run for lack of a route */
    uint64_t stuck, stuck_link;
    bool saturated, cut_off;
    sim_tally tally;
} measurement;

/* Latencies in order of delivery. Reused by later trials. Zero-initialise. */
typedef struct latency_series {
    uint32_t *latency;
    uint64_t *wide; /* instead, if the plan asks for it */
    size_t count, capacity, wide_capacity;
} latency_series;

typedef struct engine_workspace {
    sim_engine *engine;
    latency_series series;
} engine_workspace;

/* Measures a run of an engine that has been started. Errors: those of the engine; INTERRUPTED. */
bough_status measure_engine(engine_workspace *space, const bough_run *run, const measurement_plan *plan,
                            measurement *result, bough_error *error);

/* Mean, quantiles and maximum of a series of count > 0 latencies of 32 bits. */
void latency_summarise(const latency_series *series, measurement *result);

/* MSER: the number of leading values to truncate. O(count). */
uint64_t mser_truncation(const double *value, uint64_t count);
/* The rank-th smallest (from 0) of count > 0 values. O(count). */
uint32_t nth_smallest(const uint32_t *value, uint64_t count, uint64_t rank);

#endif
