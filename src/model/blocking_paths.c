/* Finding the stages of a network: the ways of messages. Pairs of every level are drawn, and their ways
 * walked; on regular networks they all pass the same classes. */
#include "base/memory.h"
#include "model/blocking_find.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64 };

static bough_status no_route(const blocking_finder *f, const bough_flow *flow, const char *why) {
    char from[96], to[96];
    return bough_fail(f->error, BOUGH_INVALID, NULL, "blocking: no route from %s to %s under %s: %s",
                      bough_node_name(f->net, flow->source, from, sizeof from),
                      bough_node_name(f->net, bough_address_node(f->net, flow->address), to, sizeof to),
                      f->routing->spec, why);
}

/* Walks one way and notes its classes; dead links are not taken. */
static bough_status walk(blocking_finder *f, const bough_flow *flow, bough_stream *stream, uint32_t *class,
                         uint32_t *length) {
    const bough_net *net = f->net;
    uint64_t node = flow->source, target = bough_address_node(net, flow->address);
    for (*length = 0; node != target;) {
        bough_route route;
        bough_route_at(f->routing, node, flow, &route);
        if (route.count == 0) return no_route(f, flow, "a switch does not know the way");
        if (*length == BLOCKING_HOPS_MAX) return no_route(f, flow, "more than 256 links");
        if (route.count != net->ops->group_links(net, route.group).count)
            return bough_fail(
                f->error, BOUGH_UNSUPPORTED, NULL,
                "blocking: %s on %s offers some links of a group here and others there; it needs a "
                "routing that may take any",
                f->routing->spec, net->spec);
        uint32_t found = f->group_class[route.group], alive = f->b->class[found].links;
        class[(*length)++] = found;
        if (!alive) break; /* nobody passes: the way ends */
        bough_range links = net->ops->group_links(net, route.group);
        node = net->ops->link_end(net, blocking_alive(net, links, bough_stream_below(stream, alive))).node;
    }
    return BOUGH_OK;
}

static bough_status add_path(blocking_finder *f, unsigned level, double share, const uint32_t *class,
                             uint32_t length) {
    blocking_net *b = f->b;
    for (uint32_t i = 0; i < b->paths; i++) {
        blocking_path *p = &b->path[i];
        if (p->level != level || p->length != length || memcmp(p->class, class, length * sizeof *class))
            continue;
        p->share += share;
        return BOUGH_OK;
    }
    bough_status status = bough_grow(&b->path, &b->path_capacity, b->paths + 1, sizeof *b->path, f->error);
    if (status) return status;
    blocking_path p = {.level = level, .share = share, .length = length};
    status = bough_alloc(&p.class, length, sizeof *p.class, f->error);
    if (status) return status;
    memcpy(p.class, class, length * sizeof *class);
    b->path[b->paths++] = p;
    return BOUGH_OK;
}

/* A random pair that meets at a level; at level 0, where there are no subtrees, any. False: the source meets
 * nobody there. */
static bool draw_pair(const blocking_finder *f, const subtrees *tree, unsigned level, bough_stream *stream,
                      bough_flow *flow) {
    uint64_t n = f->net->endpoints, source = bough_stream_below(stream, n), target;
    if (tree) {
        uint64_t place = subtrees_place(tree, source), met = subtrees_met(tree, level, place);
        if (!met) return false;
        target = subtrees_meet(tree, level, place, bough_stream_below(stream, met));
    } else {
        target = bough_stream_below(stream, n - 1);
        target += target >= source;
    }
    *flow = (bough_flow){source, bough_endpoint_address(f->net, target), 0};
    return true;
}

static bough_status find_paths(blocking_finder *f, const subtrees *tree, unsigned level) {
    uint32_t class[BLOCKING_HOPS_MAX], length;
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_SAMPLE, level, 0);
    bough_flow flow[PAIRS];
    unsigned pairs = 0, tries = 0;
    for (; pairs < PAIRS && tries < 64 * PAIRS; tries++)
        pairs += draw_pair(f, tree, level, &stream, &flow[pairs]);
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < pairs && !status; i++) {
        flow[i].key = i;
        status = walk(f, &flow[i], &stream, class, &length);
        if (!status) status = add_path(f, level, 1.0 / pairs, class, length);
    }
    return status;
}

/* Of messages to anybody alike. */
static void uniform_shares(const subtrees *tree, blocking_net *b) {
    uint64_t n = b->net->endpoints, step = tree->endpoint ? 1 : n; /* regular: all alike */
    for (uint64_t place = 0; place < n; place += step)
        for (unsigned level = 1; level <= b->levels; level++)
            b->share[level] +=
                (double)subtrees_met(tree, level, place) * (double)step / ((double)n * (double)(n - 1));
}

bough_status blocking_find_paths(blocking_finder *f, const bough_batch_law *law) {
    blocking_net *b = f->b;
    subtrees tree = {0};
    bool is_tree = f->net->gives & BOUGH_GIVES_CHANNELS;
    bough_status status = is_tree ? subtrees_make(f->net, &tree, f->error) : BOUGH_OK;
    b->levels = is_tree ? f->net->levels : 1;
    if (!is_tree) b->share[1] = 1;
    if (!status && is_tree && law->share) memcpy(b->share, law->share, (b->levels + 1) * sizeof *b->share);
    if (!status && is_tree && !law->share) uniform_shares(&tree, b);
    for (unsigned level = 1; level <= b->levels && !status; level++)
        if (b->share[level] > 0) status = find_paths(f, is_tree ? &tree : NULL, level);
    if (is_tree) subtrees_fini(&tree);
    return status;
}
