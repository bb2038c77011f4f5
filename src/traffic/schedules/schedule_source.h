/* A schedule as a message source: its execution (ranks.h) with an engine instead of L and G.
 *
 * Ranks count picoseconds, engines ticks. A message that leaves within a tick starts at its end; one
 * delivered in a tick arrives at its beginning. Sizes are rounded up to the units of the engine. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_SOURCE_H
#define BOUGH_TRAFFIC_SCHEDULES_SCHEDULE_SOURCE_H

#include "traffic/schedules/ranks.h"

/* Of traffic with a workload, which is borrowed. key: of the trial. Errors: UNSUPPORTED without a clock,
 * INVALID, NO_MEMORY. */
bough_status schedule_source(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                             bough_source **source, bough_error *error);
/* Restricts execution as ranks_only does; must precede all other calls. */
void schedule_source_only(bough_source *source, const rank_span span[2]);
/* Memory of a source in bytes. */
uint64_t schedule_source_bytes(const bough_workload *workload, const match_plan *match);
/* The execution behind a source made by schedule_source. */
const rank_engine *schedule_source_ranks(const bough_source *source);

#endif
