/* Any bytes as a fabric: refused with one line, or a network. */
#ifndef BOUGH_FUZZ_SMALL_NET_H
#define BOUGH_FUZZ_SMALL_NET_H

#include "fuzz/must.h"
#include "network/net.h"

#include <string.h>

/* NULL if the bytes are refused, or if the network is large: to build one takes the square of its switches.
 */
static inline bough_net *fuzz_small_net(const void *data, size_t size) {
    enum { NODES_MAX = 400 };
    bough_fabric f;
    bough_net *net = NULL;
    bough_error error = {0};
    if (bough_fabric_parse("input", data, size, &f, &error)) {
        MUST(error.reason[0] && !strchr(error.reason, '\n') && !strchr(error.place, '\n'));
        return NULL;
    }
    if (f.node_count > NODES_MAX || bough_net_from_fabric(&f, NULL, "input", &net, &error))
        bough_fabric_fini(&f);
    return net;
}

#endif
