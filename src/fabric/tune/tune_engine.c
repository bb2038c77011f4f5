/* Settings are judged by the tables that the engine makes of them. First roots: the engine's own, single
 * switches, then sets that differ in one switch from the best. Then orders: one endpoint of each leaf in
 * turn, leaf by leaf, shuffled; then exchanges and moves in the best one, also among equals. */
#include "fabric/tune/tune_engine.h"

#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "fabric/tune/tune_search.h"
#include "routing/routing_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLES = 3, SINGLE_ROOTS_MAX = 64 };
#define ENTRIES 1e9 /* of tables in a search of effort 1 */

/* What the engine is given. */
typedef struct candidate {
    bool *root;     /* [nodes]; rooted */
    uint32_t *list; /* [hosts]; listed */
    bool rooted, listed;
    double unrouted;
    bough_tune_score score;
} candidate;

typedef struct searcher {
    const tune_engine_search *q;
    tune_engine_result *result;
    uint64_t nodes, hosts, budget;
    bough_stream random;
    uint32_t *place; /* [hosts] */
    candidate now, next;
    bough_error *error;
} searcher;

void tune_engine_result_fini(tune_engine_result *r) {
    engine_settings_fini(&r->settings);
    bough_routing_destroy(r->routing);
    *r = (tune_engine_result){.evaluated = 0};
}

static bool finished(searcher *s) {
    s->result->interrupted = s->q->stop && atomic_load_explicit(s->q->stop, memory_order_relaxed);
    return s->result->interrupted || s->result->evaluated >= s->budget ||
           (s->now.unrouted == 0 && s->now.score.value <= s->q->bound * (1 + 1e-12));
}

/* ---- one candidate ---- */

static bough_status candidate_make(searcher *s, candidate *c) {
    *c = (candidate){.unrouted = INFINITY};
    bough_status status = bough_alloc(&c->root, s->nodes, sizeof *c->root, s->error);
    TRY(bough_alloc(&c->list, s->hosts, sizeof *c->list, s->error));
    return status;
}

static void candidate_copy(const searcher *s, candidate *to, const candidate *from) {
    const candidate own = *to;
    *to = *from;
    to->root = own.root;
    to->list = own.list;
    memcpy(to->root, from->root, s->nodes * sizeof *to->root);
    memcpy(to->list, from->list, s->hosts * sizeof *to->list);
}

static engine_settings settings_of(searcher *s, const candidate *c) {
    engine_settings settings = {0};
    if (c->rooted) settings.root = c->root;
    if (c->listed) settings.place = s->place;
    for (uint32_t i = 0; i < s->hosts && c->listed; i++) s->place[c->list[i]] = i + 1;
    return settings;
}

static bough_status evaluate(searcher *s, candidate *c) {
    const engine_settings settings = settings_of(s, c);
    bough_routing *routing;
    bough_tune_row row = {0};
    bough_status status = engine_routing_make(s->q->graph->net, s->q->kind, &settings, &routing, s->error);
    if (status) return status;
    status = s->q->measure(s->q->context, routing, &row, s->error);
    bough_routing_destroy(routing);
    c->unrouted = (double)row.unrouted;
    c->score = row.score;
    s->result->evaluated++;
    if (s->q->progress) s->q->progress(s->q->context, (double)s->result->evaluated / (double)s->budget);
    return status;
}

/* Takes the next candidate in place of the present one if it is not worse. */
static bough_status try_next(searcher *s) {
    bough_status status = evaluate(s, &s->next);
    if (status || s->next.unrouted > s->now.unrouted) return status;
    if (s->next.unrouted == s->now.unrouted && tune_score_less(&s->now.score, &s->next.score)) return status;
    candidate_copy(s, &s->now, &s->next);
    return status;
}

static void begin_next(searcher *s) {
    candidate_copy(s, &s->next, &s->now);
}

/* ---- roots ---- */

static bough_status try_single_roots(searcher *s) {
    const bough_net *net = s->q->graph->net;
    const uint64_t switches = s->q->graph->switches,
                   step = (switches + SINGLE_ROOTS_MAX - 1) / SINGLE_ROOTS_MAX;
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < switches && !status && !finished(s); i += step) {
        begin_next(s);
        memset(s->next.root, 0, s->nodes * sizeof *s->next.root);
        s->next.rooted = s->next.root[net->endpoints + i] = true;
        status = try_next(s);
    }
    return status;
}

static bough_status change_roots(searcher *s, uint64_t tries) {
    const uint64_t first = s->q->graph->net->endpoints, switches = s->q->graph->switches;
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < tries && !status && s->now.rooted && !finished(s); i++) {
        uint64_t count = 0;
        begin_next(s);
        bool *root = &s->next.root[first + bough_stream_below(&s->random, switches)];
        *root = !*root;
        for (uint64_t v = first; v < s->nodes; v++) count += s->next.root[v];
        if (count) status = try_next(s);
    }
    return status;
}

/* The switches of the highest level as a set that can be changed. */
static bough_status name_roots(searcher *s) {
    const bough_net *net = s->q->graph->net;
    begin_next(s);
    if (s->next.rooted) return BOUGH_OK;
    for (uint64_t v = 0; v < s->nodes; v++)
        s->next.root[v] = bough_is_switch(net, v) && net->ops->node_level(net, v) == net->levels;
    s->next.rooted = true;
    return try_next(s);
}

static bough_status search_roots(searcher *s) {
    if (s->q->kind != &bough_routing_updn) return BOUGH_OK;
    bough_status status = try_single_roots(s);
    TRY(name_roots(s));
    TRY(change_roots(s, s->budget / 4));
    return status;
}

/* ---- orders ---- */

static void append(searcher *s, uint32_t *count, uint32_t host) {
    s->next.list[(*count)++] = host;
    s->place[host] = 1; /* listed */
}

/* One host of each leaf that has one left; false if there is none. */
static bool append_turn(searcher *s, uint32_t *count) {
    const tune_graph *g = s->q->graph;
    const uint32_t before = *count;
    for (uint32_t h = 0, leaf = 0; h < g->hosts && leaf < g->leaves; h++) {
        if (s->place[h] || g->leaf_of[h] == BOUGH_NO_INDEX || g->leaf_of[h] < leaf) continue;
        append(s, count, h);
        leaf = g->leaf_of[h] + 1;
    }
    return *count > before;
}

/* turn: one host of each leaf after the other; else leaf by leaf. */
static void list_by_leaves(searcher *s, bool turn) {
    const tune_graph *g = s->q->graph;
    uint32_t count = 0;
    memset(s->place, 0, s->hosts * sizeof *s->place);
    while (turn && append_turn(s, &count)) continue;
    for (uint32_t l = 0; l < g->leaves && !turn; l++)
        for (uint32_t h = 0; h < g->hosts; h++)
            if (g->leaf_of[h] == l) append(s, &count, h);
    for (uint32_t h = 0; h < g->hosts; h++)
        if (!s->place[h]) append(s, &count, h);
    s->next.listed = true;
}

static void shuffle(searcher *s) {
    for (uint64_t i = s->hosts; i > 1; i--) {
        const uint64_t k = bough_stream_below(&s->random, i);
        const uint32_t h = s->next.list[i - 1];
        s->next.list[i - 1] = s->next.list[k];
        s->next.list[k] = h;
    }
}

static void change_order(searcher *s) {
    uint32_t *list = s->next.list;
    const uint64_t i = bough_stream_below(&s->random, s->hosts), k = bough_stream_below(&s->random, s->hosts);
    const uint32_t h = list[i];
    if (bough_stream_below(&s->random, 2)) {
        list[i] = list[k];
        list[k] = h;
        return;
    }
    if (i < k) memmove(list + i, list + i + 1, (k - i) * sizeof *list);
    if (i > k) memmove(list + k + 1, list + k, (i - k) * sizeof *list);
    list[k] = h;
}

static bough_status search_orders(searcher *s) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < 2 + SHUFFLES && !status && !finished(s); i++) {
        begin_next(s);
        list_by_leaves(s, i == 1);
        if (i > 1) shuffle(s);
        status = try_next(s);
    }
    while (!status && s->now.listed && !finished(s)) {
        begin_next(s);
        change_order(s);
        status = try_next(s);
    }
    return status;
}

/* ---- the search ---- */

static bough_status finish(searcher *s) {
    tune_engine_result *r = s->result;
    r->settings = settings_of(s, &s->now);
    bough_status status =
        engine_routing_make(s->q->graph->net, s->q->kind, &r->settings, &r->routing, s->error);
    TRY(s->q->measure(s->q->context, r->routing, &r->row, s->error));
    if (s->now.rooted) s->now.root = NULL; /* it belongs to the result */
    if (s->now.listed) s->place = NULL;
    return status;
}

bough_status tune_engine(const tune_engine_search *q, tune_engine_result *result, bough_error *error) {
    const tune_graph *g = q->graph;
    const double entries = (double)g->hosts * g->switches;
    searcher s = {.q = q, .result = result, .nodes = g->net->nodes, .hosts = g->hosts, .error = error};
    *result = (tune_engine_result){.evaluated = 0};
    s.random = bough_stream_make(bough_key_make(q->seed, 0), BOUGH_DRAW_SEARCH, 1, 0);
    s.budget = 1 + (uint64_t)(q->effort * fmin(2000, fmax(50, ENTRIES / (16 * entries + 1))));
    bough_status status = bough_alloc(&s.place, s.hosts, sizeof *s.place, error);
    TRY(candidate_make(&s, &s.now));
    TRY(candidate_make(&s, &s.next));
    TRY(evaluate(&s, &s.now));
    if (!status && !finished(&s)) status = search_roots(&s);
    TRY(search_orders(&s));
    TRY(finish(&s));
    FREE_ALL(s.place, s.now.root, s.now.list, s.next.root, s.next.list);
    if (status) tune_engine_result_fini(result);
    return status;
}
