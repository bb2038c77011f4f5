#ifndef BOUGH_REPORT_TABLES_NETWORK_OBJECT_H
#define BOUGH_REPORT_TABLES_NETWORK_OBJECT_H

#include "bough/net.h"

#include <jansson.h>

/* What every "network" has: spec (without faults), file_hash where it is from a file, endpoints, switches,
 * links, cables. NULL: out of memory. */
json_t *network_object(const bough_net *net);

#endif
