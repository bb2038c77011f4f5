/* The shape of meshes and tori. */
#ifndef BOUGH_NETWORK_FAMILIES_MESH_H
#define BOUGH_NETWORK_FAMILIES_MESH_H

#include "base/text/spec.h"
#include "network/net.h"

/* Node numbers count coordinates, the first dimension fastest. */
typedef struct mesh_shape {
    unsigned dimensions;
    uint64_t size[BOUGH_LIST_MAX];
    bool ring[BOUGH_LIST_MAX]; /* cables join the last node of a line with the first */
} mesh_shape;

/* The shape of net, with faults or without; false: it is another network. */
bool mesh_shape_of(const bough_net *net, mesh_shape *shape);

#endif
