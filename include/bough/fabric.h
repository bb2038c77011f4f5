/* A real fabric as its files describe it: switches, adapters, ports, cables and forwarding tables, before it
 * becomes a network (bough/net.h). Nothing is repaired in silence: what is odd becomes a finding. */
#ifndef BOUGH_FABRIC_H
#define BOUGH_FABRIC_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_NO_INDEX UINT32_MAX

typedef enum bough_severity { BOUGH_INFO, BOUGH_WARN, BOUGH_ERROR } bough_severity;

/* kind: a short stable identifier for programs ("one-sided-cable"); where: file and line, or node and port;
 * text: one sentence for a person, with GUID, LID, port and both cable ends where they are known. */
typedef struct bough_finding {
    bough_severity severity;
    char *kind, *where, *text;
} bough_finding;

typedef struct bough_findings {
    bough_finding *item;
    size_t count, capacity;
} bough_findings;

bough_status bough_findings_add(bough_findings *findings, bough_severity severity, const char *kind,
                                const char *where, bough_error *error, const char *format, ...)
    BOUGH_PRINTF(6, 7);
void bough_findings_fini(bough_findings *findings);

typedef enum bough_fabric_kind {
    BOUGH_FABRIC_SWITCH,
    BOUGH_FABRIC_ADAPTER,
    BOUGH_FABRIC_ROUTER
} bough_fabric_kind;

typedef struct bough_fabric_port {
    uint32_t node, number; /* its node (index) and port number (1..) */
    uint32_t peer;         /* index of the port at the other end, or BOUGH_NO_INDEX: no cable */
    uint64_t guid;         /* adapters' port GUID; 0 unknown */
    uint32_t lid;          /* adapters: this port's LID; switches: 0 (see the node); 0 unknown */
    uint8_t lmc;           /* the port answers to lid .. lid + 2^lmc - 1 */
    uint16_t width;        /* lanes: 1 2 4 8 12; 0 unknown */
    uint64_t rate;         /* data rate of one direction in bit/s (after line coding); 0 unknown */
    char speed[8];         /* "SDR" .. "NDR" as printed; empty unknown */
} bough_fabric_port;

typedef struct bough_fabric_node {
    bough_fabric_kind kind;
    uint64_t guid;     /* node GUID; for ORCS files, which have none, the number in the name */
    char *description; /* the text the node gives itself; never NULL; any bytes but NUL */
    char name[96];     /* unique in this fabric, printable, no blanks at its ends; made from the
                          description ("node001"), with the GUID appended where that repeats */
    uint32_t lid;      /* switches: port 0's LID; 0 unknown */
    uint8_t lmc;
    uint32_t ports_declared; /* number of ports the file says it has */
    bool made_ports;         /* its ports are numbered in the order of the file, which has no numbers */
    bool aggregation;        /* an adapter that is a switch's own aggregation node (SHARP) */
} bough_fabric_node;

/* tables[switch node][lid] = output port, 0 the switch itself, BOUGH_NO_PORT no entry. */
#define BOUGH_NO_PORT 255
typedef struct bough_tables {
    uint32_t nodes; /* = fabric->node_count; rows of nodes that are no switches are NULL */
    uint32_t lids;  /* entries a row: LIDs 0 .. lids-1 */
    uint8_t **port; /* a row is NULL when the files hold no table for that switch */
    uint64_t hash;  /* of the input */
    uint64_t bytes; /* of memory: the rows, and the input while it was read */
} bough_tables;

typedef struct bough_fabric {
    char *source;       /* the path it was read from */
    const char *format; /* "ibnetdiscover", "ibnetdiscover -p", "orcs" */
    uint64_t hash;      /* of the input */
    bool made_ids;      /* a list of cables: GUIDs and LIDs go by places in the file; descriptions are
                           unique, and say which node is which */
    bough_fabric_node *node;
    uint32_t node_count;
    bough_fabric_port *port; /* sorted by (node, number); only ports that the file mentions */
    uint32_t port_count;
    bough_tables *tables; /* when the fabric file holds routes too (ORCS); else NULL */
    bough_findings findings;
} bough_fabric;

/* Reads a fabric file: ibnetdiscover plain or -p, ORCS dot, a list of cables as CSV
 * (node,port,node,port,rate), BookSim's anynet, htsim's .topo; the format is recognised from the content; .gz
 * and `-` work. Files that know no InfiniBand get GUIDs and LIDs: LIDs count hosts from 1, then switches.
 * Errors: INVALID with file:line and what would be right. Time and memory linear in the input. */
bough_status bough_fabric_read(const char *path, bough_fabric *fabric, bough_error *error);
/* The same; in a list of cables the nodes whose names match hosts (a regular expression of PCRE2; NULL:
 * those with one cable, unless the file says otherwise) are hosts, all others switches. */
bough_status bough_fabric_read_hosts(const char *path, const char *hosts, bough_fabric *fabric,
                                     bough_error *error);
/* The same from memory; name stands in messages. */
bough_status bough_fabric_parse(const char *name, const void *data, size_t size, bough_fabric *fabric,
                                bough_error *error);
void bough_fabric_fini(bough_fabric *fabric);

/* Ports of node: indices first .. first+count-1 of fabric->port. O(log ports). */
void bough_fabric_ports(const bough_fabric *fabric, uint32_t node, uint32_t *first, uint32_t *count);
/* The port numbered number of node, or BOUGH_NO_INDEX. */
uint32_t bough_fabric_port_find(const bough_fabric *fabric, uint32_t node, uint32_t number);

/* Reads forwarding tables for fabric: opensm-lfts.dump, opensm.fdbs, ibroute or dump_fts output; one file
 * with one or many tables, or a directory of per-switch files; tables are matched to switches by GUID. What
 * does not fit (a table of an absent switch, an entry towards a LID that no port has, an output port without
 * a cable, a switch without a table, entries beyond the declared range, a switch named twice) is added to
 * findings, not to an error. Errors: INVALID with file:line for lines that cannot be read. */
bough_status bough_tables_read(const char *path, const bough_fabric *fabric, bough_tables *tables,
                               bough_findings *findings, bough_error *error);
bough_status bough_tables_parse(const char *name, const void *data, size_t size, const bough_fabric *fabric,
                                bough_tables *tables, bough_findings *findings, bough_error *error);
void bough_tables_fini(bough_tables *tables);

#endif
