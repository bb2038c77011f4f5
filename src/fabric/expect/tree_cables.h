/* Cables of a tree that deviate from its groups. */
#ifndef BOUGH_FABRIC_EXPECT_TREE_CABLES_H
#define BOUGH_FABRIC_EXPECT_TREE_CABLES_H

#include "fabric/expect/tree_shape.h"

/* A cable that should be between two switches, the lower one first, or not. */
typedef struct odd_cable {
    uint32_t node[2];
    uint32_t link;  /* from node[0]; TREE_NONE: the cable is missing */
    uint32_t count; /* of cables between the two */
    unsigned usual; /* how many there should be */
    bool taken;     /* it is reported with another one */
} odd_cable;

typedef struct odd_list {
    odd_cable *item;
    size_t count;
} odd_list;

/* Zero-initialise. */
typedef struct odd_cables {
    arena memory;              /* of the lists; the caller frees it */
    odd_list missing, extra;   /* extra: those within no group first */
    uint64_t planned, cables;  /* between switches */
    uint64_t irregular;        /* of cables: of layers where too many deviate, which are not listed */
    bool skipped[TREE_LEVELS]; /* [level]: these layers */
} odd_cables;

/* Cables between the same two switches follow each other: whether this one is the first. */
static inline bool odd_is_new_pair(const odd_list *list, size_t i) {
    return i == 0 || list->item[i].node[0] != list->item[i - 1].node[0] ||
           list->item[i].node[1] != list->item[i - 1].node[1];
}

/* Said beside a name with ports. */
#define ODD_CABLE_PORTS "; the ports are free, and other switches use them for such cables"
/* "leaf6/19 - spine4/11", or "leaf6 - spine4" where ports are not known: of a missing cable those free ports
 * that most other switches use for their cables to the same switch. Returns whether it names ports. */
bool odd_cable_name(const bough_net *net, const odd_cable *missing, char *buffer, size_t size);

/* cables: [level]: how many cables two switches of a group should have. Layers where more than a quarter of
 * the pairs of switches deviate are skipped. */
bough_status odd_cables_find(const tree *t, const uint32_t cables[TREE_LEVELS], odd_cables *odd,
                             bough_error *error);

#endif
