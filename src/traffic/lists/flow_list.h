/* Lists of messages between numbered nodes, in bytes and picoseconds: connection matrices of htsim (.cm) and
 * plain matrices. */
#ifndef BOUGH_TRAFFIC_LISTS_FLOW_LIST_H
#define BOUGH_TRAFFIC_LISTS_FLOW_LIST_H

#include "base/files/input.h"
#include "bough/schedule.h"
#include "bough/traffic.h"

#define FLOW_LIST_NONE UINT32_MAX

typedef struct flow_list_flow {
    uint64_t start, size; /* ps, from the trigger where there is one; bytes */
    uint32_t source, destination;
    uint32_t trigger; /* that it waits for, an index, or NONE */
    uint32_t done[2]; /* that its arrival signals */
    uint32_t line;
} flow_list_flow;

/* A trigger fires once, when it was signalled so often. */
typedef struct flow_list_trigger {
    uint64_t id;
    uint32_t count; /* 0: named, not described yet */
    uint32_t line;  /* where it was named first */
} flow_list_trigger;

/* Zero-initialise. */
typedef struct flow_list {
    uint32_t nodes;
    flow_list_flow *flow; /* in order of start, those that wait for a trigger at the end */
    size_t flows, flow_capacity;
    size_t timed; /* flows that wait for no trigger */
    flow_list_trigger *trigger;
    size_t triggers, trigger_capacity;
} flow_list;
void flow_list_fini(flow_list *list);

/* A connection matrix; start_unit: ps of one unit of `start` (htsim: 1). nodes: how many there are, whatever
 * the file says; 0: as it says. Errors: INVALID with file:line. */
bough_status flow_list_read_cm(const bough_input *input, uint64_t start_unit, uint32_t nodes, flow_list *list,
                               bough_error *error);
/* N lines of N numbers of bytes, by spaces or commas; line i: what node i sends. Zeros and the diagonal are
 * no messages. Errors: INVALID with file:line. */
bough_status flow_list_read_matrix(const bough_input *input, flow_list *list, bough_error *error);

/* The messages as a source; endpoint: of each node. Nodes of one endpoint do not use the network: what they
 * send each other is there when it starts. clock: NULL: picoseconds and bytes. Borrows list and endpoint.
 * Errors: NO_MEMORY. */
bough_status flow_list_source(const flow_list *list, const bough_net *net, const uint32_t *endpoint,
                              const bough_clock *clock, bough_source **source, bough_error *error);

extern const bough_traffic_kind bough_traffic_cm, bough_traffic_matrix;

#endif
