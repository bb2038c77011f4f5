/* The flows that reach a node, as shift_loads.c keeps them between its two steps. */
#ifndef BOUGH_LOADS_SHIFTS_SHIFT_RECORDS_H
#define BOUGH_LOADS_SHIFTS_SHIFT_RECORDS_H

#include "bough/status.h"

#include <stdint.h>

/* Flows of origins first .. last to an address. All are below SHIFT_ENDPOINTS_MAX. */
typedef struct record {
    uint16_t target; /* endpoint */
    uint16_t first, last;
} record;

typedef struct record_block {
    struct record_block *next; /* of the list */
    uint32_t count;            /* not of the last block of a list, which ends at list->end */
    uint32_t size_class;
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

#endif
