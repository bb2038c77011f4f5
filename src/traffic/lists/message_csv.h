#ifndef BOUGH_TRAFFIC_LISTS_MESSAGE_CSV_H
#define BOUGH_TRAFFIC_LISTS_MESSAGE_CSV_H

#include "base/files/input.h"
#include "bough/traffic.h"

/* The CSV of messages:FILE.csv, already read, as traffic on net: fills data (to be freed by the kind's fini,
 * also after an error), messages and shape. Errors: INVALID with file:line. */
bough_status messages_read(const bough_input *input, const bough_net *net, bough_traffic *traffic,
                           bough_error *error);

#endif
