/* Networks of bough.h. */
#include "api/api_arguments.h"
#include "api/network_export.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "extension/cable_network.h"
#include "extension/network_handle.h"
#include "extension/owned_registry.h"
#include "models/link_load/link_loads.h"
#include "network/faults/faults.h"
#include "network/spec_or_file.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- creation ---- */

static bough_status network_alloc(bough_network **network, bough_error *error) {
    bough_status status = bough_alloc(network, 1, sizeof **network, error);
    if (status) return status;
    (*network)->handle.word = HANDLE_ALIVE;
    atomic_init(&(*network)->users, 1);
    return BOUGH_OK;
}

static const bough_net *top_network(const bough_network *n) {
    return n->adding ? n->adding : n->gpus ? n->gpus : n->faulty ? n->faulty : n->whole;
}

/* Hands the network over, or frees it. */
static bough_status network_finish(bough_network *n, bough_status status, bough_network **network) {
    n->net = top_network(n);
    if (status)
        bough_network_destroy(n);
    else
        *network = n;
    return status;
}

static bough_status take_options(bough_network *n, const bough_network_options *o, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (o->faults) status = bough_net_with_faults(n->whole, o->faults, &n->faulty, error);
    if (!status && o->faults && !(n->faults = bough_strdup(o->faults)))
        status = bough_fail_memory(error, strlen(o->faults));
    TRY(bough_physical_create_for(n->whole, o->physical, &n->physical, error));
    if (status) return status;
    bough_net_set_physical(n->whole, n->physical);
    if (n->faulty) bough_net_set_physical(n->faulty, n->physical);
    if (n->physical && n->physical->node)
        status = bough_compute_nodes_create(top_network(n), n->physical->node, &n->gpus, error);
    if (!status && n->physical && n->physical->sharp)
        status = bough_aggregation_create(top_network(n), n->physical->sharp_delay, &n->adding, error);
    return status;
}

bough_status bough_network_open(const char *spec, const bough_network_options *options,
                                bough_network **network, bough_error *error) {
    static const bough_network_options none = {.size = sizeof none};
    const bough_network_options *o = options ? options : &none;
    char *text = NULL;
    bough_network *n = NULL;
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(api_require(spec, "spec", __func__, error));
    TRY(api_require_size(o->size, sizeof *o, "bough_network_options", error));
    if (!status && o->registry) status = api_require_registry(o->registry, __func__, error);
    TRY(network_alloc(&n, error));
    if (status) return status;
    n->registry = registry_keep(o->registry);
    status = network_argument_spec(&(network_argument){.text = spec}, o->registry, NULL, &text, error);
    TRY(bough_net_open(text, o->registry, &n->whole, error));
    TRY(take_options(n, o, error));
    free(text);
    return network_finish(n, status, network);
}

bough_status bough_network_parse(const char *name, const void *data, size_t size, bough_network **network,
                                 bough_error *error) {
    bough_network *n = NULL;
    bough_fabric fabric = {.format = ""};
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(api_require(name, "name", __func__, error));
    TRY(api_require(data, "data", __func__, error));
    TRY(network_alloc(&n, error));
    if (status) return status;
    status = bough_fabric_parse(name, data, size, &fabric, error);
    TRY(bough_net_from_fabric(&fabric, NULL, name, &n->whole, error));
    bough_fabric_fini(&fabric);
    return network_finish(n, status, network);
}

static bough_status check_cables(const bough_cable_arrays *cables, bough_error *error) {
    static const char function[] = "bough_network_from_cables";
    bough_status status = api_require(cables, "cables", function, error);
    TRY(api_require_size(cables->size, sizeof *cables, "bough_cable_arrays", error));
    if (!status && cables->count) status = api_require(cables->a, "a", function, error);
    if (!status && cables->count) status = api_require(cables->b, "b", function, error);
    TRY(registry_check_name(NULL, BOUGH_LIST_NETWORKS, cables->name, error));
    return status;
}

/* Copies the arrays into one of cables; the caller frees it. */
static bough_status read_cables(const bough_cable_arrays *cables, cable_set *set, bough_error *error) {
    *set = (cable_set){.nodes = cables->nodes,
                       .endpoints = cables->endpoints,
                       .count = cables->count,
                       .node_name = cables->node_name};
    bough_status status = bough_alloc(&set->cable, set->count, sizeof *set->cable, error);
    for (size_t i = 0; i < set->count && !status; i++)
        set->cable[i] = (cable){cables->a[i], cables->b[i], cables->rate ? cables->rate[i] : 0};
    return status;
}

static bough_status make_net(const char *name, const cable_set *set, bough_net **net, bough_error *error) {
    bough_status status = bough_alloc(net, 1, sizeof **net, error);
    if (status) return status;
    (*net)->spec = bough_strdup(name);
    if (!(*net)->spec) return bough_fail_memory(error, strlen(name));
    return cable_network_fill(set, *net, error);
}

bough_status bough_network_from_cables(const bough_cable_arrays *cables, bough_network **network,
                                       bough_error *error) {
    bough_network *n = NULL;
    cable_set set;
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(check_cables(cables, error));
    TRY(network_alloc(&n, error));
    if (status) return status;
    status = read_cables(cables, &set, error);
    TRY(make_net(cables->name, &set, &n->whole, error));
    free(set.cable);
    return network_finish(n, status, network);
}

static bough_status view_of(const bough_net *of, bough_registry *registry, bough_net **net,
                            bough_error *error) {
    bough_status status = bough_net_view(of, net, error);
    if (!status) (*net)->registry = registry;
    return status;
}

/* n has the data of n->of, its faults and its registry. */
static bough_status take_data(bough_network *n, bough_error *error) {
    const bough_network *of = n->of;
    bough_status status = view_of(of->whole, n->registry, &n->whole, error);
    if (!status && of->faulty) status = view_of(of->faulty, n->registry, &n->faulty, error);
    if (!status && of->faults && !(n->faults = bough_strdup(of->faults)))
        status = bough_fail_memory(error, strlen(of->faults));
    return status;
}

bough_status bough_network_with(const bough_network *of, const bough_network_options *options,
                                bough_network **network, bough_error *error) {
    bough_network *n = NULL;
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(api_require_object(of, "of", __func__, error));
    TRY(api_require(options, "options", __func__, error));
    TRY(api_require_size(options->size, sizeof *options, "bough_network_options", error));
    if (!status && options->registry) status = api_require_registry(options->registry, __func__, error);
    if (!status && options->faults && of->faults)
        status = bough_fail(error, BOUGH_INVALID, __func__, "the network has faults already: %s", of->faults);
    TRY(network_alloc(&n, error));
    if (status) return status;
    bough_network_options o = *options;
    if (!o.physical && of->physical) o.physical = of->physical->spec;
    n->registry = registry_keep(o.registry ? o.registry : of->registry);
    n->of = (bough_network *)of;
    atomic_fetch_add(&n->of->users, 1);
    status = take_data(n, error);
    TRY(take_options(n, &o, error));
    return network_finish(n, status, network);
}

void bough_network_destroy(bough_network *n) {
    if (!handle_alive(n) || atomic_fetch_sub(&n->users, 1) > 1) return;
    bough_net_destroy(n->adding);
    bough_net_destroy(n->gpus);
    bough_net_destroy(n->faulty);
    bough_net_destroy(n->whole);
    bough_physical_destroy(n->physical);
    registry_release(n->registry);
    free(n->faults);
    bough_network_destroy(n->of);
    handle_free(n);
}

/* ---- what it is ---- */

bough_network_sizes bough_network_size(const bough_network *network) {
    if (!handle_alive(network)) return (bough_network_sizes){0};
    const bough_net *net = network->net;
    return (bough_network_sizes){net->nodes, bough_net_hosts(net), net->switches,
                                 net->links, net->cables,          net->levels};
}

const char *bough_network_spec(const bough_network *network) {
    return handle_alive(network) ? network->whole->spec : "";
}

bough_status bough_network_node_name(const bough_network *network, uint64_t node, char *buffer, size_t size,
                                     bough_error *error) {
    bough_status status = api_require_object(network, "network", __func__, error);
    TRY(api_require(buffer, "buffer", __func__, error));
    if (status) return status;
    if (node >= network->net->nodes)
        return bough_fail(error, BOUGH_INVALID, __func__,
                          "node %" PRIu64 " does not exist; there are %" PRIu64, node, network->net->nodes);
    if (size) bough_node_name(network->net, node, buffer, size);
    return BOUGH_OK;
}

bough_status bough_network_links(const bough_network *network, const bough_link_arrays *arrays,
                                 bough_error *error) {
    bough_status status = api_require_object(network, "network", __func__, error);
    TRY(api_require(arrays, "arrays", __func__, error));
    if (status) return status;
    status = api_require_size(arrays->size, sizeof *arrays, "bough_link_arrays", error);
    if (status) return status;
    const bough_net *net = network->net;
    for (uint64_t l = 0; l < net->links; l++) {
        if (arrays->from) arrays->from[l] = bough_link_start(net, l);
        if (arrays->to) arrays->to[l] = net->ops->link_end(net, l).node;
        if (arrays->rate) arrays->rate[l] = (double)bough_net_link_rate(net, l);
        if (arrays->alive) arrays->alive[l] = bough_link_alive(net, l);
    }
    return BOUGH_OK;
}

static bough_status check_pair(const bough_net *net, const uint64_t pair[2], const char *function,
                               bough_error *error) {
    for (int i = 0; i < 2; i++)
        if (pair[i] >= bough_net_hosts(net))
            return bough_fail(error, BOUGH_INVALID, function,
                              "endpoint %" PRIu64 " does not exist; there are %" PRIu64, pair[i],
                              bough_net_hosts(net));
    if (pair[0] == pair[1])
        return bough_fail(error, BOUGH_INVALID, function, "source and destination are the same endpoint");
    return BOUGH_OK;
}

bough_status bough_network_path(const bough_network *network, const char *routing, const uint64_t pair[2],
                                bough_links *links, bough_error *error) {
    bough_routing *r = NULL;
    bough_status status = api_require_object(network, "network", __func__, error);
    TRY(api_require(pair, "pair", __func__, error));
    TRY(api_require(links, "links", __func__, error));
    if (!status && links->room) status = api_require(links->link, "link", __func__, error);
    TRY(check_pair(network->net, pair, __func__, error));
    TRY(bough_routing_create(network->net, routing, &r, error));
    if (status) return status;
    const bough_flow flow = {pair[0], bough_endpoint_address(network->net, pair[1]), 0};
    int room = links->room < INT32_MAX ? (int)links->room : INT32_MAX;
    int length = -2;
    if (!bough_routing_deterministic(r))
        status = bough_fail(error, BOUGH_UNSUPPORTED, __func__,
                            "%s leaves a choice, so a pair has several paths", r->spec);
    else
        length = bough_path(r, &flow, links->link, room);
    if (length == -1)
        status = bough_fail(error, BOUGH_TOO_LARGE, __func__, "the path has more than %d links", room);
    links->count = length > 0 ? (size_t)length : 0;
    bough_routing_destroy(r);
    return status;
}

bough_status bough_network_loads(const bough_network *network, const bough_control *control,
                                 bough_loads *loads, bough_error *error) {
    bough_routing *r = NULL;
    bough_traffic *t = NULL;
    api_run run;
    bough_status status = api_require_object(network, "network", __func__, error);
    TRY(api_require(loads, "loads", __func__, error));
    TRY(api_require_size(loads->size, sizeof *loads, "bough_loads", error));
    TRY(api_require(loads->load, "load", __func__, error));
    TRY(api_run_begin(&run, control, error));
    TRY(bough_routing_create(network->net, loads->routing, &r, error));
    if (!status && loads->traffic) status = bough_traffic_create(network->net, loads->traffic, &t, error);
    if (!status) {
        link_loads found = {.flows = loads->load, .stop = run.stop};
        status = link_loads_of(r, t, 1, &found, error);
        loads->unrouted = found.lost;
    }
    bough_traffic_destroy(t);
    bough_routing_destroy(r);
    return status;
}

bough_status bough_network_text(const bough_network *network, const char *routing, const char *format,
                                char **text, bough_error *error) {
    bough_text out = {0};
    bough_status status = api_require(text, "text", __func__, error);
    if (!status) *text = NULL;
    TRY(api_require_object(network, "network", __func__, error));
    TRY(api_require(format, "format", __func__, error));
    TRY(network_text(network->net, routing, format, &out, error));
    if (!status && !out.failed && out.length && memchr(out.data, 0, out.length))
        status = bough_fail(error, BOUGH_UNSUPPORTED, format, "is binary, and no text; write it as a file");
    if (!status) return bough_text_finish(&out, text, error);
    bough_text_fini(&out);
    return status;
}
