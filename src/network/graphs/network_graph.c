#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/graphs/graph.h"

#include <stdlib.h>

typedef struct edge_list {
    uint32_t (*edge)[2];
    uint64_t edges;
} edge_list;

static void add_cables(const bough_net *net, uint64_t node, const uint32_t *vertex, edge_list *list) {
    for (uint32_t i = 0; i < net->ops->node_group_count(net, node); i++) {
        bough_range links = net->ops->group_links(net, net->ops->node_group(net, node, i));
        for (uint64_t l = links.first; l < links.first + links.count; l++) {
            if (!bough_link_alive(net, l)) continue;
            list->edge[list->edges][0] = vertex[node];
            list->edge[list->edges++][1] = vertex[net->ops->link_end(net, l).node];
        }
    }
}

/* The only switch that an endpoint has cables to, or BOUGH_NONE. */
static uint64_t only_switch(const bough_net *net, uint64_t endpoint) {
    uint64_t found = BOUGH_NONE;
    for (uint32_t i = 0; i < net->ops->node_group_count(net, endpoint); i++) {
        bough_range links = net->ops->group_links(net, net->ops->node_group(net, endpoint, i));
        for (uint64_t l = links.first; l < links.first + links.count; l++) {
            uint64_t node = net->ops->link_end(net, l).node;
            if (!bough_link_alive(net, l) || node == found) continue;
            if (found != BOUGH_NONE || node < net->endpoints) return BOUGH_NONE;
            found = node;
        }
    }
    return found;
}

/* vertex[node]; returns the number of vertices. */
static uint64_t number_vertices(const bough_net *net, uint32_t *vertex, uint32_t *guests) {
    uint64_t count = net->endpoints;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t node = only_switch(net, e);
        vertex[e] = (uint32_t)e;
        if (node == BOUGH_NONE) continue;
        guests[node]++;
        vertex[node] = (uint32_t)e;
    }
    for (uint64_t node = net->endpoints; node < net->nodes; node++)
        if (guests[node] != 1) vertex[node] = (uint32_t)count++;
    return count;
}

bough_status bough_graph_of_network(const bough_net *net, bough_graph **out, bough_error *error) {
    *out = NULL;
    uint32_t *vertex = NULL, *guests = NULL;
    edge_list list = {0};
    if (net->nodes > BOUGH_GRAPH_VERTICES_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "a graph has at most 2^31 vertices, and %s more nodes", net->spec);
    bough_status status = bough_alloc(&vertex, net->nodes, sizeof *vertex, error);
    TRY(bough_alloc(&guests, net->nodes, sizeof *guests, error));
    TRY(bough_alloc(&list.edge, net->links, sizeof *list.edge, error));
    if (!status) {
        uint64_t vertices = number_vertices(net, vertex, guests);
        for (uint64_t node = 0; node < net->nodes; node++) add_cables(net, node, vertex, &list);
        status = bough_graph_make(vertices, (const uint32_t(*)[2])list.edge, list.edges, out, error);
    }
    FREE_ALL(vertex, guests, list.edge);
    return status;
}
