/* Up/down ways (Schroeder et al.: "Autonet", 1991): every link leads up, towards the roots, or down, and no
 * way goes up after it went down. The ranks are distances from the roots; of two nodes of one rank the one
 * with the smaller GUID is the upper one, so that up has no cycles, and neither have the links that wait for
 * each other.
 *
 * A table sees only where a message is and where it goes. So at each node all messages to one destination go
 * on alike: only down, or up next. Ways are searched from the destination, nearest nodes first; a node that
 * has both kinds at its distance takes the one that only goes down, which more nodes can use. Where that cuts
 * somebody off who has a legal way, those who can go down only do so for this destination, however long that
 * is; then everybody who has a legal way gets one. */
#ifndef BOUGH_ROUTING_COMPUTED_UP_DOWN_PATHS_H
#define BOUGH_ROUTING_COMPUTED_UP_DOWN_PATHS_H

#include "bough/net.h"

enum { UP_DOWN_FAR = UINT16_MAX };

/* Zero-initialise. */
typedef struct up_down {
    const bough_net *net;
    uint32_t *first_out, *out; /* live links of node v, by port: out[first_out[v] .. first_out[v + 1] - 1] */
    uint32_t *first_in, *in;   /* those that end at v and come from nodes that forward */
    uint32_t *place; /* per node: in the order from the roots down; a link to a lower place leads up */
    uint32_t *by_place;
    uint32_t *rank; /* per node: links from the nearest root; BOUGH_NO_INDEX: none is near; else see join */
    /* To the destination that was searched last: */
    uint64_t target, seed; /* seed: the only node that it hangs on, or NONE */
    uint16_t *hops;        /* per node that forwards: links to where the destination hangs, or UP_DOWN_FAR */
    bool *down;            /* only down from here */
    uint32_t *queue;
} up_down;

/* root: per node. Errors: TOO_LARGE, NO_MEMORY. */
bough_status up_down_make(up_down *w, const bough_net *net, const bool *root, bough_error *error);
void up_down_fini(up_down *w);

/* Parts: switches that cables with both directions alive connect. part: per node, the first node of its part;
 * nodes that do not forward are parts of their own. Errors: NO_MEMORY. */
bough_status up_down_parts(up_down *w, uint32_t *part, bough_error *error);
/* In the parts that are wanted (per first node) everybody gets a way to everybody: see up_down_roots.c. root:
 * as for up_down_make; top: the switch of the first part that came above the others. Errors: NO_MEMORY. */
bough_status up_down_join(up_down *w, const bool *root, const uint32_t *part, const bool *wanted,
                          uint64_t *top, bough_error *error);
/* Ranks have changed: who is above whom is found anew. */
bough_status up_down_rerank(up_down *w, bough_error *error);

/* From now on no link leads up: all shortest ways are legal. */
void up_down_level(up_down *w);
/* Searches the ways to a node. O(links), and nothing where the last one hung at the same switch. */
void up_down_search(up_down *w, uint64_t target);
/* The links from node, by port, that lie on the ways to the target (there must be room for all that leave
 * it). */
uint32_t up_down_links(const up_down *w, uint64_t node, uint32_t *links);

#endif
