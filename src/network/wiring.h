/* The links of a network by node. */
#ifndef BOUGH_NETWORK_WIRING_H
#define BOUGH_NETWORK_WIRING_H

#include "base/memory/compressed_rows.h"
#include "network/net.h"

typedef bool wiring_filter(const bough_net *net, uint64_t link);

/* Rows are nodes, items the links that start (wiring_out) or end (wiring_in) at the node. keep: which links;
 * NULL: all. Errors: TOO_LARGE from 2^32 - 1 links or nodes on, NO_MEMORY. */
bough_status wiring_out(compressed_rows *out, const bough_net *net, wiring_filter *keep, bough_error *error);
bough_status wiring_in(compressed_rows *in, const bough_net *net, wiring_filter *keep, bough_error *error);

/* The links that start at a node, in the order of its groups:
 *     for (node_links at = node_links_of(net, node); node_links_next(&at);) visit(at.link); */
typedef struct node_links {
    const bough_net *net;
    uint64_t node, link, end; /* end: behind the last link of the current group */
    uint32_t groups;          /* visited */
} node_links;

static inline node_links node_links_of(const bough_net *net, uint64_t node) {
    return (node_links){.net = net, .node = node, .link = UINT64_MAX};
}

static inline bool node_links_next(node_links *at) {
    const bough_net_ops *ops = at->net->ops;
    for (at->link++; at->link == at->end;) {
        if (at->groups == ops->node_group_count(at->net, at->node)) return false;
        bough_range links = ops->group_links(at->net, ops->node_group(at->net, at->node, at->groups++));
        at->link = links.first;
        at->end = links.first + links.count;
    }
    return true;
}

#endif
