/* The flows that reach a node, as shift_loads.c keeps them between its two steps, and their exchange between
 * ranks. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_RECORDS_H
#define BOUGH_LOADS_SHIFTS_SHIFT_RECORDS_H

#include "base/rank_group.h"

/* Flows of origins first .. last to an address. All are below SHIFT_ENDPOINTS_MAX. */
typedef struct record {
    uint16_t target; /* endpoint */
    uint16_t first, last;
} record;

/* Ranks send each other blocks as they are in memory. */
typedef struct record_block {
    struct record_block *next; /* of the list */
    uint64_t node;             /* of a block that was received */
    uint32_t count;            /* not of the last block of a list, which ends at list->end */
    uint32_t size_class;       /* RECORD_CLASSES: it was received */
    record item[];
} record_block;

/* Zero-initialise. */
typedef struct record_list {
    record_block *first, *last;
    record *end, *limit; /* of the records in the last block, and of its room */
    record newest; /* while records are added: the last one, as items of many lists lie apart in memory */
} record_list;

static inline uint64_t record_count(const record_list *list, const record_block *block) {
    return block == list->last ? (uint64_t)(list->end - block->item) : block->count;
}

enum { RECORD_CLASSES = 6 };

/* Memory for blocks. Zero-initialise. */
typedef struct record_pool {
    struct record_slab *slab;             /* the newest first */
    uint64_t slabs;                       /* smaller than the largest size */
    unsigned char *at, *end;              /* what is left of the newest */
    record_block *unused[RECORD_CLASSES]; /* by size */
    uint64_t used;                        /* bytes of the blocks in lists */
} record_pool;

/* All lists must be empty. */
void record_pool_fini(record_pool *pool);

/* Adds flows, to the last record if it has those of the origins before, to the same address. Errors:
 * NO_MEMORY. */
bough_status record_list_add(record_list *list, const record *flows, record_pool *pool, bough_error *error);
void record_list_drop(record_list *list, record_pool *pool);

/* The lists of all threads for nodes first .. end - 1. */
typedef struct record_part {
    record_list *const *list; /* [lists][node] */
    record_pool *const *pool; /* [lists] */
    unsigned lists;
    uint64_t first, end;
} record_part;

/* Sends every rank the records of its nodes: of every ranks-th one, beginning with first + rank. What comes
 * from others is in list[0], after its own, until *received is freed. Called by all ranks. Errors: NO_MEMORY;
 * those of the group. */
bough_status shift_records_share(const rank_group *group, const record_part *part, unsigned char **received,
                                 bough_error *error);

/* Sends all records to every rank, if they take no more than so many bytes; else *received is NULL. They are
 * in list[0] then, until *received is freed, and other lists are empty. Called by all ranks. Errors: the
 * same. */
bough_status shift_records_spread(const rank_group *group, const record_part *part, uint64_t bytes,
                                  unsigned char **received, bough_error *error);

#endif
