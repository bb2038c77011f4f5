#ifndef BOUGH_TRAFFIC_LISTS_MESSAGE_CSV_H
#define BOUGH_TRAFFIC_LISTS_MESSAGE_CSV_H

#include "base/files/input.h"
#include "traffic/traffic.h"

/* Binds the content of messages:FILE.csv to net as traffic: sets data (freed by fini of the kind, also after
 * an error), messages and shape. Errors: INVALID with file:line. */
bough_status messages_read(const bough_input *input, const bough_net *net, bough_traffic *traffic,
                           bough_error *error);
/* The same of arrays, which are copied; all messages at time 0, of size 1. */
typedef struct unsized_messages {
    const uint64_t *source, *destination; /* [count]: endpoints */
    size_t count;
} unsized_messages;
bough_status messages_take(const unsized_messages *given, const bough_net *net, bough_traffic *traffic,
                           bough_error *error);

#endif
