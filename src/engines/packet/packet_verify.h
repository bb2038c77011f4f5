/* What valiant1982 proves, asserted on a run of `packet` (verify=1).
 *
 *   claim 3  Lemma 3: routes that separate never meet again in the same phase. Proved for bit fixing; on
 * other networks it is looked at, as Lemma 4 rests on it. claim 4  Lemma 4: a packet's delay in a phase is at
 * most |S|. It holds for every discipline that never leaves a link idle, wherever claim 3 was found true and
 * all packets of the phase start together: in batches, but not where the second phase begins at once (async).
 *   claim 5  E[X(e)] = 1/2: under a via each of m packets crosses each dimension in each phase with
 *            probability 1/2, independently, so the crossings of a dimension differ from m/2 by more than
 *            sqrt(m ln(2/p) / 2) with probability p at most (Hoeffding). p: 1e-12 over the number of checks,
 *            so that a failure is one of the program. It is 1/2 over every link where every node sends one
 *            packet.
 *   claim 2  Theorem 2: a phase takes at most 4d steps with probability 1 - 1/n^2 or more, if no node sends
 * or receives more than one packet. A run may exceed it: that is counted, and said. */
#ifndef BOUGH_ENGINES_PACKET_PACKET_VERIFY_H
#define BOUGH_ENGINES_PACKET_PACKET_VERIFY_H

#include "bough/method.h"
#include "engines/packet/packet.h"
#include "engines/packet/packet_routes.h"

/* meetings: of the phases of the run. Adds rows CHECKED (and OVER_4D where claim 2 is looked at), and a note
 * on what was not as the paper has it without being wrong. Errors: FAILED, naming the first packet and
 * link for which a claim is false. */
bough_status packet_verify(const bough_run *run, const sim_engine *engine, const packet_trace *trace,
                           const packet_meetings *meetings, bough_rows *rows, bough_error *error);

#endif
