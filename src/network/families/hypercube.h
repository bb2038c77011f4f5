/* The hypercube of valiant1982. */
#ifndef BOUGH_NETWORK_FAMILIES_HYPERCUBE_H
#define BOUGH_NETWORK_FAMILIES_HYPERCUBE_H

#include "network/net.h"

/* Dimensions of net, with faults or without, where link v d + b turns bit b of node v and routes fix bits; 0:
 * it is another network. */
unsigned hypercube_dimensions(const bough_net *net);

#endif
