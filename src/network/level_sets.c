#include "network/level_sets.h"

#include "base/memory/memory.h"
#include "base/memory/union_find.h"

bough_status level_sets_make(level_sets *s, const bough_net *net, wiring_filter *keep, bough_error *error) {
    *s = (level_sets){.net = net};
    if (net->nodes >= BOUGH_NO_INDEX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s has too many nodes to be divided", net->spec);
    const bough_array arrays[] = {{&s->from, net->links, sizeof *s->from},
                                  {&s->to, net->links, sizeof *s->to},
                                  {&s->level, net->links, sizeof *s->level},
                                  {&s->set, net->nodes, sizeof *s->set}};
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) {
        s->from[l] = (uint32_t)bough_link_start(net, l);
        s->to[l] = (uint32_t)net->ops->link_end(net, l).node;
        const unsigned a = net->ops->node_level(net, s->from[l]), b = net->ops->node_level(net, s->to[l]);
        s->level[l] = keep && !keep(net, l) ? BOUGH_NO_INDEX : a > b ? a : b;
    }
    level_sets_part(s);
    return BOUGH_OK;
}

void level_sets_fini(level_sets *s) {
    FREE_ALL(s->from, s->to, s->level, s->set);
    *s = (level_sets){0};
}

void level_sets_raise(level_sets *s, unsigned level) {
    for (uint64_t l = 0; l < s->net->links; l++)
        if (s->level[l] == level) union_join(s->set, s->from[l], s->to[l]);
    for (uint64_t v = 0; v < s->net->nodes; v++) s->set[v] = union_find(s->set, (uint32_t)v);
}

void level_sets_part(level_sets *s) {
    for (uint64_t v = 0; v < s->net->nodes; v++) s->set[v] = (uint32_t)v;
}
