#include "engines/channels/channel_tree.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t channel_tree_bytes(const bough_net *net) {
    return bough_mul(net->endpoints, 2 * (sizeof(uint64_t) + 2 * sizeof(uint32_t)));
}

static bough_status take_capacities(channel_tree *t, bough_error *error) {
    const bough_net *net = t->net;
    bough_status status = bough_alloc(&t->capacity, t->channels, sizeof *t->capacity, error);
    for (unsigned l = 0; l < t->levels && !status; l++)
        for (uint64_t i = 0; t->first[l] + i < t->first[l + 1] && !status; i++) {
            uint64_t wires = net->ops->channel_capacity(net, l, i);
            t->capacity[t->first[l] + i] = wires;
            if (wires == 0)
                status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                    "%s: subtree %" PRIu64 " of level %u has no wires to its parent",
                                    net->spec, i, l);
        }
    return status;
}

bough_status channel_tree_make(const bough_net *net, channel_tree *t, bough_error *error) {
    *t = (channel_tree){.net = net};
    bough_status status = subtrees_make(net, &t->rows, error);
    if (status) return status;
    t->levels = t->rows.levels;
    for (unsigned l = 0; l < t->levels; l++) {
        uint64_t most = 0;
        for (uint64_t e = 0; e < net->endpoints; e++) {
            uint64_t i = net->ops->subtree(net, l, e);
            if (i > most) most = i;
        }
        t->first[l + 1] = t->first[l] + most + 1;
    }
    t->channels = t->first[t->levels];
    status = take_capacities(t, error);
    if (status) channel_tree_fini(t);
    return status;
}

void channel_tree_fini(channel_tree *t) {
    subtrees_fini(&t->rows);
    free(t->capacity);
    *t = (channel_tree){0};
}

channel_load channel_tree_load(const channel_tree *t, const bough_batch *b, uint32_t *up, uint32_t *down) {
    channel_load load = {0};
    memset(up, 0, t->channels * sizeof *up);
    memset(down, 0, t->channels * sizeof *down);
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t to = bough_address_node(t->net, b->address[i]);
        load.moving += b->source[i] != to;
        for (unsigned l = 0; l < t->levels; l++) {
            uint64_t from = channel_at(t, l, b->source[i]), at = channel_at(t, l, to);
            if (from == at) break;
            up[from]++;
            down[at]++;
        }
    }
    for (uint64_t c = 0; c < t->channels; c++) {
        double wires = (double)t->capacity[c], more = up[c] > down[c] ? up[c] : down[c];
        if ((up[c] + (double)down[c]) / wires > load.both) load.both = (up[c] + (double)down[c]) / wires;
        if (more / wires > load.either) load.either = more / wires;
    }
    return load;
}
