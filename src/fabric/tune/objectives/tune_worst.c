/* Sources and destinations whose flows use a link: a permutation has at most the smaller number of them on
 * it. A change counts the leaves whose paths it moves once more or once less on each link. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/objectives/tune_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct worst {
    tune_model model;
    uint32_t *uses;         /* [arc * leaves + leaf]: hosts to which paths of the leaf use the arc */
    uint32_t *sources, *to; /* [arcs]: hosts that send over the arc; hosts to which it leads */
    uint32_t *through;      /* [host * switches + switch]: leaves whose paths to the host use the switch */
    uint32_t *stack, *leaf; /* [switches] */
    uint32_t leaves;
} worst;

static void find_leaves(worst *w, uint32_t host, uint32_t node) {
    w->leaves = tune_leaves_through(w->model.tables, host, node, &(tune_leaves){w->stack, w->leaf});
}

static void use(worst *w, uint32_t arc, uint32_t leaf, int change) {
    const tune_graph *g = w->model.tables->graph;
    uint32_t *uses = &w->uses[(uint64_t)arc * g->leaves + leaf];
    if (change > 0 && (*uses)++ == 0) w->sources[arc] += g->leaf_hosts[leaf];
    if (change < 0 && --*uses == 0) w->sources[arc] -= g->leaf_hosts[leaf];
}

/* The path of a leaf to a host. */
static void add_path(worst *w, uint32_t host, uint32_t leaf) {
    const tune_graph *g = w->model.tables->graph;
    const uint32_t *next = tune_entry(w->model.tables, host, 0);
    for (uint32_t s = g->leaf_switch[leaf]; next[s] != BOUGH_NO_INDEX; s = g->to[next[s]]) {
        w->to[next[s]] += w->through[(uint64_t)host * g->switches + s]++ == 0;
        use(w, next[s], leaf, 1);
    }
}

static void recount(tune_model *model) {
    worst *w = (worst *)model;
    const tune_graph *g = model->tables->graph;
    memset(w->uses, 0, (uint64_t)g->arcs * g->leaves * sizeof *w->uses);
    memset(w->sources, 0, g->arcs * sizeof *w->sources);
    memset(w->to, 0, g->arcs * sizeof *w->to);
    memset(w->through, 0, (uint64_t)g->hosts * g->switches * sizeof *w->through);
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t l = 0; l < g->leaves && g->leaf_of[d] != BOUGH_NO_INDEX; l++)
            if (l != g->leaf_of[d]) add_path(w, d, l);
}

static double value(const tune_model *model, uint32_t arc) {
    const worst *w = (const worst *)model;
    const uint32_t a = w->sources[arc], b = w->to[arc];
    return (a < b ? a : b) * w->model.tables->graph->scale[arc];
}

static double cost(const worst *w, uint32_t arc) {
    return tune_power(value(&w->model, arc) / w->model.reference, w->model.power);
}

/* The arcs that differ are changed, and what they cost before and after is summed. */
static double change(worst *w, uint32_t host, uint32_t node, uint32_t arc) {
    const tune_graph *g = w->model.tables->graph;
    uint32_t *next = tune_entry(w->model.tables, host, 0), old = next[node], at = arc;
    uint32_t *through = &w->through[(uint64_t)host * g->switches];
    double sum = 0;
    find_leaves(w, host, node);
    for (uint32_t s = node, t = node; w->leaves;) {
        sum -= cost(w, old) + cost(w, at);
        for (uint32_t i = 0; i < w->leaves; i++) {
            use(w, old, w->leaf[i], -1);
            use(w, at, w->leaf[i], 1);
        }
        if (s == t) { /* the switch whose entry changes */
            w->to[old]--;
            w->to[at]++;
        } else {
            through[s] -= w->leaves;
            w->to[old] -= through[s] == 0;
            w->to[at] += through[t] == 0;
            through[t] += w->leaves;
        }
        sum += cost(w, old) + cost(w, at);
        s = g->to[old];
        t = g->to[at];
        if (s == t) break;
        old = next[s];
        at = next[t];
    }
    next[node] = arc;
    return sum;
}

static double delta(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    const uint32_t old = *tune_entry(model->tables, host, node);
    const double sum = change((worst *)model, host, node, arc);
    change((worst *)model, host, node, old);
    return sum;
}

static void apply(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    change((worst *)model, host, node, arc);
}

static bool matters(tune_model *model, uint32_t host, uint32_t node, const tune_peak *peak) {
    const worst *w = (const worst *)model;
    (void)peak;
    return w->through[(uint64_t)host * model->tables->graph->switches + node] != 0;
}

static void destroy(tune_model *model) {
    worst *w = (worst *)model;
    FREE_ALL(w->uses, w->sources, w->to, w->through, w->stack, w->leaf, w);
}

static const tune_model_ops ops = {delta,           apply,   recount, tune_arcs_score,
                                   tune_arcs_peaks, matters, destroy, value};

bough_status tune_model_worst(tune_tables *tables, tune_model **model, bough_error *error) {
    const tune_graph *g = tables->graph;
    worst *w;
    *model = NULL;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    w->model = (tune_model){.ops = &ops, .tables = tables, .power = 2, .steep = 64, .reference = 1};
    for (uint32_t h = 0; h < g->hosts; h++)
        if (g->leaf_of[h] != BOUGH_NO_INDEX) w->model.base = fmax(w->model.base, g->host_scale[h]);
    const uint64_t cells = bough_mul(g->arcs, g->leaves), entries = bough_mul(g->hosts, g->switches);
    status = bough_memory_check(bough_mul(bough_add(cells, entries), 4), "the sources of all links", error);
    const bough_array arrays[] = {
        {&w->uses, cells, sizeof *w->uses},         {&w->sources, g->arcs, sizeof *w->sources},
        {&w->to, g->arcs, sizeof *w->to},           {&w->through, entries, sizeof *w->through},
        {&w->stack, g->switches, sizeof *w->stack}, {&w->leaf, g->switches, sizeof *w->leaf},
    };
    TRY(bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error));
    if (status) {
        destroy(&w->model);
        return status;
    }
    *model = &w->model;
    recount(*model);
    return BOUGH_OK;
}
