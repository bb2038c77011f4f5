/* Unqueued circuit switching in stages, after T. F. Knight, P. G. Sobalvarro: "Routing statistics for
 * unqueued banyan networks", MIT AI memo 1101, 1990, on which dehon1991 builds (section 6.3).
 *
 * The stages are derived from the network: a class is all groups with the same order, levels and size. The
 * links that can request a group are found by examining nodes, because mixed layers are not uniform, and not
 * every input can request every output: a message does not turn back into the subtree that it comes from. */
#ifndef BOUGH_MODELS_BLOCKING_BLOCKING_H
#define BOUGH_MODELS_BLOCKING_BLOCKING_H

#include "method/method.h"
#include "network/subtrees.h"

typedef struct blocking_class {
    uint32_t rank, from_level, to_level;
    uint32_t links; /* live links of a group */
    uint64_t groups;
    bool source; /* groups of endpoints */
} blocking_class;

/* `times` bundles: `links` links of one group of a class enter the node together, and can request `choices`
 * groups of the class of the group in question, including that one. */
typedef struct blocking_bundle {
    uint32_t class, links, choices, count;
} blocking_bundle;

/* Groups of a class that can be requested by the same bundles. */
typedef struct blocking_kind {
    uint32_t class, bundles;
    uint64_t groups; /* among the examined ones */
    blocking_bundle *bundle;
} blocking_kind;

/* Fraction of the links of class `from` that can request groups of class `to`, or BLOCKING_ALL: that enter
 * switches. */
#define BLOCKING_ALL UINT32_MAX
typedef struct blocking_turn {
    uint32_t from, to;
    double links;
} blocking_turn;

/* The classes that messages of a level pass, in order, with the fraction of messages that do. */
typedef struct blocking_path {
    unsigned level;
    double share;
    uint32_t *class;
    uint32_t length;
    /* [i * length + j]: probability that a message which left group i of the path by another of its links
     * arrives at group j, and not at one in between. Excludes links that end at one node with j as its group,
     * which bundles cover. */
    double *meets;
} blocking_path;

typedef struct blocking_net {
    const bough_net *net;
    unsigned levels;                   /* of messages, from 1 */
    double share[SUBTREES_LEVELS + 1]; /* fraction of all messages, by level */
    blocking_class *class;             /* by ascending order of groups (rank) */
    blocking_kind *kind;               /* by class */
    blocking_turn *turn;
    blocking_path *path;
    uint32_t classes, kinds, turns, paths;
    size_t class_capacity, kind_capacity, turn_capacity, path_capacity;
} blocking_net;

/* O(links). If many nodes have similar groups, 2048 of them are examined. Errors: UNSUPPORTED if routes offer
 * only some links of a group or if there are more than 2^16 classes; NO_MEMORY; INVALID for a pair without a
 * route. Endpoints must not forward messages. */
bough_status blocking_find_stages(const bough_point *point, blocking_net *b, bough_error *error);
void blocking_fini(blocking_net *b);

/* Results of the model. */
typedef struct blocking_result {
    double success, level[SUBTREES_LEVELS + 1]; /* fractions of all messages; of a level */
    double *pass; /* per class: fraction of the requests that are granted a link */
    double *load; /* per class: requests per group */
} blocking_result;

/* Endpoints draw `draws` times with probability p. The caller owns pass and load. */
bough_status blocking_solve(const blocking_net *b, double p, uint32_t draws, blocking_result *result,
                            bough_error *error);
void blocking_result_fini(blocking_result *result);

#endif
