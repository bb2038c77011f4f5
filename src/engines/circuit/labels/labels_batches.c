#include "engines/circuit/labels/labels_batches.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* Chunks that move between the store and a pool. */
enum { SOME = 32 };

/* Every batch, including a few in transit, may have one chunk that is not full; a pool keeps some. */
static uint64_t chunks(uint64_t messages, uint64_t batches, unsigned pools) {
    return messages / BATCH_CHUNK + (batches < messages ? batches : messages) + pools * (2 * SOME + 8);
}

uint64_t batch_store_bytes(uint64_t messages, uint64_t batches, unsigned pools) {
    return bough_mul(chunks(messages, batches, pools), sizeof(batch_chunk));
}

bough_status batch_store_make(batch_store *store, uint64_t messages, uint64_t batches, unsigned pools,
                              bough_error *error) {
    uint64_t count = chunks(messages, batches, pools);
    bough_status status = large_alloc(&store->chunk, count, sizeof *store->chunk, error);
    if (status) return status;
    for (uint64_t i = 0; i + 1 < count; i++) store->chunk[i].next = &store->chunk[i + 1];
    store->chunk[count - 1].next = NULL;
    store->unused = store->chunk;
    lock_init(&store->lock);
    return BOUGH_OK;
}

void batch_store_fini(batch_store *store) {
    if (store->chunk) lock_fini(&store->lock);
    free(store->chunk);
}

static void refill(batch_pool *pool) {
    lock_take(&pool->store->lock);
    for (; pool->count < SOME && pool->store->unused; pool->count++) {
        batch_chunk *c = pool->store->unused;
        pool->store->unused = c->next;
        c->next = pool->unused;
        pool->unused = c;
    }
    lock_leave(&pool->store->lock);
}

static void return_some(batch_pool *pool) {
    lock_take(&pool->store->lock);
    for (; pool->count > SOME; pool->count--) {
        batch_chunk *c = pool->unused;
        pool->unused = c->next;
        c->next = pool->store->unused;
        pool->store->unused = c;
    }
    lock_leave(&pool->store->lock);
}

/* Appends an empty chunk. */
static batch_chunk *extend(batch_pool *pool, labels_batch *batch) {
    if (!pool->count) refill(pool);
    batch_chunk *c = pool->unused;
    pool->unused = c->next;
    pool->count--;
    c->next = NULL;
    c->count = 0;
    if (batch->last)
        batch->last->next = c;
    else
        batch->first = c;
    return batch->last = c;
}

void batch_add(batch_pool *pool, labels_batch *to, uint32_t s, uint32_t t, uint32_t p) {
    batch_chunk *c = to->last;
    if (!c || c->count == BATCH_CHUNK) c = extend(pool, to);
    c->s[c->count] = s;
    c->t[c->count] = t;
    c->p[c->count++] = p;
    to->count++;
}

void batch_append(batch_pool *pool, labels_batch *to, const batch_chunk *chunk, uint64_t count) {
    for (uint64_t done = 0; done < count;) {
        batch_chunk *c = to->last;
        if (!c || c->count == BATCH_CHUNK) c = extend(pool, to);
        uint64_t room = BATCH_CHUNK - c->count, some = count - done < room ? count - done : room;
        memcpy(c->s + c->count, chunk->s + done, some * sizeof *c->s);
        memcpy(c->t + c->count, chunk->t + done, some * sizeof *c->t);
        memcpy(c->p + c->count, chunk->p + done, some * sizeof *c->p);
        c->count += some;
        done += some;
    }
    to->count += count;
}

batch_chunk *batch_take_chunk(labels_batch *from) {
    batch_chunk *c = from->first;
    if (!c) return NULL;
    from->first = c->next;
    if (!from->first) from->last = NULL;
    from->count -= c->count;
    return c;
}

void batch_return_chunk(batch_pool *pool, batch_chunk *c) {
    c->next = pool->unused;
    pool->unused = c;
    if (++pool->count > 2 * SOME) return_some(pool);
}

/* Full chunks are inserted before those of `to`; the messages of the last chunk are appended. */
void batch_join(batch_pool *pool, labels_batch *to, labels_batch *from) {
    if (!from->first) return;
    if (to->first) {
        batch_chunk *last = from->last, *full = NULL;
        for (batch_chunk *c = from->first; c != last; c = c->next) full = c;
        if (full) {
            full->next = to->first;
            to->first = from->first;
            to->count += from->count - last->count;
        }
        batch_append(pool, to, last, last->count);
        batch_return_chunk(pool, last);
    } else {
        *to = *from;
    }
    *from = (labels_batch){0};
}

void batch_clear(batch_pool *pool, labels_batch *batch) {
    for (batch_chunk *c; (c = batch_take_chunk(batch));) batch_return_chunk(pool, c);
}
