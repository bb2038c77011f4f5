/* Herds: messages that move in step, by value, in chunks from one pool. A message is in one herd at a time,
 * so the pool for all of them is known beforehand, and whatever a herd does is a walk through memory in
 * order. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H

#include "bough/status.h"

#include <stdint.h>

#define HERD_CHUNK                                                                                           \
    336 /* messages: a little less than 4 KiB, so that chunks do not all begin at one place of a page */

/* Source, target, and the choices made so far on the way up; as columns, because most walks need but two of
 * them. */
typedef struct herd_chunk {
    struct herd_chunk *next;
    uint64_t count;
    uint32_t s[HERD_CHUNK], t[HERD_CHUNK], p[HERD_CHUNK];
} herd_chunk;

/* Chunks in no order; only the last may have room. */
typedef struct herd {
    herd_chunk *first, *last;
    uint64_t count;
} herd;

typedef struct herd_pool {
    herd_chunk *chunk, *unused;
} herd_pool;

/* A pool for so many messages in at most so many herds. */
uint64_t herd_pool_bytes(uint64_t messages, uint64_t herds);
bough_status herd_pool_make(herd_pool *pool, uint64_t messages, uint64_t herds, bough_error *error);
void herd_pool_fini(herd_pool *pool);

void herd_add(herd_pool *pool, herd *to, uint32_t s, uint32_t t, uint32_t p);
/* The first count of chunk's messages. */
void herd_append(herd_pool *pool, herd *to, const herd_chunk *chunk, uint64_t count);
/* Moves all of from to to; from is empty then. */
void herd_join(herd_pool *pool, herd *to, herd *from);
/* Takes a chunk out; the caller returns it with herd_give. NULL: empty. */
herd_chunk *herd_take(herd *from);
void herd_give(herd_pool *pool, herd_chunk *chunk);
void herd_clear(herd_pool *pool, herd *h);

#endif
