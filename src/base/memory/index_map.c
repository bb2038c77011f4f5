#include "base/memory/index_map.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* GUIDs of one vendor differ in few bits; the finaliser of splitmix64 distributes them. */
static uint64_t spread(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The slot of key, occupied or free. */
static struct bough_index_slot *find(const bough_index_map *map, uint64_t key) {
    size_t i = spread(key) & (map->size - 1);
    while (map->slot[i].used && map->slot[i].key != key) i = (i + 1) & (map->size - 1);
    return &map->slot[i];
}

uint32_t bough_index_map_get(const bough_index_map *map, uint64_t key) {
    if (!map->size) return UINT32_MAX;
    const struct bough_index_slot *slot = find(map, key);
    return slot->used ? slot->value : UINT32_MAX;
}

bough_status bough_index_map_reserve(bough_index_map *map, uint64_t keys, bough_error *error) {
    bough_index_map larger = {.size = map->size ? map->size : 64, .count = map->count, .memory = map->memory};
    while (larger.size < 2 * keys) larger.size *= 2;
    if (larger.size == map->size) return BOUGH_OK;
    bough_status status =
        bough_memory_check(bough_mul(larger.size, sizeof *larger.slot), "a growing table", error);
    TRY(arena_alloc(map->memory, &larger.slot, larger.size, sizeof *larger.slot, error));
    if (status) return status;
    for (size_t i = 0; i < map->size; i++)
        if (map->slot[i].used) *find(&larger, map->slot[i].key) = map->slot[i];
    arena_release(map->memory, map->slot);
    *map = larger;
    return BOUGH_OK;
}

/* Makes *slot that of key; a new one has the value 0. */
static bough_status enter(bough_index_map *map, uint64_t key, struct bough_index_slot **slot,
                          bough_error *error) {
    bough_status status = bough_index_map_reserve(map, map->count + 1, error);
    if (status) return status;
    *slot = find(map, key);
    if ((*slot)->used) return BOUGH_OK;
    **slot = (struct bough_index_slot){.key = key, .used = 1};
    map->count++;
    return BOUGH_OK;
}

bough_status bough_index_map_put(bough_index_map *map, uint64_t key, uint32_t value, bough_error *error) {
    struct bough_index_slot *slot;
    bough_status status = enter(map, key, &slot, error);
    if (!status) slot->value = value;
    return status;
}

bough_status bough_index_map_count(bough_index_map *map, uint64_t key, bough_error *error) {
    struct bough_index_slot *slot;
    bough_status status = enter(map, key, &slot, error);
    if (!status) slot->value++;
    return status;
}

void bough_index_map_clear(bough_index_map *map) {
    if (map->size) memset(map->slot, 0, map->size * sizeof *map->slot);
    map->count = 0;
}

void bough_index_map_fini(bough_index_map *map) {
    if (!map) return;
    free(map->slot);
    *map = (bough_index_map){0};
}
