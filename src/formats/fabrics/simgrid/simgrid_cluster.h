/* The element `cluster` of SimGrid platforms: hosts and the network that joins them, from a few numbers. */
#ifndef BOUGH_FORMATS_FABRICS_SIMGRID_SIMGRID_CLUSTER_H
#define BOUGH_FORMATS_FABRICS_SIMGRID_SIMGRID_CLUSTER_H

#include "base/xml/xml_file.h"
#include "formats/fabrics/cable_list.h"

/* Rates: 125MBps, 1Gbps; a number without a unit is B/s. False if invalid. */
bool simgrid_rate(const char *text, uint64_t *rate);
/* Times: 50us; a number without a unit is seconds. False if invalid, negative or more than 1 s. */
bool simgrid_time(const char *text, uint64_t *ps);

/* Adds the hosts, switches and cables of the cluster that begins here. Topologies: FLAT, FAT_TREE, TORUS.
 * Errors: INVALID with file:line, NO_MEMORY. */
bough_status simgrid_read_cluster(xml_file *x, bough_cables *cables);

#endif
