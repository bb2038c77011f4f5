#include "loads/shifts/shift_records.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"

#include <stdlib.h>

/* ---- memory ---- */

enum {
    FIRST_ROOM = 32,       /* records of a block of class 0; each class has twice as many */
    SLAB_BYTES = 64 << 10, /* of the first slab; each has twice as many, up to SLAB_MOST */
    SLAB_MOST = 2 << 20,
    ALIGNED = 8
};

typedef struct record_slab {
    struct record_slab *next;
} record_slab;

static uint64_t room_of(uint32_t size_class) {
    return (uint64_t)FIRST_ROOM << size_class;
}

static uint64_t aligned(uint64_t bytes) {
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static uint64_t block_bytes(uint64_t records) {
    return aligned(sizeof(record_block) + records * sizeof(record));
}

/* What is left of the slab before is lost. */
static bough_status add_slab(record_pool *p, bough_error *error) {
    const uint64_t bytes =
        (uint64_t)SLAB_BYTES << p->slabs < SLAB_MOST ? (uint64_t)SLAB_BYTES << p->slabs : SLAB_MOST;
    record_slab *slab;
    bough_status status = large_alloc(&slab, bytes, 1, error);
    if (status) return status;
    slab->next = p->slab;
    p->slab = slab;
    if (bytes < SLAB_MOST) p->slabs++;
    p->at = (unsigned char *)slab + aligned(sizeof *slab);
    p->end = (unsigned char *)slab + bytes;
    return BOUGH_OK;
}

static bough_status take_block(record_pool *p, uint32_t size_class, record_block **out, bough_error *error) {
    const uint64_t bytes = block_bytes(room_of(size_class));
    record_block *block = p->unused[size_class];
    bough_status status = BOUGH_OK;
    if (block) {
        p->unused[size_class] = block->next;
    } else {
        if ((uint64_t)(p->end - p->at) < bytes) status = add_slab(p, error);
        if (status) return status;
        block = (record_block *)(void *)p->at;
        p->at += bytes;
    }
    *block = (record_block){.size_class = size_class};
    p->used += bytes;
    *out = block;
    return BOUGH_OK;
}

void record_pool_fini(record_pool *p) {
    for (record_slab *slab = p->slab, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
    *p = (record_pool){0};
}

/* ---- lists ---- */

static void append(record_list *l, record_block *block) {
    if (l->last) {
        l->last->count = (uint32_t)record_count(l, l->last);
        l->last->next = block;
    } else {
        l->first = block;
    }
    l->last = block;
    l->end = block->item;
    l->limit = block->item + room_of(block->size_class);
}

bough_status record_list_add(record_list *l, const record *flows, record_pool *pool, bough_error *error) {
    if (l->first && l->newest.target == flows->target && l->newest.last + 1 == flows->first) {
        l->end[-1].last = l->newest.last = flows->last;
        return BOUGH_OK;
    }
    if (l->end == l->limit) {
        const uint32_t size_class = !l->last                                   ? 0
                                    : l->last->size_class + 1 < RECORD_CLASSES ? l->last->size_class + 1
                                                                               : RECORD_CLASSES - 1;
        record_block *block;
        bough_status status = take_block(pool, size_class, &block, error);
        if (status) return status;
        append(l, block);
    }
    *l->end++ = l->newest = *flows;
    return BOUGH_OK;
}

void record_list_drop(record_list *l, record_pool *pool) {
    for (record_block *block = l->first, *next; block; block = next) {
        next = block->next;
        pool->used -= block_bytes(room_of(block->size_class));
        block->next = pool->unused[block->size_class];
        pool->unused[block->size_class] = block;
    }
    *l = (record_list){0};
}
