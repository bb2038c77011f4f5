/* A ring of switches with adapters on each, and tables that go around it clockwise only: the simplest routing
 * that can deadlock. Endpoint k hosts + h is adapter h of switch k. */
#ifndef BOUGH_TESTS_RINGS_H
#define BOUGH_TESTS_RINGS_H

#include "routing/routing.h"

/* 3 <= size, size x (hosts + 1) < 64. Freed with bough_routing_destroy, then bough_net_destroy of its net. */
bough_routing *ring_routing(unsigned size, unsigned hosts);

#endif
