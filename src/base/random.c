#include "bough/random.h"

bough_key bough_key_make(uint64_t seed, uint64_t trial) {
    bough_key root = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    uint32_t block[4];
    bough_block(root, BOUGH_DRAW_KEY, trial & (BOUGH_ENTITY_MAX - 1), 0, trial >> 40, block);
    return (bough_key){{block[0], block[1]}};
}

void bough_bits(bough_key key, bough_purpose purpose, uint64_t first, uint64_t count, uint64_t occasion,
                uint32_t *bits) {
    unsigned shift = first & 31, from = first >> 5 & 3;
    uint64_t words = (count + 31) / 32, w = 0, at = first >> 7;
    uint32_t block[4], carry = 0;
    bool primed = shift == 0;
    for (; w < words; at++, from = 0) {
        bough_block(key, purpose, at, 0, occasion, block);
        for (unsigned i = from; i < 4 && w < words; i++) {
            if (primed) bits[w++] = shift ? carry | block[i] << (32 - shift) : block[i];
            carry = block[i] >> shift;
            primed = true;
        }
    }
}

bough_stream bough_stream_make(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion) {
    return (bough_stream){.key = key, .purpose = purpose, .entity = entity, .occasion = occasion};
}

uint64_t bough_stream_next(bough_stream *s) {
    if (s->have == 0) {
        uint32_t block[4];
        /* index carries 16 bits; what lies above goes to the occasion's top 16 bits */
        bough_block(s->key, s->purpose, s->entity, s->index & 0xffff,
                    s->occasion ^ (uint64_t)(s->index >> 16) << 48, block);
        s->index++;
        s->word[0] = (uint64_t)block[1] << 32 | block[0];
        s->word[1] = (uint64_t)block[3] << 32 | block[2];
        s->have = 2;
    }
    return s->word[2 - s->have--];
}
