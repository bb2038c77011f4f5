/* Hosts: the machines that the endpoints of a network belong to. */
#ifndef BOUGH_NETWORK_HOSTS_H
#define BOUGH_NETWORK_HOSTS_H

#include "base/memory/compressed_rows.h"
#include "bough/net.h"

/* Hosts are numbered in the order of their first endpoints. Zero-initialise. */
typedef struct net_hosts {
    uint32_t count;
    uint32_t *of;              /* [endpoints]: the host */
    compressed_rows endpoints; /* rows: hosts; of one host by the names of its adapters, then by port: mlx5_2
                                  before mlx5_10 */
    uint32_t most;             /* endpoints of a host */
} net_hosts;

/* Of an imported fabric all adapters whose descriptions name one host ("node001 mlx5_0"), and all ports of an
 * adapter, are one host; with compute nodes their GPUs are; else each endpoint is a host of its own.
 * Aggregation nodes are none. O(n log n) in endpoints. Errors: TOO_LARGE, NO_MEMORY. */
bough_status net_hosts_make(const bough_net *net, net_hosts *hosts, bough_error *error);
/* Hosts with so many endpoints. */
uint64_t net_hosts_with(const net_hosts *hosts, uint32_t endpoints);
void net_hosts_fini(net_hosts *hosts);

/* Numbers in lists are those of hosts, where a file states which endpoints are of one host; else of
 * endpoints. A host stands for its first endpoint. */
static inline uint64_t net_numbers(const bough_net *net) {
    return net->hosts && net->hosts->most > 1 ? net->hosts->count : bough_net_hosts(net);
}
static inline uint64_t net_numbered(const bough_net *net, uint64_t number) {
    return net->hosts && net->hosts->most > 1
               ? net->hosts->endpoints.item[net->hosts->endpoints.first[number]]
               : number;
}

/* The name of the host of an endpoint of an imported fabric; cut to fit. */
char *net_host_name(const bough_net *net, uint64_t endpoint, char *buffer, size_t size);

#endif
