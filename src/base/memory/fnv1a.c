#include "base/memory/fnv1a.h"

#include <string.h>

static const uint64_t BYTEWISE = UINT64_C(1) << 20;

static uint64_t add_value(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32; /* else the upper bits of a word would not reach the lower bits of the hash */
}

static uint64_t add_word(uint64_t hash, const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return add_value(hash, word);
}

enum { TURN = 8 * FILE_HASH_LANES };

static void add_turns(file_hash *h, const char *bytes, size_t turns) {
    uint64_t a = h->lane[0], b = h->lane[1], c = h->lane[2], d = h->lane[3];
    for (; turns; turns--, bytes += TURN) {
        a = add_word(a, bytes);
        b = add_word(b, bytes + 8);
        c = add_word(c, bytes + 16);
        d = add_word(d, bytes + 24);
    }
    h->lane[0] = a, h->lane[1] = b, h->lane[2] = c, h->lane[3] = d;
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
        if (h->rests < TURN) continue;
        add_turns(h, h->rest, 1);
        h->rests = 0;
    }
    add_turns(h, bytes, length / TURN);
    bytes += length / TURN * TURN;
    for (length %= TURN; length; length--) h->rest[h->rests++] = *bytes++;
}

uint64_t file_hash_end(file_hash *h) {
    uint64_t hash = h->hash;
    for (unsigned i = 0; i < FILE_HASH_LANES && h->count > BYTEWISE; i++) hash = add_value(hash, h->lane[i]);
    return bough_fnv1a(hash, h->rest, h->rests);
}

uint64_t bough_fnv1a_file(uint64_t hash, const char *bytes, size_t length) {
    file_hash h = FILE_HASH_START(hash);
    file_hash_add(&h, bytes, length);
    return file_hash_end(&h);
}
