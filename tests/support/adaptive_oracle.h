/* Adaptive routing by enumeration: every path of a pair with its probability, link by link, from the wiring
 * alone. */
#ifndef TESTS_SUPPORT_ADAPTIVE_ORACLE_H
#define TESTS_SUPPORT_ADAPTIVE_ORACLE_H

#include "routing/routing.h"

enum { ADAPTIVE_LINKS = 64 };

/* Writes the links of the group that a switch has for an endpoint, and returns their number. */
typedef unsigned adaptive_group(const void *context, const bough_net *net, uint64_t node, uint64_t target,
                                uint64_t link[ADAPTIVE_LINKS]);
/* All links on shortest paths, by a search from the target over link ends; context is not used. */
adaptive_group adaptive_minimal;

typedef struct adaptive_oracle {
    const bough_net *net;
    adaptive_group *group;
    const void *context;
    const uint64_t *dead; /* bit a link; NULL: none */
} adaptive_oracle;

/* Adds what one flow loads; returns the fraction that arrives. */
double adaptive_oracle_flow(const adaptive_oracle *o, uint64_t source, uint64_t target, double *load);

#endif
