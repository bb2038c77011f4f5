/* The mesh of trees as a network family. */
#ifndef BOUGH_NETWORK_FAMILIES_MESH_OF_TREES_FAMILY_H
#define BOUGH_NETWORK_FAMILIES_MESH_OF_TREES_FAMILY_H

#include "network/net.h"

/* lg of the side of a mesh of trees; 0 for other networks. */
unsigned mesh_family_lg_side(const bough_net *net);

#endif
