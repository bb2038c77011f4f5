/* Shared parts of blocking_find_stages: classes of groups, then the inputs of groups, then the paths of
 * messages. */
#ifndef BOUGH_MODELS_BLOCKING_BLOCKING_STAGES_H
#define BOUGH_MODELS_BLOCKING_BLOCKING_STAGES_H

#include "models/blocking/blocking.h"

enum { BLOCKING_HOPS_MAX = 256 };

typedef struct blocking_search {
    const bough_net *net;
    const bough_routing *routing;
    blocking_net *b;
    uint32_t *group_class; /* per group */
    bough_error *error;
} blocking_search;

bough_status blocking_find_inputs(blocking_search *f);
bough_status blocking_find_paths(blocking_search *f, const bough_batch_law *law);

/* Finds, by a random walk, an address to which a node sends over a group. */
bool blocking_find_address(const blocking_search *f, bough_stream *stream, uint64_t node, uint64_t group,
                           uint64_t *address);

static inline uint64_t blocking_mix(uint64_t x) { /* splitmix64 */
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The n-th live link of a range that has more than n. */
static inline uint64_t blocking_alive(const bough_net *net, bough_range links, uint64_t n) {
    uint64_t l = links.first;
    for (;; l++)
        if (bough_link_alive(net, l) && n-- == 0) return l;
}

#endif
