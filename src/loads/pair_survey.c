#include "loads/pair_survey.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "loads/route_search.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST UINT16_MAX

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
    return r->net->faults && bough_next_link(r, flow->source, flow) == BOUGH_NONE;
}

/* The node where an oblivious path ends. */
static uint64_t follow(const bough_routing *r, const bough_flow *flow, int limit) {
    uint64_t at = flow->source, link;
    for (int i = 0; i < limit && at != bough_address_node(r->net, flow->address); i++) {
        if ((link = bough_next_link(r, at, flow)) == BOUGH_NONE) break;
        at = r->net->ops->link_end(r->net, link).node;
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

/* One address: the longest path from each node to it, node by node. */
typedef struct survey {
    route_search search;
    uint16_t *longest; /* [nodes]: 1 + links of the longest path; 0: not known */
} survey;

static bough_status descend(survey *s, uint64_t source, uint64_t address, bough_error *error) {
    route_search *search = &s->search;
    const bough_net *net = search->routing->net;
    const bough_flow flow = {source, address, 0};
    uint64_t i = search->count;
    s->longest[source] = 1;
    if (may_be_silent(search->routing, &flow)) return BOUGH_OK;
    route_search_from(search, source);
    if (search->trouble != BOUGH_NONE)
        return wrong_pair(net, &flow, search->trouble, search->trouble_is_loop ? "a loop" : "no route",
                          error);
    for (; i < search->count; i++) {
        const uint64_t at = search->order[i];
        uint16_t best = 0;
        for (uint32_t k = 0; k < search->route[at].count; k++) {
            const uint64_t link = bough_route_link(&search->route[at], k);
            const uint16_t links = s->longest[net->ops->link_end(net, link).node];
            if (links > best) best = links;
        }
        s->longest[at] = best < LONGEST ? best + 1 : LONGEST;
    }
    return BOUGH_OK;
}

static bough_status walk_nodes(const bough_routing *r, asked some, unsigned *longest, bough_error *error) {
    const bough_net *net = r->net;
    survey s = {.longest = NULL};
    bough_status status = route_search_make(&s.search, r, error);
    TRY(bough_alloc(&s.longest, net->nodes, sizeof *s.longest, error));
    for (uint64_t a = 0; a < net->addresses && !status; a++) {
        route_search_start(&s.search, a);
        memset(s.longest, 0, net->nodes * sizeof *s.longest);
        s.longest[s.search.target] = 1;
        for (uint64_t e = 0; e < net->endpoints && !status; e++) {
            if (!is_asked(&some, e, a)) continue;
            if (!s.longest[e]) status = descend(&s, e, a, error);
            if (!status && s.longest[e] - 1u > *longest) *longest = s.longest[e] - 1u;
        }
    }
    route_search_fini(&s.search);
    free(s.longest);
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
