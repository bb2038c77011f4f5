#include "network/hosts.h"

#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/memory/union_find.h"
#include "base/status/try.h"
#include "formats/fabrics/fabric.h"
#include "formats/slurm/host_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = BOUGH_FABRIC_HOST_NAME };

char *net_host_name(const bough_net *net, uint64_t endpoint, char *buffer, size_t size) {
    return bough_fabric_host_name(&net->fabric->node[bough_net_fabric_node(net, endpoint)], buffer, size);
}

static bough_status name_hosts(const bough_net *net, net_hosts *h, bough_error *error) {
    bough_name_map map = {0};
    char(*names)[NAME]; /* of hosts; the map borrows them */
    bough_status status = bough_alloc(&names, bough_net_hosts(net), sizeof *names, error);
    for (uint64_t e = 0; e < bough_net_hosts(net) && !status; e++) {
        const char *name = net_host_name(net, e, names[h->count], sizeof names[0]);
        uint32_t host = bough_name_map_get(&map, name, strlen(name));
        if (host == BOUGH_NO_INDEX) {
            host = h->count++;
            status = bough_name_map_add(&map, name, strlen(name), host, error);
        }
        h->of[e] = host;
    }
    bough_name_map_fini(&map);
    free(names);
    return status;
}

typedef struct named_endpoint {
    uint32_t endpoint;
    char name[NAME];
} named_endpoint;

static int by_name(const void *a, const void *b) {
    const named_endpoint *x = a, *y = b;
    const int order = host_name_compare(x->name, y->name);
    return order ? order : (x->endpoint > y->endpoint) - (x->endpoint < y->endpoint);
}

/* Sorts the endpoints of each host that has several. */
static bough_status sort_endpoints(const bough_net *net, net_hosts *h, bough_error *error) {
    named_endpoint *list;
    bough_status status = bough_alloc(&list, h->most, sizeof *list, error);
    for (uint32_t i = 0; i < h->count && h->most > 1 && !status; i++) {
        uint32_t *item = h->endpoints.item + h->endpoints.first[i], count = rows_count(&h->endpoints, i);
        for (uint32_t k = 0; k < count; k++) {
            list[k].endpoint = item[k];
            bough_node_name(net, item[k], list[k].name, sizeof list[k].name);
        }
        qsort(list, count, sizeof *list, by_name);
        for (uint32_t k = 0; k < count; k++) item[k] = list[k].endpoint;
    }
    free(list);
    return status;
}

/* ---- planes ---- */

static void count_pairs(net_hosts *h) {
    for (uint32_t e = 0; e < h->endpoints.items; e++) h->size[h->plane[e]]++;
    for (uint32_t p = 0; p < h->planes; p++) {
        h->pairs += h->size[p] * (h->size[p] - 1);
        if (h->size[p] - 1 > h->partners) h->partners = h->size[p] - 1;
    }
}

/* Hosts with an endpoint in every part. */
static uint32_t count_complete(const net_hosts *h) {
    uint32_t complete = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        uint64_t had = 0;
        for (uint32_t k = h->endpoints.first[i]; k < h->endpoints.first[i + 1]; k++)
            had |= UINT64_C(1) << h->plane[h->endpoints.item[k]];
        complete += (uint32_t)__builtin_popcountll(had) == h->planes;
    }
    return complete;
}

/* Parts are numbered in the order of their first endpoints. Returns false for more than NET_PLANES_MAX. */
static bool number_parts(const bough_net *net, net_hosts *h, uint32_t *parent, uint32_t *number) {
    for (uint64_t v = 0; v < net->nodes; v++) parent[v] = (uint32_t)v, number[v] = UINT32_MAX;
    for (uint64_t l = 0; l < net->links; l++)
        union_join(parent, (uint32_t)net->ops->link_end(net, l).node, (uint32_t)bough_link_start(net, l));
    for (uint32_t e = 0; e < h->endpoints.items; e++) {
        uint32_t *part = &number[union_find(parent, e)];
        if (*part == UINT32_MAX && h->planes == NET_PLANES_MAX) return false;
        if (*part == UINT32_MAX) *part = h->planes++;
        h->plane[e] = *part;
    }
    return true;
}

static bough_status find_planes(const bough_net *net, net_hosts *h, bough_error *error) {
    uint32_t *parent = NULL, *number = NULL;
    bough_status status = bough_alloc(&h->plane, h->endpoints.items, sizeof *h->plane, error);
    TRY(bough_alloc(&parent, net->nodes, sizeof *parent, error));
    TRY(bough_alloc(&number, net->nodes, sizeof *number, error));
    const bool few = !status && number_parts(net, h, parent, number);
    if (!few || h->planes < 2 || 2 * (uint64_t)count_complete(h) <= h->count) {
        free(h->plane);
        h->plane = NULL;
        h->planes = 1;
    } else {
        count_pairs(h);
    }
    FREE_ALL(parent, number);
    return status;
}

static uint32_t row_of(const void *of, uint32_t endpoint) {
    return ((const uint32_t *)of)[endpoint];
}

static bough_status list_endpoints(net_hosts *h, uint32_t endpoints, bough_error *error) {
    h->endpoints = (compressed_rows){.rows = h->count, .items = endpoints};
    bough_status status = rows_make(&h->endpoints, row_of, h->of, error);
    for (uint32_t i = 0; i < h->count && !status; i++)
        if (rows_count(&h->endpoints, i) > h->most) h->most = rows_count(&h->endpoints, i);
    return status;
}

uint32_t net_host_place(const net_hosts *h, uint32_t endpoint) {
    const uint32_t *own = h->endpoints.item + h->endpoints.first[h->of[endpoint]];
    uint32_t place = 0;
    if (h->place) return h->place[endpoint];
    while (own[place] != endpoint) place++;
    return place;
}

bough_status net_hosts_choose(const net_hosts *all, const uint32_t *endpoint, uint32_t count, net_hosts *h,
                              bough_error *error) {
    uint32_t *number = NULL; /* + 1 */
    *h = (net_hosts){.planes = 1};
    bough_status status = bough_alloc(&h->of, count, sizeof *h->of, error);
    TRY(bough_alloc(&h->place, count, sizeof *h->place, error));
    TRY(bough_alloc(&number, all->count, sizeof *number, error));
    for (uint32_t e = 0; e < count && !status; e++) {
        uint32_t *host = &number[all->of[endpoint[e]]];
        if (!*host) *host = ++h->count;
        h->of[e] = *host - 1;
        h->place[e] = net_host_place(all, endpoint[e]);
    }
    free(number);
    return status ? status : list_endpoints(h, count, error);
}

bough_status net_hosts_make(const bough_net *net, net_hosts *h, bough_error *error) {
    const uint64_t endpoints = bough_net_hosts(net);
    *h = (net_hosts){0};
    if (endpoints >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, net->spec, "more than 2^32 endpoints");
    bough_status status = bough_alloc(&h->of, endpoints, sizeof *h->of, error);
    const uint32_t unit = net->compute ? net->compute->setting->gpus : 1;
    if (!status && net->fabric && !net->compute) {
        h->listed = net->fabric->servers != NULL;
        status = name_hosts(net, h, error);
    } else if (!status) {
        for (uint64_t e = 0; e < endpoints; e++) h->of[e] = (uint32_t)(e / unit);
        h->count = (uint32_t)((endpoints + unit - 1) / unit);
    }
    TRY(list_endpoints(h, (uint32_t)endpoints, error));
    if (!status && net->fabric && !net->compute) status = sort_endpoints(net, h, error);
    if (!status && net->fabric && !net->compute) status = find_planes(net, h, error);
    return status;
}

uint64_t net_hosts_with(const net_hosts *h, uint32_t endpoints) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < h->count; i++) count += rows_count(&h->endpoints, i) >= endpoints;
    return count;
}

void net_hosts_fini(net_hosts *h) {
    FREE_ALL(h->of, h->plane, h->place);
    rows_fini(&h->endpoints);
    *h = (net_hosts){0};
}

/* ---- planes ---- */

bough_status net_plane_order_make(const bough_net *net, arena *memory, net_plane_order *order,
                                  bough_error *error) {
    uint64_t next[NET_PLANES_MAX] = {0};
    *order = (net_plane_order){.planes = net->hosts && net->hosts->plane ? net->hosts->planes : 1};
    bough_status status = arena_alloc(memory, &order->member, net->endpoints, sizeof *order->member, error);
    TRY(arena_alloc(memory, &order->rank, net->endpoints, sizeof *order->rank, error));
    for (uint64_t e = 0; e < net->endpoints && !status; e++)
        order->rank[e] = (uint32_t)next[net_plane(net, e)]++;
    for (uint32_t p = 0; p < order->planes; p++) order->first[p + 1] = order->first[p] + next[p];
    for (uint64_t e = 0; e < net->endpoints && !status; e++)
        order->member[order->first[net_plane(net, e)] + order->rank[e]] = (uint32_t)e;
    return status;
}
