/* The hash function FNV-1a of Fowler, Noll and Vo, 64 bits. */
#ifndef BOUGH_BASE_MEMORY_FNV1A_H
#define BOUGH_BASE_MEMORY_FNV1A_H

#include <stddef.h>
#include <stdint.h>

#define BOUGH_FNV1A_START UINT64_C(0xcbf29ce484222325)

/* The hash of what was hashed before, and these bytes. */
static inline uint64_t bough_fnv1a(uint64_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
