#include "base/memory/fnv1a.h"

#include <string.h>

static const uint64_t BYTEWISE = UINT64_C(64) << 20;

static uint64_t add_word(uint64_t hash, const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32; /* else the upper bits of a word would not reach the lower bits of the hash */
}

void file_hash_add(file_hash *h, const char *bytes, size_t length) {
    if (h->count < BYTEWISE) {
        size_t count = length < BYTEWISE - h->count ? length : (size_t)(BYTEWISE - h->count);
        h->hash = bough_fnv1a(h->hash, bytes, count);
        h->count += count;
        bytes += count;
        length -= count;
    }
    h->count += length;
    while (length && h->rests) {
        h->rest[h->rests++] = *bytes++;
        length--;
        if (h->rests < 8) continue;
        h->hash = add_word(h->hash, h->rest);
        h->rests = 0;
    }
    for (; length >= 8; length -= 8, bytes += 8) h->hash = add_word(h->hash, bytes);
    for (; length; length--) h->rest[h->rests++] = *bytes++;
}

uint64_t file_hash_end(file_hash *h) {
    return bough_fnv1a(h->hash, h->rest, h->rests);
}

uint64_t bough_fnv1a_file(uint64_t hash, const char *bytes, size_t length) {
    file_hash h = FILE_HASH_START(hash);
    file_hash_add(&h, bytes, length);
    return file_hash_end(&h);
}
