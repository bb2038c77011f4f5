/* The network of `loggops`: links of endpoints send and receive one message at a time, in the order in which
 * the messages reach them. All other links are free at any time. A message on an idle network takes as long
 * as in `flow`: its bytes over the slowest link of its path, and the delays of the links.
 *
 * The path is that of the routing without load: the first live link of every route. */
#ifndef BOUGH_ENGINES_SCHEDULE_HOST_NETWORK_H
#define BOUGH_ENGINES_SCHEDULE_HOST_NETWORK_H

#include "method/method.h"

typedef struct host_network host_network;

bough_status host_network_make(const bough_routing *routing, host_network **network, bough_error *error);
void host_network_destroy(host_network *network); /* NULL is allowed */
/* Records the messages of the next runs; NULL: records nothing. Borrows seen. */
void host_network_observe(host_network *network, struct timeline *seen);
/* Runs a source, which counts bytes and picoseconds, to its end. run: stop flag and progress. Errors:
 * INTERRUPTED, NO_MEMORY. */
bough_status host_network_run(host_network *network, const bough_run *run, bough_key key,
                              bough_source *source, bough_error *error);
/* The messages of the last run that had no route, and the first of them. */
typedef struct lost_messages {
    uint64_t count;
    uint32_t source, address;
} lost_messages;
lost_messages host_network_lost(const host_network *network);
/* Memory, bytes, apart from messages in flight. */
uint64_t host_network_bytes(const bough_net *net);

#endif
