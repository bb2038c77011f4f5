/* A family that the library does not have, made through its public face: the hypercube with bit fixing. */
#ifndef BOUGH_TESTS_CUBE_H
#define BOUGH_TESTS_CUBE_H

#include "network/net.h"

/* 2^d nodes, 1 <= d <= 30, each endpoint and switch in one: no injection links. Bits are fixed from the most
 * significant. Link v d + b leads from v to v with bit b turned, and enters by port b. Free with
 * bough_net_destroy. */
bough_status cube_create(unsigned d, bough_net **net, bough_error *error);

#endif
