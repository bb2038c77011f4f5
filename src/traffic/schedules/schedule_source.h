/* A schedule as a source of messages: ranks at work (ranks.h), with an engine in the place of L and G.
 *
 * Ranks count picoseconds, engines ticks. A message that leaves within a tick starts at the end of it; one
 * that is delivered in a tick is there at its beginning. Sizes are rounded up to the engine's units. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_SOURCE_H
#define BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_SOURCE_H

#include "traffic/schedules/ranks.h"

/* Borrows everything. Errors: UNSUPPORTED without a clock, INVALID, NO_MEMORY. */
bough_status schedule_source(const bough_net *net, const bough_workload *workload, const match_plan *match,
                             const bough_clock *clock, bough_source **source, bough_error *error);
/* Before it is asked for anything: only these ranks do anything. */
void schedule_source_only(bough_source *source, uint32_t first, uint32_t ranks);
/* Bytes of one. */
uint64_t schedule_source_bytes(const bough_workload *workload, const match_plan *match);
/* The ranks behind a source that schedule_source made. */
const rank_engine *schedule_source_ranks(const bough_source *source);

#endif
