/* The hosts that a placement may take. */
#ifndef BOUGH_FABRIC_PLACEMENT_PLACEMENT_HOSTS_H
#define BOUGH_FABRIC_PLACEMENT_PLACEMENT_HOSTS_H

#include "fabric/check/check.h"
#include "network/hosts.h"
#include "network/slurm/switch_tree.h"

typedef struct placement_hosts {
    switch_tree tree;
    net_hosts machines; /* the same hosts, with their endpoints */
    uint32_t *free;     /* [frees]: hosts in the order of the leaves in the tree */
    uint32_t frees;
    uint32_t *asked; /* [askeds]: hosts of --place; NULL: a number */
    uint32_t askeds; /* wanted */
} placement_hosts;

/* place: a hostlist, or a number of hosts; busy: a hostlist, or NULL. Errors: INVALID as of placement_find;
 * those of switch_tree_make. */
bough_status placement_hosts_make(const bough_net *net, const char *place, const char *busy,
                                  placement_hosts *hosts, bough_error *error);
void placement_hosts_fini(placement_hosts *hosts);

#endif
