/* Rules that merge nodes into boxes, from every node alone to a few boxes for any network. */
#include "base/status/try.h"
#include "network/families/hypercube.h"
#include "report/drawings/drawing.h"

#include "base/memory/memory.h"
#include "network/wiring.h"

enum { SUBCUBE_BITS = 6, BLOCKS = 32 };
#define ALONE (UINT64_C(1) << 63) /* key of nodes outside all subtrees */

/* An endpoint at or below a node, or BOUGH_NONE. */
static uint64_t endpoint_below(const bough_net *net, uint64_t node) {
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
    uint64_t below = endpoint_below(net, node);
    if (below != BOUGH_NONE) return below;
    for (uint32_t g = 0; g < net->ops->node_group_count(net, node); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, node, g));
        uint64_t to = r.count ? net->ops->link_end(net, r.first).node : node;
        if (to != node && net->ops->node_level(net, to) <= net->ops->node_level(net, node))
            return endpoint_below(net, to);
    }
    return BOUGH_NONE;
}

static uint64_t subtree(const bough_net *net, unsigned level, uint64_t endpoint) {
    if (endpoint == BOUGH_NONE || !(net->capabilities & BOUGH_HAS_CHANNELS)) return BOUGH_NONE;
    return level < net->levels ? net->ops->subtree(net, level, endpoint) : 0;
}

static uint64_t leaf_of(const bough_net *net, uint64_t host) {
    node_links at = node_links_of(net, host);
    return node_links_next(&at) ? net->ops->link_end(net, at.link).node : host;
}

/* Hosts are a row below their switch; nodes without one are at the bottom. */
static drawing_key depth_key(const drawing_merge *m, uint64_t node) {
    bool host = m->depth[node] == DRAWING_NO_DEPTH;
    uint64_t at = host ? leaf_of(m->net, node) : node;
    unsigned row = m->depth[at] == DRAWING_NO_DEPTH ? 0 : 2 * (m->deepest - m->depth[at]) + !host;
    return (drawing_key){row, at, BOUGH_NONE};
}

drawing_key drawing_merge_key(const drawing_merge *m, uint64_t node) {
    const bough_net *net = m->net;
    unsigned level = net->ops->node_level(net, node);
    drawing_key p = {level, node, BOUGH_NONE};
    if (m->mode == MERGE_DEPTHS) return depth_key(m, node);
    if (m->mode == MERGE_GRID) p.row = (unsigned)drawing_grid_row(net, node);
    if (m->mode == MERGE_GRID) return p;
    uint64_t below = m->mode == MERGE_SUBCUBES ? node : some_endpoint(net, node);
    p.tree = subtree(net, level, below);
    if (m->mode == MERGE_SUBCUBES) {
        p.key = node >> m->shift;
    } else if (m->mode == MERGE_HOSTS) {
        if (net->ops->node_roles(net, node) == BOUGH_ENDPOINT) p.key = leaf_of(net, node);
    } else if (m->mode == MERGE_SUBTREES) {
        unsigned at = level > m->level ? level : m->level;
        p.key = subtree(net, at, below);
        if (level > 0) p.row = at; /* everything below that level is in the same box */
        if (p.key == BOUGH_NONE) p.key = ALONE | node;
    } else if (m->mode == MERGE_BLOCKS) {
        uint64_t size = m->row_count ? (m->row_count[level] + BLOCKS - 1) / BLOCKS : 0;
        p.key = size ? m->row_seen[level]++ / size : 0;
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

static bough_status count_rows(drawing_merge *m, bough_error *error) {
    const bough_net *net = m->net;
    bough_status status = bough_alloc(&m->row_count, (uint64_t)net->levels + 1, sizeof(uint64_t), error);
    TRY(bough_alloc(&m->row_seen, (uint64_t)net->levels + 1, sizeof(uint64_t), error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) m->row_count[net->ops->node_level(net, v)]++;
    return status;
}

bough_status drawing_merge_init(drawing_merge *m, const bough_net *net, unsigned i, bool *any,
                                bough_error *error) {
    bool counted = drawing_counts(net), trees = net->capabilities & BOUGH_HAS_CHANNELS;
    drawing_merge_fini(m);
    *m = (drawing_merge){.net = net};
    *any = true;
    if (hypercube_dimensions(net)) {
        while (net->endpoints >> m->shift > UINT64_C(1) << SUBCUBE_BITS) m->shift++;
        m->mode = MERGE_SUBCUBES;
        *any = i == 0;
        return BOUGH_OK;
    }
    if (drawing_is_grid(net)) {
        m->mode = MERGE_GRID;
        *any = i == 0;
        return BOUGH_OK;
    }
    if (!counted) i += 2;
    if (i < 2) {
        m->mode = i == 0 ? MERGE_NOTHING : MERGE_HOSTS;
        return BOUGH_OK;
    }
    i -= 2;
    if (trees && i < net->levels) {
        m->mode = MERGE_SUBTREES;
        m->level = i;
        if (!counted)
            while (m->level < net->levels && !few_subtrees(net, m->level)) m->level++;
        return BOUGH_OK;
    }
    m->mode = MERGE_BLOCKS;
    *any = i == (trees ? net->levels : 0);
    return counted && *any ? count_rows(m, error) : BOUGH_OK;
}

void drawing_merge_fini(drawing_merge *m) {
    FREE_ALL(m->row_count, m->row_seen, m->depth);
    m->row_count = m->row_seen = NULL;
    m->depth = NULL;
}
