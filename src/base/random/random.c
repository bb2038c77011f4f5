#include "bough/random.h"

bough_key bough_key_make(uint64_t seed, uint64_t trial) {
    bough_key root = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    uint32_t block[4];
    bough_block(root, BOUGH_DRAW_KEY, trial & (BOUGH_ENTITY_MAX - 1), 0, trial >> 40, block);
    return (bough_key){{block[0], block[1]}};
}

void bough_bits(bough_key key, bough_purpose purpose, uint64_t first, uint64_t count, uint64_t occasion,
                uint32_t *bits) {
    enum { SOME = 32 };
    unsigned shift = first & 31, from = first >> 5 & 3;
    uint64_t words = (count + 31) / 32, w = 0, at = first >> 7;
    uint64_t block[SOME], low[SOME], high[SOME];
    uint32_t carry = 0;
    bool primed = shift == 0;
    while (w < words) {
        uint64_t want = (words - w + from + 3 + !primed) / 4, some = want < SOME ? want : SOME;
        for (uint64_t k = 0; k < some; k++) block[k] = at++;
        bough_blocks(key, purpose, block, some, occasion, low, high);
        for (uint64_t k = 0; k < some; k++, from = 0) {
            const uint32_t word[4] = {(uint32_t)low[k], (uint32_t)(low[k] >> 32), (uint32_t)high[k],
                                      (uint32_t)(high[k] >> 32)};
            for (unsigned i = from; i < 4 && w < words; i++) {
                if (primed) bits[w++] = shift ? carry | word[i] << (32 - shift) : word[i];
                carry = word[i] >> shift;
                primed = true;
            }
        }
    }
}

bough_stream bough_stream_make(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion) {
    return (bough_stream){.key = key, .purpose = purpose, .entity = entity, .occasion = occasion};
}

uint64_t bough_stream_next(bough_stream *s) {
    if (s->have == 0) {
        uint32_t block[4];
        /* index has 16 bits; higher bits go to the top 16 bits of the occasion */
        bough_block(s->key, s->purpose, s->entity, s->index & 0xffff,
                    s->occasion ^ (uint64_t)(s->index >> 16) << 48, block);
        s->index++;
        s->word[0] = (uint64_t)block[1] << 32 | block[0];
        s->word[1] = (uint64_t)block[3] << 32 | block[2];
        s->have = 2;
    }
    return s->word[2 - s->have--];
}
