/* Lines of ibnetdiscover, and the ports among them, which are found ahead of the reader on any thread. */
#ifndef BOUGH_NETWORK_FILES_IBNETDISCOVER_LINES_H
#define BOUGH_NETWORK_FILES_IBNETDISCOVER_LINES_H

#include "network/imported/parsed_fabric.h"

/* The text around a quoted description. */
typedef struct ibnet_facts {
    bool has_lmc, has_rate;
    uint32_t lid;
    uint8_t lmc;
    bough_slice width, speed;
} ibnet_facts;

/* Reads the words up to the end of the line or the next quote. Errors: INVALID. */
bough_status ibnet_read_facts(bough_scan *scan, ibnet_facts *facts, bough_error *error);

/* "S-0002c90200400038". Errors: INVALID. */
bough_status ibnet_read_node(bough_scan *scan, bough_fabric_kind *kind, uint64_t *guid, bough_error *error);

/* The line of a port. */
typedef struct ibnet_port {
    bough_parsed_port port;
    bool odd_rate; /* the rate is unknown; its text: */
    bough_slice width, speed;
} ibnet_port;

/* [1]  "H-0002c90300000038"[1](2c90300000039)    # "h0014 HCA-1" lid 23 4xQDR
 * Sets all but the node of the port. Errors: INVALID. */
bough_status ibnet_read_port(bough_scan *scan, ibnet_port *port, bough_error *error);

/* A line of a port that has nothing to report; node and line of the port are not set. */
typedef struct usual_port {
    const char *start, *end;
    bough_parsed_port port;
} usual_port;

/* Those of a part of a file, in order. Zero-initialise; reused from part to part. */
typedef struct usual_ports {
    usual_port *item;
    size_t count, room;
    bool zero; /* there is a NUL byte */
} usual_ports;

/* data: whole lines. Without memory for more ports, the rest are not usual. */
void usual_ports_find(const char *data, size_t size, usual_ports *found);
void usual_ports_fini(usual_ports *found);

#endif
