/* The path of a flow, fixed before it starts. If the routing leaves a choice, one path is drawn by the
 * message's number, among live links. With a via, both parts form one path. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_PATH_H
#define BOUGH_ENGINES_FLOW_FLOW_PATH_H

#include "engines/flow/max_min/max_min_rates.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

typedef enum flow_path_end {
    FLOW_ARRIVES,
    FLOW_NO_ROUTE,      /* a node has no route, or all its links are dead */
    FLOW_WRONG_ADAPTER, /* a table leads to another endpoint */
    FLOW_LOOP,          /* more than FLOW_PIECE_MAX links */
    FLOW_TOO_WIDE       /* divided over too many links (flow_spray.h) */
} flow_path_end;

#define FLOW_PIECE_MAX (MAX_MIN_HOPS_MAX / 2)

/* Borrows everything except its buffers. sharing: flows per link, for selection rules that use loads. */
typedef struct flow_paths {
    const bough_routing *routing;
    const max_min *sharing;
    bough_key key;
    uint64_t *free; /* scratch: live links of a group */
    uint32_t *load; /* their number of flows */
} flow_paths;

bough_status flow_paths_init(flow_paths *p, const bough_routing *routing, const max_min *sharing,
                             bough_error *error);
void flow_paths_fini(flow_paths *p);

/* path: at least MAX_MIN_HOPS_MAX elements. at: the node where the path ended. */
flow_path_end flow_paths_draw(const flow_paths *p, const bough_message *m, uint32_t *path, uint32_t *hops,
                              uint64_t *at);

#endif
