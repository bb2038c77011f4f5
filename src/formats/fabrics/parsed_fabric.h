/* The content of a fabric file before its cables are checked. The readers of all formats fill a
 * bough_parsed_fabric; bough_parsed_assemble converts it to a fabric. */
#ifndef BOUGH_FORMATS_FABRICS_PARSED_FABRIC_H
#define BOUGH_FORMATS_FABRICS_PARSED_FABRIC_H

#include "base/files/input_blocks.h"
#include "base/memory/index_map.h"
#include "base/text/scanner.h"
#include "formats/fabrics/fabric.h"
#include "formats/fabrics/finding_list.h"

/* The content of one line about one node. */
typedef struct bough_parsed_node {
    bough_fabric_node own;   /* description and name are unused */
    bough_slice description; /* without NUL */
    uint32_t line;
} bough_parsed_node;

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

/* A list of hosts ("H1, H2" or "*") that a node reaches by a port. */
typedef struct bough_parsed_route {
    uint32_t node, port, line;
    bough_slice hosts;
} bough_parsed_route;

typedef struct bough_parsed_fabric {
    arena *kept;  /* of the fabric: its nodes, their descriptions, servers */
    arena memory; /* of all else, until the fabric is made */
    const char *name;
    const char *hosts; /* lists of cables: nodes that match are hosts; NULL: as in the file */
    bool made_ids;     /* see bough_fabric */
    bool merged;       /* see bough_fabric */
    bough_fabric_node *node;
    uint32_t *line; /* first line that names each node */
    size_t node_count;
    bough_parsed_port *port;
    size_t port_count;
    bough_parsed_route *route; /* ORCS only */
    size_t route_count;
    char *servers;            /* see bough_fabric */
    bough_index_map guids[3]; /* by kind: from the key used by cables to the node */
    bough_finding_log log;
    bough_error *error;   /* of the caller */
    uint64_t skipped;     /* lines that are no part of the data (base/text/terminal_text.h) */
    size_t unknown_rates; /* number of unknown link rates */
    char unknown_rate[BOUGH_FINDINGS_OF_A_KIND][32];
} bough_parsed_fabric;

/* ---- for the readers; errors go to parsed->error, their memory may come from parsed->memory ---- */

/* Makes room for as many nodes and ports, if there is memory for them; more may follow. */
void bough_parsed_expect(bough_parsed_fabric *parsed, uint64_t nodes, uint64_t ports);
/* Adds a node. */
bough_status bough_parsed_add_node(bough_parsed_fabric *parsed, const bough_parsed_node *node,
                                   uint32_t *index);
/* Adds a port; its peer and peer_node are found later. */
bough_status bough_parsed_add_port(bough_parsed_fabric *parsed, const bough_parsed_port *port);
/* Sets width, speed and rate from their texts ("4x", "QDR"). Returns false if unknown. */
bool bough_parsed_rate(bough_parsed_port *port, bough_slice width, bough_slice speed);
/* The same, with a finding if unknown; cabled and line must be set before. */
bool bough_parsed_set_rate(bough_parsed_fabric *parsed, bough_parsed_port *port, bough_slice width,
                           bough_slice speed);

/* Moves the nodes to the fabric, names them, pairs cable ends, and adds all findings. */
bough_status bough_parsed_assemble(bough_parsed_fabric *parsed, bough_fabric *fabric);
/* Steps of bough_parsed_assemble: unique names, and checks of the finished fabric. */
bough_status bough_fabric_names(bough_fabric_node *node, size_t count, bough_error *error);
bough_status bough_fabric_check(const bough_fabric *fabric, bough_finding_log *log, const uint32_t *node_line,
                                const uint32_t *port_line, bough_error *error);
/* Gives nodes the names of a node name map, by their GUIDs, and adds its content to a hash. Errors: those of
 * bough_input_read; INVALID with the line, and for a fabric without GUIDs. */
bough_status bough_fabric_read_names(bough_parsed_fabric *parsed, const char *path, uint64_t *hash);
/* Creates fabric->tables from the routes of an ORCS file. */
bough_status bough_orcs_tables(bough_parsed_fabric *parsed, bough_fabric *fabric);

/* A format of fabric files. */
typedef struct bough_fabric_reader {
    const char *format; /* as in bough_fabric */
    bool hosts_by_name; /* hosts= may select the hosts */
    bool has_routes;
    unsigned rank; /* of several files that describe one fabric the one with the highest is read; 0: none of
                      them */
    /* Returns whether a file of this format can start with this line. */
    bool (*recognise)(const scanner *scan);
    /* scan: before the first line. */
    bough_status (*read)(scanner *scan, bough_parsed_fabric *parsed);
    /* The same for a file in blocks, on threads; NULL: the format is read as a whole. */
    bough_status (*read_blocks)(input_blocks *blocks, unsigned threads, bough_parsed_fabric *parsed);
} bough_fabric_reader;

/* The reader of a file that begins like this, or NULL. */
const bough_fabric_reader *bough_fabric_reader_of(const char *data, size_t size);
/* What files of fabrics can be, for messages. */
extern const char bough_fabric_expected[];
/* What a file without a reader is, by its first line, and what would be right; NULL: unknown. */
const char *bough_fabric_other(const scanner *line);

extern const bough_fabric_reader bough_reader_ibnetdiscover, bough_reader_ibnetdiscover_ports,
    bough_reader_db_csv, bough_reader_subnet_list, bough_reader_link_info, bough_reader_link_info_lines,
    bough_reader_orcs, bough_reader_csv, bough_reader_anynet, bough_reader_topo, bough_reader_topology_conf,
    bough_reader_topology_yaml, bough_reader_containerlab, bough_reader_ns3, bough_reader_json,
    bough_reader_graphml, bough_reader_simgrid, bough_reader_ptm, bough_reader_netlist, bough_reader_net_dump,
    bough_reader_neighbours, bough_reader_topograph, bough_reader_ibdm;

#endif
