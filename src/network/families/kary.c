#include "network/families/network_families.h"
#include "network/families/xgft_tree.h"

enum { P_K, P_LEVELS, P_HOSTS };

static const bough_param params[] = {
    [P_K] = {"k", "half the ports of a switch", BOUGH_INT, "4", 1, 32768, .echo = true},
    [P_LEVELS] = {"levels", "switch levels", BOUGH_INT, "2", 1, 46, .echo = true},
    [P_HOSTS] = XGFT_HOSTS_PARAM,
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    xgft_shape shape = {.levels = (unsigned)args->value[P_LEVELS].integer};
    if (args->value[P_HOSTS].set) shape.hosts = (uint64_t)args->value[P_HOSTS].integer;
    uint64_t k = (uint64_t)args->value[P_K].integer;
    for (unsigned i = 0; i < shape.levels; i++) shape.m[i] = k, shape.w[i] = i ? k : 1, shape.p[i] = 1;
    return xgft_make(&shape, net, error);
}

const bough_family bough_family_kary = {
    .name = "kary",
    .summary = "k-ary n-tree: k^levels endpoints, levels x k^(levels-1) switches",
    .source = "Petrini, Vanneschi: k-ary n-trees: high performance networks for massively parallel "
              "architectures, 1997",
    .params = params,
    .make = make,
};
