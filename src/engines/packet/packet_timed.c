/* The timed engine of `packet`: one instant after the other, as defined in packet_timed.h. */
#include "engines/packet/packet_timed_state.h"

#define AHEAD 8 /* prefetch distance */

/* ---- links ---- */

static void add_leaving(engine *e, uint32_t link, uint64_t time) {
    for (unsigned i = 0; i < TIMED_LANES; i++) {
        timed_lane *lane = &e->leaving[i];
        if (lane->count && lane->entry[(lane->first + lane->count - 1) & (lane->size - 1)].time > time)
            continue;
        timed_lane_push(e, lane, (timed_event){time, 0, link});
        return;
    }
    heap_put(&e->late, link, time, link);
}

static timed_span span_on(const engine *e, const timed_link *link, const packet *p) {
    const flight *f = &e->flight[p->message];
    if (p->index + 1 < f->packets) return link->full;
    uint64_t bytes = f->bytes - p->index * e->o.packet;
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

static void start_link(engine *e, uint32_t link) {
    uint32_t slot = timed_take(e, link);
    if (slot == NONE) return;
    timed_link *l = &e->link[link];
    packet *p = &e->packet[slot];
    uint64_t lasts = time_on(e, l, p);
    if (p->hops) p->waited += e->now;
    p->spot = link;
    p->hops++;
    p->to_go--;
    l->sending = slot;
    l->until = e->now + lasts;
    l->busy += lasts;
    e->t.crossings++;
    add_leaving(e, link, l->until);
}

static void start_links(engine *e) {
    for (uint32_t i = 0; i < e->ready_count && !e->status; i++) start_link(e, e->ready[i]);
    e->ready_count = 0;
}

static void end_link(engine *e, uint32_t link) {
    timed_link *l = &e->link[link];
    uint32_t slot = l->sending;
    l->sending = NONE;
    if (l->queue != NONE) e->ready[e->ready_count++] = link;
    bool last = timed_ends_there(e, slot);
    uint64_t time = e->now + e->delay + (last ? 0 : e->switch_delay);
    timed_lane_push(e, last ? &e->arriving : &e->forwarded, (timed_event){time, number_of(e, slot), slot});
}

static void end_links(engine *e) {
    for (unsigned i = 0; i < TIMED_LANES; i++) {
        timed_lane *lane = &e->leaving[i];
        for (; lane->count && timed_lane_head(lane)->time == e->now; timed_lane_pop(lane))
            end_link(e, timed_lane_head(lane)->item);
    }
    while (e->late.count && e->late.entry[0].key == e->now) end_link(e, heap_pop(&e->late).item);
}

/* ---- packets at nodes ---- */

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

/* Moves the events of this instant into the batch and sorts them by number. Returns how many there are. A
 * natural merge sort: they usually consist of few ascending runs. */
static uint32_t take_batch(engine *e, timed_lane *lane) {
    uint32_t count = 0;
    for (; lane->count && timed_lane_head(lane)->time == e->now; timed_lane_pop(lane)) {
        if (count == e->batch_capacity && !timed_batch_grow(e)) return 0;
        e->batch[count++] = *timed_lane_head(lane);
    }
    while (count && end_of_run(e->batch, 0, count) < count) merge_runs(e, count);
    return count;
}

static void deliver_packets(engine *e) {
    uint32_t count = take_batch(e, &e->arriving);
    for (uint32_t i = 0; i < count && !e->status; i++) timed_deliver(e, e->batch[i].item);
}

static void forward_packets(engine *e) {
    uint32_t count = take_batch(e, &e->forwarded);
    for (uint32_t i = 0; i < count && !e->status; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&e->packet[e->batch[i + AHEAD].item], 1);
        timed_forward(e, e->batch[i].item);
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

static uint64_t next_time(const engine *e) {
    uint64_t next = e->next_offer;
    if (e->late.count && e->late.entry[0].key < next) next = e->late.entry[0].key;
    for (unsigned i = 0; i < TIMED_LANES; i++)
        if (e->leaving[i].count && timed_lane_head(&e->leaving[i])->time < next)
            next = timed_lane_head(&e->leaving[i])->time;
    if (e->arriving.count && timed_lane_head(&e->arriving)->time < next)
        next = timed_lane_head(&e->arriving)->time;
    if (e->forwarded.count && timed_lane_head(&e->forwarded)->time < next)
        next = timed_lane_head(&e->forwarded)->time;
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
    e->key = input->key;
    e->source = input->source;
    e->error = error;
    e->next_offer = input->source->next_time(input->source);
    for (uint64_t time; !e->status && (time = next_time(e)) != BOUGH_NONE;) {
        advance(e, time);
        if (!e->status) instant(e);
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
