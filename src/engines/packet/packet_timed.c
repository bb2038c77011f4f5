/* The timed engine of `packet`: one instant after the other, as defined in packet_timed.h. */
#include "base/memory/prefetch.h"
#include "engines/packet/packet_timed_state.h"
#include "method/engine.h"
#include "method/transfers/transfer_rows.h"

#include "engines/packet/packet_queues.h"

#define AHEAD 8 /* prefetch distance */

/* ---- prefetching ---- */

BOUGH_FETCHES void fetch_packet(const engine *e, uint32_t slot) {
    __builtin_prefetch(&e->packet[slot], 1);
}

/* ---- queues ---- */

/* The packet or run that a link sends next; not for random queues. */
static uint32_t queue_front(const engine *e, uint32_t link) {
    uint32_t root = e->link[link].queue;
    return e->o.queue == PACKET_FIFO ? e->packet[root].next : root;
}

/* Separates the packet that a run sends next. */
static uint32_t take_from_run(engine *e, uint32_t link, uint32_t front) {
    uint32_t slot = timed_new_packet(e);
    if (slot == NONE) return NONE;
    packet *run = &e->packet[front], *p = &e->packet[slot];
    run->count--;
    *p = *run;
    p->count = 1;
    if (e->o.queue == PACKET_LIFO) {
        p->number += run->count;
        run->last = false;
    } else {
        p->last = false;
        run->number++;
    }
    e->packet[e->link[link].queue].spot--;
    return slot;
}

/* Takes the packet that a link sends next from its queue. NONE if out of memory. */
static inline uint32_t take(engine *e, uint32_t link) {
    uint32_t front = e->o.queue == PACKET_RANDOM ? NONE : queue_front(e, link);
    if (front != NONE && e->packet[front].count > 1) return take_from_run(e, link, front);
    return queue_pop(e, link, e->now);
}

/* ---- links ---- */

static inline void add_leaving(engine *e, uint32_t link, uint64_t time) {
    unsigned fits = 1u << LANES;
    for (unsigned i = 0; i < LANES; i++) fits |= (unsigned)(e->tail[i] <= time) << i;
    unsigned lane = (unsigned)__builtin_ctz(fits);
    if (lane < LANES)
        timed_push(e, lane, (timed_event){time, 0, link});
    else
        heap_put(&e->late, link, time, link);
}

static timed_span span_on(const engine *e, const timed_link *link, const packet *p) {
    if (!p->last) return link->full;
    const flight *f = &e->flight[p->message];
    uint64_t bytes = f->bytes - (f->packets - 1) * e->o.packet;
    return bytes == e->o.packet ? link->full : timed_span_of(bytes + e->header, link->rate);
}

/* Time of a packet that starts now. What was rounded off before counts as long as the link does not pause. */
static uint64_t time_on(const engine *e, timed_link *link, const packet *p) {
    timed_span span = span_on(e, link, p);
    if (link->until != e->now) link->rest = link->rate / 2;
    link->rest += span.rest;
    if (link->rest < link->rate) return span.whole;
    link->rest -= link->rate;
    return span.whole + 1;
}

/* A link starts to send a packet. */
static inline void send(engine *e, uint32_t link, uint32_t slot) {
    timed_link *l = &e->link[link];
    packet *p = &e->packet[slot];
    uint64_t lasts = time_on(e, l, p);
    p->spot = link;
    p->hops++;
    p->to_go--;
    l->sending = slot;
    l->until = e->now + lasts;
    l->busy += lasts;
    e->t.crossings++;
    if (e->seen) timed_see_packet(e, link, slot, lasts);
    add_leaving(e, link, l->until);
}

/* ---- half duplex ---- */

/* The opposite direction of a cable, under half duplex; else BOUGH_NONE. */
static inline uint64_t twin_of(const engine *e, uint32_t link) {
    return e->latest ? e->net->ops->link_twin(e->net, link) : BOUGH_NONE;
}

static bool is_cable_free(const engine *e, uint32_t link) {
    uint64_t twin = twin_of(e, link);
    return e->link[link].sending == NONE && (twin == BOUGH_NONE || e->link[twin].sending == NONE);
}

/* Replaces the ready links by those that send: one of two directions. A link is ready once at most. */
static void choose_directions(engine *e) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->ready_count; i++) {
        uint32_t link = e->ready[i];
        uint64_t twin = twin_of(e, link), cable = link < twin ? link : twin;
        bool goes = twin == BOUGH_NONE || e->link[twin].queue == NONE;
        if (!goes && (e->latest[link] ^ e->latest[twin]))
            goes = e->latest[twin];
        else if (!goes)
            goes = bough_bit(e->key, BOUGH_DRAW_DUPLEX, cable, 0) == (link != cable);
        if (goes) e->ready[kept++] = link;
    }
    e->ready_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        uint64_t twin = twin_of(e, e->ready[i]);
        e->latest[e->ready[i]] = 1;
        if (twin != BOUGH_NONE) e->latest[twin] = 0;
    }
}

static void start_links(engine *e) {
    if (e->latest) choose_directions(e);
    for (uint32_t i = 0; i < e->ready_count && !e->status; i++) {
        uint32_t slot = take(e, e->ready[i]);
        if (slot == NONE) return;
        if (e->link[e->ready[i]].queue != NONE) fetch_packet(e, queue_front(e, e->ready[i]));
        if (e->packet[slot].hops) e->packet[slot].waited += e->now;
        if (e->seen) timed_see_wait(e, e->ready[i], slot);
        send(e, e->ready[i], slot);
    }
    e->ready_count = 0;
}

/* True if a packet that has left its link is delivered at its end. */
static inline bool ends_there(const engine *e, const packet *p) {
    if (e->fixed) return p->to_go == 0;
    uint64_t node = e->link[p->spot].node;
    return node == e->flight[p->message].target &&
           (p->second || node == bough_turn_node(e->net, e->flight[p->message].source, p->aim));
}

/* When all of a packet that leaves a link now is where it goes; *lane: by that time. */
static inline uint64_t there_at(const engine *e, uint32_t link, bool last, unsigned *lane) {
    unsigned i = 0;
    *lane = last ? ARRIVING : FORWARDED;
    if (!e->own_delays) return e->now + e->delay + (last ? 0 : e->switch_delay);
    uint64_t delay = bough_net_hop_delay(e->net, link, last);
    while (e->each_delay[i] != delay) i++;
    *lane += 2 * i;
    return e->now + delay;
}

static inline void end_link(engine *e, uint32_t link) {
    timed_link *l = &e->link[link];
    uint32_t slot = l->sending;
    const packet *p = &e->packet[slot];
    l->sending = NONE;
    if (l->queue != NONE) e->ready[e->ready_count++] = link;
    uint64_t twin = twin_of(e, link);
    if (twin != BOUGH_NONE && e->link[twin].queue != NONE) e->ready[e->ready_count++] = (uint32_t)twin;
    bool last = ends_there(e, p);
    unsigned lane;
    uint64_t time = there_at(e, link, last, &lane);
    timed_push(e, lane, (timed_event){time, p->number, slot});
}

/* Fetches what the links after the first one of a lane send. */
BOUGH_FETCHES void fetch_sending(const engine *e, const timed_lane *l) {
    if (l->count > AHEAD) fetch_packet(e, e->link[l->entry[(l->first + AHEAD) & (l->size - 1)].item].sending);
}

static void end_links(engine *e) {
    for (unsigned i = 0; i < LANES; i++)
        while (e->head[i] == e->now) {
            fetch_sending(e, &e->lane[i]);
            end_link(e, timed_pop(e, i).item);
        }
    while (e->late.count && e->late.entry[0].key == e->now) end_link(e, heap_pop(&e->late).item);
}

/* ---- packets at nodes ---- */

static uint32_t load_of(const engine *e, uint64_t link) {
    return queue_length(e, link) + (e->link[link].sending != NONE);
}

static inline void join(engine *e, uint32_t slot, uint32_t link) {
    timed_link *l = &e->link[link];
    packet *p = &e->packet[slot];
    bool idle = l->queue == NONE && (e->latest ? is_cable_free(e, link) : l->sending == NONE);
    if (idle && !e->latest && e->o.queue == PACKET_FIFO &&
        p->count == 1) { /* no other packet can be sent before it */
        if (p->hops && e->t.queue_max == 0) e->t.queue_max = 1;
        send(e, link, slot);
        return;
    }
    if (idle) e->ready[e->ready_count++] = link;
    if (e->seen) e->joined[slot] = e->now;
    uint32_t length = queue_push(e, link, slot);
    if (p->count > 1) e->packet[l->queue].spot = length += p->count - 1;
    if (!p->hops) return;
    p->waited -= e->now;
    length += l->sending != NONE;
    if (length > e->t.queue_max) e->t.queue_max = length;
}

void timed_join(engine *e, uint32_t slot, uint32_t link) {
    join(e, slot, link);
}

/* Finds the route of a packet at a node. The network's own routes need only the address. */
static inline void find_route(const engine *e, const packet *p, uint64_t node, bough_route *route) {
    if (!e->routing->kind->route) {
        e->net->ops->route(e->net, node, p->aim, route);
        return;
    }
    const flight *f = &e->flight[p->message];
    const bough_flow flow = {f->source, p->aim, bough_flow_key(e->routing, e->key, f->id)};
    bough_route_at(e->routing, node, &flow, route);
}

void timed_route(engine *e, uint32_t slot, bough_link_end at) {
    packet *p = &e->packet[slot];
    bough_route route;
    if (!p->second && at.node == bough_turn_node(e->net, e->flight[p->message].source, p->aim)) {
        p->second = 1;
        p->aim = e->flight[p->message].address;
    }
    find_route(e, p, at.node, &route);
    queue_request request = {&route, at.port, e->now};
    uint32_t link = route.count ? queue_select(e, &request, load_of) : NONE;
    if (link == NONE) timed_no_route(e, &(bough_flow){e->flight[p->message].source, p->aim, 0}, at.node);
    if (p->hops >= e->limit) timed_too_long(e);
    if (e->status) return;
    if (e->served) e->served[route.group] += p->count - 1;
    join(e, slot, link);
}

void timed_finish_message(engine *e, uint32_t slot) {
    flight *f = &e->flight[slot];
    if (e->stops ? !GROW(e, out, e->outs + 1) : !GROW(e, time, e->t.arrived + 1)) return;
    if (e->stops)
        e->out[e->outs++] = (sim_delivery){f->start, f->start, e->now, f->id, f->source, f->address, f->hops};
    else
        e->time[e->t.arrived] = e->now - f->start;
    e->t.arrived++;
    e->base.arrived++;
    e->t.end = e->now;
    e->t.bits += 8 * (double)f->bytes;
    if (transfer_inside(e->net, f->source, f->target)) e->t.inside += 8 * (double)f->bytes;
    e->t.hops += f->hops;
    e->t.senders += !e->sends[f->source];
    e->sends[f->source] = 1;
    f->next_free = e->free_flight;
    e->free_flight = slot;
    if (!e->source->delivered) return;
    e->source->delivered(e->source, f->id, e->now);
    e->next_offer = e->now; /* it may have more messages */
}

void timed_deliver(engine *e, uint32_t slot) {
    packet *p = &e->packet[slot];
    flight *f = &e->flight[p->message];
    e->t.packets++;
    e->t.wait += p->waited;
    if (p->waited > e->t.wait_max) e->t.wait_max = p->waited;
    if (p->hops > f->hops) f->hops = p->hops;
    p->next = e->free_packet;
    e->free_packet = slot;
    if (--f->left == 0) timed_finish_message(e, p->message);
}

static inline void forward(engine *e, uint32_t slot) {
    const packet *p = &e->packet[slot];
    const timed_link *l = &e->link[p->spot];
    if (e->fixed)
        join(e, slot, e->path[(uint64_t)p->message * e->limit + p->hops]);
    else
        timed_route(e, slot, (bough_link_end){l->node, l->port});
}

/* ---- order ---- */

static uint32_t end_of_run(const timed_event *event, uint32_t i, uint32_t count) {
    for (i++; i < count && event[i - 1].number < event[i].number;) i++;
    return i;
}

/* Merges [a, b) and [b, c) of one array into the other. */
static void merge(const timed_event *from, const uint32_t bound[3], timed_event *to) {
    uint32_t a = bound[0], b = bound[1];
    for (uint32_t i = bound[0]; i < bound[2]; i++) {
        bool first = b == bound[2] || (a < bound[1] && from[a].number < from[b].number);
        to[i] = first ? from[a++] : from[b++];
    }
}

/* Merges neighbouring runs of the batch. */
static void merge_runs(engine *e, uint32_t count) {
    uint32_t bound[3] = {0, 0, 0};
    while (bound[2] < count) {
        bound[0] = bound[2];
        bound[1] = end_of_run(e->batch, bound[0], count);
        bound[2] = bound[1] < count ? end_of_run(e->batch, bound[1], count) : count;
        merge(e->batch, bound, e->sorted);
    }
    timed_event *swap = e->batch;
    e->batch = e->sorted;
    e->sorted = swap;
}

/* Moves the events of this instant, in the lanes of one kind, into the batch and sorts them by number.
 * Returns how many there are. A natural merge sort: they usually consist of few ascending runs. */
static uint32_t take_batch(engine *e, unsigned kind) {
    uint32_t count = 0;
    for (unsigned lane = kind; lane < e->lanes; lane += 2)
        while (e->head[lane] == e->now) {
            if (count == e->batch_capacity && !timed_batch_grow(e)) return 0;
            e->batch[count++] = timed_pop(e, lane);
        }
    while (count && end_of_run(e->batch, 0, count) < count) merge_runs(e, count);
    return count;
}

static void deliver_packets(engine *e) {
    uint32_t count = take_batch(e, ARRIVING);
    for (uint32_t i = 0; i < count && !e->status; i++) timed_deliver(e, e->batch[i].item);
}

static void forward_packets(engine *e) {
    uint32_t count = take_batch(e, FORWARDED);
    for (uint32_t i = 0; i < count && !e->status; i++) {
        if (i + AHEAD < count) fetch_packet(e, e->batch[i + AHEAD].item);
        forward(e, e->batch[i].item);
    }
}

/* ---- time ---- */

static void instant(engine *e) {
    end_links(e);
    deliver_packets(e);
    forward_packets(e);
    if (e->next_offer <= e->now) timed_take_messages(e);
    start_links(e);
}

uint64_t timed_next(const engine *e) {
    uint64_t next = e->next_offer;
    for (unsigned i = 0; i < e->lanes; i++) next = e->head[i] < next ? e->head[i] : next;
    if (e->late.count && e->late.entry[0].key < next) next = e->late.entry[0].key;
    return next;
}

static void advance(engine *e, uint64_t time) {
    if (time > PACKET_TIME_MAX && !e->status)
        e->status = bough_fail(e->error, BOUGH_FAILED, NULL, "a packet would move after more than 53 days");
    if (time <= e->now) return;
    e->now = time;
    for (uint32_t i = 0; i < e->touched_count; i++) e->served[e->touched[i]] = 0;
    e->touched_count = 0;
}

void timed_instant(engine *e, uint64_t time) {
    advance(e, time);
    if (!e->status) instant(e);
}

static void check_run(engine *e, const packet_timed_input *input) {
    const bough_run *run = input->run;
    if (!run || e->status) return;
    if (run->progress && input->messages)
        run->progress(run->progress_context, (double)e->t.arrived / (double)input->messages);
    if (bough_run_stopped(run)) e->status = bough_fail(e->error, BOUGH_INTERRUPTED, NULL, "interrupted");
}

bough_status packet_timed_run(packet_timed *e, const packet_timed_input *input, bough_error *error) {
    enum { CHECK_AFTER = 1 << 16 };
    uint64_t checked = 0, count = 0;
    timed_clear(e);
    e->stops = false;
    e->key = input->key;
    e->seen = input->seen;
    e->source = input->source;
    e->error = error;
    e->next_offer = input->source->next_time(input->source);
    for (uint64_t time; !e->status && (time = timed_next(e)) != BOUGH_NONE;) {
        timed_instant(e, time);
        if (++count + e->t.crossings - checked < CHECK_AFTER) continue;
        checked = count + e->t.crossings;
        check_run(e, input);
    }
    return e->status;
}

const packet_timed_totals *packet_timed_result(const packet_timed *e) {
    return &e->t;
}

uint64_t *packet_timed_times(packet_timed *e) {
    return e->time;
}

uint64_t packet_timed_busy(const packet_timed *e, uint64_t link) {
    return e->link[link].busy;
}
