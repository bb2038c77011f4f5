/* Folded Clos networks of commercial switches: one radix, optionally tapered leaf switches, and as few levels
 * as the hosts require. Implemented as an XGFT; `bough net` prints the canonical form. */
#include "network/families/network_families.h"
#include "network/families/xgft_tree.h"

#include <inttypes.h>

enum { P_RADIX, P_HOSTS, P_TAPER, P_LEVELS };

static const bough_param params[] = {
    [P_RADIX] = {"radix", "ports per switch", BOUGH_INT, "64", 2, 65536, .echo = true},
    [P_HOSTS] = {"hosts", "minimum number of endpoints", BOUGH_INT, "8192", 1, 0x1p40, .echo = true},
    [P_TAPER] = {"taper", "ratio of down ports to up ports of a leaf switch", BOUGH_REAL, "1", 1, 1024},
    [P_LEVELS] = {"levels", "switch levels; default: as few as possible", BOUGH_INT, "", 1, 12},
    BOUGH_PARAMS_END,
};

typedef struct clos {
    uint64_t radix, hosts;
    uint64_t leaf_down, leaf_up; /* ports of a leaf switch */
} clos;

/* The tree with the given number of switch levels; its top level has as many children as the hosts require.
 * Returns the maximum number of endpoints. */
static uint64_t shape_for(const clos *c, unsigned levels, xgft_shape *s) {
    *s = (xgft_shape){.levels = levels};
    uint64_t half = c->radix / 2, below = c->leaf_down;
    for (unsigned i = 0; i < levels; i++) s->p[i] = 1;
    if (levels == 1) {
        s->m[0] = c->hosts < c->radix ? c->hosts : c->radix;
        s->w[0] = 1;
        return c->radix;
    }
    s->m[0] = c->leaf_down;
    s->w[0] = 1;
    s->w[1] = c->leaf_up;
    for (unsigned i = 1; i + 1 < levels; i++) {
        s->m[i] = half;
        s->w[i + 1] = half;
        below *= half;
        if (below > UINT64_C(1) << 50) break;
    }
    uint64_t top = (c->hosts + below - 1) / below;
    if (top < 1) top = 1;
    s->m[levels - 1] = top < c->radix ? top : c->radix;
    /* Two levels: if a spine has free ports, fewer spines with parallel cables are equivalent. */
    if (levels == 2) {
        uint64_t cables = 1;
        while (c->leaf_up % (cables * 2) == 0 && s->m[1] * cables * 2 <= c->radix) cables *= 2;
        s->p[1] = cables;
        s->w[1] = c->leaf_up / cables;
    }
    return below > UINT64_MAX / c->radix ? UINT64_MAX : below * c->radix;
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    clos c = {.radix = (uint64_t)args->value[P_RADIX].integer,
              .hosts = (uint64_t)args->value[P_HOSTS].integer};
    double taper = args->value[P_TAPER].real;
    /* the taper never exceeds the requested one: if the division has a remainder, a port is left free */
    c.leaf_up = (uint64_t)((double)c.radix / (1 + taper) + 1e-9);
    c.leaf_down = (uint64_t)(taper * (double)c.leaf_up + 1e-9);
    if (c.leaf_up == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "clos: taper=%g leaves no up ports on switches of radix %" PRIu64, taper, c.radix);
    xgft_shape shape;
    unsigned levels = args->value[P_LEVELS].set ? (unsigned)args->value[P_LEVELS].integer : 1;
    uint64_t most = shape_for(&c, levels, &shape);
    while (!args->value[P_LEVELS].set && most < c.hosts && levels < 12)
        most = shape_for(&c, ++levels, &shape);
    if (most < c.hosts)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "clos: switches of radix %" PRIu64 " in %u levels have at most %" PRIu64
                          " hosts, %" PRIu64 " requested",
                          c.radix, levels, most, c.hosts);
    return xgft_make(&shape, net, error);
}

const bough_family bough_family_clos = {
    .name = "clos",
    .summary = "folded Clos network of equal switches, optionally tapered at the leaves",
    .source = "Clos: A study of non-blocking switching networks, 1953; as an XGFT",
    .params = params,
    .make = make,
};
