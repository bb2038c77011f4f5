/* Helpers for bough_net_ops.group_coverage: covered ranges of groups in trees, and entry groups, through
 * which routes enter a range of addresses. */
#ifndef BOUGH_NETWORK_GROUP_COVERAGE_H
#define BOUGH_NETWORK_GROUP_COVERAGE_H

#include "network/net.h"

static inline bough_covered_range covers_all_but(const bough_net *net, uint64_t first, uint64_t count) {
    return (bough_covered_range){{0, net->endpoints}, {first, count}};
}
static inline bough_covered_range covers_only(uint64_t first, uint64_t count) {
    return (bough_covered_range){{first, count}, {0, 0}};
}
/* The range of a group that leads out of, or into, a subtree of consecutive endpoints. */
static inline bough_group_coverage coverage_out_of(const bough_net *net, uint64_t first, uint64_t count) {
    return (bough_group_coverage){.from = covers_only(first, count), .to = covers_all_but(net, first, count)};
}
static inline bough_group_coverage coverage_into(const bough_net *net, uint64_t first, uint64_t count) {
    return (bough_group_coverage){.from = covers_all_but(net, first, count), .to = covers_only(first, count)};
}

static inline bool covers(const bough_covered_range *s, uint64_t i) {
    return i - s->within.first < s->within.count && i - s->without.first >= s->without.count;
}
static inline bool scope_is_entry(const bough_net *net, const bough_group_coverage *s) {
    return s->to.without.count == 0 && s->from.within.count == net->endpoints &&
           s->to.within.count < net->addresses; /* a switch at the root that turns messages is no entry */
}

/* Entry ranges of a network: address ranges, each once, with their home ranges; sorted by size, then
 * position. */
typedef struct entry_range {
    bough_range addresses, home;
} entry_range;

typedef struct entry_ranges {
    entry_range *range;
    uint64_t count;
} entry_ranges;

/* Requires group_coverage. O(groups log groups). Errors: FAILED (a range with two home ranges), NO_MEMORY. */
bough_status entry_ranges_find(const bough_net *net, entry_ranges *ranges, bough_error *error);
void entry_ranges_fini(entry_ranges *ranges);
/* The number of ranges whose entry groups a message from source to address must pass. */
uint64_t entry_ranges_crossed(const entry_ranges *ranges, uint64_t source, uint64_t address);

#endif
