/* Lists of messages as traffic: their nodes are placed on endpoints. */
#ifndef BOUGH_TRAFFIC_LISTS_FLOW_LIST_TRAFFIC_H
#define BOUGH_TRAFFIC_LISTS_FLOW_LIST_TRAFFIC_H

#include "formats/lists/flow_list.h"
#include "traffic/schedules/schedule.h"
#include "traffic/traffic.h"

/* A list whose nodes have endpoints. Borrows. */
typedef struct placed_flows {
    const flow_list *list;
    const bough_net *net;
    const uint32_t *endpoint; /* [list->nodes] */
} placed_flows;

/* Whether traffic is such a list, which it owns. */
bool flow_list_of(const bough_traffic *traffic, placed_flows *flows);

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

extern const bough_traffic_kind bough_traffic_cm, bough_traffic_flows, bough_traffic_matrix;

#endif
