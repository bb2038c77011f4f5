/* Trees of switches. Every switch has a set of the leaf switches within a distance, as bits; the distance
 * grows until some switch has all of them, and these are the possible roots. Then a search from the root
 * along live cables gives the parents, and what is on no way from a leaf to the root is left out. */
#include "network/aggregation/aggregation.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/faults/faults.h"
#include "network/net.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct tree_search {
    const bough_net *base;
    const bough_aggregation *a;
    uint32_t number, leaves;
    uint32_t *first, *next;  /* [count + 1]; neighbours of an aggregation node, ascending */
    uint64_t *near, *within; /* [count][words]: leaf switches within a distance, and within one less */
    uint64_t words;
    uint32_t *leaf_at;    /* [count]: number of a leaf switch, or NONE */
    uint32_t *far, *list; /* [count]: distance from the root, or NONE; nodes in this order */
    uint32_t *up, *place; /* [count] */
    bough_error *error;
} tree_search;

/* ---- cables between switches ---- */

/* Both directions must be alive. */
static bool is_joined(const bough_net *base, uint64_t link) {
    uint64_t twin = bough_link_twin(base, link);
    return bough_link_alive(base, link) && twin != BOUGH_NONE && bough_link_alive(base, twin);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Writes the neighbours of an aggregation node, ascending and each once, and returns their number. to NULL:
 * how many there may be. */
static uint32_t neighbours(const tree_search *t, uint32_t k, uint32_t *to) {
    const bough_net *base = t->base;
    uint32_t count = 0, kept = 0;
    for (node_links at = node_links_of(base, t->a->at[k]); node_links_next(&at);) {
        uint32_t other = t->a->index_of[base->ops->link_end(base, at.link).node];
        if (other == NONE || !is_joined(base, at.link)) continue;
        if (to) to[count] = other;
        count++;
    }
    if (!to) return count;
    if (count) qsort(to, count, sizeof *to, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || to[i] != to[i - 1]) to[kept++] = to[i];
    return kept;
}

static bough_status list_neighbours(tree_search *t) {
    uint64_t sum = 0;
    uint32_t count = (uint32_t)t->a->count, at = 0;
    bough_status status = bough_alloc(&t->first, (uint64_t)count + 1, sizeof *t->first, t->error);
    for (uint32_t k = 0; k < count && !status; k++) sum += neighbours(t, k, NULL);
    TRY(bough_alloc(&t->next, sum, sizeof *t->next, t->error));
    for (uint32_t k = 0; k < count && !status; k++) {
        t->first[k] = at;
        at += neighbours(t, k, t->next + at);
        t->first[k + 1] = at;
    }
    return status;
}

/* ---- leaf switches ---- */

/* The switches of an endpoint with a live cable, of which it takes one by its number; NONE: none. */
static uint32_t switch_of(const tree_search *t, uint32_t endpoint) {
    const bough_net *base = t->base;
    const bough_compute_nodes *c = base->compute;
    uint64_t nic = c ? c->first_fabric_node + bough_gpu_nic(c, endpoint) : endpoint;
    for (uint32_t pass = 0, count = 0, want = 0; pass < 2; pass++) {
        uint32_t seen = 0;
        for (node_links at = node_links_of(base, nic); node_links_next(&at);) {
            uint32_t k = t->a->index_of[base->ops->link_end(base, at.link).node];
            if (k == NONE || !is_joined(base, at.link)) continue;
            if (pass && seen == want) return k;
            seen++;
        }
        count = seen;
        if (count == 0) return NONE;
        want = t->number % count;
    }
    return NONE;
}

static bough_status find_leaves(tree_search *t, const uint32_t *endpoint, uint32_t members, uint32_t *leaf) {
    char name[128], dead[160];
    for (uint32_t i = 0; i < members; i++) {
        uint32_t k = leaf[i] = switch_of(t, endpoint[i]);
        if (k == NONE)
            return bough_fail(t->error, BOUGH_INVALID, NULL, "%s has no live cable to a switch that adds%s%s",
                              bough_node_name(t->base, endpoint[i], name, sizeof name),
                              *bough_dead_part(t->base, endpoint[i], dead, sizeof dead) ? ": dead is " : "",
                              dead);
        if (t->leaf_at[k] == NONE) t->leaf_at[k] = t->leaves++;
    }
    return BOUGH_OK;
}

/* ---- the root ---- */

static bool has_all(const tree_search *t, uint32_t k) {
    const uint64_t *set = t->near + k * t->words;
    uint64_t rest = t->leaves % 64, last = rest ? (UINT64_C(1) << rest) - 1 : UINT64_MAX;
    for (uint64_t w = 0; w + 1 < t->words; w++)
        if (set[w] != UINT64_MAX) return false;
    return set[t->words - 1] == last;
}

/* The one with the number of the tree, modulo how many have all; NONE: none has. */
static uint32_t choose_root(const tree_search *t) {
    uint32_t count = 0, want;
    for (uint32_t k = 0; k < t->a->count; k++) count += has_all(t, k);
    if (count == 0) return NONE;
    want = t->number % count;
    for (uint32_t k = 0;; k++)
        if (has_all(t, k) && want-- == 0) return k;
}

/* Adds what the neighbours have. False: nothing is new. */
static bool widen(tree_search *t) {
    size_t size = (size_t)t->a->count * t->words;
    memcpy(t->within, t->near, size * sizeof *t->near);
    for (uint32_t k = 0; k < t->a->count; k++)
        for (uint32_t i = t->first[k]; i < t->first[k + 1]; i++)
            for (uint64_t w = 0; w < t->words; w++)
                t->near[k * t->words + w] |= t->within[t->next[i] * t->words + w];
    return memcmp(t->within, t->near, size * sizeof *t->near) != 0;
}

static bough_status find_root(tree_search *t, uint32_t *root) {
    uint64_t count = t->a->count;
    t->words = words_for(t->leaves);
    bough_status status = bough_alloc(&t->near, bough_mul(count, t->words), sizeof *t->near, t->error);
    TRY(bough_alloc(&t->within, bough_mul(count, t->words), sizeof *t->within, t->error));
    if (status) return status;
    for (uint32_t k = 0; k < count; k++)
        if (t->leaf_at[k] != NONE) set_bit(t->near + k * t->words, t->leaf_at[k]);
    while ((*root = choose_root(t)) == NONE)
        if (!widen(t))
            return bough_fail(t->error, BOUGH_INVALID, NULL,
                              "no live cables between switches join all %" PRIu32 " switches of the members",
                              t->leaves);
    return BOUGH_OK;
}

/* ---- parents ---- */

static void search_from(tree_search *t, uint32_t root) {
    uint32_t got = 0;
    memset(t->far, 0xff, t->a->count * sizeof *t->far);
    t->far[root] = 0;
    t->list[got++] = root;
    for (uint32_t x = 0; x < got; x++)
        for (uint32_t k = t->list[x], i = t->first[k]; i < t->first[k + 1]; i++) {
            if (t->far[t->next[i]] != NONE) continue;
            t->far[t->next[i]] = t->far[k] + 1;
            t->list[got++] = t->next[i];
        }
}

/* One of the neighbours that are nearer to the root, by the number of the tree. */
static uint32_t parent_of(const tree_search *t, uint32_t k) {
    uint32_t count = 0, want = 0;
    for (uint32_t i = t->first[k]; i < t->first[k + 1]; i++) count += t->far[t->next[i]] + 1 == t->far[k];
    want = t->number % count;
    for (uint32_t i = t->first[k];; i++)
        if (t->far[t->next[i]] + 1 == t->far[k] && want-- == 0) return t->next[i];
}

static void mark_ways(tree_search *t, uint32_t root) {
    memset(t->up, 0xff, t->a->count * sizeof *t->up);
    for (uint32_t k = 0; k < t->a->count; k++)
        for (uint32_t at = k; t->leaf_at[k] != NONE && at != root && t->up[at] == NONE; at = t->up[at])
            t->up[at] = parent_of(t, at);
}

/* The nodes of the tree in the order of their distances. leaf: aggregation nodes of members on entry. */
static bough_status write_tree(tree_search *t, uint32_t root, uint32_t members, bough_aggregation_tree *out) {
    uint32_t count = 1;
    for (uint32_t k = 0; k < t->a->count; k++) count += t->up[k] != NONE;
    bough_status status = bough_alloc(&out->node, count, sizeof *out->node, t->error);
    TRY(bough_alloc(&out->up, count, sizeof *out->up, t->error));
    if (status) return status;
    for (uint32_t x = 0; out->count < count; x++) {
        uint32_t k = t->list[x];
        if (k != root && t->up[k] == NONE) continue;
        t->place[k] = out->count;
        out->node[out->count] = k;
        out->up[out->count++] = k == root ? NONE : t->place[t->up[k]];
        if (t->far[k] > out->depth) out->depth = t->far[k];
    }
    for (uint32_t i = 0; i < members; i++) out->leaf[i] = t->place[out->leaf[i]];
    return BOUGH_OK;
}

static void search_fini(tree_search *t) {
    FREE_ALL(t->first, t->next, t->near, t->within, t->leaf_at, t->far, t->list, t->up, t->place);
}

bough_status bough_aggregation_tree_make(const bough_net *net, const bough_aggregation_group *group,
                                         bough_aggregation_tree *out, bough_error *error) {
    const bough_aggregation *a = net->aggregation;
    tree_search t = {.base = a->base, .a = a, .number = group->number, .error = error};
    uint32_t root = NONE, members = group->members;
    *out = (bough_aggregation_tree){0};
    bough_status status = bough_alloc(&out->leaf, members, sizeof *out->leaf, error);
    TRY(bough_alloc(&t.leaf_at, a->count, sizeof *t.leaf_at, error));
    TRY(bough_alloc(&t.far, a->count, sizeof *t.far, error));
    TRY(bough_alloc(&t.list, a->count, sizeof *t.list, error));
    TRY(bough_alloc(&t.up, a->count, sizeof *t.up, error));
    TRY(bough_alloc(&t.place, a->count, sizeof *t.place, error));
    if (!status) memset(t.leaf_at, 0xff, a->count * sizeof *t.leaf_at);
    TRY(find_leaves(&t, group->endpoint, members, out->leaf));
    TRY(list_neighbours(&t));
    TRY(find_root(&t, &root));
    if (!status) {
        search_from(&t, root);
        mark_ways(&t, root);
    }
    TRY(write_tree(&t, root, members, out));
    search_fini(&t);
    if (status) bough_aggregation_tree_fini(out);
    return status;
}

void bough_aggregation_tree_fini(bough_aggregation_tree *tree) {
    FREE_ALL(tree->node, tree->up, tree->leaf);
    *tree = (bough_aggregation_tree){0};
}
