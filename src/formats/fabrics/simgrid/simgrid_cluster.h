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

/* Hosts that share a description, and the rate (bit/s) and delay (ps) of the link that each has. */
typedef struct simgrid_cabinet {
    uint32_t *host; /* [hosts]: their nodes, in memory of the cables */
    size_t hosts;
    uint64_t rate, delay;
} simgrid_cabinet;

/* Adds the hosts of the cabinet that begins here. Errors: as above. */
bough_status simgrid_read_cabinet(xml_file *x, bough_cables *cables, simgrid_cabinet *cabinet);

#endif
