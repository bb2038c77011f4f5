#include "support/adaptive_oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool switches(const bough_net *net, uint64_t link) {
    return bough_is_switch(net, bough_link_start(net, link)) &&
           bough_is_switch(net, net->ops->link_end(net, link).node);
}

/* Hops over switches to the target, by relaxing all links until nothing changes. */
static unsigned *distances(const bough_net *net, uint64_t target) {
    unsigned *hops = malloc(net->nodes * sizeof *hops);
    bool changed = true;
    assert(hops);
    for (uint64_t v = 0; v < net->nodes; v++) hops[v] = v == target ? 0 : 1000;
    while (changed) {
        changed = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t start = bough_link_start(net, l), end = net->ops->link_end(net, l).node;
            if (!switches(net, l) && end != target) continue;
            if (hops[end] + 1 >= hops[start]) continue;
            hops[start] = hops[end] + 1;
            changed = true;
        }
    }
    return hops;
}

unsigned adaptive_minimal(const void *context, const bough_net *net, uint64_t node, uint64_t target,
                          uint64_t link[ADAPTIVE_LINKS]) {
    unsigned *hops = distances(net, target), count = 0;
    (void)context;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t end = net->ops->link_end(net, l).node;
        if (bough_link_start(net, l) == node && hops[end] + 1 == hops[node]) link[count++] = l;
    }
    free(hops);
    return count;
}

static double go(const adaptive_oracle *o, uint64_t node, uint64_t target, double share, double *load) {
    uint64_t link[ADAPTIVE_LINKS];
    double arrives = 0;
    unsigned live = 0, count = o->group(o->context, o->net, node, target, link);
    for (unsigned i = 0; i < count; i++)
        if (!o->dead || !(o->dead[link[i] / 64] >> link[i] % 64 & 1)) link[live++] = link[i];
    for (unsigned i = 0; i < live; i++) {
        uint64_t end = o->net->ops->link_end(o->net, link[i]).node;
        load[link[i]] += share / live;
        if (end == target)
            arrives += share / live;
        else if (bough_is_switch(o->net, end))
            arrives += go(o, end, target, share / live, load);
    }
    return arrives;
}

double adaptive_oracle_flow(const adaptive_oracle *o, uint64_t source, uint64_t target, double *load) {
    uint64_t first = bough_injection_link(o->net, source);
    if (o->dead && (o->dead[first / 64] >> first % 64 & 1)) return 0;
    load[first] += 1;
    return go(o, o->net->ops->link_end(o->net, first).node, target, 1, load);
}
