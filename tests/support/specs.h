/* Networks, routings and traffic from spec strings, and specs that must be refused: with this status, and a
 * reason that holds the text. A failure that a test did not ask for ends it. */
#ifndef TESTS_SUPPORT_SPECS_H
#define TESTS_SUPPORT_SPECS_H

#include "routing/routing.h"
#include "traffic/traffic.h"

bough_net *net_make(const char *spec);
void net_refused(const char *spec, bough_status status, const char *reason);

bough_routing *routing_make(const bough_net *net, const char *spec);
void routing_refused(const bough_net *net, const char *spec, bough_status status, const char *reason);

/* With its network. */
void routing_free(bough_routing *routing);

bough_traffic *traffic_make(const bough_net *net, const char *spec);
void traffic_refused(const char *network, const char *spec, bough_status status, const char *reason);
void traffic_refused_on(const bough_net *net, const char *spec, bough_status status, const char *reason);

#endif
