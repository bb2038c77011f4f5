/* Finding the stages of a network: the paths of messages. Pairs of every level are drawn and their paths
 * followed; on regular networks they all pass the same classes.
 *
 * Each message has a twin: a message that left a group of the path by another of its links, to a random
 * address behind that group. The frequency with which it reaches a later group of the path is recorded. The
 * links of a group are not busy independently of each other, and neither are the routers that they lead
 * to. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/blocking/blocking_stages.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 2048, TRIES = 8 };

typedef struct followed_path {
    uint32_t length;
    uint32_t class[BLOCKING_HOPS_MAX];
    uint64_t node[BLOCKING_HOPS_MAX + 1], group[BLOCKING_HOPS_MAX], link[BLOCKING_HOPS_MAX];
} followed_path;

static bough_status no_route(const blocking_search *f, const bough_flow *flow, const char *why) {
    char from[96], to[96];
    return bough_fail(f->error, BOUGH_INVALID, NULL, "blocking: no route from %s to %s under %s: %s",
                      bough_node_name(f->net, flow->source, from, sizeof from),
                      bough_node_name(f->net, bough_address_node(f->net, flow->address), to, sizeof to),
                      f->routing->spec, why);
}

static uint64_t random_link(const blocking_search *f, uint64_t group, bough_stream *stream) {
    uint32_t alive = f->b->class[f->group_class[group]].links;
    return blocking_alive(f->net, f->net->ops->group_links(f->net, group), bough_stream_below(stream, alive));
}

/* Dead links are not taken; if there is no other, no message passes and the path ends. */
static bough_status follow_flow(const blocking_search *f, const bough_flow *flow, bough_stream *stream,
                                followed_path *w) {
    const bough_net *net = f->net;
    uint64_t node = flow->source, target = bough_address_node(net, flow->address);
    for (w->length = 0; node != target; w->length++) {
        bough_route route;
        bough_route_at(f->routing, node, flow, &route);
        if (route.count == 0) return no_route(f, flow, "a switch has no route");
        if (w->length == BLOCKING_HOPS_MAX) return no_route(f, flow, "more than 256 links");
        if (route.count != net->ops->group_links(net, route.group).count)
            return bough_fail(f->error, BOUGH_UNSUPPORTED, NULL,
                              "blocking: %s on %s offers different links of a group at different nodes; it "
                              "needs a routing that may take any",
                              f->routing->spec, net->spec);
        w->node[w->length] = node;
        w->group[w->length] = route.group;
        w->class[w->length] = f->group_class[route.group];
        if (!f->b->class[w->class[w->length]].links) {
            w->length++;
            break;
        }
        w->link[w->length] = random_link(f, route.group, stream);
        node = net->ops->link_end(net, w->link[w->length]).node;
    }
    w->node[w->length] = node;
    return BOUGH_OK;
}

/* The path of a level that passes the same classes as a followed path. */
static bough_status find_path(blocking_search *f, unsigned level, const followed_path *w,
                              blocking_path **found) {
    blocking_net *b = f->b;
    for (uint32_t i = 0; i < b->paths; i++) {
        *found = &b->path[i];
        if ((*found)->level == level && (*found)->length == w->length &&
            memcmp((*found)->class, w->class, w->length * sizeof *w->class) == 0)
            return BOUGH_OK;
    }
    bough_status status = bough_grow(&b->path, &b->path_capacity, b->paths + 1, sizeof *b->path, f->error);
    if (status) return status;
    *found = &b->path[b->paths++];
    **found = (blocking_path){.level = level, .length = w->length};
    status = bough_alloc(&(*found)->class, w->length, sizeof *w->class, f->error);
    if (!status) memcpy((*found)->class, w->class, w->length * sizeof *w->class);
    return status ? status
                  : bough_alloc(&(*found)->meets, (uint64_t)w->length * w->length, sizeof(double), f->error);
}

/* ---- twins ---- */

bool blocking_find_address(const blocking_search *f, bough_stream *stream, uint64_t node, uint64_t group,
                           uint64_t *address) {
    const bough_net *net = f->net;
    uint64_t at = node, next = group;
    for (int hops = 0; hops < BLOCKING_HOPS_MAX; hops++) {
        if (!f->b->class[f->group_class[next]].links) return false;
        at = net->ops->link_end(net, random_link(f, next, stream)).node;
        if (at < net->endpoints) break;
        uint32_t groups = net->ops->node_group_count(net, at);
        if (!groups) return false;
        next = net->ops->node_group(net, at, (uint32_t)bough_stream_below(stream, groups));
    }
    if (at >= net->endpoints) return false;
    bough_route route;
    *address = bough_endpoint_address(net, at);
    net->ops->route(net, node, *address, &route);
    return at != node && route.count && route.group == group;
}

typedef struct twin {
    uint32_t left;          /* index of the group that it left */
    uint64_t node, address; /* where it is then; its destination */
} twin;

/* The position behind the group that it left at which a twin reaches the path; the path's length: it does
 * not. */
static uint32_t follow_twin(const blocking_search *f, const followed_path *w, const twin *t,
                            bough_stream *stream) {
    const bough_net *net = f->net;
    uint64_t node = t->node, target = bough_address_node(net, t->address);
    for (uint32_t hops = 0; node != target && hops < BLOCKING_HOPS_MAX; hops++) {
        bough_route route;
        net->ops->route(net, node, t->address, &route);
        if (route.count == 0 || !f->b->class[f->group_class[route.group]].links) break;
        for (uint32_t j = t->left + 1; j < w->length; j++)
            if (w->group[j] == route.group) return j;
        node = net->ops->link_end(net, random_link(f, route.group, stream)).node;
    }
    return w->length;
}

static void send_twin(const blocking_search *f, const followed_path *w, uint32_t i, bough_stream *stream,
                      double *meets) {
    const bough_net *net = f->net;
    uint32_t alive = f->b->class[w->class[i]].links;
    uint64_t link = w->link[i];
    twin t = {.left = i};
    bool found = false;
    if (alive < 2) return;
    for (int tries = 0; tries < TRIES && !found; tries++)
        found = blocking_find_address(f, stream, w->node[i], w->group[i], &t.address);
    if (!found) return;
    while (link == w->link[i]) link = random_link(f, w->group[i], stream);
    t.node = net->ops->link_end(net, link).node;
    uint32_t j = follow_twin(f, w, &t, stream);
    if (j == w->length || (t.node == w->node[i + 1] && j == i + 1)) return;
    meets[i * w->length + j]++;
}

/* ---- all paths of a level ---- */

/* Draws a random pair with an NCA at a level; at level 0, without subtrees, any pair. False: the source has
 * no partner at that level. */
static bool draw_pair(const blocking_search *f, const subtrees *tree, unsigned level, bough_stream *stream,
                      bough_flow *flow) {
    uint64_t n = f->net->endpoints, source = bough_stream_below(stream, n), target;
    if (tree) {
        uint64_t place = subtrees_place(tree, source), met = subtrees_nca_count(tree, level, place);
        if (!met) return false;
        target = subtrees_nca_endpoint(tree, level, place, bough_stream_below(stream, met));
    } else {
        target = bough_stream_below(stream, n - 1);
        target += target >= source;
    }
    *flow = (bough_flow){source, bough_endpoint_address(f->net, target), 0};
    return true;
}

/* Finds the distinct paths of the messages of a level, and their counts. */
static bough_status find_paths(blocking_search *f, const subtrees *tree, unsigned level) {
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_SAMPLE, level, 0);
    blocking_path *path;
    bough_flow flow;
    followed_path *w;
    unsigned pairs = 0;
    bough_status status = bough_alloc(&w, 1, sizeof *w, f->error);
    if (status) return status;
    uint32_t first = f->b->paths;
    for (unsigned tries = 0; pairs < PAIRS && tries < TRIES * PAIRS && !status; tries++) {
        if (!draw_pair(f, tree, level, &stream, &flow)) continue;
        flow.key = pairs++;
        status = follow_flow(f, &flow, &stream, w);
        TRY(find_path(f, level, w, &path));
        if (status) break;
        path->share++;
        for (uint32_t i = 0; i + 1 < w->length; i++) send_twin(f, w, i, &stream, path->meets);
    }
    for (uint32_t k = first; k < f->b->paths && !status; k++) {
        path = &f->b->path[k];
        for (uint32_t i = 0; i < path->length * path->length; i++) path->meets[i] /= path->share;
        path->share /= pairs;
    }
    free(w);
    return status;
}

/* For messages to uniformly random destinations. */
static void uniform_shares(const subtrees *tree, blocking_net *b) {
    uint64_t n = b->net->endpoints, step = tree->endpoint ? 1 : n; /* regular: all endpoints are equivalent */
    for (uint64_t place = 0; place < n; place += step)
        for (unsigned level = 1; level <= b->levels; level++)
            b->share[level] +=
                (double)subtrees_nca_count(tree, level, place) * (double)step / ((double)n * (double)(n - 1));
}

bough_status blocking_find_paths(blocking_search *f, const bough_batch_law *law) {
    blocking_net *b = f->b;
    subtrees tree = {0};
    bool is_tree = f->net->capabilities & BOUGH_HAS_CHANNELS;
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
