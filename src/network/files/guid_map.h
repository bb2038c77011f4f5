/* A map from 64-bit keys (GUIDs) to indices. */
#ifndef BOUGH_NETWORK_FILES_GUID_MAP_H
#define BOUGH_NETWORK_FILES_GUID_MAP_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
typedef struct bough_guids {
    struct bough_guid_slot {
        uint64_t key;
        uint32_t value;
        uint32_t used;
    } * slot;
    size_t size, count; /* size: a power of two */
} bough_guids;

/* The value of key, or BOUGH_NO_INDEX (UINT32_MAX). */
uint32_t bough_guids_get(const bough_guids *guids, uint64_t key);
/* Sets the value of key, replacing an existing one. */
bough_status bough_guids_put(bough_guids *guids, uint64_t key, uint32_t value, bough_error *error);
void bough_guids_fini(bough_guids *guids);

#endif
