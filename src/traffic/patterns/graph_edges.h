/* The traffic `edges`: what a processor array that has the form of a graph sends in one step. */
#ifndef BOUGH_TRAFFIC_PATTERNS_GRAPH_EDGES_H
#define BOUGH_TRAFFIC_PATTERNS_GRAPH_EDGES_H

#include "network/graphs/graph.h"
#include "traffic/traffic.h"

/* The decomposition tree of the graph of `edges`, which gives vertices their endpoints; NULL for other
 * traffic and with order=given. Borrowed. */
const bough_decomposition *edges_decomposition(const bough_traffic *traffic);

extern const bough_traffic_kind bough_traffic_edges;

#endif
