/* The flows that reach a node, as shift_loads.c keeps them between its two steps, and their exchange between
 * ranks. */
#ifndef BOUGH_MODELS_LINK_LOAD_TREES_SHIFT_RECORDS_H
#define BOUGH_MODELS_LINK_LOAD_TREES_SHIFT_RECORDS_H

#include "base/rank_group.h"

#include <stddef.h>

/* Flows of origins first .. last to an address. */
typedef struct record {
    uint32_t target; /* endpoint */
    uint32_t first, last;
} record;

typedef struct record_list {
    record *item;
    size_t count, room;
    record last; /* while records are added: the last one, as items of many lists lie apart in memory */
} record_list;

/* Adds flows, to the last record if it has those of the origins before, to the same address; *rooms: records
 * for which there is room. Errors: NO_MEMORY. */
bough_status record_list_add(record_list *list, const record *flows, uint64_t *rooms, bough_error *error);

/* The lists of all threads for nodes first .. end - 1. */
typedef struct record_part {
    record_list *const *list; /* [lists][node] */
    unsigned lists;
    uint64_t first, end;
    uint64_t *room; /* records for which list[0] has room */
} record_part;

/* Sends every rank the records of its nodes: of every ranks-th one, beginning with first + rank. What comes
 * from others is added to list[0]. Called by all ranks. Errors: NO_MEMORY; those of the group. */
bough_status shift_records_share(const rank_group *group, const record_part *part, bough_error *error);

/* Sends all records to every rank, if they take no more than so many bytes; *spread: whether they did. Called
 * by all ranks. Errors: the same. */
bough_status shift_records_spread(const rank_group *group, const record_part *part, uint64_t bytes,
                                  bool *spread, bough_error *error);

#endif
