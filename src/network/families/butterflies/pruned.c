/* The pruned butterfly (bay1991, section 3.1): V = {<i, j, k>: 0 <= i <= lg N, 0 <= j < 2^i, 0 <= k < sqrt(N)
 * 2^-floor(i/2)}. A vertex has two children (left and right of j). At even i it has two parents, k and k +
 * sqrt(N) 2^-floor(i/2) of node floor(j/2), at odd i one, k. This is XGFT(2k; 2..2; 2,1,2,1..) with the same
 * numbering: at height h = lg N - i the (W, M) of the XGFT is (k, j), and node ids ascend by height, then j,
 * then k.
 *
 * A leaf has two links, because its channel has capacity two. A route goes up by a choice of two links at
 * every even height to some vertex of the lowest node above both ends (their peak), and from there down on
 * the only path: the paths of compressions and expansions in the paper, with a free choice of the vertex. */
#include "network/families/network_families.h"
#include "network/families/pruned_shape.h"
#include "network/families/xgft_tree.h"

#include <inttypes.h>

enum { P_N, P_NAMES };

#define LEAVES_MAX 0x1p46 /* 4^23: under 2^49 links, the maximum number of levels of xgft */

static const bough_param params[] = {
    [P_N] = {"n", "leaves, a power of four", BOUGH_INT, "1024", 4, LEAVES_MAX, .echo = true},
    [P_NAMES] = XGFT_NAMES_PARAM,
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_N].integer;
    unsigned k = (63 - (unsigned)__builtin_clzll(n)) / 2;
    if (n != UINT64_C(1) << 2 * k)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "pruned: n=%" PRIu64 " is not a power of four; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, UINT64_C(1) << 2 * k, UINT64_C(4) << 2 * k);
    xgft_shape shape = {.levels = 2 * k};
    for (unsigned h = 0; h < 2 * k; h++) {
        shape.m[h] = 2;
        shape.w[h] = pruned_growth(h);
        shape.p[h] = 1;
    }
    bough_status status = xgft_make(&shape, net, error);
    if (!status && args->value[P_NAMES].integer) xgft_name_by_triples(net);
    return status;
}

const bough_family bough_family_pruned = {
    .name = "pruned",
    .summary = "pruned butterfly: vertices with two children and, alternately, two parents and one",
    .source = "Bay, Bilardi: Deterministic on-line routing on area-universal networks, 1991, section 3.1",
    .params = params,
    .make = make,
};
