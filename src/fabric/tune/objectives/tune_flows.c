/* Loads of all flows at once. The weight of an entry is the number of flows that use it; a change moves them
 * from one arc to another on both paths, up to where these meet. */
#include "fabric/tune/objectives/tune_model.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct flows {
    tune_model model;
    double *demand; /* NULL: one flow between any two hosts */
    double *weight; /* [host * switches + switch] */
    double *load;   /* [arcs] */
} flows;

static double demand_of(const flows *w, uint32_t host, uint32_t leaf) {
    const tune_graph *g = w->model.tables->graph;
    return w->demand ? w->demand[(uint64_t)host * g->leaves + leaf]
                     : g->leaf_hosts[leaf] * tune_share(g, host);
}

static void recount(tune_model *model) {
    flows *w = (flows *)model;
    const tune_graph *g = model->tables->graph;
    memset(w->load, 0, g->arcs * sizeof *w->load);
    memset(w->weight, 0, (uint64_t)g->destinations * g->switches * sizeof *w->weight);
    for (uint32_t d = 0; d < g->destinations; d++)
        for (uint32_t l = 0; l < g->leaves && g->leaf_of[d] != BOUGH_NO_INDEX; l++) {
            if (l == g->leaf_of[d]) continue;
            const uint32_t *next = tune_entry(model->tables, d, 0);
            const double flow = demand_of(w, d, l);
            for (uint32_t s = g->leaf_switch[l]; next[s] != BOUGH_NO_INDEX; s = g->to[next[s]]) {
                w->weight[(uint64_t)d * g->switches + s] += flow;
                w->load[next[s]] += flow;
            }
        }
}

static double value(const tune_model *model, uint32_t arc) {
    return ((const flows *)model)->load[arc] * model->tables->graph->scale[arc];
}

static inline double cost(const flows *w, uint32_t arc, double load) {
    return tune_power(load * w->model.tables->graph->scale[arc] / w->model.reference, w->model.power);
}

static double delta(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    const flows *w = (const flows *)model;
    const tune_graph *g = model->tables->graph;
    const uint32_t *next = tune_entry(model->tables, host, 0);
    const double flow = w->weight[(uint64_t)host * g->switches + node];
    double sum = 0;
    if (flow == 0) return 0;
    for (uint32_t old = next[node];;) {
        const double left = w->load[old], taken = w->load[arc];
        sum += cost(w, old, left - flow) - cost(w, old, left);
        sum += cost(w, arc, taken + flow) - cost(w, arc, taken);
        if (g->to[old] == g->to[arc]) return sum;
        old = next[g->to[old]];
        arc = next[g->to[arc]];
    }
}

static void apply(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    flows *w = (flows *)model;
    const tune_graph *g = model->tables->graph;
    uint32_t *next = tune_entry(model->tables, host, 0), old = next[node], at = arc;
    double *weight = &w->weight[(uint64_t)host * g->switches];
    const double flow = weight[node];
    for (;;) {
        w->load[old] -= flow;
        w->load[at] += flow;
        if (g->to[old] == g->to[at]) break;
        weight[g->to[old]] -= flow;
        weight[g->to[at]] += flow;
        old = next[g->to[old]];
        at = next[g->to[at]];
    }
    next[node] = arc;
}

static bool matters(tune_model *model, uint32_t host, uint32_t node, const tune_peak *peak) {
    const flows *w = (const flows *)model;
    (void)peak;
    return w->weight[(uint64_t)host * model->tables->graph->switches + node] != 0;
}

static void destroy(tune_model *model) {
    flows *w = (flows *)model;
    FREE_ALL(w->demand, w->weight, w->load, w);
}

static const tune_model_ops ops = {delta,           apply,   recount, tune_arcs_score,
                                   tune_arcs_peaks, matters, destroy, value};

bough_status tune_model_flows(tune_tables *tables, double *demand, double base, tune_model **model,
                              bough_error *error) {
    const tune_graph *g = tables->graph;
    const uint64_t entries = bough_mul(g->destinations, g->switches);
    flows *w;
    *model = NULL;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) {
        free(demand);
        return status;
    }
    w->model =
        (tune_model){.ops = &ops, .tables = tables, .power = 2, .steep = 64, .reference = 1, .base = base};
    w->demand = demand;
    status = bough_memory_check(bough_mul(entries, sizeof *w->weight), "the loads of the tables", error);
    TRY(bough_alloc(&w->weight, entries, sizeof *w->weight, error));
    TRY(bough_alloc(&w->load, g->arcs, sizeof *w->load, error));
    if (status) {
        destroy(&w->model);
        return status;
    }
    *model = &w->model;
    recount(*model);
    return BOUGH_OK;
}
