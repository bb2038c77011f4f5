/* Slurm's topology.conf for topology/tree, as read: also what `scontrol show topology` prints, and the tree
 * of a topology.yaml. */
#ifndef BOUGH_FORMATS_SLURM_TOPOLOGY_CONF_H
#define BOUGH_FORMATS_SLURM_TOPOLOGY_CONF_H

#include "formats/slurm/host_list.h"

/* One line. Names are entries of the lists below. */
typedef struct conf_switch {
    uint32_t name, line;
    uint32_t first_node, nodes; /* hosts first_node .. first_node + nodes - 1 */
    uint32_t first_child, children;
} conf_switch;

/* Zero-initialise. */
typedef struct topology_conf {
    conf_switch *item;
    size_t count;
    host_list name, node, child; /* of switches; of their hosts; of the switches below them */
    uint32_t *child_item;        /* [child.count]: the line of each */
    uint32_t *order;             /* [count]: lines, parents before children */
    char *topology;              /* of topology.yaml: the name of the one that was read; else NULL */
    uint32_t topologies;         /* that it has */
    arena memory;                /* of the arrays */
} topology_conf;

/* Either form. name: of the file, for messages. Lists are expanded, and every child is found. Errors: INVALID
 * with the line for wrong syntax, a switch without a list or with two of them, a name that is given twice, a
 * child that does not exist, switches below themselves; for topology/block, which has no switches; TOO_LARGE
 * as of hostlists. */
bough_status topology_conf_parse(const char *name, const char *data, size_t size, topology_conf *conf,
                                 bough_error *error);
void topology_conf_fini(topology_conf *conf);

#endif
