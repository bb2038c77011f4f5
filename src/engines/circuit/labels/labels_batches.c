#include "engines/circuit/labels/labels_batches.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* Every batch, including a few in transit, may have one chunk that is not full. */
static uint64_t chunks(uint64_t messages, uint64_t batches) {
    return messages / BATCH_CHUNK + (batches < messages ? batches : messages) + 8;
}

uint64_t batch_pool_bytes(uint64_t messages, uint64_t batches) {
    return bough_mul(chunks(messages, batches), sizeof(batch_chunk));
}

bough_status batch_pool_make(batch_pool *pool, uint64_t messages, uint64_t batches, bough_error *error) {
    uint64_t count = chunks(messages, batches);
    bough_status status = large_alloc(&pool->chunk, count, sizeof *pool->chunk, error);
    if (status) return status;
    for (uint64_t i = 0; i + 1 < count; i++) pool->chunk[i].next = &pool->chunk[i + 1];
    pool->chunk[count - 1].next = NULL;
    pool->unused = pool->chunk;
    return BOUGH_OK;
}

void batch_pool_fini(batch_pool *pool) {
    free(pool->chunk);
}

/* Appends an empty chunk. */
static batch_chunk *extend(batch_pool *pool, labels_batch *batch) {
    batch_chunk *c = pool->unused;
    pool->unused = c->next;
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
