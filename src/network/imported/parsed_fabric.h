/* The content of a fabric file before its cables are checked. The readers of all formats fill a
 * bough_parsed_fabric; bough_parsed_assemble converts it to a fabric. */
#ifndef BOUGH_NETWORK_IMPORTED_PARSED_FABRIC_H
#define BOUGH_NETWORK_IMPORTED_PARSED_FABRIC_H

#include "base/memory/index_map.h"
#include "bough/fabric.h"
#include "network/files/line_scanner.h"
#include "network/imported/finding_list.h"

/* The content of one line about one port. */
typedef struct bough_parsed_port {
    bough_fabric_port own;       /* peer is unused */
    uint32_t line;               /* 0: no line of its own, known from the other end */
    bool cabled;                 /* the line names another end: */
    bough_fabric_kind peer_kind; /*   its node, */
    uint64_t peer_key;           /* as stored in guids[peer_kind] */
    uint32_t peer_number;        /*   port number, */
    uint64_t peer_guid;          /* and its port GUID and */
    uint32_t peer_lid;           /* LID; 0: unknown */
    uint32_t peer_node;          /* (set by bough_parsed_assemble) */
} bough_parsed_port;

typedef struct bough_parsed_fabric {
    const char *name;
    const char *hosts; /* lists of cables: nodes that match are hosts; NULL: as in the file */
    bool made_ids;     /* see bough_fabric */
    bough_fabric_node *node;
    uint32_t *line; /* first line that names each node */
    size_t node_count, node_capacity, line_capacity;
    bough_parsed_port *port;
    size_t port_count, port_capacity;
    bough_index_map guids[3]; /* by kind: from the key used by cables to the node */
    bough_finding_log log;
    uint64_t complaints; /* ignored messages of the tool that wrote the file */
    size_t odd_rates;    /* number of unknown link rates */
    char odd_rate[BOUGH_FINDINGS_OF_A_KIND][32];
} bough_parsed_fabric;

/* Adds a node; description has length bytes, without NUL. */
bough_status bough_parsed_add_node(bough_parsed_fabric *parsed, bough_fabric_kind kind, uint64_t guid,
                                   const char *description, size_t length, uint32_t line, uint32_t *index,
                                   bough_error *error);
/* Adds a port; *port is valid until the next call. */
bough_status bough_parsed_add_port(bough_parsed_fabric *parsed, uint32_t node, uint32_t number, uint32_t line,
                                   bough_parsed_port **port, bough_error *error);
/* Sets width, speed and rate from their texts ("4x", "QDR"); cabled must be set before. Returns false if
 * unknown. */
bool bough_parsed_set_rate(bough_parsed_fabric *parsed, bough_parsed_port *port, const char *width,
                           size_t width_length, const char *speed, size_t speed_length);
void bough_parsed_fini(bough_parsed_fabric *parsed);

/* Moves the nodes to the fabric, names them, pairs cable ends, and adds all findings. */
bough_status bough_parsed_assemble(bough_parsed_fabric *parsed, bough_fabric *fabric, bough_error *error);
/* Steps of bough_parsed_assemble: unique names, and checks of the finished fabric. */
bough_status bough_fabric_names(bough_fabric_node *node, size_t count, bough_error *error);
bough_status bough_fabric_check(const bough_fabric *fabric, bough_finding_log *log, const uint32_t *node_line,
                                const uint32_t *port_line, bough_error *error);

/* The readers. */
bough_status bough_ibnetdiscover_read(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error);
bough_status bough_ibnetdiscover_ports_read(bough_scan *scan, bough_parsed_fabric *parsed,
                                            bough_error *error);

#endif
