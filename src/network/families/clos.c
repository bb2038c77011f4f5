/* Folded Clos networks of commercial switches of one radix: the XGFT with the fewest switches, and of these
 * the fewest cables, that the hosts and the taper allow; the first that `bough plan` lists. `bough net`
 * prints the canonical form. */
#include "base/memory/memory.h"
#include "network/families/fat_tree_search.h"
#include "network/families/network_families.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_RADIX, P_HOSTS, P_TAPER, P_LEVELS };

static const bough_param params[] = {
    [P_RADIX] = {"radix", "ports per switch", BOUGH_INT, "64", 2, FAT_TREE_RADIX, .echo = true},
    [P_HOSTS] = {"hosts",
                 "endpoints, spread evenly over the leaf switches; default: 8192, or those that levels= have",
                 BOUGH_INT, "8192", 1, 0x1p40, .echo = true},
    [P_TAPER] = {"taper", "maximum ratio of the endpoints below a switch or subtree to its cables up",
                 BOUGH_REAL, "1", 1, 1024},
    [P_LEVELS] = {"levels", "switch levels; default: those that need the fewest switches", BOUGH_INT, "", 1,
                  FAT_TREE_LEVELS},
    BOUGH_PARAMS_END,
};

/* The most hosts that levels have: leaves share their ports as the taper says, switches between have as many
 * ports up as down, and the last ones have all down. */
static uint64_t most_hosts(uint64_t radix, double taper, unsigned levels) {
    const uint64_t down = (uint64_t)((double)radix * taper / (1 + taper));
    uint64_t hosts = radix;
    for (unsigned level = 2; level < levels; level++) hosts = bough_mul(hosts, radix / 2);
    return levels > 1 ? bough_mul(hosts, down) : hosts;
}

/* The usual number of hosts may be too large for the levels. */
static void fill_levels(bough_args *args) {
    const bough_value *v = args->value;
    if (v[P_HOSTS].given || !v[P_LEVELS].given) return;
    const uint64_t most =
        most_hosts((uint64_t)v[P_RADIX].integer, v[P_TAPER].real, (unsigned)v[P_LEVELS].integer);
    if (most > 0 && most < (uint64_t)v[P_HOSTS].integer) bough_args_set_int(args, "hosts", (int64_t)most);
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    fat_tree *tree;
    size_t count;
    fill_levels(args);
    const fat_tree_demand demand = {
        .hosts = (uint64_t)args->value[P_HOSTS].integer,
        .radix = (uint32_t)args->value[P_RADIX].integer,
        .taper = args->value[P_TAPER].real,
        .levels = args->value[P_LEVELS].set ? (unsigned)args->value[P_LEVELS].integer : 0,
        .levels_max = FAT_TREE_LEVELS,
        .cheapest = true};
    bough_status status = fat_tree_search(&demand, &tree, &count, error);
    if (!status && count == 0)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "clos: no tree of %" PRIu32 "-port switches in %s%u levels joins %" PRIu64
                            " hosts with a taper of at most %g",
                            demand.radix, demand.levels ? "" : "up to ",
                            demand.levels ? demand.levels : FAT_TREE_LEVELS, demand.hosts, demand.taper);
    if (!status) {
        xgft_shape shape = fat_tree_shape(&demand, tree);
        status = xgft_make(&shape, net, error);
    }
    free(tree);
    return status;
}

const bough_family bough_family_clos = {
    .name = "clos",
    .summary = "folded Clos network of equal switches, optionally tapered at the leaves",
    .source = "Clos: A study of non-blocking switching networks, 1953; as an XGFT",
    .params = params,
    .make = make,
};
