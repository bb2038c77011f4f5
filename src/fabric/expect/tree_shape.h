/* A network as a tree whose neighbouring levels are joined in groups: every switch of a group at the lower
 * level has the same number of cables to every one at the upper level. Fat-trees, XGFT and folded Clos
 * networks are such trees. Single cables that deviate change neither levels nor groups: both follow the
 * majority of cables. */
#ifndef BOUGH_FABRIC_EXPECT_TREE_SHAPE_H
#define BOUGH_FABRIC_EXPECT_TREE_SHAPE_H

#include "base/memory/compressed_rows.h"
#include "network/net.h"

enum { TREE_LEVELS = 64, TREE_NO_LEVEL = 255 };
#define TREE_NONE UINT32_MAX

typedef struct tree_group {
    uint32_t lowers, uppers; /* switches */
    uint32_t first;          /* the first lower one; TREE_NONE: none */
} tree_group;

/* The cables between a level and the next one. */
typedef struct tree_layer {
    tree_group *group;
    uint32_t groups;
    uint32_t cables;      /* between two switches that have some: the commonest number */
    compressed_rows low;  /* rows: groups; items: nodes at the lower level */
    compressed_rows high; /* at the upper level */
} tree_layer;

/* Zero-initialise. */
typedef struct tree {
    arena memory; /* of all of it; the caller frees it. A tree does not move */
    const bough_net *net;
    compressed_rows out; /* links by the node where they start, in the order of the nodes where they end */
    uint32_t *end;       /* [link]: node */
    uint8_t *level;      /* [node]: 0 of endpoints, from 1 on of switches; TREE_NO_LEVEL: without cables */
    unsigned levels;     /* of switches */
    uint32_t *up, *down; /* [node]: its group in the layer above, and below; TREE_NONE: none */
    tree_layer layer[TREE_LEVELS]; /* [1 .. levels - 1]: from this level to the next */
} tree;

/* Errors: UNSUPPORTED where a node is an endpoint and a switch, or an endpoint has several cables; TOO_LARGE;
 * NO_MEMORY. */
bough_status tree_make(const bough_net *net, tree *t, bough_error *error);
/* A step of tree_make. */
bough_status tree_set_groups(tree *t, bough_error *error);

/* The parallel links from a node to another one: for (tree_bundle b = tree_bundles(t, v);
 * tree_bundle_next(&b);) */
typedef struct tree_bundle {
    const tree *t;
    uint32_t at, stop;
    uint32_t node, count, link; /* where they end, how many, and the first */
} tree_bundle;

static inline tree_bundle tree_bundles(const tree *t, uint32_t node) {
    return (tree_bundle){.t = t, .at = t->out.first[node], .stop = t->out.first[node + 1]};
}

static inline bool tree_bundle_next(tree_bundle *b) {
    if (b->at == b->stop) return false;
    b->link = b->t->out.item[b->at];
    b->node = b->t->end[b->link];
    b->count = 0;
    while (b->at < b->stop && b->t->end[b->t->out.item[b->at]] == b->node) b->count++, b->at++;
    return true;
}

/* Links of a node to a level. */
uint32_t tree_links_to(const tree *t, uint32_t node, unsigned level);

#endif
