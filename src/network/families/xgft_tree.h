/* Extended generalised fat-trees with parallel links, XGFT(h; m1..mh; w1..wh; p1..ph), in closed form.
 * Implements `fattree`, `kary`, `clos` and `xgft`. */
#ifndef BOUGH_NETWORK_FAMILIES_XGFT_TREE_H
#define BOUGH_NETWORK_FAMILIES_XGFT_TREE_H

#include "network/net.h"

#define XGFT_LEVELS 48

/* Index i of m, w, p describes levels i and i+1 (i = 0: endpoints and first switches): a level i+1 node has
 * m[i] children, a level i node has w[i] parents and p[i] parallel cables to each. */
typedef struct xgft_shape {
    unsigned levels;
    uint64_t m[XGFT_LEVELS], w[XGFT_LEVELS], p[XGFT_LEVELS];
    uint64_t hosts; /* endpoints, spread evenly over the leaf switches; 0: as many as there are ports for */
} xgft_shape;

/* The parameter of families with unpopulated ports. */
#define XGFT_HOSTS_PARAM                                                                                     \
    {                                                                                                        \
        "hosts",                                                                                             \
            "endpoints, spread evenly over the leaf switches; default: one on every port for endpoints",     \
            BOUGH_INT, "", 1, 0x1p46                                                                         \
    }

/* Fills net from the shape, except net->spec. Errors: INVALID for zeros, and for hosts fewer than leaf
 * switches or more than ports; TOO_LARGE beyond 2^62. */
bough_status xgft_make(const xgft_shape *shape, bough_net *net, bough_error *error);

/* Gives nodes names such as <4,10,0>: level from the root, node of the tree from the left, number in the node
 * (bay1991). */
void xgft_name_by_triples(bough_net *net);

/* The parameter of families that can have such names. */
#define XGFT_NAMES_PARAM                                                                                     \
    {                                                                                                        \
        "names",                                                                                             \
            "names of vertices: plain (h10, s1.5), or triples as in bay1991 (<3,5,0>: level from the root, " \
            "node, number)",                                                                                 \
            BOUGH_CHOICE, "plain", .choices = "plain|triples"                                                \
    }

/* Formats "xgft:down=16x16,up=1x8,links=1x2", with hosts= if ports are unpopulated; the caller frees the
 * string. */
char *xgft_format(const xgft_shape *shape);

/* The shape of a tree without faults and without unpopulated ports, or NULL: it is another network. */
const xgft_shape *xgft_shape_of(const bough_net *net);
/* The same, also of a tree with unpopulated ports. */
const xgft_shape *xgft_populated_shape_of(const bough_net *net);

/* The binary fat-tree of strumpen2005: XGFT(h; 2, .., 2; 1, 2, .., 2). */
bool xgft_is_binary(const xgft_shape *shape);
/* The pruned butterfly of bay1991 (pruned_shape.h). */
bool xgft_is_pruned(const xgft_shape *shape);

#endif
