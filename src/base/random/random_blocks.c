/* Computes many blocks at once. A 64-bit lane has one word of a block in its low half; its high half is left
 * over from multiplications and ignored by them. Several sets of lanes are interleaved to hide the latency of
 * multiplication. */
#include "base/random/random.h"

#include <string.h>

enum { SOME = 32 };

/* Blocks that are computed together, block[i] at occasion draw->occasion + later[i]. */
typedef struct batch {
    const bough_draw *draw;
    const uint64_t *block, *later;
    uint64_t *low, *high;
} batch;

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define VECTORS 1
#define INLINE  static inline __attribute__((always_inline))
#define WIDE    __attribute__((target("avx512f")))
#define NARROW  __attribute__((target("avx2")))

enum { LANES = 8, WIDE_SETS = SOME / LANES, NARROW_SETS = 2 };

/* Blocks i .. i + sets * LANES - 1. */
WIDE INLINE void wide_sets(const batch *b, uint64_t i, const int sets) {
    const bough_key key = b->draw->key;
    uint64_t *const low = b->low + i, *const high = b->high + i;
    const __m512i m0 = _mm512_set1_epi64(PHILOX_M4x32_0), m1 = _mm512_set1_epi64(PHILOX_M4x32_1),
                  top = _mm512_set1_epi64((int64_t)((uint64_t)b->draw->purpose << 24)),
                  byte = _mm512_set1_epi64(0xff), occasion = _mm512_set1_epi64((int64_t)b->draw->occasion);
    __m512i x[WIDE_SETS][4];
    for (int s = 0; s < sets; s++) {
        x[s][0] = _mm512_loadu_si512(b->block + i + s * LANES);
        x[s][1] = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi64(x[s][0], 32), byte), top);
        x[s][2] = _mm512_add_epi64(occasion, _mm512_loadu_si512(b->later + i + s * LANES));
        x[s][3] = _mm512_srli_epi64(x[s][2], 32);
    }
    for (uint32_t r = 0; r < 10; r++) {
        const __m512i k0 = _mm512_set1_epi64(key.word[0] + r * PHILOX_W32_0),
                      k1 = _mm512_set1_epi64(key.word[1] + r * PHILOX_W32_1);
        for (int s = 0; s < sets; s++) {
            __m512i p = _mm512_mul_epu32(x[s][0], m0), q = _mm512_mul_epu32(x[s][2], m1);
            x[s][0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(q, 32), x[s][1], k0, 0x96); /* xor */
            x[s][2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p, 32), x[s][3], k1, 0x96);
            x[s][1] = q;
            x[s][3] = p;
        }
    }
    for (int s = 0; s < sets; s++)
        for (int half = 0; half < 2; half++)
            _mm512_storeu_si512(
                (half ? high : low) + s * LANES,
                _mm512_mask_blend_epi32(0xaaaa, x[s][2 * half], _mm512_slli_epi64(x[s][2 * half + 1], 32)));
}

/* count: a multiple of LANES. */
WIDE static void wide_blocks(const batch *b, uint64_t count) {
    uint64_t i = 0;
    if (count == SOME) {
        wide_sets(b, 0, WIDE_SETS);
        return;
    }
    for (; i + 2 * LANES <= count; i += 2 * LANES) wide_sets(b, i, 2);
    if (i < count) wide_sets(b, i, 1);
}

NARROW INLINE __m256i narrow_mixed(__m256i product, __m256i x, uint32_t key) {
    return _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product, 32), x), _mm256_set1_epi64x(key));
}

/* LANES blocks, as two sets. */
NARROW INLINE void narrow_sets(const batch *b, uint64_t i) {
    enum { EACH = LANES / NARROW_SETS };
    const bough_key key = b->draw->key;
    uint64_t *const low = b->low + i, *const high = b->high + i;
    const __m256i m0 = _mm256_set1_epi64x(PHILOX_M4x32_0), m1 = _mm256_set1_epi64x(PHILOX_M4x32_1),
                  top = _mm256_set1_epi64x((int64_t)((uint64_t)b->draw->purpose << 24)),
                  byte = _mm256_set1_epi64x(0xff), occasion = _mm256_set1_epi64x((int64_t)b->draw->occasion);
    __m256i x[NARROW_SETS][4];
    for (int s = 0; s < NARROW_SETS; s++) {
        x[s][0] = _mm256_loadu_si256((const __m256i *)(b->block + i + s * EACH));
        x[s][1] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi64(x[s][0], 32), byte), top);
        x[s][2] = _mm256_add_epi64(occasion, _mm256_loadu_si256((const __m256i *)(b->later + i + s * EACH)));
        x[s][3] = _mm256_srli_epi64(x[s][2], 32);
    }
    for (uint32_t r = 0; r < 10; r++) {
        uint32_t k0 = key.word[0] + r * PHILOX_W32_0, k1 = key.word[1] + r * PHILOX_W32_1;
        for (int s = 0; s < NARROW_SETS; s++) {
            __m256i p = _mm256_mul_epu32(x[s][0], m0), q = _mm256_mul_epu32(x[s][2], m1);
            x[s][0] = narrow_mixed(q, x[s][1], k0);
            x[s][2] = narrow_mixed(p, x[s][3], k1);
            x[s][1] = q;
            x[s][3] = p;
        }
    }
    for (int s = 0; s < NARROW_SETS; s++)
        for (int half = 0; half < 2; half++)
            _mm256_storeu_si256(
                (__m256i *)((half ? high : low) + s * EACH),
                _mm256_blend_epi32(x[s][2 * half], _mm256_slli_epi64(x[s][2 * half + 1], 32), 0xaa));
}

NARROW static void narrow_blocks(const batch *b, uint64_t count) {
    for (uint64_t i = 0; i < count; i += LANES) narrow_sets(b, i);
}
#endif

/* count is at most SOME; the outputs have space for a multiple of eight, which may be written completely. */
static void some_blocks(const batch *b, uint64_t count) {
#ifdef VECTORS
    uint64_t whole = (count + LANES - 1) / LANES * LANES;
    if (count > 1 && __builtin_cpu_supports("avx512f")) {
        wide_blocks(b, whole);
        return;
    }
    if (count > 1 && __builtin_cpu_supports("avx2")) {
        narrow_blocks(b, whole);
        return;
    }
#endif
    for (uint64_t i = 0; i < count; i++) {
        bough_draw draw = *b->draw;
        uint32_t out[4];
        draw.occasion += b->later[i];
        bough_block(&draw, b->block[i], 0, out);
        b->low[i] = (uint64_t)out[1] << 32 | out[0];
        b->high[i] = (uint64_t)out[3] << 32 | out[2];
    }
}

void bough_blocks(const bough_draw *draw, const uint64_t *block, uint64_t count, uint64_t *low,
                  uint64_t *high) {
    static const uint64_t same[SOME];
    uint64_t i = 0;
    for (; i + SOME <= count; i += SOME)
        some_blocks(&(batch){draw, block + i, same, low + i, high + i}, SOME);
    if (i == count) return;
    uint64_t rest[SOME] = {0}, l[SOME], h[SOME]; /* padded */
    memcpy(rest, block + i, (count - i) * sizeof *block);
    some_blocks(&(batch){draw, rest, same, l, h}, count - i);
    memcpy(low + i, l, (count - i) * sizeof *low);
    memcpy(high + i, h, (count - i) * sizeof *high);
}

void bough_words(const bough_draw *draw, const uint64_t *block, const uint64_t *later, uint64_t count,
                 uint64_t *word) {
    for (uint64_t i = 0; i < count; i += SOME) {
        uint64_t some = count - i < SOME ? count - i : SOME;
        uint64_t b[SOME] = {0}, l[SOME] = {0}, low[SOME], high[SOME]; /* padded */
        memcpy(b, block + i, some * sizeof *block);
        memcpy(l, later + i, some * sizeof *later);
        some_blocks(&(batch){draw, b, l, low, high}, some);
        for (uint64_t k = 0; k < some; k++) {
            word[2 * (i + k)] = low[k];
            word[2 * (i + k) + 1] = high[k];
        }
    }
}
