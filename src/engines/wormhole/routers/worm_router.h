/* clang-format off */
/* Routers as they are built: input-queued, with virtual channels and a pipeline of stages. The model is the IQ
 * router of BookSim 2 (jiang2013), which is that of dally2004, chapters 16 to 19; its stages hold several flits
 * at a time, which those of BookSim 2 do not when they take more than a cycle.
 *
 * An engine of its own beside switches/: there a channel belongs to one message until its buffer is empty,
 * whose flits are two counts, and nothing limits a switch. Here a buffer is a queue of flits of several
 * messages, and every flit passes allocators.
 *
 * Every link has V channels, each with a buffer of B flits at its far end. A link carries one flit per cycle,
 * and one flit per cycle leaves the buffers of a link. Endpoints have links of their own.
 *
 * A flit is at the front of its buffer from cycle f on: that of its arrival, or the one after the flit before
 * it left. A head then passes
 *   routing            in cycles f .. f + route - 1 (route = 0: known before, look-ahead). In the last of them,
 *                      or in f, it selects a link.
 *   VC allocation      attempts of vc_alloc cycles, until it has a channel of the link
 *   switch allocation  attempts of switch_alloc cycles, from the cycle after the last on, until it leaves
 * and other flits switch allocation only, from f on. A flit of which the last attempt ends in cycle u
 *   - leaves the buffer in u; from u + 1 on a tail leaves the channel of the next link to other heads,
 *     with `owned` only when that buffer is known to be empty;
 *   - is at the end of the next link in u + 1 + traverse + (cycles of the link);
 *   - its slot is known to be free at the start of its link from u + 1 + (cycles of the link) + credit on; at
 *     an endpoint `credit` is 0.
 * An endpoint takes every flit as it arrives (this is the arrival of the message, with the tail), which
 * counts as u. Links of endpoints take `port` cycles, others `link`.
 *
 * A source sends one flit per cycle, of one message after the other. In the first cycle in which a message is
 * the first one (at the earliest the one in which it is offered) it selects a link; in that or a later one it
 * takes the first channel, cyclically after the one that was taken last (at first: from 0 on), that is free
 * and has a free slot, and its head leaves. A flit that leaves in cycle u is at the end of the link in
 * u + 1 + port.
 *
 * Order of a cycle: flits arrive; credits; sources; VC allocation; switch allocation. All of them see the
 * state at the beginning of the cycle, with the flits and credits that arrived: what an allocator decides
 * is visible in the next cycle. So the order of routers does not matter.
 *
 * Selection: of the live links that the route names, those with a free channel of the message's class; all
 * of them if there is none. bough_select_free takes one: occasion = cycle, served = number of the channel in
 * which the head waits (0 at a source); load = slots of the link's buffers that are not known to be free.
 *
 * VC allocation (iSLIP, one iteration; mckeown1999). Input channels have the numbers (input x V + channel) at
 * their router, output channels (output x V + channel); inputs and outputs count in the order of links. A
 * head requests every free channel of its link and class. Every requested channel grants to the first
 * requesting head, cyclically from its pointer on; every head accepts the first grant from its pointer on;
 * then both pointers move behind each other's number. An attempt of several cycles requests and grants in
 * its first; in its last the channel may have been taken in the mean time, and the attempt has failed.
 *
 * Switch allocation: the same between inputs and outputs. An input requests an output if one of its channels
 * has a flit for it at the front, and a free slot at the end of the next link. Of several such channels the
 * first one sends, cyclically after the channel of the input that sent last.
 *
 * Speculation (peh2001; vc_alloc = switch_alloc = 1): a head attempts both allocations in the same cycle. It
 * requests the output if a channel that it requests has a free slot. A second iSLIP, with pointers of its
 * own, serves these requests; its grants count where the first one left input and output idle. The head
 * leaves if it also gets a channel, with a free slot; if it gets a channel only, switch allocation
 * follows. Every grant that counts, of either allocation, moves the turn of the channels of its input.
 *
 * Channels by hop: as in worm_switch.h. Routings with intermediate nodes are not supported.
 *
 * Without load a message of F flits passes H routers in
 *   port + 1 + H (route + vc_alloc + switch_alloc + traverse) + (H - 1) link + port + (F - 1) switch_alloc
 * cycles, with speculation one less per router, if its flits do not wait for credits: B is at least
 * traverse + 2 link + credit + switch_alloc + 1 (link: or port, if that is longer). */
/* clang-format on */
#ifndef BOUGH_ENGINES_WORMHOLE_WORM_ROUTER_H
#define BOUGH_ENGINES_WORMHOLE_WORM_ROUTER_H

#include "engines/wormhole/worm.h"

#define WORM_ROUTER_VCS   32   /* maximum virtual channels of a link */
#define WORM_ROUTER_PORTS 64   /* maximum links that start, or end, at a router */
#define WORM_ROUTER_STAGE 64   /* maximum cycles of a stage */
#define WORM_ROUTER_LINK  1024 /* maximum cycles of a link */

/* Cycles of the stages, and of links. */
typedef struct worm_stages {
    uint32_t route; /* may be 0 */
    uint32_t vc_alloc, switch_alloc, traverse;
    uint32_t link, port; /* of links between routers, and of those of endpoints */
    bool speculative;
} worm_stages;

/* A router under a name. */
typedef struct worm_router_preset {
    const char *name;
    worm_stages stages;
    uint32_t vcs, buffer; /* defaults */
} worm_router_preset;
extern const worm_router_preset worm_router_presets[]; /* ends with a NULL name */
#define WORM_ROUTER_CHOICES "iq|lookahead|speculative|fast"

/* messages: number that can be in flight or waiting at a time. UINT64_MAX if ids would not fit. */
uint64_t worm_router_bytes(const bough_net *net, const worm_options *options, const worm_stages *stages,
                           uint64_t messages);

/* Of options the routers use flits, buffer, vcs, credit, by_hop, owned. Errors: INVALID (an option is out of
 * range), UNSUPPORTED (a router with too many links, endpoints without links of their own, a routing with
 * intermediate nodes), TOO_LARGE, NO_MEMORY. */
bough_status worm_router_check(const bough_routing *routing, const worm_options *options,
                               const worm_stages *stages, bough_error *error);

/* The engine borrows routing. Deliveries are in the order (arrived, id), and are returned once they have
 * arrived. Errors: as above. Errors of advance: as of worm_switch_make. */
bough_status worm_router_make(const bough_routing *routing, const worm_options *options,
                              const worm_stages *stages, sim_engine **engine, bough_error *error);

#endif
