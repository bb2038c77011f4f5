/* Loads of links, and which links have any: for one question after another, each of which costs what it
 * touches. */
#ifndef BOUGH_LOADS_LINK_SUMS_H
#define BOUGH_LOADS_LINK_SUMS_H

#include "bough/status.h"

#include <stdint.h>

/* Zero-initialise. */
typedef struct link_sums {
    double *load;   /* [links]: at least 0 */
    uint64_t *link; /* [links]: those with a load, in the order in which they got it */
    uint64_t count;
} link_sums;

/* Errors: NO_MEMORY. */
bough_status link_sums_make(link_sums *sums, uint64_t links, bough_error *error);
void link_sums_fini(link_sums *sums);
void link_sums_clear(link_sums *sums);

static inline void link_sums_add(link_sums *s, uint64_t link, double load) {
    if (s->load[link] == 0) s->link[s->count++] = link;
    s->load[link] += load;
}

/* The same for spread_flow (flow_spread.h); context: link_sums. */
void link_sums_visit(void *context, uint64_t link, double share);

#endif
