/* What changed between two recordings of a fabric: `bough check NEW --against OLD`.
 *
 * Nodes are the same where their GUIDs are, or else their names (an adapter that was replaced); where one of
 * the files has no GUIDs (a list of cables), their names alone. Ports are the same where their nodes and
 * numbers are; where a file does not number them, those on a cable between the same two nodes. LIDs may
 * differ. */
#ifndef BOUGH_CHANGES_H
#define BOUGH_CHANGES_H

#include "bough/check_routing.h"
#include "bough/routing.h"

typedef struct bough_node_changes {
    uint64_t before, now;
    uint64_t gone, fresh; /* only in the one, only in the other */
    uint64_t replaced;    /* the same name and kind with another GUID */
    uint64_t renamed;     /* the same GUID with another description */
    uint64_t relabelled;  /* the same GUID and port with another LID */
} bough_node_changes;

typedef struct bough_cable_changes {
    uint64_t before, now;
    uint64_t gone, fresh;    /* not counting moved ones */
    uint64_t moved;          /* one end is in the same port, or both ends are at the same nodes */
    uint64_t slower, faster; /* by width times speed */
} bough_cable_changes;

typedef struct bough_fabric_changes {
    bough_node_changes host, other; /* adapters; switches and routers */
    bough_cable_changes access;     /* cables to adapters */
    bough_cable_changes inner;      /* between switches */
} bough_fabric_changes;

/* Adds to findings: warnings for what is gone, moved or slower, information for the rest; a cable of a node
 * that is gone or new is counted and not named. where: the node or port, as the new file names it where it
 * can. Linear in both files but for sorting. Errors: INVALID where no GUID is in both (without GUIDs: no
 * name); NO_MEMORY. */
bough_status bough_fabric_compare(const bough_fabric *old, const bough_fabric *now,
                                  bough_fabric_changes *changes, bough_findings *findings,
                                  bough_error *error);

/* A directed link from the same port in both, and its flows under all-to-all. */
typedef struct bough_load_change {
    uint64_t link; /* of the new network */
    double before, now;
} bough_load_change;

typedef struct bough_routing_changes {
    uint64_t endpoints;        /* in both */
    uint64_t pairs;            /* of these; each is one of the five below */
    uint64_t same;             /* from port to port the same way */
    uint64_t other;            /* another way */
    uint64_t lost;             /* routed before, not now */
    uint64_t restored;         /* routed now, not before */
    uint64_t unrouted;         /* in neither */
    uint64_t longer, shorter;  /* of other, by links */
    bool paths;                /* false: a routing chooses at run time; nothing of the above is known */
    bough_load_change *link;   /* owned; the largest difference first */
    size_t links;              /* of which loads differ */
    bough_check_result before; /* of the old network; owned */
} bough_routing_changes;

/* Compares two routings of networks made from fabrics. after: of the new one, by bough_check_routing with the
 * same options. Adds to findings: errors for pairs that are not routed any more, warnings for larger loads,
 * information for smaller ones and for other paths. Cost: bough_check_routing of the old one, and all pairs
 * times path length. Errors: UNSUPPORTED where a network is from no fabric; those of bough_check_routing. */
bough_status bough_routing_compare(const bough_routing *old, const bough_routing *now,
                                   const bough_check_options *options, const bough_check_result *after,
                                   bough_routing_changes *changes, bough_findings *findings,
                                   bough_error *error);
void bough_routing_changes_fini(bough_routing_changes *changes);

#endif
