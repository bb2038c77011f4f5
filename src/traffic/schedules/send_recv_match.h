/* Possible matches of sends and receives, computed once for all trials.
 *
 * Messages and receives of one rank with the same source and tag share a *channel*, a first-come first-served
 * queue. A receive with a wildcard has its own kind of channel, (any, tag), (source, any) or (any, any), so a
 * message may be in up to four channels at once. Matching in a trial therefore needs no search and no
 * hashing. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_SEND_RECV_MATCH_H
#define BOUGH_TRAFFIC_SCHEDULES_SEND_RECV_MATCH_H

#include "traffic/schedules/schedule.h"

#define MATCH_NONE UINT32_MAX

typedef struct match_plan {
    uint32_t channels;
    uint32_t *channel;   /* [ops]: of a receive; of a send, if (source, tag) has a channel; else MATCH_NONE */
    uint32_t *rank;      /* [ops] */
    uint32_t (*also)[3]; /* [ops]: channels of a send for (any, tag), (source, any), (any, any); NULL: no
                            wildcards */
} match_plan;

/* Computes the channels, on this number of threads (0: one), on which they do not depend. Errors: INVALID
 * with the place if sends and receives are unbalanced; NO_MEMORY. O(ops). */
bough_status match_make(const bough_schedule *schedule, unsigned threads, match_plan *match,
                        bough_error *error);
void match_fini(match_plan *match);

/* "recv 8 bytes from 2 tag 5"; returns buffer. */
char *match_op_text(const bough_op *op, char *buffer, size_t size);
/* Formats "FILE:17", or the name of the schedule if its operations have no lines. */
char *match_op_place(const bough_schedule *schedule, uint32_t op, char *buffer, size_t size);
#endif
