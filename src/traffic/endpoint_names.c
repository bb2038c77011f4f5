#include "traffic/endpoint_names.h"
#include "bough/traffic.h"

#include "base/memory/memory.h"
#include "network/node_identifiers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct endpoint_name {
    char name[128];
    uint64_t endpoint;
} endpoint_name;

static int by_name(const void *a, const void *b) {
    return strcmp(((const endpoint_name *)a)->name, ((const endpoint_name *)b)->name);
}

static bough_status index_names(endpoints *all, bough_error *error) {
    const bough_net *net = all->net;
    bough_status status = bough_alloc(&all->name, bough_net_hosts(net), sizeof *all->name, error);
    if (status) return status;
    for (uint64_t e = 0; e < bough_net_hosts(net); e++) {
        bough_node_name(net, e, all->name[e].name, sizeof all->name[e].name);
        all->name[e].endpoint = e;
    }
    qsort(all->name, bough_net_hosts(net), sizeof *all->name, by_name);
    return BOUGH_OK;
}

/* Families that name endpoints h and a number need no table of names. */
static bool all_numbered(const bough_net *net) {
    char name[128];
    return !net->fabric && strcmp(bough_node_name(net, 0, name, sizeof name), "h0") == 0;
}

bough_status endpoints_find(endpoints *all, const char *field, const char *what, uint64_t *endpoint,
                            bough_error *error) {
    const bough_net *net = all->net;
    char *stop;
    *endpoint = strtoull(field, &stop, 10);
    if (*field >= '0' && *field <= '9' && !*stop) {
        if (*endpoint < bough_net_hosts(net)) return BOUGH_OK;
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s %s is out of range; there are %" PRIu64 " endpoints, counted from 0", what,
                          field, bough_net_hosts(net));
    }
    *endpoint = net_node_numbered(net, field);
    if (*endpoint < bough_net_hosts(net)) return BOUGH_OK;
    const endpoint_name *found = NULL;
    if (!all_numbered(net)) {
        endpoint_name key;
        bough_status status = all->name ? BOUGH_OK : index_names(all, error);
        if (status) return status;
        snprintf(key.name, sizeof key.name, "%s", field);
        found = bsearch(&key, all->name, bough_net_hosts(net), sizeof *all->name, by_name);
    }
    if (!found)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s '%s' is not the number or name of an endpoint",
                          what, field);
    *endpoint = found->endpoint;
    return BOUGH_OK;
}

void endpoints_fini(endpoints *all) {
    free(all->name);
    all->name = NULL;
}

bough_status endpoint_pair_check(const bough_traffic *t, size_t i, uint64_t from, uint64_t to,
                                 bough_error *error) {
    uint64_t most = from > to ? from : to;
    if (most < bough_net_hosts(t->net)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, t->kind->name,
                      "message %zu: endpoint %" PRIu64 " does not exist; %s has %" PRIu64, i, most,
                      t->net->spec, bough_net_hosts(t->net));
}
