/* Slurm's topology.conf of a site against the fabric. */
#ifndef BOUGH_FABRIC_PLACEMENT_SLURM_COMPARE_H
#define BOUGH_FABRIC_PLACEMENT_SLURM_COMPARE_H

#include "fabric/check/check.h"

/* Compares and adds findings, all of them warnings: slurm-leaf (a host is below another leaf), slurm-missing
 * (a host is not in the file), slurm-unknown (a node of the file is not in the fabric), slurm-twice (a node
 * is below two leaves), slurm-switch (a line and a switch of the fabric do not match). Leaves match by their
 * hosts: those with the most common hosts, one to one; other switches match if the same matched leaves are
 * below them. Names of switches do not count. Errors: as of topology_conf_parse and switch_tree_make. */
bough_status slurm_compare(const bough_net *net, const char *path, bough_check_slurm *slurm,
                           bough_findings *findings, bough_error *error);

#endif
