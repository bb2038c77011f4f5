/* Lists of messages between numbered nodes, in bytes and picoseconds: connection matrices of htsim (.cm),
 * flows of ns-3 models (HPCC) and plain matrices. */
#ifndef BOUGH_FORMATS_LISTS_FLOW_LIST_H
#define BOUGH_FORMATS_LISTS_FLOW_LIST_H

#include "base/files/input.h"

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
/* Reads the flows of HPCC and its heirs: their number, then lines with source, destination, priority group,
 * port (which some leave out), bytes and start in seconds. The first flow starts at 0. nodes is the largest
 * number plus one. Errors: INVALID with file:line. */
bough_status flow_list_read_ns3(const bough_input *input, flow_list *list, bough_error *error);
/* Whether a file begins with a line of one number, as they do. */
bool flow_list_is_ns3(const bough_input *input);
/* Reads N lines of N numbers of bytes, separated by blanks or commas; line i: bytes that node i sends. Zeros
 * and the diagonal are not messages. Errors: INVALID with file:line. */
bough_status flow_list_read_matrix(const bough_input *input, flow_list *list, bough_error *error);

#endif
