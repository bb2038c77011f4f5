/* bough_net_check: invariants of all networks. */
#include "base/compare.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "network/net.h"

#include "base/memory/memory.h"
#include "base/random/random.h"
#include "network/group_coverage.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOPS_UNKNOWN 256u /* limit if the longest route is unknown */
#define BUDGET       4096 /* links that are followed for a pair, at most */

/* The work, in links that are looked at. */
typedef struct check_work {
    const bough_net_check_options *options;
    double done, all;
} check_work;

/* After each link; now and then it is told, and may be stopped. */
static bough_status advance(check_work *w, double links, const char *what, bough_error *error) {
    enum { GRAIN = 1 << 16 };
    const double before = floor(w->done / GRAIN);
    w->done += links;
    if (floor(w->done / GRAIN) == before) return BOUGH_OK;
    if (w->options->progress)
        w->options->progress(w->options->context, w->done < w->all ? w->done / w->all : 1, what);
    return stop_check(w->options->stop, error);
}

#define BROKEN(...) bough_fail(error, BOUGH_FAILED, net->spec ? net->spec : "network", __VA_ARGS__)

static bough_status check_links(const bough_net *net, check_work *work, bough_error *error) {
    const bough_net_ops *o = net->ops;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t g = o->link_group(net, l);
        bough_status status = advance(work, 1, "links", error);
        if (status) return status;
        if (g >= net->groups)
            return BROKEN("link %" PRIu64 " is in group %" PRIu64 " of %" PRIu64, l, g, net->groups);
        bough_range r = o->group_links(net, g);
        if (l < r.first || l >= r.first + r.count)
            return BROKEN("link %" PRIu64 " is not in its group %" PRIu64, l, g);
        bough_link_end end = o->link_end(net, l);
        if (end.node >= net->nodes) return BROKEN("link %" PRIu64 " ends at node %" PRIu64, l, end.node);
        uint64_t twin = o->link_twin ? o->link_twin(net, l) : BOUGH_NONE;
        if (twin == BOUGH_NONE) continue;
        if (twin >= net->links || twin == l || o->link_twin(net, twin) != l)
            return BROKEN("link %" PRIu64 " and its twin %" PRIu64 " do not refer to each other", l, twin);
        if (bough_link_start(net, twin) != end.node ||
            o->link_end(net, twin).node != bough_link_start(net, l))
            return BROKEN("link %" PRIu64 " and its twin %" PRIu64 " do not join the same nodes", l, twin);
        if (o->link_port && o->link_port(net, twin) != end.port)
            return BROKEN("link %" PRIu64 " enters port %u, its twin leaves port %u", l, end.port,
                          o->link_port(net, twin));
    }
    return BOUGH_OK;
}

static bough_status check_node_group(const bough_net *net, uint64_t v, uint64_t g, bough_error *error) {
    const bough_net_ops *o = net->ops;
    if (g >= net->groups || o->group_node(net, g) != v)
        return BROKEN("node %" PRIu64 " and its group %" PRIu64 " disagree", v, g);
    bough_range r = o->group_links(net, g);
    if (r.count == 0 || r.count > net->group_max || r.first + r.count > net->links)
        return BROKEN("group %" PRIu64 " has %" PRIu64 " links", g, r.count);
    for (uint64_t l = r.first; l < r.first + r.count; l++)
        if (o->link_group(net, l) != g) return BROKEN("link %" PRIu64 " is not in group %" PRIu64, l, g);
    return BOUGH_OK;
}

/* The groups of all nodes must partition groups and links. */
static bough_status check_groups(const bough_net *net, check_work *work, bough_error *error) {
    const bough_net_ops *o = net->ops;
    uint64_t groups = 0, links = 0;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t count = o->node_group_count(net, v);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t g = o->node_group(net, v, i);
            bough_status status = check_node_group(net, v, g, error);
            links += o->group_links(net, g).count;
            TRY(advance(work, (double)o->group_links(net, g).count, "groups", error));
            if (status) return status;
        }
        groups += count;
        unsigned roles = o->node_roles(net, v);
        if ((v < net->endpoints) != ((roles & BOUGH_ENDPOINT) != 0))
            return BROKEN("node %" PRIu64 ": endpoints must come first", v);
        if ((net->capabilities & BOUGH_HAS_CHANNELS) &&
            (o->node_level(net, v) == 0) != ((roles & BOUGH_ENDPOINT) != 0))
            return BROKEN("node %" PRIu64 ": in a tree the endpoints are exactly the nodes of level 0", v);
        if (o->node_level(net, v) > net->levels)
            return BROKEN("node %" PRIu64 " is above the highest level", v);
    }
    if (groups != net->groups || links != net->links)
        return BROKEN("nodes have %" PRIu64 " groups and %" PRIu64 " links, but the network has %" PRIu64
                      " and %" PRIu64,
                      groups, links, net->groups, net->links);
    return BOUGH_OK;
}

static bough_status check_input_ports(const bough_net *net, bough_error *error) {
    uint64_t *key;
    bough_status status = bough_alloc(&key, net->links, sizeof *key, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) {
        bough_link_end end = net->ops->link_end(net, l);
        key[l] = end.node << 20 | end.port;
    }
    qsort(key, net->links, sizeof *key, bough_compare_u64);
    for (uint64_t l = 1; l < net->links && !status; l++)
        if (key[l] == key[l - 1])
            status =
                BROKEN("two links enter port %" PRIu64 " of node %" PRIu64, key[l] & 0xfffff, key[l] >> 20);
    free(key);
    return status;
}

/* step() must agree with the three separate calls. */
static bough_status check_step(const bough_net *net, uint64_t link, uint64_t address, bough_error *error) {
    bough_step step;
    bough_link_end end = net->ops->link_end(net, link);
    memset(&step, 0xff, sizeof step); /* unset fields must not be right by chance */
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
                : BROKEN("step() along link %" PRIu64 " to address %" PRIu64
                         " differs from link_end, route and group_links",
                         link, address);
}

/* Routes end at endpoints, and messages that stopped at one continue from there: checks every link that ends
 * at an endpoint, with a random address. */
static bough_status check_steps_on(const bough_net *net, bough_stream *stream, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t l = 0; l < net->links && !status; l++)
        if (net->ops->link_end(net, l).node < net->endpoints)
            status = check_step(net, l, bough_stream_below(stream, net->addresses), error);
    return status;
}

/* The routes of one pair. */
typedef struct follower {
    const bough_net *net;
    uint64_t source, address, budget; /* maximum number of links to follow */
    uint64_t entries;                 /* entry groups that every route must pass */
    bool arrives;                     /* some route arrives */
    bough_error *error;
} follower;

/* The state of a route: order of its last group, number of entry groups passed. */
typedef struct progress {
    int64_t rank;
    uint64_t entries;
    bough_range last; /* addresses of the last entry group */
} progress;

static bough_status check_coverage(const follower *f, uint64_t group, progress *p) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    bough_group_coverage s = net->ops->group_coverage(net, group);
    if (!covers(&s.to, f->address))
        return BROKEN("address %" PRIu64 " is not in the range of group %" PRIu64, f->address, group);
    if (!covers(&s.from, f->source))
        return BROKEN("messages from %" PRIu64 " are not in the range of group %" PRIu64, f->source, group);
    if (!scope_is_entry(net, &s)) return BOUGH_OK;
    bough_range r = s.to.within;
    if (p->entries && (r.count > p->last.count || r.first < p->last.first ||
                       r.first + r.count > p->last.first + p->last.count))
        return BROKEN("group %" PRIu64 " is an entry group outside the ranges that the route to %" PRIu64
                      " has entered",
                      group, f->address);
    p->entries += !p->entries || r.count < p->last.count; /* consecutive switches may have the same range */
    p->last = r;
    return BOUGH_OK;
}

static bough_status check_group(const follower *f, uint64_t node, const bough_route *route, progress *p) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    if (net->ops->group_node(net, route->group) != node)
        return BROKEN("node %" PRIu64 " routes into group %" PRIu64 " of another node", node, route->group);
    if (net->capabilities & BOUGH_HAS_ORDER) {
        int64_t next = net->ops->group_order(net, route->group);
        if (next <= p->rank)
            return BROKEN("group order does not ascend at node %" PRIu64 " towards %" PRIu64, node,
                          f->address);
        p->rank = next;
    }
    if ((net->capabilities & BOUGH_HAS_MODK) &&
        net->ops->modk(net, route->group, f->address) >= net->ops->group_links(net, route->group).count)
        return BROKEN("the D-mod-K digit of group %" PRIu64 " is out of range", route->group);
    return net->ops->group_coverage ? check_coverage(f, route->group, p) : BOUGH_OK;
}

static bough_status check_link(const follower *f, const bough_route *route, uint32_t i) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    uint64_t link = bough_route_link(route, i);
    if (link >= net->links || net->ops->link_group(net, link) != route->group)
        return BROKEN("eligible link %" PRIu64 " is not in group %" PRIu64, link, route->group);
    if (!bough_link_alive(net, link)) return BROKEN("eligible link %" PRIu64 " is dead", link);
    if (i && bough_route_link(route, i - 1) >= link)
        return BROKEN("link %" PRIu64 " is not in ascending order", link);
    return net->ops->step ? check_step(net, link, f->address, error) : BOUGH_OK;
}

/* Follows every eligible link from node, depth first; paths are short. */
static bough_status check_route(follower *f, uint64_t node, unsigned left, progress p) {
    const bough_net *net = f->net;
    bough_error *error = f->error;
    if (node == bough_address_node(net, f->address)) {
        f->arrives = true;
        if (node == f->source || !net->ops->group_coverage || p.entries == f->entries) return BOUGH_OK;
        return BROKEN("the route from %" PRIu64 " to address %" PRIu64 " passes entry groups of %" PRIu64
                      " ranges of addresses, expected %" PRIu64,
                      f->source, f->address, p.entries, f->entries);
    }
    if (left == 0)
        return BROKEN("the route to address %" PRIu64 " is longer than %u links", f->address,
                      net->hops_max ? net->hops_max : HOPS_UNKNOWN);
    bough_route route;
    net->ops->route(net, node, f->address, &route);
    if (route.count == 0 && net->faults && !net->dead_ends && node != f->source)
        return BROKEN("the route from %" PRIu64 " to address %" PRIu64 " ends at node %" PRIu64, f->source,
                      f->address, node);
    if (route.count == 0) return BOUGH_OK; /* unreachable pairs are findings of `check`, not errors here */
    bough_status status = check_group(f, node, &route, &p);
    for (uint32_t i = 0; i < route.count && f->budget && !status; i++) {
        uint64_t link = bough_route_link(&route, i);
        f->budget--;
        status = check_link(f, &route, i);
        if (!status && !bough_link_lost(net, link))
            status = check_route(f, net->ops->link_end(net, link).node, left - 1, p);
    }
    return status;
}

static bough_status check_pair(const bough_net *net, const entry_ranges *ranges, uint64_t pair,
                               check_work *work, bough_error *error) {
    const uint64_t source = pair / net->addresses, address = pair % net->addresses;
    follower f = {net, source, address, BUDGET, entry_ranges_crossed(ranges, source, address), false, error};
    bough_status status =
        check_route(&f, source, net->hops_max ? net->hops_max : HOPS_UNKNOWN, (progress){.rank = -1});
    TRY(advance(work, (double)(BUDGET - f.budget), "routes", error));
    if (status || !net->ops->reaches || source == bough_address_node(net, address)) return status;
    bool reaches = net->ops->reaches(net, source, address);
    if (reaches == f.arrives || (reaches && !f.budget)) return BOUGH_OK;
    return BROKEN("a message from %" PRIu64 " %s address %" PRIu64 ", but reaches() differs", source,
                  f.arrives ? "arrives at" : "does not arrive at", address);
}

bough_status bough_net_check_with(const bough_net *net, const bough_net_check_options *options,
                                  bough_error *error) {
    const bool routes = net->capabilities & BOUGH_HAS_ROUTES;
    const uint64_t pairs = bough_mul(net->endpoints, net->addresses);
    const uint64_t count = pairs <= options->pairs ? pairs : options->pairs;
    const double links = 2.0 * (double)net->links;
    check_work work = {options, 0, links + (routes ? BUDGET * (double)count : 0)};
    bough_status status = check_links(net, &work, error);
    TRY(check_groups(net, &work, error));
    TRY(check_input_ports(net, error));
    if (status || !routes) return status;
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    entry_ranges ranges = {0};
    if (net->ops->group_coverage) status = entry_ranges_find(net, &ranges, error);
    for (uint64_t i = 0; i < count && !status; i++) {
        status =
            check_pair(net, &ranges, count == pairs ? i : bough_stream_below(&stream, pairs), &work, error);
        work.all = links + (work.done - links) / (double)(i + 1) * (double)count; /* as those so far */
    }
    entry_ranges_fini(&ranges);
    if (!status && net->ops->step) status = check_steps_on(net, &stream, error);
    return status;
}

bough_status bough_net_check(const bough_net *net, uint64_t pair_limit, bough_error *error) {
    return bough_net_check_with(net, &(bough_net_check_options){.pairs = pair_limit}, error);
}
