/* clang-format off */
/* The engine of `worm` for links with rates and delays, in whole picoseconds, and for buffers that messages
 * share. Event driven: a few events per link that a head takes, none for flits. Where all links carry a flit
 * in each cycle and buffers have one flit or are owned, worm_events.h has the same deliveries 4 times as fast.
 *
 * Link c takes p_c for a flit and d_c from its start to its end, including the delay of the switch there if
 * the message goes on. All messages wait as described in worm.h, with these times:
 *
 *  - A head that starts on link c at a_c reaches its end at a_c + p_c + d_c, and then waits there for the
 *    next link; behind another message it gets there p_c after the tail of that one has left, if this is
 *    later.
 *  - The other flits follow the head at the rate of the slowest link that the message has crossed so far: P_c
 *    is its time of a flit. So links before a slower one are faster at first, until they are full, and links
 *    after it are not.
 *  - A link and the buffer at its end hold C_c = buffer + ceil(d_c / p_c) flits of a message: a link stores
 *    what is on its way. Without contention a link is therefore busy all the time whatever its delay, even
 *    with a buffer of one flit. A flit that starts on the next link makes room at that instant.
 *  - The next head can start when the tail of the previous message has started, p_c earlier, and the link and
 *    its buffer have room: of all messages before, they hold fewer than C_c flits. (A message whose head has
 *    started has room for C_c flits of its own, so two messages can share a link that holds less than twice
 *    that.) If buffers are owned (o.owned), the tail must have left the buffer instead. Where delays are 0, buffers hold one flit and rates are equal, this is wormhole routing as
 *    defined in worm.h, with p for a cycle.
 *
 * Hence flit j starts on hop k of a path at
 *
 *    T(j, k) = max over m >= 0 of a_(k+m) + P_(k+m) (j - C_k - ... - C_(k+m-1)),
 *
 * over the m for which the parenthesis is not negative; the hop after the last link is the sink, which never
 * waits. One message of F flits alone takes sum of (p_c + d_c) + (F - 1) max p_c. P j is rounded up to a ps
 * once, so errors do not add up over a message. T(j, k) is known when the head has reached the last of
 * these hops. So is the time at which the next head can start: that of the tail on hop k, p_c later, or that
 * of the flit that has to leave if this is later. If it is unknown, the link awaits the next step of one
 * worm.
 *
 * A moving head can free a link at the same instant. Groups are therefore served in the order that
 * worm_events.h describes, and rings of worms that would all have to move at once do not move at that
 * instant. */
/* clang-format on */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_TIMED_H
#define BOUGH_ENGINES_WORMHOLE_WORM_TIMED_H

#include "engines/wormhole/worm.h"

/* messages: number that can be in flight or waiting at a time. */
uint64_t worm_timed_bytes(const bough_net *net, unsigned hops, uint64_t messages);
/* options: one virtual channel. Without wires a tick is a cycle. hops: links of the longest path. The engine
 * borrows routing; with wires its cycles are picoseconds. Errors: TOO_LARGE, NO_MEMORY. Errors of advance:
 * FAILED (a message without a route, a path longer than planned, a message that takes more than 13 days),
 * NO_MEMORY. */
bough_status worm_timed_make(const bough_routing *routing, const worm_options *options, unsigned hops,
                             sim_engine **engine, bough_error *error);

#endif
