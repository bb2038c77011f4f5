/* Uniform traffic on a tree whose links of one level and direction are alike: one class each, and the
 * messages of one endpoint represent all. One destination in every subtree around it is enough: its path goes
 * up to their NCA level and down again; the number of children it could have turned to follows from the sizes
 * of the subtrees. */
#include "base/status/try.h"
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"

enum { LEVELS = 64, SAMPLES = 64 };

/* Shape of a level of a regular tree. */
typedef struct level_shape {
    double size;           /* endpoints of a subtree */
    double children;       /* child subtrees of one subtree */
    double cables;         /* links of one direction above all subtrees of the level */
    uint32_t m_up, m_down; /* links of a group up from it, and down to it */
    uint64_t link_up, link_down;
} level_shape;

/* Size of the subtree that starts with endpoint `first`: its endpoints have consecutive numbers. */
static uint64_t subtree_size(const bough_net *net, unsigned l, uint64_t first) {
    uint64_t id = net->ops->subtree(net, l, first), low = first, high = net->endpoints;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(net->ops->subtree(net, l, middle) == id ? &low : &high) = middle;
    }
    return low - first + 1;
}

/* True if the subtrees around some evenly spaced endpoints have the size and the cables of the first. */
static bool level_is_regular(const bough_net *net, unsigned l) {
    uint64_t n = net->endpoints, size = subtree_size(net, l, 0);
    if (n % size || (size == n) != (l == net->levels)) return false;
    uint64_t cables = l < net->levels ? net->ops->channel_capacity(net, l, net->ops->subtree(net, l, 0)) : 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t first = (n - 1) / SAMPLES * i / size * size, id = net->ops->subtree(net, l, first);
        if (net->ops->subtree(net, l, first + size - 1) != id || subtree_size(net, l, first) != size)
            return false;
        if (first && net->ops->subtree(net, l, first - 1) == id) return false;
        if (l < net->levels && net->ops->channel_capacity(net, l, id) != cables) return false;
    }
    return l == net->levels || cables > 0;
}

bool queueing_alike_usable(const bough_point *point) {
    const bough_net *net = point->net;
    const unsigned capabilities = BOUGH_HAS_EVEN | BOUGH_HAS_CHANNELS;
    if ((net->capabilities & capabilities) != capabilities || net->dead || net->levels < 1 ||
        net->levels >= LEVELS)
        return false;
    if (!point->routing->kind->even || point->routing->kind->route) return false;
    if (!point->traffic->law->pattern->kind->pattern->uniform || net->endpoints < 2) return false;
    for (unsigned l = 0; l <= net->levels; l++)
        if (!level_is_regular(net, l)) return false;
    return subtree_size(net, 0, 0) == 1;
}

/* The path to the farthest destination visits every level in both directions. */
static bough_status walk(const bough_routing *routing, level_shape *level, bough_error *error) {
    const bough_net *net = routing->net;
    uint64_t target = net->endpoints - 1, node = 0, hops = 0;
    bough_flow flow = {0, bough_endpoint_address(net, target), 0};
    while (node != target) {
        bough_route route;
        bough_route_at(routing, node, &flow, &route);
        if (route.count == 0 || ++hops > 2 * (uint64_t)net->levels)
            return bough_fail(error, BOUGH_FAILED, NULL, "%s: its routes do not go up to the root and down",
                              net->spec);
        uint64_t link = bough_route_link(&route, 0);
        unsigned l = bough_link_level(net, link);
        if (bough_link_direction(net, link) > 0)
            level[l].m_up = route.count, level[l].link_up = link;
        else
            level[l].m_down = route.count, level[l].link_down = link;
        node = net->ops->link_end(net, link).node;
    }
    return BOUGH_OK;
}

/* Channel and queue 2 l lead up from level l, 2 l + 1 down to it. */
static void add_turn(queueing_net *q, unsigned from, unsigned to, double rate, double copies) {
    queueing_channel *c = &q->channel[from];
    if (c->turns == 0) c->first = (uint32_t)q->turns;
    c->turns++;
    q->turn[q->turns++] = (queueing_turn){.queue = to, .rate = rate, .copies = copies};
}

static void add_class(queueing_net *q, const level_shape *at, unsigned l, int direction, double rate) {
    uint32_t m = direction > 0 ? at->m_up : at->m_down;
    q->channel[q->channels] = (queueing_channel){.rate = rate,
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
static void connect(queueing_net *q, const level_shape *level, unsigned levels, double n) {
    for (unsigned l = 0; l < levels; l++) {
        double rate = q->channel[2 * l].rate;
        double left = (n - level[l].size) / (n - 1), up = (n - level[l + 1].size) / (n - 1);
        if (l + 1 < levels) add_turn(q, 2 * l, 2 * (l + 1), rate * up / left, 1);
        if (level[l + 1].children > 1)
            add_turn(q, 2 * l, 2 * l + 1, rate * (1 - up / left), level[l + 1].children - 1);
        if (l > 0) add_turn(q, 2 * l + 1, 2 * (l - 1) + 1, rate, level[l].children);
    }
    q->channel[1].ends = q->channel[1].rate;
    q->queue[0].enters = n / q->queue[0].copies;
}

bough_status queueing_alike_build(const bough_point *point, queueing_net *q, bough_error *error) {
    const bough_net *net = point->net;
    unsigned levels = net->levels;
    double n = (double)net->endpoints;
    level_shape level[LEVELS] = {0};
    bough_status status = walk(point->routing, level, error);
    TRY(bough_alloc(&q->channel, 2 * levels, sizeof *q->channel, error));
    TRY(bough_alloc(&q->queue, 2 * levels, sizeof *q->queue, error));
    TRY(bough_alloc(&q->turn, 3 * levels, sizeof *q->turn, error));
    TRY(bough_alloc(&q->member, 2 * levels, sizeof *q->member, error));
    if (status) return status;
    for (unsigned l = 0; l <= levels; l++) {
        level[l].size = (double)subtree_size(net, l, 0);
        level[l].children = l ? level[l].size / level[l - 1].size : 0;
        if (l == levels) break;
        level[l].cables =
            (double)net->ops->channel_capacity(net, l, net->ops->subtree(net, l, 0)) * n / level[l].size;
        double rate = n * (n - level[l].size) / (n - 1) / level[l].cables; /* Eqs. 14 and 15 */
        add_class(q, &level[l], l, +1, rate);
        add_class(q, &level[l], l, -1, rate);
    }
    connect(q, level, levels, n);
    return BOUGH_OK;
}
