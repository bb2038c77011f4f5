#include "traffic/schedules/schedule_source.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/physical/physical.h"
#include "traffic/schedules/workload.h"
#include "traffic/timeline/timeline.h"

typedef struct state {
    bough_source base;
    const bough_net *net;
    const bough_workload *w;
    const match_plan *match;
    bough_clock clock;
    rank_engine *ranks;
    uint32_t *born; /* [sends]: the send of a message; ids count messages in order of departure */
    uint32_t births;
    timeline *seen; /* NULL: nothing is recorded */
} state;

static uint64_t tick_after(const state *s, uint64_t time) {
    return time / s->clock.tick_ps + (time % s->clock.tick_ps > 0);
}

/* The next event may not be a message; the engine then pops none and asks again. */
static uint64_t next_time(bough_source *base) {
    state *s = (state *)base;
    uint64_t next = ranks_next(s->ranks);
    return next == BOUGH_NONE ? next : tick_after(s, next);
}

static uint32_t pop(bough_source *base, uint64_t now, bough_message *out, uint32_t capacity) {
    state *s = (state *)base;
    uint64_t until = bough_mul(now, s->clock.tick_ps), time;
    uint32_t got = 0, op;
    ranks_run(s->ranks, until);
    while (got < capacity && ranks_depart(s->ranks, until, &op, &time)) {
        const bough_op *send = &s->w->schedule->op[op];
        uint64_t bytes =
            s->clock.headers ? bough_physical_wire_bytes(bough_net_physical(s->net), send->size) : send->size;
        uint64_t units = bytes / s->clock.unit_bytes + (bytes % s->clock.unit_bytes > 0);
        out[got++] =
            (bough_message){.time = tick_after(s, time),
                            .size = units,
                            .source = s->w->endpoint[s->match->rank[op]],
                            .address = (uint32_t)bough_endpoint_address(s->net, s->w->endpoint[send->peer]),
                            .id = s->births};
        if (s->seen) s->seen->message[s->births] = op;
        s->born[s->births++] = op;
    }
    return got;
}

static void delivered(bough_source *base, uint32_t id, uint64_t time) {
    state *s = (state *)base;
    ranks_arrive(s->ranks, s->born[id], bough_mul(time, s->clock.tick_ps));
}

static void report(bough_source *base, bough_source_report *r) {
    ranks_report(((state *)base)->ranks, r);
}

static void observe(bough_source *base, timeline *seen) {
    state *s = (state *)base;
    s->seen = seen;
    ranks_observe(s->ranks, seen);
}

static void close_source(bough_source *base) {
    state *s = (state *)base;
    ranks_destroy(s->ranks);
    FREE_ALL(s->born, s);
}

uint64_t schedule_source_bytes(const bough_workload *w, const match_plan *match) {
    return bough_add(ranks_bytes(w, match), bough_mul(w->schedule->sends, 4));
}

void schedule_source_only(bough_source *source, const rank_span span[2]) {
    ranks_only(((state *)source)->ranks, span);
}

const rank_engine *schedule_source_ranks(const bough_source *source) {
    return ((const state *)source)->ranks;
}

bough_status schedule_source(const bough_traffic *t, bough_key key, const bough_clock *clock,
                             bough_source **out, bough_error *error) {
    const bough_workload *w = t->workload;
    const match_plan *match = workload_match(t);
    state *s;
    *out = NULL;
    if (!clock)
        return bough_fail(error, BOUGH_UNSUPPORTED, w->schedule->name,
                          "a schedule requires times and bytes, which this method does not support");
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    *s = (state){.base = {next_time, pop, delivered, close_source, report, observe},
                 .net = t->net,
                 .w = w,
                 .match = match,
                 .clock = *clock};
    status = ranks_make(w, match, true, &s->ranks, error);
    if (!status) ranks_on(s->ranks, t->net);
    if (!status) ranks_vary(s->ranks, key);
    TRY(bough_alloc(&s->born, w->schedule->sends, sizeof *s->born, error));
    if (status)
        close_source(&s->base);
    else
        *out = &s->base;
    return status;
}
