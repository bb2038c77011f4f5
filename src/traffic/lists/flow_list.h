/* Lists of messages between numbered nodes, in bytes and picoseconds: connection matrices of htsim (.cm) and
 * plain matrices. */
#ifndef BOUGH_TRAFFIC_LISTS_FLOW_LIST_H
#define BOUGH_TRAFFIC_LISTS_FLOW_LIST_H

#include "base/files/input.h"
#include "traffic/schedules/schedule.h"
#include "traffic/traffic.h"

#define FLOW_LIST_NONE UINT32_MAX

typedef struct flow_list_flow {
    uint64_t start, size; /* ps, relative to the trigger if there is one; bytes */
    uint32_t source, destination;
    uint32_t trigger; /* index of the trigger that it waits for, or FLOW_LIST_NONE */
    uint32_t done[2]; /* triggers that its arrival signals */
    uint32_t line;
} flow_list_flow;

/* A trigger fires once, after `count` signals. */
typedef struct flow_list_trigger {
    uint64_t id;
    uint32_t count; /* 0: used, not described yet */
    uint32_t line;  /* first use */
} flow_list_trigger;

/* Zero-initialise. */
typedef struct flow_list {
    uint32_t nodes;
    flow_list_flow *flow; /* in order of start; those that wait for a trigger at the end */
    size_t flows, flow_capacity;
    size_t timed;     /* number of flows without a trigger */
    bool prioritised; /* some have a priority, which is not used */
    flow_list_trigger *trigger;
    size_t triggers, trigger_capacity;
} flow_list;
void flow_list_fini(flow_list *list);

/* Reads a connection matrix. start_unit: ps per unit of `start` (htsim: 1). nodes: overrides the number in
 * the file; 0: as in the file. Errors: INVALID with file:line. */
bough_status flow_list_read_cm(const bough_input *input, uint64_t start_unit, uint32_t nodes, flow_list *list,
                               bough_error *error);
/* Reads N lines of N numbers of bytes, separated by blanks or commas; line i: bytes that node i sends. Zeros
 * and the diagonal are not messages. Errors: INVALID with file:line. */
bough_status flow_list_read_matrix(const bough_input *input, flow_list *list, bough_error *error);

/* A list whose nodes have endpoints. Borrows. */
typedef struct placed_flows {
    const flow_list *list;
    const bough_net *net;
    const uint32_t *endpoint; /* [list->nodes] */
} placed_flows;

/* Opens the messages as a source. Messages between nodes of one endpoint do not use the network and arrive
 * when they start. clock: NULL: picoseconds and bytes. Errors: NO_MEMORY. */
bough_status flow_list_source(const placed_flows *flows, const bough_clock *clock, bough_source **source,
                              bough_error *error);

/* Binds arrays, which are copied, as a list whose nodes are the endpoints of net; for a kind with the open
 * and fini of bough_traffic_matrix. All messages start at 0. Errors: INVALID for an endpoint that does not
 * exist. */
typedef struct sized_messages {
    const uint64_t *source, *destination, *bytes; /* [count] */
    size_t count;
} sized_messages;
bough_status flow_list_take(const sized_messages *given, const bough_net *net, bough_traffic *traffic,
                            bough_error *error);

extern const bough_traffic_kind bough_traffic_cm, bough_traffic_matrix;

#endif
