/* Irregular fabrics, in which most cables join switches of one level: the levels, which count from the
 * endpoints, would put them into one row. They are drawn as trees instead: a row for each distance from the
 * middle of the network, and the hosts of a switch below it. */
#include "base/status/try.h"
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"
#include "network/wiring.h"

#include <math.h>
#include <stdlib.h>

static bool is_switch(const bough_net *net, uint64_t node) {
    return net->ops->node_roles(net, node) == BOUGH_SWITCH;
}

/* True if more than half of the links between switches stay in their level. */
static bool is_flat(const bough_net *net) {
    uint64_t links = 0, flat = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node;
        if (from == to || !is_switch(net, from) || !is_switch(net, to)) continue;
        links++;
        flat += net->ops->node_level(net, from) == net->ops->node_level(net, to);
    }
    return 2 * flat > links;
}

/* A search in the order of distance; the same nodes are reached from every start in a component. */
typedef struct search {
    const bough_net *net;
    uint32_t *depth; /* per node; NONE: not reached */
    uint32_t *from;  /* the node before it */
    uint32_t *queue;
    size_t count;
} search;
enum { NONE = DRAWING_NO_DEPTH };

static void reach(search *s, uint32_t node, uint32_t from, uint32_t depth) {
    s->depth[node] = depth;
    s->from[node] = from;
    s->queue[s->count++] = node;
}

/* Returns the last switch that is reached; it is one of the farthest. */
static uint32_t search_from(search *s, uint32_t start) {
    for (size_t i = 0; i < s->count; i++) s->depth[s->queue[i]] = NONE;
    s->count = 0;
    reach(s, start, start, 0);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t node = s->queue[i];
        for (node_links at = node_links_of(s->net, node); node_links_next(&at);) {
            uint64_t to = s->net->ops->link_end(s->net, at.link).node;
            if (is_switch(s->net, to) && s->depth[to] == NONE)
                reach(s, (uint32_t)to, node, s->depth[node] + 1);
        }
    }
    return s->queue[s->count - 1];
}

/* Depths from the middle of a longest shortest path; in trees that is the centre. */
static unsigned measure_component(search *s, uint32_t start) {
    s->count = 0;
    uint32_t end = search_from(s, search_from(s, start)), middle = end;
    for (uint32_t steps = s->depth[end] / 2; steps > 0; steps--) middle = s->from[middle];
    return s->depth[search_from(s, middle)];
}

static bough_status measure(drawing_merge *m, bough_error *error) {
    const bough_net *net = m->net;
    search s = {.net = net};
    bough_status status = bough_alloc(&m->depth, net->nodes, sizeof *m->depth, error);
    TRY(bough_alloc(&s.from, net->nodes, sizeof *s.from, error));
    TRY(bough_alloc(&s.queue, net->nodes, sizeof *s.queue, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) m->depth[v] = NONE;
    s.depth = m->depth;
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        if (!is_switch(net, v) || m->depth[v] != NONE) continue;
        unsigned deepest = measure_component(&s, (uint32_t)v);
        if (deepest > m->deepest) m->deepest = deepest;
    }
    FREE_ALL(s.from, s.queue);
    return status;
}

bough_status drawing_merge_depths(drawing_merge *m, const bough_net *net, bool *any, bough_error *error) {
    *m = (drawing_merge){.net = net, .mode = MERGE_DEPTHS};
    *any = net->fabric && drawing_counts(net) && is_flat(net);
    return *any ? measure(m, error) : BOUGH_OK;
}

/* ---- places in the tree ---- */

#define HOSTS_WEIGHT 0.5 /* beside the switches below the same one */

/* A neighbour in a higher row; the box itself: none. */
static uint32_t find_parent(const drawing *d, const drawing_rows *r, uint32_t b) {
    for (uint32_t k = r->near_first[b]; k < r->near_first[b + 1]; k++)
        if (d->box[r->near[k]].row > d->box[b].row) return r->near[k];
    return b;
}

/* The children of a box are in lower rows: weights are complete when their row is reached from below. */
static double weigh(const drawing *d, const drawing_rows *r, drawing_leaves *t) {
    double leaves = 0;
    for (uint32_t i = 0; i < r->first[d->rows]; i++) {
        uint32_t b = r->order[i], parent = find_parent(d, r, b);
        t->next[b] = t->weight[b]; /* of the children alone */
        t->weight[b] = fmax(t->weight[b], d->box[b].kind == DRAWING_SWITCH ? 1 : HOSTS_WEIGHT);
        t->parent[b] = parent;
        if (parent == b)
            leaves += t->weight[b];
        else
            t->weight[parent] += t->weight[b];
    }
    return leaves;
}

double drawing_place_tree(const drawing *d, const drawing_rows *r, drawing_leaves *t) {
    double leaves = weigh(d, r, t), roots = 0;
    for (uint32_t row = d->rows; row-- > 0;)
        for (uint32_t i = r->first[row]; i < r->first[row + 1]; i++) {
            uint32_t b = r->order[i], parent = t->parent[b];
            double *next = parent == b ? &roots : &t->next[parent];
            t->left[b] = *next;
            *next += t->weight[b];
            t->next[b] = t->left[b] + (t->weight[b] - t->next[b]) / 2; /* children are centred */
        }
    return leaves;
}
