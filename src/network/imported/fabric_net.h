/* Network of a fabric with the endpoint order given in memory, for fuzzing and tests. */
#ifndef BOUGH_NETWORK_IMPORTED_FABRIC_NET_H
#define BOUGH_NETWORK_IMPORTED_FABRIC_NET_H

#include "base/files/input.h"
#include "bough/net.h"

/* As bough_net_from_fabric with options->order naming a file with this content. */
bough_status fabric_net_in_order(bough_fabric *fabric, const bough_input *order, bough_net **net,
                                 bough_error *error);

#endif
