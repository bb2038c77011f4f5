#include "models/link_load/tree_crossings.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

unsigned tree_height(uint64_t endpoints) {
    return endpoints > 1 ? 64 - (unsigned)__builtin_clzll(endpoints - 1) : 0;
}

/* A message counts once at each of its ends, and not at the nearest common ancestor or above. */
void count_crossings(const bough_net *net, const bough_batch *b, unsigned height, uint64_t *crossing) {
    uint64_t leaves = UINT64_C(1) << height;
    memset(crossing, 0, 2 * leaves * sizeof *crossing);
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t from = leaves + b->source[i], to = leaves + bough_address_node(net, b->address[i]);
        if (from == to) continue;
        crossing[from]++;
        crossing[to]++;
        crossing[from >> (64 - __builtin_clzll(from ^ to))] -= 2;
    }
    for (uint64_t v = leaves - 1; v > 0; v--) crossing[v] += crossing[2 * v] + crossing[2 * v + 1];
}

void count_all_crossings(uint64_t endpoints, unsigned height, uint64_t *crossing) {
    crossing[0] = 0;
    for (uint64_t v = 1; v < UINT64_C(2) << height; v++) {
        unsigned below = height - (63 - (unsigned)__builtin_clzll(v)); /* levels under v */
        uint64_t first = (v << below) - (UINT64_C(1) << height), size = UINT64_C(1) << below;
        uint64_t present = first >= endpoints ? 0 : endpoints - first < size ? endpoints - first : size;
        crossing[v] = 2 * present * (endpoints - present);
    }
}

double crossing_factor(const uint64_t *crossing, unsigned height, edge_weight lg_weight) {
    double factor = 0;
    for (unsigned h = 0; h < height; h++) {
        uint64_t most = 0, first = UINT64_C(1) << (height - h);
        for (uint64_t v = first; v < 2 * first; v++)
            if (crossing[v] > most) most = crossing[v];
        double here = (double)most / (double)(UINT64_C(1) << lg_weight(h));
        if (here > factor) factor = here;
    }
    return factor;
}

unsigned reference_lg_weight(unsigned node_height) {
    return (node_height + 1) / 2;
}

uint64_t message_degree(const bough_net *net, const bough_batch *b, uint32_t *count) {
    uint64_t degree = 0;
    for (unsigned receive = 0; receive < 2; receive++) {
        memset(count, 0, net->endpoints * sizeof *count);
        for (uint64_t i = 0; i < b->count; i++) {
            uint32_t here = ++count[receive ? bough_address_node(net, b->address[i]) : b->source[i]];
            if (here > degree) degree = here;
        }
    }
    return degree;
}

bough_status message_difficulty_measure(const bough_net *net, const bough_batch *batch, message_difficulty *d,
                                        bough_error *error) {
    unsigned height = tree_height(net->endpoints);
    uint64_t *crossing = NULL;
    uint32_t *count = NULL;
    bough_status status = bough_alloc(&crossing, UINT64_C(2) << height, sizeof *crossing, error);
    TRY(bough_alloc(&count, net->endpoints, sizeof *count, error));
    if (!status) {
        count_crossings(net, batch, height, crossing);
        *d = (message_difficulty){crossing_factor(crossing, height, reference_lg_weight),
                                  message_degree(net, batch, count)};
    }
    FREE_ALL(crossing, count);
    return status;
}
