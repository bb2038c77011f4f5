/* Premises of methods: what a method takes for granted about the network, the routing and the traffic
 * (bough_method.assumes). A method that is bound to a point outside them either refuses it in `open`, or its
 * results are marked with the broken premise (bough_run.premise). */
#ifndef BOUGH_METHOD_PREMISES_H
#define BOUGH_METHOD_PREMISES_H

#include "method/method.h"

/* Texts of bough_method.random_links that methods share; the second stands for the first under `random`. */
#define METHOD_LINK_BY_LINK "takes any free link at each switch"
#define METHOD_ANY_LINK     "takes any link at each switch, free or not"

/* Records the premises in run->method->assumes that the point breaks. Traffic and routing that a point lacks
 * break none. O(links) for BOUGH_ASSUMES_ONE_RATE on networks with rates. */
bough_status premises_check(bough_run *run, bough_error *error);

/* For methods that refuse what breaks the premise. */
bool premise_uniform_holds(const bough_traffic *traffic);
bool premise_random_links_hold(const bough_routing *routing);

/* ---- networks of one shape that methods need (bough_method.lacks) ---- */

/* What net is not, or NULL where it is. */
const char *method_lacks_pruned(const bough_net *net);
const char *method_lacks_sorting(const bough_net *net);
const char *method_lacks_stacks(const bough_net *net);

#endif
