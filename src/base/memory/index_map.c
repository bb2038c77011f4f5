#include "base/memory/index_map.h"

#include "base/memory/memory.h"

#include <stdlib.h>

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

static bough_status enlarge(bough_index_map *map, bough_error *error) {
    bough_index_map larger = {.size = map->size ? map->size * 2 : 64, .count = map->count};
    bough_status status = bough_alloc(&larger.slot, larger.size, sizeof *larger.slot, error);
    if (status) return status;
    for (size_t i = 0; i < map->size; i++)
        if (map->slot[i].used) *find(&larger, map->slot[i].key) = map->slot[i];
    free(map->slot);
    *map = larger;
    return BOUGH_OK;
}

bough_status bough_index_map_put(bough_index_map *map, uint64_t key, uint32_t value, bough_error *error) {
    if (map->count * 2 >= map->size) {
        bough_status status = enlarge(map, error);
        if (status) return status;
    }
    struct bough_index_slot *slot = find(map, key);
    if (!slot->used) map->count++;
    *slot = (struct bough_index_slot){.key = key, .value = value, .used = 1};
    return BOUGH_OK;
}

void bough_index_map_fini(bough_index_map *map) {
    if (!map) return;
    free(map->slot);
    *map = (bough_index_map){0};
}
