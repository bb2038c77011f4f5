/* A map from 64-bit keys (GUIDs) to indices. */
#ifndef BOUGH_BASE_MEMORY_INDEX_MAP_H
#define BOUGH_BASE_MEMORY_INDEX_MAP_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
typedef struct bough_index_map {
    struct bough_index_slot {
        uint64_t key;
        uint32_t value;
        uint32_t used;
    } * slot;
    size_t size, count; /* size: a power of two */
} bough_index_map;

/* The value of key, or BOUGH_NO_INDEX (UINT32_MAX). */
uint32_t bough_index_map_get(const bough_index_map *map, uint64_t key);
/* Sets the value of key, replacing an existing one. */
bough_status bough_index_map_put(bough_index_map *map, uint64_t key, uint32_t value, bough_error *error);
void bough_index_map_fini(bough_index_map *map);

#endif
