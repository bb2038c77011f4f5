#include "routing/routing.h"

void bough_arbitration_order(bough_key key, uint64_t group, uint64_t occasion, uint32_t count,
                             uint32_t *order) {
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
