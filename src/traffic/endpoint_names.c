#include "traffic/endpoint_names.h"
#include "traffic/traffic.h"

#include "base/memory/memory.h"
#include "network/hosts.h"
#include "network/node_identifiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct endpoint_name {
    char name[128];
    uint64_t endpoint;
} endpoint_name;

static bough_status index_names(endpoints *all, bough_error *error) {
    const bough_net *net = all->net;
    const net_hosts *h = net->fabric && net->hosts->most > 1 ? net->hosts : NULL;
    bough_status status =
        bough_alloc(&all->name, bough_net_hosts(net) + (h ? h->count : 0), sizeof *all->name, error);
    if (status) return status;
    for (uint64_t e = 0; e < bough_net_hosts(net); e++) {
        bough_node_name(net, e, all->name[e].name, sizeof all->name[e].name);
        all->name[e].endpoint = e;
    }
    all->names = bough_net_hosts(net);
    for (uint32_t i = 0; h && i < h->count; i++) {
        if (rows_count(&h->endpoints, i) < 2) continue; /* its endpoint has its name */
        endpoint_name *n = &all->name[all->names++];
        n->endpoint = h->endpoints.item[h->endpoints.first[i]];
        net_host_name(net, n->endpoint, n->name, sizeof n->name);
    }
    for (size_t i = 0; i < all->names && !status; i++)
        status = host_map_add(&all->map, all->name[i].name, strlen(all->name[i].name), (uint32_t)i, error);
    return status;
}

/* Families that name endpoints h and a number need no table of names. */
static bool all_numbered(const bough_net *net) {
    char name[128];
    return !net->fabric && strcmp(bough_node_name(net, 0, name, sizeof name), "h0") == 0;
}

bough_status endpoints_find(endpoints *all, const char *field, const char *what, uint64_t *endpoint,
                            bough_error *error) {
    const bough_net *net = all->net;
    char *stop;
    *endpoint = strtoull(field, &stop, 10);
    if (*field >= '0' && *field <= '9' && !*stop) {
        const uint64_t numbers = net_numbers(net);
        if (*endpoint < numbers) {
            *endpoint = net_numbered(net, *endpoint);
            return BOUGH_OK;
        }
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s %s is out of range; there are %" PRIu64 " %s, counted from 0", what, field,
                          numbers, numbers < bough_net_hosts(net) ? "hosts" : "endpoints");
    }
    *endpoint = net_node_numbered(net, field);
    if (*endpoint < bough_net_hosts(net)) return BOUGH_OK;
    const endpoint_name *found = NULL;
    if (!all_numbered(net)) {
        bough_status status = all->name ? BOUGH_OK : index_names(all, error);
        if (status) return status;
        const uint32_t i = host_map_get(&all->map, field, strlen(field));
        if (i != BOUGH_NO_INDEX) found = &all->name[i];
    }
    if (!found)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s '%s' is not the number or name of an endpoint",
                          what, field);
    *endpoint = found->endpoint;
    return BOUGH_OK;
}

void endpoints_fini(endpoints *all) {
    free(all->name);
    host_map_fini(&all->map);
    all->name = NULL;
    all->names = 0;
}

bough_status endpoint_pair_check(const bough_traffic *t, size_t i, uint64_t from, uint64_t to,
                                 bough_error *error) {
    uint64_t most = from > to ? from : to;
    if (most < bough_net_hosts(t->net)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, t->kind->name,
                      "message %zu: endpoint %" PRIu64 " does not exist; %s has %" PRIu64, i, most,
                      t->net->spec, bough_net_hosts(t->net));
}
