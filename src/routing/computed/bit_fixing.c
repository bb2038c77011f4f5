/* Bit fixing: the routes of the hypercube under their usual name. */
#include "routing/routing_list.h"

#include "network/families/hypercube.h"

static const bough_param params[] = {BOUGH_PARAMS_END};

static const char *lacks(const bough_net *net) {
    return hypercube_dimensions(net) ? NULL : "bit fixing (a hypercube, cube:n=...)";
}

const bough_routing_kind bough_routing_bitfix = {
    .name = "bitfix",
    .summary = "bit fixing on a hypercube, in the order given by cube:order=...",
    .source = "valiant1982, section 4.2",
    .params = params,
    .needs = BOUGH_HAS_ROUTES,
    .lacks = lacks,
    .oblivious = true,
    .by_address = true,
};
