/* Hosts: the machines that the endpoints of a network belong to. */
#ifndef BOUGH_NETWORK_HOSTS_H
#define BOUGH_NETWORK_HOSTS_H

#include "base/memory/arena.h"
#include "base/memory/compressed_rows.h"
#include "network/net.h"

enum { NET_PLANES_MAX = 64 };

/* Hosts are numbered in the order of their first endpoints. Zero-initialise. */
typedef struct net_hosts {
    uint32_t count;
    uint32_t *of;              /* [endpoints]: the host */
    compressed_rows endpoints; /* rows: hosts; of one host by the names of its adapters, then by port: mlx5_2
                                  before mlx5_10 */
    /* Planes: parts of the fabric that no cable joins, where most hosts have an endpoint in each. Pairs of
     * endpoints exist within a plane. Parts with hosts of their own are one fabric that is broken. */
    uint32_t planes;               /* 1: one */
    uint32_t *plane;               /* [endpoints]; NULL: one plane */
    uint64_t size[NET_PLANES_MAX]; /* endpoints of a plane */
    uint64_t pairs;                /* of endpoints, ordered, within planes */
    uint64_t partners;             /* the most that an endpoint has */
    uint32_t most;                 /* endpoints of a host */
    uint32_t *place;               /* of some of the endpoints: [endpoints] as net_host_place; else NULL */
    bool listed;                   /* the file numbers endpoints, so do lists */
    const char *order;             /* in which endpoints are numbered: "names", static; NULL: not imported */
} net_hosts;

/* Of an imported fabric all adapters whose descriptions name one host ("node001 mlx5_0"), and all ports of an
 * adapter, are one host; with compute nodes their GPUs are; else each endpoint is a host of its own.
 * Aggregation nodes are none. O(n log n) in endpoints. Errors: TOO_LARGE, NO_MEMORY. */
bough_status net_hosts_make(const bough_net *net, net_hosts *hosts, bough_error *error);
/* The hosts of some of the endpoints, which another network numbers from 0, in this order. Errors:
 * NO_MEMORY. */
bough_status net_hosts_choose(const net_hosts *all, const uint32_t *endpoint, uint32_t count,
                              net_hosts *hosts, bough_error *error);
/* The position of an endpoint among all endpoints of its host. O(endpoints of the host). */
uint32_t net_host_place(const net_hosts *hosts, uint32_t endpoint);
/* Hosts with so many endpoints. */
uint64_t net_hosts_with(const net_hosts *hosts, uint32_t endpoints);
void net_hosts_fini(net_hosts *hosts);

static inline uint32_t net_plane(const bough_net *net, uint64_t endpoint) {
    return net->hosts && net->hosts->plane ? net->hosts->plane[endpoint] : 0;
}
static inline bool net_same_plane(const bough_net *net, uint64_t a, uint64_t b) {
    return !net->hosts || !net->hosts->plane || net->hosts->plane[a] == net->hosts->plane[b];
}
static inline uint64_t net_pairs(const bough_net *net) {
    return net->hosts && net->hosts->plane ? net->hosts->pairs : net->endpoints * (net->endpoints - 1);
}
/* The endpoints of the plane of an endpoint. */
static inline uint64_t net_plane_size(const bough_net *net, uint64_t endpoint) {
    return net->hosts && net->hosts->plane ? net->hosts->size[net->hosts->plane[endpoint]] : net->endpoints;
}
/* The most endpoints that one can send to. */
static inline uint64_t net_partners(const bough_net *net) {
    return net->hosts && net->hosts->plane ? net->hosts->partners : net->endpoints - 1;
}

/* Endpoints by plane. */
typedef struct net_plane_order {
    uint32_t planes;
    uint64_t first[NET_PLANES_MAX + 1]; /* of a plane, in member */
    uint32_t *member;                   /* endpoints, ascending within a plane */
    uint32_t *rank;                     /* [endpoints]: position within its plane */
} net_plane_order;
/* One plane if the network is not divided. Errors: NO_MEMORY. */
bough_status net_plane_order_make(const bough_net *net, arena *memory, net_plane_order *order,
                                  bough_error *error);
/* The endpoint that an endpoint of a plane sends to under shift k: k further on in its plane. The endpoint
 * itself: the plane has no such shift. */
static inline uint32_t net_plane_shifted(const net_plane_order *order, uint32_t plane, uint32_t endpoint,
                                         uint64_t k) {
    const uint64_t first = order->first[plane], n = order->first[plane + 1] - first;
    return k < n ? order->member[first + (order->rank[endpoint] + k) % n] : endpoint;
}

/* Numbers in lists are those of hosts, where a file states which endpoints are of one host; else, and where
 * the file numbers endpoints, of endpoints. A host stands for its first endpoint. */
static inline bool net_several(const bough_net *net) {
    return net->hosts && net->hosts->most > 1 && !net->hosts->listed;
}
static inline uint64_t net_numbers(const bough_net *net) {
    return net_several(net) ? net->hosts->count : bough_net_hosts(net);
}
static inline uint64_t net_numbered(const bough_net *net, uint64_t number) {
    return net_several(net) ? net->hosts->endpoints.item[net->hosts->endpoints.first[number]] : number;
}

/* The name of the host of an endpoint of an imported fabric; cut to fit. */
char *net_host_name(const bough_net *net, uint64_t endpoint, char *buffer, size_t size);

#endif
