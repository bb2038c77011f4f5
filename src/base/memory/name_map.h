/* A map from names to indices. */
#ifndef BOUGH_BASE_MEMORY_NAME_MAP_H
#define BOUGH_BASE_MEMORY_NAME_MAP_H

#include "base/memory/arena.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise all but memory. */
typedef struct bough_name_map {
    struct bough_name_slot {
        const char *name; /* NULL: free */
        size_t length;
        uint32_t value;
    } * slot;
    size_t size, count; /* size: a power of two */
    arena *memory;      /* NULL: the map owns its memory, which its fini frees */
} bough_name_map;

/* The value of a name, or BOUGH_NO_INDEX (UINT32_MAX). */
uint32_t bough_name_map_get(const bough_name_map *map, const char *name, size_t length);
/* Adds a name that the map does not have. The caller keeps its bytes. */
bough_status bough_name_map_add(bough_name_map *map, const char *name, size_t length, uint32_t value,
                                bough_error *error);
/* Makes the map large enough for a number of names: until it has so many, adding cannot fail. */
bough_status bough_name_map_reserve(bough_name_map *map, uint64_t names, bough_error *error);
/* Removes all names, and keeps the memory. */
void bough_name_map_clear(bough_name_map *map);
void bough_name_map_fini(bough_name_map *map);

#endif
