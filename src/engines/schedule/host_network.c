#include "engines/schedule/host_network.h"

#include "base/memory/indexed_heap.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/timeline/timeline.h"

#include <string.h>

#define NO_SLOT  UINT32_MAX
#define HOPS_MAX 65536 /* a longer path is a loop */

typedef struct flight {
    uint64_t bytes, rate, last; /* on the wire; rate of the slowest link of the path, of its receiving port */
    uint32_t to, id;            /* port */
    uint32_t next_free;
    uint32_t link; /* to the receiving port */
    bool received; /* the link of the receiver has accepted it: the next event is its arrival */
} flight;

struct host_network {
    const bough_routing *routing;
    const bough_net *net;
    /* [ports]: ps, from which the link to or from the network is free. Ports are endpoints. Of compute nodes
     * they are GPUs, for messages inside a node, and then NICs. */
    uint64_t *sent, *received;
    flight *flight;
    size_t flights, entries, places;
    uint32_t used, first_free;
    heap next; /* by time; ties by id */
    bough_key key;
    bough_source *source;
    uint64_t arrived;
    timeline *seen; /* NULL: nothing is recorded */
    lost_messages lost;
    bough_error *error;
};

/* Endpoints, NICs of compute nodes, lanes of aggregation nodes. */
static uint64_t ports_of(const bough_net *net) {
    uint64_t nics = net->compute ? net->compute->fabric->endpoints : 0;
    return net->endpoints + nics + (net->aggregation ? net->aggregation->first[net->aggregation->count] : 0);
}

uint64_t host_network_bytes(const bough_net *net) {
    return bough_mul(ports_of(net), 2 * sizeof(uint64_t));
}

bough_status host_network_make(const bough_routing *routing, host_network **out, bough_error *error) {
    host_network *h;
    bough_status status = bough_alloc(out, 1, sizeof *h, error);
    if (status) return status;
    h = *out;
    h->routing = routing;
    h->net = routing->net;
    status = bough_alloc(&h->sent, ports_of(h->net), sizeof *h->sent, error);
    TRY(bough_alloc(&h->received, ports_of(h->net), sizeof *h->received, error));
    if (!status) return BOUGH_OK;
    host_network_destroy(h);
    *out = NULL;
    return status;
}

void host_network_destroy(host_network *h) {
    if (h) FREE_ALL(h->sent, h->received, h->flight, h->next.entry, h->next.at, h);
}

lost_messages host_network_lost(const host_network *h) {
    return h->lost;
}

/* ---- paths ---- */

/* Rates of its slowest link and of the one to the receiving port, and its delay. */
typedef struct path {
    uint64_t rate, last, delay;
    uint32_t out, in; /* the link from the sending port, and the one to the receiving port */
} path;

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
static bool follow(const host_network *h, const bough_flow *flow, uint64_t target, uint64_t *node, path *p) {
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
        if (is_port(h->net, *node, inside)) p->last = rate, p->in = (uint32_t)link;
        p->delay = bough_add(p->delay, bough_net_hop_delay(h->net, link, *node == target));
    }
    return true;
}

static bool find_path(const host_network *h, const bough_message *m, path *p) {
    bough_flow flow = {m->source, m->address, m->id};
    uint64_t via = bough_via(h->routing, h->key, &flow), node = m->source;
    *p = (path){.rate = UINT64_MAX, .out = NO_SLOT, .in = NO_SLOT};
    if (via != BOUGH_NONE) {
        bough_flow first = {m->source, (uint32_t)via, m->id};
        if (!follow(h, &first, bough_turn_node(h->net, m->source, via), &node, p)) return false;
        flow.source = (uint32_t)node;
    }
    return follow(h, &flow, bough_address_node(h->net, m->address), &node, p);
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
    uint64_t need = (uint64_t)h->used + 1;
    bough_status status = bough_grow(&h->flight, &h->flights, need, sizeof *h->flight, h->error);
    TRY(bough_grow(&h->next.entry, &h->entries, need, sizeof *h->next.entry, h->error));
    TRY(bough_grow(&h->next.at, &h->places, need, sizeof *h->next.at, h->error));
    if (!status) h->next.at[ *slot = h->used++] = HEAP_OUT;
    return status;
}

/* The port from which a message leaves, or at which it arrives, and its rate to the network. */
typedef struct port {
    uint64_t index, rate;
} port;

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

static bough_status send(host_network *h, const bough_message *m, uint64_t now) {
    path p;
    uint32_t slot;
    if (!find_path(h, m, &p)) {
        if (!h->lost.count++) h->lost.source = m->source, h->lost.address = m->address;
        return BOUGH_OK;
    }
    bough_status status = allocate(h, &slot);
    if (status) return status;
    const bough_physical *physical = bough_net_physical(h->net);
    uint64_t bytes = bough_physical_wire_bytes(physical, m->size),
             to = bough_address_node(h->net, m->address);
    if (p.rate == UINT64_MAX) { /* within an endpoint */
        h->flight[slot] = (flight){.id = m->id, .received = true};
        heap_put(&h->next, slot, now, m->id);
        return BOUGH_OK;
    }
    port from = sending_port(h->net, m->source, to, p.out);
    uint64_t *sent = &h->sent[from.index], start = later(now, *sent);
    *sent = after(start, bough_physical_time(bytes, from.rate));
    h->flight[slot] = (flight){.bytes = bytes,
                               .rate = p.rate,
                               .last = p.last,
                               .to = (uint32_t)receiving_port(h->net, m->source, to, p.in),
                               .id = m->id,
                               .next_free = NO_SLOT,
                               .link = p.in};
    if (h->seen) {
        timeline_alone(h->seen, m->id, after(p.delay, bough_physical_time(bytes, p.rate)));
        timeline_lose(h->seen, m->id, p.out, start - now);
        timeline_carry(h->seen, p.out, start, *sent, 8 * (double)bytes);
    }
    heap_put(&h->next, slot, after(start, p.delay), m->id);
    return BOUGH_OK;
}

static void finish_event(host_network *h, uint32_t slot, uint64_t now) {
    flight *f = &h->flight[slot];
    if (f->received) {
        h->source->delivered(h->source, f->id, now);
        h->arrived++;
        f->next_free = h->first_free;
        h->first_free = slot;
        return;
    }
    uint64_t *received = &h->received[f->to], start = later(now, *received);
    *received = after(start, bough_physical_time(f->bytes, f->last));
    if (h->seen) {
        timeline_lose(h->seen, f->id, f->link, start - now);
        timeline_carry(h->seen, f->link, start, *received, 8 * (double)f->bytes);
    }
    f->received = true;
    heap_put(&h->next, slot, after(start, bough_physical_time(f->bytes, f->rate)), f->id);
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

void host_network_observe(host_network *h, timeline *seen) {
    h->seen = seen;
}

bough_status host_network_run(host_network *h, const bough_run *run, bough_key key, bough_source *source,
                              bough_error *error) {
    enum { CHECK_AFTER = 1 << 12 };
    bough_status status = BOUGH_OK;
    memset(h->sent, 0, ports_of(h->net) * sizeof *h->sent);
    memset(h->received, 0, ports_of(h->net) * sizeof *h->received);
    h->used = h->next.count = 0;
    h->first_free = NO_SLOT;
    h->key = key;
    h->source = source;
    h->arrived = 0;
    h->lost = (lost_messages){0};
    h->error = error;
    for (uint64_t count = 1; !status; count++) {
        uint64_t birth = source->next_time(source);
        uint64_t event = h->next.count ? h->next.entry[0].key : BOUGH_NONE;
        if (birth == BOUGH_NONE && event == BOUGH_NONE) break;
        if (event <= birth)
            finish_event(h, heap_pop(&h->next).item, event);
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
