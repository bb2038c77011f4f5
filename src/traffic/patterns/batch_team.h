/* The messages of a batch, drawn by a team of threads. */
#ifndef BOUGH_TRAFFIC_PATTERNS_BATCH_TEAM_H
#define BOUGH_TRAFFIC_PATTERNS_BATCH_TEAM_H

#include "base/thread_team.h"
#include "traffic/traffic.h"

/* What bough_batch_read returns. Threads draw parts where the pattern supports it, every endpoint sends, and
 * no permutation is drawn first; elsewhere, and with a team of NULL, the caller reads alone. */
bough_status batch_read_team(const bough_traffic *traffic, bough_key key, thread_team *team,
                             bough_batch *batch, bough_error *error);

#endif
