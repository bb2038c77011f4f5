/* Unqueued circuit switching in stages, after T. F. Knight, P. G. Sobalvarro: "Routing statistics for
 * unqueued banyan networks", MIT AI memo 1101, 1990, on which dehon1991 builds (section 6.3).
 *
 * The stages are not told but found: a class is all groups of a network that are alike as far as rank, levels
 * and size say. What can ask for a group is found by looking at nodes: layers that mix are not alike
 * throughout, and not every input can ask for every output, as no message turns back into the subtree it
 * comes from. */
#ifndef BOUGH_MODELS_BLOCKING_BLOCKING_H
#define BOUGH_MODELS_BLOCKING_BLOCKING_H

#include "bough/method.h"
#include "network/subtrees.h"

typedef struct blocking_class {
    uint32_t rank, from_level, to_level;
    uint32_t links; /* of a group, those alive */
    uint64_t groups;
    bool source; /* of endpoints */
} blocking_class;

/* So many times, `links` links of one group of a class enter the node together, and can ask for `choices`
 * groups of the class of the group in question, that among them. */
typedef struct blocking_bundle {
    uint32_t class, links, choices, count;
} blocking_bundle;

/* Groups of a class that are alike in what can ask for them. */
typedef struct blocking_kind {
    uint32_t class, bundles;
    uint64_t groups; /* of those looked at */
    blocking_bundle *bundle;
} blocking_kind;

/* Of the links of class `from` those that can ask for groups of class `to`; or all that enter switches. */
#define BLOCKING_ALL UINT32_MAX
typedef struct blocking_turn {
    uint32_t from, to;
    double links;
} blocking_turn;

/* The classes that messages of a level pass, in order, with the share of them that does so. */
typedef struct blocking_path {
    unsigned level;
    double share;
    uint32_t *class;
    uint32_t length;
    /* [i * length + j]: that a message which left group i of the way by another of its links comes to group
     * j, and not to one between them; not where both links end at one node and j is its group, as bundles see
     * that. */
    double *meets;
} blocking_path;

typedef struct blocking_net {
    const bough_net *net;
    unsigned levels;                   /* of messages, from 1 on */
    double share[SUBTREES_LEVELS + 1]; /* of all messages, by level */
    blocking_class *class;             /* by ascending rank */
    blocking_kind *kind;               /* by class */
    blocking_turn *turn;
    blocking_path *path;
    uint32_t classes, kinds, turns, paths;
    size_t class_capacity, kind_capacity, turn_capacity, path_capacity;
} blocking_net;

/* O(links). Of many nodes that are alike in their groups 2048 are looked at. Errors: UNSUPPORTED where routes
 * offer only some links of a group or where there are more than 2^16 classes; NO_MEMORY; INVALID for a pair
 * without a route. Endpoints must not pass messages on. */
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
