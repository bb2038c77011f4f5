/* On a full tree under D-mod-K an address d takes link (residue, q) out of a subtree if d mod M = residue + W
 * q, with W = w1 .. wl switches in the subtree at its top level l and M = W w p links out of it (dmodk.c). So
 * the subtree's up link of residue r has (endpoints inside) x (addresses outside with d mod M = r) flows, and
 * the down link of r (addresses inside with d mod M = r) x (endpoints outside). The links themselves are
 * found by following one path of each kind. */
#include "models/link_load/all_pairs.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/link_load/alltoall_load.h"
#include "models/link_load/trees/address_tree.h"
#include "network/families/xgft_tree.h"
#include "routing/routing_list.h"

#include <inttypes.h>

static bool stopped(const atomic_bool *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

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

static void add_up(const bough_routing *routing, const modk_level *l, uint64_t residue, double *load) {
    uint64_t outside = count_below(l, l->endpoints, residue) - count_inside(l, residue);
    if (!outside) return;
    uint64_t address = residue < l->first ? residue : next_address(l, l->first + l->size, residue);
    uint64_t link[2 * XGFT_LEVELS];
    path_of(routing, l->first, address, link);
    load[link[l->level]] += (double)l->size * (double)outside;
}

static void add_down(const bough_routing *routing, const modk_level *l, uint64_t residue, double *load) {
    uint64_t inside = count_inside(l, residue), outside = l->endpoints - l->size;
    if (!inside || !outside) return;
    uint64_t link[2 * XGFT_LEVELS], from = (l->first + l->size) % l->endpoints; /* an endpoint outside */
    unsigned links = path_of(routing, from, next_address(l, l->first, residue), link);
    load[link[links - 1 - l->level]] += (double)inside * (double)outside;
}

static bough_status modk_loads(const bough_routing *routing, const xgft_shape *s, atomic_bool *stop,
                               double *load, bough_error *error) {
    modk_level l = {.endpoints = routing->net->endpoints, .size = 1};
    uint64_t switches = 1;
    for (l.level = 0; l.level < s->levels; l.level++) {
        l.links = switches * s->w[l.level] * s->p[l.level];
        for (uint64_t i = 0; i < l.endpoints / l.size * l.links; i++) {
            l.first = i / l.links * l.size;
            add_up(routing, &l, i % l.links, load);
            add_down(routing, &l, i % l.links, load);
            if (stopped(stop)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        }
        l.size *= s->m[l.level];
        switches *= s->w[l.level];
    }
    return BOUGH_OK;
}

/* ---- one tree for each address ---- */

typedef struct arrivals {
    double *load;
    uint64_t *origin; /* per origin: addresses that its paths reach */
    bool *own;        /* per endpoint: its own address is among them */
} arrivals;

/* Adds the flows of an origin between switches; returns those that do not arrive. */
static uint64_t add_origin(address_tree *t, const origin_list *o, uint32_t origin, uint32_t target,
                           arrivals *a) {
    uint32_t flows = o->size[origin] - (o->of[target] == origin), node = o->node[origin];
    address_tree_reach(t, node);
    if (address_tree_end(t, node, origin_lead(o, origin)) != SPREAD_ARRIVES) return flows;
    for (; node != t->target; node = t->to[node]) a->load[t->link[node]] += flows;
    a->origin[origin]++;
    if (o->of[target] == origin) a->own[target] = true;
    return 0;
}

/* An adapter's only link has all flows of the adapter that arrive. */
static void add_injections(const bough_net *net, const origin_list *o, const arrivals *a) {
    for (uint32_t e = 0; e < o->endpoints; e++)
        if (origin_lead(o, o->of[e]))
            a->load[bough_injection_link(net, e)] += (double)(a->origin[o->of[e]] - a->own[e]);
}

static bough_status check_steps(const bough_net *net, const origin_list *o, bough_error *error) {
    uint64_t hops = net->hops_max ? net->hops_max : 8;
    uint64_t steps = bough_mul(net->endpoints, bough_add(net->nodes, bough_mul(o->count, hops)));
    if (steps <= ALLTOALL_TREES_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s has too many pairs of endpoints to follow, %" PRIu64 " endpoints", net->spec,
                      net->endpoints);
}

static bough_status tree_loads(const bough_routing *routing, atomic_bool *stop, double *load, double *lost,
                               bough_error *error) {
    const bough_net *net = routing->net;
    origin_list origins = {0};
    address_tree tree = {0};
    arrivals a = {.load = load};
    bough_status status = origin_list_make(net, &origins, error);
    TRY(check_steps(net, &origins, error));
    TRY(address_tree_make(&tree, routing, error));
    TRY(bough_alloc(&a.origin, origins.count, sizeof *a.origin, error));
    TRY(bough_alloc(&a.own, net->endpoints, sizeof *a.own, error));
    for (uint64_t d = 0; d < net->endpoints && !status; d++) {
        if (stopped(stop)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        address_tree_start(&tree, bough_endpoint_address(net, d));
        for (uint32_t i = 0; i < origins.count; i++)
            *lost += (double)add_origin(&tree, &origins, i, (uint32_t)d, &a);
    }
    if (!status) add_injections(net, &origins, &a);
    origin_list_fini(&origins);
    address_tree_fini(&tree);
    FREE_ALL(a.origin, a.own);
    return status;
}

bool all_pairs_fit(const bough_routing *routing) {
    return !routing->kind->via && address_tree_fits(routing);
}

bough_status all_pairs_loads(const bough_routing *routing, atomic_bool *stop, double *load, double *lost,
                             bough_error *error) {
    const xgft_shape *shape = modk_shape(routing);
    if (shape) return modk_loads(routing, shape, stop, load, error);
    return tree_loads(routing, stop, load, lost, error);
}

void all_pairs_crossings(uint64_t endpoints, unsigned height, uint64_t *crossing) {
    crossing[0] = 0;
    for (uint64_t v = 1; v < UINT64_C(2) << height; v++) {
        unsigned below = height - (63 - (unsigned)__builtin_clzll(v)); /* levels under v */
        uint64_t first = (v << below) - (UINT64_C(1) << height), size = UINT64_C(1) << below;
        uint64_t present = first >= endpoints ? 0 : endpoints - first < size ? endpoints - first : size;
        crossing[v] = 2 * present * (endpoints - present);
    }
}
