/* Lengths of links give a bound (the dual of the maximum concurrent flow; Shahrokhi, Matula: "The maximum
 * concurrent flow problem", 1990; Garg, Koenemann: "Faster and simpler algorithms for multicommodity flow",
 * 1998). With load t on the most loaded link, the flows fill at most t times the sum of lengths over scales,
 * and they fill at least the sum of flow times distance. Every choice of lengths proves a bound: it is
 * computed from distances, not from the flows by which the lengths were found.
 *
 * The lengths are the marginal costs of the mean of flows on shortest paths, for powers that grow: a link
 * that is loaded more than others becomes longer. Flows divide among shortest paths. */
#include "base/status/stop.h"
#include "fabric/tune/bounds/tune_bound.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    double key;
    uint32_t node;
} entry;

typedef struct dual {
    const tune_graph *g;
    const tune_demand *demand;
    double *length, *mean, *load; /* [arcs] */
    double *distance, *flow;      /* [switches] */
    bool *done;
    uint32_t *order; /* [switches]: by distance */
    entry *heap;     /* [arcs + 1] */
    uint32_t size;
} dual;

/* ---- shortest paths ---- */

static void push(dual *w, double key, uint32_t node) {
    uint32_t i = w->size++;
    for (; i && w->heap[(i - 1) / 2].key > key; i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = (entry){key, node};
}

static entry pop(dual *w) {
    const entry top = w->heap[0], last = w->heap[--w->size];
    uint32_t i = 0;
    for (uint32_t k; (k = 2 * i + 1) < w->size; i = k) {
        if (k + 1 < w->size && w->heap[k + 1].key < w->heap[k].key) k++;
        if (w->heap[k].key >= last.key) break;
        w->heap[i] = w->heap[k];
    }
    w->heap[i] = last;
    return top;
}

/* Returns the number of switches reached. */
static uint32_t search(dual *w, uint32_t start) {
    const tune_graph *g = w->g;
    uint32_t count = 0;
    for (uint32_t s = 0; s < g->switches; s++) w->distance[s] = INFINITY, w->done[s] = false;
    w->size = 0;
    w->distance[start] = 0;
    push(w, 0, start);
    while (w->size) {
        const uint32_t s = pop(w).node;
        if (w->done[s]) continue;
        w->done[s] = true;
        w->order[count++] = s;
        for (uint32_t i = g->out.first[s]; i < g->out.first[s + 1]; i++) {
            const uint32_t a = g->out.item[i], to = g->to[a];
            const double length = w->distance[s] + w->length[a];
            if (length >= w->distance[to]) continue;
            w->distance[to] = length;
            push(w, length, to);
        }
    }
    return count;
}

static bool tight(const dual *w, uint32_t a) {
    const double from = w->distance[w->g->from[a]], to = w->distance[w->g->to[a]];
    return from < to && from + w->length[a] <= to * (1 + 1e-6);
}

/* The flows of a leaf, on its shortest paths, divided equally at every switch on the way back. */
static void send(dual *w, uint32_t leaf, uint32_t count) {
    const tune_graph *g = w->g;
    memset(w->flow, 0, g->switches * sizeof *w->flow);
    for (uint32_t l = 0; l < g->leaves; l++)
        w->flow[g->leaf_switch[l]] = w->demand->flow[(uint64_t)leaf * g->leaves + l];
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t s = w->order[i];
        uint32_t ways = 0;
        if (w->flow[s] == 0) continue;
        for (uint32_t k = g->in.first[s]; k < g->in.first[s + 1]; k++) ways += tight(w, g->in.item[k]);
        for (uint32_t k = g->in.first[s]; k < g->in.first[s + 1]; k++) {
            const uint32_t a = g->in.item[k];
            if (!tight(w, a)) continue;
            w->load[a] += w->flow[s] / ways;
            w->flow[g->from[a]] += w->flow[s] / ways;
        }
    }
}

/* The bound of the lengths; also the loads of flows on shortest paths. */
static double evaluate(dual *w) {
    const tune_graph *g = w->g;
    double needed = 0, room = 0;
    memset(w->load, 0, g->arcs * sizeof *w->load);
    for (uint32_t a = 0; a < g->arcs; a++) room += w->length[a] / g->scale[a];
    for (uint32_t l = 0; l < g->leaves; l++) {
        const uint32_t count = search(w, g->leaf_switch[l]);
        for (uint32_t k = 0; k < g->leaves; k++) {
            const double flow = w->demand->flow[(uint64_t)l * g->leaves + k];
            if (flow > 0) needed += flow * w->distance[g->leaf_switch[k]];
        }
        send(w, l, count);
    }
    return room > 0 ? needed / room : 0;
}

/* ---- iterations ---- */

static bough_status make(dual *w, bough_error *error) {
    const tune_graph *g = w->g;
    const bough_array arrays[] = {
        {&w->length, g->arcs, sizeof *w->length},   {&w->mean, g->arcs, sizeof *w->mean},
        {&w->load, g->arcs, sizeof *w->load},       {&w->distance, g->switches, sizeof *w->distance},
        {&w->flow, g->switches, sizeof *w->flow},   {&w->done, g->switches, sizeof *w->done},
        {&w->order, g->switches, sizeof *w->order}, {&w->heap, (uint64_t)g->arcs + 1, sizeof *w->heap},
    };
    return bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
}

static void fini(dual *w) {
    FREE_ALL(w->length, w->mean, w->load, w->distance, w->flow, w->done, w->order, w->heap);
}

/* Marginal costs of the mean loads. */
static void set_lengths(dual *w, double power) {
    const tune_graph *g = w->g;
    double most = 0;
    for (uint32_t a = 0; a < g->arcs; a++) most = fmax(most, w->mean[a] * g->scale[a]);
    for (uint32_t a = 0; a < g->arcs; a++) {
        const double share = most > 0 ? w->mean[a] * g->scale[a] / most : 1;
        w->length[a] = g->scale[a] * (pow(share, power) + 1e-9);
    }
}

/* Loads are multiples of the smallest portion on every link. */
static double round_up(const tune_graph *g, const tune_demand *demand, double value) {
    double unit = -1, least = INFINITY;
    for (uint32_t l = 0; l < g->leaves; l++) {
        if (demand->unit[l] == 0) continue; /* it sends nothing; fractions have no effect on whole others */
        unit = tune_common_unit(demand->unit[l], fmax(unit, 0));
    }
    for (uint32_t l = 0; l < g->leaves; l++)
        for (uint32_t k = 0; k < g->leaves; k++)
            if (demand->unit[l] == 0 && demand->flow[(uint64_t)l * g->leaves + k] > 0) return value;
    if (unit <= 0) return value;
    for (uint32_t a = 0; a < g->arcs; a++) {
        const double step = unit * g->scale[a];
        least = fmin(least, ceil(value / step * (1 - 1e-9)) * step);
    }
    return fmax(least, value);
}

static void raise_bound(const dual *w, double value, bough_tune_bound *bound) {
    value = round_up(w->g, w->demand, value);
    if (!(value > bound->value * (1 + 1e-12)) || !isfinite(value)) return;
    *bound = (bough_tune_bound){.value = value, .kind = BOUGH_TUNE_BOUND_DUAL, .node = BOUGH_NONE};
}

static bool stopped(const tune_dual_options *o) {
    return stop_asked(o->stop);
}

unsigned tune_dual_iterations(const tune_graph *g) {
    return (unsigned)fmin(300, 10 + 2e8 / (1 + (double)g->leaves * g->arcs));
}

bough_status tune_bound_dual(const tune_graph *g, const tune_demand *demand, const tune_dual_options *options,
                             bough_tune_bound *bound, bough_error *error) {
    dual w = {.g = g, .demand = demand};
    bough_status status = make(&w, error);
    for (uint32_t a = 0; a < g->arcs && !status; a++) w.length[a] = g->scale[a];
    for (unsigned i = 0; i < options->iterations && !status && g->arcs && !stopped(options); i++) {
        const double share = (double)i / options->iterations, step = fmax(1.0 / (i + 1), 0.02);
        raise_bound(&w, evaluate(&w), bound);
        if (bound->value >= options->goal * (1 - 1e-12)) break;
        for (uint32_t a = 0; a < g->arcs; a++) w.mean[a] += step * (w.load[a] - w.mean[a]);
        set_lengths(&w, 2 + 30 * share);
        if (options->progress) options->progress(options->context, share);
    }
    fini(&w);
    return status;
}
