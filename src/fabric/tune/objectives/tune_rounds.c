/* Loads of every round. The flows to one host are in different rounds, so a change of its path changes the
 * load of a link in each of these rounds by one. */
#include "fabric/tune/objectives/tune_round_flows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rounds {
    tune_model model;
    round_flows flows;
    bool mean;              /* the score is the mean over rounds, not the maximum */
    uint16_t *load;         /* [arc * rounds + round] */
    double *most;           /* [rounds], of the last score */
    uint32_t *stack, *leaf; /* [switches]; leaves whose paths use an entry */
    uint32_t leaves;
    uint64_t turn; /* of peaks */
} rounds;

static uint16_t *load_of(const rounds *w, uint32_t arc) {
    return &w->load[(uint64_t)arc * w->flows.rounds];
}

static void add_flows(const rounds *w, uint32_t host, uint32_t leaf, uint16_t *load, int change) {
    const uint64_t *first = &w->flows.first[(uint64_t)host * w->flows.graph->leaves + leaf];
    for (uint64_t i = first[0]; i < first[1]; i++)
        load[w->flows.round[i]] = (uint16_t)(load[w->flows.round[i]] + change);
}

static void recount(tune_model *model) {
    rounds *w = (rounds *)model;
    const tune_graph *g = w->flows.graph;
    memset(w->load, 0, (uint64_t)g->arcs * w->flows.rounds * sizeof *w->load);
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t l = 0; l < g->leaves && g->leaf_of[d] != BOUGH_NO_INDEX; l++) {
            if (l == g->leaf_of[d]) continue;
            const uint32_t *next = tune_entry(model->tables, d, 0);
            for (uint32_t s = g->leaf_switch[l]; next[s] != BOUGH_NO_INDEX; s = g->to[next[s]])
                add_flows(w, d, l, load_of(w, next[s]), 1);
        }
}

static void find_leaves(rounds *w, uint32_t host, uint32_t node) {
    w->leaves = tune_leaves_through(w->model.tables, host, node, &(tune_leaves){w->stack, w->leaf});
}

static double change_of(const rounds *w, uint32_t host, uint32_t leaf, uint32_t arc, int change) {
    const uint64_t *first = &w->flows.first[(uint64_t)host * w->flows.graph->leaves + leaf];
    const uint16_t *load = load_of(w, arc);
    const double scale = w->flows.graph->scale[arc] / w->model.reference;
    const unsigned power = w->model.power;
    double sum = 0;
    for (uint64_t i = first[0]; i < first[1]; i++) {
        const double now = load[w->flows.round[i]];
        sum += tune_power((now + change) * scale, power) - tune_power(now * scale, power);
    }
    return sum;
}

static double delta(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    rounds *w = (rounds *)model;
    const tune_graph *g = w->flows.graph;
    const uint32_t *next = tune_entry(model->tables, host, 0);
    double sum = 0;
    find_leaves(w, host, node);
    for (uint32_t old = next[node]; w->leaves;) {
        for (uint32_t i = 0; i < w->leaves; i++)
            sum += change_of(w, host, w->leaf[i], old, -1) + change_of(w, host, w->leaf[i], arc, 1);
        if (g->to[old] == g->to[arc]) break;
        old = next[g->to[old]];
        arc = next[g->to[arc]];
    }
    return sum;
}

static void apply(tune_model *model, uint32_t host, uint32_t node, uint32_t arc) {
    rounds *w = (rounds *)model;
    const tune_graph *g = w->flows.graph;
    uint32_t *next = tune_entry(model->tables, host, 0), old = next[node], at = arc;
    find_leaves(w, host, node);
    for (;;) {
        for (uint32_t i = 0; i < w->leaves; i++) {
            add_flows(w, host, w->leaf[i], load_of(w, old), -1);
            add_flows(w, host, w->leaf[i], load_of(w, at), 1);
        }
        if (g->to[old] == g->to[at]) break;
        old = next[g->to[old]];
        at = next[g->to[at]];
    }
    next[node] = arc;
}

/* ---- the score ---- */

/* The largest load of each round; returns the sum of squares of all. */
static double find_most(rounds *w) {
    const tune_graph *g = w->flows.graph;
    double squares = 0;
    memset(w->most, 0, w->flows.rounds * sizeof *w->most);
    for (uint32_t a = 0; a < g->arcs; a++) {
        const uint16_t *load = load_of(w, a);
        for (uint32_t r = 0; r < w->flows.rounds; r++) {
            const double value = load[r] * g->scale[a];
            squares += value * value;
            if (value > w->most[r]) w->most[r] = value;
        }
    }
    return squares;
}

static void score(tune_model *model, bough_tune_score *s) {
    rounds *w = (rounds *)model;
    double sum = 0, most = 0, at = 0;
    const double squares = find_most(w);
    for (uint32_t r = 0; r < w->flows.rounds; r++) {
        const double value = fmax(w->most[r], w->flows.base[r]);
        sum += value;
        if (value > most) most = value, at = 0;
        at += value == most;
    }
    const double mean = w->flows.rounds ? sum / w->flows.rounds : 0;
    if (w->mean)
        *s = (bough_tune_score){mean, most, at, squares};
    else
        *s = (bough_tune_score){most, mean, at, squares};
}

/* ---- the largest loads ---- */

/* The maximum: links of rounds that reach it. The mean: rounds from some round on that one link alone
 * determines, as lowering it lowers the mean. */
static uint32_t peaks(tune_model *model, tune_peak *peak, uint32_t most) {
    rounds *w = (rounds *)model;
    const tune_graph *g = w->flows.graph;
    double largest = 0;
    uint32_t count = 0;
    find_most(w);
    for (uint32_t r = 0; r < w->flows.rounds; r++) largest = fmax(largest, w->most[r]);
    w->turn += most;
    for (uint32_t i = 0; i < w->flows.rounds && count < most; i++) {
        const uint32_t r = (uint32_t)((i + w->turn) % w->flows.rounds);
        uint32_t arc = 0, at = 0;
        if (w->most[r] <= w->flows.base[r] || (!w->mean && w->most[r] < largest)) continue;
        for (uint32_t a = 0; a < g->arcs; a++)
            if (load_of(w, a)[r] * g->scale[a] == w->most[r]) arc = a, at++;
        if (at <= 2 || !w->mean) peak[count++] = (tune_peak){arc, r};
    }
    return count;
}

static bool matters(tune_model *model, uint32_t host, uint32_t node, const tune_peak *peak) {
    const rounds *w = (const rounds *)model;
    const tune_graph *g = w->flows.graph;
    const uint32_t source = w->flows.source[(uint64_t)host * w->flows.rounds + peak->round];
    if (source == BOUGH_NO_INDEX) return false;
    uint32_t s = g->leaf_switch[g->leaf_of[source]];
    for (uint32_t arc; s != node && (arc = *tune_entry(model->tables, host, s)) != BOUGH_NO_INDEX;)
        s = g->to[arc];
    return s == node;
}

static void destroy(tune_model *model) {
    rounds *w = (rounds *)model;
    round_flows_fini(&w->flows);
    FREE_ALL(w->load, w->most, w->stack, w->leaf, w);
}

static const tune_model_ops ops = {delta, apply, recount, score, peaks, matters, destroy};

bough_status tune_model_rounds(tune_tables *tables, const tune_rounds_kind *kind, tune_model **model,
                               bough_error *error) {
    const tune_graph *g = tables->graph;
    rounds *w;
    *model = NULL;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    w->model = (tune_model){.ops = &ops, .tables = tables, .power = 2, .reference = 1};
    w->mean = kind->objective != BOUGH_TUNE_WORST_SHIFT;
    w->model.steep = w->mean ? 16 : 32;
    status = round_flows_make(&w->flows, g, kind, error);
    const uint64_t cells = bough_mul(g->arcs, w->flows.rounds);
    TRY(bough_memory_check(bough_mul(cells, sizeof *w->load), "the loads of all rounds", error));
    TRY(bough_alloc(&w->load, cells, sizeof *w->load, error));
    TRY(bough_alloc(&w->most, w->flows.rounds, sizeof *w->most, error));
    TRY(bough_alloc(&w->stack, g->switches, sizeof *w->stack, error));
    TRY(bough_alloc(&w->leaf, g->switches, sizeof *w->leaf, error));
    if (status) {
        destroy(&w->model);
        return status;
    }
    for (uint32_t r = 0; r < w->flows.rounds; r++) w->model.base += w->flows.base[r] / w->flows.rounds;
    *model = &w->model;
    recount(*model);
    return BOUGH_OK;
}
