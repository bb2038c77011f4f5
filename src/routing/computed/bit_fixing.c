/* Bit fixing: the routes of the hypercube under their usual name. */
#include "routing/routing_list.h"

static const bough_param params[] = {BOUGH_PARAMS_END};

const bough_routing_kind bough_routing_bitfix = {
    .name = "bitfix",
    .summary = "bit fixing on a hypercube, in the order given by cube:order=...",
    .source = "valiant1982, section 4.2",
    .params = params,
    .needs = BOUGH_GIVES_ROUTES | BOUGH_GIVES_CUBE,
    .oblivious = true,
    .by_address = true,
};
