#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/routing.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 0, OPEN = UINT16_MAX, LONGEST = UINT16_MAX - 1 };

static bough_status wrong_pair(const bough_net *net, const bough_flow *pair, uint64_t at, const char *what,
                               bough_error *error) {
    char from[96], to[96], where[96];
    return bough_fail(error, BOUGH_INVALID, NULL, "%s from %s to %s (at %s)%s", what,
                      bough_node_name(net, pair->source, from, sizeof from),
                      bough_node_name(net, bough_address_node(net, pair->address), to, sizeof to),
                      bough_node_name(net, at, where, sizeof where),
                      net->dead_ends ? "; with mode=rerouted faults leave no dead ends" : "");
}

/* With faults a source may have no route; it then sends nothing there. */
static bool may_be_silent(const bough_routing *r, const bough_flow *flow) {
    bough_route route;
    if (!r->net->faults) return false;
    bough_route_at(r, flow->source, flow, &route);
    return route.count == 0;
}

/* The node where an oblivious path ends. */
static uint64_t follow(const bough_routing *r, const bough_flow *flow, int limit) {
    uint64_t at = flow->source;
    bough_route route;
    for (int i = 0; i < limit && at != bough_address_node(r->net, flow->address); i++) {
        bough_route_at(r, at, flow, &route);
        if (route.count == 0) break;
        at = r->net->ops->link_end(r->net, bough_route_link(&route, 0)).node;
    }
    return at;
}

/* The requested pairs in order; pair is NULL for all pairs. */
typedef struct asked {
    const uint64_t *pair, *end;
} asked;

/* Returns whether a pair is requested. Calls must be in ascending order of pairs. */
static bool is_asked(asked *a, uint64_t source, uint64_t address) {
    uint64_t pair = address << 32 | source;
    if (!a->pair) return true;
    while (a->pair < a->end && *a->pair < pair) a->pair++;
    return a->pair < a->end && *a->pair == pair;
}

static bough_status walk_pairs(const bough_routing *r, asked some, unsigned *longest, bough_error *error) {
    const bough_net *net = r->net;
    int limit = net->nodes < 1024 ? (int)net->nodes : 1024;
    uint64_t *path;
    bough_status status = bough_alloc(&path, (uint64_t)limit + 1, sizeof *path, error);
    if (status) return status;
    for (uint64_t a = 0; a < net->addresses && !status; a++)
        for (uint64_t s = 0; s < net->endpoints && !status; s++) {
            bough_flow flow = {s, a, 0};
            if (bough_address_node(net, a) == s || !is_asked(&some, s, a)) continue;
            int hops = bough_path(r, &flow, path, limit);
            if (hops == 0 && may_be_silent(r, &flow)) continue;
            if (hops <= 0)
                status = wrong_pair(net, &flow, follow(r, &flow, limit), hops ? "a loop" : "no route", error);
            else if ((unsigned)hops > *longest)
                *longest = (unsigned)hops;
        }
    free(path);
    return status;
}

/* One address: the longest path from each node to it, by depth-first search along the routes with a stack. */
typedef struct survey {
    const bough_routing *r;
    uint16_t *longest; /* per node: 1 + links of the longest path; UNKNOWN; OPEN: on the stack */
    uint32_t *stack, *next;
} survey;

static bough_status descend(survey *s, uint64_t source, uint64_t address, bough_error *error) {
    const bough_net *net = s->r->net;
    bough_flow flow = {source, address, 0};
    uint64_t depth = 0;
    if (may_be_silent(s->r, &flow)) {
        s->longest[source] = 1;
        return BOUGH_OK;
    }
    s->stack[depth] = (uint32_t)source, s->next[depth++] = 0;
    s->longest[source] = OPEN;
    uint16_t best;
    while (depth) {
        uint64_t at = s->stack[depth - 1];
        bough_route route;
        bough_route_at(s->r, at, &flow, &route);
        if (route.count == 0) return wrong_pair(net, &flow, at, "no route", error);
        uint32_t i = s->next[depth - 1];
        for (; i < route.count; i++) {
            uint64_t to = net->ops->link_end(net, bough_route_link(&route, i)).node;
            if (s->longest[to] == OPEN) return wrong_pair(net, &flow, at, "a loop", error);
            if (s->longest[to] != UNKNOWN) continue;
            s->next[depth - 1] = i;
            s->stack[depth] = (uint32_t)to, s->next[depth++] = 0;
            s->longest[to] = OPEN;
            break;
        }
        if (i < route.count) continue;
        best = 0;
        for (i = 0; i < route.count; i++) {
            uint16_t links = s->longest[net->ops->link_end(net, bough_route_link(&route, i)).node];
            if (links > best) best = links;
        }
        s->longest[at] = best < LONGEST ? best + 1 : LONGEST;
        depth--;
    }
    return BOUGH_OK;
}

static bough_status walk_nodes(const bough_routing *r, asked some, unsigned *longest, bough_error *error) {
    const bough_net *net = r->net;
    survey s = {.r = r};
    bough_status status = bough_alloc(&s.longest, net->nodes, sizeof *s.longest, error);
    TRY(bough_alloc(&s.stack, net->nodes, sizeof *s.stack, error));
    TRY(bough_alloc(&s.next, net->nodes, sizeof *s.next, error));
    for (uint64_t a = 0; a < net->addresses && !status; a++) {
        memset(s.longest, 0, net->nodes * sizeof *s.longest);
        s.longest[bough_address_node(net, a)] = 1;
        for (uint64_t e = 0; e < net->endpoints && !status; e++) {
            if (!is_asked(&some, e, a)) continue;
            if (s.longest[e] == UNKNOWN) status = descend(&s, e, a, error);
            if (!status && s.longest[e] - 1u > *longest) *longest = s.longest[e] - 1u;
        }
    }
    FREE_ALL(s.longest, s.stack, s.next);
    return status;
}

static bough_status walk(const bough_routing *r, asked some, unsigned *longest, bough_error *error) {
    const bough_net *net = r->net;
    *longest = net->hops_max;
    if (net->lost)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s: messages over dead links would be lost; use mode=masked or mode=rerouted",
                          net->spec);
    if (net->hops_max && !net->dead_ends && !net->fabric && (bough_routing_ordered(r) || r->kind->minimal))
        return BOUGH_OK;
    *longest = 0;
    bool by_source = r->kind->oblivious && !r->kind->by_address;
    return by_source ? walk_pairs(r, some, longest, error) : walk_nodes(r, some, longest, error);
}

bough_status bough_routing_survey(const bough_routing *r, unsigned *longest, bough_error *error) {
    return walk(r, (asked){NULL, NULL}, longest, error);
}

bough_status bough_routing_survey_pairs(const bough_routing *r, const uint64_t *pair, size_t count,
                                        unsigned *longest, bough_error *error) {
    static const uint64_t none;
    return walk(r, count ? (asked){pair, pair + count} : (asked){&none, &none}, longest, error);
}
