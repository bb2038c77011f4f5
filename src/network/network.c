#include "base/status/try.h"
#include "network/net.h"

#include "base/memory/memory.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bough_family *const bough_families[] = {
    &bough_family_fattree,     &bough_family_xgft,      &bough_family_kary,
    &bough_family_clos,        &bough_family_bft,       &bough_family_pruned,
    &bough_family_sorting,     &bough_family_cube,      &bough_family_mesh,
    &bough_family_torus,       &bough_family_transit,   &bough_family_ibnet,
    &bough_family_hyperx,      &bough_family_dragonfly, &bough_family_slimfly,
    &bough_family_meshoftrees, &bough_family_butterfly, NULL,
};

enum { BUILT_IN = sizeof bough_families / sizeof *bough_families - 1, NAMES = 64 };

const bough_family *bough_family_at(const bough_registry *registry, size_t i) {
    return i < BUILT_IN ? bough_families[i]
                        : bough_registry_item(registry, BOUGH_LIST_FAMILIES, i - BUILT_IN);
}

#define FROM_FILE                                                                                            \
    "its graph is read from a file: cables as CSV, node-link JSON of NetworkX, GraphML "                     \
    "(docs/interchange.md)"

const char *bough_family_elsewhere(const char *name) {
    static const char *const known[][2] = {
        {"dragonfly+", "dragonfly+ is no family; nearest are dragonfly and xgft; or " FROM_FILE},
        {"flattened butterfly", "a flattened butterfly is hyperx:dims=KxK with hosts=K"},
        {"flatfly", "flatfly is hyperx:dims=KxK with hosts=K"},
        {"jellyfish", "jellyfish is no family; " FROM_FILE},
        {"polarfly", "polarfly is no family; " FROM_FILE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0) return known[i][1];
    return NULL;
}

static const bough_family *find_family(const bough_registry *registry, const char *name) {
    const bough_family *f;
    for (size_t i = 0; (f = bough_family_at(registry, i)); i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

static const bough_net *find_network(const bough_registry *registry, const char *spec) {
    const bough_net *net;
    for (size_t i = 0; (net = bough_registry_item(registry, BOUGH_LIST_NETWORKS, i)); i++)
        if (strcmp(net->spec, spec) == 0) return net;
    return NULL;
}

static bough_status unknown_family(const bough_registry *registry, const char *name, bough_error *error) {
    const char *names[NAMES];
    size_t count = 0;
    const bough_family *f;
    for (; count < NAMES && (f = bough_family_at(registry, count)); count++) names[count] = f->name;
    char hint[BOUGH_HINT_MAX];
    const char *elsewhere = bough_family_elsewhere(name);
    if (elsewhere) return bough_fail(error, BOUGH_INVALID, NULL, "%s", elsewhere);
    return bough_fail(error, BOUGH_INVALID, NULL, "no network family '%s'%s; see `bough list families`", name,
                      bough_hint(hint, name, names, count));
}

bough_status bough_net_memory_check(const bough_net *net, uint64_t bytes, const char *what,
                                    bough_error *error) {
    return bough_memory_check_shared(bytes, net->sharers, what, error);
}

bough_status bough_net_create(const char *text, bough_net **out, bough_error *error) {
    return bough_net_open(text, NULL, out, error);
}

static bough_status make_net(const bough_family *family, const bough_spec *spec, unsigned threads,
                             bough_net **out, bough_error *error) {
    bough_args args = {0};
    bough_net *net = NULL;
    *out = NULL;
    bough_status status = bough_args_bind(spec, family->params, "family", &args, error);
    TRY(bough_alloc(&net, 1, sizeof *net, error));
    if (!status) net->family = family;
    if (!status) net->threads = threads;
    TRY(family->make(&args, net, error));
    if (!status && !net->spec) {
        net->spec = bough_args_format(family->name, &args);
        if (!net->spec) status = bough_fail_memory(error, 64);
    }
    bough_args_fini(&args);
    if (status) {
        bough_net_destroy(net);
        return status;
    }
    net->threads = 0; /* of its routings: set by the owner */
    net->first_port = !net->fabric && net->ops->link_port && net->ops->link_twin;
    *out = net;
    return BOUGH_OK;
}

bough_status bough_net_open(const char *text, const bough_registry *registry, bough_net **out,
                            bough_error *error) {
    return bough_net_open_threads(text, registry, 1, out, error);
}

bough_status bough_net_open_threads(const char *text, const bough_registry *registry, unsigned threads,
                                    bough_net **out, bough_error *error) {
    *out = NULL;
    bough_spec spec;
    const bough_net *known = find_network(registry, text);
    bough_status status = known ? bough_net_view(known, out, error) : bough_spec_parse(text, &spec, error);
    if (!known && !status) {
        const bough_family *family = find_family(registry, spec.name);
        status = family ? make_net(family, &spec, threads, out, error)
                        : unknown_family(registry, spec.name, error);
        bough_spec_fini(&spec);
    }
    if (!status) (*out)->registry = registry;
    return status;
}

bough_status bough_net_view(const bough_net *of, bough_net **out, bough_error *error) {
    bough_net *net;
    *out = NULL;
    bough_status status = bough_alloc(&net, 1, sizeof *net, error);
    if (status) return status;
    *net = *of;
    net->view = true;
    net->spec = bough_strdup(of->spec);
    if (!net->spec) status = bough_fail_memory(error, strlen(of->spec));
    if (status)
        bough_net_destroy(net);
    else
        *out = net;
    return status;
}

void net_free_data(bough_net *net) {
    free(net->data);
}

void bough_net_destroy(bough_net *net) {
    if (!net) return;
    if (!net->view && net->ops && net->ops->destroy) net->ops->destroy(net);
    FREE_ALL(net->spec, net);
}

int bough_link_direction(const bough_net *net, uint64_t link) {
    unsigned from = net->ops->node_level(net, bough_link_start(net, link));
    unsigned to = net->ops->node_level(net, net->ops->link_end(net, link).node);
    return bough_level_order(from, to);
}

unsigned bough_link_level(const bough_net *net, uint64_t link) {
    unsigned from = net->ops->node_level(net, bough_link_start(net, link));
    unsigned to = net->ops->node_level(net, net->ops->link_end(net, link).node);
    return from < to ? from : to;
}

char *bough_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    if (net->ops->node_name)
        net->ops->node_name(net, node, buffer, size);
    else
        snprintf(buffer, size, "%s%" PRIu64, node < net->endpoints ? "h" : "s", node);
    return buffer;
}

char *bough_port_name(const bough_net *net, uint64_t node, uint32_t port, char *buffer, size_t size) {
    const char *name = net->ops->port_name ? net->ops->port_name(net, node, port) : NULL;
    if (name)
        snprintf(buffer, size, "%s", name);
    else
        snprintf(buffer, size, "%" PRIu32, bough_port_number(net, port));
    return buffer;
}

/* "leaf1/19"; without the port if it has no number outside bough. */
static void end_name(const bough_net *net, bough_link_end end, char *buffer, size_t size) {
    bough_node_name(net, end.node, buffer, size);
    const size_t length = strlen(buffer);
    char port[BOUGH_PORT_NAME];
    if (net->ops->link_port && end.port < BOUGH_PORT_UNNUMBERED)
        snprintf(buffer + length, size - length, "/%s",
                 bough_port_name(net, end.node, end.port, port, sizeof port));
}

char *bough_link_name(const bough_net *net, uint64_t link, char *buffer, size_t size) {
    char from[128], to[128];
    const uint32_t port = net->ops->link_port ? net->ops->link_port(net, link) : 0;
    end_name(net, (bough_link_end){bough_link_start(net, link), port}, from, sizeof from);
    end_name(net, net->ops->link_end(net, link), to, sizeof to);
    snprintf(buffer, size, "%s -> %s", from, to);
    return buffer;
}
