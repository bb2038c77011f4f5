/* One message over every edge of a graph, in both directions. Vertices are endpoints in the order of a
 * decomposition tree, as bay1991 (Proposition 1) labels the terminals of a router that is simulated. */
#include "traffic/patterns/graph_edges.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/spec_or_file.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { P_OF, P_ORDER };
enum { ORDER_CUTS, ORDER_GIVEN };

static const bough_param params[] = {
    [P_OF] = {"of",
              "a network, quoted if its spec contains commas (of=\"kary:k=4,levels=2\"), a file of one, or "
              "expander:side=S, the expander of Gabber and Galil on S x S vertices",
              BOUGH_TEXT, NULL, .echo = true},
    [P_ORDER] = {"order", "cuts: few edges leave a subtree of endpoints; given: vertex v is endpoint v",
                 BOUGH_CHOICE, "cuts", .choices = "cuts|given"},
    BOUGH_PARAMS_END,
};

typedef struct graph_edges {
    bough_graph *graph;
    bough_decomposition *cuts; /* NULL: order=given */
    uint32_t *endpoint;        /* of a vertex */
} graph_edges;

static void edges_fini(bough_traffic *t) {
    graph_edges *e = t->data;
    if (!e) return;
    bough_graph_destroy(e->graph);
    bough_decomposition_destroy(e->cuts);
    FREE_ALL(e->endpoint, e);
}

/* True if the traffic is the edges of a graph. */
static bool is_edges(const bough_traffic *t) {
    return t && t->kind == &bough_traffic_edges;
}

const bough_decomposition *edges_decomposition(const bough_traffic *t) {
    return is_edges(t) ? ((const graph_edges *)t->data)->cuts : NULL;
}

static bough_status make_expander(const char *text, bough_graph **graph, bough_error *error) {
    static const bough_param side[] = {{"side", "", BOUGH_INT, NULL, 1, 0x1p14}, BOUGH_PARAMS_END};
    bough_spec spec;
    bough_args args = {0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    status = bough_args_bind(&spec, side, "expander", &args, error);
    TRY(bough_graph_expander((uint64_t)args.value[0].integer, graph, error));
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

static bough_status make_graph(const char *of, const bough_registry *registry, bough_graph **graph,
                               bough_error *error) {
    if (strncmp(of, "expander:", 9) == 0) return make_expander(of, graph, error);
    bough_text spec = {0};
    bough_net *net = NULL;
    put_network_spec(&spec, registry, of, false);
    bough_status status = spec.failed ? bough_fail_memory(error, strlen(of)) : BOUGH_OK;
    TRY(bough_net_open(spec.data, registry, &net, error));
    TRY(bough_graph_of_network(net, graph, error));
    bough_net_destroy(net);
    bough_text_fini(&spec);
    return status;
}

/* Endpoints are the places of the vertices, or their ranks if there are more places than endpoints. */
static bough_status place_vertices(graph_edges *e, const bough_net *net, bough_error *error) {
    uint64_t vertices = e->graph->vertices, places = e->cuts ? UINT64_C(1) << e->cuts->height : vertices;
    uint32_t *rank = NULL, count = 0;
    bough_status status = bough_alloc(&e->endpoint, vertices, sizeof *e->endpoint, error);
    TRY(bough_alloc(&rank, places, sizeof *rank, error));
    if (status) return status;
    for (uint64_t v = 0; v < vertices; v++) e->endpoint[v] = e->cuts ? e->cuts->place[v] : (uint32_t)v;
    for (uint64_t v = 0; v < vertices; v++) rank[e->endpoint[v]] = 1;
    for (uint64_t p = 0; p < places; p++) {
        count += rank[p];
        rank[p] = count - rank[p];
    }
    for (uint64_t v = 0; v < vertices && places > net->endpoints; v++) e->endpoint[v] = rank[e->endpoint[v]];
    free(rank);
    return BOUGH_OK;
}

static bough_status edges_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    graph_edges *e;
    bough_status status = bough_alloc(&t->data, 1, sizeof *e, error);
    if (status) return status;
    e = t->data;
    status = make_graph(args->value[P_OF].text, net->registry, &e->graph, error);
    if (status) return status;
    if (e->graph->vertices > net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "edges: the graph of %s has %" PRIu64 " vertices, but %s has only %" PRIu64
                          " endpoints",
                          args->value[P_OF].text, e->graph->vertices, net->spec, net->endpoints);
    if (e->graph->edges == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "edges: the graph of %s has no edges",
                          args->value[P_OF].text);
    if (args->value[P_ORDER].integer == ORDER_CUTS) status = bough_graph_decompose(e->graph, &e->cuts, error);
    TRY(place_vertices(e, net, error));
    t->messages = 2 * e->graph->edges;
    t->bytes = bough_add(bough_mul(e->graph->vertices, 16), bough_mul(e->graph->edges, 8));
    return status;
}

static bough_status edges_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                               bough_source **out, bough_error *error) {
    (void)key;
    (void)clock;
    const graph_edges *e = t->data;
    const bough_graph *g = e->graph;
    bough_batch b;
    bough_status status = batch_alloc(t->messages, &b, error);
    if (status) return status;
    for (uint64_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
            b.source[i] = e->endpoint[v];
            b.address[i] = (uint32_t)bough_endpoint_address(t->net, e->endpoint[g->neighbour[i]]);
        }
    return batch_source(&b, out, error);
}

const bough_traffic_kind bough_traffic_edges = {
    .name = "edges",
    .summary = "a message over every edge of a graph, in both directions",
    .source = "bay1991, section 2",
    .params = params,
    .shape = BOUGH_BATCH,
    .bind = edges_bind,
    .open = edges_open,
    .fini = edges_fini,
};
