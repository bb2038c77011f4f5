/* As the ejection chains of Glover ("Ejection chains, reference structures and alternating path methods for
 * traveling salesman problems", 1996): the first change is any that relieves the peak, each further one the
 * best that relieves the arc with the largest load among those that the chain has raised. In a tree of two
 * levels the chains contain the alternating paths by which edge colourings are balanced. */
#include "fabric/tune/tune_chains.h"
#include "base/status/stop.h"

#include <stdlib.h>

static bool ended(const tune_chains *w) {
    return w->evaluated >= w->budget || stop_asked(w->stop);
}

/* ---- changes that relieve an arc ---- */

static bool changed(const tune_chains *w, uint32_t host, uint32_t node) {
    for (unsigned i = 0; i < w->moves; i++)
        if (w->done[i].host == host && w->done[i].node == node) return true;
    return false;
}

static bool passes(const tune_tables *t, uint32_t host, uint32_t arc, uint32_t over) {
    for (; arc != BOUGH_NO_INDEX; arc = *tune_entry(t, host, t->graph->to[arc]))
        if (arc == over) return true;
    return false;
}

/* Whether a change makes the peak one again: then the chain would only undo itself. */
static bool restores(tune_chains *w, uint32_t host, uint32_t node, uint32_t arc) {
    const uint32_t now = *tune_entry(w->model->tables, host, node);
    if (!w->moves || !passes(w->model->tables, host, arc, w->peak)) return false;
    w->model->ops->apply(w->model, host, node, arc);
    const double value = w->model->ops->value(w->model, w->peak);
    w->model->ops->apply(w->model, host, node, now);
    return value >= w->limit;
}

/* Changes of an entry that take its flows off an arc. Returns the number of all in the list. */
static uint32_t list_changes(tune_chains *w, const tune_move *entry, uint32_t over, tune_move *list,
                             uint32_t count) {
    const tune_tables *t = w->model->tables;
    const uint32_t now = *tune_entry(t, entry->host, entry->node);
    const tune_choices c = tune_choices_at(t->graph, t->graph->leaf_of[entry->host], entry->node);
    for (uint32_t i = 0; i < c.count && count < TUNE_CHAIN_CANDIDATES; i++) {
        if (c.arc[i] == now || passes(t, entry->host, c.arc[i], over)) continue;
        if (restores(w, entry->host, entry->node, c.arc[i])) continue;
        list[count] = *entry;
        list[count].arc = c.arc[i];
        list[count++].delta = w->model->ops->delta(w->model, entry->host, entry->node, c.arc[i]);
        w->evaluated++;
    }
    return count;
}

/* The same for a destination, of entries of switches on its paths that use the arc. */
static uint32_t list_of_host(tune_chains *w, uint32_t host, uint32_t over, tune_move *list, uint32_t count) {
    const tune_tables *t = w->model->tables;
    const tune_graph *g = t->graph;
    const tune_peak peak = {over, 0};
    uint32_t depth = 0;
    w->stack[depth++] = g->from[over];
    while (depth) {
        const uint32_t s = w->stack[--depth];
        if (!w->model->ops->matters(w->model, host, s, &peak)) continue;
        if (!changed(w, host, s)) count = list_changes(w, &(tune_move){host, s, 0, 0}, over, list, count);
        for (uint32_t i = g->in.first[s]; i < g->in.first[s + 1]; i++) {
            const uint32_t arc = g->in.item[i];
            if (*tune_entry(t, host, g->from[arc]) == arc) w->stack[depth++] = g->from[arc];
        }
    }
    return count;
}

/* Returns the number of changes. */
static uint32_t list_moves(tune_chains *w, uint32_t over, tune_move *list) {
    const tune_tables *t = w->model->tables;
    uint32_t count = 0;
    for (uint32_t host = 0; host < t->graph->destinations && count < TUNE_CHAIN_CANDIDATES; host++)
        if (*tune_entry(t, host, t->graph->from[over]) == over)
            count = list_of_host(w, host, over, list, count);
    return count;
}

/* ---- a chain ---- */

static void move(tune_chains *w, const tune_move *m) {
    tune_move *done = &w->done[w->moves++];
    *done = *m;
    done->arc = *tune_entry(w->model->tables, m->host, m->node);
    w->model->ops->apply(w->model, m->host, m->node, m->arc);
}

static void undo(tune_chains *w) {
    while (w->moves) {
        const tune_move *done = &w->done[--w->moves];
        w->model->ops->apply(w->model, done->host, done->node, done->arc);
    }
}

/* The arc with the largest load of those that the chain has raised, and the peak, if it is at the limit. */
static uint32_t find_over(const tune_chains *w) {
    const tune_tables *t = w->model->tables;
    uint32_t over = BOUGH_NO_INDEX;
    double most = w->model->ops->value(w->model, w->peak);
    if (most >= w->limit) over = w->peak;
    for (unsigned i = 0; i < w->moves; i++)
        for (uint32_t arc, s = w->done[i].node; (arc = *tune_entry(t, w->done[i].host, s)) != BOUGH_NO_INDEX;
             s = t->graph->to[arc]) {
            const double value = w->model->ops->value(w->model, arc);
            if (value < w->limit || (over != BOUGH_NO_INDEX && value <= most)) continue;
            most = value;
            over = arc;
        }
    return over;
}

static bool follow(tune_chains *w, const tune_move *first) {
    w->moves = 0;
    move(w, first);
    for (uint32_t over; (over = find_over(w)) != BOUGH_NO_INDEX;) {
        const uint32_t count = w->moves < TUNE_CHAIN_MOVES ? list_moves(w, over, w->next) : 0;
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++)
            if (w->next[i].delta < w->next[best].delta) best = i;
        if (!count) {
            undo(w);
            return false;
        }
        move(w, &w->next[best]);
    }
    return true;
}

static int by_delta(const void *a, const void *b) {
    const tune_move *x = a, *y = b;
    if (x->delta != y->delta) return x->delta < y->delta ? -1 : 1;
    if (x->host != y->host) return x->host < y->host ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->arc < y->arc ? -1 : x->arc > y->arc;
}

bool tune_chains_lower(tune_chains *w, uint32_t arc) {
    w->moves = 0;
    w->peak = arc;
    w->limit = w->model->ops->value(w->model, arc) * (1 - 1e-9);
    const uint32_t count = list_moves(w, arc, w->first);
    qsort(w->first, count, sizeof *w->first, by_delta);
    for (uint32_t i = 0; i < count && !ended(w); i++)
        if (follow(w, &w->first[i])) return true;
    return false;
}
