/* Trial 0 of a point of one method, recorded: what the files and the page of a timeline are made of. Lists of
 * messages have no ranks, hence no trace and no page. */
#ifndef BOUGH_REPORT_TIMELINE_RECORDED_TRIAL_H
#define BOUGH_REPORT_TIMELINE_RECORDED_TRIAL_H

#include "base/files/output_stream.h"
#include "report/report.h"
#include "traffic/lists/flow_list_traffic.h"
#include "traffic/timeline/timeline.h"

typedef struct recorded_trial {
    const bough_run *run;    /* borrowed from the study */
    const bough_workload *w; /* NULL: the traffic is `list` */
    const bough_schedule *s; /* of w */
    placed_flows list;
    uint64_t seed;
    bool uses; /* the use of links is recorded */
    timeline *t;
} recorded_trial;

/* Writers. Errors: IO, NO_MEMORY. */
bough_status timeline_put_trace(const recorded_trial *trial, const bough_timeline_request *request,
                                output_stream *out, bough_error *error);
bough_status timeline_put_messages(const recorded_trial *trial, output_stream *out, bough_error *error);
bough_status timeline_put_link_use(const recorded_trial *trial, output_stream *out, bough_error *error);

/* Number of events of a trace, at most, and the number of those that it may have. */
uint64_t timeline_trace_events(const recorded_trial *trial, const bough_timeline_request *request);
#define TIMELINE_TRACE_MAX UINT64_C(4000000)

#endif
