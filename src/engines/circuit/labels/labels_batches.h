/* Herds: messages that move in step, stored by value in chunks of one pool. A message is in one herd at a
 * time, so the size of the pool is known in advance, and all operations access memory sequentially. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H

#include "bough/status.h"

#include <stdint.h>

#define HERD_CHUNK                                                                                           \
    336 /* messages: a little less than 4 KiB, so that chunks do not all start at the same page offset */

/* Source, target, and the choices made so far on the way up. Stored as columns because most loops need only
 * two of them. */
typedef struct herd_chunk {
    struct herd_chunk *next;
    uint64_t count;
    uint32_t s[HERD_CHUNK], t[HERD_CHUNK], p[HERD_CHUNK];
} herd_chunk;

/* Chunks in no order; only the last may be partially filled. */
typedef struct herd {
    herd_chunk *first, *last;
    uint64_t count;
} herd;

typedef struct herd_pool {
    herd_chunk *chunk, *unused;
} herd_pool;

/* A pool for `messages` messages in at most `herds` herds. */
uint64_t herd_pool_bytes(uint64_t messages, uint64_t herds);
bough_status herd_pool_make(herd_pool *pool, uint64_t messages, uint64_t herds, bough_error *error);
void herd_pool_fini(herd_pool *pool);

void herd_add(herd_pool *pool, herd *to, uint32_t s, uint32_t t, uint32_t p);
/* Appends the first `count` messages of a chunk. */
void herd_append(herd_pool *pool, herd *to, const herd_chunk *chunk, uint64_t count);
/* Moves all messages of `from` to `to`; `from` is empty afterwards. */
void herd_join(herd_pool *pool, herd *to, herd *from);
/* Removes a chunk, which the caller returns with herd_give. NULL: the herd is empty. */
herd_chunk *herd_take(herd *from);
void herd_give(herd_pool *pool, herd_chunk *chunk);
void herd_clear(herd_pool *pool, herd *h);

#endif
