/* The fat-tree of strumpen2005, section 3: a complete binary tree whose router node at level l (0 at the
 * leaves, in the paper) contains 2^l routers with two links up, which is XGFT(h; 2..2; 1,2..2). */
#include "network/families/network_families.h"
#include "network/families/xgft_tree.h"

#include <math.h>

enum { P_N };

static const bough_param params[] = {
    [P_N] = {"n", "endpoints, a power of two", BOUGH_INT, "1024", 2, 0x1p46, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    int64_t n = args->value[P_N].integer;
    if (n & (n - 1))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "fattree: n=%lld is not a power of two; the nearest are %lld and %lld",
                          (long long)n, 1LL << (63 - __builtin_clzll((unsigned long long)n)),
                          2LL << (63 - __builtin_clzll((unsigned long long)n)));
    xgft_shape shape = {.levels = (unsigned)__builtin_ctzll((unsigned long long)n)};
    for (unsigned i = 0; i < shape.levels; i++) shape.m[i] = 2, shape.w[i] = i ? 2 : 1, shape.p[i] = 1;
    return xgft_make(&shape, net, error);
}

const bough_family bough_family_fattree = {
    .name = "fattree",
    .summary = "binary fat-tree of full bandwidth, circuit routers with two up links",
    .source =
        "Strumpen, Krishnamurthy: A collision model for randomized routing in fat-tree networks, section 3",
    .params = params,
    .make = make,
};
