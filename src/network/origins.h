/* Where the paths of endpoints begin to differ by address. Those of endpoints that have one cable join at its
 * other end: what holds of a route from there holds for all endpoints of the switch. */
#ifndef BOUGH_NETWORK_ORIGINS_H
#define BOUGH_NETWORK_ORIGINS_H

#include "network/net.h"

typedef struct endpoint_run {
    uint32_t first, end; /* endpoints first .. end-1 */
} endpoint_run;

/* An origin is a node at which the paths of endpoints begin: the switch at the other end of their only cable,
 * or the endpoint itself. Origins are in the order of their first endpoints. */
typedef struct origin_list {
    const bough_net *net;
    uint32_t count, endpoints;
    uint32_t *node;     /* [count] */
    uint32_t *run;      /* [count + 1]: its runs are runs[run[i]] .. runs[run[i + 1] - 1] */
    endpoint_run *runs; /* the endpoints of an origin, ascending */
    uint32_t *size;     /* [count]: number of its endpoints */
    uint32_t *joined;   /* [count]: the last origin j such that i .. j have one run each and these adjoin */
    uint32_t *of;       /* [endpoints]: origin of an endpoint */
    uint32_t *at;       /* [nodes]: 1 + the origin at a node, or 0 */
} origin_list;

/* Endpoints and nodes must be fewer than 2^32. Cost: linear in endpoints. Errors: NO_MEMORY. */
bough_status origin_list_make(const bough_net *net, origin_list *origins, bough_error *error);
void origin_list_fini(origin_list *origins);
/* Links between an endpoint of the origin and the origin: 1, or 0 if they are the same. */
static inline unsigned origin_lead(const origin_list *o, uint32_t origin) {
    return o->node[origin] != o->runs[o->run[origin]].first;
}

#endif
