/* Networks with a routing from spec strings, where "cube:D" is the tests' own hypercube of D
 * dimensions ("cube:n=N" is the library's). */
#ifndef TESTS_SUPPORT_PLACES_H
#define TESTS_SUPPORT_PLACES_H

#include "routing/routing.h"

typedef struct place {
    bough_net *net;
    bough_routing *routing;
} place;

/* A failure ends the test. */
place place_make(const char *net, const char *routing);
void place_free(place *p);

#endif
