/* On a full tree under D-mod-K an address d takes link (residue, q) out of a subtree if d mod M = residue + W
 * q, with W = w1 .. wl switches in the subtree at its top level l and M = W w p links out of it (dmodk.c). So
 * the subtree's up link of residue r has (endpoints inside) x (addresses outside with d mod M = r) flows, and
 * the down link of r (addresses inside with d mod M = r) x (endpoints outside). The links themselves are
 * found by following one path of each kind. */
#include "loads/all_pairs.h"
#include "base/status/stop.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/address_tree.h"
#include "loads/alltoall_load.h"
#include "loads/tree_loop.h"
#include "network/families/xgft_tree.h"
#include "routing/routing_list.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- D-mod-K ---- */

static const xgft_shape *modk_shape(const bough_routing *routing) {
    return routing->kind == &bough_routing_dmodk ? xgft_shape_of(routing->net) : NULL;
}

/* The subtrees of one level, and the links between one of them and the level above. */
typedef struct modk_level {
    unsigned level;
    uint64_t endpoints, first, size; /* of the network; the endpoints of the subtree */
    uint64_t links;                  /* M */
} modk_level;

/* Addresses below `end` with this residue. */
static uint64_t count_below(const modk_level *l, uint64_t end, uint64_t residue) {
    return end > residue ? (end - residue - 1) / l->links + 1 : 0;
}

static uint64_t count_inside(const modk_level *l, uint64_t residue) {
    return count_below(l, l->first + l->size, residue) - count_below(l, l->first, residue);
}

/* The first such address from `from` on. */
static uint64_t next_address(const modk_level *l, uint64_t from, uint64_t residue) {
    return from <= residue ? residue : residue + (from - residue + l->links - 1) / l->links * l->links;
}

/* The links of the path from an endpoint to an address; returns their number. */
static unsigned path_of(const bough_routing *routing, uint64_t from, uint64_t address, uint64_t *link) {
    bough_flow flow = {from, address, 0};
    return (unsigned)bough_path(routing, &flow, link, 2 * XGFT_LEVELS);
}

/* What the threads of one level share. Each link has its load from one item only. */
typedef struct modk_work {
    const all_pairs_question *question;
    modk_level level;
    all_pairs_visit *visit;
    void *context;
    uint64_t items;
} modk_work;

/* An item: a subtree, and a residue. */
typedef struct modk_item {
    const modk_work *work;
    unsigned thread;
    uint64_t residue;
} modk_item;

static void visit_up(const modk_item *i, const modk_level *l) {
    const modk_work *w = i->work;
    uint64_t outside = count_below(l, l->endpoints, i->residue) - count_inside(l, i->residue);
    if (!outside) return;
    uint64_t address = i->residue < l->first ? i->residue : next_address(l, l->first + l->size, i->residue);
    uint64_t link[2 * XGFT_LEVELS];
    path_of(w->question->routing, l->first, address, link);
    w->visit(w->context, i->thread, link[l->level], (double)l->size * (double)outside);
}

static void visit_down(const modk_item *i, const modk_level *l) {
    const modk_work *w = i->work;
    uint64_t inside = count_inside(l, i->residue), outside = l->endpoints - l->size;
    if (!inside || !outside) return;
    uint64_t link[2 * XGFT_LEVELS], from = (l->first + l->size) % l->endpoints; /* an endpoint outside */
    unsigned links = path_of(w->question->routing, from, next_address(l, l->first, i->residue), link);
    w->visit(w->context, i->thread, link[links - 1 - l->level], (double)inside * (double)outside);
}

enum { MODK_GRAIN = 256 };

static void visit_items(void *context, unsigned thread, uint64_t grain) {
    const modk_work *w = context;
    modk_level l = w->level;
    if (stop_asked(w->question->stop)) return;
    for (uint64_t i = grain * MODK_GRAIN; i < (grain + 1) * MODK_GRAIN && i < w->items; i++) {
        l.first = i / l.links * l.size;
        const modk_item item = {w, thread, i % l.links};
        visit_up(&item, &l);
        visit_down(&item, &l);
    }
}

bough_status all_pairs_each(const all_pairs_question *q, all_pairs_visit *visit, void *context,
                            bough_error *error) {
    const xgft_shape *s = modk_shape(q->routing);
    uint64_t switches = 1;
    modk_work w = {.question = q,
                   .level = {.endpoints = q->routing->net->endpoints, .size = 1},
                   .visit = visit,
                   .context = context};
    modk_level *l = &w.level;
    for (l->level = 0; l->level < s->levels; l->level++) {
        l->links = switches * s->w[l->level] * s->p[l->level];
        w.items = l->endpoints / l->size * l->links;
        team_loop(q->threads, (w.items + MODK_GRAIN - 1) / MODK_GRAIN, visit_items, &w);
        if (stop_asked(q->stop)) return stop_check(q->stop, error);
        l->size *= s->m[l->level];
        switches *= s->w[l->level];
    }
    return BOUGH_OK;
}

static void add_load(void *context, unsigned thread, uint64_t link, double load) {
    (void)thread;
    ((double *)context)[link] += load;
}

/* ---- one tree for each address ---- */

/* Loads are counts of flows, exact in a double, so the order of their sum does not matter. */
typedef struct tree_worker {
    double *load; /* [links]: of worker 0 those of the caller */
    origin_arrivals arrivals;
    uint64_t lost;
    char apart[THREAD_APART];
} tree_worker;

typedef struct tree_work {
    const all_pairs_question *question;
    origin_list origins;
    tree_worker *worker;
    unsigned workers;
} tree_work;

/* Addresses that a thread takes at once. */
enum { TREE_GRAIN = 16 };

/* Flows that do not arrive load the links that they reach. */
static uint64_t add_lost(const tree_worker *w, const address_tree *t, const origin_list *o, uint32_t origin,
                         uint32_t target) {
    spread_result r;
    uint64_t lost = 0;
    for (uint32_t i = o->run[origin]; i < o->run[origin + 1]; i++)
        for (uint32_t e = o->runs[i].first; e < o->runs[i].end; e++) {
            const bough_flow flow = {e, t->address, 0};
            if (e == target) continue;
            spread_reached(t->routing, &flow, spread_add, w->load, &r);
            lost++;
        }
    return lost;
}

/* Adds the flows of an origin between switches; returns those that do not arrive. */
static uint64_t add_origin(tree_worker *w, address_tree *t, const origin_list *o, uint32_t origin,
                           uint32_t target) {
    uint32_t flows = o->size[origin] - (o->of[target] == origin), node = o->node[origin];
    if (address_tree_from(t, o, origin) != SPREAD_ARRIVES) return add_lost(w, t, o, origin, target);
    for (; node != t->target; node = t->to[node]) w->load[t->link[node]] += flows;
    origin_arrivals_add(&w->arrivals, o, origin, target);
    return 0;
}

static bough_status add_tree(void *context, unsigned thread, address_tree *tree, uint32_t target,
                             bough_error *error) {
    const tree_work *t = context;
    tree_worker *w = &t->worker[thread];
    (void)error;
    for (uint32_t i = 0; i < t->origins.count; i++) w->lost += add_origin(w, tree, &t->origins, i, target);
    return BOUGH_OK;
}

/* Adds what another worker found to that of the first. */
static void join_worker(const tree_work *t, const tree_worker *from, tree_worker *to) {
    const bough_net *net = t->question->routing->net;
    for (uint64_t l = 0; l < net->links; l++) to->load[l] += from->load[l];
    origin_arrivals_join(&to->arrivals, &from->arrivals, &t->origins);
    to->lost += from->lost;
}

/* An adapter's only link has all flows of the adapter that arrive. */
static void add_injections(const bough_net *net, const origin_list *o, const tree_worker *w) {
    for (uint32_t e = 0; e < o->endpoints; e++)
        if (origin_lead(o, o->of[e]))
            w->load[bough_injection_link(net, e)] += (double)origin_arrivals_of(&w->arrivals, o, e);
}

static bough_status check_steps(const bough_net *net, const origin_list *o, bough_error *error) {
    uint64_t hops = net->hops_max ? net->hops_max : 8;
    uint64_t steps = bough_mul(net->endpoints, bough_add(net->nodes, bough_mul(o->count, hops)));
    if (steps <= ALLTOALL_TREES_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s has too many pairs of endpoints to follow, %" PRIu64 " endpoints", net->spec,
                      net->endpoints);
}

static bough_status make_tree_worker(const tree_work *t, tree_worker *w, double *load, bough_error *error) {
    bough_status status = origin_arrivals_make(&w->arrivals, &t->origins, error);
    w->load = load;
    if (!load) TRY(bough_alloc(&w->load, t->question->routing->net->links, sizeof *w->load, error));
    return status;
}

static void free_tree_work(tree_work *t) {
    for (unsigned i = 0; t->worker && i < t->workers; i++) {
        if (i) free(t->worker[i].load);
        origin_arrivals_fini(&t->worker[i].arrivals);
    }
    free(t->worker);
    origin_list_fini(&t->origins);
}

static bough_status tree_loads(const all_pairs_question *q, double *load, double *lost, bough_error *error) {
    const bough_net *net = q->routing->net;
    tree_work t = {.question = q, .workers = q->threads ? q->threads : 1};
    bough_status status = origin_list_make(net, &t.origins, error);
    TRY(check_steps(net, &t.origins, error));
    TRY(bough_alloc(&t.worker, t.workers, sizeof *t.worker, error));
    for (unsigned i = 0; i < t.workers && !status; i++)
        status = make_tree_worker(&t, &t.worker[i], i ? NULL : load, error);
    const tree_loop loop = {q->routing, t.workers, TREE_GRAIN, q->stop, add_tree, &t};
    TRY(tree_loop_run(&loop, error));
    if (!status) {
        for (unsigned i = 1; i < t.workers; i++) join_worker(&t, &t.worker[i], &t.worker[0]);
        add_injections(net, &t.origins, &t.worker[0]);
        *lost += (double)t.worker[0].lost;
    }
    free_tree_work(&t);
    return status;
}

bool all_pairs_direct(const bough_routing *routing) {
    return modk_shape(routing) != NULL;
}

bool all_pairs_fit(const bough_routing *routing) {
    return !routing->kind->via && address_tree_fits(routing);
}

uint64_t all_pairs_bytes(const bough_routing *routing) {
    const bough_net *net = routing->net;
    if (modk_shape(routing)) return 0;
    return bough_add(address_tree_bytes(routing), bough_mul(net->endpoints, 9));
}

bough_status all_pairs_loads(const all_pairs_question *q, double *load, double *lost, bough_error *error) {
    return all_pairs_direct(q->routing) ? all_pairs_each(q, add_load, load, error)
                                        : tree_loads(q, load, lost, error);
}
