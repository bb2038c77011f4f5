/* The cabling that was planned, against the cabling that is: `bough check FABRIC --expect PLAN`.
 *
 * A plan is a file (nodes match by name or GUID), a network spec without names (switches are matched to the
 * tree's positions), or `regular`: the tree that is nearest to the fabric itself. */
#ifndef BOUGH_FABRIC_EXPECT_EXPECT_H
#define BOUGH_FABRIC_EXPECT_EXPECT_H

#include "network/net.h"

typedef enum bough_expect_basis {
    BOUGH_EXPECT_NOTHING,
    BOUGH_EXPECT_FILE,
    BOUGH_EXPECT_SPEC,
    BOUGH_EXPECT_REGULAR
} bough_expect_basis;
const char *bough_expect_basis_name(bough_expect_basis basis); /* "file", static */

/* X(NAME, "name", kind of the finding). In the order in which deviations are reported. */
#define BOUGH_DEVIATION_MAP(X)                                                                               \
    X(SWAPPED, "swapped", "plan-swapped")                                                                    \
    X(MOVED, "moved", "plan-moved")                                                                          \
    X(OTHER_PORT, "other_port", "plan-port")                                                                 \
    X(EXTRA, "extra", "plan-extra")                                                                          \
    X(MISSING, "missing", "plan-missing")                                                                    \
    X(OTHER_RATE, "other_rate", "plan-rate")                                                                 \
    X(NODE_MISSING, "node_missing", "plan-node-missing")                                                     \
    X(NODE_EXTRA, "node_extra", "plan-node-extra")                                                           \
    X(SIZE, "size", "plan-size")

typedef enum bough_deviation_kind {
#define X(id, name, finding) BOUGH_DEVIATION_##id,
    BOUGH_DEVIATION_MAP(X)
#undef X
        BOUGH_DEVIATION_KINDS
} bough_deviation_kind;
const char *bough_deviation_name(bough_deviation_kind kind); /* "swapped", static */

/* swapped: two cables have exchanged ends; moved: one end is at another node; other_port: both ends are at
 * the planned nodes; node_missing, node_extra, size: no cables. size: a group of switches, or the hosts of a
 * switch. */
typedef struct bough_deviation {
    bough_deviation_kind kind;
    bough_severity severity;
    char *now[2];     /* cables of the fabric, "leaf1/19 -> spine2/3"; NULL: none */
    char *planned[2]; /* of the plan */
    char *node;       /* where there is no cable; else NULL */
    uint64_t cables;  /* that it is about; several are missing between two switches. */
    char *text;       /* of the finding */
} bough_deviation;

typedef struct bough_expected {
    bough_expect_basis basis; /* NOTHING: not asked for; the rest is not set */
    char *plan;               /* as the question has it */
    char *shape;              /* of a tree: "2 levels of switches: 8 with 16 hosts ..."; else NULL */
    uint64_t cables_planned, cables;
    uint64_t right; /* cables as planned, whatever their rate */
    uint64_t nodes_planned, nodes;
    uint64_t count[BOUGH_DEVIATION_KINDS]; /* of cables, pairs of them (swapped), nodes */
    /* Cables of nodes that are missing or extra. They count as cables, and are not listed. */
    uint64_t cables_of_missing, cables_of_extra;
    bough_deviation *deviation; /* by kind; within a kind the most suspicious first */
    size_t deviations;
    bough_findings findings; /* of the deviations, and of what was not compared */
    arena memory;            /* of all but the findings */
} bough_expected;

/* plan: a file, a network spec, or `regular`. net: for a file made from a fabric file; without faults. Time:
 * files linear but for sorting; trees cables x ports of a switch. Errors: INVALID for a plan that cannot be
 * read or has no node in common with the fabric, UNSUPPORTED for a spec that is no tree of complete blocks,
 * NO_MEMORY. */
bough_status bough_expect(const bough_net *net, const char *plan, bough_expected *expected,
                          bough_error *error);
void bough_expected_fini(bough_expected *expected);

#endif
