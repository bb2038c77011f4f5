/* Jobs on the endpoints of a network. */
#ifndef BOUGH_TRAFFIC_JOBS_JOB_PLACE_H
#define BOUGH_TRAFFIC_JOBS_JOB_PLACE_H

#include "formats/lists/job_list.h"
#include "traffic/traffic.h"

/* Sets the endpoints of all jobs. key: for random places. overlap: lists may contain endpoints of other jobs.
 * Errors: INVALID with file:line, NO_MEMORY. */
bough_status job_list_place(job_list *list, const bough_net *net, uint64_t key, bool overlap,
                            bough_error *error);

extern const bough_traffic_kind bough_traffic_jobs;

#endif
