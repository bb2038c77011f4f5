/* Message sets that are hard for every router: a mesh of trees times an expander (bay1991, Theorem 4). Each
 * group of eta^2 consecutive terminals is the vertex set of one expander; the expanders are arranged in a
 * mesh of trees.
 *
 * The paper numbers the vertices of the mesh by their places in a grid of twice the side, with row and column
 * bits interleaved. If N / eta^2 is not a power of four, the grid has more places than available numbers (8
 * vertices in 16 places for N / eta^2 = 8); then the occupied places are counted in that order, which
 * preserves subtrees. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/graphs/graph.h"
#include "network/graphs/mesh_of_trees.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_ETA };

static const bough_param params[] = {
    [P_ETA] = {"eta",
               "a power of two, at most the square root of the endpoints: the reference load factor, up to a "
               "constant",
               BOUGH_INT, "1", 1, 0x1p20, .echo = true},
    BOUGH_PARAMS_END,
};

typedef struct motexp {
    unsigned lg_side; /* of the leaves of the mesh */
    uint32_t *place;  /* per vertex of the mesh */
    bough_graph *expander;
} motexp;

static void motexp_fini(bough_traffic *t) {
    motexp *m = t->data;
    if (!m) return;
    bough_graph_destroy(m->expander);
    FREE_ALL(m->place, m);
}

static uint64_t interleave(uint64_t row, uint64_t column) {
    uint64_t label = 0;
    for (unsigned b = 0; b < 32; b++) label |= (row >> b & 1) << (2 * b + 1) | (column >> b & 1) << (2 * b);
    return label;
}

/* The number of a vertex in the paper: leaves are at even rows and columns, a node of scale s in the middle
 * of its leaves. */
static uint64_t label_of(bough_mesh_vertex v) {
    if (v.tree == BOUGH_MESH_LEAF) return interleave(2 * v.line, 2 * v.index);
    uint64_t along = (v.index << (v.scale + 1)) + (UINT64_C(1) << v.scale) - 1;
    return v.tree == BOUGH_MESH_ROW ? interleave(2 * v.line, along) : interleave(along, 2 * v.line);
}

/* The numbers, or their ranks if numbers exceed `names`. */
static bough_status place_mesh(motexp *m, uint64_t names, bough_error *error) {
    uint64_t vertices = bough_mesh_vertices(m->lg_side), grid = UINT64_C(4) << 2 * m->lg_side, count = 0;
    uint32_t *rank;
    bough_status status = bough_alloc(&m->place, vertices, sizeof *m->place, error);
    if (status) return status;
    for (uint64_t v = 0; v < vertices; v++)
        m->place[v] = (uint32_t)label_of(bough_mesh_vertex_at(m->lg_side, v));
    if (grid <= names) return BOUGH_OK;
    status = bough_alloc(&rank, grid, sizeof *rank, error);
    if (status) return status;
    for (uint64_t v = 0; v < vertices; v++) rank[m->place[v]] = 1;
    for (uint64_t g = 0; g < grid; g++)
        if (rank[g]) rank[g] = (uint32_t)count++;
    for (uint64_t v = 0; v < vertices; v++) m->place[v] = rank[m->place[v]];
    free(rank);
    return BOUGH_OK;
}

static bough_status check_eta(uint64_t eta, const bough_net *net, bough_error *error) {
    uint64_t largest = 1;
    while (4 * largest * largest <= net->endpoints) largest *= 2;
    if (eta & (eta - 1))
        return bough_fail(error, BOUGH_INVALID, NULL, "motexp: eta=%" PRIu64 " is not a power of two", eta);
    if (eta > largest)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "motexp: eta=%" PRIu64 " is larger than the square root of %" PRIu64
                          " endpoints; the maximum is %" PRIu64,
                          eta, net->endpoints, largest);
    return BOUGH_OK;
}

static bough_status motexp_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                bough_error *error) {
    uint64_t eta = (uint64_t)args->value[P_ETA].integer;
    motexp *m;
    bough_status status = check_eta(eta, net, error);
    TRY(bough_alloc(&t->data, 1, sizeof *m, error));
    if (status) return status;
    uint64_t names = net->endpoints / (eta * eta);
    m = t->data;
    while (bough_mesh_vertices(m->lg_side + 1) <= names) m->lg_side++;
    status = bough_memory_check(bough_mul(net->endpoints, 160), "the graph of motexp", error);
    TRY(bough_graph_expander(eta, &m->expander, error));
    TRY(place_mesh(m, names, error));
    if (status) return status;
    t->bytes = bough_mul(bough_mesh_vertices(m->lg_side), sizeof *m->place);
    t->messages =
        bough_mesh_vertices(m->lg_side) * m->expander->edges + bough_mesh_edges(m->lg_side) * eta * eta;
    return BOUGH_OK;
}

static void add_message(const bough_traffic *t, bough_batch *b, uint64_t from, uint64_t to) {
    b->source[b->count] = (uint32_t)from;
    b->address[b->count++] = (uint32_t)bough_endpoint_address(t->net, to);
}

/* The edges of the expander at a vertex of the mesh, from the smaller end. */
static void add_expander(const bough_traffic *t, bough_batch *b, uint64_t place) {
    const motexp *m = t->data;
    const bough_graph *h = m->expander;
    for (uint64_t x = 0; x < h->vertices; x++)
        for (uint64_t i = h->first[x]; i < h->first[x + 1]; i++)
            if (h->neighbour[i] >= x)
                add_message(t, b, place * h->vertices + x, place * h->vertices + h->neighbour[i]);
}

/* One message per edge: in an expander from the smaller vertex, in a tree from the child. */
static bough_status motexp_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                bough_source **out, bough_error *error) {
    (void)key;
    (void)clock;
    const motexp *m = t->data;
    uint64_t size = m->expander->vertices;
    bough_batch b;
    bough_status status = batch_alloc(t->messages, &b, error);
    if (status) return status;
    b.count = 0;
    for (uint64_t v = 0; v < bough_mesh_vertices(m->lg_side); v++) add_expander(t, &b, m->place[v]);
    for (uint64_t e = 0; e < bough_mesh_edges(m->lg_side); e++) {
        uint64_t child, parent;
        bough_mesh_edge(m->lg_side, e, &child, &parent);
        for (uint64_t x = 0; x < size; x++)
            add_message(t, &b, m->place[child] * size + x, m->place[parent] * size + x);
    }
    return batch_source(&b, out, error);
}

const bough_traffic_kind bough_traffic_motexp = {
    .name = "motexp",
    .summary = "a mesh of trees times an expander: slow on every content-preserving router of small area",
    .source = "bay1991, Theorem 4",
    .params = params,
    .shape = BOUGH_BATCH,
    .bind = motexp_bind,
    .open = motexp_open,
    .fini = motexp_fini,
};
