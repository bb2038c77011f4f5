/* Wormhole routing through real switches, flit by flit: virtual channels, buffers, credits. The router is the
 * input-buffered virtual-channel router of Dally and Towles (Principles and Practices of Interconnection
 * Networks, 2004, chapters 15 and 16) with a delay of one cycle a hop and no limit inside the switch.
 *
 * Every link has V channels. A channel has a buffer of B flits at the far end of the link and belongs to at
 * most one message at a time. A message is size x flits flits, all at hand at its source from the cycle in
 * which it is offered. The link's start knows what happens in a channel's buffer `credit` cycles late: a
 * slot that a flit leaves in cycle c can be refilled from c + credit on, and the channel whose buffer the
 * tail leaves in cycle c can be taken by another message from c + credit on. (So a message takes a channel
 * with all B slots empty: "atomic" allocation of buffers. One message alone keeps a link busy when
 * B >= 1 + credit.)
 *
 * In a cycle, in this order:
 *
 *  1. Sinks take: a flit that crossed the last link of its path in cycle c leaves that buffer in c + 1. With
 *     the tail the message has arrived, in c + 1. Messages that arrive together do so in the order of ids.
 *  2. Credits come: what was left in cycle - credit (credit > 0) is known now.
 *  3. Heads queue: those that crossed a link in the cycle before, and the messages that are offered now (all
 *     whose time has come; those wait for their first link as others do for the next). A head joins the queue
 *     of the group that the route names at its node. Heads that join one queue in one cycle are put in order
 *     of their input port (BOUGH_SOURCE_PORT at the source; there by id), then shuffled by
 *     bough_serve_order(key, group, cycle).
 *  4. Groups serve: in the order of the queue each head takes a free link (one that is alive and has a free
 *     channel) among those its route names, by bough_pick_free: occasion = cycle, served = the heads that
 *     this group let go before in this cycle; of the link it takes the lowest free channel. A head that finds
 *     none stays where it is, and does not hold up those behind it. load, for picks that want it: the
 *     messages that hold a channel of the link x 2^26, plus what the link was taken more often since the
 *     start than the least taken of the choice (at most 2^26 - 1): with V = 1 the order is the plain
 *     engine's.
 *  5. Links carry one flit each. A channel is ready when its message's next flit is at hand at the start of
 *     the link (at the source, or in the channel before, where it came in an earlier cycle) and a slot of its
 *     buffer is free. The link serves the first ready channel after the one it served last, in ascending
 *     order, around (at the beginning: from 0). The head of a message that took its channel in 4 is ready.
 *
 * credit >= 1: steps 4 and 5 look only at what was there at the beginning of the cycle (and at step 2), so no
 * order of groups or links matters.
 *
 * credit = 0: what leaves a buffer makes room in the same cycle, so steps 4 and 5 of a group come after those
 * of others. Group U depends on group G in a cycle if the buffer of some channel of U's links holds, after
 * step 3, a flit of a message that waits in G's queue, or whose next channel is of G. A group does 4 and then
 * 5 (for each of its links) after all groups it depends on, and sees the slots and channels that they made
 * free. Groups that depend on each other in a ring do not see each other's in this cycle, but in the
 * next: a ring of worms that would all have to move at once does not move. So no order matters here either.
 * With V = 1 and B = 1, and no such rings, this is plain wormhole routing (tests/support/worm_stepper.h).
 *
 * Addresses of a message's own source are not for this engine. Time: about 40 ns a flit and link at a
 * thousand endpoints, heads and all, 80 ns at sixteen thousand; with credit = 0 five times that. Idle links
 * cost nothing. */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_H
#define BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_H

#include "engines/wormhole/worm.h"

#define WORM_SWITCH_VCS    32    /* most virtual channels of a link */
#define WORM_SWITCH_BUFFER 65535 /* most flits of a buffer */
#define WORM_SWITCH_CREDIT 65535 /* most cycles until a credit comes */

/* messages: that can be under way or waiting at one time. UINT64_MAX where ids would not fit. */
uint64_t worm_switch_bytes(const bough_routing *routing, const worm_options *options, uint64_t messages);

/* The engine borrows routing. Deliveries come in the order (arrived, id), when they have arrived; stuck
 * counts the messages that wait at their sources too. Errors: INVALID (an option is out of range), TOO_LARGE,
 * NO_MEMORY. Of advance: NO_MEMORY; INVALID, a message of no flits or of more than 2^32 - 1; FAILED, a
 * message has no route. After an error only start and destroy. */
bough_status worm_switch_make(const bough_routing *routing, const worm_options *options, sim_engine **engine,
                              bough_error *error);

#endif
