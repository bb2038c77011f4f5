#include "extension/cable_network.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "network/imported/minimal_paths_net.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS_MOST = UINT16_MAX };

/* What a network keeps beside its wiring. */
typedef struct kept {
    bough_net_ops ops; /* those of the wiring, with names */
    char **name;       /* [nodes]; NULL: none */
    uint64_t nodes;
} kept;

static void free_kept(void *extra) {
    kept *k = extra;
    if (!k) return;
    for (uint64_t v = 0; v < k->nodes && k->name; v++) free(k->name[v]);
    FREE_ALL(k->name, k);
}

static void kept_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const kept *k = minimal_paths_of(net)->extra;
    snprintf(buffer, size, "%s", k->name[node]);
}

/* ---- checks ---- */

static bough_status check_cable(const cable_set *set, size_t i, bough_error *error) {
    const cable *c = &set->cable[i];
    char place[48];
    snprintf(place, sizeof place, "cable %zu", i);
    if (c->a >= set->nodes || c->b >= set->nodes)
        return bough_fail(error, BOUGH_INVALID, place, "node %" PRIu64 " does not exist; there are %" PRIu64,
                          c->a >= set->nodes ? c->a : c->b, set->nodes);
    if (c->a == c->b)
        return bough_fail(error, BOUGH_INVALID, place, "joins node %" PRIu64 " to itself", c->a);
    if (c->a < set->endpoints && c->b < set->endpoints)
        return bough_fail(error, BOUGH_INVALID, place,
                          "joins the endpoints %" PRIu64 " and %" PRIu64
                          "; an endpoint has one cable, to a switch",
                          c->a, c->b);
    if (!(c->rate >= 0 && c->rate < 0x1p62))
        return bough_fail(error, BOUGH_INVALID, place, "rate %g is not one; it is in bit/s, 0 if unknown",
                          c->rate);
    return BOUGH_OK;
}

/* ports: [nodes], set to the number of cables of each. */
static bough_status check_cables(const cable_set *set, uint32_t *ports, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < set->count && !status; i++) {
        status = check_cable(set, i, error);
        if (status) return status;
        ports[set->cable[i].a]++;
        ports[set->cable[i].b]++;
    }
    for (uint64_t v = 0; v < set->nodes; v++) {
        if (v < set->endpoints && ports[v] != 1)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "endpoint %" PRIu64 " has %" PRIu32 " cables; it needs one, to a switch", v,
                              ports[v]);
        if (ports[v] > PORTS_MOST)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                              "node %" PRIu64 " has %" PRIu32 " cables; %d is the limit", v, ports[v],
                              PORTS_MOST);
    }
    return BOUGH_OK;
}

static bough_status check_sizes(const cable_set *set, bough_error *error) {
    if (set->endpoints == 0 || set->endpoints >= set->nodes)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%" PRIu64 " of %" PRIu64
                          " nodes are endpoints; there must be an endpoint and a switch",
                          set->endpoints, set->nodes);
    if (set->nodes >= BOUGH_NO_INDEX || set->count >= BOUGH_NO_INDEX / 2)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%" PRIu64 " nodes and %zu cables; 2^32 nodes and 2^31 cables are the limit",
                          set->nodes, set->count);
    return BOUGH_OK;
}

/* ---- making it ---- */

static void put_ends(const cable_set *set, uint32_t *port, imported_wiring *w) {
    for (size_t i = 0; i < set->count; i++) {
        const cable *c = &set->cable[i];
        uint32_t a = (uint32_t)c->a, b = (uint32_t)c->b, pa = ++port[a], pb = ++port[b], at = w->links;
        uint64_t rate = (uint64_t)llround(c->rate);
        w->link[at] = (cable_end){a, b, pa, pb, at + 1, 0, rate};
        w->link[at + 1] = (cable_end){b, a, pb, pa, at, 0, rate};
        w->links += 2;
        w->hosts[b] += a < set->endpoints;
        w->hosts[a] += b < set->endpoints;
    }
}

/* Before anything is allocated: nodes that no cable has cost as much as others. */
static bough_status check_memory(const cable_set *set, bough_error *error) {
    enum { NODE = 120 }; /* bytes, in all arrays of nodes, at least */
    return bough_memory_check(bough_mul(set->nodes, NODE), "the network", error);
}

static bough_status make_wiring(const cable_set *set, bough_net *net, bough_error *error) {
    imported_wiring w = {.nodes = (uint32_t)set->nodes, .endpoints = (uint32_t)set->endpoints};
    uint32_t *port = NULL;
    bough_status status = bough_alloc(&port, set->nodes, sizeof *port, error);
    TRY(bough_alloc(&w.link, 2 * (uint64_t)set->count, sizeof *w.link, error));
    TRY(bough_alloc(&w.hosts, set->nodes, sizeof *w.hosts, error));
    TRY(check_cables(set, port, error));
    if (!status) {
        memset(port, 0, set->nodes * sizeof *port);
        put_ends(set, port, &w);
    }
    TRY(minimal_paths_make(&w, net, error));
    FREE_ALL(port, w.link, w.hosts);
    return status;
}

static bough_status add_name(const cable_set *set, uint64_t node, bough_name_map *map, bough_error *error) {
    const char *name = set->node_name[node];
    if (!name || !*name) return bough_fail(error, BOUGH_INVALID, NULL, "node %" PRIu64 " has no name", node);
    uint32_t other = bough_name_map_get(map, name, strlen(name));
    if (other == BOUGH_NO_INDEX) return bough_name_map_add(map, name, strlen(name), (uint32_t)node, error);
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "nodes %" PRIu32 " and %" PRIu64 " have the same name, '%.80s'", other, node, name);
}

static bough_status check_names(const cable_set *set, bough_error *error) {
    bough_name_map map = {0};
    bough_status status = BOUGH_OK;
    for (uint64_t v = 0; v < set->nodes; v++) TRY(add_name(set, v, &map, error));
    bough_name_map_fini(&map);
    return status;
}

static bough_status keep_names(const cable_set *set, kept *k, bough_error *error) {
    bough_status status = check_names(set, error);
    TRY(bough_alloc(&k->name, set->nodes, sizeof *k->name, error));
    for (uint64_t v = 0; v < set->nodes && !status; v++) {
        k->name[v] = bough_strdup(set->node_name[v]);
        if (!k->name[v]) status = bough_fail_memory(error, strlen(set->node_name[v]));
    }
    return status;
}

static uint64_t hash_cables(const cable_set *set) {
    uint64_t hash = BOUGH_FNV1A_START;
    const uint64_t sizes[] = {set->nodes, set->endpoints, set->count};
    hash = bough_fnv1a(hash, (const char *)sizes, sizeof sizes);
    return bough_fnv1a(hash, (const char *)set->cable, set->count * sizeof *set->cable);
}

bough_status cable_network_fill(const cable_set *set, bough_net *net, bough_error *error) {
    kept *k = NULL;
    bough_status status = check_sizes(set, error);
    TRY(check_memory(set, error));
    TRY(bough_alloc(&k, 1, sizeof *k, error));
    if (!status) k->nodes = set->nodes;
    if (set->node_name) TRY(keep_names(set, k, error));
    TRY(make_wiring(set, net, error));
    if (status) {
        free_kept(k);
        return status;
    }
    flat *f = net->data;
    f->extra = k;
    f->free_extra = free_kept;
    k->ops = *net->ops;
    if (k->name) k->ops.node_name = kept_name;
    net->ops = &k->ops;
    net->input_hash = hash_cables(set);
    return BOUGH_OK;
}
