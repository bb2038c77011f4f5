/* Loads of every round. The flows to one host are in different rounds, so a change of its path changes the
 * load of a link in each of these rounds by one. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/bounds/tune_bound.h"
#include "fabric/tune/objectives/tune_model.h"
#include "traffic/patterns/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tune round flows ---- */

/* The flows of rounds, by destination and leaf. */

/* In every round each host sends one flow at most, and receives one at most. */
typedef struct round_flows {
    const tune_graph *graph;
    uint32_t rounds;
    uint32_t *source; /* [host * rounds + round]: who sends to the host; BOUGH_NO_INDEX: nobody */
    uint64_t *first;  /* [host * leaves + leaf]: its flows to the host are round[first ..], up to the next */
    uint32_t *round;
    double *base; /* [rounds]: the largest load of a link of a host */
} round_flows;

/* Round r is shift r + 1 of every plane. */
static void fill_shifts(round_flows *f, const net_plane_order *planes) {
    const bough_net *net = f->graph->net;
    for (uint32_t s = 0; s < f->graph->hosts; s++)
        for (uint32_t r = 0; r < f->rounds; r++) {
            const uint32_t to = net_plane_shifted(planes, net_plane(net, s), s, r + 1);
            f->source[(uint64_t)to * f->rounds + r] = s;
        }
}

/* The permutations that bough check draws with this seed. */
static void fill_random(round_flows *f, const net_plane_order *planes, uint64_t seed, uint32_t *image) {
    const uint32_t n = f->graph->hosts;
    for (uint32_t r = 0; r < f->rounds; r++) {
        random_permutation_in_planes(bough_key_make(seed, r), planes, image);
        for (uint32_t i = 0; i < n; i++) f->source[(uint64_t)image[i] * f->rounds + r] = i;
    }
}

static bool connected(const tune_graph *g, uint32_t from, uint32_t to) {
    const uint32_t a = g->leaf_of[from], b = g->leaf_of[to];
    if (from == to || a == BOUGH_NO_INDEX || b == BOUGH_NO_INDEX) return false;
    return a == b || tune_choices_at(g, b, g->leaf_switch[a]).count > 0;
}

static void drop_others(round_flows *f) {
    const tune_graph *g = f->graph;
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t r = 0; r < f->rounds; r++) {
            uint32_t *source = &f->source[(uint64_t)d * f->rounds + r];
            if (connected(g, *source, d))
                f->base[r] = fmax(f->base[r], fmax(g->host_scale[*source], g->host_scale[d]));
            else
                *source = BOUGH_NO_INDEX;
        }
}

static uint64_t row_of(const round_flows *f, uint32_t host, uint32_t source) {
    return (uint64_t)host * f->graph->leaves + f->graph->leaf_of[source];
}

/* Counting sort; counts are kept two entries late, so that filling leaves the positions right. */
static void sort_flows(round_flows *f) {
    const tune_graph *g = f->graph;
    const uint64_t rows = (uint64_t)g->hosts * g->leaves;
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t r = 0; r < f->rounds; r++) {
            const uint32_t source = f->source[(uint64_t)d * f->rounds + r];
            if (source != BOUGH_NO_INDEX) f->first[row_of(f, d, source) + 2]++;
        }
    for (uint64_t i = 0; i < rows; i++) f->first[i + 2] += f->first[i + 1];
    for (uint32_t d = 0; d < g->hosts; d++)
        for (uint32_t r = 0; r < f->rounds; r++) {
            const uint32_t source = f->source[(uint64_t)d * f->rounds + r];
            if (source != BOUGH_NO_INDEX) f->round[f->first[row_of(f, d, source) + 1]++] = r;
        }
}

/* Zero-initialise. Only pairs that are connected. Errors: TOO_LARGE, NO_MEMORY. */
static bough_status round_flows_make(round_flows *f, const tune_graph *g, const tune_rounds_kind *kind,
                                     bough_error *error) {
    const bool random = kind->objective == BOUGH_TUNE_RANDOM;
    const uint64_t rounds = random     ? kind->permutations
                            : g->hosts ? net_partners(g->net)
                                       : 0,
                   cells = bough_mul(g->hosts, rounds);
    uint32_t *image = NULL;
    net_plane_order planes;
    arena memory = {0};
    *f = (round_flows){.graph = g, .rounds = (uint32_t)rounds};
    bough_status status = bough_memory_check(bough_mul(cells, 8), "the flows of all rounds", error);
    const bough_array arrays[] = {
        {&f->source, cells, sizeof *f->source},
        {&f->round, cells, sizeof *f->round},
        {&f->first, bough_mul(g->hosts, g->leaves) + 2, sizeof *f->first},
        {&f->base, rounds, sizeof *f->base},
        {&image, bough_mul(2, g->hosts), sizeof *image},
    };
    TRY(bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error));
    TRY(net_plane_order_make(g->net, &memory, &planes, error));
    if (!status) {
        if (random)
            fill_random(f, &planes, kind->seed, image);
        else
            fill_shifts(f, &planes);
        drop_others(f);
        sort_flows(f);
    }
    free(image);
    arena_fini(&memory);
    return status;
}

static void round_flows_fini(round_flows *f) {
    FREE_ALL(f->source, f->first, f->round, f->base);
    *f = (round_flows){0};
}

/* ---- bounds ---- */

/* out, in: [cuts]: flows of the round that leave and enter. */
static void cross_round(const round_flows *f, const uint32_t *of, uint32_t round, uint32_t *out,
                        uint32_t *in) {
    const tune_graph *g = f->graph;
    for (uint32_t d = 0; d < g->hosts; d++) {
        const uint32_t source = f->source[(uint64_t)d * f->rounds + round];
        if (source == BOUGH_NO_INDEX) continue;
        const uint32_t a = of[g->leaf_of[source]], b = of[g->leaf_of[d]];
        if (a == b) continue;
        if (a != BOUGH_NO_INDEX) out[a]++;
        if (b != BOUGH_NO_INDEX) in[b]++;
    }
}

/* The least load of a round, by all cuts. */
static double bound_round(const round_flows *f, const tune_cuts *cuts, uint32_t round, uint32_t *out,
                          uint32_t *in) {
    const tune_graph *g = f->graph;
    double least = f->base[round];
    for (uint32_t i = 0; i < cuts->count; i++) out[i] = in[i] = 0;
    for (uint32_t layer = 0; layer < cuts->layers; layer++)
        cross_round(f, cuts->of + (uint64_t)layer * g->leaves, round, out, in);
    for (uint32_t i = 0; i < cuts->count; i++) {
        const tune_cut *c = &cuts->cut[i];
        const tune_portions leave = {g->scale, c->leave, c->arcs, 1},
                            enter = {g->scale, c->enter, c->arcs, 1};
        least = fmax(least, fmax(tune_portions_least(&leave, out[i]), tune_portions_least(&enter, in[i])));
    }
    return least;
}

bough_status tune_rounds_bound(const tune_graph *g, const tune_cuts *cuts, const tune_rounds_kind *kind,
                               bough_tune_bound *bound, bough_error *error) {
    round_flows f = {0};
    uint32_t *out = NULL, *in = NULL;
    double sum = 0, most = 0, base = 0;
    bough_status status = round_flows_make(&f, g, kind, error);
    TRY(bough_alloc(&out, cuts->count, sizeof *out, error));
    TRY(bough_alloc(&in, cuts->count, sizeof *in, error));
    for (uint32_t r = 0; r < f.rounds && !status; r++) {
        const double least = bound_round(&f, cuts, r, out, in);
        sum += least;
        base += f.base[r];
        most = fmax(most, least);
    }
    if (!status && f.rounds) {
        bound->value = kind->objective == BOUGH_TUNE_WORST_SHIFT ? most : sum / f.rounds;
        bound->node = BOUGH_NONE;
        bound->kind = sum > base ? BOUGH_TUNE_BOUND_CUT : BOUGH_TUNE_BOUND_HOSTS;
    }
    FREE_ALL(out, in);
    round_flows_fini(&f);
    return status;
}

/* ---- tune rounds ---- */

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
