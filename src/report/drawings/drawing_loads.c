/* Assignment of nodes to boxes. */
#include "base/status/try.h"
#include "network/families/hypercube.h"
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"

#include <stdlib.h>

enum { SUBCUBE_BITS = 6, BLOCKS = 32 };
#define ALONE (UINT64_C(1) << 63) /* key of nodes outside all subtrees */

uint64_t drawing_endpoint_below(const bough_net *net, uint64_t node) {
    for (unsigned steps = 0; steps <= net->levels; steps++) {
        if (net->ops->node_roles(net, node) & BOUGH_ENDPOINT) return node;
        uint32_t groups = net->ops->node_group_count(net, node);
        uint64_t next = BOUGH_NONE;
        /* Down groups are last in most families. */
        for (uint32_t g = groups; g-- && next == BOUGH_NONE;) {
            bough_range r = net->ops->group_links(net, net->ops->node_group(net, node, g));
            uint64_t to = r.count ? net->ops->link_end(net, r.first).node : node;
            if (net->ops->node_level(net, to) < net->ops->node_level(net, node)) next = to;
        }
        if (next == BOUGH_NONE) return BOUGH_NONE;
        node = next;
    }
    return BOUGH_NONE;
}

/* A router that only leads up (in a transit stack) has no endpoint below; its lower neighbour does. */
static uint64_t some_endpoint(const bough_net *net, uint64_t node) {
    uint64_t below = drawing_endpoint_below(net, node);
    if (below != BOUGH_NONE) return below;
    for (uint32_t g = 0; g < net->ops->node_group_count(net, node); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, node, g));
        uint64_t to = r.count ? net->ops->link_end(net, r.first).node : node;
        if (to != node && net->ops->node_level(net, to) <= net->ops->node_level(net, node))
            return drawing_endpoint_below(net, to);
    }
    return BOUGH_NONE;
}

static uint64_t subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    if (endpoint == BOUGH_NONE || !(net->capabilities & BOUGH_HAS_CHANNELS)) return BOUGH_NONE;
    return level < net->levels ? net->ops->subtree(net, level, endpoint) : 0;
}

static uint64_t leaf_of(const bough_net *net, uint64_t host) {
    for (uint32_t g = 0; g < net->ops->node_group_count(net, host); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, host, g));
        if (r.count) return net->ops->link_end(net, r.first).node;
    }
    return host;
}

drawing_place_of drawing_place(const drawing_sharing *s, uint64_t node) {
    const bough_net *net = s->net;
    unsigned level = net->ops->node_level(net, node);
    drawing_place_of p = {level, node, BOUGH_NONE};
    uint64_t below = s->mode == DRAW_SUBCUBES ? node : some_endpoint(net, node);
    p.tree = subtree(net, level, below);
    if (s->mode == DRAW_SUBCUBES) {
        p.key = node >> s->shift;
    } else if (s->mode == DRAW_HOSTS_GATHERED) {
        if (net->ops->node_roles(net, node) == BOUGH_ENDPOINT) p.key = leaf_of(net, node);
    } else if (s->mode == DRAW_SUBTREES) {
        unsigned at = level > s->level ? level : s->level;
        p.key = subtree(net, at, below);
        if (level > 0) p.row = at; /* everything below that level is in the same box */
        if (p.key == BOUGH_NONE) p.key = ALONE | node;
    } else if (s->mode == DRAW_BLOCKS) {
        uint64_t size = s->row_count ? (s->row_count[level] + BLOCKS - 1) / BLOCKS : 0;
        p.key = size ? s->row_seen[level]++ / size : 0;
    }
    return p;
}

/* True if the subtrees of a level are few enough, based on a sample of the endpoints. */
static bool few_subtrees(const bough_net *net, unsigned level) {
    enum { SAMPLES = 4096, FEW = 32 };
    uint64_t seen[FEW], count = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t e = (uint64_t)((double)net->endpoints * (double)i / SAMPLES), k = 0;
        uint64_t tree = net->ops->subtree(net, level, e < net->endpoints ? e : net->endpoints - 1);
        while (k < count && seen[k] != tree) k++;
        if (k < count) continue;
        if (count == FEW) return false;
        seen[count++] = tree;
    }
    return true;
}

static bough_status count_rows(drawing_sharing *s, bough_error *error) {
    const bough_net *net = s->net;
    bough_status status = bough_alloc(&s->row_count, (uint64_t)net->levels + 1, sizeof(uint64_t), error);
    TRY(bough_alloc(&s->row_seen, (uint64_t)net->levels + 1, sizeof(uint64_t), error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) s->row_count[net->ops->node_level(net, v)]++;
    return status;
}

bough_status drawing_candidate(const bough_net *net, unsigned i, drawing_sharing *s, bool *any,
                               bough_error *error) {
    bool counted = drawing_counts(net), trees = net->capabilities & BOUGH_HAS_CHANNELS;
    drawing_sharing_fini(s);
    *s = (drawing_sharing){.net = net};
    *any = true;
    if (hypercube_dimensions(net)) {
        while (net->endpoints >> s->shift > UINT64_C(1) << SUBCUBE_BITS) s->shift++;
        s->mode = DRAW_SUBCUBES;
        *any = i == 0;
        return BOUGH_OK;
    }
    if (!counted) i += 2;
    if (i < 2) {
        s->mode = i == 0 ? DRAW_NODES : DRAW_HOSTS_GATHERED;
        return BOUGH_OK;
    }
    i -= 2;
    if (trees && i < net->levels) {
        s->mode = DRAW_SUBTREES;
        s->level = i;
        if (!counted)
            while (s->level < net->levels && !few_subtrees(net, s->level)) s->level++;
        return BOUGH_OK;
    }
    s->mode = DRAW_BLOCKS;
    *any = i == (trees ? net->levels : 0);
    return counted && *any ? count_rows(s, error) : BOUGH_OK;
}

void drawing_sharing_fini(drawing_sharing *s) {
    free(s->row_count);
    free(s->row_seen);
    s->row_count = s->row_seen = NULL;
}
