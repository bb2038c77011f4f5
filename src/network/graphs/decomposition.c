#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/graphs/bisection.h"
#include "network/graphs/graph.h"

#include <math.h>
#include <stdlib.h>

void bough_decomposition_destroy(bough_decomposition *d) {
    if (!d) return;
    FREE_ALL(d->place, d);
}

/* A subtree: its vertices, and the first of its 2^height places. */
typedef struct part {
    uint32_t *vertex, count;
    uint64_t first;
    unsigned height;
} part;

static void place_part(bough_decomposition *d, bisector *b, part p) {
    if (p.count == 1) d->place[*p.vertex] = (uint32_t)p.first;
    if (p.count <= 1) return;
    unsigned depth = d->height - p.height;
    uint32_t left = p.count - p.count / 2;
    uint64_t cut = bisect(b, p.vertex, p.count), half = UINT64_C(1) << (p.height - 1);
    if (cut > d->cut[depth]) d->cut[depth] = cut;
    place_part(d, b, (part){p.vertex, left, p.first, p.height - 1});
    place_part(d, b, (part){p.vertex + left, p.count - left, p.first + half, p.height - 1});
}

bough_status bough_graph_decompose(const bough_graph *g, bough_decomposition **out, bough_error *error) {
    *out = NULL;
    if (g->vertices == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "a graph without vertices has no cuts");
    bough_decomposition *d = NULL;
    uint32_t *vertex = NULL;
    bisector b = {0};
    bough_status status = bough_alloc(&d, 1, sizeof *d, error);
    TRY(bough_alloc(&d->place, g->vertices, sizeof *d->place, error));
    TRY(bough_alloc(&vertex, g->vertices, sizeof *vertex, error));
    TRY(bisector_make(g, &b, error));
    if (!status) {
        d->vertices = g->vertices;
        while (UINT64_C(1) << d->height < g->vertices) d->height++;
        for (uint64_t v = 0; v < g->vertices; v++) vertex[v] = (uint32_t)v;
        place_part(d, &b, (part){vertex, (uint32_t)g->vertices, 0, d->height});
        for (unsigned i = 0; i < d->height; i++)
            d->bifurcator = fmax(d->bifurcator, (double)d->cut[i] * exp2(0.5 * i));
        *out = d;
    } else {
        bough_decomposition_destroy(d);
    }
    bisector_fini(&b);
    free(vertex);
    return status;
}

bough_area_bounds bough_decomposition_area(const bough_decomposition *d) {
    double f = d->bifurcator, n = (double)d->vertices, lg = f > 0 && f < n ? log2(n / f) : 0;
    return (bough_area_bounds){fmax(f * f, n), fmax(f * f * fmax(lg * lg, 1), n)};
}
