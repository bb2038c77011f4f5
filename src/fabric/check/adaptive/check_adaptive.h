/* What `bough check` says about adaptive routing: how often switches have a choice, and what happens when a
 * cable or a switch dies while the groups stay as they are. Part of fabric/check/check.h. */
#ifndef BOUGH_FABRIC_CHECK_ADAPTIVE_CHECK_ADAPTIVE_H
#define BOUGH_FABRIC_CHECK_ADAPTIVE_CHECK_ADAPTIVE_H

#include "routing/adaptive/adaptive.h"

/* One cable or switch is dead, and a switch sends over the links of the group that are left. A packet that
 * comes to a switch whose group has none left is lost. */
typedef struct bough_adaptive_failure {
    uint64_t link; /* a cable: the lower of its two links; BOUGH_NONE: a switch */
    uint64_t node; /* a switch; BOUGH_NONE: a cable */
    uint64_t lost; /* pairs that lose packets, those of the switch's own endpoints included */
    uint64_t own;  /* of these, pairs of endpoints attached to the switch itself */
    double
        packets; /* expected fraction of the packets of the lost pairs that do not arrive; 0: no such pair */
    double
        alltoall; /* expected flows on the most loaded link under all-to-all, of what still arrives there */
    double slowdown; /* time of all-to-all, relative to the whole fabric; NAN where packets are lost */
} bough_adaptive_failure;

typedef struct bough_adaptive_list {
    char *spec;       /* canonical; owned */
    const char *what; /* "cable", "switch" */
    bough_adaptive_failure
        *item; /* worst first: by lost - own, lost, slowdown, all-to-all; then by id; owned */
    size_t count;
    size_t whole; /* failures after which every pair arrives, but those of the switch's own endpoints */
} bough_adaptive_list;

typedef struct bough_check_adaptive {
    bool known; /* the routing is adaptive over known groups; else nothing of this is set */
    bough_adaptive_groups groups;
    bough_adaptive_counts counts;
    double alltoall;           /* of the whole fabric, as in a failure; set where there are lists */
    uint64_t pairs;            /* that arrive there */
    bough_adaptive_list *list; /* [lists]: one for each `each:`, unless no entry has a choice; owned */
    size_t lists;
} bough_check_adaptive;

#endif
