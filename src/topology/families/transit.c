/* Document 004: A. DeHon, Practical schemes for fat-tree network construction. Full fat-trees of unit trees
 * UT64x2 and UT64x8, hybrids with bidelta leaf clusters, and the flat bidelta network they are compared with;
 * what the document leaves open is as in transit_shape.c and transit_wiring.c.
 *
 * Ids: nodes, links and groups layer by layer (transit.h); link = first of the layer + outputs * router +
 * dilation * direction + wire, group = first + directions * router + direction. The output port of a link is
 * dilation * direction + wire.
 *
 * Names: a stage, a stack, a layer and a router are what stands before a dot, or the whole.
 *     h17              processor
 *     s2.u5.up.r17     stage 2, unit tree 5 of it, up layer (0), router 17 of that; d3, d2, d1: down layers
 *     s1.u5.d1.r3a     a half of a router in dual mode: a, b
 *     b9.l2.r4         leaf cluster 9, layer 2 (1: the entry), router 4
 *     l2.r40           flat network, layer 2
 *
 * Levels: a level is a level of the quaternary tree, a leaf cluster being one: full trees have levels 1 .. 3
 * stages, the document's n; hybrids 1 (its leaf), then its n + 1. */
#include "topology/families/transit.h"

#include "base/memory.h"
#include "topology/families.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const transit *of(const bough_net *net) {
    return net->data;
}

/* Router, direction and wire of a link. */
typedef struct output {
    uint64_t router;
    unsigned direction, wire;
} output;

static output output_of(const transit_layer *l, uint64_t link) {
    uint64_t i = link - l->link, router = transit_quotient(i, l->fan);
    unsigned port = (unsigned)(i - router * transit_size(l->fan));
    return (output){router, port / l->dilation, port % l->dilation};
}

/* ---- links ---- */

static bough_link_end transit_link_end(const bough_net *net, uint64_t link) {
    const transit *t = of(net);
    const transit_layer *l = transit_link_layer(t, link);
    output o = output_of(l, link);
    const transit_aim *aim = &l->aim[o.direction];
    uint64_t q = transit_quotient(o.router, l->set), r = o.router - q * transit_size(l->set);
    uint64_t position = q >> l->unit_shift, unit = q & ((UINT64_C(1) << l->unit_shift) - 1);
    uint64_t to = (position >> aim->drop) * aim->times + (aim->times > 1 ? o.direction : 0);
    if (aim->layer == 0) return (bough_link_end){to, (uint32_t)(l->dilation == 1 ? r : o.wire)};
    const transit_layer *target = &t->layer[aim->layer];
    uint64_t first =
        target->node + (to << target->unit_shift | (aim->leaves ? 0 : unit)) * transit_size(aim->set);
    if (link < t->wired_from) return (bough_link_end){first, (uint32_t)(2 * r + o.wire)}; /* no choice */
    uint32_t input = transit_wire_of(t, link);
    return (bough_link_end){first + (input >> TRANSIT_PORT_BITS), input & ((1 << TRANSIT_PORT_BITS) - 1)};
}

static uint64_t transit_link_group(const bough_net *net, uint64_t link) {
    const transit_layer *l = transit_link_layer(of(net), link);
    return l->group + (link - l->link) / l->dilation;
}

static uint32_t transit_link_port(const bough_net *net, uint64_t link) {
    const transit_layer *l = transit_link_layer(of(net), link);
    output o = output_of(l, link);
    return o.direction * l->dilation + o.wire;
}

/* ---- groups and nodes ---- */

static const transit_layer *group_layer(const transit *t, uint64_t group) {
    unsigned i = 0;
    for (unsigned k = 1; k < t->layers; k++) i += group >= t->layer[k].group;
    return &t->layer[i];
}

static uint64_t transit_group_node(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return l->node + (group - l->group) / l->directions;
}

static bough_range transit_group_links(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return (bough_range){l->link + (group - l->group) * l->dilation, l->dilation};
}

static uint32_t transit_node_group_count(const bough_net *net, uint64_t node) {
    return transit_layer_of(of(net), node)->directions;
}

static uint64_t transit_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const transit_layer *l = transit_layer_of(of(net), node);
    return l->group + (node - l->node) * l->directions + i;
}

static unsigned transit_node_level(const bough_net *net, uint64_t node) {
    return transit_layer_of(of(net), node)->level;
}

static unsigned transit_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

static uint32_t transit_group_rank(const bough_net *net, uint64_t group) {
    const transit *t = of(net);
    const transit_layer *l = group_layer(t, group);
    bool to_tree =
        l->kind == TRANSIT_ENTRY && t->stages && (group - l->group) % l->directions == l->directions - 1u;
    return to_tree ? 1 : l->rank;
}

/* ---- routes ---- */

static uint64_t code_of(const transit *t, uint64_t address) {
    if (!t->leaf_part.third) return address;
    uint64_t cluster = transit_quotient(address, t->leaf_part);
    return cluster << 2 * t->leaf_digits | (address - cluster * t->leaf);
}

/* An up router: the level of the meeting, counted from its own group, or on to the next stage. */
static unsigned crossover(uint64_t away) {
    return away < 1 ? 0 : away < 4 ? 1 : away < 16 ? 2 : 3;
}

static unsigned direction_at(const transit_layer *l, uint64_t router, uint64_t code) {
    switch (l->kind) {
    case TRANSIT_PROCESSORS:
        return 0;
    case TRANSIT_UP:
        return crossover((code >> l->shift) ^ (router >> (l->set.shift + l->unit_shift)));
    case TRANSIT_ENTRY:
        if (code >> l->top != router >> l->set.shift) return l->directions - 1u;
        break;
    case TRANSIT_DOWN:
        break;
    }
    return (unsigned)(code >> l->shift & 3);
}

static void route_from(const transit *t, uint64_t node, uint64_t address, bough_route *route) {
    const transit_layer *l = transit_layer_of(t, node);
    uint64_t router = node - l->node;
    uint64_t group = router * l->directions + direction_at(l, router, code_of(t, address));
    route->group = l->group + group;
    route->first = l->link + group * l->dilation;
    route->count = l->dilation;
    route->list = NULL;
}

static void transit_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    route_from(of(net), node, address, route);
}

static void transit_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_link_end end = transit_link_end(net, link);
    step->node = end.node;
    step->port = end.port;
    if (end.node < net->endpoints) return;
    route_from(of(net), end.node, address, &step->route);
    step->size = step->route.count; /* all of a group is eligible */
    step->first = step->route.first;
}

/* ---- the tree ---- */

static uint64_t transit_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    const transit *t = of(net);
    if (t->leaf == 1) return endpoint >> 2 * level;
    if (level == 0) return endpoint;
    return transit_quotient(endpoint, t->leaf_part) >> 2 * (level - 1);
}

static uint64_t transit_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    (void)subtree;
    return of(net)->capacity[level];
}

static unsigned transit_level_stage(const bough_net *net, unsigned level) {
    const transit *t = of(net);
    unsigned above = level - (t->leaf > 1); /* levels of unit trees */
    return above ? (above - 1) / 3 + 1 : 0;
}

/* ---- chips and names ---- */

/* Halves stand in pairs, two for a position: the first of chip p, the second of its neighbour's. */
static uint64_t chip_number(const transit_layer *l, uint64_t router) {
    if (!l->siblings) return router;
    uint64_t position = router / 2, first = position / l->siblings * l->siblings;
    return router % 2 == 0 ? position : first + (position - first + l->siblings - 1u) % l->siblings;
}

static uint64_t transit_node_chip(const bough_net *net, uint64_t node) {
    const transit_layer *l = transit_layer_of(of(net), node);
    return l->siblings ? l->node + 2 * chip_number(l, node - l->node) : node;
}

transit_place transit_place_of(const transit *t, uint64_t node) {
    const transit_layer *l = transit_layer_of(t, node);
    if (l->kind == TRANSIT_PROCESSORS) return (transit_place){.router = node};
    uint64_t router = node - l->node, halves = l->siblings ? 2 : 1, set = transit_size(l->set) / halves;
    transit_place place = {.stage = l->stage, .layer = l->number};
    if (l->siblings) place.half = 1 + router % 2;
    uint64_t chip = chip_number(l, router), q = chip / set; /* halves: set is 1 */
    uint64_t position = q >> l->unit_shift, unit = q & ((UINT64_C(1) << l->unit_shift) - 1);
    /* positions of a stack: 16 groups, 16, 4 or 1 subtrees; of a leaf cluster its parts */
    uint64_t parts = l->stage ? UINT64_C(1) << (l->number < 2 ? 4 : 6 - 2 * l->number)
                              : l->count / halves / set / (t->processors / t->leaf);
    place.stack = (position / parts << l->unit_shift) + unit;
    place.router = position % parts * set + chip % set;
    return place;
}

static void transit_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    static const char *const layer[] = {"up", "d1", "d2", "d3"}, *const half[] = {"", "a", "b"};
    const transit *t = of(net);
    if (node < net->endpoints) {
        snprintf(buffer, size, "h%" PRIu64, node);
        return;
    }
    transit_place p = transit_place_of(t, node);
    if (p.stage)
        snprintf(buffer, size, "s%u.u%" PRIu64 ".%s.r%" PRIu64 "%s", p.stage, p.stack, layer[p.layer],
                 p.router, half[p.half]);
    else if (t->flat)
        snprintf(buffer, size, "l%u.r%" PRIu64 "%s", p.layer, p.router, half[p.half]);
    else
        snprintf(buffer, size, "b%" PRIu64 ".l%u.r%" PRIu64 "%s", p.stack, p.layer, p.router, half[p.half]);
}

static bool transit_node_place(const bough_net *net, uint64_t node, bough_place *place) {
    const transit *t = of(net);
    if (node < net->endpoints) return false;
    transit_place p = transit_place_of(t, node);
    *place = (bough_place){p.stage - (t->leaf == 1), p.layer, p.stack};
    return true;
}

/* A stack is as large as its fullest layer: 64 routers are two feet square (section 3.2). */
static void find_packaging(transit *t) {
    bough_packaging *p = &t->packaging;
    p->stages = t->stages + (t->leaf > 1);
    for (unsigned i = 1; i < t->layers; i++) {
        const transit_layer *l = &t->layer[i];
        bough_stack_stage *s = &p->stage[l->stage - (t->leaf == 1)];
        uint64_t nodes = t->processors / t->leaf >> 6 * l->stage;
        uint64_t stacks = UINT64_C(1) << l->unit_shift;
        double chips = (double)(l->count / (l->siblings ? 2 : 1)) / (double)(nodes * stacks);
        double side = 2 * sqrt(chips / 64);
        s->stacks = stacks;
        s->thickness = 2 / 12.0;
        if (side > s->side) s->side = side;
        if (l->stage)
            snprintf(s->name, sizeof s->name, "UT64x%.0f", 2 * s->side * s->side);
        else
            snprintf(s->name, sizeof s->name, "B%u", (unsigned)t->leaf);
    }
}

/* Stacks are counted stage by stage, from the endpoints up; layers within them, four to each. */
enum { STACK, LAYER, STACK_LAYERS = 4 };

static uint64_t stacks_below(const bough_packaging *p, unsigned stage) {
    uint64_t stacks = 0, nodes = 1;
    for (unsigned s = p->stages; s-- > 0; nodes *= BOUGH_CUBE_NODES)
        if (s < stage) stacks += nodes * p->stage[s].stacks;
    return stacks;
}

static uint64_t transit_node_module(const bough_net *net, unsigned module, uint64_t node) {
    const transit *t = of(net);
    bough_place place;
    if (!t->packaging.stages || !transit_node_place(net, node, &place)) return BOUGH_NONE;
    uint64_t stack = stacks_below(&t->packaging, place.stage) + place.stack;
    return module == STACK ? stack : STACK_LAYERS * stack + place.layer;
}

static void find_modules(transit *t) {
    uint64_t stacks = stacks_below(&t->packaging, t->packaging.stages);
    t->module[STACK] = (bough_module){"stack", stacks};
    t->module[LAYER] = (bough_module){"layer", STACK_LAYERS * stacks};
}

/* Stage by stage; a flat network is not packaged in parts of one kind. */
static bool transit_part_of(const bough_net *net, unsigned i, bough_part *part) {
    const transit *t = of(net);
    unsigned stage = i + (t->leaf == 1);
    if (t->flat || stage > t->stages) return false;
    const char *leaf = t->leaf == 12 ? "B12" : t->leaf == 48 ? "B48" : "B192";
    *part = (bough_part){.name = stage == 0                   ? leaf
                                 : t->leaf == 1 && stage == 1 ? "UT64x2"
                                                              : "UT64x8",
                         .stage = stage};
    uint64_t nodes = stage == 0 ? t->processors / t->leaf : t->processors / t->leaf >> 6 * stage;
    unsigned units = 0;
    for (unsigned k = 1; k < t->layers; k++)
        if (t->layer[k].stage == stage) units = t->layer[k].unit_shift;
    part->count = nodes << units;
    for (unsigned k = 1; k < t->layers; k++) {
        const transit_layer *l = &t->layer[k];
        if (l->stage != stage) continue;
        unsigned layer = stage ? l->number : l->number - 1u;
        part->chips[layer] = l->count / (l->siblings ? 2 : 1) / part->count;
        if (layer >= part->layers) part->layers = layer + 1;
    }
    unsigned top = (t->leaf > 1) + 3 * stage; /* level of the subtree below which it is */
    part->channels = stage ? 64 : t->leaf;
    part->channel_capacity = stage ? t->capacity[top - 3] >> units : t->capacity[0];
    part->root_capacity = stage < t->stages ? t->capacity[top] >> units : 0;
    return true;
}

static void transit_destroy(bough_net *net) {
    transit *t = net->data;
    if (!t) return;
    free(t->wire16);
    free(t->wire32);
    free(t);
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
    .group_rank = transit_group_rank,
    .subtree = transit_subtree,
    .channel_capacity = transit_channel_capacity,
    .level_stage = transit_level_stage,
    .part = transit_part_of,
    .node_chip = transit_node_chip,
    .node_place = transit_node_place,
    .node_module = transit_node_module,
    .node_name = transit_node_name,
    .link_port = transit_link_port,
};

/* ---- the family ---- */

enum { P_N, P_LEAF, P_STAGES, P_FLAT, P_LEAFMODE, P_WIRING };

#define PROCESSORS_MAX (UINT64_C(1) << 30)

static const bough_param params[] = {
    [P_N] = {"n", "processors of a full fat-tree, a power of 64; default 4096", BOUGH_INT, "", 0, 0x1p62},
    [P_LEAF] = {"leaf", "hybrid: processors of a leaf cluster: 12, 48 or 192", BOUGH_INT, "", 0, 0x1p62},
    [P_STAGES] = {"stages", "hybrid: stages of unit trees above the leaf clusters; default 1", BOUGH_INT, "",
                  1, 5},
    [P_FLAT] = {"flat", "processors of a flat bidelta network instead, 4^k or 3 4^k", BOUGH_INT, "", 0,
                0x1p62},
    [P_LEAFMODE] =
        {"leafmode",
         "last routers of leaf clusters and flat networks: whole ones (dilation 2), or dual halves",
         BOUGH_CHOICE, "dilated", .choices = "dilated|dual"},
    [P_WIRING] = {"wiring", "another key draws another wiring", BOUGH_INT, "1", 0, 0x1p53},
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
                              "transit: n=%" PRIu64 " is no power of 64; the smallest is 64", n);
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: n=%" PRIu64 " is no power of 64; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, below, 64 * below);
    }
    if (args->value[P_LEAFMODE].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: leafmode belongs to leaf= and flat=; the last routers of a full tree are "
                          "always dual");
    *ask = (transit_ask){.processors = n, .leaf = 1, .stages = stages};
    return BOUGH_OK;
}

static bough_status ask_hybrid(bough_args *args, transit_ask *ask, bough_error *error) {
    uint64_t leaf = (uint64_t)args->value[P_LEAF].integer;
    if (leaf != 12 && leaf != 48 && leaf != 192)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "transit: there is no leaf cluster of %" PRIu64 " processors; leaf is 12, 48 or 192", leaf);
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
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: n=, leaf= and flat= are three kinds of network; give one of them");
    if (v[P_STAGES].given && !v[P_LEAF].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "transit: stages= belongs to leaf=; n=64^stages says how many a full tree has");
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
    /* routers on the longest way: all layers, and the entry twice where there is a tree above it */
    net->hops_max = t->layers + (t->stages && t->leaf > 1);
    net->gives = BOUGH_GIVES_ROUTES | BOUGH_GIVES_RANKS | BOUGH_GIVES_CHANNELS;
    if (!t->flat) {
        net->gives |= BOUGH_GIVES_STACKS;
        net->packaging = &t->packaging;
        net->modules = t->module;
    }
    if (!t->flat) net->gives |= BOUGH_GIVES_PARTS;
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    transit_ask ask = {0};
    transit *t;
    bough_status status = read_ask(args, &ask, error);
    if (!status) status = bough_alloc(&t, 1, sizeof *t, error);
    if (status) return status;
    net->data = t;
    transit_shape(&ask, t);
    if (!t->flat) {
        find_packaging(t);
        find_modules(t);
    }
    fill(t, net);
    status = transit_wire(t, (uint64_t)args->value[P_WIRING].integer, error);
    if (!status) net->bytes = t->wired * (t->wire16 ? sizeof *t->wire16 : sizeof *t->wire32);
    return status;
}

const bough_family bough_family_transit = {
    .name = "transit",
    .summary =
        "fat-tree of RN1 routers in unit trees, hybrid with bidelta leaf clusters, or a flat bidelta network",
    .source = "DeHon: Practical schemes for fat-tree network construction, 1991",
    .params = params,
    .make = make,
};
