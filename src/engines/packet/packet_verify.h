/* clang-format off */
/* Assertions of valiant1982, checked on a run of `packet` (verify=1).
 *
 *   claim 3  Lemma 3: routes that separate never meet again in the same phase. Proved for bit fixing; on
 *            other networks it is tested, because Lemma 4 depends on it.
 *   claim 4  Lemma 4: the delay of a packet in a phase is at most |S|. It holds for every discipline that
 *            never leaves a link idle, wherever claim 3 holds and all packets of the phase start together: in
 *            batches, but not if the second phase starts at once (async), nor under half duplex or finite
 *            buffers, where links are idle while packets wait for them.
 *   claim 5  E[X(e)] = 1/2: under a via each of m packets crosses each dimension in each phase with
 *            probability 1/2, independently, so the crossings of a dimension differ from m/2 by more than
 *            sqrt(m ln(2/p) / 2) with probability p at most (Hoeffding). p: 1e-12 over the number of checks,
 *            so that a failure indicates a bug. The mean is 1/2 over every link if every node sends one
 *            packet.
 *   claim 2  Theorem 2: a phase takes at most 4d steps with probability 1 - 1/n^2 or more, if no node sends
 *            or receives more than one packet. A run may exceed this, which is counted and reported. Not under
 *            half duplex or finite buffers. */
/* clang-format on */
#ifndef BOUGH_ENGINES_PACKET_PACKET_VERIFY_H
#define BOUGH_ENGINES_PACKET_PACKET_VERIFY_H

#include "engines/packet/packet_meetings.h"
#include "method/method.h"

/* Adds rows CHECKED (and OVER_4D where claim 2 applies), and a note on
 * deviations from the paper that are not errors. Errors: FAILED, naming the first packet and link for which a
 * claim is false. */
bough_status packet_verify(const bough_run *run, const sim_engine *engine, const packet_routes *routes,
                           bough_rows *rows, bough_error *error);

#endif
