/* The mesh of trees as a network family. */
#ifndef BOUGH_TOPOLOGY_MESH_FAMILY_H
#define BOUGH_TOPOLOGY_MESH_FAMILY_H

#include "bough/net.h"

/* Lg of the side of a mesh of trees; 0 for other networks. */
unsigned mesh_family_lg_side(const bough_net *net);

#endif
