/* A stream that has a law and no messages: what a model sees of poisson, without it. */
#ifndef BOUGH_TESTS_LAW_H
#define BOUGH_TESTS_LAW_H

#include "method/method.h"

/* to: "uniform", "next" (shift by one), "first" (all others to endpoint 0), "half" (even endpoints to each
 * other, odd ones send nothing), "nobody", "drawn" (a shift drawn per trial). Freed with
 * bough_traffic_destroy. A failure ends the test. */
bough_traffic *law_make(const bough_net *net, double rate, uint64_t flits, const char *to);

/* The same without a law. */
bough_traffic *lawless_make(const bough_net *net);

/* A point with such a stream; freed with point_free. law_point_over takes the network over. */
bough_point law_point(const char *network, const char *routing, double rate, uint64_t flits, const char *to);
bough_point law_point_over(bough_net *net, const char *routing, double rate, uint64_t flits, const char *to);

/* What a method says of uniform traffic under a random pick. */
double law_answer(const char *network, double rate, uint64_t flits, const char *method,
                  bough_metric_id metric);

#endif
