/* Batches: messages that move in step, stored by value in chunks of one pool. A message is in one batch at a
 * time, so the size of the pool is known in advance, and all operations access memory sequentially. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_BATCHES_H

#include "base/threads.h"
#include "bough/status.h"

#include <stdint.h>

/* Messages in a chunk: a little less than 4 KiB, so that chunks do not all start at the same page offset. */
#define BATCH_CHUNK 336

/* Source, target, and the choices made so far on the way up. Stored as columns because most loops need only
 * two of them. */
typedef struct batch_chunk {
    struct batch_chunk *next;
    uint64_t count;
    uint32_t s[BATCH_CHUNK], t[BATCH_CHUNK], p[BATCH_CHUNK];
} batch_chunk;

/* Chunks in no order; only the last may be partially filled. */
typedef struct labels_batch {
    batch_chunk *first, *last;
    uint64_t count;
} labels_batch;

/* All chunks that no pool has. */
typedef struct batch_store {
    batch_chunk *chunk, *unused;
    bough_lock lock;
} batch_store;

/* The unused chunks of one thread; it takes more from the store, and returns what it has too many of. */
typedef struct batch_pool {
    batch_store *store;
    batch_chunk *unused;
    uint64_t count;
} batch_pool;

/* A store for `messages` messages in at most `batches` batches, of which `pools` pools take chunks. */
uint64_t batch_store_bytes(uint64_t messages, uint64_t batches, unsigned pools);
bough_status batch_store_make(batch_store *store, uint64_t messages, uint64_t batches, unsigned pools,
                              bough_error *error);
void batch_store_fini(batch_store *store); /* of a store that was made, or is zero */

void batch_add(batch_pool *pool, labels_batch *to, uint32_t s, uint32_t t, uint32_t p);
/* Appends the first `count` messages of a chunk. */
void batch_append(batch_pool *pool, labels_batch *to, const batch_chunk *chunk, uint64_t count);
/* Moves all messages of `from` to `to`; `from` is empty afterwards. */
void batch_join(batch_pool *pool, labels_batch *to, labels_batch *from);
/* Removes a chunk, which the caller returns with batch_return_chunk. NULL: the batch is empty. */
batch_chunk *batch_take_chunk(labels_batch *from);
void batch_return_chunk(batch_pool *pool, batch_chunk *chunk);
void batch_clear(batch_pool *pool, labels_batch *batch);

#endif
