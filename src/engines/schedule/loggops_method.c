/* The method `loggops`: a schedule on hosts with CPU overheads, and a network in which only hosts contend.
 * Rules: traffic/schedules/ranks.h. With L and G given, the network has the constant costs of LogGOPSim;
 * otherwise its paths determine them (host_network.h). */
#include "base/memory/event_lanes.h"
#include "base/memory/memory.h"
#include "base/memory/prefetch.h"
#include "base/status/try.h"
#include "engines/engine_list.h"
#include "method/assumptions.h"
#include "method/method.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "method/transfers/schedule_rows.h"
#include "method/transfers/timeline_rows.h"
#include "network/subtrees.h"
#include "traffic/schedules/ranks.h"
#include "traffic/schedules/workload.h"
#include "traffic/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- host network ---- */

/* The network of `loggops`: links of endpoints send and receive one message at a time, in the order in which
 * the messages reach them. All other links are free at any time. A message on an idle network takes as long
 * as in `flow`: its bytes over the slowest link of its path, and the delays of the links.
 *
 * The path is that of the routing without load: the first live link of every route. */

/* The messages of the last run that had no route, and the first of them. */
typedef struct lost_messages {
    uint64_t count;
    uint32_t source, address;
} lost_messages;

#define NO_SLOT  UINT32_MAX
#define HOPS_MAX 65536 /* a longer path is a loop */

typedef struct flight {
    uint64_t bytes, rate, last; /* on the wire; rate of the slowest link of the path, of its receiving port */
    uint32_t to, id;            /* port */
    uint32_t next_free;
    uint32_t link; /* to the receiving port */
    bool inside;   /* an endpoint */
} flight;

/* A port from which a message leaves, or at which it arrives, and its rate. */
typedef struct port {
    uint64_t index, rate;
} port;

/* The path of a message. */
typedef struct way {
    uint64_t rate, delay; /* of its slowest link; of all links */
    port from, to;
    uint32_t out, in; /* the link from the sending port, and the one to the receiving port */
} way;

/* Where all links of a tree are alike, paths to the same level of it are: one of each level, once a message
 * has taken it. */
typedef struct level_ways {
    bool apply, known[SUBTREES_LEVELS + 1];
    way of[SUBTREES_LEVELS + 1];
} level_ways;

typedef struct host_network {
    const bough_routing *routing;
    const bough_net *net;
    /* [ports]: ps, from which the link to or from the network is free. Ports are endpoints. Of compute nodes
     * they are GPUs, for messages inside a node, and then NICs. */
    uint64_t *sent, *received;
    flight *flight;
    size_t flights;
    uint32_t used, first_free;
    event_lanes next;  /* of flights, by time; ties by id */
    level_ways levels; /* of the last runs of this routing */
    bough_key key;
    bough_source *source;
    uint64_t arrived;
    timeline *seen; /* NULL: nothing is recorded */
    lost_messages lost;
    bough_error *error;
} host_network;

/* Endpoints, NICs of compute nodes, lanes of aggregation nodes. */
static uint64_t ports_of(const bough_net *net) {
    uint64_t nics = net->compute ? net->compute->fabric->endpoints : 0;
    return net->endpoints + nics + (net->aggregation ? net->aggregation->first[net->aggregation->count] : 0);
}

/* Memory, bytes, apart from messages in flight. */
static uint64_t host_network_bytes(const bough_net *net) {
    return bough_mul(ports_of(net), 2 * sizeof(uint64_t));
}

/* NULL is allowed. */
static void host_network_destroy(host_network *h) {
    if (!h) return;
    event_lanes_fini(&h->next);
    FREE_ALL(h->sent, h->received, h->flight, h);
}

/* Whether a path depends on the level that it reaches only. */
static bool levels_decide(const bough_routing *routing) {
    const bough_net *net = routing->net;
    const unsigned even_tree = BOUGH_HAS_EVEN | BOUGH_HAS_CHANNELS;
    if ((net->capabilities & even_tree) != even_tree || net->levels > SUBTREES_LEVELS) return false;
    if (net->dead || net->lost || net->compute || net->aggregation) return false;
    if (routing->kind->via || routing->kind->own_ways) return false;
    return !bough_net_knows_rates(net) && !bough_net_own_delays(net);
}

static bough_status host_network_make(const bough_routing *routing, host_network **out, bough_error *error) {
    host_network *h;
    bough_status status = bough_alloc(out, 1, sizeof *h, error);
    if (status) return status;
    h = *out;
    h->routing = routing;
    h->net = routing->net;
    h->levels.apply = levels_decide(routing);
    status = bough_alloc(&h->sent, ports_of(h->net), sizeof *h->sent, error);
    TRY(bough_alloc(&h->received, ports_of(h->net), sizeof *h->received, error));
    TRY(event_lanes_make(&h->next, error));
    if (!status) return BOUGH_OK;
    host_network_destroy(h);
    *out = NULL;
    return status;
}

static lost_messages host_network_lost(const host_network *h) {
    return h->lost;
}

/* ---- paths ---- */

static uint64_t first_live(const bough_net *net, const bough_route *route) {
    for (uint32_t i = 0; i < route->count; i++)
        if (bough_link_alive(net, bough_route_link(route, i))) return bough_route_link(route, i);
    return BOUGH_NONE;
}

/* Whether a node is the end of the link to the receiving port: a NIC of a compute node, until the target, or
 * an aggregation node. */
static bool is_port(const bough_net *net, uint64_t node, bool inside) {
    const bough_compute_nodes *c = net->compute;
    if (!c || inside) return true;
    if (net->aggregation && bough_is_aggregation_node(net->aggregation, node)) return true;
    if (net->aggregation) node = bough_aggregation_base_node(net->aggregation, node);
    return node >= c->first_fabric_node && node < c->first_fabric_node + c->fabric->endpoints;
}

/* Adds the links from *node to a target on the way to the address. False: there is no route. */
static bool follow(const host_network *h, const bough_flow *flow, uint64_t target, uint64_t *node, way *p) {
    bool inside = bough_inside_node(h->net, *node, target);
    for (unsigned hops = 0; *node != target; hops++) {
        bough_route route;
        if (hops == HOPS_MAX || (hops && !bough_is_switch(h->net, *node))) return false;
        bough_route_at(h->routing, *node, flow, &route);
        uint64_t link = first_live(h->net, &route);
        if (link == BOUGH_NONE) return false;
        uint64_t rate = bough_net_link_rate(h->net, link);
        if (p->out == NO_SLOT && is_port(h->net, *node, inside)) p->out = (uint32_t)link;
        *node = h->net->ops->link_end(h->net, link).node;
        if (rate < p->rate) p->rate = rate;
        if (is_port(h->net, *node, inside)) p->to.rate = rate, p->in = (uint32_t)link;
        p->delay = bough_add(p->delay, bough_net_hop_delay(h->net, link, *node == target));
    }
    return true;
}

/* ---- ports ---- */

static uint64_t lane_port(const bough_net *net, uint64_t link) {
    uint64_t nics = net->compute ? net->compute->fabric->endpoints : 0;
    return net->endpoints + nics + (link - net->aggregation->base->links) / 2;
}

/* out: the first link of the path. */
static port sending_port(const bough_net *net, uint64_t from, uint64_t to, uint64_t out) {
    const bough_compute_nodes *c = net->compute;
    const bough_net *gpus = net->aggregation ? net->aggregation->base : net;
    uint64_t hosts = bough_net_hosts(net);
    if (from >= hosts) return (port){lane_port(net, out), bough_net_link_rate(net, out)};
    if (!c) return (port){from, bough_net_link_rate(net, bough_injection_link(net, from))};
    if (bough_inside_node(net, from, to))
        return (port){from, bough_net_link_rate(net, bough_compute_link(gpus, from, to))};
    uint64_t nic = to < hosts ? bough_gpu_nic_towards(c, from, to) : bough_gpu_nic(c, from);
    return (port){net->endpoints + nic, bough_net_link_rate(net, bough_injection_link(c->fabric, nic))};
}

/* in: the last link of the path. */
static uint64_t receiving_port(const bough_net *net, uint64_t from, uint64_t to, uint64_t in) {
    if (to >= bough_net_hosts(net)) return lane_port(net, in);
    if (!net->compute || bough_inside_node(net, from, to)) return to;
    return net->endpoints + bough_gpu_nic_in(net->compute, to);
}

/* ---- ways ---- */

/* Its links, from one to the next. False: there is no route. */
static bool follow_all(const host_network *h, const bough_message *m, uint64_t to, way *p) {
    bough_flow flow = {m->source, m->address, m->id};
    uint64_t via = bough_via(h->routing, h->key, &flow), node = m->source;
    *p = (way){.rate = UINT64_MAX, .out = NO_SLOT, .in = NO_SLOT};
    if (via != BOUGH_NONE) {
        bough_flow first = {m->source, (uint32_t)via, m->id};
        if (!follow(h, &first, bough_turn_node(h->net, m->source, via), &node, p)) return false;
        flow.source = (uint32_t)node;
    }
    return follow(h, &flow, to, &node, p);
}

static bool find_new(const host_network *h, const bough_message *m, uint64_t to, way *p) {
    if (!follow_all(h, m, to, p)) return false;
    if (p->rate == UINT64_MAX) return true; /* within an endpoint */
    p->from = sending_port(h->net, m->source, to, p->out);
    p->to.index = receiving_port(h->net, m->source, to, p->in);
    return true;
}

/* A record has the links themselves. */
static bool find_way(host_network *h, const bough_message *m, way *p) {
    level_ways *l = &h->levels;
    const uint64_t to = bough_address_node(h->net, m->address);
    if (!l->apply || h->seen) return find_new(h, m, to, p);
    const unsigned level = subtrees_common_level(h->net, m->source, to);
    if (!l->known[level]) l->known[level] = find_new(h, m, to, &l->of[level]);
    *p = l->of[level];
    p->from.index = m->source;
    p->to.index = to;
    return l->known[level];
}

/* ---- messages ---- */

#define NEVER_PS (UINT64_C(1) << 63) /* later than any time of a schedule, which then reports it */

static inline uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline uint64_t after(uint64_t time, uint64_t lasts) {
    uint64_t end = bough_add(time, lasts);
    return end < NEVER_PS ? end : NEVER_PS;
}

static bough_status allocate(host_network *h, uint32_t *slot) {
    *slot = h->first_free;
    if (*slot != NO_SLOT) {
        h->first_free = h->flight[*slot].next_free;
        return BOUGH_OK;
    }
    bough_status status =
        bough_grow(&h->flight, &h->flights, (uint64_t)h->used + 1, sizeof *h->flight, h->error);
    if (!status) *slot = h->used++;
    return status;
}

static bough_status put(host_network *h, uint32_t slot, uint64_t time) {
    return event_lanes_put(&h->next, lane_event_of(time, h->flight[slot].id, slot), h->error);
}

/* Its path, whose first link it takes at start, until `sent`. */
static void watch_send(host_network *h, const bough_message *m, const way *p, uint64_t now, uint64_t start) {
    const uint64_t bytes = bough_physical_wire_bytes(bough_net_physical(h->net), m->size);
    timeline_alone(h->seen, m->id, after(p->delay, bough_physical_time(bytes, p->rate)));
    timeline_lose(h->seen, m->id, p->out, start - now);
    timeline_carry(h->seen, p->out, start, h->sent[p->from.index], 8 * (double)bytes);
}

static bough_status send(host_network *h, const bough_message *m, uint64_t now) {
    way p;
    uint32_t slot;
    if (!find_way(h, m, &p)) {
        if (!h->lost.count++) h->lost.source = m->source, h->lost.address = m->address;
        return BOUGH_OK;
    }
    bough_status status = allocate(h, &slot);
    if (status) return status;
    if (p.rate == UINT64_MAX) { /* within an endpoint */
        h->flight[slot] = (flight){.id = m->id, .inside = true};
        return put(h, slot, now);
    }
    uint64_t bytes = bough_physical_wire_bytes(bough_net_physical(h->net), m->size);
    uint64_t *sent = &h->sent[p.from.index], start = later(now, *sent);
    *sent = after(start, bough_physical_time(bytes, p.from.rate));
    h->flight[slot] = (flight){.bytes = bytes,
                               .rate = p.rate,
                               .last = p.to.rate,
                               .to = (uint32_t)p.to.index,
                               .id = m->id,
                               .next_free = NO_SLOT,
                               .link = p.in};
    if (h->seen) watch_send(h, m, &p, now, start);
    return put(h, slot, after(start, p.delay));
}

/* The first bit of a message has reached its receiver: returns when the last one does. */
static uint64_t receive(host_network *h, const flight *f, uint64_t now) {
    uint64_t *received = &h->received[f->to], start = later(now, *received);
    *received = after(start, bough_physical_time(f->bytes, f->last));
    if (h->seen) {
        timeline_lose(h->seen, f->id, f->link, start - now);
        timeline_carry(h->seen, f->link, start, *received, 8 * (double)f->bytes);
    }
    return after(start, bough_physical_time(f->bytes, f->rate));
}

/* The source of a schedule takes an arrival ahead of its time. */
static void finish_event(host_network *h, uint32_t slot, uint64_t now) {
    flight *f = &h->flight[slot];
    h->source->delivered(h->source, f->id, f->inside ? now : receive(h, f, now));
    h->arrived++;
    f->next_free = h->first_free;
    h->first_free = slot;
}

BOUGH_FETCHES void fetch_ahead(const host_network *h, unsigned lane) {
    enum { FAR = 12, NEAR = 6 };
    const uint32_t far = event_lanes_ahead(&h->next, lane, FAR),
                   near = event_lanes_ahead(&h->next, lane, NEAR);
    if (far != EVENT_NOTHING) __builtin_prefetch(&h->flight[far], 1);
    if (near != EVENT_NOTHING) __builtin_prefetch(&h->received[h->flight[near].to], 1);
}

static bough_status send_all(host_network *h, uint64_t now) {
    bough_message some[64];
    uint32_t got;
    bough_status status = BOUGH_OK;
    do {
        got = h->source->pop(h->source, now, some, 64);
        for (uint32_t i = 0; i < got && !status; i++) status = send(h, &some[i], now);
    } while (got == 64 && !status);
    return status;
}

/* Records the messages of the next runs; NULL: records nothing. Borrows seen. */
static void host_network_observe(host_network *h, timeline *seen) {
    h->seen = seen;
}

/* Runs a source, which counts bytes and picoseconds, to its end. run: stop flag and progress. Errors:
 * INTERRUPTED, NO_MEMORY. */
static bough_status host_network_run(host_network *h, const bough_run *run, bough_key key,
                                     bough_source *source, bough_error *error) {
    enum { CHECK_AFTER = 1 << 12 };
    bough_status status = BOUGH_OK;
    memset(h->sent, 0, ports_of(h->net) * sizeof *h->sent);
    memset(h->received, 0, ports_of(h->net) * sizeof *h->received);
    h->used = 0;
    event_lanes_clear(&h->next);
    h->first_free = NO_SLOT;
    h->key = key;
    h->source = source;
    h->arrived = 0;
    h->lost = (lost_messages){0};
    h->error = error;
    for (uint64_t count = 1; !status; count++) {
        uint64_t birth = source->next_time(source);
        const unsigned lane = event_lanes_next(&h->next);
        uint64_t event = h->next.head[lane].time;
        if (birth == BOUGH_NONE && event == BOUGH_NONE) break;
        if (event <= birth) fetch_ahead(h, lane);
        if (event <= birth)
            finish_event(h, lane_event_what(event_lanes_pop(&h->next, lane)), event);
        else
            status = send_all(h, birth);
        if (count % CHECK_AFTER) continue;
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (run->progress)
            run->progress(run->progress_context,
                          (double)h->arrived / (double)later(run->point.traffic->messages, 1));
    }
    return status;
}

/* ---- loggops method ---- */

enum { P_RANKS, P_CRITICAL };

static const bough_param params[] = {
    [P_RANKS] = {"ranks", "time when the last operation of every rank ended", BOUGH_FLAG, "0"},
    [P_CRITICAL] = TIMELINE_PARAM,
    BOUGH_PARAMS_END,
};

static bool has_constant_costs(const bough_run *run) {
    return run->point.traffic->workload->host.G != BOUGH_FROM_NETWORK;
}

static bool is_critical(const bough_run *run) {
    return run->args.value[P_CRITICAL].integer;
}

static void assume(bough_run *run) {
    const bough_host *host = &run->point.traffic->workload->host;
    char text[40];
    if (has_constant_costs(run)) {
        run_assume(run, "links", "G=%s a byte",
                   bough_format_measure(BOUGH_TIME, (int64_t)host->G, text, sizeof text));
        run_assume(run, "delay", "L=%s a message",
                   bough_format_measure(BOUGH_TIME, (int64_t)host->L, text, sizeof text));
    } else {
        run_assume_links(run, 0);
        run_assume_delay(run);
    }
    run_assume_sizes(run, 1);
    run_assume(run, "sharing", "at hosts only, one message at a time");
    run_assume_hosts(run);
}

static bough_status loggops_open(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    if (!run->point.traffic->workload)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method loggops needs a schedule; %s is not one",
                          run->point.traffic->spec);
    assume(run);
    if (has_constant_costs(run)) return timeline_rows_open(run, is_critical(run), error);
    if (!(net->capabilities & BOUGH_HAS_ROUTES))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "loggops needs a network with routes, or the traffic's L= and G=; %s does not qualify",
            net->spec);
    run->bytes = host_network_bytes(net);
    return timeline_rows_open(run, is_critical(run), error);
}

/* ---- rows ---- */

static bough_status add_jobs(const bough_traffic *t, const rank_engine *ranks, bough_rows *rows,
                             bough_error *error) {
    const bough_workload *w = t->workload;
    uint64_t *time;
    bough_status status = bough_alloc(&time, w->jobs, sizeof *time, error);
    for (uint32_t j = 0; j < w->jobs && !status; j++) time[j] = workload_job_time(t, ranks, j);
    TRY(schedule_job_rows(w, time, NULL, rows, error));
    free(time);
    return status;
}

/* A trial that has ended. */
typedef struct finished {
    const bough_run *run;
    const rank_engine *ranks;
    lost_messages lost;
    const timeline *seen;
} finished;

static bough_status report(const finished *trial, bough_rows *rows, bough_error *error) {
    const bough_run *run = trial->run;
    const rank_engine *ranks = trial->ranks;
    const bough_workload *w = run->point.traffic->workload;
    const bough_schedule *s = w->schedule;
    const ranks_totals *t = ranks_result(ranks);
    bough_source_report left;
    ranks_time all = {0};
    ranks_report(ranks, &left);
    if (left.status) return bough_fail(error, left.status, NULL, "%s", left.text);
    for (unsigned i = 0; i < RANKS_LABELS; i++) {
        all.compute += t->time[i].compute;
        all.overhead += t->time[i].overhead;
        all.wait += t->time[i].wait;
    }
    bool ends = !left.waiting;
    const optional_row lines[] = {
        {ends, BOUGH_METRIC_COMPLETION_TIME, schedule_seconds(left.end)},
        {ends, BOUGH_METRIC_RANK_COMPUTE, schedule_share(all.compute, bough_schedule_hosts(s))},
        {ends, BOUGH_METRIC_RANK_OVERHEAD, schedule_share(all.overhead, bough_schedule_hosts(s))},
        {ends, BOUGH_METRIC_RANK_WAIT, schedule_share(all.wait, bough_schedule_hosts(s))},
        {true, BOUGH_METRIC_MESSAGES, (double)t->messages},
        {trial->lost.count > 0, BOUGH_METRIC_UNROUTED, (double)trial->lost.count},
    };
    if (trial->lost.count) {
        const unrouted_message first = {trial->lost.source, trial->lost.address};
        rows->outcome = BOUGH_RUN_PARTIAL;
        rows_note_unrouted(rows, run->point.net, trial->lost.count, &first);
    }
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    TRY(schedule_rows(w, &left, left.end, rows, error));
    if (!status && ends && !w->jobs) status = schedule_label_rows(s, t, rows, error);
    if (!status && w->jobs) status = add_jobs(run->point.traffic, ranks, rows, error);
    for (uint32_t r = 0; r < bough_schedule_hosts(s) && run->args.value[P_RANKS].integer && !status; r++)
        if (!ranks_hangs(ranks, r))
            status = bough_rows_add(rows, BOUGH_METRIC_RANK_END, r, schedule_seconds(ranks_end_of(ranks, r)),
                                    error);
    return status ? status : timeline_rows_add(run, trial->seen, ends, rows, error);
}

/* ---- trials ---- */

/* One of two networks. */
typedef struct workspace {
    rank_engine *ranks; /* constant costs */
    host_network *network;
    timeline *seen; /* of the trial; NULL: nothing is recorded */
} workspace;

static bough_status run_constant(const method_trial *constant, workspace *w, bough_rows *rows,
                                 bough_error *error) {
    enum { GRAIN = 1 << 16 };
    const bough_run *run = constant->run;
    const bough_traffic *traffic = run->point.traffic;
    bough_status status = BOUGH_OK;
    if (!w->ranks) status = ranks_make(traffic->workload, workload_match(traffic), false, &w->ranks, error);
    if (status) return status;
    ranks_on(w->ranks, run->point.net);
    ranks_vary(w->ranks, constant->key);
    ranks_observe(w->ranks, w->seen);
    ranks_start(w->ranks);
    while (ranks_go(w->ranks, GRAIN)) {
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (run->progress)
            run->progress(run->progress_context,
                          (double)ranks_result(w->ranks)->ended / (double)traffic->workload->schedule->ops);
    }
    const ranks_totals *t = ranks_result(w->ranks);
    const uint32_t *endpoint = traffic->workload->endpoint;
    finished trial = {run, w->ranks, {.count = t->unrouted}, w->seen};
    if (t->unrouted) {
        trial.lost.source = endpoint[t->lost_from];
        trial.lost.address = (uint32_t)bough_endpoint_address(run->point.net, endpoint[t->lost_to]);
    }
    return report(&trial, rows, error);
}

static bough_status run_network(const method_trial *trial, workspace *w, bough_rows *rows,
                                bough_error *error) {
    const bough_run *run = trial->run;
    const bough_clock clock = {1, 1};
    bough_source *source = NULL;
    bough_status status = BOUGH_OK;
    if (!w->network) status = host_network_make(run->point.routing, &w->network, error);
    TRY(bough_traffic_open(run->point.traffic, trial->key, &clock, &source, error));
    if (status) return status;
    workload_observe(source, w->seen);
    host_network_observe(w->network, w->seen);
    status = host_network_run(w->network, run, trial->key, source, error);
    const finished done = {run, workload_ranks(source), host_network_lost(w->network), w->seen};
    TRY(report(&done, rows, error));
    source->close(source);
    return status;
}

static bough_status loggops_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                  bough_error *error) {
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    const method_trial trial = {run, key};
    status = timeline_rows_begin(run, is_critical(run), &w->seen, error);
    if (!status && has_constant_costs(run))
        status = run_constant(&trial, w, rows, error);
    else if (!status)
        status = run_network(&trial, w, rows, error);
    timeline_rows_end(run, w->seen);
    w->seen = NULL;
    return status;
}

static void loggops_free(void *space) {
    workspace *w = space;
    ranks_destroy(w->ranks);
    host_network_destroy(w->network);
    free(w);
}

const bough_method bough_method_loggops = {
    .name = "loggops",
    .summary =
        "schedules without contention in the network: hosts, latency and bandwidth of the LogGOPS model",
    .source = "Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_traffic = 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_timeline = true,
    .exact = true,
    .open = loggops_open,
    .trial = loggops_trial,
    .free_workspace = loggops_free,
};
