/* The path of a flow: one, fixed before it starts. Where the routing leaves a choice it is drawn by the
 * message's number, among the links that are alive; with a via, both pieces are one path. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_PATH_H
#define BOUGH_ENGINES_FLOW_FLOW_PATH_H

#include "bough/routing.h"
#include "bough/traffic.h"
#include "engines/flow/max_min_rates.h"

typedef enum flow_way {
    FLOW_ARRIVES,
    FLOW_NO_ROUTE,      /* a node does not know the way on, or all links on it are dead */
    FLOW_WRONG_ADAPTER, /* a table leads to another endpoint */
    FLOW_LOOP           /* more than FLOW_PIECE_MAX links */
} flow_way;

#define FLOW_PIECE_MAX (FAIR_HOPS_MAX / 2)

/* Borrows all but its buffers. sharing: how many flows a link has, for picks that look at loads. */
typedef struct flow_paths {
    const bough_routing *routing;
    const fair *sharing;
    bough_key key;
    uint64_t *free; /* of a group: links that are alive */
    uint32_t *load; /* their flows */
} flow_paths;

bough_status flow_paths_init(flow_paths *p, const bough_routing *routing, const fair *sharing,
                             bough_error *error);
void flow_paths_fini(flow_paths *p);

/* path: room for FAIR_HOPS_MAX links. at: the node where it ended. */
flow_way flow_paths_draw(const flow_paths *p, const bough_message *m, uint32_t *path, uint32_t *hops,
                         uint64_t *at);

#endif
