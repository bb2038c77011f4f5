/* Allreduce by the double binary trees of NCCL: over nodes, with chains within them (src/graph/connect.cc;
 * Jeaugey, Massively scale your deep learning training with NCCL 2.4, 2019). Each channel has both trees,
 * with half of its data each. */
#include "traffic/collectives/gpu/gpu_algorithms.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* Of a node, the member at position 0 of a channel talks to the parent and to its upper child, the one at
 * position 1 to its lower child (NCCL_TOPO_PATTERN_BALANCED_TREE): so each NIC carries the same. The others
 * follow in a chain. */
static void connect_tree(const pipeline *p, uint32_t channel, unsigned tree, uint32_t *up) {
    for (uint32_t k = 0; k < p->nodes; k++) {
        bool lower;
        uint32_t count = p->first[k + 1] - p->first[k],
                 above = pipeline_tree_parent(k, p->nodes, tree, &lower);
        for (uint32_t x = 1; x < count; x++)
            up[pipeline_member(p, k, channel, x)] = pipeline_member(p, k, channel, x - 1);
        uint32_t head = pipeline_member(p, k, channel, 0);
        if (above == COLLECTIVE_NOBODY) {
            up[head] = COLLECTIVE_NOBODY;
            continue;
        }
        uint32_t there = p->first[above + 1] - p->first[above];
        up[head] = pipeline_member(p, above, channel, lower && there > 1);
    }
}

static uint32_t tree_shape(pipeline *p, uint32_t *channels) {
    *channels = pipeline_channels(p);
    uint64_t parts = 2 * (uint64_t)*channels;
    p->lanes = (uint32_t)parts;
    uint32_t pieces = pipeline_pieces(p, p->c->size / parts, pipeline_budget(parts * 2 * p->n));
    p->c->made.channels = *channels;
    p->c->made.hops = 2 * (p->most - 1 + pipeline_tree_depth(p->nodes));
    p->items = parts * pieces;
    return pieces;
}

void gpu_tree_allreduce(collective *c) {
    pipeline p;
    uint32_t *up = NULL, *member = NULL, channels = 0;
    if (c->n < 2) return;
    pipeline_begin(&p, c);
    if (!c->status) c->status = bough_alloc(&up, c->n, sizeof *up, c->error);
    if (!c->status) c->status = bough_alloc(&member, c->n, sizeof *member, c->error);
    uint32_t pieces = c->status ? 0 : tree_shape(&p, &channels);
    for (uint32_t v = 0; v < c->n && !c->status; v++) member[v] = v;
    nccl_start(&p, NCCL_TREE);
    for (uint32_t part = 0; part < 2 * channels && !c->status; part++) {
        pipeline_lane(&p, part);
        connect_tree(&p, part / 2, part % 2, up);
        pipeline_tree_run(
            &p,
            &(pipeline_tree){
                .n = c->n, .member = member, .up = up, .item = (uint64_t)part * pieces, .pieces = pieces});
    }
    pipeline_end(&p);
    FREE_ALL(up, member);
}

uint64_t gpu_tree_items(const collective *c) {
    collective k = *c;
    pipeline p;
    uint32_t channels;
    pipeline_begin(&p, &k);
    if (!k.status) tree_shape(&p, &channels);
    uint64_t items = c->n < 2 ? 1 : p.items;
    pipeline_fini(&p);
    return items;
}
