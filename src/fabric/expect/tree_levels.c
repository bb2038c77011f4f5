/* Levels from the hosts upwards. A switch is of a level if it has about as many cables to the level below as
 * others have: a spine that a host was plugged into is no leaf, and a top switch with one cable to a leaf is
 * at the top. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/expect/tree_shape.h"
#include "network/wiring.h"

#include <stdlib.h>
#include <string.h>

uint32_t tree_links_to(const tree *t, uint32_t node, unsigned level) {
    uint32_t count = 0;
    for (uint32_t i = t->out.first[node]; i < t->out.first[node + 1]; i++)
        count += t->level[t->end[t->out.item[i]]] == level;
    return count;
}

typedef struct search {
    tree *t;
    uint32_t *links; /* [node]: to the level below, of switches without a level */
    uint32_t *sorted;
    uint8_t *sure; /* [node]: of the level at hand */
} search;

static int falling(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Half of the cables to a level end at switches with at least so many of them. 0: there are none. */
static uint32_t usual_links(search *s, unsigned below) {
    const tree *t = s->t;
    uint64_t sum = 0, half = 0;
    size_t count = 0;
    for (uint64_t v = 0; v < t->net->nodes; v++) {
        s->links[v] = t->level[v] == TREE_NO_LEVEL ? tree_links_to(t, (uint32_t)v, below) : 0;
        if (s->links[v]) s->sorted[count++] = s->links[v];
        sum += s->links[v];
    }
    if (!count) return 0;
    qsort(s->sorted, count, sizeof *s->sorted, falling);
    for (size_t i = 0; i < count; i++) {
        half += s->sorted[i];
        if (2 * half >= sum) return s->sorted[i];
    }
    return s->sorted[count - 1];
}

/* Most other cables of this switch lead to the level at hand, so it is above it. */
static bool is_above(const search *s, uint32_t v) {
    const tree *t = s->t;
    uint32_t peers = 0, others = 0;
    for (uint32_t i = t->out.first[v]; i < t->out.first[v + 1]; i++) {
        uint32_t to = t->end[t->out.item[i]];
        peers += s->sure[to];
        others += t->level[to] == TREE_NO_LEVEL;
    }
    return peers > others;
}

/* Returns whether there is such a level. */
static bool find_level(search *s, unsigned level) {
    tree *t = s->t;
    uint32_t usual = usual_links(s, level - 1);
    if (!usual) return false;
    for (uint64_t v = 0; v < t->net->nodes; v++) {
        s->sure[v] = 2 * s->links[v] >= usual;
        if (s->sure[v]) t->level[v] = (uint8_t)level;
    }
    for (uint64_t v = 0; v < t->net->nodes; v++)
        if (s->links[v] && !s->sure[v] && !is_above(s, (uint32_t)v)) t->level[v] = (uint8_t)level;
    return true;
}

static bough_status set_levels(tree *t, bough_error *error) {
    const bough_net *net = t->net;
    search s = {.t = t};
    bough_status status = bough_alloc(&s.links, net->nodes, sizeof *s.links, error);
    TRY(bough_alloc(&s.sorted, net->nodes, sizeof *s.sorted, error));
    TRY(bough_alloc(&s.sure, net->nodes, 1, error));
    if (!status)
        while (t->levels + 1 < TREE_LEVELS && find_level(&s, t->levels + 1)) t->levels++;
    FREE_ALL(s.links, s.sorted, s.sure);
    return status;
}

/* ---- the network ---- */

static void sort_by_end(const tree *t, uint32_t *item, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t link = item[i], k = i;
        for (; k && t->end[item[k - 1]] > t->end[link]; k--) item[k] = item[k - 1];
        item[k] = link;
    }
}

static bough_status read_network(tree *t, bough_error *error) {
    const bough_net *net = t->net;
    bough_status status = wiring_out(&t->out, net, NULL, error);
    TRY(bough_alloc(&t->end, net->links, sizeof *t->end, error));
    TRY(bough_alloc(&t->level, net->nodes, 1, error));
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) t->end[l] = (uint32_t)net->ops->link_end(net, l).node;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t count = rows_count(&t->out, v);
        sort_by_end(t, t->out.item + t->out.first[v], count);
        t->level[v] = bough_is_switch(net, v) ? TREE_NO_LEVEL : 0;
        if (v < net->endpoints && (bough_is_switch(net, v) || count > 1))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "--expect needs a tree whose hosts have one cable, and %s is none", net->spec);
    }
    return BOUGH_OK;
}

bough_status tree_make(const bough_net *net, tree *t, bough_error *error) {
    *t = (tree){.net = net};
    bough_status status = read_network(t, error);
    TRY(set_levels(t, error));
    TRY(tree_set_groups(t, error));
    return status;
}

void tree_fini(tree *t) {
    for (unsigned k = 0; k < TREE_LEVELS; k++) {
        free(t->layer[k].group);
        rows_fini(&t->layer[k].low);
        rows_fini(&t->layer[k].high);
    }
    rows_fini(&t->out);
    FREE_ALL(t->end, t->level, t->up, t->down);
    *t = (tree){0};
}
