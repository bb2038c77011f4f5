/* Random permutations: where all flows to an address follow one tree, a batch at a time by
 * permutation_loads.h; the first batch is found with the shifts, which follow the same trees. Else one by
 * one. Threads divide the addresses, or the permutations. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/check/pairs/permutation_loads.h"
#include "loads/tree_loop.h"
#include "traffic/patterns/batch.h"

#include <stdlib.h>

/* ---- together, by trees ---- */

static bough_status add_flows(void *context, unsigned thread, address_tree *tree, uint32_t target,
                              bough_error *error) {
    permutation_loads *loads = context;
    permutation_loads_add(loads, thread, tree, target);
    return check_flows_done(loads->pass, loads->count, error);
}

/* Those that were not found with the shifts. */
static bough_status by_trees(check_pass *p, bough_error *error) {
    const uint64_t permutations = p->options->permutations;
    bough_status status = BOUGH_OK;
    for (uint64_t first = p->found; first < permutations && !status; first += PERMUTATION_BATCH) {
        uint64_t left = permutations - first;
        permutation_loads loads = {0};
        const tree_loop loop = {.routing = p->routing,
                                .threads = p->options->threads,
                                .grain = SHIFT_GRAIN,
                                .visit = add_flows,
                                .context = &loads};
        status = permutation_loads_make(
            p, first, left < PERMUTATION_BATCH ? (unsigned)left : PERMUTATION_BATCH, &loads, error);
        TRY(tree_loop_run(&loop, error));
        if (!status) permutation_loads_settle(&loads, p->random + first);
        permutation_loads_fini(&loads);
    }
    return status;
}

/* ---- one by one ---- */

typedef struct follower {
    link_sums sums;
    uint32_t *image; /* [2 * endpoints] */
} follower;

typedef struct all_followers {
    check_pass *pass;
    follower *follower;
} all_followers;

static bough_status follow_one(void *context, unsigned thread, uint64_t permutation, bough_error *error) {
    const all_followers *all = context;
    follower *f = &all->follower[thread];
    check_pass *p = all->pass;
    bough_status status = BOUGH_OK;
    random_permutation_in_planes(bough_key_make(p->options->seed, permutation), &p->planes, f->image);
    for (uint64_t i = 0; i < p->net->endpoints && !status; i++)
        status = p->channels || f->image[i] == i ? check_flows_done(p, 1, error)
                                                 : check_send(p, &f->sums, i, f->image[i], error);
    p->random[permutation] =
        p->channels ? check_channels_permutation(p, p->channels, f->image) : check_settle(p, &f->sums, NULL);
    return status;
}

static bough_status make_followers(all_followers *all, unsigned threads, bough_error *error) {
    const bough_net *net = all->pass->net;
    uint64_t bytes = bough_mul(bough_add(bough_mul(net->links, 16), bough_mul(net->endpoints, 8)), threads);
    bough_status status = bough_net_memory_check(net, bytes, "the random permutations", error);
    TRY(bough_alloc(&all->follower, threads, sizeof *all->follower, error));
    for (unsigned i = 0; i < threads && !status; i++) {
        status = link_sums_make(&all->follower[i].sums, net->links, error);
        TRY(bough_alloc(&all->follower[i].image, 2 * net->endpoints, sizeof(uint32_t), error));
    }
    return status;
}

static bough_status one_by_one(check_pass *p, bough_error *error) {
    const unsigned threads =
        p->options->threads && !p->channels ? p->options->threads : 1; /* channels: one count */
    all_followers all = {.pass = p};
    bough_status status = make_followers(&all, threads, error);
    TRY(team_try(threads, p->options->permutations, follow_one, &all, error));
    for (unsigned i = 0; all.follower && i < threads; i++) {
        link_sums_fini(&all.follower[i].sums);
        free(all.follower[i].image);
    }
    free(all.follower);
    return status;
}

/* ---- all ---- */

bough_status check_permutations(check_pass *p, bough_error *error) {
    if (p->options->permutations == p->found) return BOUGH_OK;
    return !p->channels && check_trees_fit(p) ? by_trees(p, error) : one_by_one(p, error);
}
