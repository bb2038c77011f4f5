#ifndef BOUGH_NETWORK_NETWORK_OBJECT_H
#define BOUGH_NETWORK_NETWORK_OBJECT_H

#include "base/json/json_writer.h"
#include "network/net.h"

/* Begins "network" with what each one has: spec, file_hash where it is from a file, endpoints, switches,
 * links, cables. The caller adds to it and ends it. spec: as it is to be written. */
void network_object_begin(json_writer *w, const bough_net *net, const char *spec);
/* Without faults. */
const char *network_object_spec(const bough_net *net);

#endif
