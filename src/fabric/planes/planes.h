/* Planes and rails: a fabric that consists of parts without cables between them, or with few. Hosts have an
 * adapter port in each; the ports of all hosts in one plane are a rail. Part of fabric/check/check.h. */
#ifndef BOUGH_FABRIC_PLANES_PLANES_H
#define BOUGH_FABRIC_PLANES_PLANES_H

#include "network/net.h"

#define BOUGH_PLANES_MAX 64
#define BOUGH_NO_PLANE   UINT32_MAX

typedef struct bough_plane {
    uint64_t first; /* its first switch with a cable */
    uint64_t switches, endpoints, hosts;
} bough_plane;

/* A host that has a port in some planes, but not in all. */
typedef struct bough_lacking_host {
    char *name;
    uint32_t *had; /* [planes]: its endpoints in each */
} bough_lacking_host;

typedef struct bough_planes {
    bough_plane *plane; /* [count], in the order of their first switches */
    size_t count;       /* planes with endpoints; below 2: the fabric is one, and nothing else is set */
    uint32_t *of; /* [nodes]: the plane of a node, of an endpoint that of its switch; BOUGH_NO_PLANE: none */
    uint64_t joining;         /* cables between planes, all of them between switches of one level; 0: none */
    uint64_t pairs;           /* ordered pairs of endpoints in different planes */
    uint64_t hosts, complete; /* hosts; those with a port in every plane */
    bough_lacking_host *lacking; /* [lackings]: the other hosts, where most are complete */
    size_t lackings;
} bough_planes;

/* Planes are the parts of the switches of an imported fabric that live cables connect. If there is only one,
 * cables between switches of one level are left out, which joins planes at most weakly: they are then planes
 * if at most a tenth of the cables joins them, and most hosts have ports in each. Adapters are of one host if
 * their descriptions name it ("node001 mlx5_0"), or if they are one adapter. Other networks: count 0. memory:
 * of the arrays. Linear in nodes and links. */
bough_status bough_planes_find(const bough_net *net, arena *memory, bough_planes *planes, bough_error *error);
/* Adds a warning ("missing-rail") for hosts that lack a rail, up to 20, then how many more there are. */
bough_status bough_planes_warn(const bough_net *net, const bough_planes *planes, bough_findings *findings,
                               bough_error *error);

#endif
