/* All routes of a pair at once, switch by switch: a state is a node that some route reaches after the same
 * number of links, with the clocks so far. */
#include "models/geometry/time_of_flight.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <string.h>

struct flight_state {
    uint64_t node, longest, shortest;
    double share, clocks, wires, switches; /* probability; clocks: their means, times the probability */
};

uint64_t flight_bytes(const bough_net *net, const link_clock_rules *rules) {
    return bough_add(link_clocks_bytes(net, rules), bough_mul(net->nodes, 4));
}

bough_status flight_make(const bough_net *net, const link_clock_rules *rules, flight *f, bough_error *error) {
    *f = (flight){.net = net};
    bough_status status = bough_alloc(&f->slot, net->nodes, sizeof *f->slot, error);
    TRY(link_clocks_make(net, rules, &f->clocks, error));
    if (status) flight_fini(f);
    return status;
}

void flight_fini(flight *f) {
    link_clocks_fini(&f->clocks);
    FREE_ALL(f->slot, f->now, f->next);
    *f = (flight){0};
}

/* Switches that a tree without crossovers has beyond the one before this link: a turn from level k of a unit
 * tree comes after k switches upwards, and a message that leaves a unit tree upwards has passed its levels.
 */
static unsigned skipped(const bough_net *net, uint64_t from, uint64_t to) {
    bough_place a, b;
    if (!net->packaging || !net->ops->node_place || !bough_is_switch(net, from) || !bough_is_switch(net, to))
        return 0;
    if (!net->ops->node_place(net, from, &a) || !net->ops->node_place(net, to, &b) || a.layer) return 0;
    if (a.stage == b.stage && a.stack == b.stack) return b.layer ? b.layer - 1 : 0;
    return b.stage > a.stage ? net->packaging->stage[a.stage].inside.layers - 2 : 0;
}

/* Adds what reaches a node over one link to the next states. */
static bough_status extend(flight *f, const flight_state *at, uint64_t link, double share,
                           bough_error *error) {
    uint64_t node = f->net->ops->link_end(f->net, link).node;
    link_time t = link_clocks_of(&f->clocks, link);
    unsigned switches = bough_is_switch(f->net, node) + (f->plain ? skipped(f->net, at->node, node) : 0);
    uint64_t more = (uint64_t)t.wire + t.turn + switches;
    uint32_t *slot = &f->slot[node];
    if (!*slot) {
        bough_status status = bough_grow(&f->next, &f->next_capacity, f->count + 1, sizeof *f->next, error);
        if (status) return status;
        f->next[f->count++] = (flight_state){.node = node, .shortest = UINT64_MAX};
        *slot = (uint32_t)f->count;
    }
    flight_state *s = &f->next[*slot - 1];
    if (at->longest + more > s->longest) s->longest = at->longest + more;
    if (at->shortest + more < s->shortest) s->shortest = at->shortest + more;
    s->share += at->share * share;
    s->clocks += share * (at->clocks + at->share * (double)more);
    s->wires += share * (at->wires + at->share * t.wire);
    s->switches += share * (at->switches + at->share * switches);
    return BOUGH_OK;
}

static bough_status no_route(const bough_net *net, uint64_t from, uint64_t to, bough_error *error) {
    char a[128], b[128];
    return bough_fail(error, BOUGH_FAILED, NULL, "no route from %s to %s",
                      bough_node_name(net, from, a, sizeof a), bough_node_name(net, to, b, sizeof b));
}

/* One link further on all routes. */
static bough_status advance(flight *f, size_t count, uint64_t address, bough_error *error) {
    bough_status status = BOUGH_OK;
    f->count = 0;
    for (size_t i = 0; i < count && !status; i++) {
        bough_route route = {0};
        f->net->ops->route(f->net, f->now[i].node, address, &route);
        /* with faults, a route may end on its way */
        if (!route.count && !f->net->faults) return no_route(f->net, f->now[i].node, address, error);
        for (uint32_t k = 0; k < route.count && !status; k++)
            status = extend(f, &f->now[i], bough_route_link(&route, k), 1.0 / route.count, error);
    }
    for (size_t i = 0; i < f->count; i++) f->slot[f->next[i].node] = 0;
    return status;
}

static void arrive(const flight_state *s, flight_clocks *c) {
    if (s->longest > c->longest) c->longest = s->longest;
    if (s->shortest < c->shortest) c->shortest = s->shortest;
    c->mean += s->clocks;
    c->wires += s->wires;
    c->switches += s->switches;
}

bough_status flight_measure(flight *f, uint64_t from, uint64_t to, flight_clocks *c, bough_error *error) {
    uint64_t address = bough_endpoint_address(f->net, to);
    size_t count = 1;
    double arrived = 0;
    bough_status status = bough_grow(&f->now, &f->now_capacity, 1, sizeof *f->now, error);
    if (status) return status;
    *c = (flight_clocks){.shortest = UINT64_MAX};
    f->now[0] = (flight_state){.node = from, .share = 1};
    for (unsigned hops = 0; count && hops <= f->net->hops_max && !status; hops++) {
        status = advance(f, count, address, error);
        TRY(bough_grow(&f->now, &f->now_capacity, f->count, sizeof *f->now, error));
        count = 0;
        for (size_t i = 0; i < f->count && !status; i++)
            if (f->next[i].node == to) {
                arrive(&f->next[i], c);
                arrived += f->next[i].share;
            } else
                f->now[count++] = f->next[i];
    }
    if (status) memset(f->slot, 0, f->net->nodes * sizeof *f->slot);
    if (!status && (count || arrived == 0)) status = no_route(f->net, from, to, error);
    c->mean /= arrived;
    c->wires /= arrived;
    c->switches /= arrived;
    return status;
}
