#include "support/fault_oracle.h"

#include <stdlib.h>
#include <string.h>

fault_oracle fault_oracle_make(const bough_net *base, const uint64_t *dead, const uint64_t *cut) {
    fault_oracle o = {.base = base, .dead = dead, .cut = cut, .address = BOUGH_NONE};
    o.known = calloc(base->nodes, 2);
    o.true_way = o.known + base->nodes;
    o.distance = calloc(base->nodes, sizeof *o.distance);
    if (!o.known || !o.distance) abort();
    return o;
}

void fault_oracle_free(fault_oracle *o) {
    free(o->known);
    free(o->distance);
}

static bool bit(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

/* Relaxation, as often as anything changes. */
static void measure(fault_oracle *o) {
    const bough_net *net = o->base;
    uint64_t target = bough_address_node(net, o->address);
    memset(o->distance, 0xff, net->nodes * sizeof *o->distance);
    o->distance[target] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
            bool through = to == target || bough_is_switch(net, to);
            if (bit(o->dead, l) || !through || o->distance[to] == UINT32_MAX) continue;
            if (o->distance[to] + 1 < o->distance[from])
                o->distance[from] = o->distance[to] + 1, changed = true;
        }
    }
}

static void aim(fault_oracle *o, uint64_t address) {
    if (o->address == address) return;
    o->address = address;
    memset(o->known, 0, 2 * o->base->nodes);
    measure(o);
}

static bool leads(fault_oracle *o, uint64_t node, const uint64_t *cut, uint8_t *memory) {
    const bough_net *net = o->base;
    bough_route route;
    if (node == bough_address_node(net, o->address)) return true;
    if (memory[node]) return memory[node] == 1;
    memory[node] = 2;
    net->ops->route(net, node, o->address, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bit(cut, link) && leads(o, net->ops->link_end(net, link).node, cut, memory)) memory[node] = 1;
    }
    return memory[node] == 1;
}

bool oracle_leads(fault_oracle *o, uint64_t node, uint64_t address, bool cut) {
    aim(o, address);
    return cut ? leads(o, node, o->cut, o->true_way) : leads(o, node, o->dead, o->known);
}

uint32_t oracle_distance(fault_oracle *o, uint64_t node, uint64_t address) {
    aim(o, address);
    return o->distance[node];
}
