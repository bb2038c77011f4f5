/* Network of a fabric with the endpoint order given in memory, for fuzzing and tests. */
#ifndef BOUGH_NETWORK_IMPORTED_FABRIC_NET_H
#define BOUGH_NETWORK_IMPORTED_FABRIC_NET_H

#include "bough/net.h"

/* As bough_net_from_fabric with options->order naming a file with these bytes; name is used in messages. */
bough_status fabric_net_in_order(bough_fabric *fabric, const char *name, const void *data, size_t size,
                                 bough_net **net, bough_error *error);

#endif
