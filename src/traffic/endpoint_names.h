/* Lookup of endpoints in files: by number, or by the name used in all output. */
#ifndef BOUGH_TRAFFIC_ENDPOINT_NAMES_H
#define BOUGH_TRAFFIC_ENDPOINT_NAMES_H

#include "formats/slurm/host_map.h"
#include "network/net.h"

/* Zero-initialise except net. Names are collected when the first name is looked up that does not end in its
 * number. */
typedef struct endpoints {
    const bough_net *net;
    struct endpoint_name *name; /* [names]: of endpoints, and of hosts with several */
    size_t names;
    host_map map; /* of these */
} endpoints;

/* what: "source", "rank 5 sits on", for messages. Errors: INVALID (without a place), NO_MEMORY. */
bough_status endpoints_find(endpoints *all, const char *field, const char *what, uint64_t *endpoint,
                            bough_error *error);
void endpoints_fini(endpoints *all);

/* Whether the endpoints of message i of an array exist. Errors: INVALID. */
typedef struct bough_traffic bough_traffic;
bough_status endpoint_pair_check(const bough_traffic *traffic, size_t i, uint64_t from, uint64_t to,
                                 bough_error *error);

#endif
