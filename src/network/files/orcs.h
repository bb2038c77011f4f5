/* ORCS (Oblivious Routing Congestion Simulator) dot files: topology and routes in one. */
#ifndef BOUGH_NETWORK_FILES_ORCS_H
#define BOUGH_NETWORK_FILES_ORCS_H

#include "network/imported/parsed_fabric.h"

/* The routes of one line: the hosts (part of the input: "H1, H2" or "*") behind a port of a node. */
typedef struct bough_orcs_route {
    uint32_t node, number, line;
    const char *hosts;
    size_t length;
} bough_orcs_route;

typedef struct bough_orcs {
    bough_orcs_route *route;
    size_t count, capacity;
} bough_orcs;

/* Reads the topology into parsed. The routes stay in orcs (zero-initialised) until the fabric is assembled.
 */
bough_status bough_orcs_read(const char *data, size_t size, bough_parsed_fabric *parsed, bough_orcs *orcs,
                             bough_error *error);
/* Creates fabric->tables. */
bough_status bough_orcs_tables(const bough_orcs *orcs, bough_fabric *fabric, bough_finding_log *log,
                               bough_error *error);
void bough_orcs_fini(bough_orcs *orcs);

#endif
