/* Unqueued circuit switching in stages, after T. F. Knight, P. G. Sobalvarro: "Routing statistics for
 * unqueued banyan networks", MIT AI memo 1101, 1990, on which document 004 builds (section 6.3).
 *
 * The stages are not told but found: a class is all groups of a network that are alike as far as rank, levels
 * and size say. Where the nodes with groups of a class differ in what enters them, as in layers that mix,
 * every kind of node is looked at by itself. */
#ifndef BOUGH_MODEL_BLOCKING_H
#define BOUGH_MODEL_BLOCKING_H

#include "bough/method.h"
#include "topology/subtrees.h"

typedef struct blocking_class {
    uint32_t rank, from_level, to_level;
    uint32_t links; /* of a group, those alive */
    uint64_t groups;
} blocking_class;

/* So many times, `links` links of one group of a class enter a node together. */
typedef struct blocking_bundle {
    uint32_t class, links, count;
} blocking_bundle;

/* So many groups of a class leave it. */
typedef struct blocking_asked {
    uint32_t class, groups;
} blocking_asked;

/* Nodes that are alike in what enters and what leaves them. */
typedef struct blocking_node {
    uint64_t nodes;
    blocking_bundle *bundle;
    blocking_asked *asked;
    uint32_t bundles, askeds;
    size_t bundle_capacity, asked_capacity;
} blocking_node;

/* The classes that messages of a level pass, in order, with the share of them that does so. */
typedef struct blocking_path {
    unsigned level;
    double share;
    uint32_t *class;
    uint32_t length;
} blocking_path;

typedef struct blocking_net {
    const bough_net *net;
    unsigned levels;                   /* of messages, from 1 on */
    double share[SUBTREES_LEVELS + 1]; /* of all messages, by level */
    blocking_class *class;             /* by ascending rank */
    blocking_node *node;
    blocking_path *path;
    uint32_t classes, nodes, paths;
    size_t class_capacity, node_capacity, path_capacity;
} blocking_net;

/* O(links). Errors: UNSUPPORTED where routes offer only some links of a group, where endpoints pass messages
 * on or where there are more than 2^16 classes; NO_MEMORY; INVALID for a pair without a route. */
bough_status blocking_find(const bough_point *point, blocking_net *b, bough_error *error);
void blocking_fini(blocking_net *b);

/* What comes out. */
typedef struct blocking_result {
    double success, level[SUBTREES_LEVELS + 1]; /* shares of all messages; of a level */
    double *pass;                               /* per class: share of the requests that get a link */
    double *load;                               /* per class: requests for a group */
} blocking_result;

/* Endpoints draw `draws` times with probability p. Owned: pass, load. */
bough_status blocking_solve(const blocking_net *b, double p, uint32_t draws, blocking_result *result,
                            bough_error *error);
void blocking_result_fini(blocking_result *result);

#endif
