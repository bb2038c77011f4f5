/* The cables of a network in rows, and its levels. */
#include "base/status/try.h"
#include "fabric/expect/tree_shape.h"
#include "network/wiring.h"

uint32_t tree_links_to(const tree *t, uint32_t node, unsigned level) {
    uint32_t count = 0;
    for (uint32_t i = t->out.first[node]; i < t->out.first[node + 1]; i++)
        count += t->level[t->end[t->out.item[i]]] == level;
    return count;
}

static void sort_by_end(const tree *t, uint32_t *item, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t link = item[i], k = i;
        for (; k && t->end[item[k - 1]] > t->end[link]; k--) item[k] = item[k - 1];
        item[k] = link;
    }
}

static bough_status read_network(tree *t, bough_error *error) {
    const bough_net *net = t->net;
    t->out.memory = &t->memory;
    bough_status status = wiring_out(&t->out, net, NULL, error);
    TRY(arena_alloc(&t->memory, &t->end, net->links, sizeof *t->end, error));
    TRY(arena_alloc(&t->memory, &t->level, net->nodes, 1, error));
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) t->end[l] = (uint32_t)net->ops->link_end(net, l).node;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t count = rows_count(&t->out, v);
        sort_by_end(t, t->out.item + t->out.first[v], count);
        t->level[v] = !bough_is_switch(net, v) ? 0
                      : count                  ? (uint8_t)net->ops->node_level(net, v)
                                               : TREE_NO_LEVEL;
        if (t->level[v] >= TREE_LEVELS && t->level[v] != TREE_NO_LEVEL) t->level[v] = TREE_LEVELS - 1;
        if (t->level[v] > t->levels && t->level[v] != TREE_NO_LEVEL) t->levels = t->level[v];
        if (v < net->endpoints && (bough_is_switch(net, v) || count > 1))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "--expect needs a tree whose hosts have one cable, and %s is none", net->spec);
    }
    return BOUGH_OK;
}

bough_status tree_make(const bough_net *net, tree *t, bough_error *error) {
    *t = (tree){.net = net};
    bough_status status = read_network(t, error);
    TRY(tree_set_groups(t, error));
    return status;
}
