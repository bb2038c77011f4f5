/* Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
 * as 1, 2, 3", SC 2011) from Random123.
 *
 * A random number is a function of (seed, trial; purpose, entity, index, occasion). Results therefore do not
 * depend on the order of evaluation, threads or MPI ranks. A block has 128 bits and costs 2 to 10 ns; if
 * single bits are needed, one block serves 128 adjacent entities. */
#ifndef BOUGH_BASE_RANDOM_RANDOM_H
#define BOUGH_BASE_RANDOM_RANDOM_H

/* Philox needs no vector instructions, and their headers take 90 % of the compile time of a file. */
#ifndef R123_USE_SSE
#define R123_USE_SSE 0
#endif
#ifndef R123_USE_X86INTRIN_H
#define R123_USE_X86INTRIN_H 0
#endif
#include <Random123/philox.h>
#include <stdbool.h>
#include <stdint.h>

/* Purpose of a draw. Draws of traffic do not depend on the method, so all methods get the same messages. The
 * order determines results: append only. */
typedef enum bough_purpose {
    BOUGH_DRAW_KEY = 0,     /* derive a key from (seed, trial) */
    BOUGH_DRAW_SOURCES,     /* which endpoints send */
    BOUGH_DRAW_DESTINATION, /* entity = message */
    BOUGH_DRAW_PERMUTATION,
    BOUGH_DRAW_PICK_BIT,  /* entity = group: which of two free links is first */
    BOUGH_DRAW_PICK_WORD, /* entity = group, index = number served before */
    BOUGH_DRAW_ORDER_BIT, /* entity = group: which of two requests is served first */
    BOUGH_DRAW_ORDER_WORD,
    BOUGH_DRAW_HASH,    /* entity = (source, address): the flow hash of `hash` */
    BOUGH_DRAW_BACKOFF, /* entity = message, occasion = attempt */
    BOUGH_DRAW_BINS,    /* entity = ball, occasion = round */
    BOUGH_DRAW_ARRIVAL, /* entity = message of a stream: gap, sender and destination */
    BOUGH_DRAW_WIRING,
    BOUGH_DRAW_FAULT,
    BOUGH_DRAW_VIA, /* entity = the flow's key (message) */
    BOUGH_DRAW_TEST,
    BOUGH_DRAW_LOCAL,     /* entity = endpoint or its wire: a request of local traffic */
    BOUGH_DRAW_SAMPLE,    /* which pairs or addresses are sampled */
    BOUGH_DRAW_QUEUE,     /* entity = link, occasion = step: which packet leaves a queue */
    BOUGH_DRAW_ONLINE,    /* entity = message, occasion = delivery cycle: whether it is sent, and its place */
    BOUGH_DRAW_PLACE,     /* endpoint of a rank */
    BOUGH_DRAW_EXTENSION, /* entity = message or word of a plug-in, index = what for */
    BOUGH_DRAW_DUPLEX,    /* entity = cable (its smaller link): which direction goes first */
    BOUGH_DRAW_DIMENSION, /* entity = address, occasion = position: the next dimension of a flow */
    BOUGH_DRAW_SEARCH,    /* entity = climb: the changes of a search */
    BOUGH_DRAW_LENGTH,    /* entity = message of a stream: its length, and whether it continues a burst */
    BOUGH_DRAW_JITTER,    /* entity = operation of a schedule: variation of its time */
    BOUGH_DRAW_LINK       /* entity = message, occasion = node: a link, whatever the state of links */
} bough_purpose;

typedef struct bough_key {
    uint32_t word[2];
} bough_key;

/* Limits: entity below 2^40, index below 2^16. */
#define BOUGH_ENTITY_MAX (UINT64_C(1) << 40)

/* What the blocks of one draw have in common. */
typedef struct bough_draw {
    bough_key key;
    bough_purpose purpose;
    uint64_t occasion;
} bough_draw;

static inline void bough_block(const bough_draw *draw, uint64_t entity, uint32_t index, uint32_t out[4]) {
    philox4x32_ctr_t counter = {
        {(uint32_t)entity,
         (uint32_t)(entity >> 32 & 0xff) | (index & 0xffff) << 8 | (uint32_t)draw->purpose << 24,
         (uint32_t)draw->occasion, (uint32_t)(draw->occasion >> 32)}};
    philox4x32_key_t k = {{draw->key.word[0], draw->key.word[1]}};
    philox4x32_ctr_t r = philox4x32(counter, k);
    for (int i = 0; i < 4; i++) out[i] = r.v[i];
}

/* Returns the key of one trial. Trials of one seed have independent keys. */
bough_key bough_key_make(uint64_t seed, uint64_t trial);

/* One fair bit per entity; 128 adjacent entities share a block. */
static inline unsigned bough_bit(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion) {
    uint32_t block[4];
    bough_block(&(bough_draw){key, purpose, occasion}, entity >> 7, 0, block);
    return block[entity >> 5 & 3] >> (entity & 31) & 1;
}

/* Sets bit i%32 of bits[i/32] to bough_bit(first + i) for 0 <= i < count. Writes (count + 31)/32 words; bits
 * beyond count are unspecified. 5 to 10 ns per 128 bits. */
void bough_bits(const bough_draw *draw, uint64_t first, uint64_t count, uint32_t *bits);

/* One 64-bit word per entity; two adjacent entities share a block. */
static inline uint64_t bough_word(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion) {
    uint32_t block[4];
    bough_block(&(bough_draw){key, purpose, occasion}, entity >> 1, 0, block);
    const uint32_t *half = block + 2 * (entity & 1);
    return (uint64_t)half[1] << 32 | half[0];
}

/* Computes blocks in any order: low[i] is bough_word(2 block[i]), whose bit j is bough_bit(128 block[i] + j),
 * and high[i] is bough_word(2 block[i] + 1), whose bit j is bough_bit(128 block[i] + 64 + j). Uses vector
 * instructions if available: 2 to 10 ns per block. */
void bough_blocks(const bough_draw *draw, const uint64_t *block, uint64_t count, uint64_t *low,
                  uint64_t *high);

/* Both words of blocks at individual occasions, in any order: word[2 i + j] is bough_word(2 block[i] + j) at
 * occasion draw->occasion + later[i]. 2 to 10 ns per block. */
void bough_words(const bough_draw *draw, const uint64_t *block, const uint64_t *later, uint64_t count,
                 uint64_t *word);

/* Scales word to 0 .. range-1, range > 0. The bias is at most range / 2^64. */
static inline uint64_t bough_scale(uint64_t word, uint64_t range) {
    return (uint64_t)((unsigned __int128)word * range >> 64);
}

/* Scales word to [0, 1). */
static inline double bough_unit(uint64_t word) {
    return (double)(word >> 11) * 0x1p-53;
}

/* A sequence of words for one (purpose, entity, occasion), for example for shuffles. Plain data. */
typedef struct bough_stream {
    bough_draw draw;
    uint64_t entity;
    uint32_t index; /* next block; after 2^17 words the top bits of occasion change */
    unsigned have;
    uint64_t word[2];
} bough_stream;

bough_stream bough_stream_make(bough_key key, bough_purpose purpose, uint64_t entity, uint64_t occasion);
uint64_t bough_stream_next(bough_stream *stream);
static inline uint64_t bough_stream_below(bough_stream *stream, uint64_t range) {
    return bough_scale(bough_stream_next(stream), range);
}

#endif
