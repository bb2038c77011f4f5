#include "engines/circuit/labels/labels_batches.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* Every herd, including a few in transit, may have one chunk that is not full. */
static uint64_t chunks(uint64_t messages, uint64_t herds) {
    return messages / HERD_CHUNK + (herds < messages ? herds : messages) + 8;
}

uint64_t herd_pool_bytes(uint64_t messages, uint64_t herds) {
    return bough_mul(chunks(messages, herds), sizeof(herd_chunk));
}

bough_status herd_pool_make(herd_pool *pool, uint64_t messages, uint64_t herds, bough_error *error) {
    uint64_t count = chunks(messages, herds);
    bough_status status = large_alloc(&pool->chunk, count, sizeof *pool->chunk, error);
    if (status) return status;
    for (uint64_t i = 0; i + 1 < count; i++) pool->chunk[i].next = &pool->chunk[i + 1];
    pool->chunk[count - 1].next = NULL;
    pool->unused = pool->chunk;
    return BOUGH_OK;
}

void herd_pool_fini(herd_pool *pool) {
    free(pool->chunk);
}

/* Appends an empty chunk. */
static herd_chunk *extend(herd_pool *pool, herd *h) {
    herd_chunk *c = pool->unused;
    pool->unused = c->next;
    c->next = NULL;
    c->count = 0;
    if (h->last)
        h->last->next = c;
    else
        h->first = c;
    return h->last = c;
}

void herd_add(herd_pool *pool, herd *to, uint32_t s, uint32_t t, uint32_t p) {
    herd_chunk *c = to->last;
    if (!c || c->count == HERD_CHUNK) c = extend(pool, to);
    c->s[c->count] = s;
    c->t[c->count] = t;
    c->p[c->count++] = p;
    to->count++;
}

void herd_append(herd_pool *pool, herd *to, const herd_chunk *chunk, uint64_t count) {
    for (uint64_t done = 0; done < count;) {
        herd_chunk *c = to->last;
        if (!c || c->count == HERD_CHUNK) c = extend(pool, to);
        uint64_t room = HERD_CHUNK - c->count, some = count - done < room ? count - done : room;
        memcpy(c->s + c->count, chunk->s + done, some * sizeof *c->s);
        memcpy(c->t + c->count, chunk->t + done, some * sizeof *c->t);
        memcpy(c->p + c->count, chunk->p + done, some * sizeof *c->p);
        c->count += some;
        done += some;
    }
    to->count += count;
}

herd_chunk *herd_take(herd *from) {
    herd_chunk *c = from->first;
    if (!c) return NULL;
    from->first = c->next;
    if (!from->first) from->last = NULL;
    from->count -= c->count;
    return c;
}

void herd_give(herd_pool *pool, herd_chunk *c) {
    c->next = pool->unused;
    pool->unused = c;
}

/* Full chunks are inserted before those of `to`; the messages of the last chunk are appended. */
void herd_join(herd_pool *pool, herd *to, herd *from) {
    if (!from->first) return;
    if (to->first) {
        herd_chunk *last = from->last, *full = NULL;
        for (herd_chunk *c = from->first; c != last; c = c->next) full = c;
        if (full) {
            full->next = to->first;
            to->first = from->first;
            to->count += from->count - last->count;
        }
        herd_append(pool, to, last, last->count);
        herd_give(pool, last);
    } else {
        *to = *from;
    }
    *from = (herd){0};
}

void herd_clear(herd_pool *pool, herd *h) {
    for (herd_chunk *c; (c = herd_take(h));) herd_give(pool, c);
}
