/* Connectivity of pairs, in two senses: whether the routing can deliver (by some choice of eligible links; if
 * it leaves no choice, by its path), and whether any path of live links through switches exists.
 *
 * A network with faults stores how many addresses an endpoint reaches, so under a routing that leaves all its
 * choices the exact result is cheap at any size. Otherwise it is computed address by address: for all of
 * them, or for a sample in each trial. A search ends at the first way that it finds, where
 * loads/route_search.h follows all. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "models/model_list.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_ANY, P_SAMPLE };

static const bough_param params[] = {
    [P_ANY] = {"any", "also report pairs connected by any path of live links, whatever the routing",
               BOUGH_FLAG, "0"},
    [P_SAMPLE] = {"sample",
                  "addresses to examine per trial; 0: all; default: all if that takes seconds, else 64",
                  BOUGH_INT, "", 0, 0x1p32},
    BOUGH_PARAMS_END,
};

enum { HOPS = 1024, SAMPLE = 64 };
#define SECONDS_WORTH (UINT64_C(1) << 31) /* nodes and links examined */

typedef struct workspace {
    uint8_t *state;         /* per node */
    uint32_t *stack, *next; /* nodes on the path; the link of each that is being examined */
    uint64_t *path;         /* of oblivious routings */
    compressed_rows in;     /* links into a node, for paths of any kind */
} workspace;

typedef struct setup {
    uint64_t sample; /* addresses per trial; 0: all */
    bool any;
    bool counted; /* the network provides the counts */
} setup;

static bool leaves_choices(const bough_routing *r) {
    return !r->kind->oblivious && !r->kind->route;
}

static uint64_t pairs_of(const bough_net *net) {
    return bough_mul(net->endpoints, net->addresses) - net->addresses;
}

static bough_status connectivity_open(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    const bough_value *sample = &run->args.value[P_SAMPLE];
    setup *s;
    if (net->links >= UINT32_MAX || net->nodes >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "connectivity supports networks below 2^32 links");
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->any = run->args.value[P_ANY].integer;
    s->counted = net->ops->reached && leaves_choices(run->point.routing) && !sample->given;
    uint64_t each = s->any || !net->ops->reaches ? net->links : net->endpoints;
    if (sample->set)
        s->sample = (uint64_t)sample->integer;
    else if (bough_mul(each, net->addresses) > SECONDS_WORTH && !(s->counted && !s->any))
        s->sample = SAMPLE;
    if (s->sample >= net->addresses) s->sample = 0;
    run->draws = s->sample > 0;
    run->bytes = bough_add(bough_mul(net->nodes, 9), HOPS * 8);
    if (s->any) run->bytes = bough_add(run->bytes, bough_mul(bough_add(net->links, net->nodes), 4));
    return BOUGH_OK;
}

static bough_status make(const bough_run *run, void **space, bough_error *error) {
    const bough_net *net = run->point.net;
    const setup *s = run->data;
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    status = bough_alloc(&w->state, net->nodes, sizeof *w->state, error);
    TRY(bough_alloc(&w->stack, net->nodes, sizeof *w->stack, error));
    TRY(bough_alloc(&w->next, net->nodes, sizeof *w->next, error));
    TRY(bough_alloc(&w->path, HOPS, sizeof *w->path, error));
    if (!status && s->any) status = wiring_in(&w->in, net, bough_link_works, error);
    return status;
}

static void connectivity_free(void *space) {
    workspace *w = space;
    FREE_ALL(w->state, w->stack, w->next, w->path);
    rows_fini(&w->in);
    free(w);
}

/* ---- by the routing ---- */

enum { UNKNOWN, OPEN, LEADS, ENDS };

/* True if eligible links lead on from a node to the address; depth first, each node once per address. */
static bool leads(const bough_routing *r, workspace *w, uint64_t start, uint64_t address) {
    const bough_net *net = r->net;
    uint64_t depth = 0;
    if (w->state[start] != UNKNOWN) return w->state[start] == LEADS;
    w->stack[depth] = (uint32_t)start, w->next[depth++] = 0;
    w->state[start] = OPEN;
    while (depth) {
        uint64_t at = w->stack[depth - 1];
        bough_flow flow = {start, address, 0};
        bough_route route;
        bough_route_at(r, at, &flow, &route);
        bool found = false;
        uint32_t i = w->next[depth - 1];
        for (; i < route.count && !found; i++) {
            uint64_t link = bough_route_link(&route, i), to = net->ops->link_end(net, link).node;
            if (bough_link_lost(net, link)) continue;
            if (w->state[to] == UNKNOWN) break;
            found = w->state[to] == LEADS;
        }
        if (i < route.count && !found) { /* first its successors */
            uint64_t to = net->ops->link_end(net, bough_route_link(&route, i)).node;
            w->next[depth - 1] = i;
            w->stack[depth] = (uint32_t)to, w->next[depth++] = 0;
            w->state[to] = OPEN;
            continue;
        }
        w->state[at] = found ? LEADS : ENDS;
        depth--;
    }
    return w->state[start] == LEADS;
}

static uint64_t count_routed(const bough_routing *r, workspace *w, uint64_t address) {
    const bough_net *net = r->net;
    uint64_t count = 0, target = bough_address_node(net, address);
    bool choices = leaves_choices(r);
    memset(w->state, UNKNOWN, net->nodes);
    w->state[target] = LEADS;
    for (uint64_t s = 0; s < net->endpoints; s++) {
        bough_flow flow = {s, address, 0};
        if (s == target) continue;
        if (!choices)
            count += bough_path(r, &flow, w->path, HOPS) > 0;
        else
            count += net->ops->reaches ? net->ops->reaches(net, s, address) : leads(r, w, s, address);
    }
    return count;
}

/* ---- by any path ---- */

/* Searches backwards from the address over live links, through switches. */
static uint64_t count_joined(const bough_net *net, workspace *w, uint64_t address) {
    uint64_t count = 0, head = 0, tail = 0, target = bough_address_node(net, address);
    memset(w->state, UNKNOWN, net->nodes);
    w->state[target] = LEADS;
    w->stack[tail++] = (uint32_t)target;
    while (head < tail) {
        uint64_t at = w->stack[head++];
        count += at < net->endpoints && at != target;
        if (at != target && !bough_is_switch(net, at)) continue;
        for (uint32_t i = w->in.first[at]; i < w->in.first[at + 1]; i++) {
            uint64_t from = bough_link_start(net, w->in.item[i]);
            if (w->state[from] != UNKNOWN) continue;
            w->state[from] = LEADS;
            w->stack[tail++] = (uint32_t)from;
        }
    }
    return count;
}

/* ---- a trial ---- */

/* Pairs that are connected, of the examined addresses. */
typedef struct pair_count {
    uint64_t routed, joined;
} pair_count;

static bough_status examine_addresses(const bough_run *run, bough_key key, workspace *w, pair_count *pairs,
                                      bough_error *error) {
    const bough_net *net = run->point.net;
    const setup *s = run->data;
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_SAMPLE, 0, 0);
    for (uint64_t i = 0; i < (s->sample ? s->sample : net->addresses); i++) {
        uint64_t address = s->sample ? bough_stream_below(&stream, net->addresses) : i;
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (!s->counted) pairs->routed += count_routed(run->point.routing, w, address);
        if (s->any) pairs->joined += count_joined(net, w, address);
    }
    return BOUGH_OK;
}

static bough_status connectivity_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                       bough_error *error) {
    const bough_net *net = run->point.net;
    const setup *s = run->data;
    pair_count found = {0};
    uint64_t all_pairs = pairs_of(net);
    if (all_pairs == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s has one endpoint, and no pairs", net->spec);
    bough_status status = *space ? BOUGH_OK : make(run, space, error);
    if (!status && (!s->counted || s->any)) status = examine_addresses(run, key, *space, &found, error);
    for (uint64_t e = 0; e < net->endpoints && s->counted; e++) found.routed += net->ops->reached(net, e);
    if (status) return status;
    double all = (double)all_pairs,
           sample = s->sample ? (double)s->sample * (double)(net->endpoints - 1) : all;
    double connected = (double)found.routed / (s->counted ? all : sample);
    status = bough_rows_add(rows, BOUGH_METRIC_CONNECTED, BOUGH_NO_ROW_INDEX, connected, error);
    double lost = s->counted || !s->sample ? (double)(all_pairs - found.routed) : (1 - connected) * all;
    TRY(bough_rows_add(rows, BOUGH_METRIC_PAIRS_LOST, BOUGH_NO_ROW_INDEX, lost, error));
    if (!status && s->any)
        status = bough_rows_add(rows, BOUGH_METRIC_CONNECTED_ANY, BOUGH_NO_ROW_INDEX,
                                (double)found.joined / sample, error);
    return status;
}

const bough_method bough_method_connectivity = {
    .name = "connectivity",
    .summary = "pairs of endpoints that the routing, or any path, can still connect",
    .source = "dehon1991",
    .params = params,
    .headline = BOUGH_METRIC_CONNECTED,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_routing = true,
    .takes_lost = true,
    .exact = true,
    .ignores_traffic = true,
    .open = connectivity_open,
    .trial = connectivity_trial,
    .free_workspace = connectivity_free,
    .close = run_free_data,
};
