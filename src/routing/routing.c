#include "routing/routing.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/over_routing.h"
#include "routing/routing_list.h"

#include <string.h>

enum { NAMES = 64 };

static const bough_routing_kind *find_kind(const bough_registry *registry, const char *name,
                                           bough_error *error) {
    const char *names[NAMES];
    size_t count = 0;
    const bough_routing_kind *k;
    for (size_t i = 0; (k = bough_routing_kind_at(registry, i)); i++) {
        if (strcmp(k->name, name) == 0) return k;
        for (const char *const *a = k->aliases; a && *a; a++)
            if (strcmp(*a, name) == 0) return k;
        if (count < NAMES) names[count++] = k->name;
    }
    static const char *const opensm[] = {"dfsssp", "sssp", "lash", "dor", "torus-2QoS", "nue", "file"};
    for (size_t i = 0; i < sizeof opensm / sizeof *opensm; i++) {
        if (strcmp(opensm[i], name) != 0) continue;
        bough_fail(error, BOUGH_INVALID, NULL,
                   "no routing '%s': it is an engine of OpenSM, which `bough check FABRIC --opensm %s` asks",
                   name, name);
        return NULL;
    }
    char hint[BOUGH_HINT_MAX];
    bough_fail(error, BOUGH_INVALID, NULL, "no routing '%s'%s; see `bough list routings`", name,
               bough_hint(hint, name, names, count));
    return NULL;
}

static bough_status check_needs(const bough_net *net, const bough_routing_kind *kind, bough_error *error) {
    static const struct {
        unsigned capability;
        const char *text;
    } need[] = {
        {BOUGH_HAS_ROUTES, "minimal routes"},
        {BOUGH_HAS_CHANNELS, "the shortest paths of a tree or an imported fabric"},
        {BOUGH_HAS_MODK, "D-mod-K digits (fattree, xgft, kary, clos, bft)"},
        {BOUGH_HAS_TABLES, "the LIDs of an imported fabric (ibnet:FILE)"},
    };
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        if ((kind->needs & need[i].capability) && !(net->capabilities & need[i].capability))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "routing %s needs %s, which %s does not have",
                              kind->name, need[i].text, net->spec);
    const char *lack = kind->lacks ? kind->lacks(net) : NULL;
    if (lack)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "routing %s needs %s, which %s does not have",
                          kind->name, lack, net->spec);
    return BOUGH_OK;
}

/* A routing of the network below, and the links that are new. */
static bough_status create_over(const bough_net *net, const char *text, bough_routing **out,
                                bough_error *error) {
    const bough_net *below = net->aggregation ? net->aggregation->base : net->compute->fabric;
    bough_routing *inner;
    bough_status status = bough_routing_create(below, text, &inner, error);
    if (status) return status;
    return over_routing_make(net, inner, net->aggregation ? aggregation_route : node_route, out, error);
}

const char *bough_routing_default(const bough_net *net, const char *otherwise) {
    return net->fabric && net->fabric->tables ? "lft" : net->routing ? net->routing : otherwise;
}

bough_status bough_routing_create(const bough_net *net, const char *text, bough_routing **out,
                                  bough_error *error) {
    *out = NULL;
    if (net->compute || net->aggregation) return create_over(net, text, out, error);
    if (!text) text = bough_routing_default(net, "free");
    bough_spec spec;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_routing_kind *kind = find_kind(net->registry, spec.name, error);
    status = kind ? bough_routing_make(net, kind, &spec, out, error) : BOUGH_INVALID;
    bough_spec_fini(&spec);
    return status;
}

bough_status bough_routing_make(const bough_net *net, const bough_routing_kind *kind, const bough_spec *spec,
                                bough_routing **out, bough_error *error) {
    bough_args args = {0};
    bough_routing *r = NULL;
    *out = NULL;
    bough_status status = bough_args_bind(spec, kind->params, "routing", &args, error);
    TRY(check_needs(net, kind, error));
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (!status) {
        r->net = net;
        r->kind = kind;
        r->spec = bough_args_format(kind->name, &args);
        if (!r->spec) status = bough_fail_memory(error, 64);
    }
    if (!status && kind->open) status = kind->open(&args, r, error);
    bough_args_fini(&args);
    if (status)
        bough_routing_destroy(r);
    else
        *out = r;
    return status;
}

void bough_routing_destroy(bough_routing *r) {
    if (!r) return;
    if (r->kind->fini) r->kind->fini(r); /* may free the kind */
    bough_findings_fini(&r->findings);
    FREE_ALL(r->spec, r);
}

int bough_path(const bough_routing *r, const bough_flow *flow, uint64_t *path, int limit) {
    uint64_t node = flow->source, target = bough_address_node(r->net, flow->address);
    int length = 0;
    while (node != target) {
        const uint64_t link = bough_next_link(r, node, flow);
        if (link == BOUGH_NONE) return 0;
        if (length == limit) return -1;
        path[length] = link;
        if (!bough_link_works(r->net, path[length])) return 0;
        node = r->net->ops->link_end(r->net, path[length++]).node;
        if (node < r->net->endpoints && node != target && !bough_is_switch(r->net, node))
            return 0; /* the table leads to a wrong adapter */
    }
    return length;
}

uint64_t bough_flow_draw(bough_key key, uint64_t message) {
    return bough_word(key, BOUGH_DRAW_DIMENSION, message, 0);
}

bool bough_routing_deterministic(const bough_routing *r) {
    return !r->kind->via && !r->kind->draws && (r->kind->oblivious || r->net->group_max == 1);
}

bough_status bough_route_missing(const bough_net *net, const bough_flow *flow, uint64_t node,
                                 bough_error *error) {
    char from[96], to[96], at[96];
    return bough_fail(error, BOUGH_FAILED, NULL, "no route from %s to %s (at %s)",
                      bough_node_name(net, flow->source, from, sizeof from),
                      bough_node_name(net, bough_address_node(net, flow->address), to, sizeof to),
                      bough_node_name(net, node, at, sizeof at));
}

bool bough_routing_ordered(const bough_routing *r) {
    return (r->net->capabilities & BOUGH_HAS_ORDER) && !r->kind->own_ways;
}
