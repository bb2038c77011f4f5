/* Up/down paths (Schroeder et al.: "Autonet", 1991): every link leads up, towards the roots, or down, and no
 * path goes up after it went down. Ranks are distances from the roots. Of two nodes of equal rank, the one
 * with the smaller GUID is the upper one, so neither upward links nor dependencies between links form cycles.
 *
 * Table entries depend on node and destination only. So all messages to a destination continue from a node in
 * the same way: only down, or up next. Paths are searched from the destination, nearest nodes first. If a
 * node has both kinds at its distance, it uses the one that only goes down, which more nodes can use. If this
 * disconnects a node that has a legal path, then for this destination all nodes that can go down only do so,
 * at any length; every node with a legal path then gets one. */
#ifndef BOUGH_ROUTING_COMPUTED_UP_DOWN_PATHS_H
#define BOUGH_ROUTING_COMPUTED_UP_DOWN_PATHS_H

#include "network/wiring.h"

enum { UP_DOWN_FAR = UINT16_MAX };

/* Zero-initialise; `cables` may be set. */
typedef struct up_down {
    const bough_net *net;
    bool cables;         /* without links whose way back is dead */
    compressed_rows out; /* live links that leave a node, by port */
    compressed_rows in;  /* live links that end at a node and start at switches */
    uint32_t *end;       /* of the k-th item of `out`: the node */
    uint32_t *start;     /* of the k-th item of `in` */
    bool *forwards;      /* per node: it is a switch */
    uint64_t first;      /* no node before this one forwards */
    /* per node: position in the order from the roots down; a link to a lower position leads up */
    uint32_t *place;
    uint32_t *by_place;
    uint64_t places; /* no node that forwards has a later position */
    uint32_t *rank;  /* per node: links to the nearest root; BOUGH_NO_INDEX: no root is connected; may be
                        changed by up_down_join */
    /* For the last destination searched: */
    uint64_t target, seed; /* seed: the only node to which it is attached, or BOUGH_NONE */
    uint16_t *hops;        /* [node - first]: links to the seed of the destination, or UP_DOWN_FAR */
    bool *down;            /* the same: only down from here */
    uint32_t *queue;
} up_down;

typedef struct up_down_parts_wanted {
    const bool *root;     /* per node, as for up_down_make */
    const uint32_t *part; /* per node, from up_down_parts */
    const bool *wanted;   /* per part, indexed by its first node */
} up_down_parts_wanted;

/* root: per node. Errors: TOO_LARGE, NO_MEMORY. */
bough_status up_down_make(up_down *w, const bough_net *net, const bool *root, bough_error *error);
void up_down_fini(up_down *w);

/* Memory of the last search: other searches over one graph, at a time. */
typedef struct up_down_memory {
    uint16_t *hops; /* [nodes - first] */
    bool *down;
    uint32_t *queue;
} up_down_memory;
/* A copy of w, which shares its graph, with the memory of another search. */
up_down up_down_view(const up_down *w, const up_down_memory *memory);
/* The seed of a target (up_down.seed): targets with one seed have the same paths to it. */
uint64_t up_down_seed(const up_down *w, uint64_t target);

/* Computes parts: switches connected by cables with both directions alive. part: per node, the first node of
 * its part; nodes that do not forward are their own parts. Errors: NO_MEMORY. */
bough_status up_down_parts(up_down *w, uint32_t *part, bough_error *error);
/* Connects all pairs within the wanted parts; see up_down_roots.c. top: the uppermost switch of the first
 * part. Errors: NO_MEMORY. */
bough_status up_down_join(up_down *w, const up_down_parts_wanted *parts, uint64_t *top, bough_error *error);
/* Recomputes the order of nodes after ranks have changed. */
bough_status up_down_rerank(up_down *w, bough_error *error);

/* Removes the up/down restriction: all shortest paths become legal. */
void up_down_level(up_down *w);
/* Searches the paths to a node. O(links); free if the previous target was attached to the same switch. */
void up_down_search(up_down *w, uint64_t target);
/* Writes the links of node, by port, that lie on paths to the target. links must have space for all links
 * that leave the node. */
uint32_t up_down_links(const up_down *w, uint64_t node, uint32_t *links);

#endif
