/* Bit sets in arrays of 64-bit words. */
#ifndef BOUGH_BASE_MEMORY_BITS_H
#define BOUGH_BASE_MEMORY_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool bit_of(const uint64_t *bits, uint64_t i) {
    return bits[i >> 6] >> (i & 63) & 1;
}
static inline void set_bit(uint64_t *bits, uint64_t i) {
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}
static inline void clear_bit(uint64_t *bits, uint64_t i) {
    bits[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}
static inline uint64_t words_for(uint64_t bits) {
    return (bits + 63) / 64;
}

#endif
