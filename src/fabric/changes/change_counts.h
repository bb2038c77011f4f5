/* The counts of a comparison of two fabrics, under their names in JSON and in text. */
#ifndef BOUGH_FABRIC_CHANGES_CHANGE_COUNTS_H
#define BOUGH_FABRIC_CHANGES_CHANGE_COUNTS_H

#include "fabric/changes/changes.h"

typedef struct change_count {
    const char *key;   /* in JSON */
    const char *words; /* in text; NULL: not there */
    uint64_t value;
} change_count;

enum { COUNTS_MAX = 8 };
typedef struct change_counts {
    change_count of[COUNTS_MAX]; /* to the first without a key */
} change_counts;

change_counts change_count_nodes(const bough_node_changes *nodes);
change_counts change_count_cables(const bough_cable_changes *cables);
change_counts change_count_pairs(const bough_routing_changes *changes);

#endif
