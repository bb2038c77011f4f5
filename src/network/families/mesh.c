/* Meshes and tori of any dimension under dimension-order routing. A node is both endpoint and switch, as in
 * the hypercube (a mesh whose dimensions all have two nodes). Coordinates count from 0, the first dimension
 * fastest; a message corrects its coordinates in that order.
 *
 * A cable joins the nodes of coordinates c and c + 1 of a dimension, on a ring also k - 1 and 0. The cables
 * of a dimension are numbered by the node at c, so all operations are arithmetic on node numbers. Every link
 * is a group of its own.
 *
 * On a ring worms can wait for each other in a circle. classes=2 gives each direction two links, one for
 * messages that still have to pass from k - 1 to 0 (or back) and one for the others (Dally, Seitz:
 * "Deadlock-free message routing in multiprocessor interconnection networks", 1987, with links in place of
 * virtual channels). No route then leads back to a link that it could have held, in any dimension. */
#include "network/families/mesh.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/network_families.h"
#include "network/faults/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NODES_MAX 0x1p52 /* at most 8 links for each node and dimension: below 2^62 */

static const char mesh_kind[] = "mesh";

enum { UP, DOWN }; /* towards higher coordinates, and back */

typedef struct dimension {
    uint64_t size, stride; /* nodes; difference of the numbers of neighbours */
    uint64_t cables;       /* stride x cables of one line: the cables of a block of stride x size nodes */
    uint64_t first;        /* its first link */
    uint32_t order, port;  /* group_order of its first link; its first port */
    bool ring;
    unsigned classes;
} dimension;

typedef struct mesh {
    unsigned dimensions, ways; /* ways: 1 if links lead up only */
    dimension of[BOUGH_LIST_MAX];
} mesh;

/* A link, by the node that it leaves. */
typedef struct place {
    uint64_t node;
    unsigned d, way, class;
} place;

static const mesh *mesh_of(const bough_net *net) {
    return net->data;
}

static uint64_t coordinate(const dimension *d, uint64_t node) {
    return node / d->stride % d->size;
}

static uint64_t next_node(const dimension *d, uint64_t node) {
    return coordinate(d, node) + 1 < d->size ? node + d->stride : node - d->stride * (d->size - 1);
}

static uint64_t previous_node(const dimension *d, uint64_t node) {
    return coordinate(d, node) > 0 ? node - d->stride : node + d->stride * (d->size - 1);
}

static bool has_way(const dimension *d, uint64_t node, unsigned way) {
    return d->ring || coordinate(d, node) != (way == UP ? d->size - 1 : 0);
}

static uint64_t link_at(const mesh *m, const place *p) {
    const dimension *d = &m->of[p->d];
    uint64_t low = p->way == UP ? p->node : previous_node(d, p->node), block = d->stride * d->size;
    uint64_t cable = low / block * d->cables + low % block;
    return d->first + (cable * d->classes + p->class) * m->ways + p->way;
}

static place place_of(const mesh *m, uint64_t link) {
    unsigned i = m->dimensions - 1;
    while (link < m->of[i].first) i--;
    const dimension *d = &m->of[i];
    uint64_t channel = (link - d->first) / m->ways, cable = channel / d->classes;
    uint64_t low = cable / d->cables * d->stride * d->size + cable % d->cables;
    unsigned way = (unsigned)((link - d->first) % m->ways);
    return (place){way == UP ? low : next_node(d, low), i, way, (unsigned)(channel % d->classes)};
}

/* Ports: per dimension those of the side of higher coordinates, then those of the other. */
static uint32_t port_of(const dimension *d, const place *p, unsigned side) {
    return d->port + side * d->classes + p->class;
}

static bough_link_end mesh_link_end(const bough_net *net, uint64_t link) {
    const mesh *m = mesh_of(net);
    place p = place_of(m, link);
    const dimension *d = &m->of[p.d];
    uint64_t node = p.way == UP ? next_node(d, p.node) : previous_node(d, p.node);
    return (bough_link_end){node, port_of(d, &p, !p.way)};
}

static uint32_t mesh_link_port(const bough_net *net, uint64_t link) {
    place p = place_of(mesh_of(net), link);
    return port_of(&mesh_of(net)->of[p.d], &p, p.way);
}

static uint64_t mesh_link_twin(const bough_net *net, uint64_t link) {
    return mesh_of(net)->ways == 2 ? link ^ 1 : BOUGH_NONE;
}

static uint64_t mesh_link_group(const bough_net *net, uint64_t link) {
    (void)net;
    return link;
}

static uint64_t mesh_group_node(const bough_net *net, uint64_t group) {
    return place_of(mesh_of(net), group).node;
}

static bough_range mesh_group_links(const bough_net *net, uint64_t group) {
    (void)net;
    return (bough_range){group, 1};
}

static uint32_t mesh_node_group_count(const bough_net *net, uint64_t node) {
    const mesh *m = mesh_of(net);
    uint32_t count = 0;
    for (unsigned d = 0; d < m->dimensions; d++)
        for (unsigned way = 0; way < m->ways; way++)
            if (has_way(&m->of[d], node, way)) count += m->of[d].classes;
    return count;
}

static uint64_t mesh_node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const mesh *m = mesh_of(net);
    place p = {.node = node};
    for (p.d = 0; p.d < m->dimensions; p.d++)
        for (p.way = 0; p.way < m->ways; p.way++) {
            if (!has_way(&m->of[p.d], node, p.way)) continue;
            p.class = i;
            if (i < m->of[p.d].classes) return link_at(m, &p);
            i -= m->of[p.d].classes;
        }
    return BOUGH_NONE;
}

static unsigned mesh_node_level(const bough_net *net, uint64_t node) {
    (void)net;
    (void)node;
    return 0;
}

static unsigned mesh_node_roles(const bough_net *net, uint64_t node) {
    (void)net;
    (void)node;
    return BOUGH_ENDPOINT | BOUGH_SWITCH;
}

/* The shorter way round a ring. Halfway round, nodes of even coordinates send up and those of odd ones down,
 * so both directions carry the same. */
static unsigned way_to(const mesh *m, const dimension *d, uint64_t from, uint64_t to) {
    uint64_t up = to >= from ? to - from : to + d->size - from;
    if (m->ways == 1) return UP;
    if (!d->ring) return to > from ? UP : DOWN;
    if (2 * up == d->size) return from & 1 ? DOWN : UP;
    return 2 * up < d->size ? UP : DOWN;
}

static void mesh_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const mesh *m = mesh_of(net);
    place p = {.node = node};
    while (p.d + 1 < m->dimensions && coordinate(&m->of[p.d], node) == coordinate(&m->of[p.d], address))
        p.d++;
    uint64_t from = coordinate(&m->of[p.d], node), to = coordinate(&m->of[p.d], address);
    p.way = way_to(m, &m->of[p.d], from, to);
    p.class = m->of[p.d].classes == 2 && (p.way == UP ? from < to : from > to);
    uint64_t link = link_at(m, &p);
    *route = (bough_route){.group = link, .first = link, .count = 1};
}

static void mesh_step(const bough_net *net, uint64_t link, uint64_t address, bough_step *step) {
    bough_link_end end = mesh_link_end(net, link);
    step->node = end.node;
    step->port = end.port;
    if (end.node == address) return;
    mesh_route(net, end.node, address, &step->route);
    step->first = step->route.first;
    step->size = 1;
}

/* Along a dimension in the direction of the link; class 1 after class 0. */
static uint32_t mesh_group_order(const bough_net *net, uint64_t group) {
    place p = place_of(mesh_of(net), group);
    const dimension *d = &mesh_of(net)->of[p.d];
    uint64_t c = coordinate(d, p.node);
    return d->order + (uint32_t)(p.class * d->size + (p.way == UP ? c : d->size - 1 - c));
}

/* The coordinates after a letter, because a name of digits would be read as a number. */
static void mesh_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const mesh *m = mesh_of(net);
    char name[2 + 6 * BOUGH_LIST_MAX];
    size_t used = 0;
    for (unsigned d = 0; d < m->dimensions; d++)
        used += (size_t)snprintf(name + used, sizeof name - used, "%c%" PRIu64, d ? '.' : 'v',
                                 coordinate(&m->of[d], node));
    snprintf(buffer, size, "%s", name);
}

static const bough_net_ops mesh_ops = {
    .destroy = net_free_data,
    .link_end = mesh_link_end,
    .link_group = mesh_link_group,
    .link_twin = mesh_link_twin,
    .group_node = mesh_group_node,
    .group_links = mesh_group_links,
    .node_group_count = mesh_node_group_count,
    .node_group = mesh_node_group,
    .node_level = mesh_node_level,
    .node_roles = mesh_node_roles,
    .route = mesh_route,
    .step = mesh_step,
    .group_order = mesh_group_order,
    .node_name = mesh_node_name,
    .link_port = mesh_link_port,
};

/* ---- the families ---- */

enum { P_DIMS, P_PORTS, P_ONEWAY, P_CLASSES };

#define DIMS_PARAM                                                                                           \
    {                                                                                                        \
        "dims", "nodes of each dimension, in the order in which coordinates are corrected", BOUGH_LIST,      \
            NULL, 2, 65536, .echo = true                                                                     \
    }

static const bough_param mesh_params[] = {
    [P_DIMS] = DIMS_PARAM,
    [P_PORTS] = NET_PORTS_PARAM,
    BOUGH_PARAMS_END,
};

static const bough_param torus_params[] = {
    [P_DIMS] = DIMS_PARAM,
    [P_PORTS] = NET_PORTS_PARAM,
    [P_ONEWAY] = {"oneway", "links lead towards higher coordinates only", BOUGH_FLAG, "0"},
    [P_CLASSES] = {"classes",
                   "links of a direction: 1, or 2, one of them for messages that pass the end of a ring, "
                   "which makes worms free of deadlock",
                   BOUGH_INT, "1", 1, 2},
    BOUGH_PARAMS_END,
};

/* Adds a dimension to a network that has the nodes of those before it. */
static void add_dimension(bough_net *net, mesh *m, dimension d) {
    const dimension *last = m->dimensions ? &m->of[m->dimensions - 1] : NULL;
    d.stride = net->nodes;
    d.cables = d.stride * (d.ring ? d.size : d.size - 1);
    d.order = last ? last->order + (uint32_t)(last->size * last->classes) : 0;
    d.port = last ? last->port + 2 * last->classes : 0;
    m->of[m->dimensions++] = d;
    net->nodes *= d.size;
    net->hops_max += (unsigned)(d.ring && m->ways == 2 ? d.size / 2 : d.size - 1);
    if (d.ring && d.classes == 1) net->capabilities &= ~(unsigned)BOUGH_HAS_ORDER;
}

static void number_links(bough_net *net, mesh *m) {
    for (unsigned i = 0; i < m->dimensions; i++) {
        dimension *d = &m->of[i];
        d->first = net->links;
        net->links += net->nodes / (d->stride * d->size) * d->cables * d->classes * m->ways;
    }
    net->groups = net->links;
    net->cables = net->links / m->ways;
    net->endpoints = net->switches = net->addresses = net->nodes;
}

static bough_status make(const bough_args *args, mesh shape, dimension common, bough_net *net,
                         bough_error *error) {
    const bough_value *dims = &args->value[P_DIMS];
    uint64_t nodes = 1;
    for (unsigned i = 0; i < dims->count; i++) nodes = bough_mul(nodes, (uint64_t)dims->list[i]);
    if (nodes > (uint64_t)NODES_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s: more than 2^52 nodes", net->family->name);
    mesh *m;
    bough_status status = bough_alloc(&m, 1, sizeof *m, error);
    if (status) return status;
    *m = shape;
    net->data = m;
    net->shape_kind = mesh_kind;
    net->ops = &mesh_ops;
    net_set_ports(&args->value[P_PORTS], net);
    net->nodes = net->group_max = 1;
    net->capabilities = BOUGH_HAS_ROUTES | BOUGH_HAS_ORDER;
    for (unsigned i = 0; i < dims->count; i++) {
        dimension d = common;
        d.size = (uint64_t)dims->list[i];
        if (d.size == 2 && m->ways == 2) d.ring = false;
        if (!d.ring) d.classes = 1;
        add_dimension(net, m, d);
    }
    number_links(net, m);
    return BOUGH_OK;
}

bool mesh_shape_of(const bough_net *net, mesh_shape *shape) {
    const bough_net *whole = net->faults ? net->faults->base : net;
    if (net->ports || whole->shape_kind != mesh_kind) return false;
    const mesh *m = mesh_of(whole);
    shape->dimensions = m->dimensions;
    for (unsigned i = 0; i < m->dimensions; i++) {
        shape->size[i] = m->of[i].size;
        shape->ring[i] = m->of[i].ring;
    }
    return true;
}

static bough_status make_mesh(bough_args *args, bough_net *net, bough_error *error) {
    return make(args, (mesh){.ways = 2}, (dimension){.classes = 1}, net, error);
}

static bough_status make_torus(bough_args *args, bough_net *net, bough_error *error) {
    mesh shape = {.ways = args->value[P_ONEWAY].integer ? 1 : 2};
    dimension ring = {.ring = true, .classes = (unsigned)args->value[P_CLASSES].integer};
    return make(args, shape, ring, net, error);
}

const bough_family bough_family_mesh = {
    .name = "mesh",
    .summary = "mesh of any dimension with dimension-order routing; a node is both endpoint and switch",
    .source = "Dally, Towles: Principles and practices of interconnection networks, 2004, chapters 5 and 8",
    .params = mesh_params,
    .make = make_mesh,
};

const bough_family bough_family_torus = {
    .name = "torus",
    .summary = "torus (k-ary n-cube) with dimension-order routing, in both directions or one",
    .source = "Dally: Performance analysis of k-ary n-cube interconnection networks, 1990; Dally, Seitz: "
              "Deadlock-free message routing in multiprocessor interconnection networks, 1987",
    .params = torus_params,
    .make = make_torus,
};
