#include "sim/online_cycle.h"

#include <stdlib.h>

static int by_draw(const void *a, const void *b) {
    const online_contender *x = a, *y = b;
    if (x->draw != y->draw) return x->draw < y->draw ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_place(const void *a, const void *b) {
    const online_contender *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

typedef struct crossing {
    const one_cycle_tree *tree;
    const bough_batch *batch;
    bough_key key;
    uint64_t cycle;
    uint32_t *message;
    online_contender *space;
} crossing;

static unsigned peak_of(const crossing *c, uint32_t message) {
    return one_cycle_peak(c->batch->source[message], c->batch->address[message]);
}

/* Groups of messages that cross one channel above height h stand together, as they are in order of the end
 * below it; those that do not cross stand between them. */
static uint32_t cross(const crossing *c, uint32_t count, const uint32_t *end, unsigned h, bool down) {
    uint32_t kept = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        uint64_t below = end[c->message[from]] >> h;
        uint32_t load = 0;
        for (to = from; to < count && end[c->message[to]] >> h == below; to++)
            load += peak_of(c, c->message[to]) > h;
        uint64_t capacity = c->tree->capacity[h];
        uint32_t lost = load > capacity ? (uint32_t)(load - capacity) : 0, found = 0;
        for (uint32_t i = from; i < to && lost; i++)
            if (peak_of(c, c->message[i]) > h) {
                uint32_t block[4];
                bough_block(c->key, BOUGH_DRAW_WINNER, c->message[i], down, c->cycle, block);
                c->space[found++] = (online_contender){(uint64_t)block[1] << 32 | block[0], i};
            }
        if (lost) {
            qsort(c->space, found, sizeof *c->space, by_draw);
            qsort(c->space + capacity, lost, sizeof *c->space, by_place);
        }
        for (uint32_t i = from, gone = 0; i < to; i++) {
            if (gone < lost && c->space[capacity + gone].number == i)
                gone++;
            else
                c->message[kept++] = c->message[i];
        }
    }
    return kept;
}

static void sort_by_destination(const crossing *c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        c->space[i] = (online_contender){(uint64_t)c->batch->address[c->message[i]] << 32 | c->message[i], i};
    qsort(c->space, count, sizeof *c->space, by_draw);
    for (uint32_t i = 0; i < count; i++) c->message[i] = (uint32_t)c->space[i].draw;
}

uint32_t online_cycle(const one_cycle_tree *tree, const bough_batch *batch, bough_key key, uint64_t cycle,
                      uint32_t *message, uint32_t count, online_contender *space) {
    const crossing c = {tree, batch, key, cycle, message, space};
    for (unsigned h = 0; h < tree->lg; h++) count = cross(&c, count, batch->source, h, false);
    sort_by_destination(&c, count);
    for (unsigned h = tree->lg; h-- > 0;) count = cross(&c, count, batch->address, h, true);
    return count;
}
