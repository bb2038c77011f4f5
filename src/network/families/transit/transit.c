/* The networks of dehon1991: full fat-trees of unit trees UT64x2 and UT64x8, hybrids with bidelta leaf
 * clusters, and the flat bidelta network for comparison. For choices that the paper leaves open see
 * transit_shape.c and transit_wiring.c.
 *
 * Ids: nodes, links and groups are numbered layer by layer (transit.h). link = first of the layer + outputs *
 * router + dilation * direction + wire; group = first + directions * router + direction. The output port of a
 * link is dilation * direction + wire.
 *
 * Names: prefixes before dots name a stage, a stack and a layer.
 *     h17              processor
 *     s2.u5.up.r17     stage 2, unit tree 5 of it, up layer (0), router 17 of that; d3, d2, d1: down layers
 *     s1.u5.d1.r3a     a half of a router in dual mode: a, b
 *     b9.l2.r4         leaf cluster 9, layer 2 (1: the entry), router 4
 *     l2.r40           flat network, layer 2
 *
 * Levels are those of the quaternary tree, where a leaf cluster is one level: full trees have levels 1 .. 3
 * stages (n in the paper); hybrids 1 (the leaf cluster), then n + 1. */
#include "network/families/transit/transit.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdlib.h>

static void transit_destroy(bough_net *net) {
    transit *t = net->data;
    if (!t) return;
    FREE_ALL(t->wire16, t->wire32, t);
}

static const bough_net_ops transit_ops = {
    .destroy = transit_destroy,
    .link_end = transit_link_end,
    .link_group = transit_link_group,
    .group_node = transit_group_node,
    .group_links = transit_group_links,
    .node_group_count = transit_node_group_count,
    .node_group = transit_node_group,
    .node_level = transit_node_level,
    .node_roles = transit_node_roles,
    .route = transit_route,
    .step = transit_step,
    .group_order = transit_group_order,
    .subtree = transit_subtree,
    .channel_capacity = transit_channel_capacity,
    .level_stage = transit_level_stage,
    .node_chip = transit_node_chip,
    .node_place = transit_node_place,
    .node_module = transit_node_module,
    .group_coverage = transit_group_coverage,
    .node_name = transit_node_name,
    .link_port = transit_link_port,
};

/* ---- the family ---- */

enum {
    P_N,
    P_LEAF,
    P_STAGES,
    P_FLAT,
    P_LEAFMODE,
    P_RADIX,
    P_DILATION,
    P_LEVELS,
    P_PORTS,
    P_CAPACITY,
    P_SHORTCUTS,
    P_WIRES,
    P_WIRING
};

#define PROCESSORS_MAX (UINT64_C(1) << 30)
#define LEVELS_DEFAULT 3 /* where the radix allows it */
#define CAPACITY_MAX   65536
#define STAGES_MAX     (BOUGH_STAGES_MAX - 1) /* beside leaf clusters */

static const bough_param params[] = {
    [P_N] = {"n", "processors of a full fat-tree, a power of 64 (of radix^levels); default two stages: 4096",
             BOUGH_INT, "", 0, 0x1p62},
    [P_LEAF] = {"leaf", "hybrid: processors per leaf cluster: 12, 48 or 192; (radix - 1) radix^m", BOUGH_INT,
                "", 0, 0x1p62},
    [P_STAGES] = {"stages", "hybrid: stages of unit trees above the leaf clusters; default 1", BOUGH_INT, "",
                  1, STAGES_MAX},
    [P_FLAT] = {"flat", "flat bidelta network: processors, 4^k or 3 4^k; radix^k or (radix - 1) radix^k",
                BOUGH_INT, "", 0, 0x1p62},
    [P_LEAFMODE] =
        {"leafmode",
         "last routers of leaf clusters and flat networks: whole ones (dilation 2), or two halves (dual)",
         BOUGH_CHOICE, "dilated", .choices = "dilated|dual"},
    [P_RADIX] = {"radix", "directions of a router; RN1: 4", BOUGH_INT, "4", 2, TRANSIT_RADIX_MAX},
    [P_DILATION] = {"dilation", "wires per direction of a router; RN1: 2", BOUGH_INT, "2", 1,
                    TRANSIT_DILATION_MAX},
    [P_LEVELS] =
        {"levels",
         "tree levels per unit tree, below radix: so many directions of an up router cross over, the "
         "others lead up; default 3, or radix - 1 if that is less",
         BOUGH_INT, "", 1, TRANSIT_RADIX_MAX - 1},
    [P_PORTS] = {"ports", "wires of a processor each way, a multiple of the dilation; default the dilation",
                 BOUGH_INT, "", 1, TRANSIT_PORTS_MAX},
    [P_CAPACITY] =
        {"capacity",
         "wires each way per channel at the bottom of inner unit trees, a multiple of the dilation "
         "(UT64x8: 8); default radix x ports, or ports if levels=1",
         BOUGH_INT, "", 1, CAPACITY_MAX},
    [P_SHORTCUTS] =
        {"shortcuts",
         "1: one up layer per unit tree, 4/3 log4 N routers on the longest path; 0: one per level, "
         "2 log4 N",
         BOUGH_FLAG, "1"},
    [P_WIRES] = {"wires",
                 "how wires are dealt to routers: random; checked: drawn again until no more routers lead to "
                 "the same routers than their numbers force; deterministic: a tournament",
                 BOUGH_CHOICE, "random", .choices = "random|checked|deterministic"},
    [P_WIRING] = {"wiring", "key of the random wiring", BOUGH_INT, "1", 0, 0x1p53},
    BOUGH_PARAMS_END,
};

static bough_status too_many(bough_error *error) {
    return bough_fail(error, BOUGH_TOO_LARGE, NULL, "transit: more than 2^30 processors");
}

/* ---- the router and the unit trees ---- */

static bough_status not_multiple(const char *name, unsigned value, unsigned dilation, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, NULL, "transit: %s=%u is not a multiple of the dilation, %u",
                      name, value, dilation);
}

static unsigned given_or(const bough_value *v, unsigned otherwise) {
    return v->set ? (unsigned)v->integer : otherwise;
}

static bough_status ask_router(const bough_args *args, transit_ask *ask, bough_error *error) {
    const bough_value *v = args->value;
    unsigned radix = (unsigned)v[P_RADIX].integer, dilation = (unsigned)v[P_DILATION].integer;
    unsigned levels = given_or(&v[P_LEVELS], radix > LEVELS_DEFAULT ? LEVELS_DEFAULT : radix - 1);
    unsigned ports = given_or(&v[P_PORTS], dilation);
    unsigned capacity = given_or(&v[P_CAPACITY], levels > 1 ? radix * ports : ports);
    *ask = (transit_ask){.radix = radix,
                         .dilation = dilation,
                         .levels = levels,
                         .ports = ports,
                         .capacity = capacity,
                         .shortcuts = v[P_SHORTCUTS].integer,
                         .wires = (transit_wires)v[P_WIRES].integer,
                         .lead = 1};
    if (levels >= radix)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: levels=%u is not below the radix, %u: a direction of an up router must "
                          "lead up",
                          levels, radix);
    if (ports % dilation) return not_multiple("ports", ports, dilation, error);
    if (capacity % dilation) return not_multiple("capacity", capacity, dilation, error);
    if (!v[P_FLAT].given || !(v[P_LEVELS].given || v[P_CAPACITY].given || v[P_SHORTCUTS].given))
        return BOUGH_OK;
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "transit: a flat network has no unit trees; levels=, capacity= and shortcuts= require n= or "
        "leaf=");
}

/* ---- numbers of processors ---- */

static bough_status ask_full(const bough_args *args, transit_ask *ask, bough_error *error) {
    const uint64_t tree = transit_power(ask->radix, ask->levels);
    if (tree > PROCESSORS_MAX) return too_many(error);
    uint64_t n = args->value[P_N].set ? (uint64_t)args->value[P_N].integer : tree * tree, below = 1;
    unsigned stages = 0;
    for (; below <= n / tree && stages < STAGES_MAX; stages++) below *= tree;
    if (n >= below && n / below >= tree) return too_many(error);
    if (below != n || stages == 0) {
        if (stages == 0)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "transit: n=%" PRIu64 " is not a power of %" PRIu64
                              "; the smallest is %" PRIu64,
                              n, tree, tree);
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: n=%" PRIu64 " is not a power of %" PRIu64 "; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, tree, below, tree * below);
    }
    if (args->value[P_LEAFMODE].given)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: leafmode requires leaf= or flat=; the last routers of a full tree are always dual");
    ask->processors = n;
    ask->leaf = 1;
    ask->stages = stages;
    return BOUGH_OK;
}

/* The largest lead radix^m that is at most n, with m from `least` on; 0: none. */
static uint64_t cluster_below(uint64_t lead, unsigned radix, unsigned least, uint64_t n) {
    uint64_t size = lead * transit_power(radix, least);
    if (size > n) return 0;
    while (size <= n / radix) size *= radix;
    return size;
}

static bough_status ask_hybrid(bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t leaf = (uint64_t)args->value[P_LEAF].integer, lead = ask->radix - 1, r = ask->radix;
    if (leaf > PROCESSORS_MAX) return too_many(error);
    if (r < 3)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: leaf= requires a radix of 3 or more; one direction of the first routers of "
            "a leaf cluster leads to the tree");
    if (leaf == 0 || cluster_below(lead, ask->radix, 1, leaf) != leaf)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: no leaf cluster has %" PRIu64 " processors; leaf is %" PRIu64 ", %" PRIu64
                          " or %" PRIu64 ", (radix - 1) radix^m",
                          leaf, lead * r, lead * r * r, lead * r * r * r);
    if (!args->value[P_STAGES].set) bough_args_set_int(args, "stages", 1);
    ask->stages = (unsigned)args->value[P_STAGES].integer;
    ask->leaf = leaf;
    ask->lead = (unsigned)lead;
    ask->processors = bough_mul(leaf, transit_power(r, ask->stages * ask->levels));
    return BOUGH_OK;
}

static bough_status not_flat(const transit_ask *ask, uint64_t n, bough_error *error) {
    unsigned r = ask->radix;
    if (n < r)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: flat=%" PRIu64 " is neither %u^k nor %u %u^k; the smallest is %u", n, r,
                          r - 1, r, r);
    uint64_t whole = cluster_below(r, r, 0, n), less = cluster_below(r - 1, r, 1, n);
    uint64_t low = whole > less ? whole : less, high = whole * r, other = (r - 1) * whole;
    if (other > n && other < high) high = other;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "transit: flat=%" PRIu64 " is neither %u^k nor %u %u^k; the nearest are %" PRIu64
                      " and %" PRIu64,
                      n, r, r - 1, r, low, high);
}

static bough_status ask_flat(const bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_FLAT].integer;
    ask->processors = ask->leaf = n;
    if (n > PROCESSORS_MAX) return too_many(error);
    ask->lead = ask->radix;
    if (n >= ask->lead && cluster_below(ask->lead, ask->radix, 0, n) == n) return BOUGH_OK;
    ask->lead = ask->radix - 1;
    return n && cluster_below(ask->lead, ask->radix, 1, n) == n ? BOUGH_OK : not_flat(ask, n, error);
}

static bough_status read_ask(bough_args *args, transit_ask *ask, bough_error *error) {
    const bough_value *v = args->value;
    bough_status status;
    if (v[P_N].given + v[P_LEAF].given + v[P_FLAT].given > 1)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: n=, leaf= and flat= select different kinds of network; give only one of them");
    status = ask_router(args, ask, error);
    if (status) return status;
    if (v[P_STAGES].given && !v[P_LEAF].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: stages= requires leaf=; a full tree has n=%" PRIu64 "^stages",
                          transit_power(ask->radix, ask->levels));
    if (v[P_LEAF].given)
        status = ask_hybrid(args, ask, error);
    else if (v[P_FLAT].given)
        status = ask_flat(args, ask, error);
    else
        status = ask_full(args, ask, error);
    if (status) return status;
    ask->dual_leaf = v[P_LEAFMODE].integer == 1;
    if (!v[P_LEAF].given && !v[P_FLAT].given) bough_args_set_int(args, "n", (int64_t)ask->processors);
    return ask->processors > PROCESSORS_MAX ? too_many(error) : BOUGH_OK;
}

static uint64_t wires_of(const transit_layer *l, uint64_t router, unsigned direction) {
    return transit_first_wire(l, router, direction + 1) - transit_first_wire(l, router, direction);
}

/* The first and the last router of a set stand for all. */
static uint64_t largest_group(const transit *t) {
    uint64_t most = 0;
    for (unsigned i = 0; i < t->layers; i++) {
        const transit_layer *l = &t->layer[i];
        for (unsigned d = 0; d < l->directions; d++) {
            uint64_t first = wires_of(l, 0, d), last = wires_of(l, transit_size(l->set) - 1, d);
            if (first > most) most = first;
            if (last > most) most = last;
        }
    }
    return most;
}

static void fill(const transit *t, bough_net *net) {
    const transit_layer *last = &t->layer[t->layers - 1];
    net->ops = &transit_ops;
    net->endpoints = net->addresses = t->ask.processors;
    net->nodes = last->node + last->count;
    net->switches = net->chips = net->nodes - net->endpoints;
    net->links = last->link + last->count * transit_size(last->fan);
    net->groups = last->group + last->count * last->directions;
    net->cables = net->links - 2 * t->ask.ports * t->ask.processors;
    for (unsigned i = 1; i < t->layers; i++) {
        const transit_layer *l = &t->layer[i];
        if (l->level > net->levels) net->levels = l->level;
        if (l->siblings) net->chips -= l->count - l->count / l->parts;
    }
    net->group_max = largest_group(t);
    /* routers on the longest path: all layers, and the entry twice if there is a tree above it */
    net->hops_max = t->layers + (t->ask.stages && t->ask.leaf > 1);
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER | BOUGH_HAS_CHANNELS;
    net->packaging = &t->packaging;
    if (!t->flat) net->modules = t->module;
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    transit_ask ask = {0};
    transit *t;
    bough_status status = read_ask(args, &ask, error);
    TRY(bough_alloc(&t, 1, sizeof *t, error));
    if (status) return status;
    status = transit_shape(&ask, t, error);
    if (status) {
        free(t);
        return status;
    }
    net->data = t;
    transit_pack(t);
    fill(t, net);
    status = transit_wire(t, (uint64_t)args->value[P_WIRING].integer, net->threads, error);
    if (!status) net->bytes = t->wired * (t->wire16 ? sizeof *t->wire16 : sizeof *t->wire32);
    return status;
}

const bough_family bough_family_transit = {
    .name = "transit",
    .summary =
        "fat-tree of RN1 routers in unit trees, hybrid with bidelta leaf clusters, or flat bidelta network",
    .source = "DeHon: Practical schemes for fat-tree network construction, 1991",
    .params = params,
    .make = make,
};
