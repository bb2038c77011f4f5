/* Paths from a run to another run of the same messages beside it, on another thread: a path depends on the
 * message and the key only, so it is found once. The run that is ahead gives; what the ring has no room for,
 * the other finds itself. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_PATH_RING_H
#define BOUGH_ENGINES_FLOW_FLOW_PATH_RING_H

#include "engines/flow/flow_path.h"
#include "traffic/traffic.h"

/* The links of a message: a path, or its parts. */
typedef struct message_links {
    uint32_t hops, count; /* hops: of the (longest) path */
    uint64_t at;          /* the node where it ended */
    flow_path_end end;
    uint32_t path[MAX_MIN_HOPS_MAX];
} message_links;

typedef struct flow_path_ring flow_path_ring;

/* hops: of the paths that it has room for. messages: of a run. */
uint64_t flow_path_ring_bytes(uint64_t messages, unsigned hops);
/* Errors: NO_MEMORY. */
bough_status flow_path_ring_make(uint64_t messages, unsigned hops, flow_path_ring **ring, bough_error *error);
void flow_path_ring_free(flow_path_ring *ring);
/* Without paths again. No run uses it. */
void flow_path_ring_clear(flow_path_ring *ring);

/* Called by one thread: gives the paths of these messages. */
void flow_path_ring_give(flow_path_ring *ring, const bough_message *message, const message_links *links,
                         uint32_t count);
/* Called by one thread, with messages in the order in which they were given; some of them may not have been.
 * Sets has[i] if links[i] is the path of message i; returns the number of the others. */
uint32_t flow_path_ring_take(flow_path_ring *ring, const bough_message *message, message_links *links,
                             uint32_t count, bool *has);

#endif
