/* Totals over the loads of all links. */
#ifndef BOUGH_MODELS_LINK_LOAD_LINK_TALLY_H
#define BOUGH_MODELS_LINK_LOAD_LINK_TALLY_H

#include "method/method_run.h"

#define LINK_HISTOGRAM_MAX 65536

typedef struct link_tally {
    double max, sum, time_max;
    uint64_t used, unused;
    double *level;       /* per level: maximum load */
    uint64_t *histogram; /* links by load rounded up; NULL: not requested */
    uint64_t highest;    /* last used entry of the histogram */
    uint64_t messages;
    double unrouted; /* undelivered messages: an expected value if a flow may take paths that end early */
} link_tally;

/* Adds links of one load. rate: 0: unknown. */
void link_tally_count(link_tally *tally, double load, uint64_t links, unsigned level, double rate);
/* Adds all links of the network, on several threads; more than one only if loads are integers, whose sum does
 * not depend on the order. load: [links]. Errors: NO_MEMORY. */
bough_status link_tally_add(const bough_run *run, unsigned threads, const double *load, link_tally *tally,
                            bough_error *error);

/* Links that a thread takes at once. */
enum { LINK_RANGE = 1 << 14 };

static inline uint64_t link_ranges(const bough_net *net) {
    return (net->links + LINK_RANGE - 1) / LINK_RANGE;
}

static inline uint64_t range_end(const bough_net *net, uint64_t range) {
    uint64_t end = (range + 1) * LINK_RANGE;
    return end < net->links ? end : net->links;
}

#endif
