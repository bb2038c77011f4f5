/* All messages descend one height together. The vertex of a message within a node is its rank in binary
 * without the upper bits, one bit less at every second height, whatever edges it took. So in bit-reversed
 * order of ranks, messages of one vertex are adjacent at every height, the one from the lower-indexed parent
 * first. Splitting the messages of a node into left and right preserves that order, so only direction bits
 * have to be looked up. */
#include "engines/bay1991/sidetrack_expand.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/pruned_shape.h"

#include <string.h>

static uint64_t direction_words(unsigned lg) {
    uint64_t vertices = 0;
    for (unsigned h = 0; h <= lg; h++) vertices += (UINT64_C(1) << (lg - h)) << pruned_lg_vertices(h);
    return vertices / 64 + 1;
}

uint64_t sidetrack_expander_bytes(unsigned lg) {
    uint64_t heads = UINT64_C(3) << pruned_lg_vertices(lg);
    return direction_words(lg) * 8 + heads * sizeof(sidetrack_head);
}

bough_status sidetrack_expander_init(sidetrack_expander *x, unsigned lg, bough_error *error) {
    uint64_t most = UINT64_C(1) << pruned_lg_vertices(lg);
    *x = (sidetrack_expander){0};
    for (unsigned h = 0; h < lg; h++)
        x->base[h + 1] = x->base[h] + ((UINT64_C(1) << (lg - h)) << pruned_lg_vertices(h));
    bough_status status = bough_alloc(&x->direction, direction_words(lg), sizeof *x->direction, error);
    TRY(bough_alloc(&x->head, most, sizeof *x->head, error));
    TRY(bough_alloc(&x->next, most, sizeof *x->next, error));
    TRY(bough_alloc(&x->right, most, sizeof *x->right, error));
    return status;
}

void sidetrack_expander_fini(sidetrack_expander *x) {
    FREE_ALL(x->direction, x->head, x->next, x->right);
}

void sidetrack_expander_reset(sidetrack_expander *x, unsigned lg, const uint32_t *target) {
    memset(x->direction, 0, direction_words(lg) * sizeof *x->direction);
    x->target = target;
    x->sidetracked = 0;
}

/* Places the messages at the vertices of the top node, by the reversed bits of their ranks: 0, 4, 2, 6, 1, 5,
 * 3, 7. */
static void line_up(sidetrack_expander *x, const sidetrack_batch *batch) {
    const uint32_t *message = batch->message, *target = x->target;
    uint32_t node = batch->top == batch->tree->peak ? batch->tree->index / 2 : batch->tree->index ^ 1;
    uint32_t count = batch->count, top = 1, rank = 0, got = 0;
    while (top < count) top *= 2;
    while (got < count) {
        if (rank < count)
            x->head[got++] = (sidetrack_head){node, rank, message[rank], target[message[rank]], 0};
        uint32_t bit = top / 2; /* adds one to the bit-reversed number */
        for (; rank & bit; bit /= 2) rank ^= bit;
        rank |= bit;
    }
}

static unsigned flip_direction(sidetrack_expander *x, uint64_t vertex) {
    uint64_t *word = &x->direction[vertex / 64], bit = UINT64_C(1) << (vertex & 63);
    unsigned side = (*word & bit) != 0;
    *word ^= bit;
    return side;
}

/* The edge of the first of two messages; the other takes the other edge. An active message goes to its
 * destination; of two that request one edge, the one with the smaller rank takes it; of two sidetracked ones,
 * that of the lower-indexed parent goes left. */
static unsigned resolve_conflict(sidetrack_expander *x, unsigned height, sidetrack_head *a,
                                 sidetrack_head *b) {
    unsigned side_a = a->target >> (height - 1) & 1, side_b = b->target >> (height - 1) & 1;
    if (a->sidetracked) return b->sidetracked ? 0 : !side_b;
    if (b->sidetracked || side_a != side_b) return side_a;
    x->sidetracked++;
    if (a->rank < b->rank) {
        b->sidetracked = 1;
        return side_a;
    }
    a->sidetracked = 1;
    return !side_b;
}

/* Moves the messages from the vertices of a height to the next lower ones. */
static void descend(sidetrack_expander *x, unsigned height, uint32_t count) {
    unsigned lg_vertices = pruned_lg_vertices(height);
    uint32_t low = (UINT32_C(1) << lg_vertices) - 1;
    sidetrack_head *in = x->head, *end = in + count, *left = x->next;
    while (in < end) {
        uint32_t node = in->node;
        sidetrack_head *right = x->right;
        while (in < end && in->node == node) {
            unsigned side;
            sidetrack_head a = *in++;
            bool two = in < end && in->node == node && ((in->rank ^ a.rank) & low) == 0;
            if (two) {
                sidetrack_head b = *in++;
                side = resolve_conflict(x, height, &a, &b);
                b.node = 2 * node + !side;
                *(side ? left++ : right++) = b;
            } else {
                side = a.sidetracked ? flip_direction(x, x->base[height] +
                                                             ((uint64_t)node << lg_vertices | (a.rank & low)))
                                     : a.target >> (height - 1) & 1;
            }
            a.node = 2 * node + side;
            *(side ? right++ : left++) = a;
        }
        size_t rights = (size_t)(right - x->right);
        memcpy(left, x->right, rights * sizeof *left);
        left += rights;
    }
    sidetrack_head *swap = x->head;
    x->head = x->next;
    x->next = swap;
}

bough_status sidetrack_expand(sidetrack_expander *x, const sidetrack_batch *batch,
                              const sidetrack_watch *watch, bough_error *error) {
    bough_status status = BOUGH_OK;
    line_up(x, batch);
    for (unsigned height = batch->top; !status; height--) {
        const sidetrack_front front = {batch->tree, height, x->head, batch->count};
        if (watch && watch->descent) status = watch->descent(watch->context, &front, error);
        if (height == 0) break;
        descend(x, height, batch->count);
    }
    return status;
}
