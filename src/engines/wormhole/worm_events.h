/* The event-driven engine of `worm`: one event per step of a head, none for flits.
 *
 * Flit j of a worm crosses link c of its path in cycle T(j, c) = max over m >= 0 of a_(c+m) + j - m B, where
 * a_c is the cycle in which the head crossed it and B the size of a buffer in flits; mB <= j, and c + m ends
 * at the sink, which takes the head at a_D + 1. So the next head can take link k from
 *
 * free(k) = T(F - 1, k + 1) = max over m of a_(k+1+m) + F - 1 - m B
 *
 * on. This is known when the head has crossed link k + R, R = 1 + (F - 1) / B rounded down, or the last link.
 * With B = 1 it is a_(k+F), or a_D + k + F - D near the sink. No flit is ever stepped.
 *
 * If R is less than the length of the path, a moving head can free a link of its own path in the same cycle.
 * Another head may take that link and free a third. Groups are therefore served after the groups whose
 * waiting heads may still release their links in this cycle. Then the result does not depend on any order,
 * except for rings of worms that would all have to move at once: these do not move. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_H
#define BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_H

#include "engines/wormhole/worm.h"

/* hops: links of the longest path. messages: number that can be in flight or waiting at a time. */
uint64_t worm_events_bytes(const bough_net *net, const worm_options *options, unsigned hops,
                           uint64_t messages);
/* The engine borrows routing. Errors: TOO_LARGE, NO_MEMORY. */
bough_status worm_events_make(const bough_routing *routing, const worm_options *options, unsigned hops,
                              sim_engine **engine, bough_error *error);

#endif
