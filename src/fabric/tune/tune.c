#include "fabric/tune/tune.h"
#include "base/status/stop.h"

#include "base/clock.h"
#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "fabric/tune/bounds/tune_bound.h"
#include "fabric/tune/tune_change.h"
#include "fabric/tune/tune_graph.h"
#include "fabric/tune/tune_routing.h"
#include "fabric/tune/tune_search.h"
#include "loads/address_tree.h"
#include "routing/computed/engine_settings.h"
#include "routing/deadlock.h"
#include "routing/routing_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tune engine ---- */

/* Better settings of an engine of OpenSM: roots of updn, and the order in which minhop and updn route
 * destinations. The engine then makes better tables by itself, also after a change of the fabric. */

/* Settings are judged by the tables that the engine makes of them. First roots: the engine's own, single
 * switches, then sets that differ in one switch from the best. Then orders: one endpoint of each leaf in
 * turn, leaf by leaf, shuffled; then exchanges and moves in the best one, also among equals. */

typedef struct tune_engine_search {
    const tune_graph *graph;
    const bough_routing_kind *kind; /* minhop or updn */
    uint64_t seed;
    double effort; /* of 1: about 1e9 entries of tables, 50 to 2000 settings */
    double bound;  /* the search ends at a score of this value */
    atomic_bool *stop;
    /* Score and unrouted pairs of a routing. */
    bough_status (*measure)(void *context, const bough_routing *routing, bough_tune_row *row,
                            bough_error *error);
    void (*progress)(void *context, double share);
    void *context;
} tune_engine_search;

typedef struct tune_engine_result {
    engine_settings settings; /* NULL members: the engine's own are the best that were found */
    bough_routing *routing;
    bough_tune_row row; /* spec: NULL */
    uint64_t evaluated;
    bool interrupted;
} tune_engine_result;

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

static void tune_engine_result_fini(tune_engine_result *r) {
    engine_settings_fini(&r->settings);
    bough_routing_destroy(r->routing);
    *r = (tune_engine_result){.evaluated = 0};
}

static bool finished(searcher *s) {
    s->result->interrupted = stop_asked(s->q->stop);
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

static bough_status finish_rows(searcher *s) {
    tune_engine_result *r = s->result;
    r->settings = settings_of(s, &s->now);
    bough_status status =
        engine_routing_make(s->q->graph->net, s->q->kind, &r->settings, &r->routing, s->error);
    TRY(s->q->measure(s->q->context, r->routing, &r->row, s->error));
    if (s->now.rooted) s->now.root = NULL; /* it belongs to the result */
    if (s->now.listed) s->place = NULL;
    return status;
}

/* The best settings found; never worse than the engine's own. Depends on the search only, not on time, unless
 * it is interrupted. Errors: those of the engine, NO_MEMORY. */
static bough_status tune_engine(const tune_engine_search *q, tune_engine_result *result, bough_error *error) {
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
    TRY(finish_rows(&s));
    FREE_ALL(s.place, s.now.root, s.now.list, s.next.root, s.next.list);
    if (status) tune_engine_result_fini(result);
    return status;
}

/* ---- tune ---- */

static const char *const objective_names[] = {
#define X(id, name) name,
    BOUGH_TUNE_MAP(X)
#undef X
};

const char *bough_tune_objective_name(bough_tune_objective objective) {
    return objective_names[objective];
}

bough_status bough_tune_objective_find(const char *name, bough_tune_objective *objective,
                                       bough_error *error) {
    char hint[BOUGH_HINT_MAX];
    for (int i = 0; i < BOUGH_TUNE_JOBS; i++)
        if (strcmp(name, objective_names[i]) == 0) {
            *objective = (bough_tune_objective)i;
            return BOUGH_OK;
        }
    return bough_fail(
        error, BOUGH_INVALID, "--for",
        "no objective '%s'%s; there are alltoall, shifts, worst-shift, random and worst (--job names "
        "traffic)",
        name, bough_hint(hint, name, objective_names, BOUGH_TUNE_JOBS));
}

const char *bough_tune_bound_name(bough_tune_bound_kind kind) {
    static const char *const name[] = {"hosts", "cut", "dual"};
    return name[kind];
}

/* ---- the work ---- */

enum { OWN_STARTS = 3 }; /* beside routings */

typedef struct tuner {
    const bough_tune_question *q;
    bough_tune_report *report;
    tune_graph graph;
    tune_cuts cuts;
    tune_demand demand; /* of all-to-all and jobs */
    tune_tables tables, best, scratch;
    tune_model *model; /* of `tables` */
    bough_tune_score best_score;
    const char *step;
    double begin, end; /* of the step, as shares of the whole work */
} tuner;

static void show(void *context, double share) {
    const tuner *w = context;
    if (w->q->progress)
        w->q->progress(w->q->progress_context, w->begin + share * (w->end - w->begin), w->step);
}

static void enter(tuner *w, const char *step, double end) {
    w->step = step;
    w->begin = w->end;
    w->end = end;
    show(w, 0);
}

/* Below 1 all parts of the work become shorter, above it the search from the best start longer. */
static double short_effort(const tuner *w) {
    return w->q->effort > 0 ? fmin(1, w->q->effort) : 1;
}

static bool stopped(const tuner *w) {
    return stop_asked(w->q->stop);
}

static bough_status make_model(tuner *w, tune_tables *tables, tune_model **model, bough_error *error) {
    const bough_tune_question *q = w->q;
    const tune_rounds_kind rounds = {q->objective, q->seed, w->report->permutations};
    double *demand = NULL, base = 0;
    switch (q->objective) {
    case BOUGH_TUNE_ALLTOALL:
        return tune_model_flows(tables, NULL, tune_alltoall_base(&w->graph), model, error);
    case BOUGH_TUNE_JOBS: {
        bough_status status = tune_jobs_demand(&w->graph, q, &demand, &base, error);
        return status ? status : tune_model_flows(tables, demand, base, model, error);
    }
    case BOUGH_TUNE_WORST:
        return tune_model_worst(tables, model, error);
    default:
        return tune_model_rounds(tables, &rounds, model, error);
    }
}

/* ---- bounds ---- */

static bool by_flows(const tuner *w) {
    return w->q->objective == BOUGH_TUNE_ALLTOALL || w->q->objective == BOUGH_TUNE_JOBS;
}

static bough_status make_demand(tuner *w, bough_error *error) {
    double *host_flow = NULL, base = 0;
    bough_status status = BOUGH_OK;
    if (w->q->objective == BOUGH_TUNE_JOBS)
        status = tune_jobs_demand(&w->graph, w->q, &host_flow, &base, error);
    TRY(tune_demand_make(&w->demand, &w->graph, host_flow, error));
    free(host_flow);
    return status;
}

/* By links of endpoints and cuts. */
static bough_status find_bound(tuner *w, bough_error *error) {
    const bough_tune_question *q = w->q;
    const tune_rounds_kind rounds = {q->objective, q->seed, w->report->permutations};
    bough_tune_bound *bound = &w->report->bound;
    *bound = (bough_tune_bound){.value = w->model->base, .kind = BOUGH_TUNE_BOUND_HOSTS, .node = BOUGH_NONE};
    if (by_flows(w)) {
        bough_status status = make_demand(w, error);
        return status ? status : tune_bound_cuts(&w->graph, &w->cuts, &w->demand, bound, error);
    }
    if (q->objective != BOUGH_TUNE_WORST)
        return tune_rounds_bound(&w->graph, &w->cuts, &rounds, bound, error);
    tune_bound_worst(&w->graph, &w->cuts, bound);
    return BOUGH_OK;
}

/* By lengths, if tables above the bound are the best so far. */
static bough_status raise_bound(tuner *w, bough_error *error) {
    const double most = tune_dual_iterations(&w->graph) * short_effort(w);
    const tune_dual_options options = {.goal = w->best_score.value,
                                       .iterations = (unsigned)fmax(1, most),
                                       .stop = w->q->stop,
                                       .progress = show,
                                       .context = w};
    enter(w, "bound", w->q->engine ? 1 : 0.5);
    if (!by_flows(w) || w->report->bound.value >= options.goal) return BOUGH_OK;
    return tune_bound_dual(&w->graph, &w->demand, &options, &w->report->bound, error);
}

/* ---- starts ---- */

static bough_status find_cycle(const bough_routing *routing, uint64_t *links, bough_error *error) {
    bough_link_cycle cycle = {0};
    bough_status status = bough_deadlock_find(routing, &cycle, error);
    *links = cycle.count;
    bough_link_cycle_fini(&cycle);
    return status;
}

static bough_status measure(void *context, const bough_routing *routing, bough_tune_row *row,
                            bough_error *error) {
    tuner *w = context;
    tune_raw raw = {0};
    tune_model *model = NULL;
    if (!address_tree_fits(routing))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "`%s` is no forwarding table, from which a search could start; minhop, updn, dmodk and "
            "lft are",
            row->spec);
    bough_status status = tune_routing_read(routing, &w->scratch, &raw, error);
    TRY(make_model(w, &w->scratch, &model, error));
    if (!status) model->ops->score(model, &row->score);
    row->unrouted = raw.unrouted;
    row->outside = raw.outside;
    tune_model_destroy(model);
    return status;
}

static bough_status search(tuner *w, double effort, tune_search_result *found, bough_error *error) {
    const bough_tune_question *q = w->q;
    const tune_search_options options = {.seed = q->seed,
                                         .effort = effort,
                                         .bound = w->report->bound.value,
                                         .stop = q->stop,
                                         .progress = show,
                                         .context = w};
    bough_status status = tune_search(w->model, &options, found, error);
    w->report->evaluated += found->evaluated;
    w->report->interrupted = w->report->interrupted || found->interrupted;
    return status;
}

/* A short search from the tables; the best one of all starts is kept. */
static bough_status try_start(tuner *w, size_t row, bough_error *error) {
    tune_search_result found = {0};
    enter(w, "starts", w->end + 0.3 / (double)(w->q->routings + OWN_STARTS + 3));
    bough_status status = search(w, 0.5 * short_effort(w), &found, error);
    if (status || (w->best.next && !tune_score_less(&found.score, &w->best_score))) return status;
    if (!w->best.next) status = tune_tables_make(&w->best, &w->graph, error);
    if (status) return status;
    tune_tables_copy(&w->best, &w->tables);
    w->best_score = found.score;
    for (size_t i = 0; i < w->report->rows; i++) w->report->row[i].start = i == row;
    return BOUGH_OK;
}

static bough_status start_from(tuner *w, const char *spec, bough_error *error) {
    bough_tune_row *row = &w->report->row[w->report->rows];
    bough_routing *routing = NULL;
    row->spec = bough_strdup(spec);
    if (!row->spec) return bough_fail_memory(error, strlen(spec));
    w->report->rows++;
    bough_status status = bough_routing_create(w->graph.net, spec, &routing, error);
    TRY(measure(w, routing, row, error));
    TRY(find_cycle(routing, &row->cycle, error));
    if (!status) tune_tables_take(&w->tables, routing);
    if (!status && !stopped(w) && !w->q->engine) status = try_start(w, w->report->rows - 1, error);
    bough_routing_destroy(routing);
    return status;
}

static bool asked(const bough_tune_question *q, const char *name) {
    for (size_t i = 0; i < q->routings; i++)
        if (strcmp(q->routing[i], name) == 0) return true;
    return false;
}

static bough_status start_from_all(tuner *w, bough_error *error) {
    static const char *const own[] = {"minhop", "updn", "dmodk"};
    const bough_tune_question *q = w->q;
    bough_status status = bough_alloc(&w->report->row, q->routings + 4, sizeof *w->report->row, error);
    for (size_t i = 0; i < q->routings; i++) TRY(start_from(w, q->routing[i], error));
    for (int i = 0; i < 3 && !status; i++) {
        if (asked(q, own[i]) || (i < 2 && !(w->graph.net->capabilities & BOUGH_HAS_ROUTES))) continue;
        if (i == 2 && !(w->graph.net->capabilities & BOUGH_HAS_MODK)) continue;
        status = start_from(w, own[i], error);
    }
    for (unsigned i = 0; i < OWN_STARTS && !status && !stopped(w); i++) {
        status = i ? tune_tables_spread(&w->tables, i - 1, error) : tune_tables_modk(&w->tables, error);
        TRY(try_start(w, SIZE_MAX, error));
    }
    if (!status && !w->best.next)
        status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted before there are tables");
    return status;
}

/* ---- settings of an engine ---- */

static bough_status list_settings(tuner *w, const engine_settings *settings, bough_error *error) {
    const bough_net *net = w->graph.net;
    bough_tune_report *r = w->report;
    bough_status status = bough_alloc(&r->root, w->graph.switches, sizeof *r->root, error);
    TRY(bough_alloc(&r->first, net->endpoints, sizeof *r->first, error));
    for (uint64_t v = 0; v < net->nodes && settings->root && !status; v++)
        if (settings->root[v]) r->root[r->roots++] = v;
    for (uint64_t e = 0; e < net->endpoints && settings->place && !status; e++)
        r->first[settings->place[e] - 1] = e;
    if (settings->place) r->firsts = net->endpoints;
    return status;
}

static bough_status search_settings(tuner *w, const bough_routing_kind *kind, bough_error *error) {
    bough_tune_report *r = w->report;
    tune_engine_result found = {.evaluated = 0};
    const tune_engine_search search = {.graph = &w->graph,
                                       .kind = kind,
                                       .seed = w->q->seed,
                                       .effort = w->q->effort > 0 ? w->q->effort : 1,
                                       .bound = r->bound.value,
                                       .stop = w->q->stop,
                                       .measure = measure,
                                       .progress = show,
                                       .context = w};
    enter(w, "settings", 0.9);
    bough_status status = tune_engine(&search, &found, error);
    if (status) return status;
    r->score = w->best_score = found.row.score;
    r->unrouted = found.row.unrouted;
    r->evaluated = found.evaluated;
    r->interrupted = found.interrupted;
    r->routing = found.routing;
    found.routing = NULL;
    status = find_cycle(r->routing, &r->cycle, error);
    TRY(list_settings(w, &found.settings, error));
    tune_engine_result_fini(&found);
    return status;
}

/* The routings of the question and the engine as it is, then its settings, then a better bound. */
static bough_status work_on_engine(tuner *w, bough_error *error) {
    const bough_tune_question *q = w->q;
    const bough_routing_kind *kind =
        strcmp(q->engine, "updn") == 0 ? &bough_routing_updn : &bough_routing_minhop;
    bough_status status = bough_alloc(&w->report->row, q->routings + 1, sizeof *w->report->row, error);
    for (size_t i = 0; i < q->routings; i++) TRY(start_from(w, q->routing[i], error));
    TRY(start_from(w, kind->name, error));
    if (!status) w->report->row[q->routings].start = true;
    TRY(search_settings(w, kind, error));
    TRY(raise_bound(w, error));
    w->report->optimal = w->report->score.value <= w->report->bound.value * (1 + 1e-9);
    return status;
}

/* ---- the result ---- */

static bough_status finish(tuner *w, bough_error *error) {
    bough_tune_report *r = w->report;
    const bough_tune_question *q = w->q;
    tune_raw raw = {0};
    r->score = w->best_score;
    r->optimal = r->score.value <= r->bound.value * (1 + 1e-9);
    bough_status status = tune_routing_make(&w->best, &r->routing, error);
    TRY(tune_routing_read(r->routing, &w->scratch, &raw, error));
    r->unrouted = raw.unrouted;
    TRY(find_cycle(r->routing, &r->cycle, error));
    if (!status && (r->cycle || r->unrouted))
        status = bough_fail(error, BOUGH_FAILED, NULL,
                            "the tables found do not route all pairs without a deadlock");
    if (q->old && q->routings) TRY(tune_change_find(&w->best, q->routing[0], &r->change, error));
    return status;
}

static bough_status work(tuner *w, bough_error *error) {
    tune_search_result found = {0};
    const double begin = clock_thread_seconds(), effort = w->q->effort > 0 ? w->q->effort : 1;
    bough_status status = tune_graph_make(&w->graph, w->q->net, w->q->lmc, error);
    TRY(tune_tables_make(&w->tables, &w->graph, error));
    TRY(tune_tables_make(&w->scratch, &w->graph, error));
    TRY(tune_cuts_make(&w->cuts, &w->graph, error));
    TRY(make_model(w, &w->tables, &w->model, error));
    if (status) return status;
    w->report->pairs = w->graph.pairs;
    w->report->shortest = w->graph.shortest;
    for (uint32_t d = 0; d < w->graph.destinations; d++)
        for (uint32_t s = 0; s < w->graph.switches && w->graph.leaf_of[d] != BOUGH_NO_INDEX; s++)
            w->report->choices += tune_choices_at(&w->graph, w->graph.leaf_of[d], s).count > 1;
    status = find_bound(w, error);
    if (w->q->engine) {
        TRY(work_on_engine(w, error));
        w->report->seconds = clock_thread_seconds() - begin;
        return status;
    }
    TRY(start_from_all(w, error));
    TRY(raise_bound(w, error));
    if (!status && w->best_score.value > w->report->bound.value * (1 + 1e-12) && !stopped(w)) {
        tune_tables_copy(&w->tables, &w->best);
        enter(w, "search", 1);
        status = search(w, 8 * effort, &found, error);
        if (!status && tune_score_less(&found.score, &w->best_score)) {
            w->best_score = found.score;
            tune_tables_copy(&w->best, &w->tables);
        }
    }
    w->report->interrupted = w->report->interrupted || stopped(w);
    TRY(finish(w, error));
    w->report->seconds = clock_thread_seconds() - begin;
    return status;
}

bough_status bough_tune(const bough_tune_question *q, bough_tune_report **report, bough_error *error) {
    tuner w = {.q = q};
    bough_status status = bough_alloc(&w.report, 1, sizeof *w.report, error);
    *report = NULL;
    if (status) return status;
    *w.report = (bough_tune_report){.net = q->net,
                                    .objective = q->objective,
                                    .seed = q->seed,
                                    .permutations = q->permutations ? q->permutations : 100,
                                    .endpoints = q->net->endpoints,
                                    .lmc = q->lmc,
                                    .engine = q->engine};
    if (q->engine && strcmp(q->engine, "minhop") != 0 && strcmp(q->engine, "updn") != 0)
        status = bough_fail(error, BOUGH_INVALID, "--engine",
                            "no settings of '%s' are known; the engines are minhop and updn", q->engine);
    if (q->lmc && (q->engine || (q->objective != BOUGH_TUNE_ALLTOALL && q->objective != BOUGH_TUNE_JOBS)))
        status = bough_fail(error, BOUGH_INVALID, "--lmc",
                            "several paths to an endpoint are for tables, under alltoall or jobs");
    TRY(work(&w, error));
    tune_model_destroy(w.model);
    tune_tables_fini(&w.tables);
    tune_tables_fini(&w.best);
    tune_tables_fini(&w.scratch);
    tune_cuts_fini(&w.cuts);
    tune_demand_fini(&w.demand);
    tune_graph_fini(&w.graph);
    if (status)
        bough_tune_report_destroy(w.report);
    else
        *report = w.report;
    return status;
}

void bough_tune_report_destroy(bough_tune_report *r) {
    if (!r) return;
    for (size_t i = 0; i < r->rows; i++) free(r->row[i].spec);
    bough_routing_destroy(r->routing);
    FREE_ALL(r->row, r->change.order, r->root, r->first, r);
}
