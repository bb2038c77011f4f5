#include "base/random/random.h"

bough_key bough_key_make(uint64_t seed, uint64_t trial) {
    bough_key root = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    uint32_t block[4];
    bough_block(&(bough_draw){root, BOUGH_DRAW_KEY, trial >> 40}, trial & (BOUGH_ENTITY_MAX - 1), 0, block);
    return (bough_key){{block[0], block[1]}};
}

void bough_bits(const bough_draw *draw, uint64_t first, uint64_t count, uint32_t *bits) {
    enum { SOME = 32 };
    const unsigned shift = first & 31, next = shift > 0; /* whether a result needs the word behind it too */
    const uint64_t words = (count + 31) / 32;
    uint64_t block[SOME], low[SOME], high[SOME];
    uint32_t word[4 * SOME];
    for (uint64_t w = 0; w < words;) {
        uint64_t at = (first >> 5) + w, from = at & 3, want = (from + words - w + next + 3) / 4,
                 some = want < SOME ? want : SOME;
        for (uint64_t k = 0; k < some; k++) block[k] = (at >> 2) + k;
        bough_blocks(draw, block, some, low, high);
        for (uint64_t k = 0; k < some; k++) {
            word[4 * k] = (uint32_t)low[k];
            word[4 * k + 1] = (uint32_t)(low[k] >> 32);
            word[4 * k + 2] = (uint32_t)high[k];
            word[4 * k + 3] = (uint32_t)(high[k] >> 32);
        }
        for (uint64_t i = from; i + next < 4 * some && w < words; i++)
            bits[w++] = (uint32_t)(((uint64_t)word[i + next] << 32 | word[i]) >> shift);
    }
}

bough_stream bough_stream_make(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion) {
    return (bough_stream){.draw = {key, purpose, occasion}, .entity = entity};
}

uint64_t bough_stream_next(bough_stream *s) {
    if (s->have == 0) {
        uint32_t block[4];
        /* index has 16 bits; higher bits go to the top 16 bits of the occasion */
        bough_draw draw = s->draw;
        draw.occasion ^= (uint64_t)(s->index >> 16) << 48;
        bough_block(&draw, s->entity, s->index & 0xffff, block);
        s->index++;
        s->word[0] = (uint64_t)block[1] << 32 | block[0];
        s->word[1] = (uint64_t)block[3] << 32 | block[2];
        s->have = 2;
    }
    return s->word[2 - s->have--];
}
