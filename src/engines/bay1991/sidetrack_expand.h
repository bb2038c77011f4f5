/* Expansion with sidetracking: the messages of one batch on their way down, and the persistent direction
 * bits. */
#ifndef BOUGH_ENGINES_BAY1991_SIDETRACK_EXPAND_H
#define BOUGH_ENGINES_BAY1991_SIDETRACK_EXPAND_H

#include "engines/bay1991/sidetrack.h"

typedef struct sidetrack_expander {
    uint64_t *direction;              /* one bit per vertex; 0: left */
    uint64_t base[SIDETRACK_HEIGHTS]; /* first bit of each height */
    const uint32_t *target;           /* per message */
    sidetrack_head *head, *next, *right;
    uint64_t sidetracked; /* times that a message was sidetracked */
} sidetrack_expander;

uint64_t sidetrack_expander_bytes(unsigned lg_leaves);
bough_status sidetrack_expander_init(sidetrack_expander *x, unsigned lg_leaves, bough_error *error);
void sidetrack_expander_fini(sidetrack_expander *x);
/* Starts a run, which borrows the messages' targets: sets all direction bits to left. */
void sidetrack_expander_reset(sidetrack_expander *x, unsigned lg_leaves, const uint32_t *target);

/* A batch of a subtree: message[0 .. count - 1], sorted by destination. */
typedef struct sidetrack_batch {
    const sidetrack_subtree *tree;
    unsigned top; /* height of the node on top, which has at least count vertices */
    const uint32_t *message;
    uint32_t count;
} sidetrack_batch;

/* Moves the messages of a batch from vertices 0, 1, .. of the node on top down to the leaves. They arrive in
 * x->head, in the order described at sidetrack_front. */
bough_status sidetrack_expand(sidetrack_expander *x, const sidetrack_batch *batch,
                              const sidetrack_watch *watch, bough_error *error);

#endif
