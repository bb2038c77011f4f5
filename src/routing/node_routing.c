#include "routing/node_routing.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* The kind is that of the fabric's routing, with the functions below. */
typedef struct node_routing {
    bough_routing_kind kind;
    bough_routing *inner;
} node_routing;

static const bough_routing *inner_of(const bough_routing *r) {
    return ((const node_routing *)r->data)->inner;
}

/* The flow in the fabric: from NIC to NIC. */
static bough_flow in_fabric(const bough_routing *r, const bough_flow *flow) {
    const bough_compute_nodes *c = r->net->compute;
    return (bough_flow){bough_gpu_nic_towards(c, flow->source, flow->address),
                        bough_gpu_address(c, flow->address), flow->key};
}

/* With faults a sender may have no route, and then sends nothing. */
static bool is_silent(const bough_routing *r, const bough_flow *flow) {
    bough_flow outer = in_fabric(r, flow);
    bough_route route;
    if (!r->net->faults || bough_inside_node(r->net, flow->source, flow->address)) return false;
    bough_route_at(inner_of(r), outer.source, &outer, &route);
    return route.count == 0;
}

static void route(const bough_routing *r, uint64_t node, const bough_flow *flow, bough_route *out) {
    uint64_t link = bough_compute_link(r->net, node, flow->address);
    if (link == BOUGH_NONE) {
        bough_flow outer = in_fabric(r, flow);
        bough_route_at(inner_of(r), node - r->net->compute->first_fabric_node, &outer, out);
    } else if (node == flow->source && is_silent(r, flow)) {
        out->count = 0;
    } else {
        *out = (bough_route){.group = r->net->ops->link_group(r->net, link), .first = link, .count = 1};
    }
}

static uint32_t select_link(const bough_routing *r, const bough_choice *choice) {
    return bough_select_free(inner_of(r), choice);
}

static void fini(bough_routing *r) {
    node_routing *n = r->data;
    if (!n) return;
    r->findings = (bough_findings){0}; /* of inner */
    bough_routing_destroy(n->inner);
    free(n);
}

/* What needs the fields of the inner routing's own kind stays out. */
static bough_routing_kind kind_over(const bough_routing_kind *inner) {
    return (bough_routing_kind){
        .name = inner->name,
        .summary = inner->summary,
        .source = inner->source,
        .params = inner->params,
        .oblivious = inner->oblivious,
        .by_address = inner->by_address,
        .by_key = inner->by_key,
        .own_ways = inner->own_ways,
        .draws = inner->draws,
        .minimal = inner->minimal,
        .wants_load = inner->wants_load,
        .select = inner->select ? select_link : NULL,
        .route = route,
        .fini = fini,
    };
}

bough_status node_routing_make(const bough_net *net, bough_routing *inner, bough_routing **out,
                               bough_error *error) {
    node_routing *n = NULL;
    bough_routing *r = NULL;
    bough_status status = BOUGH_OK;
    *out = NULL;
    if (inner->kind->via)
        status =
            bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                       "routing %s goes through intermediate endpoints, which networks with compute nodes do "
                       "not support",
                       inner->kind->name);
    TRY(bough_alloc(&n, 1, sizeof *n, error));
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (!status && !(r->spec = bough_strdup(inner->spec)))
        status = bough_fail_memory(error, strlen(inner->spec));
    if (status) {
        if (r) free(r->spec);
        FREE_ALL(r, n);
        bough_routing_destroy(inner);
        return status;
    }
    *n = (node_routing){kind_over(inner->kind), inner};
    r->net = net;
    r->kind = &n->kind;
    r->findings = inner->findings;
    r->input_hash = inner->input_hash;
    r->bytes = inner->bytes;
    r->data = n;
    *out = r;
    return BOUGH_OK;
}
