/* What a fabric file says, line by line, before its cables are checked: the readers of all formats fill a
 * bough_raw, and bough_raw_assemble makes the fabric of it. */
#ifndef BOUGH_NETWORK_RECORDED_RAW_FABRIC_H
#define BOUGH_NETWORK_RECORDED_RAW_FABRIC_H

#include "bough/fabric.h"
#include "network/files/guid_map.h"
#include "network/files/line_scanner.h"
#include "network/recorded/findings.h"

/* What one line says about one port. */
typedef struct bough_raw_port {
    bough_fabric_port own;       /* peer is not used */
    uint32_t line;               /* 0: no line of its own, known from the other end */
    bool cabled;                 /* the line names another end: */
    bough_fabric_kind peer_kind; /*   its node, */
    uint64_t peer_key;           /*   as it stands in guids[peer_kind] */
    uint32_t peer_number;        /*   port number, */
    uint64_t peer_guid;          /*   and what the line says about that port: GUID, */
    uint32_t peer_lid;           /*   and LID; 0 unknown */
    uint32_t peer_node;          /*   (found when assembling) */
} bough_raw_port;

typedef struct bough_raw {
    const char *name;
    const char *hosts; /* of lists of cables: who matches it is a host; NULL: as the file says */
    bool made_ids;     /* as in the fabric */
    bough_fabric_node *node;
    uint32_t *line; /* where each node is named first */
    size_t node_count, node_capacity, line_capacity;
    bough_raw_port *port;
    size_t port_count, port_capacity;
    bough_guids guids[3]; /* by kind: from the key that cables name to the node */
    bough_finder finder;
    uint64_t complaints; /* lines of the tool itself that were passed over */
    size_t odd_rates;    /* texts of link rates that are not known */
    char odd_rate[BOUGH_FINDINGS_OF_A_KIND][32];
} bough_raw;

/* A new node, with description (length bytes, without NUL). */
bough_status bough_raw_node(bough_raw *raw, bough_fabric_kind kind, uint64_t guid, const char *description,
                            size_t length, uint32_t line, uint32_t *index, bough_error *error);
/* A new port; *port is valid until the next one. */
bough_status bough_raw_port_add(bough_raw *raw, uint32_t node, uint32_t number, uint32_t line,
                                bough_raw_port **port, bough_error *error);
/* Sets width, speed and rate from their texts ("4x", "QDR"), after cabled was set; false when it is not
 * known. */
bool bough_raw_rate(bough_raw *raw, bough_raw_port *port, const char *width, size_t width_length,
                    const char *speed, size_t speed_length);
void bough_raw_fini(bough_raw *raw);

/* Moves the nodes into the fabric, names them, pairs the ends of the cables and adds all findings. */
bough_status bough_raw_assemble(bough_raw *raw, bough_fabric *fabric, bough_error *error);
/* Its parts: unique names; and what is odd in the finished fabric. */
bough_status bough_fabric_names(bough_fabric_node *node, size_t count, bough_error *error);
bough_status bough_fabric_check(const bough_fabric *fabric, bough_finder *finder, const uint32_t *node_line,
                                const uint32_t *port_line, bough_error *error);

/* The readers. */
bough_status bough_ibnetdiscover_read(bough_scan *scan, bough_raw *raw, bough_error *error);
bough_status bough_ports_read(bough_scan *scan, bough_raw *raw, bough_error *error);

#endif
