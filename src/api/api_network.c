/* Networks of bough.h. */
#include "api/api_arguments.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/faults.h"
#include "bough/physical.h"
#include "bough/routing.h"
#include "models/link_load/alltoall_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct bough_network {
    bough_net *whole, *faulty; /* faulty: NULL if nothing is removed */
    bough_physical *physical;  /* NULL: the default */
    const bough_net *net;      /* the one to use */
};

static bough_status add_faults(bough_network *n, const char *faults, const char *physical,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    if (faults) status = bough_net_with_faults(n->whole, faults, &n->faulty, error);
    if (!status && physical) status = bough_physical_create(physical, &n->physical, error);
    if (status) return status;
    bough_net_set_physical(n->whole, n->physical);
    if (n->faulty) bough_net_set_physical(n->faulty, n->physical);
    n->net = n->faulty ? n->faulty : n->whole;
    return BOUGH_OK;
}

bough_status bough_network_open(const char *spec, const char *faults, const char *physical,
                                bough_network **network, bough_error *error) {
    char *text = NULL;
    bough_network *n = NULL;
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(api_require(spec, "spec", __func__, error));
    TRY(bough_alloc(&n, 1, sizeof *n, error));
    TRY(api_network_spec(spec, &text, error));
    TRY(bough_net_create(text, &n->whole, error));
    TRY(add_faults(n, faults, physical, error));
    free(text);
    if (status)
        bough_network_destroy(n);
    else
        *network = n;
    return status;
}

bough_status bough_network_parse(const char *name, const void *data, size_t size, bough_network **network,
                                 bough_error *error) {
    bough_network *n = NULL;
    bough_fabric fabric = {.format = ""};
    bough_status status = api_require(network, "network", __func__, error);
    if (!status) *network = NULL;
    TRY(api_require(name, "name", __func__, error));
    TRY(api_require(data, "data", __func__, error));
    TRY(bough_alloc(&n, 1, sizeof *n, error));
    TRY(bough_fabric_parse(name, data, size, &fabric, error));
    TRY(bough_net_from_fabric(&fabric, NULL, name, &n->whole, error));
    bough_fabric_fini(&fabric);
    TRY(add_faults(n, NULL, NULL, error));
    if (status)
        bough_network_destroy(n);
    else
        *network = n;
    return status;
}

void bough_network_destroy(bough_network *n) {
    if (!n) return;
    bough_net_destroy(n->faulty);
    bough_net_destroy(n->whole);
    bough_physical_destroy(n->physical);
    free(n);
}

bough_network_sizes bough_network_size(const bough_network *network) {
    if (!network) return (bough_network_sizes){0};
    const bough_net *net = network->net;
    return (bough_network_sizes){net->nodes, net->endpoints, net->switches,
                                 net->links, net->cables,    net->levels};
}

const char *bough_network_spec(const bough_network *network) {
    return network ? network->whole->spec : "";
}

bough_status bough_network_node_name(const bough_network *network, uint64_t node, char *buffer, size_t size,
                                     bough_error *error) {
    bough_status status = api_require(network, "network", __func__, error);
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
    bough_status status = api_require(network, "network", __func__, error);
    TRY(api_require(arrays, "arrays", __func__, error));
    if (status) return status;
    if (arrays->size != sizeof *arrays)
        return bough_fail(error, BOUGH_INVALID, __func__,
                          "size is %zu; it must be sizeof(bough_link_arrays), %zu", arrays->size,
                          sizeof *arrays);
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
        if (pair[i] >= net->endpoints)
            return bough_fail(error, BOUGH_INVALID, function,
                              "endpoint %" PRIu64 " does not exist; there are %" PRIu64, pair[i],
                              net->endpoints);
    if (pair[0] == pair[1])
        return bough_fail(error, BOUGH_INVALID, function, "source and destination are the same endpoint");
    return BOUGH_OK;
}

bough_status bough_network_path(const bough_network *network, const char *routing, const uint64_t pair[2],
                                bough_links *links, bough_error *error) {
    bough_routing *r = NULL;
    bough_status status = api_require(network, "network", __func__, error);
    TRY(api_require(pair, "pair", __func__, error));
    TRY(api_require(links, "links", __func__, error));
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

bough_status bough_network_alltoall(const bough_network *network, const char *routing, double *load,
                                    bough_error *error) {
    bough_routing *r = NULL;
    bool expected;
    double lost;
    bough_status status = api_require(network, "network", __func__, error);
    TRY(api_require(load, "load", __func__, error));
    TRY(bough_routing_create(network->net, routing, &r, error));
    TRY(alltoall_loads(r, load, &expected, &lost, error));
    bough_routing_destroy(r);
    return status;
}

bough_status bough_network_text(const bough_network *network, const char *format, char **text,
                                bough_error *error) {
    bough_status status = api_require(text, "text", __func__, error);
    if (!status) *text = NULL;
    TRY(api_require(network, "network", __func__, error));
    TRY(api_require(format, "format", __func__, error));
    if (status) return status;
    for (const bough_format *f = bough_formats; f->name; f++) {
        if (!f->write || strcmp(f->name, format) != 0) continue;
        bough_text out = {0};
        status = f->write(network->net, &out, error);
        if (!status) return bough_text_finish(&out, text, error);
        bough_text_fini(&out);
        return status;
    }
    return bough_fail(error, BOUGH_INVALID, __func__,
                      "no format '%s' writes a network; see `bough list formats`", format);
}
