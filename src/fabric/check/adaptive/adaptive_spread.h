/* All flows to one address under an adaptive routing, in expectation: each switch divides what comes to it
 * equally among the live links of its group. */
#ifndef BOUGH_FABRIC_CHECK_ADAPTIVE_ADAPTIVE_SPREAD_H
#define BOUGH_FABRIC_CHECK_ADAPTIVE_ADAPTIVE_SPREAD_H

#include "routing/routing.h"

/* One thread's. Zero-initialise. */
typedef struct adaptive_spread {
    const bough_routing *routing;
    uint32_t *order;   /* [nodes]: switches that flows reach, each after those that it sends to */
    uint32_t *stack;   /* [nodes] */
    uint32_t *tried;   /* [nodes]: links of a switch on the stack that were looked at */
    uint8_t *mark;     /* [nodes] */
    double *weight;    /* [nodes]: flows that come to a switch */
    uint64_t *sources; /* [nodes]: endpoints that send to it */
} adaptive_spread;

/* What to follow. Each endpoint but that of the address sends one flow. */
typedef struct adaptive_question {
    uint64_t target;      /* endpoint; its first address is taken */
    const uint64_t *dead; /* bit a link; NULL: none */
    double scale;         /* what is added to load for one flow */
    double *load;         /* [links] */
} adaptive_question;

typedef struct adaptive_answer {
    uint64_t lost;  /* endpoints of which packets do not arrive */
    double missing; /* flows that do not arrive, in expectation; of flows in loops nothing is counted */
} adaptive_answer;

bough_status adaptive_spread_make(adaptive_spread *s, const bough_routing *routing, bough_error *error);
void adaptive_spread_fini(adaptive_spread *s);
/* O(switches x links of an entry + endpoints). */
adaptive_answer adaptive_spread_to(adaptive_spread *s, const adaptive_question *question);

#endif
