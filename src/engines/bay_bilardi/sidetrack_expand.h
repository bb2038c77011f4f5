/* Expansion with sidetracking: the messages of one batch on their way down, and the persistent direction
 * bits. */
#ifndef BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_EXPAND_H
#define BOUGH_ENGINES_BAY_BILARDI_SIDETRACK_EXPAND_H

#include "engines/bay_bilardi/sidetrack.h"

typedef struct sidetrack_expander {
    uint64_t *direction;              /* one bit per vertex; 0: left */
    uint64_t base[SIDETRACK_HEIGHTS]; /* first bit of each height */
    sidetrack_head *head, *next, *right;
    uint64_t sidetracked; /* times that a message was sidetracked */
} sidetrack_expander;

uint64_t sidetrack_expander_bytes(unsigned lg_leaves);
bough_status sidetrack_expander_init(sidetrack_expander *x, unsigned lg_leaves, bough_error *error);
void sidetrack_expander_fini(sidetrack_expander *x);
/* Sets all direction bits to left. */
void sidetrack_expander_reset(sidetrack_expander *x, unsigned lg_leaves);

/* Moves count messages, sorted by destination (target[message]), from vertices 0, 1, .. of a node at height
 * `top` down to the leaves. They arrive in x->head, in the order described at sidetrack_watch. count is at
 * most the number of vertices of the node. */
bough_status sidetrack_expand(sidetrack_expander *x, const sidetrack_subtree *t, uint32_t batch, unsigned top,
                              const uint32_t *message, uint32_t count, const uint32_t *target,
                              const sidetrack_watch *watch, bough_error *error);

#endif
