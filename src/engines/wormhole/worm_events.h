/* The event-driven engine of `worm`: one event a head's step, none for flits.
 *
 * Flit j of a worm crosses link c of its path in cycle T(j, c) = max over m >= 0 of a_(c+m) + j - m B, where
 * a_c is when the head crossed it and B the flits a buffer holds; mB <= j, and c + m goes no further than the
 * sink, which takes the head at a_D + 1. So the next head can take link k from
 *
 *     free(k) = T(F - 1, k + 1) = max over m of a_(k+1+m) + F - 1 - m B
 *
 * on, which is known when the head has crossed link k + R, R = 1 + (F - 1) / B rounded down, or the last one.
 * With B = 1 that is a_(k+F), or a_D + k + F - D near the sink: no flit is ever stepped.
 *
 * A head that moves can so free a link of its own path in the very cycle, for another, which frees one for a
 * third (only where R is less than the length of the path). Groups are therefore served after the groups
 * whose waiters may still leave their links in this cycle. Then the outcome does not depend on any order,
 * except on rings of worms that would all have to move at once: they do not. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_H
#define BOUGH_ENGINES_WORMHOLE_WORM_EVENTS_H

#include "engines/wormhole/worm.h"

/* hops: links of the longest path. messages: that can be under way or waiting at one time. */
uint64_t worm_events_bytes(const bough_net *net, const worm_options *options, unsigned hops,
                           uint64_t messages);
/* The engine borrows routing. Errors: TOO_LARGE, NO_MEMORY. */
bough_status worm_events_make(const bough_routing *routing, const worm_options *options, unsigned hops,
                              sim_engine **engine, bough_error *error);

#endif
