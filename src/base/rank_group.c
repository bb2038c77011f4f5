/* An exchange consists of swaps: first of sizes and statuses, from which all ranks see alike whether it takes
 * place; then one that says whether all have memory for what comes; then of the data. */
#include "base/rank_group.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdlib.h>
#include <string.h>

typedef struct notice {
    uint64_t status, size;
} notice;

rank_group group_first(const rank_group *group, unsigned ranks, group_state *state) {
    rank_group first = *group;
    first.ranks = ranks;
    first.state = state;
    return first;
}

void group_add_costs(const rank_group *group, group_state *first) {
    group->state->exchanges += first->exchanges;
    group->state->sums += first->sums;
    group->state->sent += first->sent;
    if (first->broken) {
        group->state->broken = true;
        group->state->failed = first->failed;
        group->state->error = first->error;
    }
    first->exchanges = first->sums = first->sent = 0;
}

void rank_parts_fini(rank_parts *p) {
    FREE_ALL(p->bytes, p->at);
    *p = (rank_parts){0};
}

bough_status rank_parts_make(rank_parts *p, unsigned ranks, const uint64_t *size, bough_error *error) {
    bough_status status = bough_alloc(&p->at, (uint64_t)ranks + 1, sizeof *p->at, error);
    for (unsigned r = 0; r < ranks && !status; r++) p->at[r + 1] = p->at[r] + size[r];
    TRY(large_alloc(&p->bytes, bough_add(p->at ? p->at[ranks] : 0, 1), 1, error));
    if (status) rank_parts_fini(p);
    return status;
}

static bough_status fail_as_agreed(const rank_group *g, bough_status status, bough_error *error) {
    g->state->failed = status;
    if (error) *error = g->state->error;
    return status;
}

/* This rank cannot tell the others. */
static bough_status fail_alone(const rank_group *g, bough_status status, const bough_error *why,
                               bough_error *error) {
    if (!g->state) return status;
    g->state->broken = true;
    g->state->error = *why;
    return fail_as_agreed(g, status, error);
}

/* For what every swap needs. */
static bough_status alloc_few(const rank_group *g, void *array, uint64_t count, uint64_t size,
                              bough_error *error) {
    bough_error why = {0};
    bough_status status = bough_alloc((void **)array, count, size, &why);
    if (!status) return BOUGH_OK;
    if (error) *error = why;
    return fail_alone(g, status, &why, error);
}

static bough_status swap(const rank_group *g, const rank_block *out, const rank_block *in,
                         bough_error *error) {
    if (g->ranks == 1) return BOUGH_OK;
    for (unsigned r = 0; r < g->ranks; r++)
        if (r != g->rank) g->state->sent += out[r].size;
    bough_error why = {0};
    bough_status status = g->swap(g, out, in, &why);
    return status ? fail_alone(g, status, &why, error) : BOUGH_OK;
}

/* Swaps the same bytes with all ranks: in[r * size] is that of rank r. */
static bough_status swap_alike(const rank_group *g, void *mine, void *all, uint64_t size,
                               bough_error *error) {
    rank_block *block = NULL;
    bough_status status = alloc_few(g, &block, 2 * (uint64_t)g->ranks, sizeof *block, error);
    if (status) return status;
    for (unsigned r = 0; r < g->ranks; r++) {
        block[r] = (rank_block){mine, size};
        block[g->ranks + r] = (rank_block){(char *)all + r * size, size};
    }
    memcpy((char *)all + g->rank * size, mine, size);
    status = swap(g, block, block + g->ranks, error);
    free(block);
    return status;
}

/* ---- failures ---- */

/* The error of the first rank that failed, on ranks that did not. */
static bough_status share_failure(const rank_group *g, const notice *all, bough_error *error) {
    bough_error mine = {0}, *of = NULL;
    unsigned first = 0;
    if (all[g->rank].status && error) mine = *error;
    while (!all[first].status) first++;
    bough_status failed = (bough_status)all[all[g->rank].status ? g->rank : first].status,
                 status = alloc_few(g, &of, g->ranks, sizeof *of, error);
    TRY(swap_alike(g, &mine, of, sizeof mine, error));
    if (!status) g->state->error = all[g->rank].status ? mine : of[first];
    free(of);
    return fail_as_agreed(g, failed, error);
}

static bough_status own_status(const rank_group *g, bough_status status, bough_error *error) {
    if (status || !g->stop || !atomic_load_explicit(g->stop, memory_order_relaxed)) return status;
    return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
}

/* size[r]: of the block for rank r; NULL: all 0. all: [ranks], what they say. */
static bough_status give_notice(const rank_group *g, bough_status status, const uint64_t *size, notice *all,
                                bough_error *error) {
    notice *mine = NULL;
    rank_block *block = NULL;
    if (g->state && g->state->failed) return fail_as_agreed(g, g->state->failed, error);
    bough_status swapped = alloc_few(g, &mine, g->ranks, sizeof *mine, error);
    if (!swapped) swapped = alloc_few(g, &block, 2 * (uint64_t)g->ranks, sizeof *block, error);
    status = own_status(g, status, error);
    for (unsigned r = 0; r < g->ranks && !swapped; r++) {
        mine[r] = (notice){(uint64_t)status, size ? size[r] : 0};
        block[r] = (rank_block){&mine[r], sizeof *mine};
        block[g->ranks + r] = (rank_block){&all[r], sizeof *all};
    }
    if (!swapped) {
        all[g->rank] = mine[g->rank];
        swapped = swap(g, block, block + g->ranks, error);
    }
    FREE_ALL(mine, block);
    if (swapped) return swapped;
    for (unsigned r = 0; r < g->ranks; r++)
        if (all[r].status) return share_failure(g, all, error);
    return BOUGH_OK;
}

bough_status group_agree(const rank_group *g, bough_status status, bough_error *error) {
    if (!g) return status;
    notice *all = NULL;
    bough_status made = alloc_few(g, &all, g->ranks, sizeof *all, error);
    status = made ? made : give_notice(g, status, NULL, all, error);
    free(all);
    return status;
}

/* ---- data ---- */

static bough_status swap_parts(const rank_group *g, const rank_parts *out, const rank_parts *in,
                               bough_error *error) {
    rank_block *block = NULL;
    bough_status status = alloc_few(g, &block, 2 * (uint64_t)g->ranks, sizeof *block, error);
    if (status) return status;
    for (unsigned r = 0; r < g->ranks; r++) {
        block[r] = (rank_block){out->bytes + out->at[r], out->at[r + 1] - out->at[r]};
        block[g->ranks + r] = (rank_block){in->bytes + in->at[r], in->at[r + 1] - in->at[r]};
    }
    memcpy(block[g->ranks + g->rank].bytes, block[g->rank].bytes, block[g->rank].size);
    if (g->state) g->state->exchanges++;
    status = swap(g, block, block + g->ranks, error);
    free(block);
    return status;
}

bough_status group_exchange(const rank_group *given, bough_status status, const rank_parts *out,
                            rank_parts *in, bough_error *error) {
    const rank_group alone = {.ranks = 1}, *g = given ? given : &alone;
    notice *all = NULL;
    uint64_t *size = NULL;
    *in = (rank_parts){0};
    TRY(bough_alloc(&size, g->ranks, sizeof *size, error));
    bool lists = !status;
    for (unsigned r = 0; r < g->ranks && lists; r++) size[r] = out->at[r + 1] - out->at[r];
    bough_status made = alloc_few(g, &all, g->ranks, sizeof *all, error);
    status = made ? made : give_notice(g, status, lists ? size : NULL, all, error);
    if (!status) {
        for (unsigned r = 0; r < g->ranks; r++) size[r] = all[r].size;
        status = group_agree(g, rank_parts_make(in, g->ranks, size, error), error);
    }
    TRY(swap_parts(g, out, in, error));
    if (status) rank_parts_fini(in);
    FREE_ALL(all, size);
    return status;
}

bough_status group_swap(const rank_group *g, bough_status status, const rank_block *out, const rank_block *in,
                        bough_error *error) {
    status = group_agree(g, status, error);
    if (status || group_ranks(g) == 1) return status;
    if (g->state) g->state->exchanges++;
    return swap(g, out, in, error);
}

/* ---- sums ---- */

/* Element i of `to` becomes that of all ranks. */
typedef void combine(void *to, const void *from, uint64_t count);

static void add_doubles(void *to, const void *from, uint64_t count) {
    double *sum = to;
    const double *value = from;
    for (uint64_t i = 0; i < count; i++) sum[i] += value[i];
}

static void add_counts(void *to, const void *from, uint64_t count) {
    uint64_t *sum = to;
    const uint64_t *value = from;
    for (uint64_t i = 0; i < count; i++) sum[i] += value[i];
}

static void add_bits(void *to, const void *from, uint64_t count) {
    uint64_t *sum = to;
    const uint64_t *value = from;
    for (uint64_t i = 0; i < count; i++) sum[i] |= value[i];
}

static void add_words16(void *to, const void *from, uint64_t count) {
    uint16_t *sum = to;
    const uint16_t *value = from;
    for (uint64_t i = 0; i < 4 * count; i++) sum[i] = (uint16_t)(sum[i] + value[i]);
}

static void keep_largest16(void *to, const void *from, uint64_t count) {
    uint16_t *largest = to;
    const uint16_t *value = from;
    for (uint64_t i = 0; i < 4 * count; i++)
        if (value[i] > largest[i]) largest[i] = value[i];
}

/* Each rank combines its part of the array, and sends it to the others. */
static bough_status reduce(const rank_group *g, void *value, uint64_t count, combine *add,
                           bough_error *error) {
    const uint64_t wide = sizeof(uint64_t);
    uint64_t *at;
    rank_parts in, out = {.bytes = value};
    bough_status status = bough_alloc(&at, 2 * ((uint64_t)g->ranks + 1), sizeof *at, error);
    uint64_t *same = status ? NULL : at + g->ranks + 1;
    for (unsigned r = 0; r <= g->ranks && !status; r++) at[r] = team_part(count, g->ranks, r) * wide;
    out.at = at;
    status = group_exchange(g, status, &out, &in, error);
    if (status) {
        free(at);
        return status;
    }
    const uint64_t mine = (at[g->rank + 1] - at[g->rank]) / wide;
    unsigned char *own = (unsigned char *)value + at[g->rank];
    memset(own, 0, mine * wide);
    for (unsigned r = 0; r < g->ranks; r++) add(own, in.bytes + in.at[r], mine);
    rank_parts_fini(&in);
    /* all receive the same part, so the blocks overlap */
    rank_block *block;
    status = group_agree(g, bough_alloc(&block, 2 * (uint64_t)g->ranks, sizeof *block, error), error);
    for (unsigned r = 0; r < g->ranks && !status; r++) {
        same[r] = at[r + 1] - at[r];
        block[r] = (rank_block){own, mine * wide};
        block[g->ranks + r] = (rank_block){(unsigned char *)value + at[r], same[r]};
    }
    if (!status) g->state->sums++;
    TRY(swap(g, block, block + g->ranks, error));
    FREE_ALL(block, at);
    return status;
}

bough_status group_sum(const rank_group *g, double *value, uint64_t count, bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, value, count, add_doubles, error);
}

bough_status group_sum_counts(const rank_group *g, uint64_t *value, uint64_t count, bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, value, count, add_counts, error);
}

bough_status group_or(const rank_group *g, uint64_t *value, uint64_t count, bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, value, count, add_bits, error);
}

bough_status group_sum16(const rank_group *g, uint16_t *value, uint64_t count, bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, value, GROUP_ROOM16(count) / 4, add_words16, error);
}

bough_status group_max16(const rank_group *g, uint16_t *value, uint64_t count, bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, value, GROUP_ROOM16(count) / 4, keep_largest16, error);
}
