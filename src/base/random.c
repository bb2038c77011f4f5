#include "bough/random.h"

bough_key bough_key_make(uint64_t seed, uint64_t trial) {
    bough_key root = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    uint32_t block[4];
    bough_block(root, BOUGH_DRAW_KEY, trial & (BOUGH_ENTITY_MAX - 1), 0, trial >> 40, block);
    return (bough_key){{block[0], block[1]}};
}

/* Four blocks at once: a lane of 64 bits holds one word of a block in its low half, and what is left over
 * from multiplying in its high half, which no multiplication looks at. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define MANY_BLOCKS 1
enum { LANES = 4, SETS = 2 }; /* two sets, as one alone would wait for its own products */

__attribute__((target("avx2"))) static inline __m256i scaled(__m256i x, uint32_t by) {
    return _mm256_mul_epu32(x, _mm256_set1_epi64x(by));
}

__attribute__((target("avx2"))) static inline __m256i mixed(__m256i product, __m256i x, uint32_t key) {
    return _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product, 32), x), _mm256_set1_epi64x(key));
}

__attribute__((target("avx2"))) static inline void join(__m256i first, __m256i second, uint64_t *out) {
    __m256i mask = _mm256_set1_epi64x(UINT32_MAX);
    __m256i both = _mm256_or_si256(_mm256_and_si256(first, mask), _mm256_slli_epi64(second, 32));
    _mm256_storeu_si256((__m256i *)out, both);
}

__attribute__((target("avx2"), always_inline)) static inline void
some_blocks(bough_key key, bough_purpose purpose, const uint64_t *block, uint64_t occasion, uint64_t *low,
            uint64_t *high, const int sets) {
    __m256i x[SETS][4];
    for (int s = 0; s < sets; s++) {
        const uint64_t *b = block + s * LANES;
        __m256i at = _mm256_loadu_si256((const __m256i *)b);
        x[s][0] = at;
        x[s][1] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi64(at, 32), _mm256_set1_epi64x(0xff)),
                                  _mm256_set1_epi64x((int64_t)((uint64_t)purpose << 24)));
        x[s][2] = _mm256_set1_epi64x((uint32_t)occasion);
        x[s][3] = _mm256_set1_epi64x((int64_t)(occasion >> 32));
    }
    for (uint32_t r = 0; r < 10; r++) {
        uint32_t k0 = key.word[0] + r * PHILOX_W32_0, k1 = key.word[1] + r * PHILOX_W32_1;
        for (int s = 0; s < sets; s++) {
            __m256i p = scaled(x[s][0], PHILOX_M4x32_0), q = scaled(x[s][2], PHILOX_M4x32_1);
            x[s][0] = mixed(q, x[s][1], k0);
            x[s][2] = mixed(p, x[s][3], k1);
            x[s][1] = q;
            x[s][3] = p;
        }
    }
    for (int s = 0; s < sets; s++) {
        join(x[s][0], x[s][1], low + s * LANES);
        join(x[s][2], x[s][3], high + s * LANES);
    }
}

__attribute__((target("avx2"))) static void many_blocks(bough_key key, bough_purpose purpose,
                                                        const uint64_t *block, uint64_t occasion,
                                                        uint64_t *low, uint64_t *high) {
    some_blocks(key, purpose, block, occasion, low, high, SETS);
}

__attribute__((target("avx2"))) static void few_blocks(bough_key key, bough_purpose purpose,
                                                       const uint64_t *block, uint64_t occasion,
                                                       uint64_t *low, uint64_t *high) {
    some_blocks(key, purpose, block, occasion, low, high, 1);
}
#endif

void bough_blocks(bough_key key, bough_purpose purpose, const uint64_t *block, uint64_t count,
                  uint64_t occasion, uint64_t *low, uint64_t *high) {
    uint64_t i = 0;
#ifdef MANY_BLOCKS
    if (__builtin_cpu_supports("avx2"))
        for (; i + LANES * SETS <= count; i += LANES * SETS)
            many_blocks(key, purpose, block + i, occasion, low + i, high + i);
    if (count - i >= LANES && __builtin_cpu_supports("avx2")) {
        few_blocks(key, purpose, block + i, occasion, low + i, high + i);
        i += LANES;
    }
    if (count - i > 1 && __builtin_cpu_supports("avx2")) { /* the rest, and some for nothing */
        uint64_t some[LANES] = {0}, l[LANES], h[LANES];
        for (uint64_t k = i; k < count; k++) some[k - i] = block[k];
        few_blocks(key, purpose, some, occasion, l, h);
        for (uint64_t k = i; k < count; k++) low[k] = l[k - i], high[k] = h[k - i];
        return;
    }
#endif
    for (; i < count; i++) {
        uint32_t out[4];
        bough_block(key, purpose, block[i], 0, occasion, out);
        low[i] = (uint64_t)out[1] << 32 | out[0];
        high[i] = (uint64_t)out[3] << 32 | out[2];
    }
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
