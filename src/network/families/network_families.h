#ifndef BOUGH_NETWORK_FAMILIES_NETWORK_FAMILIES_H
#define BOUGH_NETWORK_FAMILIES_NETWORK_FAMILIES_H

#include "network/net.h"

extern const bough_family bough_family_fattree, bough_family_xgft, bough_family_kary, bough_family_clos,
    bough_family_bft, bough_family_transit, bough_family_ibnet, bough_family_pruned, bough_family_cube,
    bough_family_sorting, bough_family_meshoftrees, bough_family_mesh, bough_family_torus,
    bough_family_butterfly, bough_family_hyperx, bough_family_dragonfly, bough_family_slimfly;

/* The destroy of families whose data is a single block. */
void net_free_data(bough_net *net);

/* Of families whose endpoints forward messages. */
#define NET_PORTS_PARAM                                                                                      \
    {                                                                                                        \
        "ports",                                                                                             \
            "links over which an endpoint sends and receives at once: one of its own each way, beside "      \
            "those "                                                                                         \
            "of the network, or all of these",                                                               \
            BOUGH_CHOICE, "one", .choices = "one|all"                                                        \
    }
static inline void net_set_ports(const bough_value *ports, bough_net *net) {
    net->all_ports = ports->integer == 1;
    net->one_port = !net->all_ports;
}

#endif
