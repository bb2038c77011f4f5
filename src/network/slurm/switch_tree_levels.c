/* Levels of switches, and leaves that hang together. */
#include "base/memory/compressed_rows.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/export/network_exports.h"
#include "network/slurm/switch_tree_build.h"
#include "network/wiring.h"

#include <stdlib.h>

static uint32_t level_of(const bough_net *net, uint64_t node) {
    const unsigned level = net->ops->node_level(net, node);
    return level ? level : 1; /* an endpoint that is a switch too */
}

/* A working cable between two switches. */
static bool joins_switches(const bough_net *net, uint64_t link) {
    return bough_is_switch(net, bough_link_start(net, link)) &&
           bough_is_switch(net, net->ops->link_end(net, link).node) && bough_cable_works(net, link);
}

/* The switch of the union-find that stands for those joined with a switch. */
static uint32_t root_of(tree_builder *b, uint32_t node) {
    while (b->root[node] != node) node = b->root[node] = b->root[b->root[node]];
    return node;
}

static void unite(tree_builder *b, uint32_t x, uint32_t y) {
    x = root_of(b, x);
    y = root_of(b, y);
    b->root[x < y ? y : x] = x < y ? x : y;
}

/* ---- levels ---- */

/* Those of the network, of switches that can be reached from hosts. */
bough_status tree_find_levels(tree_builder *b) {
    const bough_net *net = b->net;
    uint32_t *queue = NULL;
    size_t from = 0, to = 0;
    bough_status status = bough_alloc(&queue, net->nodes, sizeof *queue, b->error);
    TRY(bough_alloc(&b->level, net->nodes, sizeof *b->level, b->error));
    TRY(bough_alloc(&b->root, net->nodes, sizeof *b->root, b->error));
    for (uint32_t v = 0; v < net->nodes && !status; v++) {
        b->root[v] = v;
        if (b->hosts[v]) b->level[v] = level_of(net, v), queue[to++] = v;
    }
    while (from < to) {
        uint32_t v = queue[from++];
        for (node_links at = node_links_of(net, v); node_links_next(&at);) {
            uint64_t peer = net->ops->link_end(net, at.link).node;
            if (!joins_switches(net, at.link) || b->level[peer]) continue;
            b->level[peer] = level_of(net, peer);
            queue[to++] = (uint32_t)peer;
        }
    }
    free(queue);
    return status;
}

/* ---- joining ---- */

typedef struct joining {
    tree_builder *b;
    compressed_rows links; /* between switches, by the step in which they join */
    uint32_t *seen;        /* [nodes]: of a root, the switch of the tree that was met first */
    uint32_t *made;        /* and the one that joins all that were met; BOUGH_NO_INDEX: none */
    unsigned step;
} joining;

/* A level has two steps: links from below join first, then those within the level, as between the groups of a
 * dragonfly+. */
static unsigned level_at(const joining *j) {
    return j->step / 2;
}

static uint32_t step_of_link(const void *context, uint32_t link) {
    const tree_builder *b = context;
    if (!joins_switches(b->net, link)) return ROWS_NONE;
    uint32_t x = b->level[bough_link_start(b->net, link)];
    uint32_t y = b->level[b->net->ops->link_end(b->net, link).node];
    return !x || !y ? ROWS_NONE : 2 * (x > y ? x : y) + (x == y);
}

/* A leaf with few hosts got its level from its neighbours, which are all joined already; a spine with hosts
 * would join what is separate. */
static void unite_small_leaf(joining *j, uint32_t node) {
    tree_builder *b = j->b;
    uint32_t root = BOUGH_NO_INDEX;
    for (node_links at = node_links_of(b->net, node); node_links_next(&at);) {
        uint64_t peer = b->net->ops->link_end(b->net, at.link).node;
        if (!joins_switches(b->net, at.link) || b->level[peer] > level_at(j)) continue;
        uint32_t other = root_of(b, (uint32_t)peer);
        if (root != BOUGH_NO_INDEX && other != root) return;
        root = other;
    }
    if (root != BOUGH_NO_INDEX) unite(b, node, root);
}

/* The root of all switches of a group, or BOUGH_NO_INDEX if they are not joined yet. */
static uint32_t root_of_group(tree_builder *b, const host_group *g) {
    uint32_t root = root_of(b, b->attached[g->first].node);
    for (uint32_t i = 1; i < g->switches; i++)
        if (root_of(b, b->attached[g->first + i].node) != root) return BOUGH_NO_INDEX;
    return root;
}

static bough_status add_item(switch_tree *t, unsigned level, uint32_t *index, bough_error *error) {
    bough_status status = arena_grow(&t->memory, &t->item, t->count + 1, sizeof *t->item, error);
    if (status) return status;
    *index = (uint32_t)t->count;
    t->item[t->count++] = (tree_switch){.parent = BOUGH_NO_INDEX, .level = level, .first = BOUGH_NONE};
    return BOUGH_OK;
}

static void stand_for(switch_tree *t, uint32_t item, uint32_t node) {
    tree_switch *s = &t->item[item];
    t->node_item[node] = item;
    if (s->first == BOUGH_NONE || node < s->first) s->first = node;
    s->switches++;
}

/* Makes a switch of the tree where two or more of them have met. */
static bough_status find_meetings(joining *j, bool *any) {
    tree_builder *b = j->b;
    bough_status status = BOUGH_OK;
    for (uint32_t g = 0; g < b->groups && !status; g++) {
        uint32_t root = b->group[g].into == g ? root_of_group(b, &b->group[g]) : BOUGH_NO_INDEX;
        if (root == BOUGH_NO_INDEX) continue;
        if (j->seen[root] == BOUGH_NO_INDEX) j->seen[root] = b->group[g].item;
        if (j->seen[root] == b->group[g].item || j->made[root] != BOUGH_NO_INDEX) continue;
        status = add_item(b->tree, j->step, &j->made[root], b->error);
        *any = true;
    }
    return status;
}

static void put_below(joining *j) {
    tree_builder *b = j->b;
    for (uint32_t g = 0; g < b->groups; g++) {
        uint32_t root = b->group[g].into == g ? root_of_group(b, &b->group[g]) : BOUGH_NO_INDEX;
        if (root == BOUGH_NO_INDEX || j->made[root] == BOUGH_NO_INDEX) continue;
        b->tree->item[b->group[g].item].parent = j->made[root];
        b->group[g].item = j->made[root];
    }
    for (uint32_t v = 0; v < b->net->nodes; v++) {
        if (!b->level[v] || b->level[v] > level_at(j) || b->tree->node_item[v] != BOUGH_NO_INDEX) continue;
        uint32_t made = j->made[root_of(b, v)];
        if (made != BOUGH_NO_INDEX) stand_for(b->tree, made, v);
    }
}

static bough_status join_level(joining *j) {
    tree_builder *b = j->b;
    bool any = false;
    for (uint32_t v = 0; v < b->net->nodes; v++) j->seen[v] = j->made[v] = BOUGH_NO_INDEX;
    bough_status status = find_meetings(j, &any);
    if (!status && any) put_below(j);
    return status;
}

static bough_status join_levels(joining *j) {
    tree_builder *b = j->b;
    bough_status status = join_level(j); /* level 0: leaves that share switches */
    for (j->step = 2; j->step < j->links.rows && !status; j->step++) {
        for (uint32_t i = j->links.first[j->step]; i < j->links.first[j->step + 1]; i++) {
            uint32_t link = j->links.item[i];
            unite(b, (uint32_t)bough_link_start(b->net, link),
                  (uint32_t)b->net->ops->link_end(b->net, link).node);
        }
        for (uint32_t v = 0; v < b->net->nodes; v++)
            if (b->hosts[v] && b->level[v] == level_at(j) + 1) unite_small_leaf(j, v);
        status = join_level(j);
    }
    return status;
}

/* ---- leaves ---- */

/* Whether at least half the hosts of a switch are in the group. */
static bool has_most_of(const tree_builder *b, const host_group *g, uint32_t node) {
    return 2 * (uint64_t)g->hosts >= b->hosts[node];
}

/* Joins the switches of a leaf, if it has most hosts of each: a host with cables to two pods does not join
 * them, and does not stand for their switches. */
static void take_switches(tree_builder *b, const host_group *g) {
    bool all = true;
    for (uint32_t i = 0; i < g->switches; i++) {
        uint32_t node = b->attached[g->first + i].node;
        bool most = has_most_of(b, g, node);
        if (most && b->tree->node_item[node] == BOUGH_NO_INDEX) stand_for(b->tree, g->item, node);
        all = all && most;
    }
    for (uint32_t i = 1; i < g->switches && all; i++)
        unite(b, b->attached[g->first].node, b->attached[g->first + i].node);
}

static bough_status make_leaves(tree_builder *b) {
    switch_tree *t = b->tree;
    bough_status status = BOUGH_OK;
    for (uint32_t g = 0; g < b->groups && !status; g++) {
        host_group *group = &b->group[g];
        if (group->into != g) continue;
        status = add_item(t, 0, &group->item, b->error);
        if (status) return status;
        t->item[group->item].hosts = group->hosts;
        take_switches(b, group);
    }
    t->leaves = (uint32_t)t->count;
    for (uint32_t h = 0; h < t->hosts && !status; h++)
        t->host_leaf[h] =
            b->host_group[h] == BOUGH_NO_INDEX ? BOUGH_NO_INDEX : b->group[b->host_group[h]].item;
    return status;
}

bough_status tree_join_leaves(tree_builder *b) {
    const bough_net *net = b->net;
    joining j = {.b = b};
    uint32_t highest = 0;
    arena *m = &b->tree->memory;
    bough_status status = arena_alloc(m, &b->tree->node_item, net->nodes, sizeof(uint32_t), b->error);
    TRY(arena_alloc(m, &b->tree->host_leaf, b->tree->hosts, sizeof(uint32_t), b->error));
    TRY(bough_alloc(&j.seen, net->nodes, sizeof(uint32_t), b->error));
    TRY(bough_alloc(&j.made, net->nodes, sizeof(uint32_t), b->error));
    for (uint32_t v = 0; v < net->nodes && !status; v++) {
        b->tree->node_item[v] = BOUGH_NO_INDEX;
        if (b->level[v] > highest) highest = b->level[v];
    }
    j.links = (compressed_rows){.rows = 2 * (highest + 1), .items = (uint32_t)net->links};
    TRY(rows_make(&j.links, step_of_link, b, b->error));
    TRY(make_leaves(b));
    TRY(join_levels(&j));
    for (size_t i = 0; i < b->tree->count && !status; i++) {
        const tree_switch *s = &b->tree->item[i];
        if (s->parent != BOUGH_NO_INDEX) b->tree->item[s->parent].hosts += s->hosts;
    }
    rows_fini(&j.links);
    FREE_ALL(j.seen, j.made);
    return status;
}
