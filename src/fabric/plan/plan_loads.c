/* D-mod-K on an XGFT in closed form (network/families/xgft_tree.c). The digits of a destination select its
 * parents and cables at every level, whoever sends. So each destination has one number per level, and a link
 * above level l is given by a subtree of level l and this number: the subtree of the source for the link up,
 * that of the destination for the link down. Links of hosts carry one flow of a permutation each way.
 *
 * The permutations are those of `tornado` and `randperm`, drawn once for all trees, as all have the same
 * endpoints. No network is made: a plan has hundreds of trees. */
#include "fabric/plan/plan.h"

#include "base/memory/memory.h"
#include "base/statistics.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "traffic/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 16 };

/* An endpoint at a level: its subtree, and as a destination its number among the cables up of a subtree. */
typedef struct place {
    uint32_t subtree, port;
} place;

/* One level of a tree. */
typedef struct level {
    place *place; /* [endpoints] */
    uint32_t *up, *down;
    uint64_t cables; /* up from a subtree */
    uint64_t links;  /* of all subtrees, in one direction */
} level;

typedef struct permutations {
    uint64_t endpoints;
    uint32_t *image; /* [1 + TRIALS][endpoints]: tornado, then the random ones */
} permutations;

/* ---- the permutations ---- */

typedef struct pattern {
    const char *name;
    uint64_t seed;
    unsigned trials;
} pattern;

static bough_status read_pattern(const bough_net *net, const pattern *from, uint32_t *image,
                                 bough_error *error) {
    bough_traffic *traffic;
    bough_status status = bough_traffic_create(net, from->name, &traffic, error);
    if (status) return status;
    for (unsigned t = 0; t < from->trials && !status; t++, image += net->endpoints) {
        bough_batch batch;
        status = bough_batch_read(traffic, bough_key_make(from->seed, t), &batch, error);
        if (status) break;
        for (uint64_t e = 0; e < net->endpoints; e++) image[e] = (uint32_t)e; /* those that send nothing */
        for (uint64_t i = 0; i < batch.count; i++)
            image[batch.source[i]] = (uint32_t)bough_address_node(net, batch.address[i]);
        bough_batch_fini(&batch);
    }
    bough_traffic_destroy(traffic);
    return status;
}

static bough_status read_permutations(const char *spec, uint64_t seed, permutations *p, bough_error *error) {
    bough_net *net = NULL;
    bough_status status = bough_net_create(spec, &net, error);
    if (status) return status;
    p->endpoints = net->endpoints;
    status = bough_alloc(&p->image, p->endpoints * (1 + TRIALS), sizeof *p->image, error);
    TRY(read_pattern(net, &(pattern){"tornado", seed, 1}, p->image, error));
    TRY(read_pattern(net, &(pattern){"randperm", seed, TRIALS}, p->image + p->endpoints, error));
    bough_net_destroy(net);
    return status;
}

/* ---- a tree ---- */

static void fini_levels(level *at, unsigned levels) {
    for (unsigned l = 0; l < levels; l++) FREE_ALL(at[l].place, at[l].up, at[l].down);
}

/* The levels above the leaf switches, which at[0] describes. */
static bough_status make_levels(const bough_plan_tree *t, level *at, bough_error *error) {
    uint64_t subtrees = 1, width = t->up[0];
    bough_status status = BOUGH_OK;
    for (unsigned l = 1; l < t->levels; l++) subtrees *= t->down[l];
    for (unsigned l = 1; l < t->levels && !status; l++) {
        level *a = &at[l - 1];
        const uint64_t size = (uint64_t)t->up[l] * t->links[l];
        a->cables = width * size;
        a->links = subtrees * a->cables;
        status = bough_alloc(&a->place, t->endpoints, sizeof *a->place, error);
        TRY(bough_alloc(&a->up, a->links, sizeof *a->up, error));
        TRY(bough_alloc(&a->down, a->links, sizeof *a->down, error));
        for (uint64_t e = 0; e < t->endpoints && !status; e++)
            a->place[e] = (place){(uint32_t)(((e + 1) * subtrees - 1) / t->endpoints),
                                  (uint32_t)(e / width % size)}; /* the digit */
        width *= t->up[l];
        subtrees /= t->down[l];
    }
    return status;
}

/* From digits to cables: the digits below are the number of the switch in its subtree. */
static void number_ports(const bough_plan_tree *t, level *at) {
    for (uint64_t e = 0; e < t->endpoints; e++) {
        uint64_t number = 0, width = t->up[0];
        for (unsigned l = 1; l < t->levels; l++) {
            uint64_t digit = at[l - 1].place[e].port;
            at[l - 1].place[e].port = (uint32_t)(number * t->up[l] * t->links[l] + digit);
            number += digit % t->up[l] * width;
            width *= t->up[l];
        }
    }
}

/* Flows on the most loaded link above a level. */
static uint32_t follow_level(const level *a, const uint32_t *image, uint64_t endpoints) {
    uint32_t most = 0;
    memset(a->up, 0, a->links * sizeof *a->up);
    memset(a->down, 0, a->links * sizeof *a->down);
    for (uint64_t s = 0; s < endpoints; s++) {
        const uint32_t from = a->place[s].subtree;
        const place to = a->place[image[s]];
        if (from == to.subtree) continue;
        uint32_t up = ++a->up[from * a->cables + to.port], down = ++a->down[to.subtree * a->cables + to.port];
        if (up > most) most = up;
        if (down > most) most = down;
    }
    return most;
}

static double follow(const level *at, unsigned levels, const uint32_t *image, uint64_t endpoints) {
    uint32_t most = 0;
    for (uint64_t s = 0; s < endpoints && !most; s++) most = image[s] != s; /* the links of hosts */
    for (unsigned l = 0; l < levels; l++) {
        uint32_t load = follow_level(&at[l], image, endpoints);
        if (load > most) most = load;
    }
    return most;
}

static bough_status find(const bough_plan_tree *t, const permutations *p, bough_plan_loads *loads,
                         bough_error *error) {
    level at[BOUGH_PLAN_LEVELS] = {0};
    bough_stats random = {0};
    const unsigned levels = t->levels - 1;
    bough_status status = make_levels(t, at, error);
    if (!status) {
        number_ports(t, at);
        loads->tornado = follow(at, levels, p->image, p->endpoints);
        for (unsigned i = 1; i <= TRIALS; i++)
            bough_stats_add(&random, follow(at, levels, p->image + i * p->endpoints, p->endpoints));
        loads->random = random.mean;
        loads->random_ci95 = bough_stats_ci95(&random);
    }
    fini_levels(at, levels);
    return status;
}

bough_status bough_plan_loads_find(const bough_plan_tree *const *tree, size_t trees,
                                   const bough_plan_loads_options *options, bough_plan_loads *loads,
                                   bough_error *error) {
    permutations p = {0};
    for (size_t i = 0; i < trees; i++) loads[i] = (bough_plan_loads){NAN, NAN, NAN};
    if (!trees || tree[0]->endpoints < 2 || tree[0]->endpoints > BOUGH_PLAN_LOADS_ENDPOINTS) return BOUGH_OK;
    bough_status status = read_permutations(tree[0]->spec, options->seed, &p, error);
    for (size_t i = 0; i < trees && !status; i++) {
        if (options->progress) options->progress(options->progress_context, (double)i / (double)trees);
        status = stop_check(options->stop, error);
        TRY(find(tree[i], &p, &loads[i], error));
    }
    free(p.image);
    return status;
}
