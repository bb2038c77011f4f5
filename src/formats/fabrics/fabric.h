/* An imported fabric: switches, adapters, ports, cables and forwarding tables as in its files, before
 * conversion to a network (network/net.h). Readers repair nothing silently: irregularities become findings.
 */
#ifndef BOUGH_FORMATS_FABRICS_FABRIC_H
#define BOUGH_FORMATS_FABRICS_FABRIC_H

#include "base/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_NO_INDEX UINT32_MAX
/* The largest unicast LID; larger ones are multicast groups. */
#define BOUGH_LID_MAX  0xBFFF
#define BOUGH_PORT_MAX 254
/* Characters of the name of a port, and a NUL. */
#define BOUGH_PORT_NAME 48
/* Of a server: GPUs, and bit/s of a GPU to the NVSwitch. */
#define BOUGH_SERVER_GPUS 1024
#define BOUGH_SERVER_RATE UINT64_C(60000000000000)

typedef enum bough_severity { BOUGH_INFO, BOUGH_WARN, BOUGH_ERROR } bough_severity;

/* kind: short stable identifier for programs ("one-sided-cable"). where: file and line, or node and port.
 * text: one sentence for the user, with GUID, LID, port and both cable ends if known. */
typedef struct bough_finding {
    bough_severity severity;
    char *kind, *where, *text;
} bough_finding;

typedef struct bough_findings {
    bough_finding *item;
    size_t count;
    arena memory;
} bough_findings;

/* All of a finding but its text. line 0: `where` is the whole place. */
typedef struct bough_finding_head {
    bough_severity severity;
    const char *kind, *where;
    uint64_t line; /* of the file `where` */
} bough_finding_head;

bough_status bough_findings_add(bough_findings *findings, const bough_finding_head *head, bough_error *error,
                                const char *format, ...) BOUGH_PRINTF(4, 5);
void bough_findings_fini(bough_findings *findings);

typedef enum bough_fabric_kind {
    BOUGH_FABRIC_SWITCH,
    BOUGH_FABRIC_ADAPTER,
    BOUGH_FABRIC_ROUTER
} bough_fabric_kind;

typedef struct bough_fabric_port {
    uint32_t node, number; /* node index and port number (1..) */
    uint32_t peer;         /* port index of the other end; BOUGH_NO_INDEX: no cable */
    bool delayed;          /* the file states the delay of the cable */
    uint64_t guid;         /* port GUID of an adapter; 0: unknown */
    uint32_t lid;          /* LID of an adapter port; 0: unknown, or a switch (see the node) */
    uint8_t lmc;           /* the port has the LIDs lid .. lid + 2^lmc - 1 */
    uint16_t width;        /* lanes: 1 2 4 8 12; 0: unknown */
    uint64_t rate;         /* data rate per direction in bit/s (after line coding); 0: unknown */
    uint64_t delay;        /* ps from one end of the cable to the other, if it is stated */
    char speed[8];         /* "SDR" .. "NDR" as printed; empty: unknown */
    const char *name;      /* in files whose names are no numbers ("swp5s1"); NULL: the number is its name */
} bough_fabric_port;

typedef struct bough_fabric_node {
    bough_fabric_kind kind;
    uint64_t guid;     /* node GUID; for ORCS files, which have none, the number in the name */
    char *description; /* node description; never NULL; any bytes but NUL */
    /* Unique in this fabric, printable, without leading or trailing blanks; derived from the description
     * ("node001"), with the GUID appended if not unique. */
    char name[96];
    uint32_t lid; /* LID of a switch (port 0); 0: unknown */
    uint8_t lmc;
    uint32_t ports_declared; /* number of ports according to the file */
    bool made_ports;         /* synthetic port numbers in file order: the file has none */
    bool named_ports;        /* and it names all ports of the node */
    bool short_host;         /* its host is that of others without the domain: node001 for node001.cluster */
    bool aggregation;        /* aggregation node of a switch (SHARP), an adapter */
    uint32_t server; /* that the file puts the adapter in, from 1; 0: the description names its host */
} bough_fabric_node;

/* tables[switch node][lid] = output port; 0: the switch itself; BOUGH_NO_PORT: no entry. */
#define BOUGH_NO_PORT 255
typedef struct bough_tables {
    uint32_t nodes;                  /* = fabric->node_count; rows of other nodes are NULL */
    uint32_t lids;                   /* entries per row: LIDs 0 .. lids-1 */
    uint8_t **port;                  /* a row is NULL if the files have no table for the switch */
    struct bough_table_block *block; /* memory of the rows */
    uint64_t hash;                   /* of the input */
    uint64_t bytes;                  /* allocated memory: rows, and the input while it was read */
} bough_tables;

/* What bough_tables_read reads. */
typedef struct bough_tables_file {
    const char *path;
    unsigned threads; /* that reading may use; 0: one */
} bough_tables_file;

typedef struct bough_fabric {
    arena memory;       /* of all arrays and texts but those of tables and findings */
    char *source;       /* path of the input file */
    const char *format; /* "ibnetdiscover", "ibnetdiscover -p", "iblinkinfo", "lst", "db_csv", "orcs", ... */
    uint64_t hash;      /* of the input */
    bool made_ids; /* a list of cables: GUIDs and LIDs are synthetic, from positions in the file; descriptions
                      are unique and identify nodes */
    bool hosts_by_name; /* the format may leave open which nodes are hosts: hosts= says so */
    bool without_lids;  /* the file has GUIDs and no LID at all: those of the fabric are synthetic */
    bool merged;        /* a cable of the file may stand for several, as in those of Slurm */
    bough_fabric_node *node;
    uint32_t node_count;
    bough_fabric_port *port; /* sorted by (node, number); only ports that the file lists */
    uint32_t port_count;
    bough_tables *tables; /* if the fabric file contains routes (ORCS); else NULL */
    char *servers;        /* compute nodes that the file describes, as a spec of
                             network/compute_nodes/compute_nodes.h; NULL: none */
    bough_findings findings;
} bough_fabric;

typedef struct bough_fabric_file {
    const char *path;
    /* For lists of cables: nodes whose names match this PCRE2 expression are hosts, all others switches. NULL
     * or empty: nodes with one cable are hosts, unless the file specifies otherwise. */
    const char *hosts;
    const char *names; /* path of a node name map (ib-node-name-map); NULL or empty: none */
    unsigned threads;  /* that reading may use; 0: one */
} bough_fabric_file;
/* Reads a fabric file: ibnetdiscover plain or -p, iblinkinfo, ibdiagnet2.db_csv, opensm-subnet.lst, ORCS dot,
 * a list of cables as CSV (node,port,node,port,rate), BookSim anynet, htsim .topo, Slurm's topology.conf or
 * topology.yaml, a topology of ns-3 models, node-link data of NetworkX or the output of lldpctl as JSON. The
 * format is detected from the content. The file may be compressed, one of an archive (ARCHIVE/FILE), or `-`.
 * Of the files of a directory or an archive the one that says most about the fabric is read; a finding lists
 * the others. Formats without InfiniBand identifiers get synthetic GUIDs and LIDs: LIDs count hosts from 1,
 * then switches. The caller frees the fabric with bough_fabric_fini. Errors: INVALID with file:line and the
 * expected syntax. Time and memory are linear in the input. */
bough_status bough_fabric_read_file(const bough_fabric_file *file, bough_fabric *fabric, bough_error *error);
/* The same from memory; name is used in messages. */
bough_status bough_fabric_parse(const char *name, const void *data, size_t size, bough_fabric *fabric,
                                bough_error *error);
void bough_fabric_fini(bough_fabric *fabric);

/* The name of the host of an adapter: adapters of one name are of one host. Cut to fit. */
enum { BOUGH_FABRIC_HOST_NAME = 160 };
char *bough_fabric_host_name(const bough_fabric_node *adapter, char *buffer, size_t size);
/* Ports of a node: indices first .. first+count-1 of fabric->port. O(log ports). */
void bough_fabric_ports(const bough_fabric *fabric, uint32_t node, uint32_t *first, uint32_t *count);
/* The index of port `number` of a node, or BOUGH_NO_INDEX. */
uint32_t bough_fabric_port_find(const bough_fabric *fabric, uint32_t node, uint32_t number);
/* The index of the port of a node that has the number of a port of another file, or its name where both files
 * name all ports of the node; or BOUGH_NO_INDEX. O(ports of the node). */
uint32_t bough_fabric_port_like(const bough_fabric *fabric, uint32_t node, const bough_fabric_port *other);
/* "leaf1/19", "leaf1/swp5s1"; "leaf1" if the file has neither number nor name. Returns buffer. */
char *bough_fabric_port_text(const bough_fabric *fabric, uint32_t port, char *buffer, size_t size);

/* The files of forwarding tables in the directory or archive of a fabric, as paths for bough_tables_read. A
 * directory of tables of single switches (ibroute) is one path. *count 0: none, or the path is one file or
 * standard input. The paths are in the memory. */
bough_status bough_fabric_tables_beside(const char *path, arena *memory, char ***tables, size_t *count,
                                        bough_error *error);

/* Reads forwarding tables: opensm-lfts.dump, opensm.fdbs, ibdiagnet2.fdbs, output of ibroute or dump_fts; one
 * file with one or more tables, or a directory of per-switch files. Tables are matched to switches by GUID.
 * Inconsistencies are added to findings: the table of an absent switch, an entry for a LID without a port, an
 * output port without a cable, a switch without a table or with two, entries beyond the declared range.
 * Errors: INVALID with file:line for unreadable lines. */
bough_status bough_tables_read(const bough_tables_file *file, const bough_fabric *fabric,
                               bough_tables *tables, bough_findings *findings, bough_error *error);
void bough_tables_fini(bough_tables *tables);

#endif
