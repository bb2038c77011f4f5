/* Graphs in JSON: node-link data as NetworkX has it, links and ports of UFM, the graph of NetQ, tables of
 * neighbours, instances of topograph, and what lldpctl prints. */
#ifndef BOUGH_FORMATS_FABRICS_GRAPHS_JSON_GRAPHS_H
#define BOUGH_FORMATS_FABRICS_GRAPHS_JSON_GRAPHS_H

#include "base/json/json_build.h"
#include "formats/fabrics/cable_list.h"

/* Reports INVALID; the message is: before, the word (may be NULL), after. */
bough_status json_graph_fail(const bough_cables *c, const char *before, const char *word, const char *after);
/* The node with this name; an empty name, or one with a NUL byte, is refused. */
bough_status json_graph_node(bough_cables *c, const json_t *name, uint32_t *node);
/* The value of a text, or of a whole number, which is written to memory of the fabric; else length 0. */
bough_status json_graph_text(bough_cables *c, const json_t *value, bough_slice *text);

bool json_is_node_link(const json_t *root);
bough_status json_read_node_link(bough_cables *c, const json_t *root);
bool json_is_ufm(const json_t *root);
bough_status json_read_ufm(bough_cables *c, const json_t *root);
bool json_is_netq(const json_t *root);
bough_status json_read_netq(bough_cables *c, const json_t *root);
bool json_is_neighbours(const json_t *root);
bough_status json_read_neighbours(bough_cables *c, const json_t *root);
bool json_is_topograph(const json_t *root);
bough_status json_read_topograph(bough_cables *c, const json_t *root);
bool json_is_lldp(const json_t *root);
bough_status json_read_lldp(bough_cables *c, const json_t *root);

#endif
