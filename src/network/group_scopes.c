#include "network/group_scopes.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const bough_range *x = &((const scope_gate *)a)->addresses, *y = &((const scope_gate *)b)->addresses;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static bool same(bough_range a, bough_range b) {
    return a.count == b.count && (a.first == b.first || a.count == 0);
}

bough_status scope_gates_list(const bough_net *net, scope_gates *gates, bough_error *error) {
    uint64_t count = 0;
    *gates = (scope_gates){0};
    bough_status status = bough_alloc(&gates->gate, net->groups, sizeof *gates->gate, error);
    for (uint64_t g = 0; g < net->groups && !status; g++) {
        bough_group_scope s = net->ops->group_scope(net, g);
        if (scope_is_gate(net, &s)) gates->gate[count++] = (scope_gate){s.to.within, s.from.without};
    }
    if (count) qsort(gates->gate, count, sizeof *gates->gate, by_size);
    for (uint64_t i = 0; i < count && !status; i++) {
        const scope_gate *next = &gates->gate[i],
                         *last = gates->count ? &gates->gate[gates->count - 1] : NULL;
        if (!last || !same(last->addresses, next->addresses))
            gates->gate[gates->count++] = *next;
        else if (!same(last->home, next->home))
            status = bough_fail(error, BOUGH_FAILED, net->spec,
                                "two entry groups of addresses %" PRIu64 " to %" PRIu64
                                " have different home ranges",
                                next->addresses.first, next->addresses.first + next->addresses.count - 1);
    }
    return status;
}

void scope_gates_fini(scope_gates *gates) {
    free(gates->gate);
    *gates = (scope_gates){0};
}

/* The first entry group at or after `from` whose range is larger than size, or has this size and ends beyond
 * address. */
static uint64_t find(const scope_gates *gates, uint64_t from, uint64_t size, uint64_t address) {
    uint64_t low = from, high = gates->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bough_range r = gates->gate[middle].addresses;
        if (r.count < size || (r.count == size && r.first + r.count <= address))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t scope_gates_due(const scope_gates *gates, uint64_t source, uint64_t address) {
    uint64_t due = 0;
    for (uint64_t i = 0; i < gates->count;) {
        uint64_t size = gates->gate[i].addresses.count;
        for (i = find(gates, i, size, address); i < gates->count; i++) {
            const scope_gate *g = &gates->gate[i];
            if (g->addresses.count != size || g->addresses.first > address) break;
            due += source - g->home.first >= g->home.count;
        }
        i = find(gates, i, size, UINT64_MAX);
    }
    return due;
}
