/* clang-format off */
/* Traffic on a regular tree whose links of one level and direction are alike: one class each. The probability
 * that an endpoint sends to another depends on their nearest common ancestor (NCA) level only. So all endpoints
 * send alike, and a message that turns down at a node turns to any other child with equal probability.
 *
 * A subtree of level l has S endpoints and D links up; S' and D' are those of its parent. What is left to find
 * is over how many queues of the next node the messages of one link are divided:
 *
 *   free          one queue is a whole group. The children below a node are so many groups.
 *   random        likewise, but each link of a group is a queue of its own.
 *   D-mod-K       Address d takes the links of residue d mod D, up from any subtree and down to its own
 *                 (xgft_tree.c, bft.c). A subtree has S consecutive addresses from a multiple of S on. If D
 *                 divides S, it has S / D addresses of every residue, so all links up carry equally many, and
 *                 all links down S / D addresses each. If D divides D', a residue mod D is that of D' / D
 *                 residues mod D', on which a link up divides its messages. A link down from the parent's own
 *                 parent has the addresses r, r + D', r + 2 D', ... of the parent's S', all of one residue mod
 *                 D. If S divides D', no two of them are in one child: S' / D' children get one each. If D'
 *                 divides S, all S' / S children get equally many.
 *   S-mod-K       the same with source and address exchanged, and all paths reversed.
 *
 * Where these divisions leave remainders, links of one level differ, and classes do not apply. */
/* clang-format on */
#include "base/status/try.h"
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"
#include "network/families/bft.h"
#include "network/families/xgft_tree.h"
#include "routing/routing_list.h"

#include <math.h>

enum { LEVELS = 64 };

typedef enum division { BY_GROUP, BY_LINK, BY_ADDRESS, BY_SOURCE, UNKNOWN } division;

/* Shape of a level of a regular tree. */
typedef struct level_shape {
    double size;           /* S: endpoints of a subtree */
    double links;          /* D: links of one direction above a subtree */
    double cables;         /* those above all subtrees of the level */
    double beyond;         /* probability that a message leaves the subtree of its source */
    uint32_t m_up, m_down; /* links of a group up from it, and down to it */
    uint64_t link_up, link_down;
} level_shape;

typedef struct tree_shape {
    division by;
    unsigned levels; /* those with traffic */
    double endpoints;
    level_shape level[LEVELS + 1];
} tree_shape;

/* ---- what is usable ---- */

static division division_of(const bough_routing_kind *kind) {
    if (kind->even && !kind->route) return kind->blind ? BY_LINK : BY_GROUP;
    if (kind == &bough_routing_dmodk) return BY_ADDRESS;
    return kind == &bough_routing_smodk ? BY_SOURCE : UNKNOWN;
}

/* Size of the subtree that starts with endpoint `first`: its endpoints have consecutive numbers. */
static uint64_t subtree_size(const bough_net *net, unsigned l, uint64_t first) {
    uint64_t id = net->ops->subtree(net, l, first), low = first, high = net->endpoints;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(net->ops->subtree(net, l, middle) == id ? &low : &high) = middle;
    }
    return low - first + 1;
}

static uint64_t subtree_links(const bough_net *net, unsigned l) {
    return l < net->levels ? net->ops->channel_capacity(net, l, net->ops->subtree(net, l, 0)) : 0;
}

/* True if all subtrees of a level are alike. Networks that spread evenly fill their subtrees evenly, too
 * (xgft_tree.c): of sizes that differ, the first subtree has the smallest and the last the largest. */
static bool level_is_regular(const bough_net *net, unsigned l) {
    uint64_t n = net->endpoints, size = subtree_size(net, l, 0), last = net->ops->subtree(net, l, n - 1);
    if ((size == n) != (l == net->levels)) return false;
    if (net->ops->subtree(net, l, n - size) != last) return false;
    if (size < n && net->ops->subtree(net, l, n - size - 1) == last) return false;
    return l == net->levels || subtree_links(net, l) > 0;
}

static bool is_regular(const bough_net *net) {
    const unsigned capabilities = BOUGH_HAS_EVEN | BOUGH_HAS_CHANNELS;
    if ((net->capabilities & capabilities) != capabilities || net->dead || net->levels < 1 ||
        net->levels >= LEVELS || net->endpoints < 2)
        return false;
    for (unsigned l = 0; l <= net->levels; l++)
        if (!level_is_regular(net, l)) return false;
    return subtree_size(net, 0, 0) == 1;
}

/* Residues are divided without remainder, see above. */
static bool residues_are_even(const bough_net *net) {
    if (!xgft_shape_of(net) && !is_bft(net)) return false;
    for (unsigned l = 0; l < net->levels; l++) {
        uint64_t size = subtree_size(net, l, 0), links = subtree_links(net, l);
        uint64_t above = subtree_links(net, l + 1);
        if (size % links) return false;
        if (above && (above % links || (size % above && above % size))) return false;
    }
    return true;
}

bool queueing_alike_usable(const bough_point *point) {
    const bough_traffic *pattern = point->traffic->law->pattern;
    const division by = division_of(point->routing->kind);
    if (by == UNKNOWN || !is_regular(point->net)) return false;
    if (!pattern->kind->pattern->uniform && !pattern->batch_law) return false;
    return by == BY_GROUP || by == BY_LINK || residues_are_even(point->net);
}

bool queueing_eq12_applies(const bough_point *point) {
    return point->traffic->law->pattern->kind->pattern->uniform &&
           division_of(point->routing->kind) == BY_GROUP && queueing_alike_usable(point);
}

uint64_t queueing_alike_bytes(const bough_point *point, queueing_variant variant) {
    const bough_net *net = point->net;
    uint64_t classes = 2 * (uint64_t)net->levels, groups = 0;
    for (unsigned l = 0; l < net->levels; l++) {
        uint64_t children = subtree_size(net, l + 1, 0) / subtree_size(net, l, 0);
        if (children >= groups) groups = children + 1; /* to the children, and up */
    }
    queueing_counts c = {classes, classes, 3 * classes / 2, bough_mul(groups, net->group_max)};
    return bough_add(queueing_net_bytes(&c), queueing_state_bytes(&c, variant));
}

/* ---- the shape ---- */

static double beyond(const bough_point *point, unsigned l, double size) {
    const bough_batch_law *law = point->traffic->law->pattern->batch_law;
    double n = (double)point->net->endpoints, sum = 0;
    if (!law || !law->share) return (n - size) / (n - 1);
    for (unsigned k = law->levels; k > l; k--) sum += law->share[k];
    return sum;
}

static void measure(const bough_point *point, tree_shape *t) {
    const bough_net *net = point->net;
    t->by = division_of(point->routing->kind);
    t->endpoints = (double)net->endpoints;
    for (unsigned l = 0; l <= net->levels; l++) {
        level_shape *at = &t->level[l];
        at->size = (double)subtree_size(net, l, 0);
        at->links = (double)subtree_links(net, l);
        at->cables = at->links * t->endpoints / at->size;
        at->beyond = l < net->levels ? beyond(point, l, at->size) : 0;
        if (at->beyond > 0) t->levels = l + 1;
    }
}

/* Finds the groups of the levels up to `top` on the path from endpoint 0 to a target. */
static bough_status walk(const bough_routing *routing, tree_shape *t, unsigned top, uint64_t target,
                         bough_error *error) {
    const bough_net *net = routing->net;
    uint64_t node = 0, hops = 0;
    bough_flow flow = {0, bough_endpoint_address(net, target), 0};
    while (node != target) {
        bough_route route;
        bough_route_at(routing, node, &flow, &route);
        if (route.count == 0 || ++hops > 2 * (uint64_t)net->levels)
            return bough_fail(error, BOUGH_FAILED, NULL, "%s: its routes do not go up to the root and down",
                              net->spec);
        uint64_t link = bough_route_link(&route, 0);
        unsigned l = bough_link_level(net, link);
        node = net->ops->link_end(net, link).node;
        if (l > top) continue;
        if (bough_link_direction(net, link) > 0)
            t->level[l].m_up = route.count, t->level[l].link_up = link;
        else
            t->level[l].m_down = route.count, t->level[l].link_down = link;
    }
    return BOUGH_OK;
}

/* The path to the farthest destination visits every level in both directions. A link of each class is named
 * in notes: but for BY_GROUP the first that is full link by link. */
static bough_status find_links(const bough_routing *routing, tree_shape *t, bough_error *error) {
    const bough_net *net = routing->net;
    bough_status status = BOUGH_OK;
    unsigned last = t->levels - 1;
    if (t->by == BY_GROUP) return walk(routing, t, last, net->endpoints - 1, error);
    for (unsigned l = t->levels; l-- > 0 && !status;)
        status = walk(routing, t, l, (uint64_t)t->level[l < last ? l + 1 : last].size, error);
    t->level[0].link_up = bough_injection_link(net, t->by == BY_LINK ? net->endpoints - 1 : 1);
    return status;
}

/* ---- over how many queues the messages of a link are divided ---- */

static double children(const tree_shape *t, unsigned l) {
    return t->level[l].size / t->level[l - 1].size;
}

/* From level l up to the next. */
static double queues_up(const tree_shape *t, unsigned l) {
    const level_shape *at = &t->level[l], *above = at + 1;
    if (t->by == BY_LINK) return above->m_up;
    if (t->by == BY_ADDRESS) return above->links / at->links;
    return t->by == BY_SOURCE ? fmin(above->links, at->size) / at->links : 1;
}

/* From level l down to another child of the node above. */
static double queues_across(const tree_shape *t, unsigned l) {
    return (children(t, l + 1) - 1) * (t->by == BY_LINK ? t->level[l].m_down : 1);
}

/* From level l down to the next. */
static double queues_down(const tree_shape *t, unsigned l) {
    const level_shape *at = &t->level[l], *below = at - 1;
    if (t->by == BY_LINK) return children(t, l) * below->m_down;
    return t->by == BY_ADDRESS ? at->size / fmax(at->links, below->size) : children(t, l);
}

/* ---- the classes ---- */

/* Channel and queue 2 l lead up from level l, 2 l + 1 down to it. */
static void add_turn(queueing_net *q, unsigned from, unsigned to, double rate, double copies) {
    queueing_channel *c = &q->channel[from];
    if (!(rate > 0)) return;
    if (c->turns == 0) c->first = (uint32_t)q->turns;
    c->turns++;
    q->turn[q->turns++] = (queueing_turn){.queue = to, .rate = rate, .copies = copies};
}

static void add_class(queueing_net *q, const tree_shape *t, unsigned l, int direction) {
    const level_shape *at = &t->level[l];
    uint32_t m = t->by != BY_GROUP ? 1 : direction > 0 ? at->m_up : at->m_down;
    q->channel[q->channels] =
        (queueing_channel){.rate = t->endpoints * at->beyond / at->cables, /* Eqs. 14 and 15 */
                           .links = at->cables,
                           .link = direction > 0 ? at->link_up : at->link_down,
                           .level = (uint16_t)l,
                           .direction = (int8_t)direction};
    q->member[q->members] = (uint32_t)q->channels++;
    q->queue[q->queues++] = (queueing_queue){
        .copies = at->cables / m, .servers = m, .first = (uint32_t)q->members++, .members = 1};
}

/* Above level l a message continues up with probability up = Eq. 12 over the probability of having come this
 * far; else it turns to one of the other children of the node above. */
static void connect(queueing_net *q, const tree_shape *t) {
    for (unsigned l = 0; l < t->levels; l++) {
        double rate = q->channel[2 * l].rate, up = t->level[l + 1].beyond / t->level[l].beyond;
        if (l + 1 < t->levels) add_turn(q, 2 * l, 2 * (l + 1), rate * up, queues_up(t, l));
        add_turn(q, 2 * l, 2 * l + 1, rate * (1 - up), queues_across(t, l));
        if (l > 0) add_turn(q, 2 * l + 1, 2 * (l - 1) + 1, rate, queues_down(t, l));
    }
    q->channel[1].ends = q->channel[1].rate;
    q->queue[0].enters = t->endpoints / q->queue[0].copies;
}

bough_status queueing_alike_build(const bough_point *point, queueing_net *q, bough_error *error) {
    tree_shape t = {0};
    measure(point, &t);
    bough_status status = find_links(point->routing, &t, error);
    TRY(bough_alloc(&q->channel, 2 * t.levels, sizeof *q->channel, error));
    TRY(bough_alloc(&q->queue, 2 * t.levels, sizeof *q->queue, error));
    TRY(bough_alloc(&q->turn, 3 * t.levels, sizeof *q->turn, error));
    TRY(bough_alloc(&q->member, 2 * t.levels, sizeof *q->member, error));
    if (status) return status;
    for (unsigned l = 0; l < t.levels; l++) {
        add_class(q, &t, l, +1);
        add_class(q, &t, l, -1);
    }
    connect(q, &t);
    return BOUGH_OK;
}
