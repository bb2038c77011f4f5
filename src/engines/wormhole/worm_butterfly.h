/* The fast engine of `worm` for the butterfly fat-tree of greenberg1997 under random routing. Links are
 * labels. With the same keys it gives the same results as the event-driven engine, message by message.
 *
 * It requires worms that are at least as long as their paths. Then no link becomes free before the
 * head has arrived, and the order in which heads are processed within a cycle does not matter. A head that is
 * alone at its group, without a queue, takes a few instructions; other cases are handled as in the
 * event-driven engine. Work that does not depend on the current cycle is batched over messages or cycles:
 * messages are requested from the source ahead of time (any law of a stream allows this), coins of all pairs
 * are drawn for several cycles, and links are released some cycles after the head has arrived, before they
 * become free. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_H
#define BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_H

#include "engines/wormhole/worm.h"

bool worm_butterfly_fits(const bough_point *point, const worm_options *options);
uint64_t worm_butterfly_bytes(const bough_net *net, uint64_t messages);
/* unit: flits per unit of a message's size. Borrows the network. Errors: NO_MEMORY. */
bough_status worm_butterfly_make(const bough_point *point, uint64_t unit, sim_engine **engine,
                                 bough_error *error);

#endif
