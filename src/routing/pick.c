#include "bough/routing.h"

static uint64_t pick_word(bough_key key, uint64_t group, uint64_t occasion, uint32_t served) {
    uint32_t block[4];
    bough_block(key, BOUGH_DRAW_PICK_WORD, group, served >> 1, occasion, block);
    const uint32_t *half = block + 2 * (served & 1);
    return (uint64_t)half[1] << 32 | half[0];
}

uint32_t bough_pick_free(const bough_routing *routing, bough_key key, uint64_t group, uint64_t occasion,
                         uint32_t served, const uint64_t *free, const uint32_t *load, uint32_t count) {
    (void)free;
    if (count == 1 || routing->kind->rule == BOUGH_PICK_FIRST) return 0;
    if (routing->kind->rule == BOUGH_PICK_LEAST && load) {
        uint32_t least = UINT32_MAX, ties = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (load[i] < least) least = load[i], ties = 0;
            ties += load[i] == least;
        }
        uint64_t r = ties > 1 ? bough_scale(pick_word(key, group, occasion, served), ties) : 0;
        for (uint32_t i = 0; i < count; i++)
            if (load[i] == least && r-- == 0) return i;
    }
    if (count == 2 && served == 0) return bough_bit(key, BOUGH_DRAW_PICK_BIT, group, occasion);
    return (uint32_t)bough_scale(pick_word(key, group, occasion, served), count);
}

void bough_serve_order(bough_key key, uint64_t group, uint64_t occasion, uint32_t count, uint32_t *order) {
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (count < 2) return;
    if (count == 2) {
        order[0] = bough_bit(key, BOUGH_DRAW_ORDER_BIT, group, occasion);
        order[1] = 1 - order[0];
        return;
    }
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ORDER_WORD, group, occasion);
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = (uint32_t)bough_stream_below(&stream, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}
