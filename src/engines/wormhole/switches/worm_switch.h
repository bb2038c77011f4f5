/* clang-format off */
/* Wormhole routing through switches, flit by flit: virtual channels, buffers, credits. The router is the
 * input-buffered virtual-channel router of Dally and Towles (Principles and Practices of Interconnection
 * Networks, 2004, chapters 15 and 16) with a delay of one cycle per hop and no limit inside the switch.
 *
 * Every link has V channels. A channel has a buffer of B flits at the far end of the link and belongs to at
 * most one message at a time. A message is size x flits flits, all available at its source from the cycle in
 * which it is offered. Events in the buffer of a channel are visible at the start of the link `credit` cycles
 * later: a slot that a flit leaves in cycle c can be refilled from c + credit on, and a channel whose buffer
 * the tail leaves in cycle c can be taken by another message from c + credit on. (So a message takes a
 * channel with all B slots empty: "atomic" buffer allocation. One message alone keeps a link busy when
 * B >= 1 + credit.)
 *
 * Order of a cycle:
 *
 *  1. Sinks: a flit that crossed the last link of its path in cycle c leaves that buffer in c + 1. With the
 *     tail the message has arrived, in c + 1. Messages that arrive together are delivered in order of ids.
 *  2. Credits: events of cycle - credit (credit > 0) become visible.
 *  3. Queueing: heads that crossed a link in the previous cycle, and messages offered by now (which wait for
 *     their first link as others do for the next), join the queue of the group that the route names at their
 *     node. Heads that join one queue in one cycle are sorted by input port (BOUGH_SOURCE_PORT at the source;
 *     there by id), then shuffled by bough_arbitration_order(key, group, cycle).
 *  4. Grants: in queue order each head takes a free link (alive, with a free channel) among those that its
 *     route names, by bough_select_free: occasion = cycle, served = heads that this group has granted in this
 *     cycle; of the link it takes the lowest free channel. A head without a free link stays and does not
 *     block those behind it. load, for selection rules that use it: messages that hold a channel of the link
 *     x 2^26, plus the grants of the link since the start beyond those of the least used candidate (at most
 *     2^26 - 1): with V = 1 the order is that of the event-driven engine.
 *  5. Flits: each link carries one flit. A channel is ready when the next flit of its message is at the start
 *     of the link (at the source, or in the previous channel, having arrived in an earlier cycle) and a slot
 *     of its buffer is free. The link serves the first ready channel after the one it served last, in
 *     ascending order, cyclically (initially: from 0). The head of a message that took its channel in step 4
 *     is ready.
 *
 * credit >= 1: steps 4 and 5 depend only on the state at the beginning of the cycle (and after step 2), so
 * the order of groups and links does not matter.
 *
 * credit = 0: a flit that leaves a buffer makes room in the same cycle, so steps 4 and 5 of a group come
 * after those of others. Group U depends on group G in a cycle if the buffer of some channel of U's links
 * holds, after step 3, a flit of a message that waits in G's queue, or whose next channel is of G. A group
 * performs step 4 and then 5 (for each of its links) after all groups it depends on, and uses the slots and
 * channels that they freed. Groups that depend on each other in a ring see each other's changes in the next
 * cycle only: a ring of worms that would all have to move at once does not move. So the order does not matter
 * here either. With V = 1 and B = 1, and no such rings, this is plain wormhole routing
 * (tests/support/worm_stepper.h).
 *
 * Rates and delays (options->wires): a cycle is `tick` ps. A link that takes r cycles for a flit can start
 * one r cycles after the last one, rounded up to a cycle; r is not rounded, so a busy link keeps its exact
 * rate. A flit that starts in cycle c is in the buffer at the end of cycle c + ceil(r) - 1 + d, and can go on
 * in the next one: d is the delay of the link, and of the switch at its end if the message goes on, rounded
 * up to cycles. A channel has B + n slots: n is the least number for which (n + 1) r >= ceil(r) + d, the
 * slots that a busy link without credits needs. Credits take `credit` cycles whatever the delay.
 *
 * Intermediate nodes (bough_routing_kind.via): a message goes to its intermediate node, where its head queues
 * for the second phase as for any link; a worm does not stop there. Its own address on the way there does not
 * end it. With V >= 2 the first V / 2 channels of a link (rounded down) are for first phases, the others for
 * second ones: a message takes the lowest free channel of its phase. So a message of the second phase never
 * waits for one of the first, and there is no deadlock if the routes of one phase have none. With V = 1 both
 * phases use the channel.
 *
 * Channels by hop (by_hop): instead of the lowest free channel a message takes channel 0 of its first link and
 * of its first cable between switches, channel 1 of its second cable, and so on; of all further ones the last.
 * Numbers of channels never descend along a path, so with as many channels as cables there is no deadlock.
 *
 * Messages to the own endpoint are not supported. Time: about 40 ns per flit and link at a thousand
 * endpoints, heads included, 80 ns at sixteen thousand; with credit = 0 five times that. Idle links cost
 * nothing. */
/* clang-format on */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_H
#define BOUGH_ENGINES_WORMHOLE_WORM_SWITCH_H

#include "engines/wormhole/worm.h"

#define WORM_SWITCH_VCS    32    /* maximum virtual channels of a link */
#define WORM_SWITCH_BUFFER 65535 /* maximum flits of a buffer */
#define WORM_SWITCH_CREDIT 65535 /* maximum cycles until a credit arrives */

/* messages: number that can be in flight or waiting at a time. UINT64_MAX if ids would not fit. */
uint64_t worm_switch_bytes(const bough_routing *routing, const worm_options *options, uint64_t messages);

/* The engine borrows routing. Deliveries are in the order (arrived, id), and are returned once they have
 * arrived; stuck counts messages that wait at their sources too. Errors: INVALID (an option is out of range),
 * UNSUPPORTED (a delay of more than 2^16 flits), TOO_LARGE, NO_MEMORY. Errors of advance: NO_MEMORY; INVALID,
 * a message of no flits (with wires it has one) or of more than 2^32 - 1; FAILED, a message has no route.
 * After an error only start and destroy may be called. */
bough_status worm_switch_make(const bough_routing *routing, const worm_options *options, sim_engine **engine,
                              bough_error *error);

#endif
