/* The memory of the timed engine. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/packet/packet_timed_state.h"
#include "method/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots ---- */

uint32_t timed_new_packet(engine *e) {
    uint32_t slot = e->free_packet;
    if (slot != NONE) {
        e->free_packet = e->packet[slot].next;
        return slot;
    }
    uint64_t need = (uint64_t)e->packets + 1;
    if (need >= NONE && !e->status)
        e->status = bough_fail(e->error, BOUGH_TOO_LARGE, NULL, "2^32 packets are in flight");
    if (e->status || !GROW(e, packet, need)) return NONE;
    if (e->o.queue >= PACKET_FARTHEST && !GROW(e, other, need)) return NONE;
    if (e->seen && !GROW(e, joined, need)) return NONE;
    return e->packets++;
}

uint32_t timed_new_flight(engine *e) {
    uint32_t slot = e->free_flight;
    if (slot != NONE) {
        e->free_flight = e->flight[slot].next_free;
        return slot;
    }
    uint64_t need = (uint64_t)e->flights + 1;
    if (e->status || !GROW(e, flight, need)) return NONE;
    if (e->fixed && !GROW(e, path, bough_mul(need, e->limit))) return NONE;
    return e->flights++;
}

/* ---- events ---- */

bool timed_lane_grow(engine *e, timed_lane *lane) {
    timed_event *entry = NULL;
    uint64_t size = lane->size ? 2 * (uint64_t)lane->size : 64;
    if (size > UINT32_MAX && !e->status)
        e->status = bough_fail(e->error, BOUGH_TOO_LARGE, NULL, "2^31 packets are on links");
    if (!e->status) e->status = bough_alloc(&entry, size, sizeof *entry, e->error);
    if (e->status) return false;
    for (uint32_t i = 0; i < lane->count; i++) entry[i] = lane->entry[(lane->first + i) & (lane->size - 1)];
    free(lane->entry);
    *lane = (timed_lane){entry, (uint32_t)size, 0, lane->count};
    return true;
}

bool timed_batch_grow(engine *e) {
    size_t capacity = e->batch_capacity;
    uint64_t need = (uint64_t)capacity + 1;
    if (e->status) return false;
    e->status = bough_grow(&e->sorted, &capacity, need, sizeof *e->sorted, e->error);
    if (!e->status) e->status = bough_grow(&e->batch, &e->batch_capacity, need, sizeof *e->batch, e->error);
    return !e->status;
}

/* ---- the engine ---- */

timed_span timed_span_of(uint64_t bytes, uint64_t rate) {
    unsigned __int128 bits = (unsigned __int128)bytes * 8 * UINT64_C(1000000000000);
    uint64_t whole = (uint64_t)(bits / rate);
    return (timed_span){whole, (uint64_t)(bits - (unsigned __int128)whole * rate)};
}

void timed_clear(engine *e) {
    for (uint64_t l = 0; l < e->net->links; l++) {
        e->link[l].busy = e->link[l].until = 0;
        e->link[l].rest = e->link[l].rate / 2;
        e->link[l].queue = e->link[l].sending = NONE;
    }
    for (uint32_t i = 0; i < e->touched_count; i++) e->served[e->touched[i]] = 0;
    for (unsigned i = 0; i < ALL_LANES; i++) {
        e->lane[i].count = 0;
        e->head[i] = BOUGH_NONE;
        e->tail[i] = 0;
    }
    while (e->late.count) heap_pop(&e->late);
    memset(e->sends, 0, e->net->endpoints);
    if (e->latest) memset(e->latest, 0, e->net->links);
    e->packets = e->flights = e->ready_count = e->touched_count = 0;
    e->free_packet = e->free_flight = NONE;
    e->now = e->created = e->reset_at = 0;
    e->base.now = e->base.offered = e->base.arrived = e->base.moves = e->base.unrouted = 0;
    e->outs = 0;
    e->status = BOUGH_OK;
    e->t = (packet_timed_totals){0};
}

static unsigned links_at_most(const bough_routing *routing, const packet_timed_options *o) {
    return o->hops * (routing->kind->via ? 2 : 1);
}

static bool fixes_paths(const bough_routing *routing) {
    return !routing->kind->select && !routing->kind->via;
}

static bool reads_served(const bough_routing *routing) {
    return routing->kind->select && routing->net->group_max > 1;
}

static uint64_t slowest_rate(const bough_net *net, uint64_t rate) {
    uint64_t low = rate;
    if (!rate) return bough_net_rate_range(net).low;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t slowed = bough_net_slowed_rate(net, l, rate);
        if (slowed < low) low = slowed;
    }
    return low;
}

bough_status packet_timed_check(const bough_routing *routing, const packet_timed_options *o,
                                bough_error *error) {
    const packet_options steps = {.queue = o->queue, .hops = o->hops, .half = o->half};
    const bough_net *net = routing->net;
    uint64_t rate = slowest_rate(net, o->rate);
    uint64_t bytes = bough_add(o->packet, bough_net_physical(net)->header);
    bough_status status = packet_check(routing, &steps, error);
    if (!status && net->nodes >= NONE)
        status =
            bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s: packets support at most 2^32 nodes", net->spec);
    if (!status && bough_physical_time(bytes, rate) > UINT64_C(1) << 50)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "packet: a packet of %" PRIu64 " bytes takes more than 18 minutes on a link of "
                            "%" PRIu64 " bit/s",
                            bytes, rate);
    return status;
}

uint64_t packet_timed_bytes(const bough_routing *routing, const packet_timed_options *o,
                            const packet_timed_load *load) {
    const bough_net *net = routing->net;
    uint64_t of_link = sizeof(timed_link) + sizeof(heap_entry) + 2 * sizeof(uint32_t),
             of_flight = sizeof(flight),
             of_packet = sizeof(packet) + (o->queue >= PACKET_FARTHEST ? sizeof(uint32_t) : 0);
    if (fixes_paths(routing)) of_flight += bough_mul(links_at_most(routing, o), sizeof(uint32_t));
    uint64_t bytes = bough_add(bough_mul(net->links, of_link + o->half), net->endpoints);
    bytes = bough_add(bytes, bough_mul(load->messages_live, of_flight));
    bytes = bough_add(bytes, bough_mul(load->packets_live, of_packet));
    bytes = bough_add(bytes, bough_mul(load->messages, sizeof(uint64_t)));
    return reads_served(routing) ? bough_add(bytes, bough_mul(net->groups, 8)) : bytes;
}

static bough_status alloc_links(engine *e, bough_error *error) {
    const bough_net *net = e->net;
    uint64_t groups = reads_served(e->routing) ? net->groups : 0;
    const bough_array array[] = {
        {&e->link, net->links, sizeof *e->link},
        {&e->ready, net->links, sizeof *e->ready},
        {&e->late.entry, net->links, sizeof *e->late.entry},
        {&e->late.at, net->links, sizeof *e->late.at},
        {&e->sends, net->endpoints, 1},
        {&e->eligible, net->group_max, sizeof *e->eligible},
        {&e->load, net->group_max, sizeof *e->load},
        {&e->served, groups, sizeof *e->served},
        {&e->touched, groups, sizeof *e->touched},
    };
    bough_status status = bough_alloc_all(array, sizeof array / sizeof *array - (groups ? 0 : 2), error);
    return status || !e->o.half ? status : bough_alloc(&e->latest, net->links, 1, error);
}

static void set_links(engine *e) {
    uint64_t bytes = e->o.packet + e->header;
    for (uint64_t l = 0; l < e->net->links; l++) {
        uint64_t rate =
            e->o.rate ? bough_net_slowed_rate(e->net, l, e->o.rate) : bough_net_link_rate(e->net, l);
        bool same = l && rate == e->link[l - 1].rate;
        bough_link_end end = e->net->ops->link_end(e->net, l);
        e->link[l].rate = rate;
        e->link[l].node = (uint32_t)end.node;
        e->link[l].port = end.port;
        e->link[l].full = same ? e->link[l - 1].full : timed_span_of(bytes, rate);
        e->late.at[l] = HEAP_OUT;
    }
}

/* Adds a delay to those that were found; false: there is no room. */
static bool add_delay(engine *e, uint64_t delay) {
    for (unsigned i = 0; i < e->delays; i++)
        if (e->each_delay[i] == delay) return true;
    if (e->delays == DELAYS_MAX) return false;
    e->each_delay[e->delays++] = delay;
    return true;
}

static bough_status find_delays(engine *e, bough_error *error) {
    const bough_net *net = e->net;
    bool fits = true;
    e->own_delays = bough_net_own_delays(net);
    if (!e->own_delays) e->delays = 1;
    for (uint64_t l = 0; l < net->links && e->own_delays && fits; l++)
        fits = add_delay(e, bough_net_hop_delay(net, l, true)) &&
               add_delay(e, bough_net_hop_delay(net, l, false));
    e->lanes = LANES + 2 * e->delays;
    return fits ? BOUGH_OK
                : bough_fail(error, BOUGH_UNSUPPORTED, net->spec,
                             "packet supports at most %d different delays", DELAYS_MAX);
}

bough_status packet_timed_make(const bough_routing *routing, const packet_timed_options *o,
                               packet_timed **out, bough_error *error) {
    engine *e;
    bough_status status = bough_alloc(out, 1, sizeof *e, error);
    if (status) return status;
    const bough_physical *physical = bough_net_physical(routing->net);
    e = *out;
    timed_set_ops(e);
    e->routing = routing;
    e->net = routing->net;
    e->o = *o;
    e->header = physical->header;
    e->delay = physical->delay;
    e->switch_delay = physical->switch_delay;
    e->two = routing->kind->via != NULL;
    e->fixed = fixes_paths(routing);
    e->limit = links_at_most(routing, o);
    status = find_delays(e, error);
    TRY(alloc_links(e, error));
    if (!status) {
        set_links(e);
        return BOUGH_OK;
    }
    packet_timed_destroy(e);
    *out = NULL;
    return status;
}

void packet_timed_destroy(packet_timed *e) {
    if (!e) return;
    for (unsigned i = 0; i < ALL_LANES; i++) free(e->lane[i].entry);
    FREE_ALL(e->packet, e->other, e->flight, e->path, e->link, e->ready, e->served, e->touched, e->eligible,
             e->load, e->late.entry, e->late.at, e->batch, e->sorted, e->time, e->sends, e->latest, e->joined,
             e->out, e);
}
