/* Finding the stages of a network: classes of groups, kinds of nodes, and the ways of messages.
 *
 * A node's kind is the multiset of what enters and leaves it. It is recognised by a sum of hashes, one for
 * each bundle and group, so that all nodes take 8 bytes each; then one node of each kind is looked at again.
 */
#include "model/blocking.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 64, CLASSES_MAX = 1 << 16, HOPS_MAX = 256 };

typedef struct finder {
    const bough_net *net;
    const bough_routing *routing;
    blocking_net *b;
    uint32_t *group_class; /* per group; NO_CLASS: of an endpoint that only receives, or no link alive */
    uint64_t *sum;         /* per node */
    uint32_t *slot;        /* hash table of classes, 1 + index */
    bough_error *error;
} finder;

#define SLOTS (4u * CLASSES_MAX)

static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* ---- classes ---- */

static bool same_class(const blocking_class *a, const blocking_class *b) {
    return a->rank == b->rank && a->from_level == b->from_level && a->to_level == b->to_level &&
           a->links == b->links;
}

static bough_status find_class(finder *f, const blocking_class *like, uint32_t *found) {
    blocking_net *b = f->b;
    uint64_t h = mix(mix(like->rank) ^
                     ((uint64_t)like->from_level << 40 | (uint64_t)like->to_level << 20 | like->links));
    for (;; h++) {
        uint32_t *slot = &f->slot[h % SLOTS];
        if (*slot && !same_class(&b->class[*slot - 1], like)) continue;
        if (!*slot) {
            if (b->classes == CLASSES_MAX)
                return bough_fail(
                    f->error, BOUGH_UNSUPPORTED, NULL,
                    "blocking: more than 2^16 kinds of groups in %s; it is made for networks of stages",
                    f->net->spec);
            bough_status status =
                bough_grow(&b->class, &b->class_capacity, b->classes + 1, sizeof *b->class, f->error);
            if (status) return status;
            b->class[b->classes] = *like;
            *slot = ++b->classes;
        }
        *found = *slot - 1;
        return BOUGH_OK;
    }
}

static bough_status class_of(finder *f, uint64_t node, uint64_t group) {
    const bough_net *net = f->net;
    bough_range links = net->ops->group_links(net, group);
    uint32_t alive = 0;
    for (uint64_t l = links.first; l < links.first + links.count; l++) alive += bough_link_alive(net, l);
    uint64_t to = net->ops->link_end(net, links.first).node;
    blocking_class like = {.rank = net->ops->group_rank(net, group),
                           .from_level = net->ops->node_level(net, node),
                           .to_level = net->ops->node_level(net, to),
                           .links = alive};
    uint32_t found = 0;
    bough_status status = find_class(f, &like, &found);
    if (status) return status;
    f->group_class[group] = found;
    f->b->class[found].groups++;
    return BOUGH_OK;
}

static int by_rank(const void *a, const void *b) {
    const blocking_class *x = a, *y = b;
    const uint32_t p[] = {x->rank, x->from_level, x->to_level, x->links},
                   q[] = {y->rank, y->from_level, y->to_level, y->links};
    for (int i = 0; i < 4; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Classes by rank, so that whatever enters a class is known before it. */
static bough_status sort_classes(finder *f) {
    blocking_net *b = f->b;
    uint32_t *moved;
    bough_status status = bough_alloc(&moved, b->classes, sizeof *moved, f->error);
    if (status) return status;
    blocking_class *old;
    status = bough_alloc(&old, b->classes, sizeof *old, f->error);
    if (!status) {
        memcpy(old, b->class, b->classes * sizeof *old);
        qsort(b->class, b->classes, sizeof *b->class, by_rank);
        for (uint32_t i = 0; i < b->classes; i++) {
            const blocking_class *at = bsearch(&old[i], b->class, b->classes, sizeof *at, by_rank);
            moved[i] = (uint32_t)(at - b->class);
        }
        for (uint64_t g = 0; g < f->net->groups; g++) f->group_class[g] = moved[f->group_class[g]];
    }
    free(old);
    free(moved);
    return status;
}

static bough_status find_classes(finder *f) {
    const bough_net *net = f->net;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t count = net->ops->node_group_count(net, v);
        if (net->ops->node_roles(net, v) == (BOUGH_ENDPOINT | BOUGH_SWITCH))
            return bough_fail(f->error, BOUGH_UNSUPPORTED, NULL,
                              "blocking: endpoints of %s pass messages on, and have no stage of their own",
                              net->spec);
        for (uint32_t i = 0; i < count; i++) {
            bough_status status = class_of(f, v, net->ops->node_group(net, v, i));
            if (status) return status;
        }
    }
    return sort_classes(f);
}

/* ---- kinds of nodes ---- */

/* The links of a group by the nodes where they end: calls each once for a node, with how many end there. */
static bough_status each_bundle(finder *f, uint64_t group,
                                bough_status (*each)(finder *f, uint64_t node, uint32_t class,
                                                     uint32_t links)) {
    const bough_net *net = f->net;
    bough_range r = net->ops->group_links(net, group);
    bough_status status = BOUGH_OK;
    for (uint64_t l = r.first; l < r.first + r.count && !status; l++) {
        if (!bough_link_alive(net, l)) continue;
        uint64_t node = net->ops->link_end(net, l).node;
        uint32_t together = 1;
        bool seen = false;
        for (uint64_t k = r.first; k < l && !seen; k++)
            seen = bough_link_alive(net, k) && net->ops->link_end(net, k).node == node;
        if (seen) continue;
        for (uint64_t k = l + 1; k < r.first + r.count; k++)
            together += bough_link_alive(net, k) && net->ops->link_end(net, k).node == node;
        status = each(f, node, f->group_class[group], together);
    }
    return status;
}

static bough_status add_hash(finder *f, uint64_t node, uint32_t class, uint32_t links) {
    f->sum[node] += mix((uint64_t) class << 32 | links);
    return BOUGH_OK;
}

static uint64_t own_hash(const finder *f, uint64_t node) {
    uint64_t sum = 0;
    uint32_t count = f->net->ops->node_group_count(f->net, node);
    for (uint32_t i = 0; i < count; i++)
        sum += mix(~(uint64_t)f->group_class[f->net->ops->node_group(f->net, node, i)]);
    return mix(sum);
}

static bough_status add_asked(finder *f, blocking_node *n, uint32_t class) {
    for (uint32_t i = 0; i < n->askeds; i++)
        if (n->asked[i].class == class) {
            n->asked[i].groups++;
            return BOUGH_OK;
        }
    bough_status status =
        bough_grow(&n->asked, &n->asked_capacity, n->askeds + 1, sizeof *n->asked, f->error);
    if (!status) n->asked[n->askeds++] = (blocking_asked){class, 1};
    return status;
}

/* The first node of its kind. */
static bough_status add_kind(finder *f, uint64_t node, uint32_t *index) {
    blocking_net *b = f->b;
    bough_status status = bough_grow(&b->node, &b->node_capacity, b->nodes + 1, sizeof *b->node, f->error);
    if (status) return status;
    *index = b->nodes++;
    blocking_node *n = &b->node[*index];
    *n = (blocking_node){0};
    uint32_t count = f->net->ops->node_group_count(f->net, node);
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_asked(f, n, f->group_class[f->net->ops->node_group(f->net, node, i)]);
    return status;
}

/* While bundles are gathered sum holds 1 + the kind of the one node of each kind that is looked at, else 0.
 */
static bough_status gather(finder *f, uint64_t node, uint32_t class, uint32_t links) {
    if (!f->sum[node]) return BOUGH_OK;
    blocking_node *n = &f->b->node[f->sum[node] - 1];
    for (uint32_t i = 0; i < n->bundles; i++)
        if (n->bundle[i].class == class && n->bundle[i].links == links) {
            n->bundle[i].count++;
            return BOUGH_OK;
        }
    bough_status status =
        bough_grow(&n->bundle, &n->bundle_capacity, n->bundles + 1, sizeof *n->bundle, f->error);
    if (!status) n->bundle[n->bundles++] = (blocking_bundle){class, links, 1};
    return status;
}

typedef struct kind_slot {
    uint64_t hash;
    uint32_t kind; /* 1 + index; 0: free */
} kind_slot;

typedef struct kind_table {
    kind_slot *slot;
    uint64_t slots, used;
} kind_table;

static kind_slot *find_kind(const kind_table *t, uint64_t hash) {
    uint64_t i = mix(hash) & (t->slots - 1);
    while (t->slot[i].kind && t->slot[i].hash != hash) i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

static bough_status grow_kinds(kind_table *t, bough_error *error) {
    kind_table bigger = {.slots = t->slots ? 2 * t->slots : 256, .used = t->used};
    bough_status status = bough_alloc(&bigger.slot, bigger.slots, sizeof *bigger.slot, error);
    if (status) return status;
    for (uint64_t i = 0; i < t->slots; i++)
        if (t->slot[i].kind) *find_kind(&bigger, t->slot[i].hash) = t->slot[i];
    free(t->slot);
    *t = bigger;
    return BOUGH_OK;
}

static bough_status sort_out_nodes(finder *f, kind_table *t) {
    const bough_net *net = f->net;
    for (uint64_t v = 0; v < net->nodes; v++) {
        bough_status status = 2 * (t->used + 1) > t->slots ? grow_kinds(t, f->error) : BOUGH_OK;
        if (status) return status;
        uint64_t hash = (v < net->endpoints ? 0 : f->sum[v]) + own_hash(f, v);
        kind_slot *slot = find_kind(t, hash);
        bool first = !slot->kind;
        if (first) {
            uint32_t index;
            status = add_kind(f, v, &index);
            if (status) return status;
            *slot = (kind_slot){hash, index + 1};
            t->used++;
        }
        f->b->node[slot->kind - 1].nodes++;
        f->sum[v] = first && v >= net->endpoints ? slot->kind : 0;
    }
    return BOUGH_OK;
}

/* Links into endpoints are none of a stage's inputs. */
static bough_status find_kinds(finder *f) {
    kind_table t = {0};
    bough_status status = BOUGH_OK;
    for (uint64_t g = 0; g < f->net->groups && !status; g++) status = each_bundle(f, g, add_hash);
    if (!status) status = sort_out_nodes(f, &t);
    for (uint64_t g = 0; g < f->net->groups && !status; g++) status = each_bundle(f, g, gather);
    free(t.slot);
    return status;
}

/* ---- ways ---- */

static bough_status no_route(const finder *f, const bough_flow *flow, const char *why) {
    char from[96], to[96];
    return bough_fail(f->error, BOUGH_INVALID, NULL, "blocking: no route from %s to %s under %s: %s",
                      bough_node_name(f->net, flow->source, from, sizeof from),
                      bough_node_name(f->net, bough_address_node(f->net, flow->address), to, sizeof to),
                      f->routing->spec, why);
}

/* Walks one way and notes its classes; dead links are not taken. */
static bough_status walk(finder *f, const bough_flow *flow, bough_stream *stream, uint32_t *class,
                         uint32_t *length) {
    const bough_net *net = f->net;
    uint64_t node = flow->source, target = bough_address_node(net, flow->address);
    for (*length = 0; node != target;) {
        bough_route route;
        bough_route_at(f->routing, node, flow, &route);
        if (route.count == 0) return no_route(f, flow, "a switch does not know the way");
        if (*length == HOPS_MAX) return no_route(f, flow, "more than 256 links");
        if (route.count != net->ops->group_links(net, route.group).count)
            return bough_fail(
                f->error, BOUGH_UNSUPPORTED, NULL,
                "blocking: %s on %s offers some links of a group here and others there; it needs a "
                "routing that may take any",
                f->routing->spec, net->spec);
        uint32_t found = f->group_class[route.group], alive = f->b->class[found].links;
        class[(*length)++] = found;
        if (!alive) break; /* nobody passes: the way ends */
        uint64_t skip = bough_stream_below(stream, alive), link = route.first;
        for (;; link++)
            if (bough_link_alive(net, link) && skip-- == 0) break;
        node = net->ops->link_end(net, link).node;
    }
    return BOUGH_OK;
}

static bough_status add_path(finder *f, unsigned level, double share, const uint32_t *class,
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
static bool draw_pair(const finder *f, const subtrees *tree, unsigned level, bough_stream *stream,
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

static bough_status find_paths(finder *f, const subtrees *tree, unsigned level) {
    uint32_t class[HOPS_MAX], length;
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

static bough_status find_ways(finder *f, const bough_batch_law *law) {
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

/* ---- all ---- */

bough_status blocking_find(const bough_point *point, blocking_net *b, bough_error *error) {
    const bough_net *net = point->net;
    finder f = {.net = net, .routing = point->routing, .b = b, .error = error};
    *b = (blocking_net){.net = net};
    bough_status status = bough_alloc(&f.group_class, net->groups, sizeof *f.group_class, error);
    if (!status) status = bough_alloc(&f.sum, net->nodes, sizeof *f.sum, error);
    if (!status) status = bough_alloc(&f.slot, SLOTS, sizeof *f.slot, error);
    if (!status) status = find_classes(&f);
    if (!status) status = find_kinds(&f);
    if (!status) status = find_ways(&f, point->traffic->batch_law);
    free(f.group_class);
    free(f.sum);
    free(f.slot);
    if (status) blocking_fini(b);
    return status;
}

void blocking_fini(blocking_net *b) {
    for (uint32_t i = 0; i < b->nodes; i++) {
        free(b->node[i].bundle);
        free(b->node[i].asked);
    }
    for (uint32_t i = 0; i < b->paths; i++) free(b->path[i].class);
    free(b->class);
    free(b->node);
    free(b->path);
    *b = (blocking_net){0};
}
