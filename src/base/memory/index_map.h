/* A map from 64-bit keys (GUIDs) to indices or counts. */
#ifndef BOUGH_BASE_MEMORY_INDEX_MAP_H
#define BOUGH_BASE_MEMORY_INDEX_MAP_H

#include "base/memory/arena.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise all but memory. */
typedef struct bough_index_map {
    struct bough_index_slot {
        uint64_t key;
        uint32_t value;
        uint32_t used;
    } * slot;
    size_t size, count; /* size: a power of two */
    arena *memory;      /* NULL: the map owns its memory, which its fini frees */
} bough_index_map;

/* The value of key, or BOUGH_NO_INDEX (UINT32_MAX). */
uint32_t bough_index_map_get(const bough_index_map *map, uint64_t key);
/* Sets the value of key, replacing an existing one. */
bough_status bough_index_map_put(bough_index_map *map, uint64_t key, uint32_t value, bough_error *error);
/* Adds one to the value of key, which is 0 at first. */
bough_status bough_index_map_count(bough_index_map *map, uint64_t key, bough_error *error);
/* Makes the map large enough for a number of keys: until it has so many, putting cannot fail. */
bough_status bough_index_map_reserve(bough_index_map *map, uint64_t keys, bough_error *error);
/* Removes all keys, and keeps the memory. */
void bough_index_map_clear(bough_index_map *map);
void bough_index_map_fini(bough_index_map *map);

#endif
