/* Ports of a file that names both ends of a cable on one line. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_PORT_LIST_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_PORT_LIST_H

#include "formats/fabrics/parsed_fabric.h"

/* Its memory is that of parsed. */
#define PORT_LIST(of)                                                                                        \
    { .parsed = (of), .place.memory = &(of)->memory }
typedef struct port_list {
    bough_parsed_fabric *parsed;
    bough_index_map place; /* node << 8 | number -> index of parsed->port */
} port_list;

/* The node with this GUID, added if it is new; its description and number of ports are those of the first
 * line that names it. */
bough_status port_list_node(port_list *list, const bough_parsed_node *node, uint32_t *index);
/* The port of a node, added without a cable if it is new. port: all but own.node, own.number, own.guid,
 * own.lid, own.lmc and line is ignored. */
bough_status port_list_port(port_list *list, const bough_parsed_port *port, uint32_t *index);
/* The port, or BOUGH_NO_INDEX. */
uint32_t port_list_find(const port_list *list, uint32_t node, uint32_t number);
/* The line of port a names port b as its other end; whether that one agrees is checked by the assembly. */
bough_status port_list_point(port_list *list, uint32_t a, uint32_t b, uint32_t line);
/* Joins two ports by a cable. A port that has another one becomes a duplicate, which the assembly reports. */
bough_status port_list_join(port_list *list, uint32_t a, uint32_t b, uint32_t line);

#endif
