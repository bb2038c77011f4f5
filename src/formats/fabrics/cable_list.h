/* Fabrics from lists of cables: nodes by name or number, and cables between them, without InfiniBand
 * identifiers. GUIDs and LIDs are synthetic: node i (from 0) has GUID 256 (i + 1), and port p of a host has
 * that plus p; LIDs count from 1, host by host the cables of each, then switches. The fabric records this
 * (made_ids), and nodes with synthetic port numbers do (made_ports). */
#ifndef BOUGH_FORMATS_FABRICS_CABLE_LIST_H
#define BOUGH_FORMATS_FABRICS_CABLE_LIST_H

#include "base/memory/name_map.h"
#include "formats/fabrics/parsed_fabric.h"

typedef struct bough_cable {
    struct bough_cable_end {
        uint32_t node;
        bough_slice port; /* its name in the input; length 0: none */
        uint32_t number;  /* (set on completion) */
    } end[2];
    uint64_t rate;  /* bit/s; 0: unknown */
    uint64_t delay; /* ps; if it is stated */
    bool delayed;
    uint32_t line;
} bough_cable;

typedef enum bough_cable_kind { BOUGH_CABLE_OPEN, BOUGH_CABLE_HOST, BOUGH_CABLE_SWITCH } bough_cable_kind;

/* A list of no cables; its memory is that of parsed. */
#define BOUGH_CABLES(of)                                                                                     \
    { .parsed = (of), .names.memory = &(of)->memory }
typedef struct bough_cables {
    bough_parsed_fabric *parsed;
    bough_cable *cable;
    size_t count;
    struct bough_cable_node {
        bough_cable_kind kind; /* OPEN: a host if it has one cable */
        uint64_t order;        /* hosts get LIDs in ascending order */
        uint32_t cables;
        bool panel;  /* a patch panel, as the file says; others are found by their names */
    } * node;        /* indexed as parsed->node */
    bool neighbours; /* may be a table of neighbours, which lists all cables from both ends, without ports */
    bool sightings;  /* what devices saw by LLDP: a port may have several neighbours */
    bool hosts_forward; /* those with cables to hosts do, although there are switches */
    bough_name_map names;
} bough_cables;

/* Errors go to parsed->error. */

/* Returns the node with this name. A new node gets its index as order. Names are any bytes but NUL. */
bough_status bough_cables_node(bough_cables *cables, bough_slice name, uint32_t line, uint32_t *node);
/* Both ends may be of one node: bough_parsed_assemble adds a finding. */
bough_status bough_cables_add(bough_cables *cables, const bough_cable *cable);
/* Completes the list: joins what is given in parts or twice, determines hosts (by parsed->hosts, if not
 * NULL), numbers ports and LIDs, and fills parsed. Nodes whose ports all have numbers from 1 to 254 keep
 * them; ports of other nodes are numbered in file order. In a list without switches hosts forward: host NAME
 * is an endpoint at a switch NAME.switch, which has its cables. Errors: INVALID with the line for a port that
 * is used twice, more than 254 cables at a node, too many LIDs. */
bough_status bough_cables_finish(bough_cables *cables);

/* Says that the file describes levels: one cable to each child, and no rates; whose: "Slurm's file". */
void bough_cables_note_levels(bough_cables *cables, const char *whose);

/* Steps of bough_cables_finish. Cables that are listed from both ends count once; those that go through patch
 * panels become one, and the panels no nodes. Findings say so. Errors: INVALID for a third cable at a place
 * of a panel. */
bough_status bough_cables_once(bough_cables *cables);
/* Of sightings: leaves out the cables of ports with several neighbours. */
bough_status bough_cables_drop_shared(bough_cables *cables);
bough_status bough_cables_join_panels(bough_cables *cables);

#endif
