/* The fast path of `worm` for the butterfly fat-tree of greenberg1997 under random: links are labels. It
 * gives the same results as the event-driven engine, message by message, with the same keys.
 *
 * For worms of one length that is at least that of their paths: then no link is free before the head is in,
 * and in a cycle nothing depends on the order in which heads are looked at. A head that finds its group
 * alone, and nobody waiting, is dealt with in a few instructions; what is not so simple is done as the other
 * engine does it. What does not depend on the cycle at hand is done for many messages or cycles together:
 * the source is asked for messages ahead of time (any law of a stream allows that), coins of all pairs are
 * drawn for some cycles, and links are given back some cycles after the head is in, before they are free. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_H
#define BOUGH_ENGINES_WORMHOLE_WORM_BUTTERFLY_H

#include "engines/wormhole/worm.h"

bool worm_butterfly_fits(const bough_point *point, const worm_options *options);
uint64_t worm_butterfly_bytes(const bough_net *net, uint64_t messages);
/* flits: of every message. Borrows the network. Errors: NO_MEMORY. */
bough_status worm_butterfly_make(const bough_net *net, uint64_t flits, sim_engine **engine,
                                 bough_error *error);

#endif
