#include "fabric/tune/objectives/tune_round_flows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/bounds/tune_bound.h"

#include <math.h>
#include <stdlib.h>

/* Rounds 0 .. hosts-2 are the shifts 1 .. hosts-1. */
static void fill_shifts(round_flows *f) {
    const uint32_t n = f->graph->hosts;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t r = 0; r < f->rounds; r++)
            f->source[(uint64_t)d * f->rounds + r] = (d + n - (r + 1)) % n;
}

/* The permutations that bough check draws with this seed. */
static void fill_random(round_flows *f, uint64_t seed, uint32_t *image) {
    const uint32_t n = f->graph->hosts;
    for (uint32_t r = 0; r < f->rounds; r++) {
        bough_stream stream = bough_stream_make(bough_key_make(seed, r), BOUGH_DRAW_PERMUTATION, 0, 0);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t j = bough_stream_below(&stream, (uint64_t)i + 1);
            image[i] = image[j];
            image[j] = i;
        }
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

bough_status round_flows_make(round_flows *f, const tune_graph *g, const tune_rounds_kind *kind,
                              bough_error *error) {
    const bool random = kind->objective == BOUGH_TUNE_RANDOM;
    const uint64_t rounds = random     ? kind->permutations
                            : g->hosts ? g->hosts - 1
                                       : 0,
                   cells = bough_mul(g->hosts, rounds);
    uint32_t *image = NULL;
    *f = (round_flows){.graph = g, .rounds = (uint32_t)rounds};
    bough_status status = bough_memory_check(bough_mul(cells, 8), "the flows of all rounds", error);
    const bough_array arrays[] = {
        {&f->source, cells, sizeof *f->source},
        {&f->round, cells, sizeof *f->round},
        {&f->first, bough_mul(g->hosts, g->leaves) + 2, sizeof *f->first},
        {&f->base, rounds, sizeof *f->base},
        {&image, g->hosts, sizeof *image},
    };
    TRY(bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error));
    if (!status) {
        if (random)
            fill_random(f, kind->seed, image);
        else
            fill_shifts(f);
        drop_others(f);
        sort_flows(f);
    }
    free(image);
    return status;
}

void round_flows_fini(round_flows *f) {
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
