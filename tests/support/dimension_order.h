/* greenberg1997, section 2 (Eqs. 2, 3, 6, 9 to 11), written out for networks under dimension-order routing
 * and uniform traffic: every path is fixed, so every queue has one server. The oracle of `queueing` there. */
#ifndef BOUGH_TESTS_DIMENSION_ORDER_H
#define BOUGH_TESTS_DIMENSION_ORDER_H

#include <stdbool.h>

/* corrected: Eq. 10 with m = 1; otherwise the whole wait W of M/G/1. Messages of s flits, rate0 messages per
 * cycle and node. Results: the mean latency in cycles; INFINITY if a link is fully used. */
typedef struct load {
    double s, rate0;
    bool corrected;
} load;

/* 2^d nodes; bit 0 is corrected first, and the links of a bit are alike. */
double hypercube_latency(unsigned d, load l);
/* k^n nodes on rings whose links lead one way; the links of a dimension are alike. */
double oneway_torus_latency(unsigned k, unsigned n, load l);
/* k nodes in a row, joined both ways. */
double line_latency(unsigned k, load l);

#endif
