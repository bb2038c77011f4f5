#include "network/faults/reachability.h"

#include <stdlib.h>

void reach_fini(reach *r) {
    free(r->island);
    free(r->home_count);
    choices_fini(&r->missed);
    *r = (reach){0};
}

uint64_t reach_bytes(const reach *r) {
    return r->islands * sizeof *r->island + r->home_counts * sizeof *r->home_count +
           choices_bytes(&r->missed);
}

bool reach_bars(const reach *r, uint64_t source, uint64_t address) {
    uint64_t low = 0, high = r->islands;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (r->island[middle].own.to <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->islands || r->island[low].own.from > address) return false;
    const interval *home = &r->island[low].home;
    return source < home->from || source >= home->to;
}

bool reach_has(const reach *r, uint64_t source, uint64_t group, uint64_t address) {
    if (r->islands && reach_bars(r, source, address)) return false;
    const choices_group *g = choices_find(&r->missed, group);
    return !g || choices_at(&r->missed, g, address)->count == 0;
}

/* The number of addresses in islands whose home range contains the address. */
static uint64_t at_home(const reach *r, uint64_t address) {
    uint64_t low = 0, high = r->home_counts;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (r->home_count[middle].from <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? r->home_count[low - 1].to : 0;
}

uint64_t reach_count_missed(const reach *r, const bough_net *net, uint64_t endpoint) {
    uint64_t missed = r->island_addresses - at_home(r, endpoint);
    const choices_group *g = choices_find(&r->missed, net->ops->node_group(net, endpoint, 0));
    if (g && g->count == 1) return net->addresses - 1;
    if (r->islands) missed -= reach_bars(r, endpoint, endpoint); /* itself is not a pair */
    for (uint32_t k = 0; g && k < g->count; k++) {
        const choices_piece *p = &r->missed.piece[g->first + k];
        uint64_t end = k + 1 < g->count ? p[1].from : net->addresses;
        if (p->count) missed += end - p->from;
    }
    return missed;
}
