/* The way down in the binary fat-tree, cycle by cycle: arbitration among the messages that request links of
 * one level in one cycle.
 *
 * At most three messages request one link at once: one that turns below it, and one from each link above. The
 * first to be processed takes it provisionally. If another requests it in the same cycle, both are set aside
 * until the keyed order decides. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H

#include "bough/random.h"
#include "engines/circuit/labels/labels_batches.h"

#include <stdbool.h>

typedef struct labels_rival {
    uint32_t s, t, p;
    uint32_t next; /* next message that requests the same link */
} labels_rival;

typedef struct labels_down {
    unsigned h;
    uint64_t *state;       /* [level][link]: two bits */
    uint32_t *first_rival; /* [link]: scratch */
    labels_rival *rival;   /* scratch: contested messages */
    uint64_t rivals;
} labels_down;

uint64_t labels_down_bytes(unsigned h, uint64_t messages);
bough_status labels_down_make(labels_down *down, unsigned h, uint64_t messages, bough_error *error);
void labels_down_fini(labels_down *down);
void labels_down_start(labels_down *down); /* frees all links */

/* All messages of `in` request their links at level l. Their apexes are at l or above. */
void labels_down_ask(labels_down *down, herd_pool *pool, bough_key key, uint64_t cycle, unsigned l, herd *in,
                     herd *won, herd *lost);
/* All messages of h release their links at level l. */
void labels_down_free(labels_down *down, unsigned l, const herd *h);

#endif
