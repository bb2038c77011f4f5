/* Jobs one by one: each alone, and each beside each other one, in the placement of all. The slowdown of a
 * job, and the links that it shares with another. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_JOBS_H
#define BOUGH_ENGINES_FLOW_FLOW_JOBS_H

#include "engines/flow/flow_events.h"

typedef enum flow_jobs_wanted { FLOW_JOBS_TOGETHER, FLOW_JOBS_ALONE, FLOW_JOBS_PAIRS } flow_jobs_wanted;

/* Errors: UNSUPPORTED: the traffic has no jobs, or more than a matrix has room for. */
bough_status flow_jobs_check(const bough_run *run, flow_jobs_wanted wanted, bough_error *error);
/* Number of runs, that of all jobs together included. */
uint64_t flow_jobs_runs(const bough_run *run, flow_jobs_wanted wanted);
uint64_t flow_jobs_bytes(const bough_run *run, flow_jobs_wanted wanted);

typedef struct flow_jobs {
    const bough_run *run;
    bough_key key;
    flow_engine *engine; /* runs the jobs; results of an earlier run are lost */
    uint64_t unit;       /* bytes */
    flow_jobs_wanted wanted;
} flow_jobs;
/* Adds the rows of jobs. time: [jobs], ps, of all together. Errors: those of flow_run. */
bough_status flow_jobs_rows(const flow_jobs *jobs, const uint64_t *time, bough_rows *rows,
                            bough_error *error);

#endif
