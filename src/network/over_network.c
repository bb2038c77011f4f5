#include "network/over_network.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

static bough_status copy_bits(const uint64_t *bits, const bough_net *base, const bough_net *net,
                              uint64_t **out, bough_error *error) {
    if (!bits) return BOUGH_OK;
    bough_status status = bough_alloc(out, words_for(net->links), sizeof **out, error);
    if (!status) memcpy(*out, bits, words_for(base->links) * sizeof **out);
    return status;
}

bough_status over_network_inherit(const bough_net *base, bough_net *net, over_marks *marks,
                                  bough_error *error) {
    net->dead_ends = base->dead_ends;
    net->first_port = base->first_port;
    net->faults = base->faults;
    net->physical = base->physical;
    net->registry = base->registry;
    net->input_hash = base->input_hash;
    net->threads = base->threads;
    net->sharers = base->sharers;
    bough_status status = copy_bits(base->dead, base, net, &marks->dead, error);
    TRY(copy_bits(base->lost, base, net, &marks->lost, error));
    net->dead = marks->dead;
    net->lost = marks->lost;
    if (!status && !(net->spec = bough_strdup(base->spec)))
        status = bough_fail_memory(error, strlen(base->spec));
    return status;
}
