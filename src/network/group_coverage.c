#include "network/group_coverage.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const bough_range *x = &((const entry_range *)a)->addresses, *y = &((const entry_range *)b)->addresses;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static bool same(bough_range a, bough_range b) {
    return a.count == b.count && (a.first == b.first || a.count == 0);
}

bough_status entry_ranges_find(const bough_net *net, entry_ranges *ranges, bough_error *error) {
    uint64_t count = 0;
    *ranges = (entry_ranges){0};
    bough_status status = bough_alloc(&ranges->range, net->groups, sizeof *ranges->range, error);
    for (uint64_t g = 0; g < net->groups && !status; g++) {
        bough_group_coverage s = net->ops->group_coverage(net, g);
        if (scope_is_entry(net, &s)) ranges->range[count++] = (entry_range){s.to.within, s.from.without};
    }
    if (count) qsort(ranges->range, count, sizeof *ranges->range, by_size);
    for (uint64_t i = 0; i < count && !status; i++) {
        const entry_range *next = &ranges->range[i],
                          *last = ranges->count ? &ranges->range[ranges->count - 1] : NULL;
        if (!last || !same(last->addresses, next->addresses))
            ranges->range[ranges->count++] = *next;
        else if (!same(last->home, next->home))
            status = bough_fail(error, BOUGH_FAILED, net->spec,
                                "two entry groups of addresses %" PRIu64 " to %" PRIu64
                                " have different home ranges",
                                next->addresses.first, next->addresses.first + next->addresses.count - 1);
    }
    return status;
}

void entry_ranges_fini(entry_ranges *ranges) {
    free(ranges->range);
    *ranges = (entry_ranges){0};
}

/* The first entry group at or after `from` whose range is larger than size, or has this size and ends beyond
 * address. */
static uint64_t find(const entry_ranges *ranges, uint64_t from, uint64_t size, uint64_t address) {
    uint64_t low = from, high = ranges->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bough_range r = ranges->range[middle].addresses;
        if (r.count < size || (r.count == size && r.first + r.count <= address))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t entry_ranges_crossed(const entry_ranges *ranges, uint64_t source, uint64_t address) {
    uint64_t due = 0;
    for (uint64_t i = 0; i < ranges->count;) {
        uint64_t size = ranges->range[i].addresses.count;
        for (i = find(ranges, i, size, address); i < ranges->count; i++) {
            const entry_range *g = &ranges->range[i];
            if (g->addresses.count != size || g->addresses.first > address) break;
            due += source - g->home.first >= g->home.count;
        }
        i = find(ranges, i, size, UINT64_MAX);
    }
    return due;
}
