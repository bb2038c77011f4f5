#include "network/families/network_families.h"
#include "network/families/xgft_tree.h"

enum { P_DOWN, P_UP, P_LINKS, P_HOSTS };

static const bough_param params[] = {
    [P_DOWN] = {"down", "children of a switch, per level, leaf level first", BOUGH_LIST, NULL, 1, 65536,
                .echo = true},
    [P_UP] = {"up", "parents of a node, per level, endpoints first", BOUGH_LIST, NULL, 1, 65536,
              .echo = true},
    [P_LINKS] = {"links", "parallel cables between a node and each parent, per level", BOUGH_LIST, "", 1,
                 65536},
    [P_HOSTS] = XGFT_HOSTS_PARAM,
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    const bough_value *down = &args->value[P_DOWN], *up = &args->value[P_UP], *links = &args->value[P_LINKS];
    if (up->count != down->count || (links->set && links->count != down->count))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "xgft: down has %u levels, up has %u%s; the numbers must be equal", down->count,
                          up->count,
                          links->set && links->count != down->count ? ", links has another number" : "");
    xgft_shape shape = {.levels = down->count};
    if (args->value[P_HOSTS].set) shape.hosts = (uint64_t)args->value[P_HOSTS].integer;
    for (unsigned i = 0; i < down->count; i++) {
        shape.m[i] = (uint64_t)down->list[i];
        shape.w[i] = (uint64_t)up->list[i];
        shape.p[i] = links->set ? (uint64_t)links->list[i] : 1;
    }
    return xgft_make(&shape, net, error);
}

const bough_family bough_family_xgft = {
    .name = "xgft",
    .summary = "extended generalised fat-tree, with parallel links (PGFT)",
    .source = "Ohring, Ibel, Das, Kumar: On generalized fat trees, 1995; Zahavi: Fat-trees routing and node "
              "ordering "
              "providing contention free traffic, 2011",
    .params = params,
    .make = make,
};
