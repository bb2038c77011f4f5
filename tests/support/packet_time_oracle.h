/* What engines/packet/packet_timed.h says, done as it stands there, with one list of packets that is searched
 * for everything: slow, plain, and without a queue, a heap or a table of its own. */
#ifndef BOUGH_TESTS_PACKET_TIME_ORACLE_H
#define BOUGH_TESTS_PACKET_TIME_ORACLE_H

#include "engines/packet/packet_timed.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

typedef struct time_oracle_result {
    uint64_t end, arrived, hops, crossings, packets, queue_max, wait_max;
    unsigned __int128 wait;
    uint64_t *busy;  /* [links] */
    uint64_t *taken; /* [arrived]: ps from start to arrival, in order of arrival */
} time_oracle_result;

/* Runs a source of picoseconds and bytes to its end. A message without a route ends the program. */
void time_oracle_run(const bough_routing *routing, const packet_timed_options *options, bough_source *source,
                     bough_key key, time_oracle_result *result);
void time_oracle_fini(time_oracle_result *result);

#endif
