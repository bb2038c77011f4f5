#include "models/collision/level_bins.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/xgft_tree.h"

#include <math.h>
#include <string.h>

static void add_stage(level_game *g, unsigned below, bool down, double meet, uint64_t capacity) {
    double passing = 1 - g->upto[below];
    if (!(meet > 0)) return;
    double bins = fmax(1, round(passing * passing / meet));
    if (!(bins < UINT32_MAX)) return; /* no two of fewer than 2^32 messages are expected to meet */
    g->stage[g->stages++] = (level_stage){below, down, (uint64_t)bins, capacity};
    if ((uint64_t)bins > g->bins_max) g->bins_max = (uint64_t)bins;
}

bough_status level_game_make(const bough_net *net, uint64_t balls, level_game *g, bough_error *error) {
    collision_pair pair;
    double share[COLLISION_LEVELS + 1];
    *g = (level_game){.balls = balls};
    if (!collision_of_tree(net, &pair) || !collision_tree_shares(net, share))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method bins: levels=1 needs a complete tree (fattree, kary, clos, xgft); %s is none", net->spec);
    const xgft_shape *s = xgft_shape_of(net);
    g->levels = pair.levels;
    for (unsigned l = 1; l <= g->levels; l++) g->upto[l] = g->upto[l - 1] + share[l];
    g->upto[g->levels] = 1;
    for (unsigned l = 1; l < g->levels; l++)
        if (s->m[l - 1] * s->p[l - 1] > s->w[l] * s->p[l])
            add_stage(g, l, false, pair.up[l], s->w[l] * s->p[l]);
    for (unsigned l = g->levels; l-- > 0;) add_stage(g, l, true, pair.down[l], s->p[l]);
    return BOUGH_OK;
}

uint64_t level_game_bytes(const level_game *g) {
    return bough_add(bough_mul(g->balls, 5), bough_mul(g->bins_max, 4));
}

bough_status level_table_make(const level_game *g, level_table *t, bough_error *error) {
    bough_status status = bough_alloc(&t->level, g->balls, sizeof *t->level, error);
    TRY(bough_alloc(&t->inside, g->balls, sizeof *t->inside, error));
    TRY(bough_alloc(&t->count, g->bins_max, sizeof *t->count, error));
    return status;
}

void level_table_fini(level_table *t) {
    FREE_ALL(t->level, t->inside, t->count);
}

void level_game_start(const level_game *g, level_table *t, bough_key key) {
    const bough_draw draw = {key, BOUGH_DRAW_BINS, 0};
    uint32_t block[4];
    for (uint64_t ball = 0; ball < g->balls; ball++) {
        if (ball % 4 == 0) bough_block(&draw, ball >> 2, 0, block);
        double u = ldexp((double)block[ball % 4] + 0.5, -32);
        unsigned level = 1;
        while (level < g->levels && u >= g->upto[level]) level++;
        t->level[ball] = (uint8_t)level;
    }
}

static uint32_t scale32(uint32_t word, uint64_t range) {
    return (uint32_t)(word * range >> 32);
}

/* The balls that pass a stage, in the order of `inside`; the others of its level and above are refused. The
 * order is shuffled as balls are taken, so every ball of a bin is equally likely to be refused. */
static uint64_t pass_stage(const level_stage *s, level_table *t, const bough_draw *draw, uint64_t inside) {
    uint64_t kept = 0;
    uint32_t word[4];
    memset(t->count, 0, s->bins * sizeof *t->count);
    for (uint64_t i = 0; i < inside; i++) {
        if (i % 2 == 0) bough_block(draw, i >> 1, 0, word);
        uint64_t other = i + scale32(word[2 * (i % 2) + 1], inside - i);
        uint32_t ball = t->inside[other];
        t->inside[other] = t->inside[i];
        bool passes = t->level[ball] <= s->below; /* turns below */
        if (!passes) passes = t->count[scale32(word[2 * (i % 2)], s->bins)]++ < s->capacity;
        if (passes) t->inside[kept++] = ball;
    }
    return kept;
}

uint64_t level_game_round(const level_game *g, level_table *t, bough_key key, uint64_t round, uint64_t left) {
    uint64_t inside = left, kept = 0;
    for (uint64_t i = 0; i < left; i++) t->inside[i] = (uint32_t)i;
    for (unsigned s = 0; s < g->stages; s++) {
        const bough_draw draw = {key, BOUGH_DRAW_BINS, round << 8 | (s + 1)};
        inside = pass_stage(&g->stage[s], t, &draw, inside);
    }
    for (uint64_t i = 0; i < inside; i++) t->level[t->inside[i]] = 0;
    for (uint64_t i = 0; i < left; i++)
        if (t->level[i]) t->level[kept++] = t->level[i];
    return left - kept;
}
