/* Links, groups and routes of a transit network, in closed form over the random wiring. */
#include "network/families/transit/transit.h"
#include "network/group_coverage.h"

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

bough_link_end transit_link_end(const bough_net *net, uint64_t link) {
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

uint64_t transit_link_group(const bough_net *net, uint64_t link) {
    const transit_layer *l = transit_link_layer(of(net), link);
    return l->group + (link - l->link) / l->dilation;
}

uint32_t transit_link_port(const bough_net *net, uint64_t link) {
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

uint64_t transit_group_node(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return l->node + (group - l->group) / l->directions;
}

bough_range transit_group_links(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return (bough_range){l->link + (group - l->group) * l->dilation, l->dilation};
}

uint32_t transit_node_group_count(const bough_net *net, uint64_t node) {
    return transit_layer_of(of(net), node)->directions;
}

uint64_t transit_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const transit_layer *l = transit_layer_of(of(net), node);
    return l->group + (node - l->node) * l->directions + i;
}

unsigned transit_node_level(const bough_net *net, uint64_t node) {
    return transit_layer_of(of(net), node)->level;
}

unsigned transit_node_roles(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? BOUGH_ENDPOINT : BOUGH_SWITCH;
}

uint32_t transit_group_order(const bough_net *net, uint64_t group) {
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

/* Direction of an up router: the NCA level, counted from its own group, or the next stage. */
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

void transit_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    route_from(of(net), node, address, route);
}

void transit_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_link_end end = transit_link_end(net, link);
    step->node = end.node;
    step->port = end.port;
    if (end.node == address) return;
    route_from(of(net), end.node, address, &step->route);
    step->size = step->route.count; /* all links of the group are eligible */
    step->first = step->route.first;
}

/* ---- covered ranges ---- */

/* Crossovers and upward groups of a router that serves the subtree first .. first + span - 1: they lead to
 * subtrees whose NCA with it is at their level. */
static bough_group_coverage up_coverage(const bough_net *net, uint64_t position, uint64_t span,
                                        unsigned direction) {
    bough_covered_range from = covers_only(position * span, span), to = from;
    if (direction) {
        unsigned inner = 2 * (direction - 1), outer = inner + 2;
        to = covers_only((position >> outer) * (span << outer), span << outer);
        if (direction == 3) to = covers_all_but(net, 0, 0);
        to.without = (bough_range){(position >> inner) * (span << inner), span << inner};
    }
    return (bough_group_coverage){from, to};
}

/* The stages of a bidelta network are passed by messages from all endpoints, those of a tree by messages from
 * outside. */
bough_group_coverage transit_group_coverage(const bough_net *net, uint64_t group) {
    const transit *t = of(net);
    const transit_layer *l = group_layer(t, group);
    uint64_t router = (group - l->group) / l->directions, position = transit_quotient(router, l->set);
    unsigned direction = (unsigned)((group - l->group) % l->directions);
    uint64_t part =
        UINT64_C(1) << l->shift; /* codes per direction; addresses per direction, except in trees */
    if (l->kind == TRANSIT_PROCESSORS) return coverage_out_of(net, group, 1);
    if (l->kind == TRANSIT_ENTRY) {
        if (t->stages && direction == l->directions - 1u)
            return coverage_out_of(net, position * t->leaf, t->leaf);
        return (bough_group_coverage){covers_all_but(net, 0, 0),
                                      covers_only(position * t->leaf + direction * part, part)};
    }
    position >>= l->unit_shift;
    if (l->stage) part = (part >> 2 * t->leaf_digits) * t->leaf;
    if (l->kind == TRANSIT_UP) return up_coverage(net, position, part, direction);
    bough_group_coverage range = coverage_into(net, (4 * position + direction) * part, part);
    if (!l->stage) range.from = covers_all_but(net, 0, 0);
    return range;
}

/* ---- the tree ---- */

uint64_t transit_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    const transit *t = of(net);
    if (t->leaf == 1) return endpoint >> 2 * level;
    if (level == 0) return endpoint;
    return transit_quotient(endpoint, t->leaf_part) >> 2 * (level - 1);
}

uint64_t transit_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    (void)subtree;
    return of(net)->capacity[level];
}

unsigned transit_level_stage(const bough_net *net, unsigned level) {
    const transit *t = of(net);
    unsigned above = level - (t->leaf > 1); /* levels of unit trees */
    return above ? (above - 1) / 3 + 1 : 0;
}
