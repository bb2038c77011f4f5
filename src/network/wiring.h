/* The links of a network by node. */
#ifndef BOUGH_NETWORK_WIRING_H
#define BOUGH_NETWORK_WIRING_H

#include "base/memory/compressed_rows.h"
#include "bough/net.h"

typedef bool wiring_filter(const bough_net *net, uint64_t link);

/* Rows are nodes, items the links that start (wiring_out) or end (wiring_in) at the node. keep: which links;
 * NULL: all. Errors: TOO_LARGE from 2^32 - 1 links or nodes on, NO_MEMORY. */
bough_status wiring_out(compressed_rows *out, const bough_net *net, wiring_filter *keep, bough_error *error);
bough_status wiring_in(compressed_rows *in, const bough_net *net, wiring_filter *keep, bough_error *error);

#endif
