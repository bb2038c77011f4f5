/* The way down in the binary fat-tree, cycle by cycle: arbitration among the messages that request links of
 * one level in one cycle.
 *
 * At most three messages request one link at once: one that turns below it, and one from each link above. The
 * first to be processed takes it provisionally. If another requests it in the same cycle, both are set aside
 * until the keyed order decides. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_DOWN_H

#include "base/random/random.h"
#include "engines/circuit/labels/labels_batches.h"

typedef struct labels_rival {
    uint32_t s, t, p;
    uint32_t next; /* next message that requests the same link */
} labels_rival;

/* What a thread needs. */
typedef struct labels_down {
    unsigned h;
    batch_pool *pool; /* of all messages */
    bough_key key;
    uint64_t *state;       /* [level][link]: two bits; common to all threads */
    uint32_t *first_rival; /* [link]: scratch */
    labels_rival *rival;   /* scratch: contested messages */
    uint64_t rivals;
} labels_down;

uint64_t labels_down_words(unsigned h); /* of state */
/* Without state. */
uint64_t labels_down_bytes(unsigned h, uint64_t messages);
/* pool and state must outlive down. */
bough_status labels_down_make(labels_down *down, unsigned h, uint64_t messages, bough_error *error);
void labels_down_fini(labels_down *down);

/* The requests for links of one level in one cycle. */
typedef struct labels_requests {
    uint64_t cycle;
    unsigned level;
    labels_batch messages;         /* in: those that request a link, with apexes at the level or above */
    labels_batch granted, refused; /* out, initially empty */
} labels_requests;

/* Grants or refuses every message its link. */
void labels_down_request(labels_down *down, labels_requests *requests);
/* All messages of the batch release their links at level l. */
void labels_down_free(labels_down *down, unsigned l, const labels_batch *batch);

#endif
