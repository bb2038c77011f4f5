#include "base/compare.h"
#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "network/graphs/graph.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- bisection ---- */

/* Halves of a graph with few edges between them, by moves of single vertices (Kernighan and Lin, 1970;
 * Fiduccia and Mattheyses, 1982) from several starts. A heuristic: the cut is an upper bound of the smallest
 * one. */

/* Memory for the bisections of one graph. */
typedef struct bisector {
    const bough_graph *graph;
    uint32_t *next, *previous; /* lists of vertices of equal gain */
    uint32_t *head;            /* [2][2 degree + 1] */
    uint32_t *order, *best;    /* [vertices] */
    int32_t *gain;
    uint8_t *side; /* 0, 1; 2: not in the part */
    bool *moved;
    uint32_t degree; /* the largest */
    int32_t top[2];  /* the highest gain of a list that may be occupied */
} bisector;

#define NONE UINT32_MAX
enum { RANDOM_STARTS = 4, PASSES_MAX = 30, OUTSIDE = 2 };

/* Errors: NO_MEMORY. O(vertices). */
static bough_status bisector_make(const bough_graph *g, bisector *b, bough_error *error) {
    *b = (bisector){.graph = g};
    for (uint64_t v = 0; v < g->vertices; v++)
        if (g->first[v + 1] - g->first[v] > b->degree) b->degree = (uint32_t)(g->first[v + 1] - g->first[v]);
    const bough_array array[] = {
        {&b->next, g->vertices, sizeof *b->next},
        {&b->previous, g->vertices, sizeof *b->previous},
        {&b->order, g->vertices, sizeof *b->order},
        {&b->best, g->vertices, sizeof *b->best},
        {&b->gain, g->vertices, sizeof *b->gain},
        {&b->side, g->vertices, sizeof *b->side},
        {&b->moved, g->vertices, sizeof *b->moved},
        {&b->head, 2 * (2 * (uint64_t)b->degree + 1), sizeof *b->head},
    };
    bough_status status = bough_alloc_all(array, sizeof array / sizeof *array, error);
    if (!status) memset(b->side, OUTSIDE, g->vertices);
    return status;
}

static void bisector_fini(bisector *b) {
    FREE_ALL(b->next, b->previous, b->head, b->order, b->best, b->gain, b->side, b->moved);
}

/* ---- lists of vertices by gain ---- */

static uint32_t *list_of(bisector *b, unsigned side, int32_t gain) {
    return &b->head[side * (2 * b->degree + 1) + (uint32_t)(gain + (int32_t)b->degree)];
}

static void list_add(bisector *b, uint32_t v) {
    uint32_t *head = list_of(b, b->side[v], b->gain[v]);
    b->previous[v] = NONE;
    b->next[v] = *head;
    if (*head != NONE) b->previous[*head] = v;
    *head = v;
    if (b->gain[v] > b->top[b->side[v]]) b->top[b->side[v]] = b->gain[v];
}

static void list_remove(bisector *b, uint32_t v) {
    if (b->previous[v] == NONE)
        *list_of(b, b->side[v], b->gain[v]) = b->next[v];
    else
        b->next[b->previous[v]] = b->next[v];
    if (b->next[v] != NONE) b->previous[b->next[v]] = b->previous[v];
}

/* The vertex of a side with the highest gain, or NONE. */
static uint32_t list_best(bisector *b, unsigned side) {
    for (; b->top[side] >= -(int32_t)b->degree; b->top[side]--)
        if (*list_of(b, side, b->top[side]) != NONE) return *list_of(b, side, b->top[side]);
    return NONE;
}

/* ---- one pass ---- */

/* Puts all vertices into lists. Returns the number of edges between the sides. */
static uint64_t fill_lists(bisector *b, const uint32_t *vertex, uint32_t count) {
    const bough_graph *g = b->graph;
    uint64_t ends = 0;
    for (uint32_t i = 0; i < 2 * (2 * b->degree + 1); i++) b->head[i] = NONE;
    b->top[0] = b->top[1] = -(int32_t)b->degree;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t v = vertex[i];
        b->gain[v] = 0;
        b->moved[v] = false;
        for (uint64_t j = g->first[v]; j < g->first[v + 1]; j++) {
            unsigned side = b->side[g->neighbour[j]];
            if (side == OUTSIDE) continue;
            b->gain[v] += side == b->side[v] ? -1 : 1;
            ends += side != b->side[v];
        }
        list_add(b, v);
    }
    return ends / 2;
}

static void move_vertex(bisector *b, uint32_t v) {
    const bough_graph *g = b->graph;
    list_remove(b, v);
    b->moved[v] = true;
    b->side[v] ^= 1;
    for (uint64_t j = g->first[v]; j < g->first[v + 1]; j++) {
        uint32_t w = g->neighbour[j];
        if (b->side[w] == OUTSIDE || b->moved[w]) continue;
        list_remove(b, w);
        b->gain[w] += b->side[w] == b->side[v] ? -2 : 2;
        list_add(b, w);
    }
}

/* Moves vertices from the two sides in turn, each once, and keeps the moves up to the smallest cut. Returns
 * that cut. */
static uint64_t improve(bisector *b, const uint32_t *vertex, uint32_t count) {
    int64_t cut = (int64_t)fill_lists(b, vertex, count), least = cut;
    uint32_t moves = 0, kept = 0;
    for (uint32_t v; (v = list_best(b, moves & 1)) != NONE;) {
        cut -= b->gain[v];
        move_vertex(b, v);
        b->order[moves++] = v;
        if (moves % 2 == 0 && cut < least) {
            least = cut;
            kept = moves;
        }
    }
    while (moves > kept) b->side[b->order[--moves]] ^= 1;
    return (uint64_t)least;
}

/* ---- starts ---- */

/* Appends the neighbours of v that were not found before. */
static uint32_t find_neighbours(bisector *b, uint32_t v, uint32_t found) {
    const bough_graph *g = b->graph;
    for (uint64_t j = g->first[v]; j < g->first[v + 1]; j++) {
        uint32_t w = g->neighbour[j];
        if (b->side[w] == OUTSIDE || b->moved[w]) continue;
        b->moved[w] = true;
        b->order[found++] = w;
    }
    return found;
}

/* Vertices in the order of their distance from the first one; those it does not reach follow in the same way.
 */
static void order_by_distance(bisector *b, uint32_t *vertex, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) b->moved[vertex[i]] = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = found;
        if (b->moved[vertex[i]]) continue;
        b->moved[vertex[i]] = true;
        b->order[found++] = vertex[i];
        while (at < found) found = find_neighbours(b, b->order[at++], found);
    }
    memcpy(vertex, b->order, count * sizeof *vertex);
}

static void shuffle(uint32_t *vertex, uint32_t count, uint64_t start) {
    bough_stream draw = bough_stream_make(bough_key_make(0, 0), BOUGH_DRAW_PERMUTATION, count, start);
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)bough_stream_below(&draw, i), v = vertex[i - 1];
        vertex[i - 1] = vertex[j];
        vertex[j] = v;
    }
}

/* 0: by number; 1: by distance from the vertex that is farthest from the first; then random ones. */
static void order_start(bisector *b, uint32_t *vertex, uint32_t count, unsigned start) {
    qsort(vertex, count, sizeof *vertex, bough_compare_u32);
    if (start == 1) {
        order_by_distance(b, vertex, count);
        uint32_t last = vertex[count - 1];
        vertex[count - 1] = vertex[0];
        vertex[0] = last;
        order_by_distance(b, vertex, count);
    }
    if (start > 1) shuffle(vertex, count, start);
}

/* Reorders vertex[0 .. count - 1] so that the first `left` of them, with left = ceil(count / 2), are one
 * half. Returns the number of edges between the halves. The same for every run. About 40 (count + edges)
 * steps. */
static uint64_t bisect(bisector *b, uint32_t *vertex, uint32_t count) {
    uint32_t left = count - count / 2, low = 0, high = left;
    uint64_t least = UINT64_MAX;
    for (unsigned start = 0; start < 2 + RANDOM_STARTS && least > 0; start++) {
        for (uint32_t i = 0; i < count; i++) b->side[vertex[i]] = 0;
        order_start(b, vertex, count, start);
        for (uint32_t i = 0; i < count; i++) b->side[vertex[i]] = i >= left;
        uint64_t cut = improve(b, vertex, count), before = cut + 1;
        for (unsigned pass = 1; pass < PASSES_MAX && cut < before; pass++) {
            before = cut;
            cut = improve(b, vertex, count);
        }
        if (cut >= least) continue;
        least = cut;
        for (uint32_t i = 0; i < count; i++) b->best[i] = vertex[i] | (uint32_t)b->side[vertex[i]] << 31;
    }
    qsort(b->best, count, sizeof *b->best, bough_compare_u32);
    for (uint32_t i = 0; i < count; i++) {
        b->side[b->best[i] & ~(UINT32_C(1) << 31)] = OUTSIDE;
        vertex[b->best[i] >> 31 ? high++ : low++] = b->best[i] & ~(UINT32_C(1) << 31);
    }
    return least;
}

/* ---- decomposition ---- */

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
