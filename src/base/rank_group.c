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

/* ---- loops ---- */

/* No rank is in the loop before once all have agreed, nor in this one before they agree again. */
bough_status group_loop_begin(const group_loop *l, bough_status status, bough_error *error) {
    const rank_group *g = l->group;
    status = group_agree(g, status, error);
    if (status || l->in_turn || !group_can_claim(g)) return status;
    if (g->rank == 0) atomic_store(g->claimed, 0);
    return group_agree(g, status, error);
}

uint64_t group_loop_claim(group_loop *l) {
    const rank_group *g = l->group;
    if (!l->in_turn && group_can_claim(g)) return atomic_fetch_add(g->claimed, 1);
    return atomic_fetch_add(&l->own, 1) * group_ranks(g) + group_rank(g);
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

/* Every rank sends its part of the bytes to all others; block: [2 ranks]. All receive the same part, so the
 * sent blocks overlap. */
static bough_status spread_parts(const rank_group *g, void *bytes, const uint64_t *at, rank_block *block,
                                 bough_error *error) {
    for (unsigned r = 0; r < g->ranks; r++) {
        block[r] = (rank_block){(char *)bytes + at[g->rank], at[g->rank + 1] - at[g->rank]};
        block[g->ranks + r] = (rank_block){(char *)bytes + at[r], at[r + 1] - at[r]};
    }
    return swap(g, block, block + g->ranks, error);
}

bough_status group_gather(const rank_group *g, bough_status status, void *bytes, const uint64_t *at,
                          bough_error *error) {
    if (group_ranks(g) == 1) return status;
    rank_block *block = NULL;
    TRY(bough_alloc(&block, 2 * (uint64_t)g->ranks, sizeof *block, error));
    status = group_agree(g, status, error);
    TRY(spread_parts(g, bytes, at, block, error));
    free(block);
    return status;
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

static void add_counts16(void *to, const void *from, uint64_t count) {
    uint16_t *sum = to;
    const uint16_t *value = from;
    for (uint64_t i = 0; i < count; i++) sum[i] = (uint16_t)(sum[i] + value[i]);
}

static void add_bits(void *to, const void *from, uint64_t count) {
    uint64_t *sum = to;
    const uint64_t *value = from;
    for (uint64_t i = 0; i < count; i++) sum[i] |= value[i];
}

static void keep_largest16(void *to, const void *from, uint64_t count) {
    uint16_t *largest = to;
    const uint16_t *value = from;
    for (uint64_t i = 0; i < 4 * count; i++)
        if (value[i] > largest[i]) largest[i] = value[i];
}

/* The first stage of a sum: each rank combines its own part of an array. It receives pieces of the parts of
 * the others, 4 MiB at a time, so that it needs no second array. */
typedef struct reduction {
    void *value;
    uint64_t size; /* of an element */
    combine *add;
    const uint64_t *given; /* [ranks + 1]: the part of each rank; NULL: about equal ones */
    uint64_t *at;          /* the same */
    char *piece;           /* [ranks x room]: received */
    uint64_t room, longest;
    rank_block *block; /* [2 ranks]: sent and received */
} reduction;

enum { PIECE_BYTES = 1 << 22 };

/* Elements of a part in the piece that begins at this element. */
static uint64_t piece_of(const reduction *d, unsigned r, uint64_t from) {
    uint64_t size = d->at[r + 1] - d->at[r];
    return size <= from ? 0 : size - from < d->room ? size - from : d->room;
}

static char *element(const reduction *d, uint64_t i) {
    return (char *)d->value + i * d->size;
}

static bough_status make_reduction(const rank_group *g, uint64_t count, reduction *d, bough_error *error) {
    bough_status status = bough_alloc(&d->at, (uint64_t)g->ranks + 1, sizeof *d->at, error);
    for (unsigned r = 0; r <= g->ranks && !status; r++)
        d->at[r] = d->given ? d->given[r] : team_part(count, g->ranks, r);
    for (unsigned r = 0; r < g->ranks && !status; r++)
        if (d->at[r + 1] - d->at[r] > d->longest) d->longest = d->at[r + 1] - d->at[r];
    const uint64_t most = PIECE_BYTES / d->size / g->ranks + 1;
    d->room = d->longest < most ? d->longest : most;
    TRY(large_alloc(&d->piece, bough_mul(g->ranks, d->room), d->size, error));
    TRY(bough_alloc(&d->block, 2 * (uint64_t)g->ranks, sizeof *d->block, error));
    return status;
}

static bough_status combine_pieces(const rank_group *g, const reduction *d, bough_error *error) {
    bough_status status = BOUGH_OK;
    g->state->exchanges++;
    for (uint64_t from = 0; from < d->longest && !status; from += d->room) {
        const uint64_t mine = piece_of(d, g->rank, from);
        for (unsigned r = 0; r < g->ranks; r++) {
            d->block[r] = (rank_block){element(d, d->at[r] + from), piece_of(d, r, from) * d->size};
            d->block[g->ranks + r] = (rank_block){d->piece + r * d->room * d->size, mine * d->size};
        }
        status = swap(g, d->block, d->block + g->ranks, error);
        for (unsigned r = 0; r < g->ranks && !status; r++)
            if (r != g->rank)
                d->add(element(d, d->at[g->rank] + from), d->piece + r * d->room * d->size, mine);
    }
    return status;
}

/* spread: every rank receives the whole sum, else its part. */
static bough_status reduce(const rank_group *g, reduction *d, uint64_t count, bool spread,
                           bough_error *error) {
    bough_status status = group_agree(g, make_reduction(g, count, d, error), error);
    TRY(combine_pieces(g, d, error));
    if (!status) g->state->sums++;
    for (unsigned r = 0; r <= g->ranks && !status; r++) d->at[r] *= d->size; /* bytes */
    if (spread) TRY(spread_parts(g, d->value, d->at, d->block, error));
    FREE_ALL(d->at, d->piece, d->block);
    return status;
}

static bough_status reduce_all(const rank_group *g, void *value, uint64_t count, combine *add,
                               bough_error *error) {
    return group_ranks(g) == 1 ? BOUGH_OK
                               : reduce(g, &(reduction){.value = value, .size = sizeof(uint64_t), .add = add},
                                        count, true, error);
}

bough_status group_sum_part(const rank_group *g, double *value, uint64_t count, bough_error *error) {
    reduction d = {.value = value, .size = sizeof *value, .add = add_doubles};
    return group_ranks(g) == 1 ? BOUGH_OK : reduce(g, &d, count, false, error);
}

bough_status group_sum_parts16(const rank_group *g, bough_status status, uint16_t *value, const uint64_t *at,
                               bough_error *error) {
    reduction d = {.value = value, .size = sizeof *value, .add = add_counts16, .given = at};
    if (group_ranks(g) == 1) return status;
    status = group_agree(g, status, error);
    return status ? status : reduce(g, &d, 0, false, error);
}

bough_status group_sum(const rank_group *g, double *value, uint64_t count, bough_error *error) {
    return reduce_all(g, value, count, add_doubles, error);
}

bough_status group_sum_counts(const rank_group *g, uint64_t *value, uint64_t count, bough_error *error) {
    return reduce_all(g, value, count, add_counts, error);
}

bough_status group_or(const rank_group *g, uint64_t *value, uint64_t count, bough_error *error) {
    return reduce_all(g, value, count, add_bits, error);
}

bough_status group_compare(const rank_group *g, bough_status status, uint64_t number, bough_error *error) {
    const unsigned ranks = group_ranks(g);
    if (ranks == 1) return status;
    uint64_t *all = NULL;
    TRY(bough_alloc(&all, ranks, sizeof *all, error));
    if (!status) all[g->rank] = number;
    status = group_agree(g, status, error);
    TRY(group_or(g, all, ranks, error));
    for (unsigned i = 1; i < ranks && !status; i++)
        if (all[i] != all[0])
            status = bough_fail(
                error, BOUGH_INVALID, NULL,
                "rank %u has another question than rank 0: its files, plug-ins or bough itself differ; "
                "use the same on all machines",
                i);
    free(all);
    return status;
}

bough_status group_max16(const rank_group *g, uint16_t *value, uint64_t count, bough_error *error) {
    return reduce_all(g, value, GROUP_ROOM16(count) / 4, keep_largest16, error);
}
