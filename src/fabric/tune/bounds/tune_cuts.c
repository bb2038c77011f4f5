/* Flows out of a set of leaves cross its links once at least. Flows to one host leave a leaf together, as the
 * table of the leaf has one entry for the host: they are portions that cannot be divided. */
#include "fabric/tune/bounds/tune_bound.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/level_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cuts ---- */

typedef struct maker {
    const tune_graph *g;
    tune_cuts *cuts;
    level_sets sets;
    uint32_t *part; /* [nodes], if it is the first of a set: part in the current layer, or BOUGH_NO_INDEX */
    uint64_t used;  /* of cuts->arcs */
} maker;

static unsigned level_of(const tune_graph *g, uint32_t s) {
    return g->net->ops->node_level(g->net, g->net->endpoints + s);
}

static uint32_t *part_of(const maker *w, uint32_t s) {
    return &w->part[w->sets.set[w->g->net->endpoints + s]];
}

/* Of the cuts of a layer, from `begin` on. As many arcs enter as leave: those of the same cables. */
static void list_arcs(maker *w, uint32_t begin) {
    const tune_graph *g = w->g;
    tune_cut *cut = w->cuts->cut;
    for (uint32_t a = 0; a < g->arcs; a++) {
        const uint32_t from = *part_of(w, g->from[a]);
        if (from != BOUGH_NO_INDEX && from != *part_of(w, g->to[a])) cut[from].arcs++;
    }
    for (uint32_t i = begin; i < w->cuts->count; i++) {
        cut[i].leave = w->cuts->arcs + w->used;
        cut[i].enter = cut[i].leave + cut[i].arcs;
        w->used += 2 * (uint64_t)cut[i].arcs;
    }
    for (uint32_t a = 0; a < g->arcs; a++) {
        const uint32_t from = *part_of(w, g->from[a]), to = *part_of(w, g->to[a]);
        if (from == to) continue;
        if (from != BOUGH_NO_INDEX) *cut[from].leave++ = a;
        if (to != BOUGH_NO_INDEX) *cut[to].enter++ = a;
    }
    for (uint32_t i = begin; i < w->cuts->count; i++) {
        cut[i].leave -= cut[i].arcs;
        cut[i].enter -= cut[i].arcs;
    }
}

/* Each switch alone, if level is 0. */
static void add_layer(maker *w, unsigned level) {
    const tune_graph *g = w->g;
    uint32_t *of = w->cuts->of + (uint64_t)w->cuts->layers++ * g->leaves;
    memset(w->part, 0xff, g->net->nodes * sizeof *w->part);
    if (level) level_sets_raise(&w->sets, level);
    const uint32_t begin = w->cuts->count;
    for (uint32_t l = 0; l < g->leaves; l++) {
        const uint32_t s = g->leaf_switch[l];
        if (*part_of(w, s) == BOUGH_NO_INDEX && (level == 0 || level_of(g, s) <= level)) {
            w->cuts->cut[w->cuts->count].node = s;
            *part_of(w, s) = w->cuts->count++;
        }
        of[l] = *part_of(w, s);
    }
    for (uint32_t s = 0; s < g->switches; s++)
        if (*part_of(w, s) != BOUGH_NO_INDEX) w->cuts->cut[*part_of(w, s)].switches++;
    list_arcs(w, begin);
}

bough_status tune_cuts_make(tune_cuts *cuts, const tune_graph *g, bough_error *error) {
    const unsigned levels = g->net->levels;
    maker w = {.g = g, .cuts = cuts};
    const uint64_t layers = 1 + (uint64_t)levels;
    const bough_array arrays[] = {
        {&cuts->cut, bough_mul(layers, g->leaves), sizeof *cuts->cut},
        {&cuts->of, bough_mul(layers, g->leaves), sizeof *cuts->of},
        {&cuts->arcs, bough_mul(layers, 2 * (uint64_t)g->arcs), sizeof *cuts->arcs},
        {&w.part, g->net->nodes, sizeof *w.part},
    };
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    TRY(level_sets_make(&w.sets, g->net, bough_cable_works, error));
    for (unsigned level = 0; level < levels && !status; level++) add_layer(&w, level);
    level_sets_fini(&w.sets);
    free(w.part);
    return status;
}

void tune_cuts_fini(tune_cuts *cuts) {
    FREE_ALL(cuts->cut, cuts->of, cuts->arcs);
    *cuts = (tune_cuts){0};
}

/* ---- portions ---- */

static double carried(const tune_portions *p, double t) {
    double sum = 0;
    for (uint32_t i = 0; i < p->arcs; i++) {
        const double most = t / p->scale[p->arc[i]];
        sum += p->unit > 0 ? p->unit * floor(most / p->unit * (1 + 1e-12)) : most;
    }
    return sum;
}

/* The least of the values that the load of a link can have, above t. */
static double next_value(const tune_portions *p, double t) {
    double least = INFINITY;
    for (uint32_t i = 0; i < p->arcs; i++) {
        const double step = p->unit * p->scale[p->arc[i]];
        least = fmin(least, (floor(t / step * (1 + 1e-12)) + 1) * step);
    }
    return least;
}

double tune_portions_least(const tune_portions *p, double flow) {
    double rate = 0;
    if (flow <= 0) return 0;
    if (!p->arcs) return 0; /* no table sends it */
    for (uint32_t i = 0; i < p->arcs; i++) rate += 1 / p->scale[p->arc[i]];
    double t = flow / rate;
    if (p->unit <= 0 || carried(p, t) >= flow * (1 - 1e-12)) return t;
    /* at most one step for each arc: the sum of the remainders is below arcs * unit */
    for (uint32_t i = 0; i <= p->arcs; i++) {
        t = next_value(p, t);
        if (carried(p, t) >= flow * (1 - 1e-12)) return t;
    }
    return t;
}

/* ---- bounds ---- */

/* Whole numbers, and what LMC makes of them: 2^7 LIDs at most. Sums and remainders of these are exact. */
static bool is_portion(double flow) {
    return flow * 128 == floor(flow * 128);
}

double tune_common_unit(double a, double b) {
    while (b > 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

bough_status tune_demand_make(tune_demand *demand, const tune_graph *g, const double *host_flow,
                              bough_error *error) {
    bough_status status =
        bough_alloc(&demand->flow, bough_mul(g->leaves, g->leaves), sizeof *demand->flow, error);
    TRY(bough_alloc(&demand->unit, g->leaves, sizeof *demand->unit, error));
    for (uint32_t d = 0; d < g->destinations && !status; d++) {
        const uint32_t to = g->leaf_of[d];
        for (uint32_t l = 0; l < g->leaves && to != BOUGH_NO_INDEX; l++) {
            const double flow =
                host_flow ? host_flow[(uint64_t)d * g->leaves + l] : g->leaf_hosts[l] * tune_share(g, d);
            if (l == to || flow == 0 || !tune_choices_at(g, to, g->leaf_switch[l]).count) continue;
            demand->flow[(uint64_t)l * g->leaves + to] += flow;
            double *unit = &demand->unit[l]; /* -1 for other fractions */
            *unit = !is_portion(flow) || *unit < 0 ? -1 : tune_common_unit(flow, *unit);
        }
    }
    for (uint32_t l = 0; l < g->leaves && !status; l++) demand->unit[l] = fmax(demand->unit[l], 0);
    return status;
}

void tune_demand_fini(tune_demand *demand) {
    FREE_ALL(demand->flow, demand->unit);
    *demand = (tune_demand){0};
}

typedef struct crossing {
    double out, in, unit_out, unit_in; /* units: -1: none yet; 0: none */
} crossing;

static void add_unit(double *unit, double other) {
    *unit = *unit < 0 ? other : *unit == 0 || other == 0 ? 0 : tune_common_unit(*unit, other);
}

/* Of all cuts of a layer. */
static void cross(const tune_graph *g, const tune_demand *demand, const uint32_t *of, crossing *cut) {
    for (uint32_t l = 0; l < g->leaves; l++)
        for (uint32_t k = 0; k < g->leaves; k++) {
            const double flow = demand->flow[(uint64_t)l * g->leaves + k];
            if (flow == 0 || of[l] == of[k]) continue;
            if (of[l] != BOUGH_NO_INDEX) {
                cut[of[l]].out += flow;
                add_unit(&cut[of[l]].unit_out, demand->unit[l]);
            }
            if (of[k] != BOUGH_NO_INDEX) {
                cut[of[k]].in += flow;
                add_unit(&cut[of[k]].unit_in, demand->unit[l]);
            }
        }
}

static void raise_bound(const tune_graph *g, const tune_cut *cut, double value, bough_tune_bound *bound) {
    if (value <= bound->value) return;
    *bound = (bough_tune_bound){value, BOUGH_TUNE_BOUND_CUT, cut->switches, cut->arcs,
                                g->net->endpoints + cut->node};
}

bough_status tune_bound_cuts(const tune_graph *g, const tune_cuts *cuts, const tune_demand *demand,
                             bough_tune_bound *bound, bough_error *error) {
    crossing *crossed;
    bough_status status = bough_alloc(&crossed, cuts->count, sizeof *crossed, error);
    if (status) return status;
    for (uint32_t i = 0; i < cuts->count; i++) crossed[i] = (crossing){0, 0, -1, -1};
    for (uint32_t layer = 0; layer < cuts->layers; layer++)
        cross(g, demand, cuts->of + (uint64_t)layer * g->leaves, crossed);
    for (uint32_t i = 0; i < cuts->count; i++) {
        const tune_cut *c = &cuts->cut[i];
        const tune_portions out = {g->scale, c->leave, c->arcs, fmax(crossed[i].unit_out, 0)};
        const tune_portions in = {g->scale, c->enter, c->arcs, fmax(crossed[i].unit_in, 0)};
        raise_bound(g, c, tune_portions_least(&out, crossed[i].out), bound);
        raise_bound(g, c, tune_portions_least(&in, crossed[i].in), bound);
    }
    free(crossed);
    return BOUGH_OK;
}

void tune_bound_worst(const tune_graph *g, const tune_cuts *cuts, bough_tune_bound *bound) {
    for (uint32_t l = 0; l < g->leaves && cuts->layers; l++) {
        double away = 0;
        for (uint32_t k = 0; k < g->leaves; k++)
            if (tune_choices_at(g, k, g->leaf_switch[l]).count) away += g->leaf_hosts[k];
        const tune_cut *c = &cuts->cut[cuts->of[l]];
        const tune_portions p = {g->scale, c->leave, c->arcs, 1};
        double least = INFINITY; /* a link may have few sources and be slow, or have few destinations */
        for (uint32_t i = 0; i < c->arcs; i++) least = fmin(least, g->leaf_hosts[l] * g->scale[c->leave[i]]);
        if (c->arcs) raise_bound(g, c, fmin(least, tune_portions_least(&p, away)), bound);
    }
}
