/* The way down in the binary fat-tree, cycle by cycle: who of those who ask for links of one level in one
 * cycle gets them.
 *
 * At most three ask for one link at once: one that turns below it, and one from each link above. The first to
 * be looked at takes it for the time being; when another comes in the same cycle they are set apart, until
 * the keyed order says who has it. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H

#include "bough/random.h"
#include "engines/circuit/labels/labels_batches.h"

#include <stdbool.h>

typedef struct labels_rival {
    uint32_t s, t, p;
    uint32_t next; /* that wants the same link */
} labels_rival;

typedef struct labels_down {
    unsigned h;
    uint64_t *state;       /* [level][link]: two bits */
    uint32_t *first_rival; /* [link]: scratch */
    labels_rival *rival;   /* scratch: those set apart */
    uint64_t rivals;
} labels_down;

uint64_t labels_down_bytes(unsigned h, uint64_t messages);
bough_status labels_down_make(labels_down *down, unsigned h, uint64_t messages, bough_error *error);
void labels_down_fini(labels_down *down);
void labels_down_start(labels_down *down); /* all links are free */

/* All of in ask for their links at level l. Apexes are at l or above. */
void labels_down_ask(labels_down *down, herd_pool *pool, bough_key key, uint64_t cycle, unsigned l, herd *in,
                     herd *won, herd *lost);
/* All of h let go of their links at level l. */
void labels_down_free(labels_down *down, unsigned l, const herd *h);

#endif
