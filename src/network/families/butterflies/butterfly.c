/* The butterfly with n = 2^k inputs: (k + 1) 2^k vertices <i, w>, 0 <= i <= k, 0 <= w < 2^k, where <i, w> is
 * joined to the two vertices <i + 1, w'> whose w' differs from w in no other bit than bit k - 1 - i.
 *
 * Input w is the leaf <k, w>, output w the root <0, w>. Below a vertex <i, w> is a binary tree on the 2^(k-i)
 * leaves that agree with w in the i high bits. So the vertices with the same i and the same i high bits form
 * a node of a fat-tree, and the butterfly is XGFT(k; 2..2; 2..2), as the pruned butterfly is XGFT(2k; 2..2;
 * 2,1,2,1..): node j consists of the i high bits and number k of the others, in the order in which they are
 * chosen on the way up (the least first).
 *
 * Terminals are the inputs. An output sends each message back: a route goes up by a free choice of two links
 * at every level and, from the first vertex that is above the destination too, down the only path. A message
 * to the other half of the leaves passes from its input to some output and from there to its destination. */
#include "network/families/butterflies/butterfly.h"
#include "network/families/network_families.h"
#include "network/families/pruned_shape.h"
#include "network/families/xgft_tree.h"

#include <inttypes.h>

enum { P_N, P_NAMES };

#define LEAVES_MAX 0x1p46

static const bough_param params[] = {
    [P_N] = {"n", "inputs, a power of two", BOUGH_INT, "1024", 2, LEAVES_MAX, .echo = true},
    [P_NAMES] = XGFT_NAMES_PARAM,
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    uint64_t n = (uint64_t)args->value[P_N].integer;
    unsigned k = 63 - (unsigned)__builtin_clzll(n);
    if (n != UINT64_C(1) << k)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "butterfly: n=%" PRIu64 " is not a power of two; the nearest are %" PRIu64
                          " and %" PRIu64,
                          n, UINT64_C(1) << k, UINT64_C(2) << k);
    xgft_shape shape = {.levels = k};
    for (unsigned h = 0; h < k; h++) {
        shape.m[h] = shape.w[h] = 2;
        shape.p[h] = 1;
    }
    bough_status status = xgft_make(&shape, net, error);
    if (!status && args->value[P_NAMES].integer) xgft_name_by_triples(net);
    return status;
}

const bough_family bough_family_butterfly = {
    .name = "butterfly",
    .summary = "butterfly of (k+1) 2^k vertices, of which 2^k are endpoints; contains pruned of the same n",
    .source = "bay1991, section 3.1 and figure 2",
    .params = params,
    .make = make,
};

/* ---- the pruned butterfly in it ---- */

/* Places the bits of a number at the even places. */
static uint64_t spread(uint64_t number) {
    static const uint64_t mask[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f,
                                    0x3333333333333333, 0x5555555555555555};
    for (unsigned b = 0; b < 5; b++) number = (number | number << (16 >> b)) & mask[b];
    return number;
}

/* A vertex of the pruned butterfly takes a bit of its number at heights 0, 2, 4, .., one of the butterfly at
 * every height. */
uint64_t bough_butterfly_node(unsigned lg_leaves, uint64_t node) {
    uint64_t here = 0;
    for (unsigned h = 0; h <= lg_leaves; h++) {
        uint64_t nodes = UINT64_C(1) << (lg_leaves - h);
        unsigned v = pruned_lg_vertices(h);
        if (node < nodes << v) {
            uint64_t j = node >> v, number = node & ((UINT64_C(1) << v) - 1);
            return here + (j << h | spread(number));
        }
        node -= nodes << v;
        here += nodes << h;
    }
    return BOUGH_NONE;
}
