/* All flows of a pattern on a network. The route from a node depends on the destination only, unless the
 * routing declares otherwise. So all flows of one destination form one flood over an acyclic graph: its nodes
 * are found from the sources (loads/route_search.h), then processed from the sources to the destination, so
 * that every link is visited once with its total load. A routing kind of its own may depend on the source;
 * then every pair is such a flood. */
#include "base/status/try.h"
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"
#include "loads/route_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

/* The pattern's pairs, by destination. */
typedef struct senders {
    uint64_t *first; /* per destination */
    uint32_t *source;
    double *share;
    uint64_t pairs;
    uint32_t visiting; /* the source whose destinations are being added, and its rate, of the mean */
    double rate;
} senders;

typedef struct flood {
    const bough_routing *routing;
    queueing_net *q;
    bool by_pair; /* routes depend on the source */
    bool blind;   /* a message waits for the single link that it has drawn */
    bough_flow flow;
    route_search search;
    /* per node */
    double *enters;
    uint32_t *in; /* first incoming link with traffic */
    /* per link */
    uint32_t *next_in;
    double *carries;
    uint32_t *first_queue; /* per group, linked by queueing_queue.next */
    uint32_t *slot;        /* turns by (link, queue): 1 + index */
    uint32_t *turn_from;
    uint64_t slots;
    size_t from_capacity;
} flood;

/* ---- the pattern, by destination ---- */

static void count_pair(void *context, uint32_t destination, double probability) {
    senders *s = context;
    (void)probability;
    s->first[destination + 2]++;
    s->pairs++;
}

static void put_pair(void *context, uint32_t destination, double probability) {
    senders *s = context;
    uint64_t i = s->first[destination + 1]++;
    s->source[i] = s->visiting;
    s->share[i] = probability * s->rate;
}

static bough_status sort_pattern(const bough_traffic *pattern, const void *state, senders *s,
                                 bough_error *error) {
    const bough_pattern *p = pattern->kind->pattern;
    uint32_t n = (uint32_t)pattern->net->endpoints;
    bough_status status = bough_alloc(&s->first, (uint64_t)n + 2, sizeof *s->first, error);
    if (status) return status;
    for (uint32_t e = 0; e < n; e++) p->visit(pattern, state, e, count_pair, s);
    for (uint32_t e = 0; e < n; e++) s->first[e + 2] += s->first[e + 1];
    status = bough_memory_check(bough_mul(s->pairs, 12), "the pattern of queueing", error);
    TRY(bough_alloc(&s->source, s->pairs, sizeof *s->source, error));
    TRY(bough_alloc(&s->share, s->pairs, sizeof *s->share, error));
    for (uint32_t e = 0; e < n && !status; e++) {
        s->visiting = e;
        s->rate = bough_pattern_rate(pattern, e);
        p->visit(pattern, state, e, put_pair, s);
    }
    return status;
}

/* ---- queues and turns ---- */

static bool serves(const queueing_net *q, const queueing_queue *queue, const bough_route *route) {
    if (queue->servers != route->count) return false;
    for (uint32_t i = 0; i < route->count; i++)
        if (q->member[queue->first + i] != bough_route_link(route, i)) return false;
    return true;
}

/* Finds or creates the queue of the links of a route. */
static bough_status find_queue(flood *f, const bough_route *route, uint32_t *found, bough_error *error) {
    queueing_net *q = f->q;
    for (uint32_t i = f->first_queue[route->group]; i != NOTHING; i = q->queue[i].next)
        if (serves(q, &q->queue[i], route)) {
            *found = i;
            return BOUGH_OK;
        }
    bough_status status = bough_grow(&q->queue, &q->queue_capacity, q->queues + 1, sizeof *q->queue, error);
    if (!status)
        status =
            bough_grow(&q->member, &q->member_capacity, q->members + route->count, sizeof *q->member, error);
    if (status) return status;
    q->queue[q->queues] = (queueing_queue){.copies = 1,
                                           .servers = route->count,
                                           .first = (uint32_t)q->members,
                                           .members = route->count,
                                           .next = f->first_queue[route->group]};
    for (uint32_t i = 0; i < route->count; i++)
        q->member[q->members++] = (uint32_t)bough_route_link(route, i);
    *found = f->first_queue[route->group] = (uint32_t)q->queues++;
    return BOUGH_OK;
}

static uint32_t *find_slot(const flood *f, uint32_t link, uint32_t queue) {
    uint64_t hash = ((uint64_t)link << 32 | queue) * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t i = (hash ^ hash >> 32) & (f->slots - 1);
    while (f->slot[i] && (f->turn_from[f->slot[i] - 1] != link || f->q->turn[f->slot[i] - 1].queue != queue))
        i = (i + 1) & (f->slots - 1);
    return &f->slot[i];
}

static bough_status grow_slots(flood *f, bough_error *error) {
    uint64_t slots = f->slots ? 2 * f->slots : 1024;
    uint32_t *slot;
    bough_status status = bough_alloc(&slot, slots, sizeof *slot, error);
    if (status) return status;
    free(f->slot);
    f->slot = slot;
    f->slots = slots;
    for (uint64_t t = 0; t < f->q->turns; t++)
        *find_slot(f, f->turn_from[t], f->q->turn[t].queue) = (uint32_t)t + 1;
    return BOUGH_OK;
}

static bough_status add_turn(flood *f, uint32_t link, uint32_t queue, double rate, bough_error *error) {
    queueing_net *q = f->q;
    bough_status status = 2 * (q->turns + 1) > f->slots ? grow_slots(f, error) : BOUGH_OK;
    if (status) return status;
    uint32_t *slot = find_slot(f, link, queue);
    if (!*slot) {
        status = bough_grow(&q->turn, &q->turn_capacity, q->turns + 1, sizeof *q->turn, error);
        TRY(bough_grow(&f->turn_from, &f->from_capacity, q->turns + 1, sizeof *f->turn_from, error));
        if (status) return status;
        f->turn_from[q->turns] = link;
        q->turn[q->turns++] = (queueing_turn){.queue = queue, .copies = 1};
        *slot = (uint32_t)q->turns;
    }
    q->turn[*slot - 1].rate += rate;
    return BOUGH_OK;
}

/* The traffic at a node joins one queue. */
static bough_status join(flood *f, uint64_t node, const bough_route *route, double share,
                         bough_error *error) {
    uint32_t queue;
    bough_status status = find_queue(f, route, &queue, error);
    if (status) return status;
    f->q->queue[queue].enters += share * f->enters[node];
    for (uint32_t l = f->in[node]; l != NOTHING && !status; l = f->next_in[l])
        status = add_turn(f, l, queue, share * f->carries[l], error);
    return status;
}

/* ---- one flood ---- */

/* Why the search of a source failed. */
static bough_status no_way(const flood *f, bough_error *error) {
    const bough_net *net = f->routing->net;
    const route_search *s = &f->search;
    const uint64_t node = s->trouble_is_loop ? s->loop : s->trouble;
    const bool adapter = node != f->flow.source && !bough_is_switch(net, node);
    char from[128], to[128], at[128];
    return bough_fail(error, BOUGH_INVALID, NULL, "no route from %s to %s under %s: %s %s%s",
                      bough_node_name(net, f->flow.source, from, sizeof from),
                      bough_node_name(net, s->target, to, sizeof to), f->routing->spec,
                      bough_node_name(net, node, at, sizeof at),
                      s->trouble_is_loop ? "occurs twice on the path: a loop"
                      : adapter          ? "is a wrong adapter"
                                         : "has no route",
                      net->dead_ends ? "; mode=rerouted avoids dead ends" : "");
}

static bough_status leave_node(flood *f, uint64_t node, bough_error *error) {
    const bough_route *route = &f->search.route[node];
    const bough_net *net = f->routing->net;
    double total = f->enters[node];
    for (uint32_t l = f->in[node]; l != NOTHING; l = f->next_in[l]) total += f->carries[l];
    bough_status status = f->blind ? BOUGH_OK : join(f, node, route, 1, error);
    for (uint32_t i = 0; i < route->count && !status; i++) {
        uint32_t link = (uint32_t)bough_route_link(route, i);
        uint64_t next = net->ops->link_end(net, link).node;
        bough_route alone = {.group = route->group, .first = link, .count = 1};
        if (f->blind) status = join(f, node, &alone, 1.0 / route->count, error);
        f->carries[link] = total / route->count;
        f->q->channel[link].rate += f->carries[link];
        f->next_in[link] = f->in[next];
        f->in[next] = link;
    }
    return status;
}

/* Processes the nodes of the search, and resets them. */
static bough_status run_through(flood *f, bough_error *error) {
    uint32_t *last = &f->in[f->search.target];
    bough_status status = BOUGH_OK;
    for (uint64_t k = f->search.count; k-- > 0;) {
        const uint32_t node = f->search.order[k];
        TRY(leave_node(f, node, error));
        f->enters[node] = 0;
        f->in[node] = NOTHING;
    }
    for (; *last != NOTHING; *last = f->next_in[*last]) f->q->channel[*last].ends += f->carries[*last];
    return status;
}

/* Faults may leave a source without a route; then it sends nothing to this destination. */
static bool is_silent(const flood *f) {
    return f->routing->net->faults && bough_next_link(f->routing, f->flow.source, &f->flow) == BOUGH_NONE;
}

static bough_status flood_to(flood *f, const senders *s, uint32_t destination, bough_error *error) {
    bough_status status = BOUGH_OK;
    f->flow.address = bough_endpoint_address(f->routing->net, destination);
    route_search_start(&f->search, f->flow.address);
    for (uint64_t i = s->first[destination]; i < s->first[destination + 1] && !status; i++) {
        if (!(s->share[i] > 0)) continue;
        f->flow.source = s->source[i];
        if (is_silent(f)) {
            f->q->unrouted += s->share[i];
            continue;
        }
        route_search_from(&f->search, s->source[i]);
        if (f->search.trouble != BOUGH_NONE) return no_way(f, error);
        f->enters[s->source[i]] = s->share[i];
        if (!f->by_pair) continue;
        status = run_through(f, error);
        route_search_start(&f->search, f->flow.address);
    }
    return status ? status : run_through(f, error);
}

/* ---- all floods ---- */

static bough_status make_flood(flood *f, bough_error *error) {
    const bough_net *net = f->routing->net;
    queueing_net *q = f->q;
    const bough_array want[] = {
        {&f->enters, net->nodes, sizeof *f->enters},
        {&f->in, net->nodes, 4},
        {&f->next_in, net->links, 4},
        {&f->carries, net->links, sizeof *f->carries},
        {&f->first_queue, net->groups, 4},
        {&q->channel, net->links, sizeof *q->channel},
    };
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    TRY(route_search_make(&f->search, f->routing, error));
    if (status) return status;
    for (uint64_t v = 0; v < net->nodes; v++) f->in[v] = NOTHING;
    for (uint64_t g = 0; g < net->groups; g++) f->first_queue[g] = NOTHING;
    q->channels = net->links;
    for (uint64_t l = 0; l < net->links; l++)
        q->channel[l] = (queueing_channel){.links = 1,
                                           .link = l,
                                           .level = (uint16_t)bough_link_level(net, l),
                                           .direction = (int8_t)bough_link_direction(net, l)};
    return BOUGH_OK;
}

static void free_flood(flood *f) {
    route_search_fini(&f->search);
    FREE_ALL(f->enters, f->in, f->next_in, f->carries, f->first_queue, f->slot, f->turn_from);
}

/* Makes the turns of a channel contiguous. */
static bough_status sort_turns(flood *f, bough_error *error) {
    queueing_net *q = f->q;
    queueing_turn *sorted;
    bough_status status = bough_alloc(&sorted, q->turns, sizeof *sorted, error);
    if (status) return status;
    for (uint64_t t = 0; t < q->turns; t++) q->channel[f->turn_from[t]].turns++;
    uint32_t first = 0;
    for (uint64_t c = 0; c < q->channels; c++) {
        q->channel[c].first = first;
        first += q->channel[c].turns;
        q->channel[c].turns = 0;
    }
    for (uint64_t t = 0; t < q->turns; t++) {
        queueing_channel *from = &q->channel[f->turn_from[t]];
        sorted[from->first + from->turns++] = q->turn[t];
    }
    free(q->turn);
    q->turn = sorted;
    return BOUGH_OK;
}

/* At most one turn from every input of a node into every queue of it: a group, or a link of one. */
static queueing_counts count_flows(const bough_point *point) {
    const bough_net *net = point->net;
    bool single = point->routing->kind->oblivious || point->routing->kind->blind;
    queueing_counts c = {.channels = net->links, .queues = single ? net->links : net->groups};
    for (uint64_t node = 0; node < net->nodes; node++) {
        uint64_t links = 0, groups = net->ops->node_group_count(net, node);
        for (uint32_t i = 0; i < groups; i++)
            links += net->ops->group_links(net, net->ops->node_group(net, node, i)).count;
        c.turns = bough_add(c.turns, bough_mul(links, single ? links : groups));
        if (links > c.most) c.most = links;
    }
    return c;
}

uint64_t queueing_flows_bytes(const bough_point *point, queueing_variant variant) {
    const bough_net *net = point->net;
    const uint64_t node = 25 + sizeof(bough_route), turn = sizeof(queueing_turn) + 5 * 4;
    uint64_t build = bough_add(bough_mul(net->links, 12), bough_mul(net->nodes, node));
    if (build > bough_memory_limit()) return build;
    queueing_counts c = count_flows(point);
    build = bough_add(bough_add(build, bough_mul(net->groups, 4)), bough_mul(c.turns, turn));
    uint64_t pairs = bough_mul(net->endpoints, net->endpoints - 1);
    if (!point->traffic->law->pattern->kind->pattern->uniform) pairs = net->endpoints; /* lower bound */
    build = bough_add(build, bough_mul(pairs, 12));
    uint64_t state = queueing_state_bytes(&c, variant);
    return bough_add(queueing_net_bytes(&c), state > build ? state : build);
}

bough_status queueing_flows_build(const bough_run *run, const void *state, queueing_net *q,
                                  bough_error *error) {
    const bough_point *p = &run->point;
    const bough_routing_kind *kind = p->routing->kind;
    senders s = {0};
    flood f = {.routing = p->routing, .q = q, .blind = kind->blind, .by_pair = kind->route};
    bough_status status = sort_pattern(p->traffic->law->pattern, state, &s, error);
    TRY(make_flood(&f, error));
    for (uint32_t d = 0; d < p->net->endpoints && !status; d++) {
        if (bough_run_stopped(run)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        TRY(flood_to(&f, &s, d, error));
    }
    TRY(sort_turns(&f, error));
    free_flood(&f);
    FREE_ALL(s.first, s.source, s.share);
    return status;
}
