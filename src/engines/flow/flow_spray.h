/* A message that is divided over all its paths: each node divides what it has equally among the live links
 * that the routing leaves there, as many packets with a random link each do (packet spraying). With a via,
 * both parts are divided. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_SPRAY_H
#define BOUGH_ENGINES_FLOW_FLOW_SPRAY_H

#include "engines/flow/flow_path.h"

/* The whole of a message. Parts are whole numbers that add up to it at every hop; what does not divide evenly
 * goes to links that rotate with the message. */
#define FLOW_WHOLE MAX_MIN_WEIGHT_MAX

/* Borrows everything except its buffers. */
typedef struct flow_spray {
    const bough_routing *routing;
    bough_key key;
    /* The parts of the last message: weight[i] of FLOW_WHOLE crosses link[i]. */
    uint32_t *link, *weight;
    uint32_t parts, hops; /* hops: of the longest path */
    uint64_t delay;       /* ps: the longest at every hop, if links or nodes have delays of their own */
    struct {
        uint64_t *node; /* nodes that are reached at a hop */
        uint32_t *part; /* [nodes]: what of the message is there */
        uint32_t count;
    } now, next;
} flow_spray;

bough_status flow_spray_init(flow_spray *s, const bough_routing *routing, bough_error *error);
void flow_spray_fini(flow_spray *s);
/* Memory of one, and the parts of a message from the first to the last endpoint. */
uint64_t flow_spray_bytes(const bough_routing *routing);
uint32_t flow_spray_usual(const bough_routing *routing);

/* If any part of a message does not arrive, it has no path; at: the node where that part ended. A message
 * with more than MAX_MIN_PARTS_MAX parts is FLOW_TOO_WIDE. */
flow_path_end flow_spray_find(flow_spray *s, const bough_message *m, uint64_t *at);
/* Leaves only the links at the source and at the destination, and those of compute nodes. */
void flow_spray_ends(flow_spray *s, const bough_message *m);
/* Whether a link is part of a compute node or the cable of a NIC. */
bool flow_own_link(const bough_net *net, uint64_t link);

#endif
