/* Changes of a point: the rates of links of a class, the rate of one cable, the computations of one host, or
 * a parameter of the setting, times a factor. A changed point borrows all else from the point. */
#ifndef BOUGH_ENGINES_SENSITIVITY_POINT_CHANGES_H
#define BOUGH_ENGINES_SENSITIVITY_POINT_CHANGES_H

#include "method/method.h"

typedef enum change_kind {
    CHANGE_ALL_LINKS,   /* rate of all links: where several limit, a change of one of them changes nothing */
    CHANGE_HOST_LINKS,  /* rate of the links of endpoints; of GPUs: part 0 to the NIC, 1 to the switch of the
                           node */
    CHANGE_LEVEL_LINKS, /* rate of the links of level `part` between switches */
    CHANGE_LINK,        /* rate of the cable of link `part`, both directions */
    CHANGE_HOST,        /* computations on endpoint `part` */
    CHANGE_COMPUTE,     /* all computations */
    CHANGE_DELAY,       /* of links; then of switches, and costs of hosts */
    CHANGE_SWITCH,
    CHANGE_O,
    CHANGE_GAP,
    CHANGE_O_BYTE
} change_kind;

typedef struct point_change {
    change_kind kind;
    uint64_t part;
    double value; /* for the caller */
} point_change;

/* How many single parts to change. */
typedef struct change_counts {
    unsigned links; /* the most loaded cables, by the time of the bytes of either direction */
    unsigned hosts; /* those with the most computations */
} change_counts;

/* All changes that may matter to the point: parts that exist, costs above 0. The caller frees *change. */
bough_status changes_list(const bough_point *point, change_counts counts, point_change **change,
                          size_t *count, bough_error *error);
/* "rate of links of hosts", "rate of cable s1.0/4 -> s2.0/0", "o". Returns buffer. */
char *change_name(const bough_point *point, const point_change *change, char *buffer, size_t size);

/* The copies behind a changed point. */
typedef struct changed_point {
    bough_point point;
    bough_net net;
    bough_routing routing;
    bough_traffic traffic;
    bough_workload workload;
    bough_physical physical;
    bough_speeds speeds;
    bough_compute_nodes nodes; /* if the point has them */
    bough_net fabric;
    uint32_t *rate, *compute; /* owned */
    double factor;            /* of the change after rounding; 1: it is too small to change anything */
} changed_point;
/* In place: do not move it. Errors: NO_MEMORY. */
bough_status changed_point_make(const bough_point *point, const point_change *change, double factor,
                                changed_point *changed, bough_error *error);
void changed_point_fini(changed_point *changed);

#endif
