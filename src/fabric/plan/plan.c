/* The search is that of the family `clos` (network/families/fat_tree_search.h). */
#include "fabric/plan/plan.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/fat_tree_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bough_status take_tree(const bough_plan_ask *ask, const fat_tree_demand *demand, const fat_tree *from,
                              bough_plan_tree *to) {
    const bough_prices *p = &ask->prices;
    const xgft_shape shape = fat_tree_shape(demand, from);
    *to = (bough_plan_tree){.levels = from->levels,
                            .endpoints = ask->hosts,
                            .switches = from->switches,
                            .cables = from->cables,
                            .taper = from->taper,
                            .bisection = from->bisection};
    memcpy(to->down, from->down, sizeof to->down);
    memcpy(to->up, from->up, sizeof to->up);
    memcpy(to->links, from->links, sizeof to->links);
    to->free_ports = to->switches * ask->radix - 2 * to->cables - ask->hosts;
    if (p->given)
        to->cost = p->switches * (double)to->switches + p->cables * (double)to->cables +
                   p->hosts * (double)ask->hosts;
    char *spec = xgft_format(&shape);
    if (!spec) return BOUGH_NO_MEMORY;
    snprintf(to->spec, sizeof to->spec, "%s", spec);
    free(spec);
    return BOUGH_OK;
}

static int by_cost(const void *a, const void *b) {
    const bough_plan_tree *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->switches != y->switches) return x->switches < y->switches ? -1 : 1;
    if (x->cables != y->cables) return x->cables < y->cables ? -1 : 1;
    return (x->taper > y->taper) - (x->taper < y->taper);
}

static bough_status check(const bough_plan_ask *ask, bough_error *error) {
    if (ask->hosts < 1 || ask->hosts > UINT64_C(1) << 40)
        return bough_fail(error, BOUGH_INVALID, NULL, "hosts: 1 to 2^40");
    if (ask->radix < 2 || ask->radix > 1024)
        return bough_fail(error, BOUGH_INVALID, NULL, "radix: a switch has 2 to 1024 ports");
    if (!(ask->taper >= 1) || ask->taper > 1024)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "taper: %g is out of range; it must lie between 1 (full) and 1024", ask->taper);
    if (ask->levels > BOUGH_PLAN_LEVELS)
        return bough_fail(error, BOUGH_INVALID, NULL, "levels: 1 to %d", BOUGH_PLAN_LEVELS);
    return BOUGH_OK;
}

static bough_status nothing_fits(const bough_plan_ask *ask, bough_error *error) {
    unsigned levels = ask->levels ? ask->levels : BOUGH_PLAN_LEVELS;
    uint32_t down = (uint32_t)(ask->radix * ask->taper / (1 + ask->taper) + 1e-9); /* of a leaf switch */
    const uint64_t half = ask->radix / 2;
    double most = ask->radix;
    for (unsigned i = 2; i < levels; i++) most *= (double)half;
    if (levels > 1) most *= down;
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "no fat-tree of %u-port switches in %u level%s joins %llu hosts with a taper of at most %g; "
        "about %.0f is the most",
        ask->radix, levels, levels > 1 ? "s" : "", (unsigned long long)ask->hosts, ask->taper, most);
}

bough_status bough_plan(const bough_plan_ask *ask, bough_plan_tree **trees, size_t *trees_count,
                        bough_error *error) {
    fat_tree *found = NULL;
    size_t count = 0;
    *trees = NULL;
    *trees_count = 0;
    bough_status status = check(ask, error);
    if (status) return status;
    const fat_tree_demand demand = {.hosts = ask->hosts,
                                    .radix = ask->radix,
                                    .taper = ask->taper,
                                    .levels = ask->levels,
                                    .levels_max = BOUGH_PLAN_LEVELS,
                                    .priced = ask->prices.given,
                                    .switch_price = ask->prices.switches,
                                    .cable_price = ask->prices.cables,
                                    .progress = ask->progress,
                                    .context = ask->context,
                                    .stop = ask->stop};
    status = fat_tree_search(&demand, &found, &count, error);
    if (!status && count == 0) status = nothing_fits(ask, error);
    TRY(bough_alloc(trees, count, sizeof **trees, error));
    for (size_t i = 0; i < count && !status; i++)
        if (take_tree(ask, &demand, &found[i], &(*trees)[i])) status = bough_fail_memory(error, 160);
    free(found);
    if (status) {
        free(*trees);
        *trees = NULL;
        return status;
    }
    if (count) qsort(*trees, count, sizeof **trees, by_cost);
    *trees_count = count;
    return BOUGH_OK;
}
