/* Execution of a schedule: operations wait for each other, for messages, and for CPUs and NICs. Messages are
 * carried by an engine, or arrive after a constant latency (LogGOPS).
 *
 * The rules are those of LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC 2010), except for its errors:
 *
 *   - An operation is ready when everything that it requires has ended (irequires: started).
 *   - calc occupies its CPU for its time.
 *   - send occupies its CPU for o + O (size - 1) and the sending side of its NIC for g; the message leaves
 *     after o. It has ended when the CPU is free again; with more than S bytes, when additionally a receive
 *     has taken the message. (The message leaves immediately in any case: S models the wait of the sender,
 *     not the requests of the protocol.)
 *   - recv takes no time to post, but a CPU posts only between its other operations.
 *   - A received message occupies the CPU of its receiver for o + O (size - 1) and the receiving side of its
 *     NIC for g, also if no receive waits for it. CPU and NIC have the numbers of the send. Its receive ends
 *     when the CPU is free again.
 *   - Without a network the first byte of a message arrives L after it left. Then both NICs are occupied for
 *     G (size - 1), and the CPU of the receiver for o + max(O, G) (size - 1).
 *   - Messages between ranks of one endpoint cost o and O only: no NIC, no L, no G.
 *
 * A CPU executes the operation with the lowest sequence number that is ready and has its NIC. Sends, receives
 * and calcs get their numbers when they become ready (at equal times: lower rank first; then sends, receives,
 * calcs; then in the order in which their dependencies were added), messages when they are sent. Events at
 * equal times are in the order of these numbers too, so the order is total. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_RANKS_H
#define BOUGH_TRAFFIC_SCHEDULES_RANKS_H

#include "traffic/schedules/send_recv_match.h"
#include "traffic/traffic.h"

#define RANKS_TIME_MAX (UINT64_C(1) << 62) /* ps: 53 days */
#define RANKS_LABELS   256

typedef struct rank_engine rank_engine;

typedef unsigned __int128 ranks_sum; /* ps */

/* Total time over all ranks and CPUs. wait: a CPU was idle before an operation of the label. */
typedef struct ranks_time {
    ranks_sum compute, overhead, wait;
} ranks_time;

typedef struct ranks_totals {
    uint64_t end, ended;           /* ps: end of the last operation; number of ended operations */
    uint64_t messages, bytes;      /* received */
    uint64_t unrouted;             /* lost, because faults disconnect their endpoints */
    uint32_t lost_from, lost_to;   /* ranks of the first unrouted message */
    ranks_time time[RANKS_LABELS]; /* by label */
} ranks_totals;

/* Bytes of the state of one trial. */
uint64_t ranks_bytes(const bough_workload *workload, const match_plan *match);
/* Approximate memory of a schedule with these numbers of operations and dependencies and of its execution,
 * for a check before it is built. */
uint64_t ranks_room(uint64_t ops, uint64_t waits);
/* network: messages leave through ranks_depart and arrive through ranks_arrive; otherwise they take L and G.
 * Borrows workload and match. Errors: NO_MEMORY. */
bough_status ranks_make(const bough_workload *workload, const match_plan *match, bool network,
                        rank_engine **ranks, bough_error *error);
void ranks_destroy(rank_engine *ranks);
/* Ranks first .. end - 1. */
typedef struct rank_span {
    uint32_t first, end;
} rank_span;
/* Restricts the following trials to two spans of ranks, the second of which may be empty. */
void ranks_only(rank_engine *ranks, const rank_span span[2]);
/* The network of the endpoints, for names in reports; borrowed. If messages take L and G, those between
 * endpoints that faults disconnect are lost. */
void ranks_on(rank_engine *ranks, const bough_net *net);
/* The key of the following trials: times of computations vary by it, if hosts have jitter. Without it, that
 * of zeros. */
void ranks_vary(rank_engine *ranks, bough_key key);
struct timeline;
/* Records the following trials; each replaces the one before. NULL: records nothing. Borrows seen. */
void ranks_observe(rank_engine *ranks, struct timeline *seen);
/* Starts a trial. */
void ranks_start(rank_engine *ranks);

/* The time (ps) of the next event, or BOUGH_NONE. */
uint64_t ranks_next(const rank_engine *ranks);
/* Processes all events up to and including time until. */
void ranks_run(rank_engine *ranks, uint64_t until);
/* Processes at most this many events; returns false if none is left. */
bool ranks_go(rank_engine *ranks, uint64_t events);
/* Returns the send of the next message that leaves at or before until, in order of time; false: none. */
bool ranks_depart(rank_engine *ranks, uint64_t until, uint32_t *op, uint64_t *time);
/* Reports the arrival of the message of a send; time is not before the last processed event. */
void ranks_arrive(rank_engine *ranks, uint32_t op, uint64_t time);

const ranks_totals *ranks_result(const rank_engine *ranks);
/* The end of the last operation of a rank. */
uint64_t ranks_end_of(const rank_engine *ranks, uint32_t rank);
/* True if a rank has operations that never end, after all events were processed. O(ops of the rank). */
bool ranks_hangs(const rank_engine *ranks, uint32_t rank);
/* Reports operations that never ended, after all events were processed. O(ops). */
void ranks_report(const rank_engine *ranks, bough_source_report *report);

#endif
