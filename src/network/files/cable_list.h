/* Fabrics from files that list cables, or from which cables can be made: nodes by name or number, cables
 * between them, and no InfiniBand. GUIDs and LIDs are of our making: node i (from 0) has GUID 256 (i + 1),
 * port p of a host that plus p; LIDs count from 1, host by host the cables of each, then switches. The fabric
 * says so (made_ids), and nodes whose ports are numbered here do (made_ports). */
#ifndef BOUGH_NETWORK_FILES_CABLE_LIST_H
#define BOUGH_NETWORK_FILES_CABLE_LIST_H

#include "network/recorded/raw_fabric.h"

typedef struct bough_cable {
    struct bough_cable_end {
        uint32_t node;
        const char *port; /* its name, a part of the input; length 0: none */
        size_t length;
        uint32_t number; /* (found at the end) */
    } end[2];
    uint64_t rate; /* bit/s; 0 unknown */
    uint32_t line;
} bough_cable;

typedef enum bough_cable_kind { BOUGH_CABLE_OPEN, BOUGH_CABLE_HOST, BOUGH_CABLE_SWITCH } bough_cable_kind;

/* Zero-initialise all but raw. */
typedef struct bough_cables {
    bough_raw *raw;
    bough_cable *cable;
    size_t count, capacity;
    struct bough_cable_node {
        bough_cable_kind kind; /* OPEN: a host if it has one cable */
        uint64_t order;        /* hosts get LIDs in ascending order */
        uint32_t cables;
    } * node; /* as raw->node */
    size_t node_capacity;
    bough_guids names; /* hash of the name -> node */
} bough_cables;

/* The node of this name; made where it is new, with the order of its index. Names are any bytes but NUL. */
bough_status bough_cables_node(bough_cables *cables, const char *name, size_t length, uint32_t line,
                               uint32_t *node, bough_error *error);
/* A cable; *cable is valid until the next one. Errors: INVALID for a cable from a node to itself. */
bough_status bough_cables_add(bough_cables *cables, uint32_t a, uint32_t b, uint32_t line,
                              bough_cable **cable, bough_error *error);
/* Decides what is a host (raw->hosts where it is not NULL: who matches it), numbers ports and LIDs, and fills
 * raw. Ports keep their numbers where all ports of a node have one from 1 to 254; else they are numbered in
 * the order of the file. Errors: INVALID with the line for a port that is used twice, more than 254 cables at
 * a node, more LIDs than there are. */
bough_status bough_cables_finish(bough_cables *cables, bough_error *error);
void bough_cables_fini(bough_cables *cables);

/* The readers. */
bough_status bough_edges_read(bough_scan *scan, bough_raw *raw, bough_error *error);
bough_status bough_anynet_read(bough_scan *scan, bough_raw *raw, bough_error *error);
bough_status bough_topo_read(bough_scan *scan, bough_raw *raw, bough_error *error);
/* Whether this line can be the first one of such a file. */
bool bough_edges_header(const bough_scan *scan);
bool bough_anynet_line(const bough_scan *scan);
bool bough_topo_line(const bough_scan *scan);

#endif
