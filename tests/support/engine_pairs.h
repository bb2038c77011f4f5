/* Oracle of method collision: the generic circuit engine with its choices enumerated instead of drawn. */
#ifndef TESTS_SUPPORT_ENGINE_PAIRS_H
#define TESTS_SUPPORT_ENGINE_PAIRS_H

#include "method/method.h"

/* Probability that of two messages sent at the same time not both succeed at the first attempt, under random
 * selection. */
double engine_pair(bough_net *net, const bough_flow flow[2], const char *method);
/* Its mean over two distinct random sources and uniform destinations. Slow: n <= 16. */
double engine_pairs_uniform(bough_net *net, const char *method);

#endif
