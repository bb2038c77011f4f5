/* The network of GPUs. Links, groups and nodes of the fabric come first, with their own numbers; then every
 * compute node has a block of links, each a group of its own, in pairs of both directions:
 *
 *     with an NVSwitch    of each GPU: GPU - switch, GPU - NIC
 *     with a PCIe switch  of each GPU: GPU - NIC; then of each NIC: NIC - switch
 */
#include "network/compute_nodes/compute_nodes.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/faults/faults.h"
#include "network/hosts.h"
#include "network/net.h"
#include "network/over_network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Input ports of links inside nodes; those of the fabric are smaller. */
enum { PORT_OF_SWITCH = BOUGH_PORT_UNNUMBERED, PORT_OF_NIC, PORT_OF_MEMBER = 0xf1000 };

typedef struct node_network {
    bough_compute_nodes c;
    over_marks marks;
    uint16_t *live;
    uint32_t *nic, *nic_of;
} node_network;

static inline const bough_compute_nodes *of(const bough_net *net) {
    return net->compute;
}

/* ---- places ---- */

static inline uint64_t nic_endpoint(const bough_compute_nodes *c, uint64_t node, uint64_t nic) {
    const bough_node_setting *s = c->setting;
    if (c->nic) return c->nic[node * s->nics + nic];
    if (!s->rail) return node * s->nics + nic;
    uint64_t unit = s->unit ? s->unit : c->nodes, first = node / unit * unit;
    uint64_t size = c->nodes - first < unit ? c->nodes - first : unit;
    return first * s->nics + nic * size + (node - first);
}

typedef struct nic_place {
    uint64_t node, nic; /* node: c->nodes for endpoints that are not used */
} nic_place;

static inline nic_place place_of(const bough_compute_nodes *c, uint64_t endpoint) {
    const bough_node_setting *s = c->setting;
    if (c->nic_of) {
        const uint32_t at = c->nic_of[endpoint];
        return at == UINT32_MAX ? (nic_place){c->nodes, 0} : (nic_place){at / s->nics, at % s->nics};
    }
    if (endpoint >= c->nodes * s->nics) return (nic_place){c->nodes, 0};
    if (!s->rail) return (nic_place){endpoint / s->nics, endpoint % s->nics};
    uint64_t unit = s->unit ? s->unit : c->nodes, first = endpoint / (unit * s->nics) * unit;
    uint64_t size = c->nodes - first < unit ? c->nodes - first : unit, rest = endpoint - first * s->nics;
    return (nic_place){first + rest % size, rest / size};
}

static inline uint32_t gpus_of_nic(const bough_node_setting *s) {
    return s->gpus / s->nics;
}

uint64_t bough_gpu_nic(const bough_compute_nodes *c, uint64_t gpu) {
    return nic_endpoint(c, gpu / c->setting->gpus, gpu % c->setting->gpus / gpus_of_nic(c->setting));
}

/* The NIC of a node that has the tasks of one of them. */
static inline uint32_t live_nic(const bough_compute_nodes *c, uint64_t node, uint64_t nic) {
    return c->live ? c->live[node * c->setting->nics + nic] : (uint32_t)nic;
}

uint64_t bough_gpu_nic_in(const bough_compute_nodes *c, uint64_t gpu) {
    uint64_t node = gpu / c->setting->gpus;
    return nic_endpoint(c, node, live_nic(c, node, gpu % c->setting->gpus / gpus_of_nic(c->setting)));
}

uint64_t bough_gpu_address(const bough_compute_nodes *c, uint64_t gpu) {
    return bough_endpoint_address(c->fabric, bough_gpu_nic_in(c, gpu));
}

/* A GPU whose NIC is dead hands its messages to the GPU at the receiver's place, as with PXN, because the
 * NVSwitch does not know who sent them. */
static inline uint32_t nic_index_towards(const bough_compute_nodes *c, uint64_t gpu, uint64_t to) {
    const bough_node_setting *s = c->setting;
    uint64_t node = gpu / s->gpus, own = gpu % s->gpus / gpus_of_nic(s);
    bool other = s->pxn || live_nic(c, node, own) != own;
    return other ? live_nic(c, node, to % s->gpus / gpus_of_nic(s)) : (uint32_t)own;
}

uint64_t bough_gpu_nic_towards(const bough_compute_nodes *c, uint64_t gpu, uint64_t to) {
    return nic_endpoint(c, gpu / c->setting->gpus, nic_index_towards(c, gpu, to));
}

/* ---- links ---- */

/* Pairs of links of one node. */
static inline uint32_t pairs_of(const bough_node_setting *s) {
    return s->nvlink ? 2 * s->gpus : s->gpus + s->nics;
}

typedef enum link_kind { GPU_SWITCH, GPU_NIC, NIC_SWITCH } link_kind;

/* A link inside a node. */
typedef struct inner_link {
    link_kind kind;
    bool down; /* from the switch, or from the NIC to the GPU */
    uint64_t node;
    uint32_t member; /* of the node: the GPU, or the NIC of NIC_SWITCH */
} inner_link;

static inline inner_link inner(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = of(net);
    const bough_node_setting *s = c->setting;
    uint64_t at = link - c->fabric->links, pairs = pairs_of(s);
    uint32_t pair = (uint32_t)(at / 2 % pairs);
    inner_link l = {.node = at / 2 / pairs, .down = at & 1};
    if (s->nvlink)
        l.kind = pair % 2 ? GPU_NIC : GPU_SWITCH, l.member = pair / 2;
    else
        l.kind = pair < s->gpus ? GPU_NIC : NIC_SWITCH, l.member = pair < s->gpus ? pair : pair - s->gpus;
    return l;
}

static inline uint64_t link_of(const bough_net *net, inner_link l) {
    const bough_compute_nodes *c = of(net);
    const bough_node_setting *s = c->setting;
    uint64_t pair = s->nvlink              ? 2 * l.member + (l.kind == GPU_NIC)
                    : l.kind == NIC_SWITCH ? s->gpus + l.member
                                           : l.member;
    return c->fabric->links + 2 * (l.node * pairs_of(s) + pair) + l.down;
}

static inline uint64_t lower_node(const bough_net *net, inner_link l) {
    const bough_compute_nodes *c = of(net);
    if (l.kind == NIC_SWITCH) return c->first_fabric_node + nic_endpoint(c, l.node, l.member);
    return l.node * c->setting->gpus + l.member;
}

static inline uint64_t upper_node(const bough_net *net, inner_link l) {
    const bough_compute_nodes *c = of(net);
    if (l.kind != GPU_NIC) return c->first_switch + l.node;
    return c->first_fabric_node + nic_endpoint(c, l.node, l.member / gpus_of_nic(c->setting));
}

static inline uint32_t lower_port(inner_link l) {
    return l.kind == GPU_NIC ? PORT_OF_NIC : PORT_OF_SWITCH;
}

static bool in_fabric(const bough_net *net, uint64_t link) {
    return link < of(net)->fabric->links;
}

static bough_link_end link_end(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = of(net);
    if (in_fabric(net, link)) {
        bough_link_end end = c->fabric->ops->link_end(c->fabric, link);
        end.node += c->first_fabric_node;
        return end;
    }
    inner_link l = inner(net, link);
    return l.down ? (bough_link_end){lower_node(net, l), lower_port(l)}
                  : (bough_link_end){upper_node(net, l), PORT_OF_MEMBER + l.member};
}

static uint32_t link_port(const bough_net *net, uint64_t link) {
    const bough_net *fabric = of(net)->fabric;
    if (in_fabric(net, link)) return fabric->ops->link_port(fabric, link);
    inner_link l = inner(net, link);
    return l.down ? PORT_OF_MEMBER + l.member : lower_port(l);
}

static uint64_t link_twin(const bough_net *net, uint64_t link) {
    const bough_net *fabric = of(net)->fabric;
    if (in_fabric(net, link)) return bough_link_twin(fabric, link);
    return fabric->links + ((link - fabric->links) ^ 1);
}

static uint64_t link_rate(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = of(net);
    if (in_fabric(net, link)) return bough_net_link_rate(c->fabric, link);
    return inner(net, link).kind == GPU_SWITCH ? c->setting->nvlink : c->setting->pcie;
}

static uint64_t link_delay(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = of(net);
    if (in_fabric(net, link)) return bough_net_link_delay(c->fabric, link);
    return inner(net, link).kind == GPU_SWITCH ? c->setting->nvlink_delay : c->setting->pcie_delay;
}

/* ---- nodes and groups ---- */

static bool is_fabric_node(const bough_net *net, uint64_t node) {
    const bough_compute_nodes *c = of(net);
    return node >= c->first_fabric_node && node < c->first_switch;
}

static uint64_t node_delay(const bough_net *net, uint64_t node) {
    const bough_compute_nodes *c = of(net);
    if (!is_fabric_node(net, node) || node < c->first_fabric_node + c->fabric->endpoints) return 0;
    return bough_net_node_delay(c->fabric, node - c->first_fabric_node);
}

/* Links inside the node that leave a NIC: to its GPUs, and to the PCIe switch. */
static uint32_t nic_links(const bough_net *net, nic_place at) {
    const bough_compute_nodes *c = of(net);
    if (at.node == c->nodes) return 0;
    return gpus_of_nic(c->setting) + !c->setting->nvlink;
}

static uint64_t nic_link(const bough_net *net, nic_place at, uint32_t i) {
    uint32_t gpus = gpus_of_nic(of(net)->setting);
    inner_link l = {.kind = GPU_NIC, .down = true, .node = at.node};
    l.member = (uint32_t)at.nic * gpus + i;
    if (i == gpus) l = (inner_link){NIC_SWITCH, false, at.node, (uint32_t)at.nic};
    return link_of(net, l);
}

static uint64_t group_of(const bough_net *net, uint64_t link) {
    const bough_net *fabric = of(net)->fabric;
    if (in_fabric(net, link)) return fabric->ops->link_group(fabric, link);
    return fabric->groups + (link - fabric->links);
}

static bough_range group_links(const bough_net *net, uint64_t group) {
    const bough_net *fabric = of(net)->fabric;
    if (group < fabric->groups) return fabric->ops->group_links(fabric, group);
    return (bough_range){fabric->links + (group - fabric->groups), 1};
}

static uint64_t group_node(const bough_net *net, uint64_t group) {
    const bough_compute_nodes *c = of(net);
    if (group < c->fabric->groups) return c->first_fabric_node + c->fabric->ops->group_node(c->fabric, group);
    inner_link l = inner(net, group_links(net, group).first);
    return l.down ? upper_node(net, l) : lower_node(net, l);
}

static uint32_t node_group_count(const bough_net *net, uint64_t node) {
    const bough_compute_nodes *c = of(net);
    const bough_node_setting *s = c->setting;
    if (node < net->endpoints) return s->nvlink ? 2 : 1;
    if (node >= c->first_switch) return s->nvlink ? s->gpus : s->nics;
    uint64_t at = node - c->first_fabric_node;
    uint32_t groups = c->fabric->ops->node_group_count(c->fabric, at);
    return at < c->fabric->endpoints ? groups + nic_links(net, place_of(c, at)) : groups;
}

static uint64_t node_group(const bough_net *net, uint64_t node, uint32_t i) {
    const bough_compute_nodes *c = of(net);
    const bough_node_setting *s = c->setting;
    if (node < net->endpoints) /* the way to the NIC first */
        return group_of(net, link_of(net, (inner_link){i ? GPU_SWITCH : GPU_NIC, false, node / s->gpus,
                                                       (uint32_t)(node % s->gpus)}));
    if (node >= c->first_switch)
        return group_of(net, link_of(net, (inner_link){s->nvlink ? GPU_SWITCH : NIC_SWITCH, true,
                                                       node - c->first_switch, i}));
    uint64_t at = node - c->first_fabric_node;
    uint32_t groups = c->fabric->ops->node_group_count(c->fabric, at);
    if (i < groups) return c->fabric->ops->node_group(c->fabric, at, i);
    return group_of(net, nic_link(net, place_of(c, at), i - groups));
}

static unsigned node_level(const bough_net *net, uint64_t node) {
    const bough_compute_nodes *c = of(net);
    if (node < net->endpoints) return 0;
    if (node >= c->first_switch) return c->setting->nvlink ? 1 : 2;
    return 1 + c->fabric->ops->node_level(c->fabric, node - c->first_fabric_node);
}

static unsigned node_roles(const bough_net *net, uint64_t node) {
    if (node >= net->endpoints) return BOUGH_SWITCH;
    const bough_node_setting *s = of(net)->setting;
    return s->pxn || s->failover ? BOUGH_ENDPOINT | BOUGH_SWITCH : BOUGH_ENDPOINT;
}

static void node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const bough_compute_nodes *c = of(net);
    uint64_t gpus = c->setting->gpus;
    if (node < net->endpoints)
        snprintf(buffer, size, "n%" PRIu64 ".gpu%" PRIu64, node / gpus, node % gpus);
    else if (node >= c->first_switch)
        snprintf(buffer, size, "n%" PRIu64 ".%s", node - c->first_switch,
                 c->setting->nvlink ? "nvswitch" : "pcie");
    else
        bough_node_name(c->fabric, node - c->first_fabric_node, buffer, size);
}

static const char *port_name(const bough_net *net, uint64_t node, uint32_t port) {
    const bough_compute_nodes *c = of(net);
    if (node < c->first_fabric_node || node >= c->first_switch || !c->fabric->ops->port_name) return NULL;
    return c->fabric->ops->port_name(c->fabric, node - c->first_fabric_node, port);
}

/* ---- routes ---- */

uint64_t bough_compute_link(const bough_net *net, uint64_t node, uint64_t to) {
    const bough_compute_nodes *c = of(net);
    const bough_node_setting *s = c->setting;
    uint64_t home = to / s->gpus;
    uint32_t member = (uint32_t)(to % s->gpus), each = gpus_of_nic(s);
    if (node < net->endpoints) {
        uint64_t here = node / s->gpus, gpu = node % s->gpus;
        bool inside = here == home ? s->nvlink != 0 : nic_index_towards(c, node, to) != gpu / each;
        return link_of(net, (inner_link){inside ? GPU_SWITCH : GPU_NIC, false, here, (uint32_t)gpu});
    }
    if (node >= c->first_switch) {
        uint64_t here = node - c->first_switch;
        if (!s->nvlink) return link_of(net, (inner_link){NIC_SWITCH, true, here, member / each});
        if (here != home) member = live_nic(c, here, member / each) * each + member % each;
        return link_of(net, (inner_link){GPU_SWITCH, true, here, member});
    }
    uint64_t at = node - c->first_fabric_node;
    if (at >= c->fabric->endpoints) return BOUGH_NONE;
    nic_place p = place_of(c, at);
    if (p.node != home) return BOUGH_NONE;
    if (p.nic == live_nic(c, home, member / each)) return nic_link(net, p, member % each);
    return s->nvlink ? BOUGH_NONE : nic_link(net, p, each); /* a NIC may be a switch of the fabric (cube) */
}

static void route(const bough_net *net, uint64_t node, uint64_t gpu, bough_route *out) {
    const bough_compute_nodes *c = of(net);
    uint64_t link = bough_compute_link(net, node, gpu);
    if (node < net->endpoints && net->ops->reaches && !net->ops->reaches(net, node, gpu)) {
        out->count = 0;
        return;
    }
    if (link == BOUGH_NONE)
        c->fabric->ops->route(c->fabric, node - c->first_fabric_node, bough_gpu_address(c, gpu), out);
    else
        *out = (bough_route){.group = group_of(net, link), .first = link, .count = 1};
}

static bool reaches(const bough_net *net, uint64_t gpu, uint64_t to) {
    const bough_compute_nodes *c = of(net);
    if (gpu / c->setting->gpus == to / c->setting->gpus) return true;
    return c->fabric->ops->reaches(c->fabric, bough_gpu_nic_towards(c, gpu, to), bough_gpu_address(c, to));
}

static uint64_t reached(const bough_net *net, uint64_t gpu) {
    uint64_t count = 0;
    for (uint64_t to = 0; to < net->endpoints; to++) count += to != gpu && reaches(net, gpu, to);
    return count;
}

/* ---- creation ---- */

static void destroy(bough_net *net) {
    node_network *n = net->data;
    if (n) FREE_ALL(n->marks.dead, n->marks.lost, n->live, n->nic, n->nic_of, n);
}

#define OPS                                                                                                  \
    .destroy = destroy, .link_end = link_end, .link_group = group_of, .link_twin = link_twin,                \
    .group_node = group_node, .group_links = group_links, .node_group_count = node_group_count,              \
    .node_group = node_group, .node_level = node_level, .node_roles = node_roles, .route = route,            \
    .link_rate = link_rate, .link_delay = link_delay, .node_delay = node_delay, .node_name = node_name,      \
    .port_name = port_name

/* By what the fabric has: ports of links; faults. */
static const bough_net_ops node_ops[2][2] = {
    {{OPS}, {OPS, .reaches = reaches, .reached = reached}},
    {{OPS, .link_port = link_port}, {OPS, .link_port = link_port, .reaches = reaches, .reached = reached}},
};

/* Whether the file of the fabric says which endpoints are of one host. */
static bool has_hosts(const bough_net *fabric, const bough_node_setting *s) {
    return fabric->hosts && fabric->hosts->most > 1 && fabric->hosts->most >= s->nics;
}

static uint64_t count_nodes(const bough_net *fabric, const bough_node_setting *s) {
    return has_hosts(fabric, s) ? net_hosts_with(fabric->hosts, s->nics) : fabric->endpoints / s->nics;
}

static bough_status list_nics(node_network *n, bough_error *error) {
    const bough_net *fabric = n->c.fabric;
    const net_hosts *h = fabric->hosts;
    const uint32_t nics = n->c.setting->nics;
    if (!has_hosts(fabric, n->c.setting)) return BOUGH_OK;
    bough_status status = bough_alloc(&n->nic, bough_mul(n->c.nodes, nics), sizeof *n->nic, error);
    TRY(bough_alloc(&n->nic_of, fabric->endpoints, sizeof *n->nic_of, error));
    if (status) return status;
    for (uint64_t e = 0; e < fabric->endpoints; e++) n->nic_of[e] = UINT32_MAX;
    uint32_t next = 0;
    for (uint32_t i = 0; i < h->count; i++)
        for (uint32_t k = 0; k < nics && rows_count(&h->endpoints, i) >= nics; k++) {
            n->nic[next] = h->endpoints.item[h->endpoints.first[i] + k];
            n->nic_of[n->nic[next]] = next;
            next++;
        }
    n->c.nic = n->nic;
    n->c.nic_of = n->nic_of;
    return BOUGH_OK;
}

static bough_status check_fabric(const bough_net *fabric, const bough_node_setting *s, bough_error *error) {
    uint64_t nodes = count_nodes(fabric, s);
    if (fabric->compute)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s has compute nodes already", fabric->spec);
    if (nodes == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s has %" PRIu64 " endpoints, too few for the %" PRIu32 " NICs of a compute node",
                          fabric->spec, fabric->endpoints, s->nics);
    if (bough_add(bough_mul(nodes, bough_mul(s->gpus, 4)), fabric->links) > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s: %" PRIu64 " compute nodes of %" PRIu32 " GPUs are too many", fabric->spec,
                          nodes, s->gpus);
    return BOUGH_OK;
}

/* Longest default route: PXN adds two links, failover two at either end, PCIe at both ends two; through a
 * PCIe switch there are four, and a message may reach it from another NIC where NICs are switches of the
 * fabric (cube). */
static unsigned longest(const bough_net *fabric, const bough_node_setting *s) {
    bool through = !s->nvlink && bough_is_switch(fabric, 0);
    unsigned hops = fabric->hops_max + 2 + (s->pxn || s->failover || through ? 2 : 0) + (s->failover ? 2 : 0);
    if (!fabric->hops_max) return 0;
    return hops < 4 ? 4 : hops;
}

/* With failover and faults: the next live NIC of a node for each, itself if there is none. */
static bough_status find_live(const bough_compute_nodes *c, uint16_t **out, bough_error *error) {
    uint32_t nics = c->setting->nics;
    char dead[160];
    if (!c->setting->failover || !c->fabric->faults) return BOUGH_OK;
    bough_status status = bough_alloc(out, bough_mul(c->nodes, nics), sizeof **out, error);
    for (uint64_t i = 0; i < c->nodes * nics && !status; i++) {
        uint32_t tried = 0;
        while (tried < nics &&
               *bough_dead_part(c->fabric, nic_endpoint(c, i / nics, (i + tried) % nics), dead, sizeof dead))
            tried++;
        (*out)[i] = (uint16_t)((i + tried) % nics);
    }
    return status;
}

static void set_counts(const bough_net *fabric, const bough_compute_nodes *c, bough_net *net) {
    const bough_node_setting *s = c->setting;
    net->endpoints = net->addresses = c->nodes * s->gpus;
    net->nodes = net->endpoints + fabric->nodes + c->nodes;
    net->switches = fabric->switches;
    net->links = fabric->links + c->nodes * 2 * pairs_of(s);
    net->groups = fabric->groups + (net->links - fabric->links);
    net->cables = fabric->cables;
    net->group_max = fabric->group_max;
    net->levels = fabric->levels + 1 < 2 ? 2 : fabric->levels + 1;
    net->hops_max = longest(fabric, s);
    net->capabilities = (fabric->capabilities & BOUGH_HAS_ROUTES) | BOUGH_HAS_RATES;
    net->bytes = fabric->bytes;
}

bough_status bough_compute_nodes_create(const bough_net *fabric, const bough_node_setting *setting,
                                        bough_net **out, bough_error *error) {
    bough_net *net = NULL;
    node_network *n = NULL;
    *out = NULL;
    bough_status status = check_fabric(fabric, setting, error);
    TRY(bough_alloc(&net, 1, sizeof *net, error));
    TRY(bough_alloc(&n, 1, sizeof *n, error));
    if (status) {
        free(net);
        return status;
    }
    n->c = (bough_compute_nodes){.fabric = fabric, .setting = setting, .nodes = count_nodes(fabric, setting)};
    n->c.first_fabric_node = n->c.nodes * setting->gpus;
    n->c.first_switch = n->c.first_fabric_node + fabric->nodes;
    net->data = n;
    net->compute = &n->c;
    set_counts(fabric, &n->c, net);
    net->ops = &node_ops[fabric->ops->link_port != NULL][fabric->ops->reaches != NULL];
    status = over_network_inherit(fabric, net, &n->marks, error);
    TRY(list_nics(n, error));
    TRY(find_live(&n->c, &n->live, error));
    n->c.live = n->live;
    if (status)
        bough_net_destroy(net);
    else
        *out = net;
    return status;
}
