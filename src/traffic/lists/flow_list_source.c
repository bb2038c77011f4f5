/* Message lists as message sources: messages at their times, and after their triggers have fired. */
#include "traffic/lists/flow_list_traffic.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/physical/physical.h"
#include "traffic/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>

/* A triggered message, or one within its endpoint whose arrival must be reported. */
typedef struct due {
    uint64_t time;
    uint32_t flow;
} due;

typedef struct state {
    bough_source base;
    const flow_list *l;
    const bough_net *net;
    const uint32_t *endpoint;
    bough_clock clock;
    size_t next; /* next flow without a trigger */
    due *due;    /* [flows - timed]: triggered, in order of time; due_next .. due_end - 1 */
    size_t due_next, due_end;
    uint32_t *signals;      /* [triggers]: remaining signals */
    uint32_t *first, *list; /* [triggers + 1], [flows - timed]: flows that wait for each trigger */
    uint32_t *born;         /* [flows]: message of an id */
    uint32_t births, ended;
    uint64_t end;   /* ps: last arrival */
    timeline *seen; /* NULL: nothing is recorded */
} state;

static uint64_t tick_after(const state *s, uint64_t time) {
    return time / s->clock.tick_ps + (time % s->clock.tick_ps > 0);
}

static const flow_list_flow *peek(const state *s, uint64_t *time, uint32_t *flow) {
    bool timed = s->next < s->l->timed, triggered = s->due_next < s->due_end;
    if (!timed && !triggered) return NULL;
    if (timed && triggered) triggered = s->due[s->due_next].time < s->l->flow[s->next].start;
    *flow = triggered ? s->due[s->due_next].flow : (uint32_t)s->next;
    *time = triggered ? s->due[s->due_next].time : s->l->flow[s->next].start;
    return &s->l->flow[*flow];
}

static uint64_t next_time(bough_source *base) {
    const state *s = (const state *)base;
    uint64_t time;
    uint32_t flow;
    return peek(s, &time, &flow) ? tick_after(s, time) : BOUGH_NONE;
}

static void end_flow(state *s, uint64_t time) {
    s->ended++;
    if (time > s->end) s->end = time;
}

/* Arrivals are in order of time, so triggered flows are too. */
static void signal_triggers(state *s, const flow_list_flow *f, uint64_t time) {
    for (int i = 0; i < 2; i++) {
        uint32_t t = f->done[i];
        if (t == FLOW_LIST_NONE || s->signals[t] == 0 || --s->signals[t] > 0) continue;
        for (uint32_t w = s->first[t]; w < s->first[t + 1]; w++) {
            size_t at =
                s->due_end++; /* arrivals within an endpoint are reported immediately: keep the order */
            for (; at > s->due_next && s->due[at - 1].time > time; at--) s->due[at] = s->due[at - 1];
            s->due[at] = (due){time, s->list[w]};
        }
    }
}

static void record_start(timeline *seen, uint32_t flow, uint64_t posted, uint64_t left) {
    if (!seen) return;
    seen->op[flow].start = posted;
    seen->op[flow].left = left;
}

static void record_arrival(timeline *seen, uint32_t flow, uint64_t time) {
    if (seen) seen->op[flow].arrived = seen->op[flow].done = time;
}

/* Between nodes of one endpoint. */
static void stay_inside(state *s, uint32_t flow, uint64_t time) {
    if (s->seen) s->seen->op[flow].inside = true;
    record_start(s->seen, flow, time, time);
    record_arrival(s->seen, flow, time);
    end_flow(s, time);
    signal_triggers(s, &s->l->flow[flow], time);
}

static uint32_t pop(bough_source *base, uint64_t now, bough_message *out, uint32_t capacity) {
    state *s = (state *)base;
    const flow_list_flow *f;
    uint32_t got = 0, flow;
    uint64_t time;
    while (got < capacity && (f = peek(s, &time, &flow)) && tick_after(s, time) <= now) {
        if (flow < s->l->timed)
            s->next++;
        else
            s->due_next++;
        uint32_t from = s->endpoint[f->source], to = s->endpoint[f->destination];
        if (from == to) {
            stay_inside(s, flow, time);
            continue;
        }
        uint64_t bytes =
            s->clock.headers ? bough_physical_wire_bytes(bough_net_physical(s->net), f->size) : f->size;
        uint64_t units = bytes / s->clock.unit_bytes + (bytes % s->clock.unit_bytes > 0);
        out[got++] = (bough_message){.time = tick_after(s, time),
                                     .size = units,
                                     .source = from,
                                     .address = (uint32_t)bough_endpoint_address(s->net, to),
                                     .id = s->births};
        record_start(s->seen, flow, time, bough_mul(tick_after(s, time), s->clock.tick_ps));
        if (s->seen) s->seen->message[s->births] = flow;
        s->born[s->births++] = flow;
    }
    return got;
}

static void delivered(bough_source *base, uint32_t id, uint64_t tick) {
    state *s = (state *)base;
    uint64_t time = bough_mul(tick, s->clock.tick_ps);
    end_flow(s, time);
    record_arrival(s->seen, s->born[id], time);
    signal_triggers(s, &s->l->flow[s->born[id]], time);
}

static void observe(bough_source *base, timeline *seen) {
    ((state *)base)->seen = seen;
    timeline_clear(seen);
}

/* Reports a trigger that lacks signals and a flow that waits for it. */
static void report(bough_source *base, bough_source_report *r) {
    const state *s = (const state *)base;
    const flow_list *l = s->l;
    *r = (bough_source_report){.end = s->end, .left = l->flows - s->ended};
    for (size_t i = l->timed; i < l->flows; i++) {
        const flow_list_flow *f = &l->flow[i];
        if (!s->signals[f->trigger]) continue;
        if (r->waiting++) continue;
        snprintf(r->text, sizeof r->text,
                 "%" PRIu32 "->%" PRIu32 " of line %" PRIu32 " waits for trigger %" PRIu64
                 ", which was signalled %" PRIu32 " of %" PRIu32 " times",
                 f->source, f->destination, f->line, l->trigger[f->trigger].id,
                 l->trigger[f->trigger].count - s->signals[f->trigger], l->trigger[f->trigger].count);
    }
}

static void close_source(bough_source *base) {
    state *s = (state *)base;
    FREE_ALL(s->due, s->signals, s->first, s->list, s->born, s);
}

/* Lists, for every trigger, the flows that wait for it, in order. */
static void list_waiting(state *s) {
    const flow_list *l = s->l;
    for (size_t t = 0; t < l->triggers; t++) s->signals[t] = l->trigger[t].count;
    for (size_t i = l->timed; i < l->flows; i++) s->first[l->flow[i].trigger]++;
    for (size_t t = 0, sum = 0; t <= l->triggers; t++) s->first[t] = (uint32_t)(sum += s->first[t]);
    for (size_t i = l->flows; i-- > l->timed;) s->list[--s->first[l->flow[i].trigger]] = (uint32_t)i;
}

bough_status flow_list_source(const placed_flows *flows, const bough_clock *clock, bough_source **out,
                              bough_error *error) {
    const flow_list *l = flows->list;
    state *s;
    *out = NULL;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    *s = (state){.base = {.next_time = next_time,
                          .pop = pop,
                          .delivered = delivered,
                          .close = close_source,
                          .report = report,
                          .observe = observe},
                 .l = l,
                 .net = flows->net,
                 .endpoint = flows->endpoint,
                 .clock = clock ? *clock : (bough_clock){1, 1, false}};
    status = bough_alloc(&s->due, l->flows - l->timed, sizeof *s->due, error);
    TRY(bough_alloc(&s->signals, l->triggers, sizeof *s->signals, error));
    TRY(bough_alloc(&s->first, l->triggers + 1, sizeof *s->first, error));
    TRY(bough_alloc(&s->list, l->flows - l->timed, sizeof *s->list, error));
    TRY(bough_alloc(&s->born, l->flows, sizeof *s->born, error));
    if (status) {
        close_source(&s->base);
        return status;
    }
    list_waiting(s);
    *out = &s->base;
    return BOUGH_OK;
}
