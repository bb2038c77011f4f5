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

enum { P_N, P_LEAF, P_STAGES, P_FLAT, P_LEAFMODE, P_WIRING };

#define PROCESSORS_MAX (UINT64_C(1) << 30)

static const bough_param params[] = {
    [P_N] = {"n", "processors of a full fat-tree, a power of 64; default 4096", BOUGH_INT, "", 0, 0x1p62},
    [P_LEAF] = {"leaf", "hybrid: processors per leaf cluster: 12, 48 or 192", BOUGH_INT, "", 0, 0x1p62},
    [P_STAGES] = {"stages", "hybrid: stages of unit trees above the leaf clusters; default 1", BOUGH_INT, "",
                  1, 5},
    [P_FLAT] = {"flat", "flat bidelta network: processors, 4^k or 3 4^k", BOUGH_INT, "", 0, 0x1p62},
    [P_LEAFMODE] =
        {"leafmode",
         "last routers of leaf clusters and flat networks: whole ones (dilation 2), or two halves (dual)",
         BOUGH_CHOICE, "dilated", .choices = "dilated|dual"},
    [P_WIRING] = {"wiring", "key of the random wiring", BOUGH_INT, "1", 0, 0x1p53},
    BOUGH_PARAMS_END,
};

static bough_status too_many(bough_error *error) {
    return bough_fail(error, BOUGH_TOO_LARGE, NULL, "transit: more than 2^30 processors");
}

static bough_status ask_full(const bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t n = args->value[P_N].set ? (uint64_t)args->value[P_N].integer : 4096, below = 1;
    unsigned stages = 0;
    for (; below <= n / 64; below *= 64) stages++;
    if (n != below || stages == 0) {
        if (stages == 0)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "transit: n=%" PRIu64 " is not a power of 64; the smallest is 64", n);
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: n=%" PRIu64 " is not a power of 64; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, below, 64 * below);
    }
    if (args->value[P_LEAFMODE].given)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: leafmode requires leaf= or flat=; the last routers of a full tree are always dual");
    *ask = (transit_ask){.processors = n, .leaf = 1, .stages = stages};
    return BOUGH_OK;
}

static bough_status ask_hybrid(bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t leaf = (uint64_t)args->value[P_LEAF].integer;
    if (leaf != 12 && leaf != 48 && leaf != 192)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: no leaf cluster has %" PRIu64 " processors; leaf is 12, 48 or 192", leaf);
    if (!args->value[P_STAGES].set) bough_args_set_int(args, "stages", 1);
    ask->stages = (unsigned)args->value[P_STAGES].integer;
    ask->leaf = leaf;
    ask->processors = leaf << 6 * ask->stages;
    return BOUGH_OK;
}

static bough_status ask_flat(const bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_FLAT].integer, below = 4;
    while (below <= n / 4) below *= 4;
    *ask = (transit_ask){.processors = n, .leaf = n};
    if (n == below || (n == 3 * below && n > 3)) return BOUGH_OK;
    if (n < 4)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: flat=%" PRIu64 " is neither 4^k nor 3 4^k; the smallest is 4", n);
    uint64_t low = n > 3 * below ? 3 * below : below, high = n > 3 * below ? 4 * below : 3 * below;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "transit: flat=%" PRIu64 " is neither 4^k nor 3 4^k; the nearest are %" PRIu64
                      " and %" PRIu64,
                      n, low, high);
}

static bough_status read_ask(bough_args *args, transit_ask *ask, bough_error *error) {
    const bough_value *v = args->value;
    bough_status status;
    if (v[P_N].given + v[P_LEAF].given + v[P_FLAT].given > 1)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: n=, leaf= and flat= select different kinds of network; give only one of them");
    if (v[P_STAGES].given && !v[P_LEAF].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: stages= requires leaf=; a full tree has n=64^stages");
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

static void fill(const transit *t, bough_net *net) {
    const transit_layer *last = &t->layer[t->layers - 1];
    net->ops = &transit_ops;
    net->endpoints = net->addresses = t->processors;
    net->nodes = last->node + last->count;
    net->switches = net->chips = net->nodes - net->endpoints;
    net->links = last->link + last->count * transit_size(last->fan);
    net->groups = last->group + last->count * last->directions;
    net->cables = net->links - 4 * t->processors;
    net->group_max = 2;
    for (unsigned i = 1; i < t->layers; i++) {
        const transit_layer *l = &t->layer[i];
        if (l->level > net->levels) net->levels = l->level;
        if (l->siblings) net->chips -= l->count / 2;
    }
    /* routers on the longest path: all layers, and the entry twice if there is a tree above it */
    net->hops_max = t->layers + (t->stages && t->leaf > 1);
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
    net->data = t;
    transit_shape(&ask, t);
    transit_pack(t);
    fill(t, net);
    status = transit_wire(t, (uint64_t)args->value[P_WIRING].integer, error);
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
