#include "engines/wormhole/worm_wires.h"

#include "base/memory/memory.h"
#include "network/physical/physical.h"

static uint64_t end_of(const bough_net *net, uint64_t link) {
    return net->ops->link_end(net, link).node;
}

/* Messages may go on from a switch, and from an endpoint that is one too. */
static bool goes_on(const bough_net *net, uint64_t link) {
    uint64_t node = end_of(net, link);
    return node >= net->endpoints || bough_is_switch(net, node);
}

bough_status worm_wires_make(const bough_net *net, uint64_t rate, worm_wire **wires, bough_error *error) {
    bough_status status = bough_alloc(wires, net->links, sizeof **wires, error);
    for (uint64_t l = 0; l < net->links && !status; l++)
        (*wires)[l] =
            (worm_wire){.rate = rate ? bough_net_slowed_rate(net, l, rate) : bough_net_link_rate(net, l),
                        .delay = bough_net_link_delay(net, l),
                        .onward = goes_on(net, l) ? bough_net_node_delay(net, end_of(net, l)) : 0};
    return status;
}

uint64_t worm_wire_time(uint64_t bytes, uint64_t rate) {
    unsigned __int128 bits = (unsigned __int128)bytes * 8 * UINT64_C(1000000000000);
    unsigned __int128 time = (bits + rate - 1) / rate;
    return time < UINT64_MAX ? (uint64_t)time : UINT64_MAX;
}

uint64_t worm_wire_flits(const worm_wire *wire, uint64_t flit) {
    unsigned __int128 bits = (unsigned __int128)flit * 8 * UINT64_C(1000000000000);
    unsigned __int128 passed = (unsigned __int128)bough_add(wire->delay, wire->onward) * wire->rate;
    unsigned __int128 flits = (passed + bits - 1) / bits;
    return flits < UINT64_MAX ? (uint64_t)flits : UINT64_MAX;
}
