#include "base/memory/name_map.h"

#include "base/memory/fnv1a.h"

#include <stdlib.h>
#include <string.h>

/* The slot of a name, occupied or free. */
static struct bough_name_slot *find(const bough_name_map *map, const char *name, size_t length) {
    size_t i = bough_fnv1a(BOUGH_FNV1A_START, name, length) & (map->size - 1);
    for (; map->slot[i].name; i = (i + 1) & (map->size - 1))
        if (map->slot[i].length == length && memcmp(map->slot[i].name, name, length) == 0) break;
    return &map->slot[i];
}

uint32_t bough_name_map_get(const bough_name_map *map, const char *name, size_t length) {
    if (!map->size) return UINT32_MAX;
    const struct bough_name_slot *slot = find(map, name, length);
    return slot->name ? slot->value : UINT32_MAX;
}

bough_status bough_name_map_reserve(bough_name_map *map, uint64_t names, bough_error *error) {
    bough_name_map larger = {.size = map->size ? map->size : 64, .count = map->count, .memory = map->memory};
    while (larger.size < 2 * names) larger.size *= 2;
    if (larger.size == map->size) return BOUGH_OK;
    bough_status status = arena_alloc(map->memory, &larger.slot, larger.size, sizeof *larger.slot, error);
    if (status) return status;
    for (size_t i = 0; i < map->size; i++) {
        const struct bough_name_slot *slot = &map->slot[i];
        if (slot->name) *find(&larger, slot->name, slot->length) = *slot;
    }
    arena_release(map->memory, map->slot);
    *map = larger;
    return BOUGH_OK;
}

bough_status bough_name_map_add(bough_name_map *map, const char *name, size_t length, uint32_t value,
                                bough_error *error) {
    bough_status status = bough_name_map_reserve(map, map->count + 1, error);
    if (status) return status;
    *find(map, name, length) = (struct bough_name_slot){name, length, value};
    map->count++;
    return BOUGH_OK;
}

void bough_name_map_clear(bough_name_map *map) {
    if (map->size) memset(map->slot, 0, map->size * sizeof *map->slot);
    map->count = 0;
}

void bough_name_map_fini(bough_name_map *map) {
    free(map->slot);
    *map = (bough_name_map){0};
}
