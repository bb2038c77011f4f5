/* Networks of one shape that methods need (bough_method.lacks). */
#ifndef BOUGH_METHOD_NETWORK_NEEDS_H
#define BOUGH_METHOD_NETWORK_NEEDS_H

#include "bough/net.h"

/* What net is not, or NULL where it is. */
const char *method_lacks_binary(const bough_net *net);
const char *method_lacks_pruned(const bough_net *net);
const char *method_lacks_sorting(const bough_net *net);
const char *method_lacks_stacks(const bough_net *net);

#endif
