/* Which nodes and ports of two fabrics are the same. */
#ifndef BOUGH_FABRIC_CHANGES_CHANGES_MATCH_H
#define BOUGH_FABRIC_CHANGES_CHANGES_MATCH_H

#include "formats/fabrics/fabric.h"

/* Zero-initialise. Of what has no like in the other fabric: BOUGH_NO_INDEX. */
typedef struct changes_same {
    arena memory;   /* of the arrays, and of what else compares the two; the caller frees it */
    uint32_t *node; /* [node of from]: the node of to */
    uint32_t *port; /* [port of from]: the port of to */
    bool by_name;   /* one of the two makes GUIDs up: names alone say what is the same */
    uint32_t sure;  /* nodes found by GUID; with by_name by name */
} changes_same;

/* Nodes by GUID, and those that are left by name and kind (an adapter or a switch that was replaced). Ports
 * by number or name; where a file has neither, by what they are cabled to. */
bough_status changes_match(const bough_fabric *from, const bough_fabric *to, changes_same *same,
                           bough_error *error);

/* Whether both files say which port of a node is which: by numbers, or both by names. */
bool changes_tell_ports(const bough_fabric_node *a, const bough_fabric_node *b);
/* The speed of a port: -1 now is slower, 1 faster, 0 as fast or not known. */
int changes_speed(const bough_fabric_port *old, const bough_fabric_port *now);

#endif
