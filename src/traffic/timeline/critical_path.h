/* The critical path of a recorded trial: what the end of the schedule waited for at each instant, found
 * backwards from its last operation.
 *
 *   compute    a computation was running
 *   overhead   a CPU handled a message
 *   transfer   a message was in the network for as long as an idle network takes; also G (size - 1) of hosts
 *              without a network
 *   sharing    a message took longer than that, because others used its links or were queued before it; or
 *              an operation waited for its NIC
 *
 * The parts join without gaps from 0 to the end, so their times add up to the completion time exactly. If two
 * things ended at the same instant, the path goes on with a dependency rather than with the CPU. */
#ifndef BOUGH_TRAFFIC_TIMELINE_CRITICAL_PATH_H
#define BOUGH_TRAFFIC_TIMELINE_CRITICAL_PATH_H

#include "traffic/timeline/timeline.h"

#include <stddef.h>

typedef enum critical_cause {
    CRITICAL_COMPUTE,
    CRITICAL_OVERHEAD,
    CRITICAL_TRANSFER,
    CRITICAL_SHARING,
    CRITICAL_CAUSES
} critical_cause;
extern const char *const critical_cause_name[CRITICAL_CAUSES];

typedef struct critical_part {
    uint64_t from, to;
    uint32_t op;   /* the computation, or the send of the message */
    uint32_t link; /* of sharing: where the message lost most time; TIMELINE_NONE: the NIC, or not known */
    uint8_t cause;
    bool receiver; /* of overhead: the CPU is that of the receiver */
} critical_part;

typedef struct critical_path {
    critical_part *part; /* [parts], in descending order of time */
    size_t parts, capacity;
} critical_path;

/* timeline: of a schedule that has ended. *path: zero-initialised. Errors: NO_MEMORY; FAILED if the record
 * does not explain a time. O(parts). */
bough_status critical_path_find(const bough_workload *workload, const timeline *timeline, critical_path *path,
                                bough_error *error);
void critical_path_fini(critical_path *path);

#endif
