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
    if (!l->uneven) return (output){router, port / l->dilation, port % l->dilation};
    unsigned direction = 0, next = transit_first_wire(l, router, 1), first = 0;
    while (port >= next) {
        first = next;
        next = transit_first_wire(l, router, ++direction + 1);
    }
    return (output){router, direction, port - first};
}

/* ---- links ---- */

bough_link_end transit_link_end(const bough_net *net, uint64_t link) {
    const transit *t = of(net);
    const transit_layer *l = transit_link_layer(t, link);
    output o = output_of(l, link);
    const transit_aim *aim = &l->aim[o.direction];
    uint64_t q = transit_quotient(o.router, l->set), r = o.router - q * transit_size(l->set);
    uint64_t position = transit_quotient(q, l->units), unit = q - position * transit_size(l->units);
    uint64_t to = transit_quotient(position, aim->drop) * aim->times + (aim->times > 1 ? o.direction : 0);
    if (aim->layer == 0) return (bough_link_end){to, (uint32_t)(r * l->dilation + o.wire)};
    const transit_layer *target = &t->layer[aim->layer];
    uint64_t first =
        target->node + (to * transit_size(target->units) + (aim->leaves ? 0 : unit)) * transit_size(aim->set);
    if (link < t->wired_from) return (bough_link_end){first, (uint32_t)(l->dilation * r + o.wire)};
    uint32_t input = transit_wire_of(t, link);
    return (bough_link_end){first + (input >> t->port_bits), input & ((1u << t->port_bits) - 1)};
}

uint64_t transit_link_group(const bough_net *net, uint64_t link) {
    const transit_layer *l = transit_link_layer(of(net), link);
    if (!l->uneven) return l->group + (link - l->link) / l->dilation;
    output o = output_of(l, link);
    return l->group + o.router * l->directions + o.direction;
}

uint32_t transit_link_port(const bough_net *net, uint64_t link) {
    const transit_layer *l = transit_link_layer(of(net), link);
    return (uint32_t)transit_rest(link - l->link, l->fan);
}

/* ---- groups and nodes ---- */

static const transit_layer *group_layer(const transit *t, uint64_t group) {
    unsigned i = 0;
    for (unsigned k = 1; k < t->layers; k++) i += group >= t->layer[k].group;
    return &t->layer[i];
}

/* The links of group i of a layer. */
static bough_range links_of(const transit_layer *l, uint64_t i) {
    if (!l->uneven) return (bough_range){l->link + i * l->dilation, l->dilation};
    uint64_t router = i / l->directions;
    unsigned direction = (unsigned)(i % l->directions), first = transit_first_wire(l, router, direction);
    return (bough_range){l->link + router * transit_size(l->fan) + first,
                         transit_first_wire(l, router, direction + 1) - first};
}

uint64_t transit_group_node(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return l->node + (group - l->group) / l->directions;
}

bough_range transit_group_links(const bough_net *net, uint64_t group) {
    const transit_layer *l = group_layer(of(net), group);
    return links_of(l, group - l->group);
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
        l->kind == TRANSIT_ENTRY && t->ask.stages && (group - l->group) % l->directions == l->directions - 1u;
    return to_tree ? 1 : l->rank;
}

/* ---- routes ---- */

static uint64_t code_of(const transit *t, uint64_t address) {
    if (t->ask.lead == t->ask.radix || t->ask.leaf == 1) return address;
    uint64_t cluster = transit_quotient(address, t->leaf);
    return cluster * transit_size(t->leaf_codes) + (address - cluster * t->ask.leaf);
}

/* Direction of an up router at a position: the NCA level with another one, counted from its own; the last one
 * leads to all that are further away. */
static unsigned crossover(const transit *t, const transit_layer *l, uint64_t position, uint64_t other) {
    unsigned direction = 0, last = l->directions - 1u;
    for (; direction < last && position != other; direction++) {
        position = transit_quotient(position, t->radix);
        other = transit_quotient(other, t->radix);
    }
    return direction;
}

static unsigned direction_at(const transit *t, const transit_layer *l, uint64_t router, uint64_t code) {
    switch (l->kind) {
    case TRANSIT_PROCESSORS:
        return 0;
    case TRANSIT_UP:
        return crossover(t, l, transit_quotient(router, l->served), transit_quotient(code, l->digit));
    case TRANSIT_ENTRY:
        if (transit_quotient(code, l->top) != transit_quotient(router, l->set)) return l->directions - 1u;
        break;
    case TRANSIT_DOWN:
        break;
    }
    return (unsigned)transit_rest(transit_quotient(code, l->digit), t->radix);
}

static void route_from(const transit *t, uint64_t node, uint64_t address, bough_route *route) {
    const transit_layer *l = transit_layer_of(t, node);
    uint64_t router = node - l->node;
    uint64_t group = router * l->directions + direction_at(t, l, router, code_of(t, address));
    bough_range links = links_of(l, group);
    route->group = l->group + group;
    route->first = links.first;
    route->count = (uint32_t)links.count;
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
static bough_group_coverage up_coverage(const bough_net *net, const transit_layer *l, uint64_t position,
                                        uint64_t span, unsigned direction) {
    const transit *t = of(net);
    bough_covered_range from = covers_only(position * span, span), to = from;
    if (direction) {
        uint64_t inner = span * transit_power(t->ask.radix, direction - 1), outer = inner * t->ask.radix;
        bool up = t->layer[l->aim[direction].layer].kind == TRANSIT_UP;
        uint64_t first = position * span;
        to = up ? covers_all_but(net, 0, 0) : covers_only(first / outer * outer, outer);
        to.without = (bough_range){first / inner * inner, inner};
    }
    return (bough_group_coverage){from, to};
}

/* The stages of a bidelta network are passed by messages from all endpoints, those of a tree by messages from
 * outside. */
bough_group_coverage transit_group_coverage(const bough_net *net, uint64_t group) {
    const transit *t = of(net);
    const transit_layer *l = group_layer(t, group);
    uint64_t router = (group - l->group) / l->directions, leaf = t->ask.leaf;
    unsigned direction = (unsigned)((group - l->group) % l->directions);
    /* codes per direction; addresses per direction, except in trees */
    uint64_t part = transit_size(l->digit), position = transit_quotient(router, l->served);
    if (l->kind == TRANSIT_PROCESSORS) return coverage_out_of(net, group, 1);
    if (l->kind == TRANSIT_ENTRY) {
        if (t->ask.stages && direction == l->directions - 1u)
            return coverage_out_of(net, position * leaf, leaf);
        return (bough_group_coverage){covers_all_but(net, 0, 0),
                                      covers_only(position * leaf + direction * part, part)};
    }
    if (l->stage) part = transit_quotient(part, t->leaf_codes) * leaf;
    if (l->kind == TRANSIT_UP) return up_coverage(net, l, position, part, direction);
    bough_group_coverage range = coverage_into(net, (t->ask.radix * position + direction) * part, part);
    if (!l->stage) range.from = covers_all_but(net, 0, 0);
    return range;
}

/* ---- the tree ---- */

uint64_t transit_subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    return transit_quotient(endpoint, of(net)->span[level]);
}

uint64_t transit_channel_capacity(const bough_net *net, unsigned level, uint64_t subtree) {
    (void)subtree;
    return of(net)->capacity[level];
}

unsigned transit_level_stage(const bough_net *net, unsigned level) {
    const transit *t = of(net);
    unsigned above = level - (t->ask.leaf > 1); /* levels of unit trees */
    return above ? (above - 1) / t->ask.levels + 1 : 0;
}
