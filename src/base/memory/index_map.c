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
static struct bough_index_slot *find(const bough_index_map *guids, uint64_t key) {
    size_t i = spread(key) & (guids->size - 1);
    while (guids->slot[i].used && guids->slot[i].key != key) i = (i + 1) & (guids->size - 1);
    return &guids->slot[i];
}

uint32_t bough_index_map_get(const bough_index_map *guids, uint64_t key) {
    if (!guids->size) return UINT32_MAX;
    const struct bough_index_slot *slot = find(guids, key);
    return slot->used ? slot->value : UINT32_MAX;
}

static bough_status enlarge(bough_index_map *guids, bough_error *error) {
    bough_index_map larger = {.size = guids->size ? guids->size * 2 : 64, .count = guids->count};
    bough_status status = bough_alloc(&larger.slot, larger.size, sizeof *larger.slot, error);
    if (status) return status;
    for (size_t i = 0; i < guids->size; i++)
        if (guids->slot[i].used) *find(&larger, guids->slot[i].key) = guids->slot[i];
    free(guids->slot);
    *guids = larger;
    return BOUGH_OK;
}

bough_status bough_index_map_put(bough_index_map *guids, uint64_t key, uint32_t value, bough_error *error) {
    if (guids->count * 2 >= guids->size) {
        bough_status status = enlarge(guids, error);
        if (status) return status;
    }
    struct bough_index_slot *slot = find(guids, key);
    if (!slot->used) guids->count++;
    *slot = (struct bough_index_slot){.key = key, .value = value, .used = 1};
    return BOUGH_OK;
}

void bough_index_map_fini(bough_index_map *guids) {
    if (!guids) return;
    free(guids->slot);
    *guids = (bough_index_map){0};
}
