/* Which sends a receive can take, found out once for all trials.
 *
 * Messages and receives of one rank with the same source and tag share a *channel*: whoever comes first waits
 * in it, first come, first served. A receive with a wildcard has a channel of its own kind, (any, tag),
 * (source, any) or (any, any); a message then stands in up to four channels at once. So matching costs no
 * search and no hashing while a trial runs. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_SEND_RECV_MATCH_H
#define BOUGH_TRAFFIC_SCHEDULES_SEND_RECV_MATCH_H

#include "bough/schedule.h"

#define MATCH_NONE UINT32_MAX

typedef struct match_plan {
    uint32_t channels;
    uint32_t *channel;   /* [ops]: of a receive; of a send, where (source, tag) has one; else MATCH_NONE */
    uint32_t *rank;      /* [ops] */
    uint32_t (*also)[3]; /* [ops]: of a send (any, tag), (source, any), (any, any); NULL: no wildcards */
} match_plan;

/* Errors: INVALID where sends and receives cannot come out even, with the place; NO_MEMORY. O(ops). */
bough_status match_make(const bough_schedule *schedule, match_plan *match, bough_error *error);
void match_fini(match_plan *match);

/* "recv 8 bytes from 2 tag 5"; returns buffer. */
char *match_op_text(const bough_op *op, char *buffer, size_t size);
/* "FILE:17", or the schedule's name where operations have no lines. */
char *match_op_place(const bough_schedule *schedule, uint32_t op, char *buffer, size_t size);
#endif
