/* Which dead part an endpoint is cut off by, found from links alone: a switch is dead if all its links are.
 */
#include "network/compute_nodes/compute_nodes.h"
#include "network/faults/faults.h"
#include "network/wiring.h"

#include <stdio.h>

static bool has_usable_link(const bough_net *net, uint64_t node) {
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (bough_cable_works(net, at.link)) return true;
    return false;
}

char *bough_dead_part(const bough_net *net, uint64_t endpoint, char *buffer, size_t size) {
    char name[160];
    if (size) *buffer = 0;
    const bough_aggregation *a = net->aggregation; /* of live switches */
    if (a) return endpoint < a->hosts ? bough_dead_part(a->base, endpoint, buffer, size) : buffer;
    if (net->compute)
        return bough_dead_part(net->compute->fabric, bough_gpu_nic_in(net->compute, endpoint), buffer, size);
    if (!net->faults || has_usable_link(net, endpoint)) return buffer;
    for (node_links at = node_links_of(net, endpoint); node_links_next(&at);) {
        uint64_t node = net->ops->link_end(net, at.link).node;
        if (has_usable_link(net, node)) continue;
        snprintf(buffer, size, "%s %s", node < net->endpoints ? "host" : "switch",
                 bough_node_name(net, node, name, sizeof name));
        return buffer;
    }
    snprintf(buffer, size, "the cable of %s", bough_node_name(net, endpoint, name, sizeof name));
    return buffer;
}
