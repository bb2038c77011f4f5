/* The butterfly fat-tree of greenberg1997. */
#ifndef BOUGH_NETWORK_FAMILIES_BFT_H
#define BOUGH_NETWORK_FAMILIES_BFT_H

#include "network/net.h"

/* Whether net is one without faults, so that ids of links are labels (bft.c). */
bool is_bft(const bough_net *net);

#endif
