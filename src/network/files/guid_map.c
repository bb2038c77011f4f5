#include "network/files/guid_map.h"

#include "base/memory/memory.h"

#include <stdlib.h>

/* GUIDs of one vendor differ in few bits; the finaliser of splitmix64 distributes them. */
static uint64_t spread(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The slot of key, occupied or free. */
static struct bough_guid_slot *find(const bough_guids *guids, uint64_t key) {
    size_t i = spread(key) & (guids->size - 1);
    while (guids->slot[i].used && guids->slot[i].key != key) i = (i + 1) & (guids->size - 1);
    return &guids->slot[i];
}

uint32_t bough_guids_get(const bough_guids *guids, uint64_t key) {
    if (!guids->size) return UINT32_MAX;
    const struct bough_guid_slot *slot = find(guids, key);
    return slot->used ? slot->value : UINT32_MAX;
}

static bough_status enlarge(bough_guids *guids, bough_error *error) {
    bough_guids larger = {.size = guids->size ? guids->size * 2 : 64, .count = guids->count};
    bough_status status = bough_alloc(&larger.slot, larger.size, sizeof *larger.slot, error);
    if (status) return status;
    for (size_t i = 0; i < guids->size; i++)
        if (guids->slot[i].used) *find(&larger, guids->slot[i].key) = guids->slot[i];
    free(guids->slot);
    *guids = larger;
    return BOUGH_OK;
}

bough_status bough_guids_put(bough_guids *guids, uint64_t key, uint32_t value, bough_error *error) {
    if (guids->count * 2 >= guids->size) {
        bough_status status = enlarge(guids, error);
        if (status) return status;
    }
    struct bough_guid_slot *slot = find(guids, key);
    if (!slot->used) guids->count++;
    *slot = (struct bough_guid_slot){.key = key, .value = value, .used = 1};
    return BOUGH_OK;
}

void bough_guids_fini(bough_guids *guids) {
    if (!guids) return;
    free(guids->slot);
    *guids = (bough_guids){0};
}
