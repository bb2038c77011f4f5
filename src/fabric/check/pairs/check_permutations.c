/* Random permutations: where all flows to an address follow one tree, a batch at a time by
 * permutation_loads.h; the first batch is found with the shifts, which follow the same trees. Else one by
 * one. Ranks and their threads divide the addresses, or the permutations. */
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "base/threads.h"
#include "fabric/check/pairs/permutation_loads.h"

#include <stdlib.h>

/* ---- together, by trees ---- */

typedef struct tree_walk {
    permutation_loads *loads;
    check_pass *pass;
    address_tree *tree; /* [threads] */
    group_loop loop;    /* grains of endpoints */
    bough_status status;
    bough_error *error;
    bough_lock lock; /* protects status and error */
} tree_walk;

static bough_status walk_grain(tree_walk *w, unsigned thread, uint64_t grain, bough_error *error) {
    const uint64_t n = w->pass->net->endpoints, first = grain * SHIFT_GRAIN;
    bough_status status = BOUGH_OK;
    for (uint64_t d = first; d < first + SHIFT_GRAIN && d < n && !status; d++) {
        address_tree_start(&w->tree[thread], bough_endpoint_address(w->pass->net, d));
        permutation_loads_add(w->loads, thread, &w->tree[thread], (uint32_t)d);
        status = check_flows_done(w->pass, w->loads->count, error);
    }
    return status;
}

static void walk_some(void *context, unsigned thread) {
    tree_walk *w = context;
    bough_error error;
    bough_status status = BOUGH_OK;
    for (uint64_t grain; !status && (grain = group_loop_claim(&w->loop)) < w->loop.steps;)
        status = walk_grain(w, thread, grain, &error);
    if (!status) return;
    lock_take(&w->lock);
    w->status = status;
    if (w->error) *w->error = error;
    lock_leave(&w->lock);
}

static bough_status walk_trees(tree_walk *w, unsigned threads) {
    const uint64_t n = w->pass->net->endpoints;
    bough_status status = bough_alloc(&w->tree, threads, sizeof *w->tree, w->error);
    for (unsigned i = 0; i < threads && !status; i++)
        status = i ? address_tree_make_like(&w->tree[i], &w->tree[0], w->error)
                   : address_tree_make(&w->tree[0], w->pass->routing, w->error);
    lock_init(&w->lock);
    w->loop = (group_loop){.group = w->pass->options->group, .steps = (n + SHIFT_GRAIN - 1) / SHIFT_GRAIN};
    status = group_loop_begin(&w->loop, status, w->error);
    if (!status) {
        parallel_run(threads, walk_some, w);
        status = w->status;
    }
    lock_fini(&w->lock);
    for (unsigned i = 0; w->tree && i < threads; i++) address_tree_fini(&w->tree[i]);
    free(w->tree);
    return status;
}

/* Those that were not found with the shifts. */
static bough_status by_trees(check_pass *p, bough_error *error) {
    const uint64_t permutations = p->options->permutations;
    bough_status status = BOUGH_OK;
    for (uint64_t first = p->found; first < permutations && !status; first += PERMUTATION_BATCH) {
        uint64_t left = permutations - first;
        permutation_loads loads = {0};
        status = permutation_loads_make(
            p, first, left < PERMUTATION_BATCH ? (unsigned)left : PERMUTATION_BATCH, &loads, error);
        TRY(walk_trees(&(tree_walk){.loads = &loads, .pass = p, .error = error}, loads.workers));
        status = group_agree(p->options->group, status, error);
        TRY(permutation_loads_settle(&loads, p->random + first, error));
        permutation_loads_fini(&loads);
    }
    return status;
}

/* ---- one by one ---- */

typedef struct follower {
    link_sums sums;
    uint32_t *image; /* [endpoints] */
} follower;

typedef struct all_followers {
    check_pass *pass;
    follower *follower;
} all_followers;

/* Every ranks-th permutation is one of this rank. */
static bough_status follow_one(void *context, unsigned thread, uint64_t own, bough_error *error) {
    const all_followers *all = context;
    follower *f = &all->follower[thread];
    check_pass *p = all->pass;
    const uint64_t permutation = own * group_ranks(p->options->group) + group_rank(p->options->group);
    bough_status status = BOUGH_OK;
    permutation_draw(p, permutation, f->image);
    for (uint64_t i = 0; i < p->net->endpoints && !status; i++)
        status = p->channels || f->image[i] == i ? check_flows_done(p, 1, error)
                                                 : check_send(p, &f->sums, i, f->image[i], error);
    p->random[permutation] =
        p->channels ? check_channels_permutation(p, p->channels, f->image) : check_settle(p, &f->sums, NULL);
    return status;
}

static bough_status make_followers(all_followers *all, unsigned threads, bough_error *error) {
    const bough_net *net = all->pass->net;
    uint64_t bytes = bough_mul(bough_add(bough_mul(net->links, 16), bough_mul(net->endpoints, 4)), threads);
    bough_status status = bough_net_memory_check(net, bytes, "the random permutations", error);
    TRY(bough_alloc(&all->follower, threads, sizeof *all->follower, error));
    for (unsigned i = 0; i < threads && !status; i++) {
        status = link_sums_make(&all->follower[i].sums, net->links, error);
        TRY(bough_alloc(&all->follower[i].image, net->endpoints, sizeof(uint32_t), error));
    }
    return status;
}

static bough_status one_by_one(check_pass *p, bough_error *error) {
    const unsigned threads =
        p->options->threads && !p->channels ? p->options->threads : 1; /* channels: one count */
    const rank_group *group = p->options->group;
    const uint64_t count = p->options->permutations, ranks = group_ranks(group);
    all_followers all = {.pass = p};
    bough_status status = make_followers(&all, threads, error);
    TRY(team_try(threads, (count + ranks - 1 - group_rank(group)) / ranks, follow_one, &all, error));
    for (unsigned i = 0; all.follower && i < threads; i++) {
        link_sums_fini(&all.follower[i].sums);
        free(all.follower[i].image);
    }
    free(all.follower);
    status = group_agree(group, status, error);
    TRY(group_sum(group, (double *)p->random, count * sizeof(outcome) / sizeof(double), error));
    return status;
}

/* ---- all ---- */

bough_status check_permutations(check_pass *p, bough_error *error) {
    if (p->options->permutations == p->found) return BOUGH_OK;
    return !p->channels && check_trees_fit(p) ? by_trees(p, error) : one_by_one(p, error);
}
