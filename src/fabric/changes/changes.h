/* Comparison of two recordings of a fabric: `bough check NEW --against OLD`.
 *
 * Nodes are matched by GUID, or else by name (a replaced adapter); by name only if a file has no GUIDs (a
 * list of cables). Ports are matched by node and number; if a file does not number them, by the nodes at both
 * ends of the cable. LIDs may differ. */
#ifndef BOUGH_FABRIC_CHANGES_CHANGES_H
#define BOUGH_FABRIC_CHANGES_CHANGES_H

#include "fabric/check/check_routing.h"
#include "routing/routing.h"

/* A host is gone if all its adapters are, and is replaced, renamed or relabelled if one of them is. */
typedef struct bough_node_changes {
    uint64_t before, now;
    uint64_t gone, fresh; /* only in the old, only in the new fabric */
    uint64_t replaced;    /* same name and kind, different GUID */
    uint64_t renamed;     /* same GUID, different description */
    uint64_t relabelled;  /* same GUID and port, different LID */
} bough_node_changes;

typedef struct bough_cable_changes {
    uint64_t before, now;
    uint64_t gone, fresh;    /* without moved ones */
    uint64_t moved;          /* one end is in the same port, or both ends are at the same nodes */
    uint64_t slower, faster; /* by width times speed */
} bough_cable_changes;

typedef struct bough_fabric_changes {
    bough_node_changes host, other; /* hosts; switches and routers */
    bough_cable_changes access;     /* cables to adapters */
    bough_cable_changes inner;      /* between switches */
} bough_fabric_changes;

/* Compares two fabrics and adds findings: warnings for parts that are gone, moved or slower, information
 * otherwise. Cables of nodes that are gone or new are counted but not listed. Findings use the names of the
 * new file if possible. Linear in both files except for sorting. Errors: INVALID if the files have no GUID in
 * common (without GUIDs: no name); NO_MEMORY. */
bough_status bough_fabric_compare(const bough_fabric *old, const bough_fabric *now,
                                  bough_fabric_changes *changes, bough_findings *findings,
                                  bough_error *error);

/* A directed link between the same ports in both fabrics, and its flows under all-to-all. */
typedef struct bough_load_change {
    uint64_t link; /* of the new network */
    double before, now;
} bough_load_change;

typedef struct bough_routing_changes {
    uint64_t endpoints;       /* in both */
    uint64_t pairs;           /* ordered pairs of these; same + other + lost + restored + unrouted */
    uint64_t same;            /* same path, port by port */
    uint64_t other;           /* another path */
    uint64_t lost;            /* routed before only */
    uint64_t restored;        /* routed now only */
    uint64_t unrouted;        /* routed in neither */
    uint64_t longer, shorter; /* of other, by number of links */
    bool paths; /* false: a routing chooses at run time, and the counts above are not available */
    bough_load_change *link;   /* largest difference first */
    size_t links;              /* links whose loads differ */
    bough_check_result before; /* of the old network */
} bough_routing_changes;

typedef struct bough_routing_comparison {
    const bough_routing *old, *now;     /* of networks made from fabrics */
    const bough_check_result *after;    /* of bough_check_routing for now, with these options */
    const bough_check_options *options; /* with the memory of the changes */
} bough_routing_comparison;

/* Compares two routings. Adds findings: errors for lost pairs, warnings for larger loads, information for
 * smaller loads and other paths. Cost: bough_check_routing of the old one, and pairs x path length. Errors:
 * UNSUPPORTED if a network is not made from a fabric; those of bough_check_routing. */
bough_status bough_routing_compare(const bough_routing_comparison *comparison, bough_routing_changes *changes,
                                   bough_findings *findings, bough_error *error);

#endif
