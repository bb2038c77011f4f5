/* Descents over all entries, for potentials of growing powers, which approach the maximum; then rounds that
 * change entries through which the largest loads pass, at last by chains of changes, and rounds that disturb
 * some entries and descend again. The best tables seen are kept. */
#include "fabric/tune/tune_search.h"
#include "base/status/stop.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/tune_chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    tune_model *model;
    const tune_graph *g;
    const tune_search_options *options;
    tune_search_result *result;
    tune_tables best;
    bough_tune_score best_score;
    bough_stream random;
    uint64_t budget;   /* evaluations */
    uint64_t *changes; /* host << 32 | switch: entries with a choice, in a random order */
    uint64_t entries;
    tune_peak *peak;
    uint32_t *stack; /* [switches] */
    tune_chains chains;
    bool chained; /* chains are tried */
    /* entries that a disturbance changed, to be tried again */
    uint64_t *dirty;
    uint64_t dirt;
} search;

/* LEAST: evaluations of a search of effort 1, beside those that grow with the fabric. */
enum { LEAST = 200000, PEAKS = 64, SWAPS = 24, DIRT = 4096 };

bool tune_score_less(const bough_tune_score *a, const bough_tune_score *b) {
    if (a->value != b->value) return a->value < b->value;
    if (a->most != b->most) return a->most < b->most;
    if (a->at != b->at) return a->at < b->at;
    return a->squares < b->squares;
}

static bool ended(search *w) {
    if (stop_asked(w->options->stop)) w->result->interrupted = true;
    return w->result->interrupted || w->result->evaluated >= w->budget;
}

static void show(const search *w) {
    if (w->options->progress)
        w->options->progress(w->options->context, (double)w->result->evaluated / (double)w->budget);
}

/* Returns whether the tables are the best ones so far. */
static bool keep(search *w) {
    bough_tune_score now;
    w->model->ops->score(w->model, &now);
    if (!tune_score_less(&now, &w->best_score)) return false;
    w->best_score = now;
    tune_tables_copy(&w->best, w->model->tables);
    return true;
}

/* The reference makes the largest load 1. */
static void set_power(search *w, unsigned power) {
    bough_tune_score now;
    w->model->ops->score(w->model, &now);
    w->model->power = power;
    w->model->reference = now.most > 0 ? now.most : 1;
}

static bool at_bound(const search *w) {
    return w->best_score.value <= w->options->bound * (1 + 1e-12);
}

/* ---- single changes ---- */

static tune_choices choices_of(const search *w, uint32_t host, uint32_t node) {
    return tune_choices_at(w->g, w->g->leaf_of[host], node);
}

/* Changes an entry to its best choice. Returns whether it did. */
static bool improve(search *w, uint32_t host, uint32_t node) {
    const tune_choices c = choices_of(w, host, node);
    const uint32_t now = *tune_entry(w->model->tables, host, node);
    double least = -1e-12;
    uint32_t best = now;
    for (uint32_t i = 0; i < c.count; i++) {
        if (c.arc[i] == now) continue;
        const double change = w->model->ops->delta(w->model, host, node, c.arc[i]);
        if (change < least) least = change, best = c.arc[i];
        w->result->evaluated++;
    }
    if (best == now) return false;
    w->model->ops->apply(w->model, host, node, best);
    w->result->changes++;
    return true;
}

/* Until no single change improves the potential. */
static void descend(search *w, unsigned power, unsigned sweeps) {
    set_power(w, power);
    for (bool better = true; better && sweeps && !ended(w); sweeps--) {
        better = false;
        for (uint64_t i = 0; i < w->entries; i++) {
            if (improve(w, (uint32_t)(w->changes[i] >> 32), (uint32_t)w->changes[i])) better = true;
            if (i % 4096) continue;
            show(w);
            if (ended(w)) break;
        }
        show(w);
    }
}

/* ---- the largest loads ---- */

/* Changes an entry, and another one of the switch back in exchange. Returns whether both together improve. */
static bool exchange(search *w, uint32_t host, uint32_t node, uint32_t arc) {
    const tune_graph *g = w->g;
    const uint32_t old = *tune_entry(w->model->tables, host, node);
    const double first = w->model->ops->delta(w->model, host, node, arc);
    const uint32_t begin = (uint32_t)bough_stream_below(&w->random, g->destinations);
    double least = -1e-12;
    uint32_t best = BOUGH_NO_INDEX;
    w->model->ops->apply(w->model, host, node, arc);
    for (uint32_t i = 0, tried = 0; i < g->destinations && tried < SWAPS; i++) {
        const uint32_t other = (begin + i) % g->destinations;
        if (other == host || *tune_entry(w->model->tables, other, node) != arc) continue;
        const tune_choices c = choices_of(w, other, node);
        bool may = false;
        for (uint32_t k = 0; k < c.count; k++) may = may || c.arc[k] == old;
        if (!may) continue;
        tried++;
        w->result->evaluated++;
        const double change = first + w->model->ops->delta(w->model, other, node, old);
        if (change < least) least = change, best = other;
    }
    w->model->ops->apply(w->model, best == BOUGH_NO_INDEX ? host : best, node, old);
    if (best != BOUGH_NO_INDEX) w->result->changes++;
    return best != BOUGH_NO_INDEX;
}

static bool try_exchanges(search *w, uint32_t host, uint32_t node) {
    const tune_choices c = choices_of(w, host, node);
    for (uint32_t i = 0; i < c.count; i++)
        if (c.arc[i] != *tune_entry(w->model->tables, host, node) && exchange(w, host, node, c.arc[i]))
            return true;
    return false;
}

/* Entries of the switches before an arc on paths to a host: one change, or an exchange. */
static bool relieve_host(search *w, const tune_peak *peak, uint32_t host, bool swaps) {
    const tune_graph *g = w->g;
    uint32_t depth = 0;
    w->stack[depth++] = g->from[peak->arc];
    while (depth) {
        const uint32_t s = w->stack[--depth];
        if (!w->model->ops->matters(w->model, host, s, peak)) continue;
        if (choices_of(w, host, s).count > 1 && (swaps ? try_exchanges(w, host, s) : improve(w, host, s)))
            return true;
        for (uint32_t i = g->in.first[s]; i < g->in.first[s + 1]; i++) {
            const uint32_t arc = g->in.item[i];
            if (*tune_entry(w->model->tables, host, g->from[arc]) == arc) w->stack[depth++] = g->from[arc];
        }
    }
    return false;
}

static bool relieve(search *w, const tune_peak *peak, bool swaps) {
    const tune_graph *g = w->g;
    const uint32_t begin = (uint32_t)bough_stream_below(&w->random, g->destinations);
    for (uint32_t i = 0; i < g->destinations && !ended(w); i++) {
        const uint32_t host = (begin + i) % g->destinations;
        if (*tune_entry(w->model->tables, host, g->from[peak->arc]) != peak->arc) continue;
        if (relieve_host(w, peak, host, swaps)) return true;
    }
    return false;
}

/* By a chain of changes; only where loads are those of arcs. */
static bool chain(search *w, const tune_peak *peak) {
    if (!w->chained || !w->model->ops->value) return false;
    w->chains.evaluated = w->result->evaluated;
    const bool lower = tune_chains_lower(&w->chains, peak->arc);
    w->result->evaluated = w->chains.evaluated;
    w->result->changes += lower ? w->chains.moves : 0;
    return lower;
}

/* Lowers largest loads one after another, as long as one of them can be. */
static void lower_peaks(search *w, unsigned power, unsigned rounds) {
    for (bool better = true; better && rounds && !ended(w); rounds--) {
        set_power(w, power);
        const uint32_t count = w->model->ops->peaks(w->model, w->peak, PEAKS);
        better = false;
        for (uint32_t i = 0; i < count && !ended(w); i++)
            if (relieve(w, &w->peak[i], false) || relieve(w, &w->peak[i], true) || chain(w, &w->peak[i]))
                better = true;
        show(w);
        keep(w);
        if (at_bound(w)) return;
    }
}

/* ---- disturbances ---- */

static void disturb_entry(search *w, uint32_t host, uint32_t node) {
    const tune_choices c = choices_of(w, host, node);
    const uint32_t arc = c.arc[bough_stream_below(&w->random, c.count)];
    if (arc == *tune_entry(w->model->tables, host, node)) return;
    w->model->ops->apply(w->model, host, node, arc);
}

/* All entries with a choice of some hosts at random. */
static void disturb(search *w, uint32_t hosts) {
    const tune_graph *g = w->g;
    w->dirt = 0;
    while (hosts-- > 0) {
        const uint32_t host = (uint32_t)bough_stream_below(&w->random, g->destinations);
        if (g->leaf_of[host] == BOUGH_NO_INDEX) continue;
        for (uint32_t s = 0; s < g->switches && w->dirt < DIRT; s++) {
            if (choices_of(w, host, s).count < 2) continue;
            w->dirty[w->dirt++] = (uint64_t)host << 32 | s;
            disturb_entry(w, host, s);
        }
    }
}

static void settle(search *w, unsigned power) {
    set_power(w, power);
    for (int sweep = 0; sweep < 4 && !ended(w); sweep++) {
        bool better = false;
        for (uint64_t i = 0; i < w->dirt; i++)
            if (improve(w, (uint32_t)(w->dirty[i] >> 32), (uint32_t)w->dirty[i])) better = true;
        if (!better) return;
    }
}

static void return_to_best(search *w) {
    tune_tables_copy(w->model->tables, &w->best);
    w->model->ops->recount(w->model);
}

/* ---- the search ---- */

static void run(search *w) {
    if (!w->entries) return;
    const unsigned steep = w->model->steep, powers[] = {2, 4, steep > 16 ? 16 : 4, steep};
    for (int i = 0; i < 4 && !ended(w) && !at_bound(w); i++) {
        descend(w, powers[i], 8);
        keep(w);
        lower_peaks(w, steep, 4);
    }
    if (!at_bound(w)) lower_peaks(w, steep, 64);
    return_to_best(w);
    w->chained = true;
    if (!at_bound(w)) lower_peaks(w, steep, 1024);
    for (unsigned round = 0; !ended(w) && !at_bound(w); round++) {
        w->result->evaluated++; /* the budget ends the search also where there is no choice */
        disturb(w, 1 + (uint32_t)bough_stream_below(&w->random, 4));
        settle(w, round % 2 ? steep / 8 : steep / 2);
        lower_peaks(w, steep, 8);
        keep(w);
        if (round % 8 == 7) return_to_best(w);
    }
    return_to_best(w);
}

static void shuffle(search *w) {
    for (uint64_t i = w->entries; i > 1; i--) {
        const uint64_t k = bough_stream_below(&w->random, i), kept = w->changes[i - 1];
        w->changes[i - 1] = w->changes[k];
        w->changes[k] = kept;
    }
}

/* Entries with several choices. Returns the number of single changes. */
static uint64_t list_entries(search *w) {
    const tune_graph *g = w->g;
    uint64_t changes = 0;
    for (uint32_t d = 0; d < g->destinations; d++)
        for (uint32_t s = 0; s < g->switches && g->leaf_of[d] != BOUGH_NO_INDEX; s++) {
            const uint32_t count = choices_of(w, d, s).count;
            if (count < 2) continue;
            if (w->changes) w->changes[w->entries] = (uint64_t)d << 32 | s;
            w->entries++;
            changes += count - 1;
        }
    return changes;
}

bough_status tune_search(tune_model *model, const tune_search_options *options, tune_search_result *result,
                         bough_error *error) {
    search w = {.model = model, .g = model->tables->graph, .options = options, .result = result};
    *result = (tune_search_result){0};
    w.random = bough_stream_make(bough_key_make(options->seed, 0), BOUGH_DRAW_SEARCH, 0, 0);
    w.budget = 1 + (uint64_t)(((double)list_entries(&w) * 4 + LEAST) * options->effort);
    bough_status status = tune_tables_make(&w.best, w.g, error);
    const bough_array arrays[] = {
        {&w.changes, w.entries, sizeof *w.changes},
        {&w.peak, PEAKS, sizeof *w.peak},
        {&w.stack, w.g->switches, sizeof *w.stack},
        {&w.dirty, DIRT, sizeof *w.dirty},
        {&w.chains.first, TUNE_CHAIN_CANDIDATES, sizeof *w.chains.first},
        {&w.chains.next, TUNE_CHAIN_CANDIDATES, sizeof *w.chains.next},
    };
    TRY(bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error));
    if (!status) {
        w.chains.model = model;
        w.chains.stop = options->stop;
        w.chains.budget = w.budget;
        w.chains.stack = w.stack;
        w.entries = 0;
        list_entries(&w);
        shuffle(&w);
        model->ops->recount(model);
        model->ops->score(model, &w.best_score);
        tune_tables_copy(&w.best, model->tables);
        run(&w);
        model->ops->score(model, &result->score);
    }
    tune_tables_fini(&w.best);
    FREE_ALL(w.changes, w.peak, w.stack, w.dirty, w.chains.first, w.chains.next);
    return status;
}
