#include "base/memory/fnv1a.h"

#include <string.h>

static uint64_t word_at(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Else the upper bits of a word would not reach the lower bits of the hash. */
static uint64_t fold(uint64_t hash) {
    return hash ^ hash >> 32;
}

static const uint64_t PRIME = UINT64_C(0x100000001b3);

enum { TURN = 8 * FILE_HASH_LANES };

/* Every word takes as long as the operations that wait for the word before: so words are added before the
 * hashes are folded, fold(a) ^ word == (a ^ word) ^ a >> 32. */
static void add_turns(file_hash *h, const char *bytes, size_t turns) {
    if (!turns) return;
    uint64_t a = (h->lane[0] ^ word_at(bytes)) * PRIME, b = (h->lane[1] ^ word_at(bytes + 8)) * PRIME,
             c = (h->lane[2] ^ word_at(bytes + 16)) * PRIME, d = (h->lane[3] ^ word_at(bytes + 24)) * PRIME;
    while (bytes += TURN, --turns) {
        a = ((a ^ word_at(bytes)) ^ a >> 32) * PRIME;
        b = ((b ^ word_at(bytes + 8)) ^ b >> 32) * PRIME;
        c = ((c ^ word_at(bytes + 16)) ^ c >> 32) * PRIME;
        d = ((d ^ word_at(bytes + 24)) ^ d >> 32) * PRIME;
    }
    h->lane[0] = fold(a), h->lane[1] = fold(b), h->lane[2] = fold(c), h->lane[3] = fold(d);
}

static void begin_section(file_hash *h) {
    for (unsigned i = 0; i < FILE_HASH_LANES; i++) h->lane[i] = BOUGH_FNV1A_START;
    h->rests = 0;
    h->open = true;
}

static void add_to_section(file_hash *h, const char *bytes, size_t length) {
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

static uint64_t end_section(const file_hash *h) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < FILE_HASH_LANES; i++) hash = fold((hash ^ h->lane[i]) * PRIME);
    return bough_fnv1a(hash, h->rest, h->rests);
}

static size_t less(size_t length, uint64_t room) {
    return length < room ? length : (size_t)room;
}

void file_hash_add(file_hash *h, const char *bytes, size_t length) {
    size_t count = h->count < FILE_HASH_BYTEWISE ? less(length, FILE_HASH_BYTEWISE - h->count) : 0;
    h->hash = bough_fnv1a(h->hash, bytes, count);
    for (;;) {
        h->count += count;
        bytes += count;
        length -= count;
        if (!length) return;
        const size_t begun = h->count % FILE_HASH_SECTION;
        count = less(length, FILE_HASH_SECTION - begun);
        if (!begun) begin_section(h);
        add_to_section(h, bytes, count);
        if (begun + count < FILE_HASH_SECTION) continue;
        h->hash = file_hash_end(h);
        h->open = false;
    }
}

uint64_t file_hash_section(const char *bytes, size_t length) {
    file_hash h;
    begin_section(&h);
    add_to_section(&h, bytes, length);
    return end_section(&h);
}

static uint64_t with_section(uint64_t hash, uint64_t section) {
    return fold((hash ^ section) * PRIME);
}

void file_hash_join(file_hash *h, uint64_t section, size_t length) {
    h->hash = with_section(h->hash, section);
    h->count += length;
}

uint64_t file_hash_end(const file_hash *h) {
    return h->open ? with_section(h->hash, end_section(h)) : h->hash;
}

uint64_t bough_fnv1a_file(uint64_t hash, const char *bytes, size_t length) {
    file_hash h = FILE_HASH_START(hash);
    file_hash_add(&h, bytes, length);
    return file_hash_end(&h);
}
