#include "models/collision/load_bounds.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

static void count_ends(const bough_net *net, const bough_batch *batch, unsigned level, uint64_t *crossing) {
    memset(crossing, 0, net->endpoints * sizeof *crossing);
    for (uint64_t i = 0; i < batch->count; i++) {
        uint64_t from = net->ops->subtree(net, level, batch->source[i]);
        uint64_t to = net->ops->subtree(net, level, bough_address_node(net, batch->address[i]));
        if (from == to) continue;
        crossing[from]++;
        crossing[to]++;
    }
}

bough_status load_factor_measure(const bough_net *net, const bough_batch *batch, double *factor,
                                 bough_error *error) {
    uint64_t *crossing;
    bough_status status = bough_alloc(&crossing, net->endpoints, sizeof *crossing, error);
    if (status) return status;
    *factor = 0;
    for (unsigned level = 0; level < net->levels; level++) {
        count_ends(net, batch, level, crossing);
        for (uint64_t e = 0; e < net->endpoints; e++) {
            uint64_t s = net->ops->subtree(net, level, e);
            uint64_t cables = net->ops->channel_capacity(net, level, s);
            double load = cables ? (double)crossing[s] / (double)cables : 0;
            if (load > *factor) *factor = load;
        }
    }
    free(crossing);
    return BOUGH_OK;
}
