/* Names that specs may use beside the built-in ones: network families, routings, traffic and methods of
 * plug-ins and programs, and networks in memory. A network has the registry with which it was made, and
 * routings, traffic and methods on it are looked up there too. */
#ifndef BOUGH_NETWORK_REGISTRY_H
#define BOUGH_NETWORK_REGISTRY_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* The input_hash of code of a program, which a later run cannot recognise. */
#define BOUGH_HASH_UNKNOWN UINT64_MAX

typedef enum bough_registry_list {
    BOUGH_LIST_FAMILIES, /* const bough_family *, network/net.h */
    BOUGH_LIST_ROUTINGS, /* const bough_routing_kind *, routing/routing.h */
    BOUGH_LIST_TRAFFIC,  /* const bough_traffic_kind *, traffic/traffic.h */
    BOUGH_LIST_METHODS,  /* const bough_method *, method/method.h */
    BOUGH_LIST_NETWORKS, /* const bough_net *: a spec equal to net->spec means this network */
    BOUGH_LISTS
} bough_registry_list;

/* Zero-initialise. Borrows its items. Constant while anything uses it. */
typedef struct bough_registry bough_registry;
struct bough_registry {
    const bough_registry *parent; /* its names are valid too; NULL: none */
    struct {
        const void **item;
        size_t count, capacity;
    } list[BOUGH_LISTS];
};

/* The i-th item of a list, those of the parents last; NULL beyond the last, or for a NULL registry. */
const void *bough_registry_item(const bough_registry *registry, bough_registry_list list, size_t i);
/* Errors: NO_MEMORY. Names are not checked. */
bough_status bough_registry_put(bough_registry *registry, bough_registry_list list, const void *item,
                                bough_error *error);
void bough_registry_fini(bough_registry *registry);

#endif
