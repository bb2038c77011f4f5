#include "support/mixed_classes.h"

#include "base/memory/memory.h"
#include "traffic/patterns/batch.h"

static bough_status mixed_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                               bough_source **source, bough_error *error) {
    (void)clock;
    uint64_t n = t->net->endpoints, count = 0;
    unsigned h = t->net->levels, mode = *(const unsigned *)t->data;
    uint32_t *from, *to;
    bough_status status = bough_alloc(&from, n, sizeof *from, error);
    if (!status) status = bough_alloc(&to, n, sizeof *to, error);
    if (status) return status;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = (uint32_t)(mode & 2 ? n - 1 - i : i);
        uint64_t word = bough_word(key, BOUGH_DRAW_TEST, s, 0);
        unsigned L = (unsigned)(word >> 32) % h;
        if (word % 4 == 0) continue;
        if ((L & 1) != (mode & 1) && (word >> 8) % 8 && h > 1) L ^= L + 1 < h || L % 2 ? 1 : 0;
        from[count] = s;
        to[count++] = (s ^ UINT32_C(1) << L) ^ ((uint32_t)(word >> 40) & ((UINT32_C(1) << L) - 1));
    }
    return batch_source(&(bough_batch){from, to, count}, source, error);
}
static const bough_traffic_kind mixed = {.name = "mixed", .shape = BOUGH_BATCH, .open = mixed_open};

bough_traffic mixed_classes(const bough_net *net, const unsigned *mode) {
    return (bough_traffic){.net = net,
                           .kind = &mixed,
                           .shape = BOUGH_BATCH,
                           .messages = net->endpoints,
                           .distinct = true,
                           .data = (void *)mode};
}
