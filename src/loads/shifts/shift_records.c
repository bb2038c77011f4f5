#include "loads/shifts/shift_records.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

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

/* room: records for which the block has room; the list continues at the first `count`. */
static void append(record_list *l, record_block *block, uint64_t count, uint64_t room) {
    if (l->last) {
        l->last->count = (uint32_t)record_count(l, l->last);
        l->last->next = block;
    } else {
        l->first = block;
    }
    l->last = block;
    l->end = block->item + count;
    l->limit = block->item + room;
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
        append(l, block, 0, room_of(size_class));
    }
    *l->end++ = l->newest = *flows;
    return BOUGH_OK;
}

void record_list_drop(record_list *l, record_pool *pool) {
    for (record_block *block = l->first, *next; block; block = next) {
        next = block->next;
        if (block->size_class == RECORD_CLASSES) continue;
        pool->used -= block_bytes(room_of(block->size_class));
        block->next = pool->unused[block->size_class];
        pool->unused[block->size_class] = block;
    }
    *l = (record_list){0};
}

/* ---- exchange: a list is sent as one block ---- */

static uint64_t list_count(const record_list *l) {
    uint64_t count = 0;
    for (const record_block *b = l->first; b; b = b->next) count += record_count(l, b);
    return count;
}

static uint64_t list_bytes(const record_list *l) {
    return l->first ? block_bytes(list_count(l)) : 0;
}

static unsigned char *put_lists(const record_part *p, uint64_t node, unsigned char *to) {
    for (unsigned i = 0; i < p->lists; i++) {
        const record_list *l = &p->list[i][node];
        if (!l->first) continue;
        record_block *block = (record_block *)(void *)to;
        *block = (record_block){.node = node, .size_class = RECORD_CLASSES};
        for (const record_block *b = l->first; b; b = b->next) {
            memcpy(block->item + block->count, b->item, record_count(l, b) * sizeof(record));
            block->count += (uint32_t)record_count(l, b);
        }
        to += block_bytes(block->count);
    }
    return to;
}

/* Received bytes become parts of list[0]. */
static void add_received(const record_part *p, unsigned char *at, const unsigned char *end) {
    while (at < end) {
        record_block *block = (record_block *)(void *)at;
        append(&p->list[0][block->node], block, block->count, block->count);
        at += block_bytes(block->count);
    }
}

static bough_status size_parts(const rank_group *group, const record_part *p, rank_parts *out,
                               bough_error *error) {
    uint64_t *size;
    bough_status status = bough_alloc(&size, group->ranks, sizeof *size, error);
    if (status) return status;
    for (uint64_t node = p->first; node < p->end; node++)
        for (unsigned i = 0, to = (node - p->first) % group->ranks; i < p->lists && to != group->rank; i++)
            size[to] += list_bytes(&p->list[i][node]);
    status = rank_parts_make(out, group->ranks, size, error);
    free(size);
    return status;
}

static bough_status pack(const rank_group *group, const record_part *p, rank_parts *out, bough_error *error) {
    const unsigned ranks = group->ranks;
    bough_status status = size_parts(group, p, out, error);
    for (unsigned r = 0; r < ranks && !status; r++) {
        unsigned char *to = out->bytes + out->at[r];
        for (uint64_t node = p->first + r; node < p->end && r != group->rank; node += ranks)
            to = put_lists(p, node, to);
    }
    return status;
}

bough_status shift_records_share(const rank_group *group, const record_part *p, unsigned char **received,
                                 bough_error *error) {
    rank_parts out = {0}, in = {0};
    bough_status status = pack(group, p, &out, error);
    status = group_exchange(group, status, &out, &in, error);
    rank_parts_fini(&out);
    if (status) return status;
    add_received(p, in.bytes, in.bytes + in.at[group->ranks]);
    *received = in.bytes;
    free(in.at);
    return BOUGH_OK;
}

/* at[r]: the bytes of ranks below r. */
static bough_status find_sizes(const rank_group *group, const record_part *p, uint64_t *at,
                               bough_error *error) {
    uint64_t *size = at + 1;
    for (uint64_t node = p->first; node < p->end; node++)
        for (unsigned i = 0; i < p->lists; i++) size[group->rank] += list_bytes(&p->list[i][node]);
    bough_status status = group_or(group, size, group->ranks, error);
    for (unsigned r = 0; r < group->ranks; r++) at[r + 1] += at[r];
    return status;
}

static bough_status spread_lists(const rank_group *group, const record_part *p, const uint64_t *at,
                                 unsigned char **received, bough_error *error) {
    unsigned char *bytes = NULL;
    bough_status status = large_alloc(&bytes, bough_add(at[group->ranks], 1), 1, error);
    unsigned char *to = status ? NULL : bytes + at[group->rank];
    for (uint64_t node = p->first; node < p->end && !status; node++) {
        to = put_lists(p, node, to);
        for (unsigned i = 0; i < p->lists; i++) record_list_drop(&p->list[i][node], p->pool[i]);
    }
    status = group_gather(group, status, bytes, at, error);
    if (status) {
        free(bytes);
        return status;
    }
    add_received(p, bytes, bytes + at[group->ranks]);
    *received = bytes;
    return BOUGH_OK;
}

bough_status shift_records_spread(const rank_group *group, const record_part *p, uint64_t bytes,
                                  unsigned char **received, bough_error *error) {
    uint64_t *at = NULL;
    *received = NULL;
    bough_status status = bough_alloc(&at, (uint64_t)group->ranks + 1, sizeof *at, error);
    status = group_agree(group, status, error);
    TRY(find_sizes(group, p, at, error));
    if (!status && at[group->ranks] <= bytes) status = spread_lists(group, p, at, received, error);
    free(at);
    return status;
}
