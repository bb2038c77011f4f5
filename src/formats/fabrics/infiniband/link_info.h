/* The lines of iblinkinfo, and the fabric that they describe. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_LINK_INFO_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_LINK_INFO_H

#include "formats/fabrics/parsed_fabric.h"

/* A node as a heading gives it. */
typedef struct link_info_heading {
    bough_fabric_kind kind;
    uint64_t guid; /* of a switch; else 0 */
    bough_slice description;
    uint32_t line;
} link_info_heading;

typedef struct link_info_end {
    uint64_t guid; /* of the switch, or of the port of an adapter; 0: not on the line */
    uint32_t lid, number;
    bough_slice description;
} link_info_end;

/* A line of a port. */
typedef struct link_info_port {
    uint32_t heading, line; /* heading: an index, or BOUGH_NO_INDEX with --line */
    link_info_end own, peer;
    bool cabled;
    bough_slice width, speed;
    bough_slice could; /* "Could be 100 Gbps"; length 0: the line does not say so */
} link_info_port;

typedef struct link_info {
    link_info_heading *heading;
    link_info_port *port;
    size_t headings, ports;
} link_info;

/* Fills parsed with the nodes, ports and cables. */
bough_status link_info_enter(const link_info *info, bough_parsed_fabric *parsed);

#endif
