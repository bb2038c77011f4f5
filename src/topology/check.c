/* bough_net_check: what every network must satisfy, whoever made it. */
#include "bough/net.h"

#include "base/memory.h"
#include "bough/random.h"

#include <inttypes.h>
#include <stdlib.h>

#define HOPS_UNKNOWN 256u /* links to follow at most where a network does not know its longest route */

#define BROKEN(...) bough_fail(error, BOUGH_FAILED, net->spec ? net->spec : "network", __VA_ARGS__)

static bough_status check_links(const bough_net *net, bough_error *error) {
    const bough_net_ops *o = net->ops;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t g = o->link_group(net, l);
        if (g >= net->groups)
            return BROKEN("link %" PRIu64 " names group %" PRIu64 " of %" PRIu64, l, g, net->groups);
        bough_range r = o->group_links(net, g);
        if (l < r.first || l >= r.first + r.count)
            return BROKEN("link %" PRIu64 " is not in its group %" PRIu64, l, g);
        bough_link_end end = o->link_end(net, l);
        if (end.node >= net->nodes) return BROKEN("link %" PRIu64 " ends at node %" PRIu64, l, end.node);
        uint64_t twin = o->link_twin ? o->link_twin(net, l) : BOUGH_NONE;
        if (twin == BOUGH_NONE) continue;
        if (twin >= net->links || twin == l || o->link_twin(net, twin) != l)
            return BROKEN("link %" PRIu64 " and its twin %" PRIu64 " do not name each other", l, twin);
        if (bough_link_start(net, twin) != end.node ||
            o->link_end(net, twin).node != bough_link_start(net, l))
            return BROKEN("link %" PRIu64 " and its twin %" PRIu64 " do not join the same nodes", l, twin);
        if (o->link_port && o->link_port(net, twin) != end.port)
            return BROKEN("link %" PRIu64 " enters port %u, its twin leaves port %u", l, end.port,
                          o->link_port(net, twin));
    }
    return BOUGH_OK;
}

/* Groups of nodes partition the links; the sum over all nodes must be all groups and all links. */
static bough_status check_groups(const bough_net *net, bough_error *error) {
    const bough_net_ops *o = net->ops;
    uint64_t groups = 0, links = 0;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t count = o->node_group_count(net, v);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t g = o->node_group(net, v, i);
            if (g >= net->groups || o->group_node(net, g) != v)
                return BROKEN("node %" PRIu64 " and its group %" PRIu64 " disagree", v, g);
            bough_range r = o->group_links(net, g);
            if (r.count == 0 || r.count > net->group_max || r.first + r.count > net->links)
                return BROKEN("group %" PRIu64 " has %" PRIu64 " links", g, r.count);
            for (uint64_t l = r.first; l < r.first + r.count; l++)
                if (o->link_group(net, l) != g)
                    return BROKEN("link %" PRIu64 " is not of group %" PRIu64, l, g);
            links += r.count;
        }
        groups += count;
        unsigned roles = o->node_roles(net, v);
        if ((v < net->endpoints) != ((roles & BOUGH_ENDPOINT) != 0))
            return BROKEN("node %" PRIu64 ": endpoints must come first", v);
        if ((net->gives & BOUGH_GIVES_CHANNELS) &&
            (o->node_level(net, v) == 0) != ((roles & BOUGH_ENDPOINT) != 0))
            return BROKEN("node %" PRIu64 ": in a tree level 0 is the endpoints and nothing else", v);
        if (o->node_level(net, v) > net->levels)
            return BROKEN("node %" PRIu64 " lies above the highest level", v);
    }
    if (groups != net->groups || links != net->links)
        return BROKEN("nodes have %" PRIu64 " groups and %" PRIu64 " links, the network %" PRIu64
                      " and %" PRIu64,
                      groups, links, net->groups, net->links);
    return BOUGH_OK;
}

static int by_port(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bough_status check_input_ports(const bough_net *net, bough_error *error) {
    uint64_t *key;
    bough_status status = bough_alloc(&key, net->links, sizeof *key, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) {
        bough_link_end end = net->ops->link_end(net, l);
        key[l] = end.node << 20 | end.port;
    }
    qsort(key, net->links, sizeof *key, by_port);
    for (uint64_t l = 1; l < net->links && !status; l++)
        if (key[l] == key[l - 1])
            status =
                BROKEN("two links enter port %" PRIu64 " of node %" PRIu64, key[l] & 0xfffff, key[l] >> 20);
    free(key);
    return status;
}

/* step says at one go what it would take three questions to learn. */
static bough_status check_step(const bough_net *net, uint64_t link, uint64_t address, bough_error *error) {
    bough_step step;
    bough_link_end end = net->ops->link_end(net, link);
    net->ops->step(net, link, address, &step);
    bool same = step.node == end.node && step.port == end.port;
    if (same && end.node != bough_address_node(net, address)) {
        bough_route route;
        net->ops->route(net, end.node, address, &route);
        bough_range links = net->ops->group_links(net, route.group);
        same = step.route.group == route.group && step.route.first == route.first &&
               step.route.count == route.count && step.route.list == route.list &&
               step.first == links.first && step.size == links.count;
    }
    return same ? BOUGH_OK
                : BROKEN("the step along link %" PRIu64 " to address %" PRIu64 " is another than its parts",
                         link, address);
}

/* One pair's routes. */
typedef struct follower {
    const bough_net *net;
    uint64_t source, address, budget; /* links to follow at most */
    bool arrives;                     /* by some route */
    bough_error *error;
} follower;

static bool in_range(bough_range r, uint64_t i) {
    return i >= r.first && i - r.first < r.count;
}

/* Whether a range of addresses lies in the subtree of one of them, and whether it is all of it. */
static bool is_inside(const bough_net *net, bough_range r, unsigned level, uint64_t address, bool *whole) {
    uint64_t s = net->ops->subtree(net, level, address), last = r.first + r.count - 1;
    *whole = (r.first == 0 || net->ops->subtree(net, level, r.first - 1) != s) &&
             (last + 1 == net->addresses || net->ops->subtree(net, level, last + 1) != s);
    return net->ops->subtree(net, level, r.first) == s && net->ops->subtree(net, level, last) == s;
}

/* entered: bits of the levels whose subtree, the address's, the route has come into by a group of its own. */
static bough_status check_scope(const follower *f, uint64_t group, uint64_t *entered) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    bough_scope s = net->ops->group_scope(net, group);
    if (!in_range(s.within, f->address) || in_range(s.without, f->address))
        return BROKEN("address %" PRIu64 " is not in the scope of group %" PRIu64, f->address, group);
    if (s.without.count || !(net->gives & BOUGH_GIVES_CHANNELS)) return BOUGH_OK;
    for (unsigned l = 0; l <= net->levels && l < 64; l++) {
        bool whole, inside = is_inside(net, s.within, l, f->address, &whole);
        if (!inside || net->ops->subtree(net, l, f->source) == net->ops->subtree(net, l, f->address))
            continue;
        if (whole) *entered |= UINT64_C(1) << l;
        if (!(*entered >> l & 1))
            return BROKEN("group %" PRIu64 " is the first in the subtree of address %" PRIu64
                          " at level %u, and has not all of it",
                          group, f->address, l);
    }
    return BOUGH_OK;
}

static bough_status check_group(const follower *f, uint64_t node, const bough_route *route, int64_t *rank,
                                uint64_t *entered) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    if (net->ops->group_node(net, route->group) != node)
        return BROKEN("node %" PRIu64 " routes into group %" PRIu64 " of another node", node, route->group);
    if (net->gives & BOUGH_GIVES_RANKS) {
        int64_t next = net->ops->group_rank(net, route->group);
        if (next <= *rank)
            return BROKEN("rank does not ascend at node %" PRIu64 " towards %" PRIu64, node, f->address);
        *rank = next;
    }
    if ((net->gives & BOUGH_GIVES_MODK) &&
        net->ops->modk(net, route->group, f->address) >= net->ops->group_links(net, route->group).count)
        return BROKEN("the D-mod-K digit of group %" PRIu64 " is out of range", route->group);
    return net->ops->group_scope ? check_scope(f, route->group, entered) : BOUGH_OK;
}

static bough_status check_link(const follower *f, const bough_route *route, uint32_t i) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    uint64_t link = bough_route_link(route, i);
    if (link >= net->links || net->ops->link_group(net, link) != route->group)
        return BROKEN("eligible link %" PRIu64 " is not of group %" PRIu64, link, route->group);
    if (!bough_link_alive(net, link)) return BROKEN("eligible link %" PRIu64 " is dead", link);
    if (i && bough_route_link(route, i - 1) >= link) return BROKEN("link %" PRIu64 " does not ascend", link);
    return net->ops->step ? check_step(net, link, f->address, error) : BOUGH_OK;
}

/* Follows every eligible link from node, depth first; paths of the networks here are short. */
static bough_status check_route(follower *f, uint64_t node, unsigned left, int64_t rank, uint64_t entered) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    if (node == bough_address_node(net, f->address)) {
        f->arrives = true;
        return BOUGH_OK;
    }
    if (left == 0)
        return BROKEN("the route to address %" PRIu64 " is longer than %u links", f->address,
                      net->hops_max ? net->hops_max : HOPS_UNKNOWN);
    bough_route route;
    net->ops->route(net, node, f->address, &route);
    if (route.count == 0 && net->faults && !net->dead_ends && node != f->source)
        return BROKEN("the route from %" PRIu64 " to address %" PRIu64 " breaks off at node %" PRIu64,
                      f->source, f->address, node);
    if (route.count == 0) return BOUGH_OK; /* unreachable is a finding of `check`, not a broken network */
    bough_status status = check_group(f, node, &route, &rank, &entered);
    for (uint32_t i = 0; i < route.count && f->budget && !status; i++) {
        uint64_t link = bough_route_link(&route, i);
        f->budget--;
        status = check_link(f, &route, i);
        if (!status && !bough_link_lost(net, link))
            status = check_route(f, net->ops->link_end(net, link).node, left - 1, rank, entered);
    }
    return status;
}

static bough_status check_pair(const bough_net *net, uint64_t source, uint64_t address, bough_error *error) {
    follower f = {net, source, address, 4096, false, error};
    bough_status status = check_route(&f, source, net->hops_max ? net->hops_max : HOPS_UNKNOWN, -1, 0);
    if (status || !net->ops->reaches || source == bough_address_node(net, address)) return status;
    bool reaches = net->ops->reaches(net, source, address);
    if (reaches == f.arrives || (reaches && !f.budget)) return BOUGH_OK;
    return BROKEN("a head from %" PRIu64 " %s address %" PRIu64 ", and reaches() says otherwise", source,
                  f.arrives ? "comes to" : "does not come to", address);
}

bough_status bough_net_check(const bough_net *net, uint64_t pair_limit, bough_error *error) {
    bough_status status = check_links(net, error);
    if (!status) status = check_groups(net, error);
    if (!status) status = check_input_ports(net, error);
    if (status || !(net->gives & BOUGH_GIVES_ROUTES)) return status;
    uint64_t pairs = bough_mul(net->endpoints, net->addresses), step = 1;
    bool all = pairs <= pair_limit;
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    uint64_t count = all ? pairs : pair_limit;
    for (uint64_t i = 0; i < count && !status; i += step) {
        uint64_t pair = all ? i : bough_stream_below(&stream, pairs);
        status = check_pair(net, pair / net->addresses, pair % net->addresses, error);
    }
    return status;
}
